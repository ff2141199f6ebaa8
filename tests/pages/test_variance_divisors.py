"""The part that compares divisors: what is shown is measured, in both languages; the link carries what is compared."""

import json
import re
from dataclasses import replace

import altair as alt
import numpy as np
import pytest

from attention import saturation
from attention.divisors import divisor
from attention.saturation import ALPHAS, POWERS
from attention.softmax import normalized_entropy, softmax
from tests.pages.reading import assert_well, code, frames, inside, opened, said
from ui import (
    charts,
    link,
    state,
    variance_divisors_charts,
    variance_divisors_frame,
    variance_measure,
    views,
)
from ui import variance_divisors_words as words
from ui.text import LANGUAGES, Text, catalogue
from ui.variance_charts import COLOURS, NAMED, NAMES, evenness
from ui.variance_divisors_frame import OPEN, OUTLINED, SIDES, STOPS, short_name, sized
from ui.workbench import preset

ASKED = views.shown(preset("cat"), "variance.part", "divisors")
CAT = views.shown(ASKED, "variance.guess_alpha", "skip")
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
        wanted = [found.entropy[found.at(d_k, power)][0] for d_k in STOPS]
        np.testing.assert_array_equal(powers[powers["i"] == i]["y"], wanted)
    spread = frame[frame["kind"] == "power_spread"]
    np.testing.assert_array_equal(spread["y"], [found.deviation[found.d_k.index(d_k), 0] for d_k in STOPS])


def entropy_of(found):
    return lambda d_k, name: variance_divisors_frame.entropy(found, d_k, name)


def even_said(found, d_k, name):
    return evenness(found.entropy[found.at(d_k, name)])


def test_the_words_above_a_panel_say_what_was_measured(page, found):
    frame, other = chart(page)
    text = Text("variance_divisors", page.session_state["lang"])
    for kind, said_of in (("spread_word", lambda *at: text("spread_word", spread=sized(found.spread(*at)))),
                          ("entropy_word", lambda *at: text("entropy_word", entropy=even_said(found, *at)))):
        mine = frame[frame["kind"] == kind]
        assert len(mine) == 11 * (3 + 21)
        for d_k in STOPS:
            here = mine[mine["d"] == d_k]
            for side, name in (("none", "none"), ("sqrt", "sqrt"), ("other", other)):
                assert here[here["side"] == side]["text"].tolist() == [said_of(d_k, name)]
            dragged = here[here["side"] == "power"].sort_values("i")
            assert dragged["text"].tolist() == [said_of(d_k, power) for power in POWERS]
    middle, low, high = found.spread(64, "none")
    assert sized(np.array([middle, low, high])) == f"{middle:.3f} ({low:.3f} – {high:.3f})"
    assert middle / 64**ALPHAS[4] == pytest.approx(found.spread(64, POWERS[4])[0])


def test_the_sentences_say_the_measured_numbers(page, found):
    lang, other = page.session_state["lang"], chart(page)[1]
    seen = said(page)
    for name in ("none", "sqrt"):
        for d_k in (4, 4096):
            assert f"{found.entropy[found.at(d_k, name)][0]:.4f}" in seen
    assert "α = 0.5" in seen
    assert "α = ½" in seen
    assert words.why_not(other, found, 64, Text("variance_divisors", lang)) in seen
    assert seen.count(Text("variance_divisors", lang)("intervals")) == 1  # of all that has none beside it
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
    for name in ("none", "sqrt", *words.CHOICES):
        first = re.compile(rf"\| {re.escape(short_name(name))}( =[^|]*)? \|")
        (row,) = filter(first.match, table.splitlines())
        assert sized(found.spread(256, name)) in row
        assert evenness(found.entropy[found.at(256, name)]) in row
    for name in words.CHOICES:
        assert words.why_not(name, found, 256, text) in said(app)


def test_why_not_the_cosine_says_what_bounds_it(found):
    said_ = words.why_not("cosine", found, 64, EN)
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
            spread, even = table[f"÷ d_k^{alpha:.2f}"][2 * row : 2 * row + 2]
            middle = float(spread.partition(" (")[0])
            assert middle == pytest.approx(found.spread(d_k, "none")[0] / d_k**alpha, rel=0.005)
            assert even == evenness(found.entropy[found.at(d_k, power)])


