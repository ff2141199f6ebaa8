"""How q·k spreads: asked before it is shown, every number the experiment's, in both languages."""

import json
import re
from dataclasses import replace

import altair as alt
import numpy as np
import pytest
from streamlit.runtime.scriptrunner import StopException

from attention import experiment, growing, intervals, small_experiments
from attention.assumptions import Components
from attention.distributions import exact_cdf, normal_cdf
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import charts, link, variance_measure, views
from ui import variance_spread as part
from ui import variance_spread_charts as pictures
from ui import variance_spread_sizes as sizes
from ui import workbench as w
from ui.questions import QUESTIONS
from ui.text import LANGUAGES, Text, catalogue
from ui.variance_charts import estimate, estimated, number, percent

CAT = w.preset("cat")
SEEN = views.shown(CAT, part.GUESS, "skip")
SMALL = views.shown(SEEN, sizes.OPEN, True)  # with the fold open that small experiments are in


@pytest.fixture(scope="module")
def spread():
    return experiment.measure_spread(10_000, seed=0)


@pytest.fixture(scope="module", params=LANGUAGES)
def page(request):
    app = opened("variance", request.param, SMALL)
    assert_well(app)
    return app


# Before a guess.


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_is_given_away_before_a_guess(lang, spread):
    app = opened("variance", lang)
    assert_well(app)
    (frame,) = frames(app)
    assert set(frame["d"].dropna()) == {64}
    assert set(frame["kind"]) == {"bar", "normal", "title", "share", "bars", "steps", "dashes", "stop", "far"}
    everything = said(app) + "\n".join(frame["text"].dropna())
    assert number(spread.variance[experiment.STOPS.index(64)]) not in everything
    assert "Var(q·k) = d_k" not in everything
    assert "(q\\cdot k)=d_k" not in said(app)
    assert Text("variance_spread", lang)("set_up") in said(app)
    shares = spread.counts[experiment.STOPS.index(64)] / 10_000
    np.testing.assert_array_equal(frame.query("kind == 'bar'")["share"], shares)
    outside = np.abs(next(growing.grow_pairs(10_000, (64,), seed=0))) > 10
    (words,) = frame.query("kind == 'far'")["text"]
    assert words == Text("variance_spread", lang)("far", share=percent(outside.mean()), far=10)
    standing = [*frame["text"].dropna(), *(m.value for m in app.markdown)]
    assert not [text for text in standing if re.search(r"(?<![\d.])(8|16|24)(?![\d.])", text)]  # deviations of it


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("guess", "power"), [("same", 0), ("root", 0.5), ("double", 1), ("square", 2)])
def test_a_guess_is_committed_drawn_and_judged_by_what_was_measured(lang, guess, power, spread):
    app = opened("variance", lang)
    app.segmented_control(key="guess_doubled").set_value(guess).run()
    assert_well(app)
    assert views.get(code(app), part.GUESS) == guess
    assert app.segmented_control(key="guess_doubled").disabled
    line = frames(app)[0].query("kind == 'guess'")
    assert line[["d", "y"]].to_numpy().tolist() == [[1, 64 * 64.0**-power], [4096, 64 * 64.0**power]]
    assert frames(app)[0].query("kind == 'named'")["text"].tolist() == [Text("common", lang)("your_guess")]
    bell = frames(app)[0].query("kind == 'guessed'")
    assert set(bell["y"]) == {power}
    np.testing.assert_array_equal(bell[["a", "expected"]], frames(app)[0].query("kind == 'normal'")[["a", "expected"]])
    catalogued = catalogue("variance_spread", lang)
    start = catalogued["doubled_right" if guess == "double" else "doubled_wrong"].split("<<")[0]
    (verdict,) = [m.value for m in app.markdown if m.value.startswith(start)]
    at_64, at_128 = (spread.variance[experiment.STOPS.index(d_k)] for d_k in (64, 128))
    assert f"{at_128 / at_64:.3f}" in verdict
    for value in estimated(*spread.doubling):
        assert value in verdict
    assert catalogued["doubled_off"] not in verdict
    if guess != "double":
        assert f"**{catalogued['doubled_double']}**" in verdict
        assert catalogued[f"not_{guess}"] in verdict
    app.button(key="guess_doubled_again").click().run()
    assert views.get(code(app), part.GUESS) == ""
    assert len(frames(app)) == 1


def test_who_just_wants_to_see_has_no_line_of_his_own(page):
    assert frames(page)[0].query("kind in ['guess', 'named', 'guessed', 'mine']").empty


