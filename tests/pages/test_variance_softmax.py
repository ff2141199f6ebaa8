"""Random rows on the √d_k page: no answer before the guess, and every number and sentence is the measurement's."""

import json
import math
from dataclasses import replace

import altair as alt
import numpy as np
import pytest

from attention import responses, saturation, softmax, softmax_jacobian
from attention.saturation import COLUMNS
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import charts, link, variance_measure, views
from ui import variance_softmax_charts as figures
from ui import variance_softmax_frame as frame
from ui import variance_softmax_words as words
from ui import workbench as w
from ui.text import LANGUAGES, Text
from ui.variance_charts import NAMES, estimate, estimated_share, number, percent
from ui.variance_softmax import numbers

CAT = w.preset("cat")


def showing(bench=CAT, **shown):
    for name, value in {"part": "softmax", **shown}.items():
        bench = views.shown(bench, f"variance.{name}", value)
    return bench


@pytest.fixture(scope="module")
def measured():
    """What the page measures once; tests/core holds it to formulas."""
    return variance_measure.measured_rows(0, lambda share: None)


@pytest.fixture(scope="module", params=LANGUAGES)
def page(request):
    app = opened("variance", request.param, showing(guess_dead=40))
    assert_well(app)
    return app


def at(measured, d_k, column="none"):
    return measured.at(d_k, column)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_before_the_guess_nothing_gives_it_away(lang, measured):
    """No curve, no row beyond d_k = 64; but what dead means, on one row that is and one that is not."""
    app = opened("variance", lang, showing())
    assert_well(app)
    (data,) = frames(app)
    assert set(data["kind"]) == {"row", "title_rows", "count"}
    assert data["d"].max() == 64
    assert data[["dead", "entropy", "median", "tip"]].isna().all(axis=None)
    assert percent(measured.dead[at(measured, 512)][0]) not in said(app)
    scores = measured.scores[measured.d_k.index(64)]
    norms = np.linalg.norm(softmax_jacobian(softmax(scores)), axis=(1, 2))
    alive, dead = scores[norms >= saturation.DEAD][0], scores[norms < saturation.DEAD][0]
    for row in (alive, dead):
        p = np.sort(softmax(row))[::-1]
        norm = np.linalg.norm(softmax_jacobian(p))
        assert f"| {p[0]:.3f}, {p[1]:.3f}, {p[2]:.3f} … |" in said(app)
        raised = row.copy()
        raised[np.argsort(row)[-2]] += 0.1
        moved = abs(softmax(raised) - softmax(row)).max()
        assert f"| {moved:.4f} | {norm:.3f} |" in said(app)


def test_a_guess_is_committed_travels_and_can_be_taken_back():
    app = opened("variance", "en", showing())
    app.slider(key="guess_dead").set_value(33).run()
    assert views.get(code(app), "variance.guess_dead") == ""
    app.button(key="guess_dead_commit").click().run()
    assert_well(app)
    assert views.get(code(app), "variance.guess_dead") == 33
    assert "33%" in said(app)
    (data,) = frames(app)
    (mark,) = data[data["kind"] == "guess"].to_dict("records")
    assert (mark["d"], mark["dead"], mark["text"]) == (512, 0.33, Text("common", "en")("your_guess"))
    app.button(key="guess_dead_again").click().run()
    assert views.get(code(app), "variance.guess_dead") == ""
    app.button(key="guess_dead_skip").click().run()
    assert "guess" not in set(frames(app)[0]["kind"])


def test_where_d_k_was_dragged_while_guessing_is_kept_apart_from_after_the_guess():
    def dragged(**shown):
        app = opened("variance", "en", showing(open_d_k=3, **shown))
        assert_well(app)
        (slider,) = [param["bind"] for param in json.loads(app.get("vega_lite_chart")[0].proto.spec)["params"]
                     if param["name"] == "log2_dk"]  # fmt: skip
        told = [json.loads(each.proto.json) for each in app.get("bidi_component") if '"places"' in each.proto.json]
        return [(each["name"], each["places"]["log2_dk"]) for each in told], slider

    told, slider = dragged()
    assert told == [("softmax_open", 3)]
    most = round((slider["max"] - slider["min"]) / slider["step"])
    assert [views.VIEWS["variance.open_d_k"].fits(place) for place in (0, most, most + 1)] == [True, True, False]
    assert dragged(guess_dead="skip")[0] == [("softmax", "")]


@pytest.mark.parametrize(("off", "how"), [
    (0, "right"), (3, "near"), (-4, "near"), (-20, "more"), (20, "fewer"), (None, "skip"),
])  # fmt: skip
def test_the_verdict_is_the_measurements(measured, off, how):
    share, low, high = measured.dead[at(measured, 512)]
    guess = "skip" if off is None else round(100 * share) + off
    low, high = percent(low), percent(high)
    for lang in LANGUAGES:
        text = Text("variance_softmax", lang)
        wanted = text(f"verdict_{how}", guess=f"{guess}%", share=percent(share), within=f"{low} – {high}", rows="4,000")
        assert words.verdict(measured, guess, text) == wanted


