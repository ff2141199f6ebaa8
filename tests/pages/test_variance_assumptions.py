"""Broken assumptions on the page: numbers are the core's, sentences follow the measurement, the link holds it all."""

import json
import math
import re

import altair as alt
import numpy as np
import pytest

from attention import assumptions as a
from attention import distributions, intervals, matching
from attention.assumptions import Components
from attention.saturation import SCALES
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import charts, link, views
from ui import variance_assumptions_charts as drawn
from ui import variance_assumptions_formulas as formulas
from ui import variance_assumptions_measure as measure
from ui import variance_assumptions_words as words
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue
from ui.variance_charts import NAMES, thousandths

CAT = views.shown(w.preset("cat"), "variance.part", "assumptions")
DRAWS = CAT.variance_draws


def showing(bench=CAT, **shown):
    for name, value in shown.items():
        bench = views.shown(bench, f"variance.{name}", value)
    return bench


def products(of, seed=0, draws=DRAWS):
    if of.law == "normal":
        return a.normal_products(a.draw_sums(draws, seed=seed), of)
    return a.draw_products(of.law, draws, seed=seed)


def study(of, d_k=64, seed=0):
    return measure.study(of, d_k, seed, DRAWS, lambda share: None)


CASES = [
    ({"broken": "correlated", "rho": -45, "broken_at": 16}, Components(rho=-0.45), 16),
    ({"broken": "means", "mean_q": 150, "mean_k": -30}, Components(mean_q=1.5, mean_k=-0.3), 64),
    ({"broken": "variances", "sd_q": 25, "broken_at": 4}, Components(sd_q=0.25), 4),
    ({"broken": "dependent", "broken_at": 256}, Components(shared=0.3), 256),
    ({"broken": "signs", "broken_at": 4}, Components("signs"), 4),
    ({"broken": "heavy", "broken_at": 1}, Components("laplace"), 1),
    ({}, Components(), 64),
]


@pytest.mark.parametrize(("shown", "of", "d_k"), CASES, ids=lambda each: str(each)[:40])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_bars_curves_and_table_are_those_of_the_link(lang, shown, of, d_k):
    app = opened("variance", lang, showing(**shown))
    assert_well(app)
    text, x = Text("variance_assumptions", lang), products(of)
    sample, s = x[a.STOPS.index(d_k)], a.STOPS.index(d_k)
    frame = frames(app)[0]

    bars = frame[frame["kind"] == "bar"]
    for low, high, share in bars[["a", "b", "y"]].to_numpy():
        inside = ((sample >= low) & (sample < high)).mean()
        assert inside == pytest.approx(share, abs=1.01 / DRAWS)  # the last bar has its right edge too
    assert bars["y"].sum() > 0.95

    mean, variance = a.predicted_mean(of, d_k), a.predicted_variance(of, d_k)
    line = frame[frame["kind"] == ("dot" if of.law == "signs" else "curve")].set_index("a")["y"]
    half = 1 if of.law == "signs" else math.sqrt(variance) / 8
    at = np.array(line.index)
    expected = {
        "normal": lambda x: distributions.exact_cdf(of, d_k, x), "signs": lambda x: distributions.signs_cdf(x, d_k),
        "laplace": lambda x: distributions.normal_cdf(x, mean, math.sqrt(variance)),
    }[of.law]  # fmt: skip
    np.testing.assert_allclose(line, expected(at + half) - expected(at - half), atol=1e-9)

    claim = frame[(frame["kind"] == "claim") & frame["y"].notna()]
    assert len(claim) > 10
    root = math.sqrt(d_k)
    shares = distributions.normal_cdf(claim["a"] + half, 0, root) - distributions.normal_cdf(claim["a"] - half, 0, root)
    np.testing.assert_allclose(claim["y"], shares, atol=1e-12)

    measured = a.measure_products(x, a.STOPS)
    for name, value, found in (("mean", mean, measured.mean[s]), ("variance", variance, measured.variance[s])):
        places = words.decimals(found)
        at, low, high = (words.number(x, places) for x in found)
        cells = [text(f"row_{name}"), f"**{words.number(value, places)}**", f"{at} ({low} – {high})"]
        assert "| " + " | ".join(cells) + " |" in said(app)
    assert "<<" not in said(app)