@pytest.mark.parametrize(("doubling", "guess", "right", "off"), [
    ((2.0, 1.95, 2.05), "double", True, False), ((2.1, 2.05, 2.15), "double", True, True),
    ((1.42, 1.40, 1.44), "double", False, False), ((1.42, 1.40, 1.44), "root", True, False),
    ((3.8, 3.7, 3.9), "square", True, True), ((1.02, 0.98, 1.06), "same", True, False),
])  # fmt: skip
def test_the_verdict_follows_the_measurement_not_the_theory(spread, doubling, guess, right, off):
    text = Text("variance_spread", "en")
    verdict = part.verdict(replace(spread, doubling=doubling), guess, text)
    assert verdict.startswith("**Right.**") == right
    assert (text("doubled_off") in verdict) == off
    reason = catalogue("variance_spread", "en").get(f"not_{guess}", "-")
    assert reason not in verdict, "it is no reason against what was measured"


# The bell, and its variance against d_k.


def test_the_bars_are_the_counts_and_the_steps_what_theory_expects(page, spread):
    bars = frames(page)[0].query("kind == 'bar'")
    for s, d_k in enumerate(experiment.STOPS):
        mine = bars[bars["d"] == d_k]
        np.testing.assert_array_equal(mine["a"], spread.edges[:-1])
        np.testing.assert_array_equal(mine["share"], spread.counts[s] / 10_000)
        expected = np.diff(exact_cdf(Components(), d_k, spread.edges * np.sqrt(d_k)))
        np.testing.assert_allclose(mine["expected"], expected, atol=1e-9)
        if d_k == 2:  # the Laplace distribution: half of exp(−|x|)
            b = spread.edges[18:] * np.sqrt(2)
            np.testing.assert_allclose(mine["expected"].iloc[18:], (np.exp(-b[:-1]) - np.exp(-b[1:])) / 2, atol=1e-9)


def test_the_dashed_curve_is_the_normal_distribution(page, spread):
    curve = frames(page)[0].query("kind == 'normal'")
    mine = curve[np.isin(curve["a"].round(9), (spread.edges[:-1] + 0.15).round(9))]
    assert len(mine) == 18
    np.testing.assert_allclose(mine["expected"], normal_cdf(mine["a"] + 0.125) - normal_cdf(mine["a"] - 0.125))


def test_the_words_above_the_bars_say_the_measured_variance(page, spread):
    words = frames(page)[0].query("kind == 'measured'")
    for s, d_k in enumerate(experiment.STOPS):
        (shown,) = words[words["d"] == d_k]["text"]
        for value in estimated(spread.variance[s], spread.low[s], spread.high[s]):
            assert value in shown
        assert f"{d_k:,}" in shown


def test_the_points_are_the_measured_variances(page, spread):
    points = frames(page)[0].query("kind == 'point'")
    for side, over in (("curve", np.ones(24)), ("ratio", np.array(spread.d_k))):
        mine = points[points["side"] == side]
        assert mine["d"].tolist() == list(experiment.STOPS)
        for column, values in (("y", spread.variance), ("low", spread.low), ("high", spread.high)):
            np.testing.assert_array_equal(mine[column], values / over)


def test_the_lines_are_the_formula(page):
    lines = frames(page)[0].query("kind == 'theory'")
    assert lines[lines["side"] == "curve"][["d", "y"]].to_numpy().tolist() == [[1, 1], [4096, 4096]]
    assert set(lines[lines["side"] == "ratio"]["y"]) == {1.0}


def test_the_sentence_says_how_many_intervals_hold_the_prediction(page, spread):
    held = sum(low <= d <= high for d, low, high in zip(spread.d_k, spread.low, spread.high, strict=True))
    assert 12 <= held < 24
    every = dict(zip(("every", "every_low", "every_high"), estimated(*(2**p for p in spread.power)), strict=True))
    text, factor = Text("variance_spread", page.session_state["lang"]), estimated(*spread.doubling)[0]
    wider = f"{np.sqrt(spread.variance[spread.d_k.index(128)] / spread.variance[spread.d_k.index(64)]):.2f}"
    sentence = text("see_spread", stops=24, first=64, factor=factor, wider=wider, **every)
    (seen,) = [m.value for m in page.markdown if m.value.startswith(sentence)]
    assert seen.endswith(text("held_few", held=held, stops=24, usual=23))
    slope = np.polyfit(np.log2(spread.d_k), np.log2(spread.variance), 1)[0]
    assert f"{2**slope:.4f}" == every["every"]


