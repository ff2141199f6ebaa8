"""The walk: a page's end leads on and is remembered in the link; home knows where it goes on; teachers get states."""

import pytest

from tests.pages.reading import assert_well, code, opened, said
from ui import lesson, link, views, walk
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


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("part", lesson.PLAN, ids=lambda part: part.id)
def test_a_part_of_the_lesson_opens_its_state_in_words_of_the_class(part, lang):
    app = opened("teach", lang, w.preset("twins"))
    app.button(key=f"open_{part.id}").click().run()
    assert_well(app)
    assert at(app) == catalogue(part.page, lang)["title"]
    bench, meant = code(app), part.bench(lang)
    assert (bench.matrices, bench.mask, bench.cell) == (meant.matrices, meant.mask, meant.cell)
    assert bench.tokens == {"zh": ("猫", "追", "老鼠", "的"), "en": ("the", "cat", "chases", "mice")}[lang]
    assert views.get(bench, "teach.part") == lesson.PLAN.index(part) + 1
    assert lesson.asked(part.page, bench, lang) in [m.value for m in app.markdown]
    assert [toast.value for toast in app.toast] == [catalogue("common", lang)["prepared"]]
    app.button(key="undo").click().run()
    assert code(app) == w.preset("twins"), "with the numbers goes what was shown of them"
    app.button(key="redo").click().run()
    assert code(app) == bench


def test_the_question_of_the_lesson_can_be_put_away():
    app = opened("order", "zh", views.shown(CAT, "teach.part", 6))
    asked = lesson.asked("order", code(app), "zh")
    assert asked in [m.value for m in app.markdown]
    app.button(key="hide_question").click().run()
    assert asked not in [m.value for m in app.markdown]
    assert code(app) == CAT


@pytest.mark.parametrize("lang", LANGUAGES)
def test_where_the_page_asks_the_lesson_asks_nothing_else(lang):
    number = next(n for n, part in enumerate(lesson.PLAN, 1) if part.id == "growth")
    answered = views.shown(views.shown(CAT, "variance.guess_doubled", "same"), "variance.part", "training")
    app = opened("teach", lang, answered)
    app.button(key="open_growth").click().run()
    assert at(app) == catalogue("variance", lang)["title"]
    asked, here = Text("variance_spread", lang)("ask_doubled"), Text("teach", lang)
    assert app.button_group(key="guess_doubled").label == asked
    assert app.button_group(key="guess_doubled").value is None, "the class is asked anew"
    assert here("asked_below", number=number, of=len(lesson.PLAN)) in [m.value for m in app.markdown]
    question, _ = lesson.said(lang)[number - 1]
    assert question == asked.replace("**", "")
    assert question not in said(app), "asked once"
    app.button(key="variance_onward").click().run()
    assert not [each for each in app.button if each.key == "hide_question"], "another part asks something else"


def test_the_lesson_numbers_its_questions():
    assert views.VIEWS["teach.part"].fits(len(lesson.PLAN))
    assert not views.VIEWS["teach.part"].fits(len(lesson.PLAN) + 1)


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


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_lesson_says_what_its_states_give(lang):
    answers = dict(zip((part.id for part in lesson.PLAN), (answer for _, answer in lesson.said(lang)), strict=True))
    for weight in ("0.45", "0.10", "0.40", "0.05"):  # the article's own
        assert weight in answers["shares"]
    assert "**0.45**" in answers["fraction"]
    assert "e−16" in answers["shuffled"]
    assert sum(part.minutes for part in lesson.PLAN) == 45
    assert all("<<" not in words for pair in lesson.said(lang) for words in pair)
    assert lang == "zh" or all(c < "\u4e00" for pair in lesson.said(lang) for words in pair for c in words)
    assert answers["halves"] in said(opened("teach", lang))
