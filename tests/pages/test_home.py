"""Home shows the reader's own numbers and opens three doors."""

import pytest

from tests.pages.reading import assert_well, opened
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
