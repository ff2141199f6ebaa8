"""The lessons for teachers: their states open in words of the class, say what they give, and ask anew."""

from types import SimpleNamespace

import numpy as np
import pytest

import attention
from attention import saturation, training
from tests.pages.reading import assert_well, code, opened, said
from tests.pages.test_walk import at
from ui import lesson, lesson_scale, training_runs, variance, views
from ui import variance_gradient as gradient
from ui import variance_softmax_words as softmax
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue
from ui.variance_guesses import GUESSES
from ui.variance_measure import ROWS

CAT = w.preset("cat")
SCALE = views.shown(CAT, "teach.plan", "scale")
PAIRS = [(plan, lang) for plan in lesson.PLANS for lang in LANGUAGES]


def markdown(app):
    return [m.value for m in app.markdown]


def links():
    return [part.id for part in lesson.PLANS["scale"]]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("part", lesson.PLANS["whole"], ids=lambda part: part.id)
def test_a_part_of_the_lesson_opens_its_state_in_words_of_the_class(part, lang):
    app = opened("teach", lang, w.preset("twins"))
    app.button(key=f"open_{part.id}").click().run()
    assert_well(app)
    assert at(app) == catalogue(part.page, lang)["title"]
    bench, meant = code(app), part.bench(lang)
    assert (bench.matrices, bench.mask, bench.cell) == (meant.matrices, meant.mask, meant.cell)
    assert bench.tokens == {"zh": ("猫", "追", "老鼠", "的"), "en": ("the", "cat", "chases", "mice")}[lang]
    assert views.get(bench, "teach.part") == lesson.PLANS["whole"].index(part) + 1
    assert lesson.asked(part.page, bench, lang) in markdown(app)
    assert [toast.value for toast in app.toast] == [catalogue("common", lang)["prepared"]]
    app.button(key="undo").click().run()
    assert code(app) == w.preset("twins"), "with the numbers goes what was shown of them"
    app.button(key="redo").click().run()
    assert code(app) == bench


def test_the_question_of_the_lesson_can_be_put_away():
    app = opened("order", "zh", views.shown(CAT, "teach.part", 6))
    asked = lesson.asked("order", code(app), "zh")
    assert asked in markdown(app)
    app.button(key="hide_question").click().run()
    assert asked not in markdown(app)
    assert code(app) == CAT


@pytest.mark.parametrize("lang", LANGUAGES)
def test_where_the_page_asks_the_lesson_asks_nothing_else(lang):
    plan = lesson.PLANS["whole"]
    number = next(n for n, part in enumerate(plan, 1) if part.id == "growth")
    answered = views.shown(views.shown(CAT, "variance.guess_doubled", "same"), "variance.part", "training")
    app = opened("teach", lang, answered)
    app.button(key="open_growth").click().run()
    assert at(app) == catalogue("variance", lang)["title"]
    asked, here = Text("variance_spread", lang)("ask_doubled"), Text("teach", lang)
    assert app.button_group(key="guess_doubled").label == asked
    assert app.button_group(key="guess_doubled").value is None, "the class is asked anew"
    assert here("asked_below", number=number, of=len(plan)) in markdown(app)
    question, _ = lesson.said("whole", lang)[number - 1]
    assert question == asked.replace("**", "")
    assert question not in said(app), "asked once"
    there = opened("variance", lang, code(app))
    assert there.button(key="hide_question")
    there.button(key="variance_onward").click().run()
    assert not [each for each in there.button if each.key == "hide_question"], "another part asks something else"


def test_a_link_counts_no_further_than_the_longest_lesson():
    longest = max(map(len, lesson.PLANS.values()))
    assert views.VIEWS["teach.part"].fits(longest)
    assert not views.VIEWS["teach.part"].fits(longest + 1)
    assert all(views.VIEWS["teach.plan"].fits(plan) for plan in lesson.PLANS)
    assert views.VIEWS["teach.plan"].default == next(iter(lesson.PLANS))
    beyond = views.shown(SCALE, "teach.part", longest)
    assert lesson.asked("variance", beyond, "en") == ""
    assert_well(opened("variance", "en", beyond))


