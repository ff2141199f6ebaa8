"""The scale lab as a whole: its links open one at a time, in both languages, whatever the numbers on the bench."""

import pytest

from tests.pages.reading import assert_well, code, inside, opened, said
from tests.pages.test_every_page import AWKWARD, CAT
from ui import questions, variance, views
from ui.text import LANGUAGES, Text, catalogue

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
    """It answers what the parts ask, and its words are sent though it is folded."""
    app = opened("variance", "en", at(part))
    told = catalogue("variance", "en")["saw"].strip() in [each.value.strip() for each in app.markdown]
    assert told == (part == PARTS[-1]) == (catalogue("common", "en")["heading_saw"] in folds(app))


@pytest.mark.parametrize(("part", "numbers"), [
    ("spread", (5,)), ("softmax", ()), ("gradient", ()), ("training", ()), ("divisors", (4, 7)), ("assumptions", (6,)),
])  # fmt: skip
def test_each_question_stands_by_the_part_that_answers_it_once_the_guess_is_in(part, numbers):
    often = Text("questions", "en")("often", count=len(numbers))
    before, after = (folds(opened("variance", "en", at(part, guess=guess))) for guess in ("", "skip"))
    assert (often in after) == bool(numbers)
    assert (often in before) == (bool(numbers) and part not in variance.GUESSES)
    assert variance.PARTS.keys() >= variance.GUESSES.keys()
    assert sorted(variance.GUESSES.values()) == sorted(GUESSES)


def test_the_parts_have_all_of_the_pages_questions():
    app = opened("variance", "en", at("spread"))
    with inside(app):
        asked = [number for part in PARTS for number in variance.asked(part)]
    assert sorted(asked) == list(questions.on("variance"))
