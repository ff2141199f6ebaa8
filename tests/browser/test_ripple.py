"""Compare mode and the pin in a browser: what is picked stays picked, and what is pinned survives a reload."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import bench, cell, chart, choose, query, settle, stages, type_in
from ui import link, ripple
from ui.text import Text
from ui.workbench import Workbench, preset, random, with_cells

OpenPage = Callable[..., Page]
TEXT = Text("ripple", "en")


def check_differences(page: Page, old: Workbench) -> None:
    """Every cell prints now − before."""
    now = bench(page)
    since = ripple.Since(old, now)
    for shown, name in zip(printed(page), ("scores", "scaled", "weights", "output"), strict=True):
        assert shown == {at: ripple.change(float(x)) for at, x in np.ndenumerate(since.delta[name])}


def printed(page: Page) -> list[dict[tuple[int, int], str]]:
    """What the cells of each stage print."""
    drawn = chart(page).evaluate(r"""(chart) => [...chart.querySelectorAll('g[class*="cells_"]')].map((rects) =>
      [...rects.parentElement.querySelectorAll("text")].flatMap((text) => {
        const { kind, q, k } = text.__data__?.datum ?? {};  // (Vega leaves each mark's record at its element)
        return ["cell", "masked"].includes(kind) ? [[q, k, text.textContent]] : [];
      }))""")
    return [{(q, k): text for q, k, text in heatmap} for heatmap in drawn]


def painted(page: Page) -> list[dict[tuple[int, int], str]]:
    """The colours of each stage's cells."""
    drawn = chart(page).evaluate("""(chart) => [...chart.querySelectorAll('g[class*="cells_"]')].map((rects) =>
      [...rects.querySelectorAll("path")].map((path) => {
        const { q, k } = path.__data__.datum;
        return [q, k, path.getAttribute("fill")];
      }))""")
    return [{(q, k): colour for q, k, colour in heatmap} for heatmap in drawn]


def lit(page: Page) -> set[int]:
    """The rows that are not dimmed, in whatever heatmap. (Tooltips of differences are no numbers, as helpers want.)"""
    rows: list[int] = chart(page).evaluate(r"""(chart) => [...chart.querySelectorAll('g[class*="cells_"] > path')]
      .filter((path) => Number(path.getAttribute("opacity") ?? 1) === 1)
      .map((path) => Number(/\bq: (\d+)/.exec(path.getAttribute("aria-label"))[1]))""")
    return set(rows)


def expect_row(page: Page, row: int) -> None:
    end = time.monotonic() + 3
    while lit(page) != {row} and time.monotonic() < end:
        page.wait_for_timeout(30)
    assert lit(page) == {row}


def button(page: Page, id: str) -> None:
    page.get_by_role("button", name=TEXT(id), exact=True).click()
    settle(page)


def test_a_pin_survives_a_reload_and_leaves_the_address_when_taken_off(page: Page) -> None:
    button(page, "pin")
    assert link.decode(query(page)["b"]) == preset("cat")
    type_in(page, cell(page, "Q", 1, 0), "2.5")
    settle(page)
    check_differences(page, preset("cat"))
    story = page.get_by_text("Raising Q[追, 1] by 0.50 moved")
    expect(story).to_be_visible()
    page.reload()
    settle(page)
    assert link.decode(query(page)["b"]) == preset("cat")
    check_differences(page, preset("cat"))
    button(page, "unpin")
    assert "b" not in query(page)
    assert stages(page)[2][1, 0].value == round(float(bench(page).steps().weights[1, 0]), 4)


def test_comparing_keeps_the_row_that_was_picked(page: Page) -> None:
    type_in(page, cell(page, "Q", 1, 0), "2.5")
    settle(page)
    page.locator("g.cells_2_marks path").nth(9).click()  # row 2
    settle(page)
    page.mouse.move(5, 5)
    expect_row(page, 2)
    choose(page, TEXT("mode_last"))
    check_differences(page, preset("cat"))
    expect_row(page, 2)
    type_in(page, cell(page, "Q", 1, 0), "3")  # an edit draws nothing anew
    settle(page)
    expect_row(page, 2)
    choose(page, TEXT("mode_now"))
    expect_row(page, 2)


PINNED = random(tuple("abcdefgh"), 8, 8, 3)


@pytest.fixture
def differences(open_page: OpenPage) -> Page:
    """The edit page as it shows how far some rows have moved from pinned numbers."""
    edited = with_cells(PINNED, "Q", {(1, 0): "1/3", (5, 2): "0.7"})
    page = open_page(f"/edit?lang=en&s={link.encode(edited)}&b={link.encode(PINNED)}")
    page.locator('input[name="whatif"]').wait_for(state="attached")
    return page


def drag(page: Page) -> None:
    """Move a number of query 3, without keeping it."""
    cell(page, "Q", 3, 3).focus()
    page.keyboard.press("Alt+ArrowUp")
    page.wait_for_timeout(100)
    assert page.locator('input[name="whatif"]').input_value()


def test_dragging_changes_no_difference_of_other_rows(differences: Page) -> None:
    page = differences
    before, colours = printed(page), painted(page)
    drag(page)
    for was, now in ((before, printed(page)), (colours, painted(page))):
        for old, new in zip(was, now, strict=True):
            assert {q for (q, k), each in old.items() if new[q, k] != each} == {3}


def test_what_a_drag_leaves_alone_has_not_moved_since_the_last_edit(differences: Page) -> None:
    page = differences
    type_in(page, cell(page, "K", 0, 0), "1/7")
    settle(page)
    choose(page, TEXT("mode_last"))
    drag(page)
    for heatmap in printed(page):
        assert {q for (q, _), text in heatmap.items() if text != "0"} == {3}


def test_the_history_is_stepped_through(page: Page) -> None:
    for text in ("1", "3", "5"):
        type_in(page, cell(page, "V", 0, 0), text)
        settle(page)
    button(page, "history")
    page.get_by_role("button", name="V[猫, 1]: 2 → 1").click()
    settle(page)
    assert bench(page).matrices["V"][0][0] == "1"
    expect(cell(page, "V", 0, 0)).to_have_value("1")
