"""Home shows the reader's own numbers and opens three doors."""

import pytest

from tests.pages.reading import assert_well, code, opened
from ui import display, ribbons
from ui import workbench as w
from ui.text import LANGUAGES, catalogue


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_picture_is_the_readers_own(lang, monkeypatch):
    drawn = []
    monkeypatch.setattr(ribbons.components, "ribbons", lambda **how: drawn.append(how["data"]))
    bench = w.with_cells(w.preset("cat"), "Q", {(1, 0): "-3"})
    app = opened("home", lang, bench)
    assert_well(app)
    (picture,) = drawn
    weights = [display.short(x) for x in bench.steps().weights[bench.token]]
    assert picture["asker"] == bench.token
    for name, weight in zip(picture["names"], weights, strict=True):
        assert f"{weight}·{name}" in str(picture["frames"][-1]), name


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("door", "page"), [("walk", "lookup"), ("play", "edit"), ("teach", "teach")])
def test_three_doors(door, page, lang):
    app = opened("home", lang).button(key=f"door_{door}").click().run()
    assert_well(app)
    assert f"### {catalogue(page, lang)['title']}" in [m.value for m in app.markdown]


def test_english_words_are_a_click_away_and_chinese_ones_too():
    app = opened("home", "en")
    app.button(key="in_own_words").click().run()
    assert_well(app)
    assert code(app) == w.preset("cat_en")
    assert "in_own_words" not in [button.key for button in app.button], "they are there"
    app.button(key="undo").click().run()
    assert code(app) == w.preset("cat")
    app = opened("lookup", "zh", w.preset("cat_en"))
    app.button(key="in_own_words").click().run()
    assert code(app) == w.preset("cat")


@pytest.mark.parametrize(("lang", "bench"), [
    ("zh", w.preset("cat")), ("en", w.preset("cat_en")), ("en", w.preset("twins")),
    ("en", w.with_cells(w.preset("cat"), "Q", {(1, 0): "-3"})),
])  # fmt: skip
def test_nothing_to_click_where_words_are_ones_own_or_numbers_would_be_lost(lang, bench):
    assert "in_own_words" not in [button.key for button in opened("home", lang, bench).button]
