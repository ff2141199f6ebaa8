"""The proof trace by hand: a cell is chosen by mouse, touch and keyboard, and the choice is part of the link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import bench, chart, messages, settle, stages
from ui import link
from ui import workbench as w
from ui.text import Text

OpenPage = Callable[..., Page]
EN = Text("trace", "en")
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"


def heat_cell(page: Page, s: int, q: int, k: int, columns: int = 4, nth: int = -1) -> Locator:
    """A cell of a heatmap, counted from 0."""
    return chart(page, nth).locator(f'g[class*="cells_{s}"] path').nth(q * columns + k)


def trace(page: Page) -> Locator:
    return page.locator(".st-key-trace")


def operand(page: Page, name: str) -> Locator:
    return trace(page).get_by_role("radio").filter(has_text=name).first


def assert_typeset(page: Page) -> None:
    """Every formula came out as KaTeX, and none is wider than the page."""
    formulas = trace(page).locator(".katex-display")
    assert formulas.count() > 0
    assert page.locator(".katex-error").count() == 0
    room = trace(page).bounding_box()
    for box in (formula.bounding_box() for formula in formulas.locator(".base").all()):
        assert room
        assert box
        assert box["x"] + box["width"] <= room["x"] + room["width"] + 1


def assert_in_view(page: Page) -> None:
    """What was asked for stands in the window, its head not cut off, once the page has stopped scrolling."""
    page.wait_for_function(
        """() => { const { top } = document.querySelector(".st-key-trace").getBoundingClientRect();
                   return top >= 0 && top < innerHeight / 2; }""",
        timeout=5_000,
    )


def test_lists_say_what_the_new_matrix_calls_its_columns(page: Page) -> None:
    """Where only the names change and not the place among them, a select box would go on showing the old name."""
    heat_cell(page, 2, 1, 0).click()
    settle(page)
    column = trace(page).get_by_role("combobox", name=EN("column"))
    expect(column).to_have_value(EN("to_key", key="猫 cat"))
    heat_cell(page, 3, 1, 0).click()
    settle(page)
    assert bench(page).cell == ("output", 1, 0, -1)
    expect(column).to_have_value(EN("nth_column", number=1))


def test_a_click_explains_a_cell_and_its_operands_lead_back(page: Page) -> None:
    before, drawn = messages(page), chart(page).locator("svg").element_handle()
    heat_cell(page, 2, 1, 2).click()
    settle(page)
    assert messages(page) == before + 1
    assert bench(page).cell == ("weights", 1, 2, -1)
    weight = stages(page)[2][1, 2]
    expect(trace(page)).to_contain_text(f"= {weight.text}")
    assert_typeset(page)
    assert_in_view(page)
    operand(page, "② 追·老鼠").click()
    settle(page)
    operand(page, "① 追·老鼠").click()
    settle(page)
    operand(page, "K[老鼠, 3]").click()
    settle(page)
    assert bench(page).cell == ("K", 2, 2, -1)
    framed = page.get_by_label("K, 老鼠 mouse, column 3")
    assert framed.get_attribute("data-marked") == "1"
    heat_cell(page, 2, 1, 2).click()  # the very cell that was clicked last
    settle(page)
    assert bench(page).cell == ("weights", 1, 2, -1)
    assert drawn is not None
    assert drawn.evaluate("(svg) => svg.isConnected"), "the chart was drawn anew"
    page.reload()
    settle(page)
    expect(trace(page)).to_contain_text(f"= {weight.text}")


def test_by_touch_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/edit", lang="zh", width=390, user_agent=PHONE, touch=True)
    heat_cell(page, 3, 2, 1).tap()
    settle(page)
    assert bench(page).cell == ("output", 2, 1, -1)
    assert_typeset(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_by_keyboard_alone(page: Page) -> None:
    page.get_by_role("combobox", name=EN("invitation")).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.type("weights")
    page.keyboard.press("Enter")
    settle(page)
    assert bench(page).cell == ("weights", 1, 0, -1)
    first = operand(page, "②")
    first.focus()
    page.keyboard.press("Enter")
    settle(page)
    assert bench(page).cell == ("scaled", 1, 0, -1)


def test_long_rows_fit_a_phone_and_a_link_opens_them(open_page: OpenPage) -> None:
    wide = w.resized(w.with_tokens(w.preset("cat"), tuple(f"字{i}" for i in range(12))), d_k=16)
    code = link.encode(replace(wide, cell=("weights", 3, 7, -1)))
    page = open_page(f"/edit?lang=zh&s={code}", width=390)
    assert_typeset(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_heads_explain_themselves_where_they_were_clicked(open_page: OpenPage) -> None:
    page = open_page("/heads?lang=en&s=" + link.encode(w.with_heads(w.preset("cat"), 2)))
    heat_cell(page, 0, 1, 0, nth=0).click()  # these are drawn column by column
    settle(page)
    assert bench(page).cell == ("weights", 0, 1, 0)
    concat = page.get_by_test_id("stVegaLiteChart").nth(3)
    concat.locator('g[class*="cells_0"] path').last.click()
    settle(page)
    assert bench(page).cell[0] == "combined"
    below = trace(page).bounding_box()
    operand(page, "head 2 adds").click()
    settle(page)
    assert bench(page).cell[0] == "contribution"
    assert below
    assert trace(page).bounding_box() is not None
    assert abs(trace(page).bounding_box()["y"] - below["y"]) < 120, "walking on stays where it began"  # type: ignore[index]