@pytest.mark.parametrize(("misses", "few"), [(0, False), (3, False), (4, True), (12, True)])
def test_why_intervals_miss_is_said_where_many_do(spread, misses, few):
    """That 23 of 24 is what to expect, the coverage of these intervals is tested in tests/core/test_intervals.py."""
    d_k = np.array(spread.d_k, dtype=float)
    low = np.where(np.arange(24) < misses, d_k + 0.5, d_k - 0.5)
    for lang in LANGUAGES:
        text = Text("variance_spread", lang)
        said = part.seen(replace(spread, low=low, high=low + 1), text)
        assert (text("held_few", held=24 - misses, stops=24, usual=23) in said) == few
        assert (text("held_most", held=24 - misses, stops=24) in said) != few


def test_the_widths_are_the_roots_of_the_measured_variances(page, spread):
    widths = frames(page)[0].query("kind == 'width'")
    np.testing.assert_allclose(widths["y"], np.sqrt(spread.variance))
    words = dict(zip(widths["d"], widths["text"], strict=True))
    variance, root = spread.variance[spread.d_k.index(128)], np.sqrt(spread.variance[spread.d_k.index(128)])
    assert words[128] == f"±√{variance:.1f} = ±{root:.2f}"


def test_outside_counts_what_the_axis_at_that_d_k_leaves_out(page, spread):
    """The axis reaches to 2.5 standard deviations of the widest bell that it shows."""
    counts = {d_k: int(count) for d_k, count in zip(spread.d_k, spread.beyond, strict=True) if count}
    said = frames(page)[0].query("kind == 'outside'")
    assert dict(zip(said["d"], said["text"], strict=True)) == {
        d_k: Text("variance_spread", page.session_state["lang"])("outside", count=f"{count:,}")
        for d_k, count in counts.items()
    }
    for d_k, reach in ((16, 10), (256, 40), (4096, 160)):
        assert experiment.reach(d_k) == reach == 2.5 * np.sqrt(d_k)
        inside = spread.counts[spread.d_k.index(d_k)][8:28].sum()  # bars from −2.5 to 2.5
        assert spread.beyond[spread.d_k.index(d_k)] == pytest.approx(10_000 - inside, abs=1)
    (reach,) = [p["expr"] for p in json.loads(page.get("vega_lite_chart")[0].proto.spec)["params"]
                if p["name"] == "reach"]  # fmt: skip
    assert reach == "dk <= 16 ? 10 : dk <= 256 ? 40 : 160"


# How many pairs it takes.


def test_every_experiment_is_shown_with_its_own_interval(page, spread):
    ones = frames(page)[1].query("kind == 'one'")
    assert len(ones) == sum(len(each.variance) for each in spread.trials)
    labels = [sizes.size_of(each) for each in sizes.sizes(spread)]
    assert labels == ["2 × 2", "4", "1 × 6", "6", "10", "20", "50", "100", "200", "10,000"]
    for each in spread.trials:
        mine = ones[(ones["d"] == each.d_k) & (ones["s"] == 1 + labels.index(sizes.size_of(each)))]
        assert mine["r"].tolist() == list(range(1, len(each.variance) + 1))
        for column in ("variance", "low", "high"):
            np.testing.assert_array_equal(mine["y" if column == "variance" else column], getattr(each, column))
        np.testing.assert_array_equal(mine["hit"], (each.low <= each.d_k) & (each.d_k <= each.high))
        for text, *values in zip(mine["text"], each.variance, each.low, each.high, strict=True):
            for value in estimated(*values):
                assert value in text
        assert (mine["low"] < mine["high"]).all()


def test_the_band_and_how_often_the_interval_is_right_are_measured(page, spread):
    frame, lang = frames(page)[1], page.session_state["lang"]
    text = Text("variance_spread", lang)
    for each in spread.trials:
        mine = frame[(frame["d"] == each.d_k) & (frame["n"] == each.size) & (frame["paired"] == (not each.by_hand))]
        assert mine[mine["kind"] == "band"][["low", "high"]].to_numpy().tolist() == [list(each.band)]
        says = mine[mine["kind"] == "covers"]["text"].tolist()
        share = percent(each.covered / each.count)
        assert says == ([text("covers", share=share, count=f"{each.count:,}")] if each.count > 1 else [])
        above = (each.variance > 4 * each.d_k).sum()
        assert mine[mine["kind"] == "beyond"]["text"].tolist() == ([text("beyond", count=above)] if above else [])
    arrays, four = spread.trials[:2]
    assert (arrays.d_k, arrays.by_hand, four.d_k, four.size, four.by_hand) == (2, (2, 2), 2, 4, None)
    assert sizes.band(arrays) == tuple(f"{end:.2f}" for end in arrays.band)
    words = next(m.value for m in page.markdown if "2 × 2" in m.value and "95%" in m.value)
    for value in (*sizes.band(arrays), *(percent(each.covered / each.count) for each in (arrays, four))):
        assert value in words


