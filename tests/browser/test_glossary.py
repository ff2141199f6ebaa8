"""Words explain themselves where they stand and lead to the glossary; questions lead to their states and back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import helpers
from tests.browser.helpers import bench, path, query, settle
from ui import link, views
from ui.questions import QUESTIONS
from ui.text import Text, catalogue
from ui.workbench import preset, with_cells

OpenPage = Callable[..., Page]


def test_a_word_explains_itself_in_place_and_leads_to_the_glossary(open_page: OpenPage) -> None:
    """In the reader's language, with the reader's numbers; by mouse and by keyboard."""
    numbers = with_cells(preset("cat"), "Q", {(0, 0): "7"})
    page = open_page(f"/edit?lang=zh&s={link.encode(numbers)}")
    word = page.get_by_test_id("stMain").get_by_role("link", name="词元", exact=True).first
    says = catalogue("glossary", "zh")["says_token"]
    assert word.get_attribute("title") == says
    sent = helpers.messages(page)
    word.click()
    note = page.locator("#attention-lab-term")
    expect(note).to_contain_text(says)
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(word).to_be_focused()
    page.keyboard.press("Enter")
    expect(note).to_be_visible()
    assert helpers.messages(page) == sent, "nothing of this is the server's business"
    with page.context.expect_page() as opened:
        note.get_by_role("link").click()
    glossary = opened.value
    card = glossary.locator(".st-key-glossary_word")
    expect(card).to_contain_text(says, timeout=30_000)
    expect(card).to_be_in_viewport()
    expect(glossary.get_by_test_id("stMain").get_by_role("heading", level=3).first).to_contain_text(
        catalogue("glossary", "zh")["title"]
    )
    assert path(glossary) == "/glossary"
    glossary.wait_for_function("!location.search.includes('term=')")  # it is in the code now
    state = link.decode(query(glossary)["s"])
    assert views.get(state, "glossary.term") == "token"
    assert state.matrices == numbers.matrices
    assert (path(page), bench(page)) == ("/edit", numbers), "the reader's page is where it was"
    glossary.close()


def test_without_popovers_the_link_opens_the_glossary_under_any_base_path(open_page: OpenPage) -> None:
    page = open_page("/edit")
    word = page.get_by_test_id("stMain").get_by_role("link", name="token", exact=True).first
    with page.context.expect_page() as opened:
        word.click(modifiers=["Control"])
    expect(opened.value.locator(".st-key-glossary_word")).to_be_visible(timeout=30_000)
    opened.value.close()
    resolved = "(base) => new URL(document.querySelector('a[href^=\"glossary?\"]').getAttribute('href'), base).pathname"
    assert page.evaluate(resolved, "https://a.b/lab/edit?s=1") == "/lab/glossary"
    assert page.evaluate(resolved, "https://a.b/lab/") == "/lab/glossary"


@pytest.mark.parametrize("number", [22])
def test_a_question_opens_the_state_that_answers_it_and_undo_returns(open_page: OpenPage, number: int) -> None:
    text = Text("questions", "en")
    page = open_page("/heads")
    before = bench(page)
    page.get_by_text(text("often", count=4)).click()
    settle(page)
    page.get_by_role("button", name=text(f"open_{number}")).click()
    settle(page)
    assert bench(page).matrices == QUESTIONS[number].bench().matrices
    assert path(page) == "/heads"
    expect(page.locator(f".st-key-{QUESTIONS[number].at}")).to_be_in_viewport()
    page.wait_for_timeout(2100)  # it looks again for two seconds, while charts grow
    page.get_by_role("button", name="Undo").click()
    settle(page)
    assert bench(page).matrices == before.matrices