def test_another_draw_language_or_divisor_keeps_the_spec():
    """So that the browser updates the drawn chart, and what was dragged stays."""
    benches = [("en", CAT), ("zh", replace(CAT, variance_seed=1)),
               ("en", views.shown(CAT, "variance.divisor", "fifth"))]  # fmt: skip
    apps = [opened("variance", lang, bench) for lang, bench in benches]
    assert len({app.get("vega_lite_chart")[0].proto.spec for app in apps}) == 1
    assert not frames(apps[0])[0].equals(frames(apps[1])[0])


def test_the_spec_is_vega_lite_and_described():
    for answered, id in ((False, "open_alt"), (True, "alt")):
        spec = variance_divisors_charts.spec("phone", answered)
        alt.VConcatChart.from_dict(spec | {"data": {"name": "a"}}, validate=True)
        for lang in LANGUAGES:
            assert catalogue("variance_divisors", lang)[id] in spec["description"]


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
def test_the_panels_fit(layout):
    spec = variance_divisors_charts.spec(layout, True)
    for row in spec["vconcat"]:
        widths = [each["width"] if "width" in each else each["vconcat"][0]["width"] for each in row["hconcat"]]
        axes = 0 if "vconcat" in row["hconcat"][0] else 34 * len(widths)
        assert sum(widths) + axes + row["spacing"] * (len(widths) - 1) <= charts.ROOM[layout][0]
    assert len(spec["vconcat"]) == (2 if layout in {"xl", "wide"} else 3)


def test_every_divisor_has_a_name_and_a_colour():
    assert set(NAMES) == set(COLOURS) == {*NAMED, "power"}
    assert set(words.CHOICES) == set(NAMES) - {"none", "sqrt", "power"}
    assert set(OUTLINED) <= set(STOPS) <= set(saturation.STOPS)
    assert len(SIDES) == 4


@pytest.mark.parametrize("name", words.CHOICES)
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
    app = opened("variance", "en", views.shown(CAT, "variance.divisor", "cosine"))
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
    assert abs(normalized_entropy(weights).mean() - found.entropy[found.at(64, "sqrt")][0]) < 0.3


@pytest.mark.parametrize("lang", LANGUAGES)
def test_before_the_guess_nothing_gives_the_root_away(lang, found):
    """No panel of √d_k, no curve, no sentence; what the reader drags to is there."""
    app = opened("variance", lang, ASKED)
    assert_well(app)
    (frame,) = frames(app)
    assert set(frame["side"].dropna()) == set(OPEN)
    assert not {"spread", "entropy", "power_entropy", "key"} & set(frame["kind"])
    assert NAMES["sqrt"] not in set(frame["text"].dropna())
    dragged = frame[(frame["kind"] == "spread_word") & (frame["side"] == "power")]
    assert len(dragged) == len(STOPS) * len(POWERS)
    text = Text("variance_divisors", lang)
    for sentence in (words.seen(found, text), words.verdict(found, "skip", text), text("how_measured")):
        assert sentence not in said(app)


@pytest.mark.parametrize(("guess", "how"), [("quarter", "wrong"), ("half", "right"), ("skip", "skip")])
def test_a_guess_is_committed_travels_and_is_judged(found, guess, how):
    app = opened("variance", "en", ASKED)
    app.button_group(key="guess_alpha").set_value(guess).run()
    assert_well(app)
    assert views.get(code(app), "variance.guess_alpha") == guess
    verdict = words.verdict(found, guess, EN)
    assert verdict == EN(f"verdict_{how}", guess="¼", best="½")
    told = [each.value for each in app.markdown]
    assert told.index(EN("question")) < told.index(verdict) < told.index(words.seen(found, EN))
    assert told.index(verdict) < told.index(EN("label_divisor"))  # above the panels, right below the question
    assert set(frames(app)[0]["side"].dropna()) >= set(SIDES)
    spec = json.loads(app.get("vega_lite_chart")[0].proto.spec)
    assert next(each["value"] for each in spec["params"] if each["name"] == "alpha") == words.ANSWERS.get(guess, 0.25)
    # the link says outright where α stands, then and when asked again, lest it be left where it was tried
    assert ALPHAS[views.get(code(app), "variance.divided_alpha")] == words.ANSWERS.get(guess, 0.25)
    with inside(app):
        state.show("variance.tried_alpha", 10)
    app.button(key="guess_alpha_again").click().run()
    assert views.get(code(app), "variance.guess_alpha") == views.get(code(app), "variance.divided_alpha") == ""
    assert ALPHAS[views.get(code(app), "variance.tried_alpha")] == variance_divisors_charts.START_ALPHA