def test_the_curves_are_the_measurement(page, measured):
    (data,) = frames(page)
    curves = data[data["kind"] == "curve"]
    drawn = [(name, name, None) for name in ("none", "sqrt", "linear")]
    drawn += [(f"power_{alpha:.2f}", "power", step) for step, alpha in enumerate(saturation.ALPHAS)]
    assert len(curves) == 24 * len(drawn)
    for column, name, step in drawn:
        mine = curves[(curves["side"] == NAMES[name]) & (curves["a"].isna() if step is None else curves["a"] == step)]
        c = COLUMNS.index(column)
        assert mine["d"].tolist() == list(measured.d_k)
        for what in frame.MEASURES:
            named = [what, f"{what}_low", f"{what}_high"]
            np.testing.assert_array_equal(mine[named], getattr(measured, what)[:, c])
        np.testing.assert_array_equal(mine[["q5", "q25", "q75", "q95"]], measured.quantiles[:, c])


def test_the_dozen_are_the_first_rows(page, measured):
    data = frames(page)[0].query("kind == 'row'")
    assert len(data) == 25 * frame.ROWS
    for n in (0, 0.5, 4.5, 12):
        mine = data[data["n"] == n]
        s = measured.d_k.index(round(2**n))
        np.testing.assert_array_equal(mine[list(frame.SCORES)], measured.scores[s, : frame.ROWS])
    assert measured.n_keys == frame.KEYS


def test_the_numbers_below_are_said_as_measured(page, measured):
    s, c = at(measured, 512)
    (mine,) = frames(page)[0].query("kind == 'curve' and d == 512 and side == 'q·k'").to_dict("records")
    assert mine["t_median"] == estimate(*measured.median[s, c])
    assert mine["t_dead"] == estimated_share(*measured.dead[s, c])
    told = frame.cells(measured, 512, "none")
    assert all(told[what] in mine["tip"] for what in ("entropy", "dead", "median", "band", "mean"))


def test_the_sentences_say_the_measured_numbers_and_verdicts(page, measured):
    for d_k, told in ((512, ("dead", "mean", "few")), (16, ("dead", "median", "mean", "few"))):
        assert all(frame.cells(measured, d_k, "none")[what] in said(page) for what in told)
    at_512 = at(measured, 512, "linear")
    assert estimate(measured.largest[at_512], *measured.largest_within[at_512]) in said(page)
    assert "71%" in said(page)
    text = Text("variance_softmax", page.session_state["lang"])
    for sentence in words.findings(measured, text, words.facts(measured, 0)):
        assert sentence in said(page)
    assert text("dead_is", few=12, limit="0.01") in said(page)
    assert "<<" not in said(page)


def changed(measured, what, one, value):
    """The measurement, had it come out otherwise."""
    figures = getattr(measured, "few_within" if what == "few" else what).copy()
    if what == "few":
        figures[one] = (0.99 * value, 1.01 * value)
        return replace(measured, few_within=figures)
    figures[one] = (value, 0.99 * value, 1.01 * value)
    return replace(measured, **{what: figures})


@pytest.mark.parametrize(("what", "d_k", "column", "value", "id"), [
    ("dead", 512, "none", 0.3, "high_less"), ("dead", 512, "none", 0.5, "high_same"),
    ("dead", 512, "none", 0.9, "high_more"), ("median", 16, "none", 0.1, "low_less"),
    ("median", 16, "none", 0.3575, "low_same"), ("median", 16, "none", 0.9, "low_few"),
    ("dead", 16, "none", 0.6, "low_more"), ("mean", 512, "none", 0.5, "mean_agrees"),
    ("median", 512, "none", 2.0, "mean_agrees"), ("dead", 512, "none", 0.3, "mean_parts"),
    ("few", 512, "none", 0.01, "mean_parts"), ("few", 512, "none", 0.2, "mean_hides"),
    ("median", 64, "sqrt", 0.5, "sqrt_bent"), ("entropy", 64, "sqrt", 0.5, "sqrt_bent"),
    ("median", 512, "linear", 0.5, "linear_keeps"), ("entropy", 512, "linear", 0.5, "linear_keeps"),
    ("dead", 512, "linear", 0.2, "linear_keeps"),
])  # fmt: skip
def test_another_outcome_is_another_sentence(measured, what, d_k, column, value, id):
    other = changed(measured, what, at(measured, d_k, column), value)
    for lang in LANGUAGES:
        text = Text("variance_softmax", lang)
        facts = words.facts(other, 0)
        assert text(id, **facts) in "\n".join(words.findings(other, text, facts))


