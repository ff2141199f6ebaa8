"""Colours can be read: contrast at least 4.5 : 1 wherever there is text on them, in both appearances."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from ui import theme

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
MODES = {mode: CONFIG["theme"][mode] for mode in ("light", "dark")}


@pytest.mark.parametrize("ramp", [theme.WEIGHTS, theme.SIGNED])
def test_numbers_on_heatmap_cells_can_be_read(ramp):
    for position in np.linspace(0, 1, 501):
        ink = theme.PAPER if theme.light_ink(ramp, position) else theme.INK
        assert theme.contrast(theme.ramp(ramp, position), theme.rgb(ink)) >= 4.5, position
    assert theme.contrast(theme.rgb(theme.MASKED), theme.rgb(theme.INK)) >= 4.5


@pytest.mark.parametrize("mode", MODES)
def test_text_can_be_read_on_both_backgrounds(mode):
    colours = MODES[mode]
    for background in ("backgroundColor", "secondaryBackgroundColor"):
        for ink in ("textColor", "linkColor", "primaryColor"):
            assert theme.contrast(theme.rgb(colours[ink]), theme.rgb(colours[background])) >= 4.5, (ink, background)
    assert colours["chartSequentialColors"][-1] == colours["textColor"]  # the ink of chart text (ui/charts.py)
    assert len(colours["chartSequentialColors"]) == 10


@pytest.mark.parametrize("mode", MODES)
def test_marks_stand_out_from_the_background(mode):
    for colour in MODES[mode]["chartCategoricalColors"]:
        assert theme.contrast(theme.rgb(colour), theme.rgb(MODES[mode]["backgroundColor"])) >= 3, colour


def test_a_signed_ramp_is_white_at_zero_and_even_on_both_sides():
    assert theme.ramp(theme.SIGNED, 0.5) == (1, 1, 1)
    assert len(theme.SIGNED) % 2 == 1
    assert theme.ramp(theme.WEIGHTS, 0) == (1, 1, 1)


def test_a_bar_that_tells_a_weight_stands_out_in_both_appearances():
    for mode in MODES.values():
        assert theme.contrast(theme.rgb(theme.WEIGHT), theme.rgb(mode["backgroundColor"])) >= 3


def test_weights_darken_steadily():
    lightness = [theme._luminance(theme.ramp(theme.WEIGHTS, x)) for x in np.linspace(0, 1, 101)]
    assert all(np.diff(lightness) < 0)


def test_hues_in_formulas_stand_out_in_both_appearances():
    grounds = ["#ffffff", "#0e1117", *(mode["backgroundColor"] for mode in MODES.values())]
    assert set(theme.MATH) == set(theme.WORDS)
    for name, colour in theme.MATH.items():
        assert all(theme.contrast(theme.rgb(colour), theme.rgb(ground)) >= 3 for ground in grounds), name
