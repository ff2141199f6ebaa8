"""The walk: a page's end leads on and is remembered in the link; home knows where it goes on."""

import pytest

from tests.pages.reading import assert_well, code, opened
from ui import link, views, walk
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue

CAT = w.preset("cat")


def at(app):
    """The page that a run ended on: its title."""
    titles = [m.value for m in app.markdown if m.value.startswith("### ")]
    return titles[-1].removeprefix("### ")


def test_every_page_of_the_walk_leads_to_the_next():
    pages = [walk.after(page) for page in w.PATH]
    assert pages == [*w.PATH[1:], "challenges"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_going_on_is_remembered_in_the_link(lang):
    bench = w.with_cells(CAT, "K", {(0, 0): "1/3"})
    app = opened("edit", lang, bench)
    app.button(key="walk_next").click().run()
    assert_well(app)
    assert at(app) == catalogue("variance", lang)["title"]
    assert code(app) == views.shown(bench, "walk.done", ("edit",))
    assert not app.session_state["lab"]["redo"]


def test_undo_and_presets_leave_the_walk_alone():
    bench = views.shown(CAT, "walk.done", ("lookup", "flow"))
    app = opened("edit", "en", bench)
    app.selectbox(key="pick_preset_en").set_value("twins").run()
    assert walk.finished(code(app)) == ("lookup", "flow")
    app.button(key="undo").click().run()
    assert code(app) == bench


@pytest.mark.parametrize("lang", LANGUAGES)
def test_home_goes_on_where_the_walk_stopped(lang):
    app = opened("home", lang, views.shown(CAT, "walk.done", ("lookup", "edit")))
    on = Text("home", lang)("walk_on", page=catalogue("common", lang)["nav_flow"])
    assert app.button(key="door_walk").label == Text("home", lang)("door_walk", stop=on)
    app.button(key="door_walk").click().run()
    assert_well(app)
    assert at(app) == catalogue("flow", lang)["title"]
    assert walk.finished(code(app)) == ("lookup", "edit"), "leaving home finishes no page"


def test_a_link_cannot_claim_what_no_page_shows():
    for view in ([["walk.done", ["edit", "lookup"]]], [["walk.done", ["home"]]], [["walk.done", []]], [["x", 1]], [7]):
        with pytest.raises(link.BadLink):
            link._restore({"p": "cat", "s": 0, "view": view}, b"")


@pytest.mark.parametrize("page", ["heads", "scratch", "production"])
def test_a_token_without_keys_is_given_them_back(page):
    app = opened(page, "zh", w.with_allowed(CAT, {(1, j): False for j in range(4)}))
    app.button(key="reopen").click().run()
    assert_well(app)
    assert code(app).mask_array() is None
    assert "reopen" not in [button.key for button in app.button]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_who_has_walked_it_all_is_sent_to_the_challenges(lang):
    app = opened("home", lang, views.shown(CAT, "walk.done", w.PATH))
    app.button(key="door_walk").click().run()
    assert at(app) == catalogue("challenges", lang)["title"]