def changed(found, what, column, value, d_k=None):
    """The measurement, had an estimate come out otherwise, at one stop or at all."""
    figures = getattr(found, what).copy()
    s, c = found.at(d_k or 4, column)
    figures[slice(None) if d_k is None else s, c] = value, 0.999 * value, 1.001 * value
    return replace(found, **{what: figures})


@pytest.mark.parametrize(("change", "id"), [
    (None, "root_level"), (None, "root_pointed"), (None, "root_missed_one"), (None, "none_less"), (None, "linear_flat"),
    (("entropy", "sqrt", 0.4, 4096), "root_bent"), (("entropy", "none", 0.9, 4096), "none_more"),
    (("entropy", "none", 0.6, None), "none_same"), (("dead", "linear", 0.2, 4096), "linear_more"),
    (("entropy", "linear", 0.2, 4096), "linear_less"), (("entropy", "linear", 0.9, None), "linear_same"),
])  # fmt: skip
def test_another_outcome_is_another_sentence(found, change, id):
    other = changed(found, *change) if change else found
    for lang in LANGUAGES:
        start = catalogue("variance_divisors", lang)[id].partition("<<")[0].partition("[[")[0]
        said_ = words.seen(other, Text("variance_divisors", lang))
        assert start in said_
        ids = [each for each in catalogue("variance_divisors", lang) if each.startswith(id.partition("_")[0] + "_")]
        spoken = [each for each in ids if sentence(each, lang, other) in said_]
        level = ["root_level", "root_pointed", "root_missed_one"]
        assert spoken == (level if id in level else [id])


def sentence(id, lang, found):
    """What of it does not depend on the numbers: its longest part."""
    whole = re.sub(r"\[\[.*?\]\]", "<<>>", catalogue("variance_divisors", lang)[id])
    return max(re.split(r"<<\w*>>", whole), key=len)


def test_outlines_that_do_not_meet_are_not_said_to(found):
    """Both the spread and the entropy must stay; and a bell that is not more pointed is not called so."""
    deviation = found.deviation.copy()
    deviation[found.d_k.index(4096)] *= 1.3
    assert EN("root_pointed", first=4) not in words.seen(replace(found, deviation=deviation), EN)
    assert "do not quite meet" in words.seen(replace(found, deviation=deviation), EN)
    counts = found.counts.copy()
    counts[found.d_k.index(4)] = 0
    assert "more pointed" not in words.seen(replace(found, counts=counts), EN)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_intervals_that_miss_the_1_of_the_root_are_named(found, lang):
    """With seed 0 one of them does; with others none, or some."""
    text, ids = Text("variance_divisors", lang), ("root_missed_one", "root_missed_some")
    assert list(words.missed(found)) == [64]
    square, _, high = (found.deviation[found.d_k.index(64)] / 8) ** 2
    errors = abs(square - 1) / ((high - square) / 1.959964)
    assert errors == pytest.approx(1.99, abs=0.01)
    assert text("root_missed_one", missed="64", errors=f"{errors:.1f}") in words.seen(found, text)
    deviation = found.deviation.copy()
    deviation[found.d_k.index(128)] = 11.0, 10.9, 11.1
    both = replace(found, deviation=deviation)
    errors = 1.959964 * (1 - 121 / 128) / (11.1**2 / 128 - 121 / 128)
    assert text("root_missed_some", missed="64, 128", errors=f"{errors:.1f}") in words.seen(both, text)
    deviation = deviation.copy()
    deviation[[found.d_k.index(d_k) for d_k in (64, 128)]] = [[8, 7.9, 8.1], [11.3, 11.2, 11.4]]
    fits = words.seen(replace(found, deviation=deviation), text)
    assert not [id for id in ids if sentence(id, lang, found) in fits]


def test_a_largest_weight_has_its_interval(found):
    for name, told in (("linear", words.why_not("linear", found, 64, EN)), ("log", words.compared(found, 64, EN))):
        at = found.at(64, name)
        low, high = found.largest_within[at]
        assert low < found.largest[at] < high
        assert f"{found.largest[at]:.3f} ({low:.3f} – {high:.3f})" in told


def test_the_best_power_is_measured(found):
    """Had the scores spread like d_k, α = 1 would make the outlines meet."""
    deviation = found.deviation * np.sqrt(np.array(found.d_k))[:, None]
    assert words.verdict(replace(found, deviation=deviation), "half", EN) == EN("verdict_wrong", guess="½", best="1")
