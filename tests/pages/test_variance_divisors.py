"""The part that compares divisors: what is shown is measured, in both languages; the link carries what is compared."""

import re
from dataclasses import replace

import altair as alt
import numpy as np
import pytest

from attention import saturation
from attention.divisors import divisor
from attention.saturation import ALPHAS, POWERS
from attention.softmax import normalized_entropy, softmax
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import (
    charts,
    link,
    variance_divisors,
    variance_divisors_charts,
    variance_divisors_frame,
    variance_measure,
    views,
)
from ui.text import LANGUAGES, Text, catalogue
from ui.variance_charts import COLOURS, NAMED, NAMES
from ui.variance_divisors_frame import OUTLINED, SIDES, STOPS, digits, even, short_name
from ui.workbench import preset

CAT = views.shown(preset("cat"), "variance.part", "divisors")
EN = Text("variance_divisors", "en")


@pytest.fixture(scope="module")
def found():
    """What the page measures once; tests/core holds it to formulas."""
    return variance_measure.measured_rows(0, lambda share: None)


@pytest.fixture(scope="module", params=[("zh", "linear"), ("en", "cosine")], ids="-".join)
def page(request):
    lang, other = request.param
    app = opened("variance", lang, views.shown(CAT, "variance.divisor", other))
    assert_well(app)
    return app


def chart(app):
    (frame,) = frames(app)
    return frame, str(views.get(code(app), "variance.divisor"))


def by_stop(frame, kind, found):
    """The rows of a kind that belong to each d_k, and where that stands in the measurement."""
    for d_k in STOPS:
        yield d_k, found.d_k.index(d_k), frame[(frame["kind"] == kind) & (frame["d"] == d_k)]


def test_the_bars_are_the_counts_and_as_wide_as_the_divisor_makes_them(page, found):
    frame, other = chart(page)
    for d_k, s, mine in by_stop(frame, "bar", found):
        np.testing.assert_array_equal(mine["y"], found.counts[s] / 32_000)
        counts = found.cosine_counts if other == "cosine" else found.counts
        np.testing.assert_array_equal(mine["other"], counts[s] / 32_000)
        np.testing.assert_allclose(mine["low"], 1 / np.sqrt(d_k))  # both d_k and the cosine leave so much
        assert mine["y"].sum() == pytest.approx(1, abs=0.001)


def test_the_scores_of_three_queries_are_there_undivided_and_as_the_other_divides_them(page, found):
    frame, other = chart(page)
    for d_k, s, mine in by_stop(frame, "score", found):
        np.testing.assert_array_equal(mine["y"].to_numpy().reshape(3, 8), found.scores[s, :3])
        wanted = found.cosines[s, :3] if other == "cosine" else found.scores[s, :3] / d_k
        np.testing.assert_array_equal(mine["other"].to_numpy().reshape(3, 8), wanted)


def test_the_curves_are_measured_with_intervals(page, found):
    frame, other = chart(page)
    for name in ("none", "sqrt", other):
        for kind, estimate in (("spread", found.spread), ("entropy", entropy_of(found))):
            mine = frame[(frame["kind"] == kind) & (frame["who"] == name)]
            wanted = [estimate(d_k, name) for d_k in STOPS]
            np.testing.assert_array_equal(mine[["y", "low", "high"]].to_numpy(), wanted)
            assert (mine["low"] <= mine["y"]).all()
    powers = frame[frame["kind"] == "power_entropy"]
    for i, power in enumerate(POWERS):
        wanted = [found.entropy[found.at(d_k, power)] for d_k in STOPS]
        np.testing.assert_array_equal(powers[powers["i"] == i]["y"], wanted)
    spread = frame[frame["kind"] == "power_spread"]
    np.testing.assert_array_equal(spread["y"], [found.deviation[found.d_k.index(d_k), 0] for d_k in STOPS])


def entropy_of(found):
    return lambda d_k, name: variance_divisors_frame.entropy(found, d_k, name)