def test_the_interval_is_that_of_a_variance():
    x = products(Components("laplace"))[2]
    found = study(Components("laplace"), 16)
    np.testing.assert_allclose(found.variance, intervals.variance_interval(x), rtol=1e-12)
    error = 1.959964 * x.std(ddof=1) / math.sqrt(DRAWS)
    np.testing.assert_allclose(found.mean, [x.mean(), x.mean() - error, x.mean() + error], rtol=1e-5)
    assert found.beyond == (np.abs(x) > 12).sum()


@pytest.mark.parametrize("of", [case[1] for case in CASES], ids=str)
def test_the_lines_of_growth_are_the_formulas_and_the_points_the_measurement(of):
    data = drawn.growth_data(study(of)).to_pandas()
    measured = a.measure_products(products(of), a.STOPS)
    for which, scale in enumerate(SCALES):
        for s, d_k in enumerate(a.STOPS):
            by = d_k ** (0, 0.5, 1)[which]
            mine = data[(data["side"] == NAMES[scale]) & (data["d"] == d_k)].set_index(["what", "kind"])["y"]
            sd = math.sqrt(a.predicted_variance(of, d_k)), math.sqrt(measured.variance[s, 0])
            mean = abs(a.predicted_mean(of, d_k)), abs(measured.mean[s, 0])
            assert mine["sd", "theory"] == pytest.approx(sd[0] / by)
            assert mine["sd", "measured"] == pytest.approx(sd[1] / by)
            if mean[0]:
                assert mine["mean", "theory"] == pytest.approx(mean[0] / by)
                assert mine["mean", "measured"] == pytest.approx(mean[1] / by)
            else:
                assert ("mean", "measured") not in mine.index
    low, high = drawn.span(study(of))
    assert data[data["kind"] == "theory"]["y"].between(low, high).all()


def test_verdicts_follow_the_measurement():
    """Twenty seeds, one assumption at a time: what is said fits where the numbers lie."""
    text, seen = Text("variance_assumptions", "en"), set()
    for seed in range(20):
        for of in (Components(), Components(rho=0.9), Components(rho=0.001), Components(shared=0.6)):
            found, expected = study(of, 64, seed), (64 * of.rho, a.predicted_variance(of, 64))
            verdict = " ".join(words.verdict(found, text))
            both = zip(expected, (found.mean, found.variance), strict=True)
            fits = [low <= value <= high for value, (_, low, high) in both]
            assert (text("formula_fits") in verdict) == all(fits)
            assert ("mean 0 is ruled out" in verdict) == (of.rho != 0 and not found.mean[1] <= 0 <= found.mean[2])
            wider = expected[1] != 64 and not found.variance[1] <= 64 <= found.variance[2]
            assert ("variance is ruled out" in verdict) == wider
            assert (text("claim_left") in verdict) == (of == Components())
            seen |= {key for key in ("formula_fits", "claim_undecided") if text(key) in verdict}
            seen |= {"misses"} if "Outside" in verdict else set()
    assert seen == {"formula_fits", "claim_undecided", "misses"}
    by_chance = study(Components(shared=0.6), 64, 0)  # its mean is 2.4 standard errors away from 0
    assert by_chance.mean[2] < 0
    assert "mean 0 is ruled out" not in " ".join(words.verdict(by_chance, text))


def test_a_miss_is_told_in_standard_errors_and_more_pairs_are_offered(monkeypatch):
    """At ρ = 0.9 seed 0 misses the mean; ten times as many pairs do not."""
    app, text = opened("variance", "en", showing(broken="correlated")), Text("variance_assumptions", "en")
    x = products(Components(rho=0.9))[3]
    errors = abs(x.mean() - 57.6) / (x.std(ddof=1) / math.sqrt(DRAWS))
    assert errors > 1.96
    off = text("missed", what=text("row_mean"), errors=f"{errors:.1f}")
    assert text("formula_misses", what=off) in said(app)
    assert app.button(key="broken_more").label == text("more", times=10)
    app.button(key="broken_more").click().run()
    assert_well(app)
    assert code(app).variance_draws == 10 * DRAWS
    assert text("formula_fits") in said(app)
    assert not [each for each in app.button if each.key == "broken_more"]
    shared = study(Components(shared=0.3))  # the same pairs miss again, and so does the curve
    assert list(words.missed(shared)) == ["mean"]
    told = words.curves(shared, measure.shape(Components(shared=0.3), 64), text)
    assert (text("exact_misses_too") in told) == (shared.distance >= measure.bound(shared))
    monkeypatch.setattr(measure, "MOST", DRAWS)  # where no more are drawn, no more are offered
    app = opened("variance", "en", showing(broken="correlated"))
    assert text("formula_misses", what=off) in said(app)
    assert not [each for each in app.button if each.key == "broken_more"]


