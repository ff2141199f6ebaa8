"""Whether training stalls without √d_k: the runs on screen are the core's, and every sentence is chosen by them."""

from __future__ import annotations

import gc
import math
import re
import weakref
from dataclasses import replace
from itertools import cycle
from statistics import median
from types import SimpleNamespace

import numpy as np
import pytest

from attention import training
from attention.training import Setting, Training
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import (
    training_runs,
    training_turns,
    variance_training,
    variance_training_charts,
    variance_training_growth,
    variance_training_words,
    views,
)
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue
from ui.training_runs import RATE_AT_FIRST, Series
from ui.variance_charts import number

LARGEST, STEPS, SEEDS = 5, 20, 2
PART = views.shown(w.preset("cat"), "variance.part", "training")
SHOWN = views.shown(PART, "variance.guess_trains", "skip")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Short runs of small models, all of them in one moment."""
    monkeypatch.setattr(training, "D_K", (2, 3, LARGEST))
    monkeypatch.setattr(training, "STEPS", STEPS)
    monkeypatch.setattr(training_runs, "SEEDS", SEEDS)
    monkeypatch.setattr(training_turns, "MOMENT", 60.0)
    monkeypatch.setattr(training_turns, "SHARE", 1.0)
    training_runs.shared.clear()
    variance_training_charts.spec.cache_clear()
    yield
    training_runs.shared.clear()
    variance_training_charts.spec.cache_clear()


def press(app):
    return app.button(key="training_start").click().run()


def alone(d_k, scale, seed, optimizer="adam", rate=None):
    """A run of the core's."""
    run = Training(Setting(d_k, scale, optimizer, seed, rate))
    for _ in range(STEPS):
        run.step()
    return run


def curves(app, d_k, letter):
    data = frames(app)[-1]
    data = data[data["d"] == d_k].sort_values("step")
    return data[[f"{letter}{k}" for k in range(SEEDS)]].to_numpy().T


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("measure", training_runs.MEASURES)
def test_the_curves_are_the_cores(lang, measure):
    app = press(opened("variance", lang, views.shown(SHOWN, "variance.measure", measure)))
    assert_well(app)
    for d_k in training.D_K:
        for scale, letter in (("sqrt", "s"), ("none", "n")):
            expected = [getattr(alone(d_k, scale, seed), measure) for seed in range(SEEDS)]
            np.testing.assert_allclose(curves(app, d_k, letter), expected, rtol=1e-6)
    data = frames(app)[-1]
    np.testing.assert_allclose(data["sm"], data[["s0", "s1"]].median(axis=1), rtol=1e-6)
    assert catalogue("variance_training", lang)[f"see_{measure}"].split("[[")[0] in said(app)


def test_other_seeds_and_the_other_optimizer_are_other_runs():
    bench = views.shown(replace(SHOWN, variance_seed=3), "variance.optimizer", "sgd")
    app = press(opened("variance", bench=bench))
    expected = [alone(3, "none", seed, "sgd").loss for seed in (6, 7)]
    np.testing.assert_allclose(curves(app, 3, "n"), expected, rtol=1e-6)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_another_rate_is_another_run_and_keeps_what_was_trained(lang):
    app = press(opened("variance", lang, SHOWN))
    at_first = curves(app, LARGEST, "n")
    app.button_group(key="training_rate").set_value(4).run()
    assert_well(app)
    assert views.get(code(app), "variance.rate") == 4
    assert training_runs.shared().begun("adam", 0)[1].grown == 0  # nobody has asked for these
    assert np.isnan(curves(app, LARGEST, "n")).all()
    assert app.button(key="training_start").label == Text("variance_training", lang)("start")
    press(app)
    expected = [alone(LARGEST, "none", seed, rate=0.03).loss for seed in range(SEEDS)]
    np.testing.assert_allclose(curves(app, LARGEST, "n"), expected, rtol=1e-6)
    assert {each.which_rate for each in training_runs.shared().begun("adam", 0)} == {RATE_AT_FIRST, 4}
    assert re.search("0.003[:：] ?.* / .*0.03[:：] ?.* / ", said(app))  # the two are compared
    app.button_group(key="training_rate").set_value(RATE_AT_FIRST).run()
    np.testing.assert_array_equal(curves(app, LARGEST, "n"), at_first)
    assert app.button(key="training_start").disabled