@pytest.mark.parametrize(("shared", "apart", "said"), [
    (0.45, 0.55, "few_shared"), (0.55, 0.55, "few"), (0.54, 0.55, "few"), (0.45, 0.90, "shared_few"),
])  # fmt: skip
def test_causes_are_told_in_the_order_of_what_was_measured(spread, shared, apart, said):
    arrays, four = (replace(spread.trials[0], covered=round(2500 * share)) for share in (shared, apart))
    assert sizes.cause(arrays, four) == said
    changed = replace(spread, trials=(arrays, replace(four, by_hand=None), *spread.trials[2:]))
    text = Text("variance_spread", "en")
    assert catalogue("variance_spread", "en")[f"cause_{said}"].split("<<")[0] in sizes.said(changed, text)


def test_the_table_gives_every_size_and_intervals_of_the_shares(spread):
    table = sizes.as_table(spread, Text("variance_spread", "en")).splitlines()
    assert len(table) == 2 + len(spread.trials)
    low, high = intervals.share_interval(spread.trials[0].covered, 2500)
    assert f"({percent(low)} – {percent(high)})" in table[2]


def test_small_experiments_are_folded_until_asked_for():
    app = opened("variance", "en", SEEN)
    assert_well(app)
    assert len(frames(app)) == 1
    assert Text("variance_spread", "en")("why_sizes") not in said(app)
    assert not views.get(code(app), sizes.OPEN)


def test_the_question_about_2_by_2_arrays_opens_this_picture(page, spread):
    door = QUESTIONS[5]
    bench = door.bench()
    for name, value in door.shows.items():
        bench = views.shown(bench, name, value)
    app = opened("variance", "zh", bench)
    assert_well(app)
    assert len(frames(app)) == 2
    assert door.at == "spread_sizes"
    assert [door.facts(bench)[end] for end in ("low", "high")] == list(sizes.band(spread.trials[0]))


# Draws, links, languages.


def test_drawing_again_changes_the_numbers_and_the_link_and_can_be_undone():
    app = opened("variance", "en", SEEN)
    before = frames(app)
    app.button(key="draw_again").click().run()
    assert_well(app)
    assert code(app).variance_seed == 1
    assert not any(now.equals(then) for now, then in zip(frames(app), before, strict=True))
    app.button(key="undo").click().run()
    assert code(app).variance_seed == 0
    assert all(now.equals(then) for now, then in zip(frames(app), before, strict=True))


def test_a_link_opens_the_very_draw_and_more_pairs_allow_larger_experiments():
    app = opened("variance", "zh", replace(SMALL, variance_seed=42))
    app.select_slider(key="variance_draws").set_value(20_000).run()
    assert_well(app)
    spread = experiment.measure_spread(20_000, seed=42)
    points = frames(app)[0].query("kind == 'point' and side == 'curve'")
    np.testing.assert_array_equal(points["y"], spread.variance)
    assert app.number_input(key="variance_seed").value == 42
    assert frames(app)[1]["n"].dropna().unique().tolist() == [4, 6, 10, 20, 50, 100, 200, 500, 20_000]
    spec = json.loads(app.get("vega_lite_chart")[1].proto.spec)
    (names,) = [param["bind"]["labels"] for param in spec["params"] if param["name"] == "step"]
    assert names[-2:] == ["500", "20,000"]


@pytest.mark.parametrize("fields", [
    {"variance_seed": -1}, {"variance_seed": 10_000}, {"variance_seed": True}, {"variance_draws": 10},
    {"variance_draws": 20_000.0}, {"variance_draws": 10**9}, {"variance_draws": "10000"},
])  # fmt: skip
def test_a_link_cannot_ask_for_more_than_the_controls(fields):
    with pytest.raises(link.BadLink):
        link.decode(link.encode(replace(CAT, **fields)))