def test_the_words_above_a_panel_say_what_was_measured(page, found):
    frame, other = chart(page)
    words = frame[frame["kind"] == "entropy_word"]
    assert len(words) == 11 * (3 + 21)
    for d_k in STOPS:
        (said_,) = words[(words["side"] == "sqrt") & (words["d"] == d_k)]["text"]
        at = found.at(d_k, "sqrt")
        assert f"{found.entropy[at]:.3f} ±\u00a0{np.ptp(found.interval['entropy'][at]) / 2:.3f}" in said_
        (said_,) = words[(words["side"] == "power") & (words["d"] == d_k) & (words["i"] == 3)]["text"]
        assert f"{found.entropy[found.at(d_k, 'power_0.15')]:.3f}" in said_
    spreads = frame[(frame["kind"] == "spread_word") & (frame["side"] == "power") & (frame["d"] == 64)]
    for i, alpha in enumerate(ALPHAS):
        (said_,) = spreads[spreads["i"] == i]["text"]
        shown = float(said_.partition(" ±")[0].split(" ")[-1])
        assert shown == pytest.approx(found.spread(64, 'none')[0] / 64**alpha, rel=0.005)


def test_the_sentences_say_the_measured_numbers(page, found):
    lang, other = page.session_state["lang"], chart(page)[1]
    seen = said(page)
    for name in ("none", "sqrt"):
        for d_k in (4, 4096):
            assert f"{found.entropy[found.at(d_k, name)]:.2f}" in seen
    assert "α = 0.5" in seen
    assert variance_divisors.why_not(other, found, 64, Text("variance_divisors", lang)) in seen
    assert "<<" not in seen
    assert not [text for text in chart(page)[0]["text"].dropna() if "<<" in text]


def test_what_is_compared_is_in_the_link_and_no_step_to_undo():
    app = opened("variance", "en", CAT)
    steps = app.session_state["lab"]["undo"]
    app.button_group(key="variance_divisor").set_value("log").run()
    assert_well(app)
    assert views.get(code(app), "variance.divisor") == "log"
    assert app.session_state["lab"]["undo"] == steps
    assert NAMES["log"] in set(frames(app)[0]["text"].dropna())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_fold_compares_all_at_one_d_k(lang, found):
    bench = views.shown(CAT, "variance.divisor_at", 256)
    app = opened("variance", lang, bench)
    text = Text("variance_divisors", lang)
    assert text("table_top") not in said(app)  # what is folded is not sent
    app.session_state["divisors_why_not"] = True
    app.run()
    assert_well(app)
    table = next(m.value for m in app.markdown if text("table_top") in m.value)
    for name in ("none", "sqrt", *variance_divisors.CHOICES):
        first = re.compile(rf"\| {re.escape(short_name(name))}( =[^|]*)? \|")
        (row,) = filter(first.match, table.splitlines())
        assert digits(found.spread(256, name)[0]) in row
        assert even(found.entropy[found.at(256, name)]) in row
    for name in variance_divisors.CHOICES:
        assert variance_divisors.why_not(name, found, 256, text) in said(app)


def test_why_not_the_cosine_says_what_bounds_it(found):
    said_ = variance_divisors.why_not("cosine", found, 64, EN)
    row = softmax([1.0, *[-1.0] * 7])  # the best match there can be among 8 keys
    assert f"{row[0]:.0%}" in said_
    assert f"{row[0] / row[1]:.2f}" in said_


def test_the_table_has_every_d_k_and_every_power(found):
    app = opened("variance", "en", CAT)
    app.toggle(key="divisors_table").set_value(True).run()
    assert_well(app)
    (element,) = app.dataframe
    table = element.value
    assert table["d_k"].tolist() == [d_k for d_k in STOPS for _ in range(2)]
    for row, d_k in enumerate(STOPS):
        for alpha, power in zip(ALPHAS, POWERS, strict=True):
            spread, evenness = table[f"÷ d_k^{alpha:.2f}"][2 * row : 2 * row + 2]
            middle = float(spread.partition(" ±")[0])
            assert middle == pytest.approx(found.spread(d_k, "none")[0] / d_k**alpha, rel=0.005)
            assert evenness.partition(" ±")[0] == even(found.entropy[found.at(d_k, power)])


