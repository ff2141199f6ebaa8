"""The scale lab as a whole: its links open one at a time, in both languages, whatever the numbers on the bench."""

from dataclasses import replace

import numpy as np
import pytest

from attention import training
from attention.experiment import measure_spread
from attention.saturation import measure_saturation
from tests.pages.reading import assert_well, code, inside, opened, said
from tests.pages.test_every_page import AWKWARD, CAT
from ui import questions, training_runs, variance, variance_guesses, views
from ui.text import LANGUAGES, Text, catalogue
from ui.variance_charts import estimate, estimated_share
from ui.variance_measure import ROWS

PARTS = list(variance.PARTS)
GUESSES = [name for name in views.VIEWS if name.startswith("variance.guess_")]


def at(part, bench=CAT, guess="skip"):
    for name in GUESSES:
        bench = views.shown(bench, name, guess)
    return views.shown(bench, "variance.part", part)


def test_every_part_travels_in_the_link():
    assert all(views.VIEWS["variance.part"].fits(part) for part in PARTS)
    assert views.VIEWS["variance.part"].default == PARTS[0]
    assert len(GUESSES) == 4


@pytest.mark.parametrize("guess", ["", "skip"])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_opens_before_and_after_the_guess(part, lang, guess):
    app = opened("variance", lang, at(part, guess=guess))
    assert_well(app)
    assert "<<" not in said(app)
    assert "nan" not in said(app).lower().split()
    assert app.button_group(key="variance_part").value == part


@pytest.mark.parametrize("bench", AWKWARD.values(), ids=AWKWARD)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_opens_on_awkward_numbers(part, bench):
    app = opened("variance", "en", at(part, bench))
    assert_well(app)
    assert code(app) == at(part, bench)
    assert "nan" not in said(app).lower().split()


def test_the_links_of_the_chain_follow_one_another_and_are_no_edits():
    app = opened("variance")
    for part in PARTS[1:]:
        stands_out = {key: app.button(key=key).proto.type for key in ("variance_onward", "walk_next")}
        assert stands_out == {"variance_onward": "primary", "walk_next": "secondary"}
        app.button(key="variance_onward").click().run()
        assert_well(app)
        assert views.get(code(app), "variance.part") == part
    assert not [each for each in app.button if each.key == "variance_onward"]
    assert app.button(key="walk_next").proto.type == "primary"
    assert app.button(key="undo").disabled


def test_another_language_keeps_the_part():
    app = opened("variance", "en", at("divisors"))
    app.button_group(key="language_picker").set_value("zh").run()
    assert_well(app)
    assert views.get(code(app), "variance.part") == "divisors"
    assert catalogue("variance", "zh")["question"].partition("[[")[0] in said(app)


def folds(app):
    """The labels of all folds; in older versions AppTest takes one that has an icon for a status."""
    return [each.label for each in (*app.expander, *app.status)]


@pytest.mark.parametrize("part", PARTS)
def test_what_was_to_be_seen_is_told_at_the_end_alone(part):
    app = opened("variance", "en", at(part))
    assert (part == PARTS[-1]) == (catalogue("common", "en")["heading_measured"] in folds(app))


def seen(lang="en", bench=CAT):
    """The lines of what was seen, and which parts are left to test."""
    app = opened("variance", lang, views.shown(bench, "variance.part", PARTS[-1]))
    app.session_state["saw"] = True  # opens the fold
    assert_well(app.run())
    rest = Text("variance", lang)("saw_rest", parts="|").partition("|")[0]
    last = f"**{Text('variance', lang)('part_assumptions')}**"
    said = next(each.value for each in app.markdown if last in each.value)
    lines, _, left = said.partition(rest)
    return dict(line[4:].split("**", 1) for line in lines.strip().splitlines()), left


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_was_seen_has_a_line_for_each_guess_and_none_before_it(lang):
    names = {part: Text("variance", lang)(f"part_{part}") for part in PARTS}
    told_by = {"": set(), "variance.guess_doubled": {"spread"}, "variance.guess_dead": {"softmax", "gradient"},
               "variance.guess_alpha": {"divisors"}, "variance.guess_trains": set()}  # fmt: skip
    for guess, told in told_by.items():
        lines, left = seen(lang, views.shown(CAT, guess, "skip") if guess else CAT)
        assert set(lines) == {names[part] for part in {*told, "assumptions"}}
        assert all((name in left) != (name in lines) for name in names.values())