def test_the_question_is_about_the_rate_given_at_first():
    bench = views.shown(views.shown(PART, "variance.guess_trains", "fast"), "variance.rate", 0)
    app = press(opened("variance", bench=bench))
    text = Text("variance_training", "en")
    assert "rate 0.003:" in app.button_group(key="guess_trains").label
    assert text("elsewhere", guess=text("guess_fast"), given="0.003", rate="0.0003", answer="") in said(app)
    assert text("your_guess") not in app.get("vega_lite_chart")[-1].proto.spec


def test_every_rate_can_be_chosen_and_the_one_at_first_is_the_cores():
    view = views.VIEWS["variance.rate"]
    for optimizer, rates in training.RATES.items():
        assert view.ends == (0, len(rates) - 1)
        assert rates[view.default] == rates[RATE_AT_FIRST] == training.LEARNING_RATES[optimizer]


FINDS = {"zh": ("**不除**", "**梯度**", "**不是每种大小", "**文章在这里"),
         "en": ("**Without it**", "**The gradient**", "**Not at every size", "**The claim")}  # fmt: skip


@pytest.mark.parametrize(("measure", "lang"), list(zip(training_runs.MEASURES, cycle(LANGUAGES), strict=False)))
def test_nothing_without_the_root_is_sent_before_a_guess(lang, measure):
    """At any d_k it would tell how the largest fares; runs are shared, so somebody may have trained."""
    series = training_runs.shared().of("adam", 0)
    while series.advance():
        pass
    app = opened("variance", lang, views.shown(PART, "variance.measure", measure))
    app.toggle(key="training_table").set_value(True).run()
    assert_well(app)
    text = Text("variance_training", lang)
    for frame in frames(app):
        assert not [name for name in frame.columns if name.startswith("n")]
    assert not np.isnan(curves(app, LARGEST, "s")).any()
    table = next(m.value for m in app.markdown if "| d_k |" in m.value)
    assert [line.split("|")[2].strip() for line in table.splitlines() if line.startswith("| ")][2:] == ["√d_k"] * 3
    sentences = said(app).replace(table, "")
    assert text("only_scaled") in sentences
    assert text("compare") not in sentences
    assert not [each for each in FINDS[lang] if each in sentences]

    app.button_group(key="guess_trains").set_value("skip").run()
    assert not np.isnan(curves(app, LARGEST, "n")).any()
    assert text("compare") in said(app)
    assert all(each in said(app) for each in FINDS[lang][:2])  # the others need more than these few steps


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_guess_is_answered_and_can_be_taken_back(lang):
    app = press(opened("variance", lang, PART))
    app.button_group(key="guess_trains").set_value("fast").run()
    assert_well(app)
    assert views.get(code(app), "variance.guess_trains") == "fast"
    assert not np.isnan(curves(app, LARGEST, "n")).any()
    assert app.button_group(key="guess_trains").disabled  # committed
    ends = [float(np.mean(alone(LARGEST, "none", seed).loss[-10:])) for seed in range(SEEDS)]
    middle, least, most = (number(each(ends)) for each in (median, min, max))
    range_ = f"{middle}（2 个种子：{least} 到 {most}）" if lang == "zh" else f"{middle} (2 seeds: {least} to {most})"
    assert range_ in said(app)
    app.button(key="guess_trains_again").click().run()
    assert "n0" not in frames(app)[-1].columns


def middle(cell):
    """The median, without the range."""
    return re.split(" ?[(（]", cell)[0]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("measure", ["loss", "gradient"])
def test_the_table_has_the_cores_numbers(lang, measure):
    app = press(opened("variance", lang, views.shown(SHOWN, "variance.measure", measure)))
    app.toggle(key="training_table").set_value(True).run()
    text = Text("variance_training", lang)
    table = next(m.value for m in app.markdown if "| d_k |" in m.value)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[4:]]
    assert len(lines) == 2 * len(training.D_K)
    for d_k, divisor, *cells in lines:
        runs = [alone(int(d_k), "sqrt" if divisor == "√d_k" else "none", seed) for seed in range(SEEDS)]
        for cell, step in zip(cells, (10, 10, 20), strict=False):
            means = [float(np.mean(getattr(run, measure)[step - 10 : step])) for run in runs]
            assert middle(cell) == (number(median(means)) if median(means) >= 0.001 else "<0.001")
        below = [[np.mean(run.loss[t - 10 : t]) < math.log(8) / 4 for t in range(10, STEPS + 1)] for run in runs]
        learned = [next((10 + t for t in range(len(each)) if all(each[t:])), math.inf) for each in below]
        never = text("never")
        assert middle(cells[3]) == (never if median(learned) == math.inf else f"{median(learned):g}")


