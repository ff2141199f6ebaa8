"""Drawing a mask by clicks and by painting: the weights follow, and every page sees it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import bench, cell, choose, messages, settle, stages
from ui import views
from ui.text import Text

EN = Text("masks", "en")


def weights(page: Page, nth: int = -1, stage: int = 2) -> np.ndarray:
    drawn = stages(page, nth)[stage]
    n = 1 + max(q for q, _ in drawn)
    return np.array([[drawn[q, k].value for k in range(n)] for q in range(n)])


def test_clicks_draw_the_mask_and_the_leak_is_read_off(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks")
    cell(page, "Mask", 1, 0).click()  # 追 may no longer look at 猫
    settle(page)
    assert bench(page).allowed == ("1111", "0111", "1111", "1111")
    now = weights(page)
    assert now[1, 0] == 0
    assert now.sum(axis=1) == pytest.approx(1, abs=1e-3)
    expect(page.get_by_text(EN("readout", forbidden=1, pairs=16, leak=0).replace("**", ""))).to_be_visible()

    choose(page, EN("after_less"))  # the guess: softmax first, then × 0
    settle(page)
    late = weights(page)  # behind the right weights and their output
    assert late[1].sum() == pytest.approx(1 - 0.4529, abs=2e-3)  # 追 had given 猫 0.45
    assert views.get(bench(page), "masks.guess_after") == "less"

    page.get_by_text(EN("mask_causal"), exact=True).click()
    settle(page)
    assert bench(page).mask_causal
    np.testing.assert_array_equal(weights(page, 1)[np.triu_indices(4, 1)], 0)
    cell(page, "Mask", 0, 3).click()  # the causal part forbids it: it gives way
    settle(page)
    assert not bench(page).mask_causal
    expect(page.get_by_label(EN("mask_causal"), exact=True)).not_to_be_checked()
    expected = np.tri(4, dtype=bool)
    expected[1, 0], expected[0, 3] = False, True
    np.testing.assert_array_equal(bench(page).mask_array(), expected)


def test_a_mouse_paints_across_cells_in_one_message(open_page: Callable[..., Page]) -> None:
    page = open_page("/masks")
    before = messages(page)
    cell(page, "Mask", 2, 0).hover()
    page.mouse.down()
    for j in (1, 2, 3):
        cell(page, "Mask", 2, j).hover()
    cell(page, "Mask", 3, 3).hover()
    page.mouse.up()
    settle(page)
    assert bench(page).allowed == ("1111", "1111", "0000", "1110")
    assert messages(page) == before + 1
    assert not weights(page)[2].any()  # a row without keys
    cell(page, "Mask", 2, 0).click()  # a click is still a click
    settle(page)
    assert bench(page).allowed == ("1111", "1111", "1000", "1110")
