"""Challenges in a browser: a number typed into the page is judged, in place."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.helpers import bench, cell, chart, settle, stages, type_in
from tests.browser.test_trace import heat_cell, trace
from tests.browser.test_whatif import drag, part
from ui import challenges, link
from ui.text import Text
from ui.workbench import preset

OpenPage = Callable[..., Page]
EN = Text("challenges", "en")


def test_a_challenge_is_chosen_tried_solved_and_undone(open_page: OpenPage) -> None:
    page = open_page("/challenges", lang="en")
    page.get_by_role("button", name=EN("try")).nth(3).click()
    settle(page)
    assert bench(page) == challenges.begun(preset("cat"), "only_output")
    editor = cell(page, "V", 1, 1)
    before = editor.bounding_box()
    type_in(page, editor, "2.01")
    expect(page.get_by_text("The output has moved by")).to_be_visible()
    assert editor.bounding_box() == before  # what is said moves no editor
    type_in(page, editor, "3")
    expect(page.get_by_text(EN("solved").strip("*"))).to_be_visible()
    assert editor.bounding_box() == before
    page.get_by_role("button", name=EN("see")).click()
    settle(page)
    assert bench(page) == challenges.with_smallest(preset("cat"), "only_output")
    page.get_by_role("button", name=Text("common", "en")("undo")).click()
    settle(page)
    assert bench(page).matrices["V"][1][1] == "3"


def test_one_is_solved_by_dragging_on_one_screen_and_its_weights_explain_themselves(open_page: OpenPage) -> None:
    start = challenges.begun(preset("cat"), "most")
    page = open_page(f"/challenges?lang=en&s={link.encode(start)}", height=768)
    drag(page, cell(page, "K", 0, 0), -10)
    weights = stages(page)[2]
    assert weights[1, 2].value > weights[1, 0].value
    assert bench(page) == start  # it is only tried
    expect(page.get_by_text("not yet")).to_be_visible()
    part(page, "open").click()
    expect(part(page, "temperature")).to_be_visible()
    for switches in ("scales", "mask"):  # a challenge has its own
        expect(part(page, switches)).to_be_hidden()
    part(page, "open").click()
    page.get_by_role("button", name=Text("whatif", "en")("keep_attempt")).click()
    settle(page)
    assert bench(page).matrices["K"][0][0] == "1.3"
    expect(page.get_by_text(EN("solved").strip("*"))).to_be_in_viewport()
    expect(page.get_by_text("from 1.5 to 1.37.")).to_be_in_viewport()
    lowest = chart(page).locator('g[class*="cells_2"] path').last.bounding_box()
    assert lowest
    assert lowest["y"] + lowest["height"] <= 768
    heat_cell(page, 2, 1, 2).click()
    settle(page)
    assert bench(page).cell == ("weights", 1, 2, -1)
    expect(trace(page)).to_contain_text(f"= {stages(page)[2][1, 2].text}")