def test_training_is_shared_cancelled_and_gone_on_with(monkeypatch):
    monkeypatch.setattr(training_turns, "MOMENT", 1e-9)  # one step a run of the page
    app = opened("variance", bench=SHOWN)
    text = Text("variance_training", "en")
    assert app.button(key="training_start").label == text("start")
    press(app)
    series = training_runs.shared().of("adam", 0)
    assert app.button(key="training_start").label == text("cancel")
    app.run()
    assert sum(map(series.steps, series.settings)) == 2

    other = press(opened("variance", bench=SHOWN))  # looks on: the first one has the turn
    other.run()
    assert sum(map(series.steps, series.settings)) == 2
    assert np.isfinite(curves(other, 2, "s")[0]).sum() == 1

    press(app)  # cancel
    app.run()
    assert sum(map(series.steps, series.settings)) == 2
    assert app.button(key="training_start").label == text("go_on")
    assert_well(app)
    other.run()  # goes on by itself: it had asked
    other.run()
    assert sum(map(series.steps, series.settings)) > 2

    late = opened("variance", bench=SHOWN)  # after a reload, say
    assert late.button(key="training_start").label == text("go_on")
    assert np.isfinite(curves(late, 2, "s")[0]).sum() == 1


def test_what_is_done_is_there_for_everyone():
    press(opened("variance", bench=SHOWN))
    app = opened("variance", "zh", SHOWN)
    assert app.button(key="training_start").disabled
    assert not np.isnan(curves(app, LARGEST, "s")).any()
    assert "完" in app.button(key="training_start").label


