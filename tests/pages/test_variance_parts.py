"""The scale lab as a whole: its links open one at a time, in both languages, whatever the numbers on the bench."""

import pytest

from tests.pages.reading import assert_well, code, opened, said
from tests.pages.test_every_page import AWKWARD, CAT
from ui import variance, views
from ui.text import LANGUAGES, catalogue

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
        app.button(key="variance_onward").click().run()
        assert_well(app)
        assert views.get(code(app), "variance.part") == part
    assert not [each for each in app.button if each.key == "variance_onward"]
    assert app.button(key="undo").disabled


def test_another_language_keeps_the_part():
    app = opened("variance", "en", at("divisors"))
    app.button_group(key="language_picker").set_value("zh").run()
    assert_well(app)
    assert views.get(code(app), "variance.part") == "divisors"
    assert catalogue("variance", "zh")["question"].partition("[[")[0] in said(app)