def test_what_was_seen_is_what_these_draws_measured():
    bench = at("assumptions", replace(CAT, variance_seed=3))
    lines, _ = seen(bench=bench)
    pairs, rows = measure_spread(bench.variance_draws, seed=3), measure_saturation(ROWS, seed=3)
    assert estimate(*(2**power for power in pairs.power)) in lines["1 Scores spread"].replace("95%: ", "")
    dead, median, mean = (getattr(rows, what)[rows.at(512, "none")] for what in ("dead", "median", "mean"))
    assert estimated_share(*dead) in lines["2 Softmax saturates"]
    assert all(estimate(*each) in lines["3 Gradients vanish"] for each in (median, mean))
    assert rows.median[rows.at(512, "none")][2] < rows.median[rows.at(16, "none")][1]
    assert catalogue("variance", "en")["saw_gradient_apart"].partition(":")[0] in lines["3 Gradients vanish"]
    assert "α = 0.5" in lines["5 √d_k repairs it"]
    assert "components of q and k dependent" in lines["6 Assumptions"].partition("Level")[0]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("bare", "rate"), [((), 2), ((4, 16), 2), ((4, 16), 4)])
def test_what_training_showed_is_counted(bare, rate, lang):
    """Of the rate with the most finished runs, whichever is looked at now; half done, it is not tested."""
    training_runs.shared.clear()
    bench, text = views.shown(at("assumptions"), "variance.optimizer", "sgd"), Text("variance", lang)
    bench = views.shown(bench, "variance.rate", rate)
    assert text("part_training") not in seen(lang, bench)[0]
    assert not training_runs.shared().series  # who only reads asks for none
    series = training_runs.shared().of("sgd", 0, rate)
    training_runs.shared().of("sgd", 0, 0)  # another one is begun, and chosen
    bench = views.shown(bench, "variance.rate", 0)
    for setting in series.of_seed(0):
        assert text("part_training") not in seen(lang, bench)[0]
        learns = setting.scale == "sqrt" and setting.d_k < 1024 or setting.d_k in bare
        loss = np.full(training.STEPS, 0.01 if learns else training.CHANCE)
        series.done[setting] = dict.fromkeys(training_runs.RECORDED, loss)
    line = seen(lang, bench)[0][text("part_training")]
    told = text("saw_training_some" if bare else "saw_training_none", optimizer="SGD", rate={2: "0.1", 4: "1"}[rate],
                scaled=4, scaled_of=5, bare=len(bare), bare_of=5, sizes=text.list([str(d_k) for d_k in bare]))
    assert line == text("saw_gap") + told
    training_runs.shared.clear()


@pytest.mark.parametrize(("part", "numbers"), [
    ("spread", (5,)), ("softmax", ()), ("gradient", ()), ("training", ()), ("divisors", (4, 7)), ("assumptions", (6,)),
])  # fmt: skip
def test_each_question_stands_by_the_part_that_answers_it_once_the_guess_is_in(part, numbers):
    often = Text("questions", "en")("often", count=len(numbers))
    before, after = (folds(opened("variance", "en", at(part, guess=guess))) for guess in ("", "skip"))
    assert (often in after) == bool(numbers)
    assert (often in before) == (bool(numbers) and part not in variance_guesses.GUESSES)
    assert variance.PARTS.keys() >= variance_guesses.GUESSES.keys()
    assert sorted(variance_guesses.GUESSES.values()) == sorted(GUESSES)


def test_the_parts_have_all_of_the_pages_questions():
    app = opened("variance", "en", at("spread"))
    with inside(app):
        asked = [number for part in PARTS for number in variance.asked(part)]
    assert sorted(asked) == list(questions.on("variance"))
