"""The √d_k page: every number is the experiment's, in both languages, and the link carries the draw."""

import json
from dataclasses import replace

import altair as alt
import numpy as np
import pytest
from streamlit.runtime.scriptrunner import StopException

import attention
from attention import experiment
from tests.pages.reading import assert_well, frames, opened, said
from ui import link, variance, variance_charts
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue
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


def test_the_bars_are_the_counts(page, spread):
    frame = frames(page)[0]
    bars = frame[frame["kind"] == "bar"]
    for s, d_k in enumerate(experiment.STOPS):
        mine = bars[bars["d"] == d_k]
        np.testing.assert_array_equal(mine["a"], spread.edges[:-1])
        for side in ("none", "sqrt"):
            np.testing.assert_array_equal(mine[side], spread.counts[s] / 10_000)


def test_the_curve_is_the_normal_density(page):
    curve = frames(page)[0].query("kind == 'theory'")
    width = experiment.EDGES[1] - experiment.EDGES[0]
    np.testing.assert_array_equal(curve["none"], experiment.normal_density(curve["a"]) * width)


def test_the_weights_are_the_first_rows(page, saturation):
    weights = frames(page)[0].query("kind == 'weight'")
    for s, d_k in enumerate(experiment.STOPS):
        for side in ("none", "sqrt"):
            shown = weights[weights["d"] == d_k][side].to_numpy().reshape(3, 8)
            np.testing.assert_array_equal(shown, saturation.examples[s, SCALES.index(side)])
            np.testing.assert_allclose(shown.sum(axis=1), 1)


def test_the_words_above_the_bars_say_the_measured_variance(page, spread):
    words = frames(page)[0].query("kind == 'measured'")
    for s, d_k in enumerate(experiment.STOPS):
        for side, over in (("none", 1), ("sqrt", d_k)):
            (shown,) = words[(words["d"] == d_k) & (words["side"] == side)]["text"]
            for value in (spread.variance[s], spread.low[s], spread.high[s], d_k):
                assert number(value / over) in shown


def test_the_points_are_the_measured_variances(page, spread):
    points = frames(page)[1].query("kind == 'measured'")
    for side, over in (("none", np.ones(24)), ("sqrt", np.array(spread.d_k))):
        mine = points[points["side"] == NAMES[side]]
        for column, values in (("y", spread.variance), ("low", spread.low), ("high", spread.high)):
            np.testing.assert_array_equal(mine[column], values / over)


def test_the_lines_are_the_formula(page):
    lines = frames(page)[1].query("kind == 'theory'")
    assert lines[lines["side"] == NAMES["none"]][["d", "y"]].to_numpy().tolist() == [[1, 1], [4096, 4096]]
    assert set(lines[lines["side"] == NAMES["sqrt"]]["y"]) == {1.0}


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


def test_nothing_is_left_unfilled_or_untranslated(page):
    assert "<<" not in said(page)
    assert not [text for text in frames(page)[0]["text"].dropna() if "<<" in text]


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


def test_drawing_again_changes_the_numbers_and_the_link_and_can_be_undone():
    app = opened("variance")
    before = frames(app)[0]
    app.button(key="draw_again").click().run()
    assert_well(app)
    assert link.decode(app.session_state["lab"]["code"]).variance_seed == 1
    assert not frames(app)[0].equals(before)
    app.button(key="undo").click().run()
    assert link.decode(app.session_state["lab"]["code"]) == CAT
    assert frames(app)[0].equals(before)


def test_a_link_opens_the_very_draw():
    app = opened("variance", "zh", replace(CAT, variance_seed=42, variance_draws=20_000))
    assert_well(app)
    spread = experiment.measure_spread(20_000, seed=42)
    points = frames(app)[1].query("kind == 'measured'")
    np.testing.assert_array_equal(points[points["side"] == NAMES["none"]]["y"], spread.variance)
    assert "20,000" in said(app)
    assert app.number_input(key="variance_seed").value == 42


@pytest.mark.parametrize("fields", [
    {"variance_seed": -1}, {"variance_seed": 10_000}, {"variance_seed": True}, {"variance_draws": 10},
    {"variance_draws": 20_000.0}, {"variance_draws": 10**9}, {"variance_draws": "10000"},
])  # fmt: skip
def test_a_link_cannot_ask_for_more_than_the_controls(fields):
    with pytest.raises(link.BadLink):
        link.decode(link.encode(replace(CAT, **fields)))


def test_another_language_or_draw_keeps_the_slider():
    """The spec of the chart with the slider depends on the layout alone: the browser updates it in place."""
    en = opened("variance", "en")
    zh = opened("variance", "zh", replace(CAT, variance_seed=1))
    specs = [app.get("vega_lite_chart")[0].proto.spec for app in (en, zh)]
    assert specs[0] == specs[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_chart_has_its_table_and_description(lang):
    app = opened("variance", lang)
    for key in ("spread_table", "variance_table", "saturation_table"):
        app.toggle(key=key).set_value(True)
    app.run()
    assert_well(app)
    assert len(app.dataframe) == 1
    assert len([m for m in app.markdown if m.value.startswith("| d_k |")]) == 3
    for chart in app.get("vega_lite_chart"):
        assert '"description"' in chart.proto.spec


def test_the_counts_table_adds_up(spread):
    from ui.text import Text

    table = variance.counts_table(spread, Text("variance", "en"))
    assert (table.iloc[:, 1:].sum() == 10_000).all()


def test_a_second_visitor_does_not_measure_again(monkeypatch):
    opened("variance")

    def fail(*args, **kwargs):
        raise AssertionError("measured again")

    monkeypatch.setattr(experiment, "measure_spread", fail)
    monkeypatch.setattr(experiment, "measure_saturation", fail)
    assert_well(opened("variance", "zh"))


@pytest.mark.parametrize("which", range(3))
def test_the_specs_are_vega_lite(page, which):
    spec = json.loads(page.get("vega_lite_chart")[which].proto.spec)
    alt.ConcatChart.from_dict(spec | {"data": {"name": "a"}}, validate=True)


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
def test_charts_fit_every_layout(layout):
    from ui import charts

    def widths(node):
        if isinstance(node, dict):
            yield from ([node["width"]] if isinstance(node.get("width"), int) else [])
            for each in node.values():
                yield from widths(each)
        elif isinstance(node, list):
            for each in node:
                yield from widths(each)

    spec = variance_charts.spread_spec(layout)
    assert max(widths(spec)) * spec["columns"] < charts.ROOM[layout][0]


def test_a_measurement_is_finished_for_the_next_visitor_when_one_leaves():
    class Left:
        def progress(self, *said):
            raise StopException

    report = variance._progress(Left(), Text("variance", "en"))
    for share in (0.0, 0.5, 1.0):
        report(share)
