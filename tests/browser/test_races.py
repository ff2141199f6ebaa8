"""Typing, taps and a lost server cross: nothing typed is lost, and address and screen agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import becomes, bench, cell, choose, settle, type_in, typed
from tests.browser.servers import running
from ui import workbench

OpenPage = Callable[..., Page]
TAP = 0  #: ms between press and release: shorter than a click, as on a phone


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page("/edit")


def agree(page: Page) -> None:
    for name in ("Q", "K", "V"):
        assert typed(page, name) == [list(row) for row in bench(page).matrices[name]]


def test_a_number_and_the_tap_right_after_it_both_count(page: Page) -> None:
    cell(page, "Q", 0, 0).fill("7")
    page.get_by_role("radio", name="causal").click(delay=TAP)
    settle(page)
    assert bench(page).matrices["Q"][0][0] == "7"
    assert bench(page).mask == "causal"
    agree(page)


def test_a_tap_on_undo_undoes_what_was_just_typed(page: Page) -> None:
    choose(page, "causal")
    settle(page)
    cell(page, "Q", 0, 0).fill("7")
    page.get_by_role("button", name="Undo").click(delay=TAP)
    settle(page)
    assert bench(page).matrices["Q"][0][0] == "2.5"
    assert bench(page).mask == "causal"
    page.get_by_role("button", name="Redo").click()
    becomes(page, lambda: bench(page).matrices["Q"][0][0], "7")
    settle(page)
    agree(page)


def test_numbers_typed_while_a_switch_is_answered_are_kept(page: Page) -> None:
    cell(page, "Q", 0, 0).fill("7")
    page.keyboard.press("Tab")
    page.get_by_role("radio", name="÷ d_k").click(delay=TAP)
    for j, text in ((1, "8"), (2, "9")):
        cell(page, "Q", 0, j).fill(text)
        page.keyboard.press("Tab")
    settle(page)
    assert bench(page).matrices["Q"][0] == ("7", "8", "9", "0")
    assert bench(page).scale == "linear"
    agree(page)


def test_a_tap_on_a_link_takes_the_number_along(page: Page) -> None:
    cell(page, "Q", 0, 0).fill("7")
    page.get_by_test_id("stSidebarNavItems").get_by_role("link", name="Home").click(delay=TAP)
    page.wait_for_url(lambda url: "/edit" not in url)
    settle(page)
    assert bench(page).matrices["Q"][0][0] == "7"


def test_a_tap_on_a_link_waits_for_a_slow_server(page: Page, unanswered: Callable[[], Any]) -> None:
    """(Two messages before either is answered: Streamlit then forgets the first.)"""
    where = cell(page, "Q", 0, 0)
    where.click()
    settle(page)
    where.fill("7")
    with unanswered():
        page.get_by_test_id("stSidebarNavItems").get_by_role("link", name="Home").click(delay=TAP, no_wait_after=True)
        page.wait_for_timeout(400)
    page.wait_for_url(lambda url: "/edit" not in url)
    settle(page)
    assert bench(page).matrices["Q"][0][0] == "7"


def test_tokens_that_repeat_can_be_told_apart(open_page: OpenPage) -> None:
    from ui import link

    repeated = workbench.with_tokens(workbench.preset("cat"), ("the", "cat", "the"))
    page = open_page(f"/edit?lang=en&s={link.encode(repeated)}")
    page.get_by_role("radio", name="3 the").click()
    settle(page)
    assert bench(page).token == 2
    page.get_by_role("radio", name="1 the").click()
    settle(page)
    assert bench(page).token == 0


def test_a_server_that_forgot_the_session_is_told_the_numbers_again(open_page: OpenPage) -> None:
    with running() as server:
        page = open_page("/edit", url=server.url)
        type_in(page, cell(page, "Q", 0, 0), "7")
        settle(page)
    with running(port=server.port):
        with page.expect_event("websocket", timeout=30_000):
            pass  # connected again, to a server that knows nothing of this session
        cell(page, "K", 0, 0).press("Alt+ArrowUp")
        cell(page, "Q", 0, 1).fill("9")
        with page.expect_event("load", timeout=20_000):
            page.get_by_role("button", name="Keep it").click()  # the page starts over from its address
        settle(page)
        page.wait_for_function("decodeURIComponent(location.search).length > 0")
        becomes(page, lambda: bench(page).matrices["Q"][0][:2], ("7", "9"))
        becomes(page, lambda: bench(page).matrices["K"][0][0], "1.6")  # what was to be kept, too
        settle(page)
        agree(page)