@pytest.mark.parametrize("of", [
    Components(rho=-0.4, mean_q=-1.25, mean_k=0.77, sd_q=0.5, sd_k=3.0, shared=0.3), Components("laplace"),
])  # fmt: skip
def test_the_general_formula_gives_what_is_predicted(of):
    """Its numbers, as they are put in, worked out again."""
    blocks = formulas.general(of, 16).split(r"\\[1ex]")
    for block, value in zip(blocks, (a.predicted_mean(of, 16), a.predicted_variance(of, 16)), strict=False):
        *_, put_in, result = block.split("&= ")
        plain = re.sub(r"[&\\;\s]|cdot|,", lambda match: "*" if match[0] in ("cdot", ",") else "", put_in)
        assert eval(plain.replace("^", "**")) == pytest.approx(value)  # noqa: S307
        assert result.strip().replace("{,}", ",") == words.number(value)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_general_formula_and_the_numbers_of_the_test_are_a_click_away(lang):
    app, text, of = opened("variance", lang, showing(broken="means")), Text("variance_assumptions", lang), Components(
        mean_q=0.5, mean_k=0.5)  # fmt: skip
    numbers = text.sentences(words.curve_numbers(study(of), measure.shape(of, 64), text))
    for key, told in (("broken_general", formulas.general(of, 64)), ("broken_how", numbers)):
        assert told not in said(app)
        app.session_state[key] = True
        app.run()
        assert_well(app)
        assert told in said(app)


def test_what_changes_evenness_equally_at_every_d_k_is_not_said_not_to_matter():
    text, found = Text("variance_assumptions", "en"), measure.in_rows(CAT, *measure.BROKEN)
    level = [way for way in found if words.noticed(found[way]) == "level"]
    for way in level:
        other = all(abs(found[way][s, 0] - found["none"][s, 0]) > 0.03 for s in range(3))
        assert words.shifted(found[way], found["none"]) == other
        told = words.judged({way: found[way]}, text, found["none"])
        name = text("row_nothing" if way == "none" else f"broken_{way}")
        if other:
            name = text("row_name", name=name, value=f"{found[way][1, 0]:.2f}")
            assert told == [text("row_shifted", names=name, none=f"{found['none'][1, 0]:.2f}")]
        else:
            assert told == [text("row_level", names=name)]
    assert {"variances", "heavy", "none"} <= set(level)
    assert words.shifted(found["variances"], found["none"])
    assert not words.shifted(found["heavy"], found["none"])


def test_a_sceptic_sees_that_the_normal_limit_fails_at_1_and_does_at_64():
    text = Text("variance_assumptions", "en")
    for d_k, fits in ((1, False), (64, True)):
        found, expected = study(Components(), d_k), measure.shape(Components(), d_k)
        told = " ".join(words.curves(found, expected, text))
        assert text("exact_fits") in told
        assert ("does not tell them from a normal curve" in told) == fits
        assert f"{found.limit:.2%}" not in told  # the numbers of the test are for who unfolds them
        told = " ".join(words.curve_numbers(found, expected, text))
        limit = distributions.distance(products(Components())[a.STOPS.index(d_k)], expected.grid, expected.limit)
        assert f"{limit:.2%}" in told
    heavy = words.curves(study(Components("laplace"), 1), measure.shape(Components("laplace"), 1), text)
    assert text("limit_misses", d_k=1) in heavy


TAILS = ("tail_alike", "tail_silent", "tail_apart", "tail_too")