def test_another_language_or_draw_or_guess_keeps_the_sliders():
    """The specs depend on the layout and the number of pairs alone: the browser updates the charts in place."""
    en = opened("variance", "en", SMALL)
    zh = opened("variance", "zh", replace(views.shown(SMALL, part.GUESS, "root"), variance_seed=1))
    specs = [[chart.proto.spec for chart in app.get("vega_lite_chart")] for app in (en, zh)]
    assert specs[0] == specs[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_chart_has_its_table_and_description_and_nothing_is_left_unfilled(lang):
    asking, app = opened("variance", lang), opened("variance", lang, SMALL)
    for page, keys in ((asking, ["first_table"]), (app, ["spread_table", "sizes_table"])):
        for key in keys:
            page.toggle(key=key).set_value(True)
        page.run()
        assert_well(page)
        assert len(page.dataframe) == 1
        assert "<<" not in said(page)
        assert not [text for frame in frames(page) for text in frame["text"].dropna() if "<<" in text]
        for chart in page.get("vega_lite_chart"):
            assert '"description"' in chart.proto.spec
    assert len([m for m in app.markdown if m.value.startswith("| d_k |")]) == 2


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_folds_say_why_and_how_much_was_measured(lang, spread):
    app = opened("variance", lang, replace(SEEN, variance_seed=3))
    assert "m_2^2" not in said(app)
    for fold in ("spread_why", "spread_how"):
        app.session_state[fold] = True
    app.run()
    assert_well(app)
    (why,) = [m.value for m in app.markdown if "begin{aligned}" in m.value]
    assert "d_k}{d_k} = 1" in why
    (how,) = [m.value for m in app.markdown if "m_2^2" in m.value]
    for value in ("10,000", "64", "24", f"{small_experiments.REPEATS:,}", str(small_experiments.LEAST)):
        assert value in how
    assert re.search(r"(seed|种子) 3\b", how)


def test_the_tables_hold_the_measured_numbers(spread):
    text = Text("variance_spread", "en")
    assert (part.counts_table(spread, text, spread.d_k).iloc[:, 1:].sum() == 10_000).all()
    row = part.estimates_table(spread, text).splitlines()[2 + experiment.STOPS.index(64)]
    s = experiment.STOPS.index(64)
    estimates = [spread.variance[s], spread.low[s], spread.high[s]]
    for values in (estimates, np.sqrt(estimates), np.divide(estimates, 64)):
        assert estimate(*values) in row
    assert estimate(spread.mean[s], spread.mean[s] - spread.mean_error[s], spread.mean[s] + spread.mean_error[s]) in row
    assert "…" not in row
    assert "-" not in row


def test_a_second_visitor_does_not_measure_again(monkeypatch):
    opened("variance")

    def fail(*args, **kwargs):
        raise AssertionError("measured again")

    monkeypatch.setattr(experiment, "measure_spread", fail)
    assert_well(opened("variance", "zh"))


def test_a_measurement_is_given_up_when_its_visitor_leaves_and_hands_on_its_turn():
    """Thirty that went on unseen held 2 GB."""

    class Left:
        def progress(self, share, words):
            if share > 0.5:
                raise StopException

    report = variance_measure.progress(Left(), Text("variance", "en"))
    for _ in range(3):
        with pytest.raises(StopException):
            variance_measure.measured_pairs(4321, 500_000, report)
    variance_measure.measured_pairs(4321, 10_000, lambda share: None)


def test_only_so_many_measure_at_a_time_and_who_waits_may_leave():
    told = []

    def leave(share):
        told.append(share)
        raise StopException

    with variance_measure.turn(leave), variance_measure.turn(leave), pytest.raises(StopException):
        variance_measure.measured_pairs(4322, 10_000, leave)
    assert told == [0.0]


# Specs.


@pytest.mark.parametrize("which", range(2))
def test_the_specs_are_vega_lite(page, which):
    spec = json.loads(page.get("vega_lite_chart")[which].proto.spec)
    alt.ConcatChart.from_dict(spec | {"data": {"name": "a"}}, validate=True)


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
def test_charts_fit_every_layout(layout):
    def widths(node):
        if isinstance(node, dict):
            yield from ([node["width"]] if isinstance(node.get("width"), int) else [])
            for each in node.values():
                yield from widths(each)
        elif isinstance(node, list):
            for each in node:
                yield from widths(each)

    for spec in (pictures.spec(layout), pictures.first_spec(layout), sizes.spec(layout, ("2 × 2", "4"))):
        assert max(widths(spec)) * spec["columns"] < charts.ROOM[layout][0]