def test_what_goes_wrong_stops_training_and_nothing_else(monkeypatch):
    monkeypatch.setattr(Series, "step", lambda series, setting: 1 / 0)
    app = press(opened("variance", bench=SHOWN))
    assert not app.exception
    text = Text("variance_training", "en")
    assert [e.value for e in app.error] == [text("training_failed")]
    assert app.button(key="training_start").label == text("start")
    app.run()
    assert_well(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_cannot_be_drawn_says_so_once(lang, monkeypatch):
    """For who has not trained, while somebody trains, and afterwards: one sentence in the reader's language."""
    text = Text("variance_training", lang)
    app = opened("variance", lang, SHOWN)
    monkeypatch.setattr(variance_training_charts, "frame", lambda *_: 1 / 0)
    training_runs.shared.clear()
    for _ in range(2):
        app.run()
        assert not app.exception
        assert [e.value for e in app.error] == [text("drawing_failed")]
    press(app)
    assert not app.exception
    assert [e.value for e in app.error] == [text("training_failed")]
    assert app.button(key="training_start").label == text("start")
    assert training_runs.shared().of("adam", 0).turn.holder == ""
    app.run()
    assert [e.value for e in app.error] == [text("drawing_failed")]
    assert app.button(key="draw_again")  # the rest of the page is there
    monkeypatch.undo()
    app.run()
    assert_well(app)
    assert not app.error


def test_who_fails_leaves_the_turn_to_others(monkeypatch):
    monkeypatch.setattr(training_turns, "MOMENT", 1e-9)
    app = press(opened("variance", bench=SHOWN))
    series = training_runs.shared().of("adam", 0)
    assert series.turn.holder
    monkeypatch.setattr(variance_training_charts, "frame", lambda *_: 1 / 0)
    series.advance()
    app.run()
    assert [e.value for e in app.error] == [Text("variance_training", "en")("training_failed")]
    assert series.turn.holder == ""


def test_choices_travel_in_the_link_and_survive_the_language():
    app = opened("variance", bench=PART)
    app.button_group(key="training_optimizer").set_value("sgd").run()
    app.button_group(key="training_measure").set_value("entropy").run()
    app.button_group(key="language_picker").set_value("zh").run()
    assert_well(app)
    assert views.get(code(app), "variance.optimizer") == "sgd"
    assert views.get(code(app), "variance.measure") == "entropy"
    again = opened("variance", bench=code(app))
    assert again.button_group(key="training_measure").value == "entropy"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_how_it_was_trained_is_folded(lang):
    app = opened("variance", lang, PART)
    how = Text("variance_training", lang).template("how")
    rates = {name: f"{rate:g}" for name, rate in training.LEARNING_RATES.items()}
    app.session_state["training_details"] = True
    app.run()
    assert_well(app)
    shown = how(symbols=8, values=8, d_model=32, batch=64, steps=STEPS, chance="2.08", seeds=SEEDS, last=10,
                fast="0.21", stalls="1.56", **rates)  # fmt: skip
    assert shown in said(app)


# Sentences follow the runs, whatever these show.


def made(none, sqrt=0.02, gradient=1.0, gradient_end=1.0, entropy=0.5, seeds=SEEDS, rate=RATE_AT_FIRST):
    """A series whose losses end there."""
    series = Series("adam", range(seeds), rate)
    for setting in series.settings:
        end = none if setting.scale == "none" else sqrt
        first = gradient if setting.scale == "none" else 1.0
        series.done[setting] = {
            "loss": np.repeat([2.1, end], STEPS // 2), "gradient": np.repeat([first, gradient_end * first], STEPS // 2),
            "entropy": np.full(STEPS, entropy), "accuracy": np.full(STEPS, 0.5),
            "match": np.full(STEPS, 3.0 * setting.d_k**0.75), "other": np.full(STEPS, -7.5),
        }  # fmt: skip
    return series


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("none", "kind"), [(0.1, "fast"), (1.0, "slower"), (1.5, "slower"), (2.0, "stalls")])
def test_the_verdict_is_the_runs(none, kind, lang):
    text = Text("variance_training", lang)
    for guess in ("fast", "slower", "stalls"):
        sentence = variance_training_words.verdict(made(none), guess, text)
        judged = text.template("right" if guess == kind else "wrong")
        assert sentence.startswith(judged(guess=text(f"guess_{guess}"), answer=""))
        assert text(f"is_{kind}") in sentence
        assert text("agree_more", agreeing=SEEDS, seeds=SEEDS) in sentence
    found = list(variance_training_words.findings(made(none), False, text))
    assert found[-1].startswith(text(f"conclude_{kind}", d_k=LARGEST, rate="0.003"))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("none", [0.1, 1.0, 2.0])
@pytest.mark.parametrize(("sqrt", "half", "id"), [(1.2, 2.1, "slower"), (1.8, 1.82, "stalls")])
def test_where_the_root_fails_as_well_it_is_said(none, sqrt, half, id, lang):
    """At whichever rate that is."""
    text, series = Text("variance_training", lang), made(none, sqrt, rate=4)
    for seed in range(SEEDS):
        series.done[series.setting(LARGEST, "sqrt", seed)]["loss"][: STEPS // 2] = half
    kind = {0.1: "fast", 1.0: "slower", 2.0: "stalls"}[none]
    values = {"d_k": LARGEST, "rate": "0.03", "with": number(sqrt), "without": number(none)}
    *_, last = variance_training_words.findings(series, False, text)
    more = "scaled_falls" if sqrt == 1.2 else "scaled_stays"
    assert last == text.sentences([text(f"conclude_{id}_{kind}", **values), text(more)])
    assert "0.03" in last


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_guess_was_about_the_rate_given_at_first(lang):
    text = Text("variance_training", lang)
    sentence = variance_training_words.verdict(made(0.1, rate=3), "fast", text)
    assert sentence.startswith(text("elsewhere", guess=text("guess_fast"), given="0.003", rate="0.01", answer=""))
    assert text("is_fast") in sentence
    assert variance_training_words.verdict(made(0.1, rate=3), "skip", text).startswith(
        text("shown_elsewhere", d_k=LARGEST, rate="0.01", answer="")
    )
    waits = made(2.0, rate=3)
    waits.done.clear()
    assert variance_training_words.verdict(waits, "fast", text) == text("answer_waits", d_k=LARGEST)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_rates_that_were_run_are_compared(lang):
    text = Text("variance_training", lang)
    one, other = made(2.0, rate=2), made(1.9, sqrt=1.2, rate=4)
    assert list(variance_training_words.rates([one], text)) == [text("rates_one", rate="0.003")]
    assert list(variance_training_words.rates([made(0.1)], text)) == []
    (said,) = variance_training_words.rates([one, other], text)
    of = {"d_k": LARGEST, "all": SEEDS}
    ends = [text("rate_ends", rate="0.003", scaled="0.020", unscaled="2.00", seeds=2),
            text("rate_ends", rate="0.03", scaled="1.20", unscaled="1.90", seeds=2)]  # fmt: skip
    assert said == text.sentences([text("rates_run", rates=text.list(ends), **of), text("rates_none")])
    third = made(1.0, rate=0)
    for begun, id in ((False, "rates_rescue"), (True, "rates_rescue_so_far")):
        if begun:
            del third.done[third.setting(LARGEST, "none", 1)]
        (said,) = variance_training_words.rates([third, one, other], text)
        first = text("rate_ends", rate="0.0003", scaled="0.020", unscaled="1.00", seeds=1 if begun else 2)
        assert said == text.sentences(
            [text("rates_run", rates=text.list([first, *ends]), **of), text(id, rates="0.0003")]
        )
    del other.done[other.setting(LARGEST, "sqrt", 1)]
    (said,) = variance_training_words.rates([one, other], text)
    ends[1] = text("rate_ends", rate="0.03", scaled="1.20", unscaled="1.90", seeds=1)
    assert said == text.sentences([text("rates_run", rates=text.list(ends), **of), text("rates_none_so_far")])
    other.done.clear()
    assert list(variance_training_words.rates([one, other], text)) == [text("rates_one", rate="0.003")]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("more", "ids"),
    [
        (
            {"gradient": 2.0, "gradient_end": 0.01, "entropy": 0.01},
            ["gradient_more", "then_gone", "and_hard", "chain_large_gone"],
        ),
        ({"gradient": 0.3, "gradient_end": 0.01, "entropy": 0.3}, ["gradient_less", "then_gone", "chain_small_gone"]),
        ({"gradient": 0.3}, ["gradient_less", "then_left", "chain_small_left"]),
        ({"gradient": 1.0, "gradient_end": 0.5}, ["gradient_same", "then_left", "chain_large_left"]),
        ({"none": 0.1, "gradient_end": 0.01}, ["gradient_same", "then_learned"]),
    ],
)
def test_what_is_said_of_the_gradient_is_measured(more, ids, lang):
    text = Text("variance_training", lang)
    series = made(**{"none": 2.0} | more)
    *_, sentence, conclusion = variance_training_words.findings(series, False, text)
    ratio, left, entropy = (more.get(name, default) for name, default in
                            [("gradient", 1.0), ("gradient_end", 1.0), ("entropy", 0.5)])  # fmt: skip
    percent = "<1%" if left < 0.005 else f"{left:.0%}"
    values = {"d_k": LARGEST, "first": 10, "ratio": number(ratio), "left": percent, "last": STEPS - 9, "steps": STEPS,
              "loss": number(more.get("none", 2.0)), "entropy": number(entropy),
              "part": catalogue("variance", lang)["part_softmax"]}  # fmt: skip
    chain = [id for id in ids if id.startswith("chain")]
    assert sentence == text.sentences([text(id, **values) for id in ids if id not in chain])
    kind = "fast" if "then_learned" in ids else "stalls"
    assert conclusion == text.sentences([text(f"conclude_{kind}", d_k=LARGEST, rate="0.003"), *map(text, chain)])


@pytest.mark.parametrize(("last", "id"), [(6.0, "gradient_mixed"), (1.0, "gradient_less")])
def test_seeds_whose_gradients_begin_otherwise_are_told_of(last, id):
    series, text = made(2.0, gradient=0.5, seeds=3), Text("variance_training", "en")
    series.done[series.setting(LARGEST, "none", 2)]["gradient"][:] = last
    *_, sentence, conclusion = variance_training_words.findings(series, False, text)
    part = catalogue("variance", "en")["part_softmax"]
    ratio = f"0.50 (3 seeds: 0.50 to {last:.2f})"
    assert sentence.startswith(text(id, d_k=LARGEST, first=10, ratio=ratio, part=part))
    chain = "chain_mixed_left" if id == "gradient_mixed" else "chain_small_left"
    assert conclusion.endswith(text(chain))


# How q·k of what belongs together grows with d_k.


def fit(sizes, ends):
    """The slope of the line through the logarithms, by its textbook formula."""
    x, y = (np.log(each) - np.log(each).mean() for each in (sizes, ends))
    return (x * y).sum() / (x * x).sum()


def test_the_power_is_the_slope_of_the_logarithms():
    app = press(opened("variance", bench=views.shown(SHOWN, "variance.measure", "match")))
    assert_well(app)
    series, rng = made(2.0), np.random.default_rng(0)
    for setting in series.settings:
        series.done[setting]["match"][-10:] += rng.random(10)
    found = variance_training_growth.measure(series)
    ends = [[series.done[series.setting(d_k, "sqrt", seed)]["match"][-10:].mean() for d_k in training.D_K]
            for seed in range(SEEDS)]  # fmt: skip
    np.testing.assert_allclose(found.powers, [fit(training.D_K, each) for each in ends])
    at_sizes = found.ends()
    assert list(at_sizes) == list(training.D_K)
    np.testing.assert_allclose([own for own, _ in at_sizes.values()], np.median(ends, axis=0))
    assert [other for _, other in at_sizes.values()] == [-7.5] * 3


def grown(powers, seeds=None, rate=RATE_AT_FIRST):
    """A series whose q·k grows so, a power a seed that is done, of so many seeds."""
    series = made(2.0, seeds=seeds or len(powers), rate=rate)
    for setting in series.settings:
        if setting.seed < len(powers):
            series.done[setting]["match"][:] = 3.0 * setting.d_k ** powers[setting.seed]
        else:
            del series.done[setting]
    return series


def power_of(text, middle, seeds, all_seeds, least="", most="", said="range"):
    formula = f"$d_k^{{\\,{middle}}}$"
    return text(f"growth_power_{said}", power=formula, seeds=seeds, all=all_seeds, least=least, most=most)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("powers", "kind"), [
    ((0.6, 0.7, 0.9), "between"), ((0.3, 0.4, 0.46), "under"), ((1.1, 1.2, 1.3), "over"), ((0.4, 0.45, 0.6), "root"),
    ((0.8, 1.1, 1.2), "linear"), ((0.4, 0.7, 1.2), "unclear"),
])  # fmt: skip
def test_how_it_grows_is_what_all_seeds_say(powers, kind, lang):
    series, text = grown(powers, 4), Text("variance_training", lang)
    ends, fitted = variance_training_growth.sentences(series, text)
    assert "−8" in ends
    low, middle, high = (f"{each:.2f}" for each in powers)
    power, how = power_of(text, middle, 3, 4, low, high), text(f"growth_{kind}")
    assert fitted == text("growth_fit", power=power, how=how)
    one = text("growth_one", optimizer="Adam", rate="0.003", power=power, how=how)
    part = catalogue("variance", lang)["part_training"]
    assert variance_training_growth.elsewhere([made(2.0, rate=0, seeds=3), series], lang) == text(
        "growth_here", part=part, steps=STEPS, runs=one
    )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("powers", "all_seeds", "said", "how"), [
    ((0.46,), 5, "one", "soon"), ((0.46, 0.46), 5, "alike", "soon"), ((0.4, 0.48), 2, "range", "few"),
    ((0.46,) * 3, 5, "alike", "under"), ((0.46,) * 5, 5, "alike", "under"),
])  # fmt: skip
def test_how_many_seeds_say_it_is_always_said_and_few_give_no_verdict(powers, all_seeds, said, how, lang):
    text = Text("variance_training", lang)
    _, fitted = variance_training_growth.sentences(grown(powers, all_seeds), text)
    low, middle, high = (f"{each(powers):.2f}" for each in (min, median, max))
    power = power_of(text, middle, len(powers), all_seeds, low, high, said)
    assert f"{len(powers)}" in power.rpartition("$")[2]
    assert fitted == text("growth_fit", power=power, how=text(f"growth_{how}"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_part_on_independence_says_what_was_measured_here(lang):
    bench, text = views.shown(SHOWN, "variance.part", "assumptions"), Text("variance_training", lang)
    part = catalogue("variance", lang)["part_training"]
    there = text("growth_there", part=part)
    training_runs.shared().of("adam", 0, 4).done |= made(2.0, rate=4).done  # another rate
    assert there in said(opened("variance", lang, bench))
    training_runs.shared().of("adam", 0).done |= made(2.0).done
    one = text("growth_one", optimizer="Adam", rate="0.003", power=power_of(text, "0.75", 2, 2, said="alike"),
               how=text("growth_few"))  # fmt: skip
    here = text("growth_here", part=part, steps=STEPS, runs=one)
    measured = Text("variance_assumptions", lang)("trained", measured=here)
    assert measured in [each.value for each in opened("variance", lang, bench).markdown]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_runs_that_have_not_learned_are_left_out_and_counted(lang, monkeypatch):
    """Of each seed: one that fails at a size does not speak for the others, nor they for it."""
    monkeypatch.setattr(training, "D_K", (2, 3, 4, LARGEST))
    series, text = grown((0.7, 0.7, 0.7)), Text("variance_training", lang)
    fails = series.done[series.setting(LARGEST, "sqrt", 1)]
    fails["loss"][:], fails["match"][:], fails["other"][:] = 0.6, -900.0, 900.0
    sizes = text.list(["2", "3", "4", "5"])
    ends = text("growth_ends", sizes=sizes, own=text.list(["5", "6", "8", "9"]), other=text.list(["−8"] * 4))
    fitted = text("growth_fit", power=power_of(text, "0.70", 3, 3, said="alike"), how=text("growth_between"))
    left = text("growth_unlearned", count=1, runs=12, sizes="5")
    assert list(variance_training_growth.sentences(series, text)) == [ends, fitted, left]
    one = text("growth_one", optimizer="Adam", rate="0.003", how=text("growth_between"),
               power=power_of(text, "0.70", 3, 3, said="alike"))  # fmt: skip
    assert variance_training_growth.elsewhere([series], lang).endswith(text.sentences([one, left]))

    series.done[series.setting(2, "sqrt", 1)]["match"][:] = -1.0  # has learned, and has no logarithm
    _, fitted, *both = variance_training_growth.sentences(series, text)
    assert fitted == text("growth_fit", power=power_of(text, "0.70", 2, 3, said="alike"), how=text("growth_few"))
    assert both == [left, text("growth_below", count=1, runs=12, sizes="2")]

    for seed in series.seeds:
        for d_k in (2, 3):
            series.done[series.setting(d_k, "sqrt", seed)]["loss"][:] = 2.0
    assert list(variance_training_growth.sentences(series, text)) == [
        text("growth_none", seeds=3, all=3, fewest=3),
        text("growth_unlearned", count=7, runs=12, sizes=text.list(["2", "3", "5"])),
    ]
    part = catalogue("variance", lang)["part_training"]
    series._kept.clear()  # runs that are done change in this test alone
    assert variance_training_growth.elsewhere([series], lang) == text("growth_there", part=part)


def test_a_seed_that_has_not_come_to_all_sizes_says_nothing_yet():
    series, text = grown((0.7, 0.7)), Text("variance_training", "en")
    del series.done[series.setting(LARGEST, "sqrt", 1)]
    assert len(variance_training_growth.measure(series).powers) == 1
    del series.done[series.setting(LARGEST, "sqrt", 0)]
    assert list(variance_training_growth.sentences(series, text)) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_which_sizes_learn_is_said_of_each(lang):
    text = Text("variance_training", lang)
    runs = SEEDS * len(training.D_K)
    found = list(variance_training_words.findings(made(2.0), False, text))
    sizes = text.list([text("size_learned", d_k=d_k, steps="18") for d_k in training.D_K])
    values = {"runs": runs, "last": 10, "level": "0.52"}
    assert found[0] == text.sentences([text("learned_sqrt", count=runs, **values), text("sizes_all", sizes=sizes)])
    never = text.list([str(d_k) for d_k in training.D_K])
    assert found[1] == text.sentences([text("learned_none", count=0, **values), text("sizes_none", never=never)])
    assert len(found) == 4  # no size at which the article would overstate

    series = made(2.0)
    for seed, d_k in ((0, 2), (1, 2), (0, 3)):  # of the next size a half does not learn: nor does its median
        series.done[series.setting(d_k, "none", seed)]["loss"][:] = 0.1
    found = list(variance_training_words.findings(series, False, text))
    sizes, never = text("size_learned", d_k=2, steps="10"), text.list(["3", str(LARGEST)])
    assert found[1] == text.sentences(
        [text("learned_none", count=3, **values), text("sizes_some", sizes=sizes, never=never)]
    )
    assert found[2] == text("not_everywhere_as_fast", sizes=text("size_against", d_k=2, bare="10", scaled="18"))
    for seed in range(SEEDS):
        series.done[series.setting(2, "none", seed)]["loss"][:] = [2.1] * 11 + [0.1] * 9
    found = list(variance_training_words.findings(series, False, text))
    assert found[2] == text("not_everywhere_later", sizes=text("size_against", d_k=2, bare="19", scaled="18"))


def test_a_loss_that_comes_back_has_not_learned():
    series, text = made(2.0), Text("variance_training", "en")
    for seed in range(SEEDS):
        series.done[series.setting(2, "none", seed)]["loss"][:] = [0.1] * 12 + [1.5] * 8
    found = list(variance_training_words.findings(series, False, text))
    assert text("learned_none", count=0, runs=6) in found[1]


def test_half_done_runs_say_nothing_of_what_they_will_come_to():
    series = made(2.0)
    for setting in series.settings:
        if setting.seed == 1 or (setting.d_k, setting.scale) == (LARGEST, "none"):
            del series.done[setting]
    text = Text("variance_training", "en")
    assert list(variance_training_words.findings(series, False, text)) == []
    assert variance_training_words.verdict(series, "fast", text) == text("guess_waits", d_k=LARGEST)
    assert variance_training_words.verdict(series, "skip", text) == text("answer_waits", d_k=LARGEST)
    assert len(list(variance_training_words.findings(series, True, text))) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_run_that_does_not_follow_the_others_is_counted(lang):
    text, series = Text("variance_training", lang), made(2.0, seeds=5)  # one may fall behind: most do not
    key = series.setting(3, "sqrt", 1)
    series.done[key] = made(2.0, sqrt=1.0).done[key]
    sentence = next(variance_training_words.findings(series, False, text))
    assert sentence.startswith(text("learned_sqrt", count=14, runs=15, last=10, level="0.52"))


def test_what_is_forgotten_is_gone(monkeypatch):
    """Pictures, sentences and tables go with the runs of which they were made."""
    monkeypatch.setattr(training_runs, "MOST", 1)
    app = opened("variance", bench=SHOWN)
    app.toggle(key="training_table").set_value(True).run()
    press(app)
    gone = weakref.ref(training_runs.shared().of("adam", 0))
    assert gone() is not None
    assert {key[0] for key in gone()._kept} == {"frame", "said", "table", "verdict"}
    gone().turn.asked = -training_turns.PATIENCE  # its page was closed
    training_runs.shared().of("adam", 1)
    gc.collect()
    assert gone() is None


def test_another_rate_with_as_many_runs_is_another_sentence():
    """Of several rates, one may be forgotten and another one grow as far."""
    runs = training_runs.shared()
    runs.of("adam", 0).done |= made(2.0).done
    runs.of("adam", 0, 4).done |= made(2.0, rate=4).done
    assert "0.03: 0.020 / 2.00 (2)" in said(opened("variance", bench=SHOWN))
    del runs.series["adam", 0, 4]
    runs.of("adam", 0, 1).done |= made(2.0, rate=1).done
    again = said(opened("variance", bench=SHOWN))
    assert "0.001: 0.020 / 2.00 (2)" in again
    assert "0.03: " not in again


def test_those_who_look_on_are_sent_the_same_frame_for_a_while(monkeypatch):
    monkeypatch.setattr(training_turns, "MOMENT", 1e-9)
    clock = SimpleNamespace(monotonic=lambda: 1000.0)
    monkeypatch.setattr(training_runs, "time", clock)
    press(opened("variance", bench=SHOWN))
    other = press(opened("variance", bench=SHOWN))
    before = np.isfinite(curves(other, 2, "s")[0]).sum()
    series = training_runs.shared().of("adam", 0)
    for _ in range(6):
        series.advance()
    other.run()
    assert np.isfinite(curves(other, 2, "s")[0]).sum() == before
    clock.monotonic = lambda: 1000.0 + variance_training.OLD
    other.run()
    assert np.isfinite(curves(other, 2, "s")[0]).sum() == before + 1
