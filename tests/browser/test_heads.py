"""The heads page by hand: switch a head off, and bars and distances follow; a reload keeps it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import bench, chart, messages, settle
from ui import heads_words, link
from ui import workbench as w
from ui.text import Text

OpenPage = Callable[..., Page]
EN = Text("heads", "en")
CAT = w.preset("cat")
FOUR = w.with_heads(w.resized(CAT, d_model=8), 4)
MAPS, CONTRIBUTIONS, MOVEMENT = range(3)


def at(state: w.Workbench) -> str:
    return f"/heads?lang=en&s={link.encode(state)}"


def pill(page: Page, head: int) -> Locator:
    return page.get_by_test_id("stButtonGroup").get_by_role("button", name=re.compile(rf"head {head}$")).first


def bars(page: Page) -> dict[int, set[int]]:
    """For each head, the components in which it has a bar."""
    said = chart(page, CONTRIBUTIONS).evaluate(
        """(chart) => [...chart.querySelectorAll('g[class*="bars"] path')]
            .map((path) => path.getAttribute("aria-label"))"""
    )
    found: dict[int, set[int]] = {}
    for label in said:
        head, column = map(int, re.search(r"head (\d+) adds to the output of \S+, component (\d+)", label).groups())
        found.setdefault(head, set()).add(column)
    return found


def distances(page: Page) -> list[str]:
    """What stands beside the movement's bars."""
    return [text for text in chart(page, MOVEMENT).locator("svg text").all_text_contents() if "%" in text]


def expected(state: w.Workbench) -> list[str]:
    it = heads_words.ledger(state)
    return [heads_words.moved(it, i, EN) for i in range(len(it.tokens))]


def test_a_head_switched_off_moves_the_outputs_and_a_reload_keeps_it(open_page: OpenPage) -> None:
    page = open_page(at(FOUR))
    assert set(bars(page)) == {1, 2, 3, 4}
    assert distances(page) == expected(FOUR)

    pill(page, 2).click()
    settle(page)
    off = replace(FOUR, heads_off=(1,))
    assert bench(page) == off
    assert set(bars(page)) == {1, 3, 4}
    assert distances(page) == expected(off) != expected(FOUR)
    expect(chart(page, MAPS)).to_contain_text("head 2 · off")

    page.reload()
    settle(page)
    assert bench(page) == off
    assert set(bars(page)) == {1, 3, 4}
    assert distances(page) == expected(off)

    pill(page, 2).click()
    settle(page)
    assert distances(page) == expected(FOUR)


def test_a_row_lights_up_in_every_head_without_a_message(open_page: OpenPage) -> None:
    page = open_page(at(FOUR))
    drawing = chart(page, MAPS)
    cells = drawing.locator('g[class*="cells"] path')
    assert cells.count() == 4 * 16
    before = messages(page)
    box = cells.nth(0).bounding_box()  # head 1, key 1, query 1
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function(
        """(chart) => [...chart.querySelectorAll('g[class*="cells"] path')]
            .filter((path) => Number(path.getAttribute("opacity") ?? 1) === 1).length === 16""",
        arg=drawing.element_handle(),
    )
    assert messages(page) == before


def test_solo_clicked_again_switches_all_heads_on(open_page: OpenPage) -> None:
    page = open_page(at(FOUR))
    third = page.get_by_test_id("stButtonGroup").get_by_role("radio", name="3", exact=True)
    third.click()
    settle(page)
    assert bench(page).heads_off == (0, 1, 3)
    third.click()
    settle(page)
    assert bench(page).heads_off == ()


@pytest.mark.parametrize("state", [FOUR, w.with_heads(w.resized(CAT, d_model=8), 8)], ids=["four", "eight"])
def test_nothing_scrolls_sideways_on_a_phone(open_page: OpenPage, state: w.Workbench) -> None:
    page = open_page(at(state), width=390)
    assert page.get_by_test_id("stMain").evaluate("(main) => main.scrollWidth <= main.clientWidth")
    groups = page.get_by_test_id("stButtonGroup").all()
    assert groups
    assert all(each.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1") for each in groups)


def test_a_typed_number_reaches_every_figure(open_page: OpenPage) -> None:
    typed = w.with_typed_head(FOUR, 0)
    page = open_page(at(typed))
    before = distances(page), bench(page)
    cell = page.get_by_label("W_Q, 1, column 1", exact=True)
    cell.fill("1/3")
    cell.press("Enter")
    settle(page)
    assert bench(page).matrices["H_Q"][0][0] == "1/3"
    assert bench(page) != before[1]
    page.reload()
    settle(page)
    expect(page.get_by_label("W_Q, 1, column 1", exact=True)).to_have_value("1/3")
