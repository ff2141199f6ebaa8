"""Challenges in a browser: a number typed into the page is judged, in place."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.helpers import bench, cell, settle, type_in
from ui import challenges
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
