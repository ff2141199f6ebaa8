"""The edit page by hand: what is typed is what is used, and nothing typed is lost."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

from attention import examples
from tests.browser.helpers import (
    bench,
    cell,
    choose,
    expect_lit,
    messages,
    settle,
    stages,
    type_in,
    typed,
)
from ui.text import Text
from ui.workbench import Workbench, preset

OpenPage = Callable[..., Page]
EN = Text("edit", "en")
#: what is typed → what is used
NUMBERS = {
    ".07": Fraction(7, 100), "-.5": Fraction(-1, 2), "1e-3": Fraction(1, 1000), "0.129": Fraction(129, 1000),
    "1/3": Fraction(1, 3), "１．５": Fraction(3, 2), "0。5": Fraction(1, 2), "−2": Fraction(-2),
}  # fmt: skip


def by_hand(bench: Workbench) -> list[NDArray[np.float64]]:
    """Scores, scaled and masked scores, weights, output: the formula once more, from the link."""

    def number(name: str) -> NDArray[np.float64]:
        return np.array([[float(Fraction(text)) for text in row] for row in bench.matrices[name]])

    if bench.route == "direct":
        Q, K, V = (number(name) for name in "QKV")
    else:
        Q, K, V = (number("X") @ number(name) for name in ("W_Q", "W_K", "W_V"))
    scores = Q @ K.T
    scaled = scores / {"sqrt": math.sqrt(Q.shape[1]), "none": 1, "linear": Q.shape[1]}[bench.scale]
    n = len(scores)
    if bench.mask == "causal":
        scaled = np.where(np.tri(n, dtype=bool), scaled, -np.inf)
    elif bench.mask == "own" and bench.allowed:
        scaled = np.where(np.array([[c == "1" for c in row] for row in bench.allowed]), scaled, -np.inf)
    with np.errstate(invalid="ignore"):
        e = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        weights = np.nan_to_num(e / e.sum(axis=1, keepdims=True))
    return [scores, scaled, weights, weights @ V]


def check(page: Page) -> Workbench:
    """Editors, address and all four stages say the same; returns what the address opens."""
    opened = bench(page)
    for name in ("Q", "K", "V") if opened.route == "direct" else ("X", "W_Q", "W_K", "W_V"):
        assert typed(page, name) == [list(row) for row in opened.matrices[name]]
    drawn = stages(page)
    assert len(drawn) == 4
    for heatmap, expected in zip(drawn, by_hand(opened), strict=True):
        assert set(heatmap) == set(np.ndindex(expected.shape))
        for at, shown in heatmap.items():
            assert shown.value == pytest.approx(expected[at], rel=0.0051, abs=0.0000501)
            assert reads(shown.text) == pytest.approx(expected[at], abs=0.00501, rel=0.005)
    return opened


def reads(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf").replace("≈", ""))


def alerts(page: Page) -> str:
    return "\n".join(page.get_by_test_id("stAlert").all_inner_texts())


def focused(page: Page) -> str:
    """The accessible name of what has the focus, inside shadow roots too."""
    return str(page.evaluate(
        "(() => { let at = document.activeElement;"
        " while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;"
        " return at.getAttribute('aria-label') ?? ''; })()"
    ))  # fmt: skip


# Typing


def test_the_number_typed_is_the_number_used(page: Page) -> None:
    expected: dict[tuple[int, int], Fraction] = {}
    for k, (text, number) in enumerate(NUMBERS.items()):
        at = divmod(k, 4)
        type_in(page, cell(page, "Q", *at), text)
        settle(page)
        expected[at] = number
        opened = check(page)
        assert {at: Fraction(opened.matrices["Q"][at[0]][at[1]]) for at in expected} == expected
    assert opened.matrices["Q"][2:] == preset("cat").matrices["Q"][2:]
    assert opened.matrices["K"] == preset("cat").matrices["K"]


def test_cells_have_names_that_a_screen_reader_can_say(page: Page) -> None:
    named = page.get_by_label(re.compile("^Q, 追.*, column 1$"))
    assert named.count() == 1
    assert named.input_value() == preset("cat").matrices["Q"][1][0]


def test_quick_edits_lose_nothing(page: Page) -> None:
    """Three matrices, one after the other, without waiting for an answer."""
    for k in range(4):
        for name in "QKV":
            type_in(page, cell(page, name, k, k), f"{k}.{k + 1}")
    settle(page)
    opened = check(page)
    for name in "QKV":
        assert [opened.matrices[name][k][k] for k in range(4)] == ["0.1", "1.2", "2.3", "3.4"]


def test_what_is_being_typed_survives_the_answer_to_what_was_typed(page: Page) -> None:
    type_in(page, cell(page, "Q", 0, 0), "0.25")  # Enter moves down one cell
    page.keyboard.type("-1.2")
    settle(page)
    assert cell(page, "Q", 1, 0).input_value() == "-1.2"
    assert bench(page).matrices["Q"][1][0] == preset("cat").matrices["Q"][1][0]
    page.keyboard.type("5")
    page.keyboard.press("Tab")
    settle(page)
    assert check(page).matrices["Q"][1][0] == "-1.25"


@pytest.mark.parametrize(
    ("text", "says"),
    [("abc", "needs a number"), ("", "is empty"), ("inf", "needs a number"), ("1e999", "beyond"),
     ("1/0", "divides by 0")],
)  # fmt: skip
def test_bad_input_is_explained_and_the_last_good_number_is_used(text: str, says: str, page: Page) -> None:
    kept = preset("cat").matrices["Q"][1][0]
    before = stages(page)
    type_in(page, cell(page, "Q", 1, 0), text)
    settle(page)
    assert says in alerts(page)
    assert text in alerts(page)
    assert f"{kept} is still in use" in alerts(page)
    assert bench(page) == preset("cat")
    assert stages(page) == before
    assert cell(page, "Q", 1, 0).input_value() == text
    expect(cell(page, "Q", 1, 0)).to_have_attribute("aria-invalid", "true")

    type_in(page, cell(page, "K", 0, 0), "0.5")  # another edit does not take it away
    choose(page, "中文")  # nor does another language
    assert cell(page, "Q", 1, 0).input_value() == text
    assert f"仍在用 {kept}" in alerts(page)
    choose(page, "English")

    type_in(page, cell(page, "Q", 1, 0), "7")
    settle(page)
    assert alerts(page) == ""
    assert check(page).matrices["Q"][1][0] == "7"


def test_the_language_can_be_switched_between_two_edits(page: Page) -> None:
    type_in(page, cell(page, "Q", 0, 0), "0.25")
    choose(page, "中文")
    type_in(page, cell(page, "Q", 0, 1), "1/3")
    settle(page)
    opened = check(page)
    assert opened.matrices["Q"][0][:2] == ("0.25", "1/3")


def test_two_visitors_do_not_share_numbers(open_page: OpenPage) -> None:
    one, other = open_page("/edit"), open_page("/edit")
    type_in(one, cell(one, "Q", 0, 0), "9")
    type_in(other, cell(other, "Q", 0, 0), "-9")
    settle(one)
    settle(other)
    assert check(one).matrices["Q"][0][0] == "9"
    assert check(other).matrices["Q"][0][0] == "-9"


# Pasting


def paste(where: Locator, text: str) -> None:
    where.focus()
    where.evaluate(
        "(cell, text) => { const clipboardData = new DataTransfer();"
        " clipboardData.setData('text/plain', text);"
        " cell.dispatchEvent(new ClipboardEvent('paste',"
        " { clipboardData, bubbles: true, cancelable: true, composed: true })); }",
        text,
    )


def test_a_block_from_a_spreadsheet_fills_the_cells_from_here_on(page: Page) -> None:
    paste(cell(page, "K", 1, 2), "0.5\t-1\r\n1/3\t .07\r\n")
    settle(page)
    start = preset("cat").matrices["K"]
    assert check(page).matrices["K"] == (
        start[0], (*start[1][:2], "0.5", "-1"), (*start[2][:2], "1/3", "0.07"), start[3]
    )  # fmt: skip
    page.get_by_role("button", name=EN("undo")).click()  # a block is one step
    settle(page)
    assert check(page) == preset("cat")


def test_a_block_that_is_too_large_is_used_as_far_as_it_fits(page: Page) -> None:
    paste(cell(page, "K", 2, 2), "1\t2\t3\n4\tno\t6\n7\t8\t9")
    settle(page)
    says = alerts(page)
    assert "3 rows and 3 columns" in says
    assert "room for 2 × 2" in says
    assert "no" in says
    start = preset("cat").matrices["K"]
    assert bench(page).matrices["K"] == (
        *start[:2], (*start[2][:2], "1", "2"), (*start[3][:2], "4", start[3][3])
    )  # fmt: skip


# Pointing


def test_a_row_lights_up_through_all_stages_without_a_message(page: Page) -> None:
    before = messages(page)
    rects = page.locator("g.cells_0_marks path")
    for row in (0, 2, 3):
        rects.nth(4 * row).hover()
        expect_lit(page, {row})
    page.locator("g.cells_3_marks path").nth(6).hover()  # from the output back to the scores
    expect_lit(page, {1})
    page.mouse.move(5, 5)
    expect_lit(page, {0, 1, 2, 3})
    assert messages(page) == before
    rects.nth(9).click()  # this chooses the cell as well
    settle(page)
    page.mouse.move(5, 5)
    expect_lit(page, {2})
    rects.nth(0).hover()  # pointing elsewhere wins, for as long as it lasts
    expect_lit(page, {0})
    page.mouse.move(5, 5)
    expect_lit(page, {2})
    page.get_by_role("button", name="Close").click()
    settle(page)
    expect_lit(page, {0, 1, 2, 3})


# Keyboard


def test_the_keyboard_moves_through_the_cells(page: Page) -> None:
    cell(page, "Q", 0, 0).focus()
    walk = {"ArrowDown": (1, 0), "Enter": (2, 0), "ArrowUp": (1, 0), "Tab": (1, 1), "Shift+Enter": (0, 1)}
    for key, (i, j) in walk.items():
        page.keyboard.press(key)
        assert focused(page) == cell(page, "Q", i, j).get_attribute("aria-label"), key
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("0.75")  # coming to a cell selects what stands in it
    page.keyboard.press("ArrowDown")
    page.keyboard.type("-4")
    page.keyboard.press("Tab")
    settle(page)
    assert focused(page) == cell(page, "Q", 1, 1).get_attribute("aria-label")
    opened = check(page)
    assert (opened.matrices["Q"][0][0], opened.matrices["Q"][1][0]) == ("0.75", "-4")


def test_the_mask_is_drawn_by_keyboard(page: Page) -> None:
    choose(page, EN("mask_own"), EN("label_mask"))
    name = EN("label_mask")
    cell(page, name, 0, 0).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    settle(page)
    assert check(page).allowed == ("1011", "1111", "1011", "1111")
    expect(cell(page, name, 0, 1)).to_have_attribute("aria-pressed", "false")
    expect(cell(page, name, 1, 1)).to_have_attribute("aria-pressed", "true")


def test_a_row_with_nothing_left_is_explained_and_shows_no_nan(page: Page) -> None:
    name = EN("label_mask")
    choose(page, EN("mask_own"), name)
    for k in range(4):
        cell(page, name, 1, k).click()
    settle(page)
    opened = check(page)
    assert opened.allowed == ("1111", "0000", "1111", "1111")
    assert "there is no key left to look at" in alerts(page)
    weights, output = stages(page)[2:]
    assert [weights[1, k].value for k in range(4)] == [0] * 4
    assert [output[1, k].value for k in range(4)] == [0] * 4
    assert "NaN" not in "".join(page.get_by_test_id("stVegaLiteChart").locator("text").all_text_contents())
    page.get_by_role("button", name=EN("undo")).click()
    settle(page)
    assert check(page).allowed == ("1111", "0001", "1111", "1111")
    assert alerts(page) == ""


# Steps back


def test_undo_redo_and_reset(page: Page) -> None:
    undo, redo, reset = (page.get_by_role("button", name=EN(name)) for name in ("undo", "redo", "reset"))
    for button in (undo, redo, reset):
        expect(button).to_be_disabled()
    states = [bench(page)]
    for text in ("0.1", "0.2", "0.3"):
        type_in(page, cell(page, "V", 0, 0), text)
        settle(page)
        states.append(check(page))
    for expected in states[-2::-1]:
        undo.click()
        settle(page)
        assert check(page) == expected
    expect(undo).to_be_disabled()
    for expected in states[1:]:
        redo.click()
        settle(page)
        assert check(page) == expected
    expect(redo).to_be_disabled()
    reset.click()
    settle(page)
    assert check(page) == states[0]
    undo.click()
    settle(page)
    assert check(page) == states[-1]


# Tokens, presets, sizes, the way in


def retoken(page: Page, sentence: str) -> None:
    field = page.get_by_label(EN("sentence"), exact=True)
    field.fill(sentence)
    field.press("Enter")
    settle(page)


def test_the_sentence_adds_keeps_and_refuses_tokens(page: Page) -> None:
    type_in(page, cell(page, "Q", 3, 0), "0.07")
    retoken(page, "猫 追 老鼠 的 吃")
    opened = check(page)
    assert opened.tokens == ("猫", "追", "老鼠", "的", "吃")
    assert opened.matrices["Q"][3][0] == "0.07"
    assert opened.matrices["K"][:4] == preset("cat").matrices["K"]
    assert opened.matrices["V"][4] == ("0",) * 4

    retoken(page, "猫追老鼠的")
    assert check(page).tokens == ("猫", "追", "老", "鼠", "的")

    crowd = " ".join(str(k) for k in range(13))
    retoken(page, crowd)
    assert EN("sentence_too_many", count=13, most=12) in alerts(page)
    assert page.get_by_label(EN("sentence"), exact=True).input_value() == crowd
    assert bench(page).tokens == ("猫", "追", "老", "鼠", "的")

    retoken(page, "the the cat")
    assert alerts(page) == ""
    assert check(page).tokens == ("the", "the", "cat")


def test_a_prepared_state_replaces_numbers_and_tokens(page: Page) -> None:
    for name in ("lookup", "saturated"):
        page.get_by_test_id("stSelectbox").first.locator("input").click()
        page.get_by_role("option", name=examples.get(name).title["en"]).click()
        settle(page)
        assert check(page) == preset(name)


def test_sizes_change_the_matrices_and_keep_their_numbers(page: Page) -> None:
    page.get_by_test_id("stPopover").get_by_role("button", name=EN("sizes")).click()
    field = page.get_by_label(EN("size_d_k"), exact=True)
    field.fill("6")
    field.press("Enter")
    settle(page)
    page.keyboard.press("Escape")
    settle(page)
    opened = check(page)
    assert opened.sizes == {"n": 4, "d_model": 4, "d_k": 6, "d_v": 4}
    assert [row[:4] for row in opened.matrices["Q"]] == list(preset("cat").matrices["Q"])
    assert {cell for row in opened.matrices["K"] for cell in row[4:]} == {"0"}


def test_the_way_in_through_projections(page: Page) -> None:
    choose(page, EN("route_input"))
    check(page)
    type_in(page, cell(page, "X", 1, 0), "1/3")
    type_in(page, cell(page, "W_K", 0, 2), "-2.5")
    settle(page)
    opened = check(page)
    projected = stages(page, 0)
    X = np.array([[float(Fraction(c)) for c in row] for row in opened.matrices["X"]])
    for heatmap, name in zip(projected, ("W_Q", "W_K", "W_V"), strict=True):
        W: Any = np.array([[float(Fraction(c)) for c in row] for row in opened.matrices[name]])
        drawn = {at: shown.value for at, shown in heatmap.items()}
        assert drawn == pytest.approx(dict(np.ndenumerate(X @ W)), abs=0.0000501)
