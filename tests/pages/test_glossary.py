"""The glossary shows what its address asks for; every question opens a page in the state that answers it."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.reading import ENTRY, assert_well, code, opened, said
from ui import glossary, link, questions, shell, views
from ui import workbench as w
from ui.questions import QUESTIONS
from ui.text import LANGUAGES, catalogue, terms

#: question → what the page that its button opens says, among other things
SEEN = {
    2: "symmetric", 3: r"\b64\b", 8: r"0\.30", 12: r"0\.064", 13: r"0\.09", 14: "future", 15: "NaN", 17: "float16",
    18: r"0\.31", 19: "equal to the last digit", 21: r"= 64 =", 24: "only changed places",
}  # fmt: skip


def asking(lang: str, **asked: str) -> AppTest:
    app = AppTest.from_file(ENTRY, default_timeout=60)
    app.query_params["lang"] = lang
    for name, value in asked.items():
        app.query_params[name] = value
    return app.switch_page("pages/glossary.py").run()


def test_every_term_has_a_group_and_pages_to_see_it_on():
    assert sorted(id for group in glossary.GROUPS.values() for id in group) == sorted(terms())
    assert sorted(group for column in glossary.COLUMNS for group in column) == sorted(glossary.GROUPS)
    assert set(glossary.SEEN) == set(terms()) >= set(glossary.FORMULAS)
    assert all(pages and set(pages) <= set(shell.PAGES) for pages in glossary.SEEN.values())
    assert views.VIEWS["glossary.question"].fits(len(QUESTIONS))
    assert not views.VIEWS["glossary.question"].fits(len(QUESTIONS) + 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_address_asks_for_a_term_until_another_is_chosen(lang):
    """Both languages stand in the entry; the choice travels in the link."""
    app = asking(lang, term="kv_cache")
    assert_well(app)
    words = {each: catalogue("glossary", each) for each in LANGUAGES}
    mine = words[lang]["says_kv_cache"]
    card = next(m.value for m in app.markdown if m.value.startswith("#### ") and mine in m.value)
    assert all(words[each]["says_kv_cache"] in card for each in LANGUAGES)
    assert views.get(code(app), "glossary.term") == "kv_cache"
    app.selectbox(key=f"pick_word_{lang}").set_value("query").run()
    assert views.get(code(app), "glossary.term") == "query"
    everything = said(app)
    assert all(words[each][f"says_{id}"] in everything for each in LANGUAGES for id in terms())


def test_an_address_that_asks_for_nothing_known_shows_the_page():
    for question in ("27", "9" * 5000):  # (Python reads no number of so many digits)
        app = asking("en", term="<b>", question=question)
        assert_well(app)
        assert code(app) == w.preset("cat")


def test_a_question_in_the_address_opens_and_its_button_leads_to_the_state_and_back():
    app = asking("en", question="12")
    assert_well(app)
    assert catalogue("questions", "en")["ask_12"] in said(app)
    app.button(key="asked_12").click().run()
    assert_well(app)
    assert catalogue("masks", "en")["question"][:20] in said(app)
    assert code(app).matrices == questions.QUESTIONS[12].bench().matrices
    assert views.get(code(app), "masks.lab") == "after"
    app.button(key="undo").click().run()
    assert code(app).matrices == w.preset("cat").matrices


def test_questions_are_sent_only_when_their_fold_is_open():
    app, english = opened("heads"), catalogue("questions", "en")
    assert english["ask_19"] not in said(app)
    app.session_state["met_heads"] = True
    app.run()
    assert all(english[f"ask_{number}"] in said(app) for number in questions.on("heads"))
    app.button(key="met_heads_21").click().run()
    assert_well(app)
    assert code(app).n_heads == 4


def test_every_state_that_answers_opens_well():
    """In English all of them, and that the page says what the answer does; in Chinese one a page.

    Not the 50,000 pairs of question 5, which take long: the tests of that page measure.
    """
    app = opened("home")
    last = {question.door: number for number, question in QUESTIONS.items()}
    for number, question in QUESTIONS.items():
        if number == 5:
            continue
        state = question.bench()
        for view, value in question.shows.items():
            state = views.shown(state, view, value)
        app.session_state["lab"]["code"] = link.encode(state)
        for lang in ("zh", "en") if number == last[question.door] else ("en",):
            app.session_state["lang"] = lang
            app.switch_page(f"pages/{question.door}.py").run()
            assert_well(app)
            assert code(app) == state
        everything = said(app) + "".join(each.value for each in app.success)
        assert re.search(SEEN.get(number, ""), everything), number