def test_curve_and_tails_are_judged_each_by_itself():
    """Nothing fits a normal curve whose tails do not: seeds, laws and d_k of every kind."""
    text, seen = Text("variance_assumptions", "en"), set()
    cases = [(Components("signs"), 64, seed) for seed in range(6)] + [(Components("signs"), 1, 0)]
    laws = Components(rho=0.9), Components(), Components("laplace"), Components("uniform")
    cases += [(of, d_k, 0) for of in laws for d_k in a.STOPS]
    for of, d_k, seed in cases:
        found = study(of, d_k, seed)
        told = " ".join(words.curves(found, measure.shape(of, d_k), text))
        _, low, high = measure.beyond(found)
        alike = low <= words.NORMAL_TAIL <= high
        starts = {id: catalogue("variance_assumptions", "en")[id].split("<<")[0] for id in TAILS}
        kind = [id for id, start in starts.items() if start in told]
        assert len(kind) == 1
        same = found.limit < measure.bound(found)
        assert kind == [{(True, True): "tail_alike", (True, False): "tail_silent",
                         (False, True): "tail_apart", (False, False): "tail_too"}[alike, same]]  # fmt: skip
        numbers = " ".join(words.curve_numbers(found, measure.shape(of, d_k), text))
        assert ("between the steps" in numbers) == (of.law == "signs")
        assert f"{found.distance:.2%}" in numbers
        assert "0.00%" not in told
        seen |= set(kind)
    assert seen == set(TAILS)


def test_what_cannot_spread_is_said_to_be_exact():
    """±1 at d_k = 1: every (q·k)² is 1, whatever the seed, and no interval of no width is missed."""
    text = Text("variance_assumptions", "en")
    for seed in range(8):
        found = study(Components("signs"), 1, seed)
        assert found.variance.tolist() == [1, 1, 1]
        verdict = words.verdict(found, text)
        assert verdict[0] == text("formula_exact", value="1") or words.inside(0, found.mean) is False
        assert "| 1 (exact) |" in words.summary(found, text).replace("1.00", "1")
    assert study(Components("signs"), 4).only is None


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_side_by_side_names_what_softmax_notices(lang):
    app = opened("variance", lang, CAT)
    text = Text("variance_assumptions", lang)
    assert text("see_all", rows="2,000", keys=8) not in said(app)
    found = measure.in_rows(CAT, *measure.BROKEN)
    dangerous = ("correlated_one", "dependent_both")
    assert [way for way in found if words.noticed(found[way]) == "saturates"] == list(dangerous)
    names = text.list([text(f"broken_{way}") for way in dangerous])
    assert words.judged(found, text)[0] == text("row_saturates", names=names)
    calm = measure.in_rows(showing(rho=0, mean_q=0, shared=0), *measure.BROKEN)
    assert words.judged(calm, text)[-1] == text("row_none")
    told, listed = words.rows_table(found, text), words.rows_table(found, text, narrow=True)
    for way, each in found.items():
        assert " → ".join(map(thousandths, each)) in listed
        assert f"| {text(f'broken_{way}')} | {' | '.join(map(thousandths, each))} |" in told


@pytest.mark.parametrize("broken", measure.BROKEN)
def test_the_chosen_one_is_measured_in_rows(broken):
    """The page prints the core's evenness, of every way in which it can be broken in a row."""
    text, of = Text("variance_assumptions", "en"), measure.components(CAT, broken)
    app = said(opened("variance", "en", showing(broken=broken)))
    rows = matching.draw_rows(measure.ROWS, n_keys=measure.KEYS, seed=0)
    ways = {"correlated": [{"matches": "one"}, {}], "dependent": [{}, {"sharing": "q"}]}.get(broken, [{}])
    for way in ways:
        scores = (matching.row_scores(rows, of, **way) if of.law == "normal" else
                  matching.draw_scores(of.law, measure.ROWS, n_keys=measure.KEYS, seed=0))  # fmt: skip
        found = matching.row_entropy(scores, a.STOPS)[2:]
        assert " | ".join(map(thousandths, found)) + " |" in app
    assert ("**Dangerous**: " in app) == (broken in ("correlated", "dependent"))
    assert text("broken_none") in app


def test_a_weight_of_1_is_called_a_danger_only_where_it_is_stuck():
    text = Text("variance_assumptions", "en")
    for rho, id in ((0.9, "match_stuck"), (-0.9, "match_lost"), (0.05, None)):
        found = matching.match_weights(measure.rows(0), rho)
        told = words.stuck(found, text)
        assert bool(told) == bool(id)
        if id:
            m = found[-1, 1, 0]
            assert told == [text(id, answer="0.001")]
            assert m * (1 - m) < 0.001