def test_other_draws_are_measured_and_judged_anew(measured):
    app = opened("variance", "zh", showing(replace(CAT, variance_seed=1), guess_dead="skip"))
    assert_well(app)
    other = variance_measure.measured_rows(1, lambda share: None)
    assert other.mean[at(other, 512)][0] != measured.mean[at(measured, 512)][0]
    text = Text("variance_softmax", "zh")
    assert words.verdict(other, "skip", text) in said(app)
    assert words.findings(other, text, words.facts(other, 1))[1] in said(app)


def test_divisors_are_chosen_travel_and_are_no_edits():
    app = opened("variance", "en", showing(guess_dead="skip"))
    steps = len(app.session_state["lab"]["undo"])
    assert "softmax_shown" not in {group.key for group in app.button_group}  # folded
    app.session_state["softmax_others"] = True
    app.run()
    app.button_group(key="softmax_shown").set_value(["cosine", "none", "log"]).run()
    assert_well(app)
    assert views.get(code(app), "variance.shown_divisors") == ("none", "log", "cosine")
    assert len(app.session_state["lab"]["undo"]) == steps
    curves = frames(app)[0].query("kind == 'curve' and a != a")
    assert set(curves["side"]) == {NAMES[name] for name in ("none", "log", "cosine")}
    assert curves[curves["side"] == NAMES["log"]]["d"].min() == 2  # ln 1 = 0 divides nothing
    again = opened("variance", "zh", code=link.encode(code(app)))
    assert set(frames(again)[0].query("kind == 'curve' and a != a")["side"]) == set(curves["side"])
    again.button_group(key="softmax_shown").set_value([]).run()  # a link that chose is unfolded
    app.button_group(key="softmax_shown").set_value([]).run()
    assert_well(app)
    assert set(frames(app)[0].query("kind == 'curve'")["side"]) == {NAMES["power"]}


def test_hard_words_are_folded(page):
    assert not [word for word in ("Wilson", "威尔逊", "Frobenius", "弗罗贝尼乌斯") if word in said(page)]


def test_the_largest_gradient_of_a_tie_is_what_the_fold_says(measured):
    """Two keys at right angles with half the weight each, of length √d_k: ‖∂p/∂q‖ = √d_k / 2."""
    _, _, gradient = responses.row_responses([[0.0, 0.0]], [512 * np.eye(2)])
    assert gradient == pytest.approx(math.sqrt(512) / 2)
    assert words.facts(measured, 0)["tie"] == number(gradient[0])


def test_the_table_has_every_stop(measured):
    text = Text("variance_softmax", "en")
    table = numbers(measured, ("none", "log"), text)
    assert len(table) == 24 + 23
    (row,) = table[(table["d_k"] == 64) & (table["scores"] == NAMES["log"])].to_dict("records")
    assert row["mean gradient"] == estimate(*measured.mean[at(measured, 64, "log")])


def test_another_draw_language_or_guess_keeps_what_was_dragged():
    """The spec depends on the layout and the room for numbers alone: the browser updates the chart in place."""
    other = showing(replace(CAT, variance_seed=1), guess_dead=7, shown_divisors=("cosine",))
    benches = [showing(guess_dead="skip"), other]
    apps = [opened("variance", lang, bench) for lang, bench in zip(LANGUAGES, benches, strict=True)]
    one, other = (app.get("vega_lite_chart")[0].proto.spec for app in apps)
    assert one == other


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
def test_the_charts_are_vega_lite_described_and_fit(layout):
    for spec in (figures.open_spec(layout), figures.spec(layout, 4)):
        assert spec["description"]
        if layout == "phone":  # they differ in sizes alone
            alt.ConcatChart.from_dict(spec | {"data": {"name": "a"}}, validate=True)
    pictures, numbers_ = figures.spec(layout, 4)["concat"]
    room = charts.ROOM[layout][0]
    line = pictures["concat"][: pictures["columns"]]
    taken = sum(view["width"] for view in line) + (len(line) - 1) * pictures["spacing"]
    assert taken + (len(line) - 1) * figures.AXIS <= room
    assert numbers_["width"] < room


def test_a_second_visitor_does_not_measure_again(monkeypatch):
    opened("variance", "en", showing(guess_dead="skip"))

    def fail(*args, **kwargs):
        raise AssertionError("measured again")

    monkeypatch.setattr(saturation, "measure_saturation", fail)
    assert_well(opened("variance", "zh", showing(guess_dead=12)))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_fold_says_how_it_was_measured_and_what_other_limits_would_say(lang, measured):
    app = opened("variance", lang, showing(guess_dead="skip"))
    app.session_state["softmax_details"] = True
    app.run()
    assert_well(app)
    assert all(percent(value, 1) in said(app) for value in measured.below[at(measured, 512)])
    assert any(word in said(app) for word in ("Wilson", "威尔逊"))