def test_another_draw_language_or_divisor_keeps_the_spec():
    """So that the browser updates the drawn chart, and what was dragged stays."""
    benches = [("en", CAT), ("zh", replace(CAT, variance_seed=1)),
               ("en", views.shown(CAT, "variance.divisor", "fifth"))]  # fmt: skip
    apps = [opened("variance", lang, bench) for lang, bench in benches]
    assert len({app.get("vega_lite_chart")[0].proto.spec for app in apps}) == 1
    assert not frames(apps[0])[0].equals(frames(apps[1])[0])


def test_the_spec_is_vega_lite_and_described():
    spec = variance_divisors_charts.spec("phone")
    alt.VConcatChart.from_dict(spec | {"data": {"name": "a"}}, validate=True)
    for lang in LANGUAGES:
        assert catalogue("variance_divisors", lang)["alt"] in spec["description"]


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
def test_the_panels_fit(layout):
    spec = variance_divisors_charts.spec(layout)
    for row in spec["vconcat"]:
        widths = [each["width"] if "width" in each else each["vconcat"][0]["width"] for each in row["hconcat"]]
        axes = 0 if "vconcat" in row["hconcat"][0] else 34 * len(widths)
        assert sum(widths) + axes + row["spacing"] * (len(widths) - 1) <= charts.ROOM[layout][0]
    assert len(spec["vconcat"]) == (2 if layout in {"xl", "wide"} else 3)


def test_every_divisor_has_a_name_and_a_colour():
    assert set(NAMES) == set(COLOURS) == {*NAMED, "power"}
    assert set(variance_divisors.CHOICES) == set(NAMES) - {"none", "sqrt", "power"}
    assert set(OUTLINED) <= set(STOPS) <= set(saturation.STOPS)
    assert len(SIDES) == 4


@pytest.mark.parametrize("name", variance_divisors.CHOICES)
def test_a_histogram_is_stretched_as_the_divisor_says(name):
    theory = 1 / 16 if name == "cosine" else 16 / divisor(name, 256)
    assert variance_divisors_frame.stretch(name, 256) == pytest.approx(theory)


def test_a_link_cannot_ask_for_another_divisor():
    code_ = link.encode(views.shown(CAT, "variance.divisor", "log"))
    assert views.get(link.decode(code_), "variance.divisor") == "log"
    for view, value in (("variance.divisor", "sqrt"), ("variance.divisor_at", 5)):
        with pytest.raises(ValueError, match="cannot show"):
            views.shown(CAT, view, value)


def test_a_question_opens_the_divisor_it_is_about():
    app = opened("variance", "en", CAT)
    app.session_state["met_variance"] = True
    app.run()
    app.button(key="met_variance_4").click().run()
    assert_well(app)
    assert views.get(code(app), "variance.divisor") == "log"
    assert NAMES["log"] in set(frames(app)[0]["text"].dropna())


def test_a_second_visitor_does_not_measure_again(monkeypatch):
    """Neither here nor in the part on softmax, which looks at the same rows."""
    opened("variance", "en", CAT)
    monkeypatch.setattr(saturation, "measure_saturation", lambda *args, **more: pytest.fail("measured again"))
    for part in ("divisors", "softmax"):
        assert_well(opened("variance", "zh", views.shown(CAT, "variance.part", part)))


def test_entropies_are_those_of_the_weights(found):
    """The first rows' weights, which the browser computes, are rows of the measured kind."""
    weights = softmax(found.scores[found.d_k.index(64), :3] / 8)
    assert abs(normalized_entropy(weights).mean() - found.entropy[found.at(64, "sqrt")]) < 0.3
