"""The √d_k page: every number is the experiment's, in both languages, and the link carries the draw."""

from dataclasses import replace

import numpy as np
import pytest

import attention
from attention import experiment
from tests.pages.reading import assert_well, frames, opened, said
from ui import variance, variance_charts
from ui import workbench as w
from ui.text import LANGUAGES, catalogue
from ui.variance_charts import NAMES, number

CAT = w.preset("cat")
SCALES = experiment.SCALES


@pytest.fixture(scope="module")
def spread():
    return experiment.measure_spread(10_000, seed=0)


@pytest.fixture(scope="module")
def saturation():
    return experiment.measure_saturation(variance.ROWS, seed=0)


@pytest.fixture(scope="module", params=LANGUAGES)
def page(request):
    app = opened("variance", request.param)
    assert_well(app)
    return app


def test_the_weights_are_the_first_rows(page, saturation):
    weights = frames(page)[0].query("kind == 'weight'")
    for s, d_k in enumerate(experiment.STOPS):
        for side in ("none", "sqrt"):
            shown = weights[weights["d"] == d_k][side].to_numpy().reshape(3, 8)
            np.testing.assert_array_equal(shown, saturation.examples[s, SCALES.index(side)])
            np.testing.assert_allclose(shown.sum(axis=1), 1)


def test_the_curves_are_the_measured_saturation(page, saturation):
    frame = frames(page)[2]
    for which, scale in enumerate(SCALES):
        mine = frame[frame["side"] == NAMES[scale]]
        assert mine["d"].tolist() == list(experiment.STOPS)
        for name in variance_charts.MEASURES:
            np.testing.assert_array_equal(mine[name], getattr(saturation, name)[:, which])


def test_the_sentences_say_the_measured_numbers(page, saturation):
    lang = page.session_state["lang"]
    template = catalogue("variance", lang)["mean_lies"]
    at16, at512 = (experiment.STOPS.index(d_k) for d_k in (16, 512))
    for name, at in (("mean_none_16", at16), ("mean_none_512", at512)):
        template = template.replace(f"<<{name}>>", number(saturation.mean[at, 0]))
    for name, at in (("median_none_16", at16), ("median_none_512", at512)):
        template = template.replace(f"<<{name}>>", number(saturation.median[at, 0]))
    assert template in [m.value for m in page.markdown]


def test_the_small_table_is_measured(page, saturation):
    (table,) = [m.value for m in page.markdown if m.value.startswith("| d_k |")]
    s = experiment.STOPS.index(64)
    entropy, dead = saturation.entropy[s, 0], saturation.dead[s, 0]
    cells = [f"{entropy:.2f}", f"{dead:.0%}", number(saturation.median[s, 0]), number(saturation.mean[s, 0])]
    assert "| ÷ 1 | " + " | ".join(cells) + " |" in table


@pytest.mark.parametrize("scale", w.SCALES)
def test_your_own_numbers_are_the_workbenchs(scale):
    bench = replace(w.with_cells(CAT, "Q", {(1, 0): "7"}), scale=scale, mask="causal")
    app = opened("variance", "en", bench)
    table = next(m.value for m in app.markdown if m.value.startswith("| query |"))
    Q, K, V = bench.qkv()
    for i, token in enumerate(bench.tokens):
        steps = [attention.attention_steps(Q, K, V, bench.mask_array(), scale=each) for each in SCALES]
        cells = [f"{attention.normalized_entropy(each.weights[i]):.2f}" for each in steps]
        assert f"| {token} | {' | '.join(cells)} |" in table
    assert catalogue("variance", "en")["own_mask"] in said(app)