def test_trends_are_read_off_the_measurement():
    def rows(*at):
        return np.array([[x, x - 0.1, x + 0.1] for x in (0, 0, at[0], 0, at[1])])

    assert [words.trend(rows(*at)) for at in ((1, 1.1), (-1, -4), (4, 1), (0.05, 9), (3, -0.05))] == [
        "stays", "grows", "falls", "unclear", "unclear"]
    assert [words.trend(rows(*at)) for at in ((10, 8.2), (8.2, 10), (10, 9.7))] == ["sinks", "rises", "stays"]
    assert words.left(study(Components(shared=0.3)), Text("variance_assumptions", "en"))[1].endswith("falls slightly.")
    assert [words.trend(rows(*at)) for at in ((1, 1.1),)] == ["stays"]  # fmt: skip
    text = Text("variance_assumptions", "en")
    told = words.left(study(Components(rho=0.9)), text)
    at_16, at_256 = (study(Components(rho=0.9)).measured.mean[s, 0] / d_k**0.5 for s, d_k in ((2, 16), (4, 256)))
    places = [words.decimals(study(Components(rho=0.9)).measured.mean[s] / d_k**0.5) for s, d_k in ((2, 16), (4, 256))]
    at_16, at_256 = (words.number(x, n) for x, n in zip((at_16, at_256), places, strict=True))
    assert re.search(rf"from {at_16} \([\d.]+ – [\d.]+\) to {at_256} \([\d.]+ – [\d.]+\); it \*\*grows\*\*", told[1])
    assert len(words.left(study(Components()), text)) == 2  # no mean to speak of


NEUTRAL = [("none", {}), ("correlated", {"rho": 0}), ("means", {"mean_q": 0, "mean_k": 0}),
           ("variances", {"sd_q": 100, "sd_k": 100}), ("dependent", {"shared": 0})]  # fmt: skip


@pytest.mark.parametrize(("broken", "sliders"), NEUTRAL)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_slider_at_its_neutral_place_breaks_nothing(lang, broken, sliders):
    """Whatever is called broken: then nothing is left to give a reason for."""
    app = opened("variance", lang, showing(broken=broken, **sliders))
    assert_well(app)
    text = Text("variance_assumptions", lang)
    assert text("so_none") in said(app)
    assert text("claim_left") in said(app)
    reasons = [id for id in catalogue("variance_assumptions", lang) if id.startswith("so_") and id != "so_none"]
    assert not [id for id in reasons if text(id) in said(app)]


@pytest.mark.parametrize(("broken", "of", "reason"), [
    ("correlated", Components(rho=0.9), "correlated"), ("correlated", Components(rho=-0.5), "correlated"),
    ("correlated", Components(rho=0.001), "little"), ("means", Components(mean_q=0.5, mean_k=0.5), "means"),
    ("means", Components(mean_q=2.0), "factor"), ("means", Components(mean_q=0.01, mean_k=-0.01), "little"),
    ("variances", Components(sd_q=2.0), "variances"), ("variances", Components(sd_q=1.25, sd_k=0.8), "even"),
    ("dependent", Components(shared=0.3), "dependent"), ("dependent", Components(shared=0.02), "little"),
    ("heavy", Components("laplace"), "heavy"), ("none", Components(), "none"),
])  # fmt: skip
def test_the_reason_given_is_one_for_what_was_measured(broken, of, reason):
    for seed in range(3):
        found = study(of, 64, seed)
        assert words.reason(broken, found) == reason
        after, before = (found.measured.variance[s, 0] / d_k for s, d_k in ((4, 256), (2, 16)))
        mean = abs(found.measured.mean[4, 0]) / 16
        grows = after > 1.5 * before or mean > 0.5
        assert grows == (reason in ("correlated", "means", "dependent"))


def test_the_match_is_measured_and_only_shown_for_correlation():
    app = opened("variance", "en", showing(broken="correlated", rho=-30))
    found = matching.match_weights(matching.draw_rows(measure.ROWS, n_keys=measure.KEYS, seed=0), -0.3)
    frame = frames(app)[2]
    for which, scale in enumerate(SCALES):
        mine = frame[frame["side"] == NAMES[scale]]
        np.testing.assert_array_equal(mine[["y", "low", "high"]], found[:, which])
    assert f"from {thousandths(found[2, 1])} at $d_k = 16$ to {thousandths(found[4, 1])}" in said(app)
    assert len(frames(opened("variance", "en", showing(broken="means")))) == 2


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_sliders_and_choices_go_into_the_link_and_are_no_edits(lang):
    app = opened("variance", lang, showing(broken="correlated"))
    app.slider(key="variance_rho").set_value(-0.29).run()
    assert views.get(code(app), "variance.rho") == -29
    assert r"64 \cdot (-0.29) = −18.6" in said(app)
    assert app.button(key="undo").disabled == (not app.session_state["lab"]["undo"])
    again = opened("variance", lang, code(app))
    assert again.slider(key="variance_rho").value == -0.29
    assert frames(again)[0].equals(frames(app)[0])