@pytest.mark.parametrize(("plan", "lang"), PAIRS)
def test_a_lesson_fills_its_time_and_leaves_no_number_out(plan, lang):
    assert sum(part.minutes for part in lesson.PLANS[plan]) == 45
    assert lesson.spans(plan)[-1][1] == 45
    pairs = lesson.said(plan, lang)
    assert all("<<" not in words for pair in pairs for words in pair)
    assert lang == "zh" or all(c < "\u4e00" for pair in pairs for words in pair for c in words)
    app = opened("teach", lang, views.shown(CAT, "teach.plan", plan))
    assert_well(app)
    assert "<<" not in said(app)
    for question, answer in pairs:
        assert answer in markdown(app)
        assert sum(question in words for words in markdown(app)) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_lesson_says_what_its_states_give(lang):
    answers = {part.id: answer for plan, parts in lesson.PLANS.items()
               for part, (_, answer) in zip(parts, lesson.said(plan, lang), strict=True)}  # fmt: skip
    for weight in ("0.45", "0.10", "0.40", "0.05"):  # the article's own
        assert weight in answers["shares"]
    assert "**0.45**" in answers["fraction"]
    assert "e−16" in answers["shuffled"]
    assert "× 2" in answers["growth"]
    assert "× 1.41" in answers["growth"]
    assert "7.20" in answers["assumptions"], "0.9 · 64 ÷ 8"
    assert "1.81" in answers["assumptions"], "1 + 0.9²"
    assert f"d_k = {softmax.GIVEN['asked']}" in answers["softmax"]
    assert "0.45" in answers["gradient"]


# The lesson on √d_k.


def test_it_goes_through_every_link_of_the_lab():
    assert links() == list(variance.PARTS) == list(lesson_scale.LINKS)
    guesses = {name for name in views.VIEWS if name.startswith("variance.guess_")}
    assert set(GUESSES.values()) == guesses


def test_the_lessons_are_chosen_in_the_link():
    app = opened("teach", "en")
    assert app.button(key="open_shares")
    app.button_group(key="teach_plan").set_value("scale").run()
    assert_well(app)
    assert code(app) == SCALE
    assert [each.key for each in app.button if each.key.startswith(("open_", "reveal_"))] == [
        f"{how}_{link}" for link in links() for how in ("open", "reveal")
    ]
    assert app.button(key="undo").disabled


def rehearsed():
    """What a teacher may come back with: every guess made, and much else on show than at first."""
    bench = SCALE
    for view in GUESSES.values():
        bench = views.shown(bench, view, 7 if view == "variance.guess_dead" else "skip")
    for name, value in {"optimizer": "sgd", "measure": "entropy", "stretch": 3, "broken": "signs"}.items():
        bench = views.shown(bench, f"variance.{name}", value)
    return bench


@pytest.mark.parametrize("how", ["open", "reveal"])
@pytest.mark.parametrize("link", lesson_scale.LINKS)
def test_a_link_opens_before_its_answer_and_after_it(link, how):
    lang = "zh" if how == "open" else "en"
    app = opened("teach", lang, rehearsed())
    app.button(key=f"{how}_{link}").click().run()
    assert_well(app)
    bench, number = code(app), links().index(link) + 1
    assert app.button_group(key="variance_part").value == link
    assert Text("teach", lang)("asked_below", number=number, of=len(links())) in markdown(app)
    guesses = {each: views.get(bench, view) for each, view in GUESSES.items()}
    before, after = links()[: number - 1], links()[number:]
    for each in set(before) & set(guesses):
        assert guesses[each] == views.get(rehearsed(), GUESSES[each]), "what was guessed is still there"
    assert all(guess == "" for each, guess in guesses.items() if each in after), "what comes is asked anew"
    assert guesses.get(link, "skip" if how == "reveal" else "") == ("skip" if how == "reveal" else "")
    shown = {name for name, _ in bench.view if name.startswith("variance.") and "guess" not in name}
    extra = {"spread": {"bell_d_k"}, "gradient": {"stretch"}, "divisors": {"divided_alpha"},
             "assumptions": {"broken", "rho", "broken_at"}}.get(link, set())  # fmt: skip
    allowed = {f"variance.{view}" for view in extra if how == "reveal"} | {"variance.part"}
    assert shown <= allowed, "nothing else is left of what was shown"
    assert bool(shown - {"variance.part"}) == bool(extra and how == "reveal")


