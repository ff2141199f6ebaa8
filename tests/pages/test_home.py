"""Home shows the reader's own numbers and opens the four doors."""

import numpy as np
import pytest

from tests.pages.reading import assert_well, frames, opened, stage
from ui import display
from ui import workbench as w
from ui.text import LANGUAGES


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_picture_is_the_readers_own(lang):
    bench = w.with_cells(w.preset("cat"), "Q", {(1, 0): "-3"})
    app = opened("home", lang, bench)
    assert_well(app)
    steps = bench.steps()
    for s, values in enumerate((steps.weights, steps.output)):
        printed = stage(frames(app)[0], s).to_numpy()
        np.testing.assert_array_equal(printed, [[display.short(x) for x in row] for row in values])


def test_the_doors_lead_to_the_walk_to_play_and_to_the_lesson():
    app = opened("home")
    links = [each.proto.page for each in app.get("page_link")]
    assert {link.rsplit("/", 1)[-1].removesuffix(".py") for link in links} == {"edit", "challenges", "teach", "glossary"}
    assert app.button(key="door_walk").label.endswith("Look it up")