def test_other_draws_change_the_numbers():
    app = opened("variance", "en", showing(broken="dependent"))
    before = frames(app)[0]
    app.button(key="draw_again").click().run()
    assert_well(app)
    assert not frames(app)[0].equals(before)
    expected = products(Components(shared=0.3), seed=1)[3]
    counts = np.histogram(expected, measure.shape(Components(shared=0.3), 64).edges)[0]
    bars = frames(app)[0]
    np.testing.assert_array_equal(bars[bars["kind"] == "bar"]["y"], counts / DRAWS)


@pytest.mark.parametrize(("name", "value"), [
    ("rho", 101), ("rho", -101), ("rho", 0.9), ("rho", "90"), ("shared", -1), ("sd_q", 0), ("sd_k", 301),
    ("mean_q", 201), ("broken", "all"), ("broken_at", 2), ("broken_at", 1024), ("broken_at", True),
])  # fmt: skip
def test_what_cannot_be_is_refused(name, value):
    with pytest.raises(ValueError, match="cannot show"):
        showing(**{name: value})
    bad = w.Workbench(**{**CAT.__dict__, "view": tuple(sorted([*CAT.view, (f"variance.{name}", value)]))})
    with pytest.raises(link.BadLink):
        link.decode(link.encode(bad))


@pytest.mark.parametrize("broken", measure.BROKEN)
def test_the_ends_of_all_sliders_are_drawn(broken):
    for end in (0, 1):
        sliders = measure.SLIDERS.get(broken, ())
        bench = showing(**{name: views.VIEWS[f"variance.{name}"].ends[end] for name in sliders})
        of = measure.components(bench, broken)
        for d_k in a.STOPS:
            expected, found = measure.shape(of, d_k), study(of, d_k)
            assert np.isfinite(expected.share).all()
            assert found.distance < 1.6 * measure.bound(found) or expected.curve == "limit"
            assert drawn.histogram_data(found, expected, Text("variance_assumptions", "en")).num_rows > 50


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_chart_has_its_table_and_description(lang):
    app = opened("variance", lang, showing(broken="correlated"))
    assert len(app.get("vega_lite_chart")) == 3
    for key in ("broken_table", "growth_table", "match_table"):
        app.toggle(key=key).set_value(True)
    app.run()
    assert_well(app)
    rows = measure.bar_rows(study(Components(rho=0.9)), measure.shape(Components(rho=0.9), 64))
    assert all(f"| {' | '.join(row)} |" in said(app) for row in rows)
    for chart in app.get("vega_lite_chart"):
        assert '"description"' in chart.proto.spec
        alt.ConcatChart.from_dict(json.loads(chart.proto.spec) | {"data": {"name": "a"}}, validate=True)


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
def test_charts_fit_every_layout(layout):
    text = Text("variance_assumptions", "en")
    for spec in (drawn.growth_spec(layout, text, (0.25, 64.0)), drawn.match_spec(layout, text),
                 drawn.histogram_spec(layout, text)):  # fmt: skip
        assert max(view["width"] for view in spec["concat"]) * spec["columns"] < charts.ROOM[layout][0]


def test_a_second_visitor_does_not_measure_again_and_no_more_than_affordable_is_drawn(monkeypatch):
    opened("variance", "en", showing(broken="heavy"))

    def fail(*args, **kwargs):
        raise AssertionError("measured again")

    monkeypatch.setattr(a, "draw_products", fail)
    monkeypatch.setattr(a, "measure_products", fail)
    assert_well(opened("variance", "zh", showing(broken="heavy")))
    million = w.Workbench(**{**CAT.__dict__, "variance_draws": w.DRAWS[-1]})
    assert measure.draws(million) == measure.MOST == 100_000