def test_the_band_goes_on_with_the_links():
    teach = opened("teach", "en", SCALE)
    teach.button(key="open_spread").click().run()
    app = opened("variance", "en", code(teach))
    for number in range(1, len(links()) + 1):
        assert Text("teach", "en")("asked_below", number=number, of=len(links())) in markdown(app)
        if number < len(links()):
            app.button(key="variance_onward").click().run()
    assert [link.label for link in app.get("page_link")][0] == catalogue("common", "en")["nav_teach"]


def test_the_sliders_are_put_where_the_answer_is():
    at_step = {name: (place, views.VIEWS[f"variance.{name}"]) for name, place in
               [("bell_d_k", lesson_scale.DOUBLED), ("stretch", lesson_scale.STRETCHED),
                ("divided_alpha", lesson_scale.HALF)]}  # fmt: skip
    assert all(view.fits(place) for place, view in at_step.values())
    assert 2 ** (lesson_scale.DOUBLED / 2) == 128
    assert saturation.ALPHAS[lesson_scale.HALF] == 0.5
    assert not views.VIEWS["variance.stretch"].fits(lesson_scale.STRETCHED + 1), "the upper end"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_it_expects_of_softmax_and_of_the_row_is_so(lang):
    rows = saturation.measure_saturation(ROWS, (softmax.LOW, softmax.ASKED), seed=CAT.variance_seed)
    low, asked = (rows.at(d_k, "none") for d_k in (softmax.LOW, softmax.ASKED))
    assert rows.dead[asked][1] > 0.5, "fair: most rows, by the whole interval"
    assert rows.dead[low][2] < 0.25, "overstated: few"
    assert rows.mean[asked][0] > rows.mean[low][0]
    assert rows.median[asked][0] < rows.median[low][0]
    part = lesson.PLANS["scale"][links().index("gradient")]
    bench = part.bench(lang)
    scores = bench.steps().masked[bench.token]
    norms = gradient.norm(attention.softmax(np.outer([1, 2, 64], scores)))
    assert norms[0] < norms[1], "at first it responds more"
    assert norms[0] > 0.1 > saturation.DEAD > norms[2]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_says_how_far_the_training_is(lang, monkeypatch):
    runs = training_runs.Runs()
    monkeypatch.setattr(training_runs, "shared", lambda: runs)
    text = Text("teach", lang)
    assert text("trained_none") in said(opened("teach", lang, SCALE))
    assert not runs.series  # who only reads asks for none
    series = runs.of("adam", CAT.variance_seed)
    assert text("trained_none") in said(opened("teach", lang, SCALE))
    series.advance()
    assert text("trained_some", share="0%") in said(opened("teach", lang, SCALE))
    done = {setting: {} for setting in series.settings}
    del done[series.settings[-1]]
    series.live = {series.settings[-1]: SimpleNamespace(steps=training.STEPS - 1)}  # a step is left to do
    series.done |= done
    assert text("trained_some", share="99%") in said(opened("teach", lang, SCALE))
    series.done |= {setting: {} for setting in series.settings}
    series.live.clear()
    assert text("trained_all") in said(opened("teach", lang, SCALE))
