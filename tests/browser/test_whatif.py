"""What-ifs: the browser's arithmetic equals NumPy's, nothing is sent before it is kept, and nothing is lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

import attention
from tests.browser.helpers import bench, cell, choose, messages, settle, stages, type_in, typed
from ui import display, link, live, workbench
from ui.text import Text
from ui.workbench import Workbench, preset

OpenPage = Callable[..., Page]
Hold = Callable[[], AbstractContextManager[None]]
Matrix = NDArray[np.float64]
EN = Text("whatif", "en")

#: (n, d_k, d_v) → how many random states are tried
SIZES = {(8, 8, 8): 40, (4, 4, 4): 60, (5, 2, 7): 60, (1, 3, 1): 40}


def address(state: Workbench, lang: str = "en") -> str:
    return f"/edit?lang={lang}&s={link.encode(state)}"


def part(page: Page, name: str) -> Locator:
    return page.locator(f'[data-part="{name}"]')


def drag(page: Page, where: Locator, by: float, *, release: bool = True, steps: int = 5) -> None:
    """Drag a cell sideways with the mouse."""
    box = where.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=steps)
    if release:
        page.mouse.up()


def frames(page: Page, count: int = 3) -> None:
    page.evaluate("async (n) => { for (let k = 0; k < n; k++) await new Promise(requestAnimationFrame); }", count)


def tried(page: Page) -> str:
    """The what-if that the chart computes; empty at rest."""
    return page.locator('input[name="whatif"]').input_value()


def shown(page: Page) -> list[Matrix]:
    """The numbers of the four stages as they are printed, from what is drawn."""
    return [np.array([[heat[q, k].value for k in range(1 + max(heat)[1])] for q in range(1 + max(heat)[0])])
            for heat in stages(page)]  # fmt: skip


def steps_of(state: Workbench) -> list[Matrix]:
    steps = state.steps()
    return [steps.scores, steps.masked, steps.weights, steps.output]


def expect_shown(page: Page, state: Workbench) -> None:
    """The picture is of this state, to the four decimals of its labels."""
    frames(page)
    for drawn, expected in zip(shown(page), steps_of(state), strict=True):
        np.testing.assert_allclose(drawn, expected, rtol=0.0051, atol=0.0000501)


def changed(state: Workbench, name: str, i: int, j: int, text: str) -> Workbench:
    return workbench.with_cells(state, name, {(i, j): text})


# The arithmetic

_READ = """async (strings) => {
  const field = document.querySelector('.vega-bindings input[name="whatif"]');
  const frame = () => new Promise(requestAnimationFrame);
  const chart = field.closest(".vega-embed");
  const read = ({ __data__: { datum } }) =>
    [datum.s, datum.q, datum.k, datum.live, datum.live_kind ?? datum.kind, datum.shown.text];
  const states = [];
  for (const string of strings) {
    field.value = string;
    field.dispatchEvent(new Event("input"));
    await frame();
    const cells = [...chart.querySelectorAll('g[class*="cells_"] path')].map(read);
    const printed = [...chart.querySelectorAll("text")].filter((text) => text.__data__?.datum?.shown)
      .map((text) => [text.__data__.datum.kind, text.__data__.datum.shown.text, text.textContent]);
    states.push({ cells, printed, labels: [...chart.querySelectorAll('g[class*="cells_"] path')]
      .map((path) => path.getAttribute("aria-label").split("= ").pop()) });
  }
  return states;
}"""


def asked(stamp: int, Q: Matrix, K: Matrix, V: Matrix, mask: NDArray[np.bool_], divisor: float, heat: float) -> str:
    """A what-if as the strip writes it."""
    padded = (np.pad(M, ((0, 0), (0, live.MOST - M.shape[1]))) for M in (Q, K))
    numbers = [",".join(repr(float(x)) for x in M.ravel()) for M in (*padded, V)]
    return ";".join([str(stamp), *numbers, ",".join("01"[int(c)] for c in mask.ravel()), repr(divisor), repr(heat)])


def random_states(rng: np.random.Generator, state: Workbench, count: int) -> list[tuple[Any, ...]]:
    n, d_k, d_v = (state.sizes[name] for name in ("n", "d_k", "d_v"))
    made = []
    for _ in range(count):
        Q, K, V = (rng.normal(0, 2, (n, d)).round(2) for d in (d_k, d_k, d_v))
        one = (Q, K, V)[rng.integers(3)]
        one[rng.integers(one.shape[0]), rng.integers(one.shape[1])] = rng.choice([0, 0.125, -40, 1 / 3, 1e3, -12345.67])
        mask = rng.random((n, n)) < rng.choice([0.3, 0.8, 1])
        divisor = float(rng.choice([1, math.sqrt(d_k), d_k]))
        made.append((Q, K, V, mask, divisor, float(rng.choice([1, 1, 0.1, 10, 2.34]))))
    return made


@pytest.mark.parametrize(("sizes", "count"), SIZES.items(), ids=lambda part: str(part))
def test_the_browser_computes_what_numpy_computes(sizes: tuple[int, int, int], count: int, open_page: OpenPage) -> None:
    n, d_k, d_v = sizes
    state = workbench.random(tuple("abcdefgh"[:n]), d_k, d_v, seed=n)
    page = open_page(address(state))
    page.locator('input[name="whatif"]').wait_for(state="attached")
    made = random_states(np.random.default_rng(n), state, count)
    before = messages(page)
    answers = page.evaluate(_READ, [asked(live.stamp(state.steps()), *each) for each in made])
    for (Q, K, V, mask, divisor, heat), answer in zip(made, answers, strict=True):
        expected = attention.attention_steps(Q, K, V, mask, scale=divisor * heat)
        wanted = [expected.scores, expected.masked, expected.weights, expected.output]
        got = [np.full(matrix.shape, np.nan) for matrix in wanted]
        for s, q, k, number, kind, text in answer["cells"]:
            got[s][q, k] = number
            assert text == display.short(number)
            assert kind == ("masked" if s in {1, 2} and not mask[q, k] else "cell")
        for mine, theirs in zip(got, wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
        assert [text for _, text, _ in answer["printed"]] == [drawn for *_, drawn in answer["printed"]]
        sums = [text for kind, text, _ in answer["printed"] if kind == "sum"]
        assert sums == [f"Σ = {display.total(row)}" for row in expected.weights]
        labels = [display.short(number, 4) for *_, number, _, _ in answer["cells"]]
        assert answer["labels"] == labels
    assert messages(page) == before


def test_extreme_numbers_make_no_nan(open_page: OpenPage) -> None:
    state = changed(preset("cat"), "Q", 1, 0, "1000000")
    state = replace(changed(state, "K", 0, 0, "-1000000"), mask="own", allowed=("0000", "1111", "1010", "0001"))
    page = open_page(address(state))
    cell(page, "Q", 1, 0).focus()
    part(page, "slider").evaluate("(s) => { s.value = s.min; s.dispatchEvent(new Event('input')); }")
    frames(page)
    assert tried(page)
    assert not [text for heat in stages(page) for text in (c.text for c in heat.values()) if "NaN" in text]
    expect_shown(page, changed(state, "Q", 1, 0, "-1000000"))
    assert "1000000" in part(page, "number").inner_text()


# Trying


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    page = open_page("/edit")
    page.locator('input[name="whatif"]').wait_for(state="attached")
    return page


def test_dragging_and_sliding_repaint_and_send_nothing(page: Page) -> None:
    start, before = preset("cat"), messages(page)
    expect(part(page, "invite")).to_have_text(EN("invite"))
    drag(page, cell(page, "Q", 1, 1), 40)
    frames(page)
    assert cell(page, "Q", 1, 1).input_value() == "1.80"
    assert part(page, "number").inner_text().endswith(", 2]: 1 → 1.80")
    expect_shown(page, changed(start, "Q", 1, 1, "1.8"))
    of_kept = page.locator(".st-key-kept_below")  # what is said there is of other numbers than those on screen
    expect(of_kept).to_have_css("opacity", "0.4")
    expect(of_kept).to_have_attribute("title", EN("later"))

    cell(page, "V", 2, 0).click()  # another number; the first is tried all the same
    part(page, "slider").evaluate("(s) => { s.value = -50; s.dispatchEvent(new Event('input')); }")
    expect_shown(page, changed(changed(start, "Q", 1, 1, "1.8"), "V", 2, 0, "0"))

    part(page, "open").click()
    part(page, "scales").get_by_role("button").nth(1).click()
    part(page, "mask").get_by_role("button").nth(1).click()
    part(page, "temperature").evaluate("(t) => { t.value = 0.3; t.dispatchEvent(new Event('input')); }")
    frames(page)
    expected = attention.attention_steps(
        *changed(changed(start, "Q", 1, 1, "1.8"), "V", 2, 0, "0").qkv(),
        np.array([c == "1" for c in "1011111111111111"]).reshape(4, 4), scale=2.0,
    )  # fmt: skip
    np.testing.assert_allclose(shown(page)[3], expected.output, atol=0.00006)
    assert messages(page) == before

    expect(part(page, "heated")).to_be_visible()
    part(page, "go").click()
    expect_shown(page, start)
    expect(of_kept).to_have_css("opacity", "1")
    expect(part(page, "heated")).to_be_hidden()
    assert tried(page) == ""
    assert typed(page, "Q") == [list(row) for row in start.matrices["Q"]]
    assert messages(page) == before


def test_what_is_kept_is_one_edit(page: Page) -> None:
    start = preset("cat")
    drag(page, cell(page, "K", 0, 1), -37)
    frames(page)
    text = cell(page, "K", 0, 1).input_value()
    part(page, "open").click()
    part(page, "scales").get_by_role("button").nth(1).click()
    part(page, "mask").get_by_role("button").nth(4).click()
    frames(page)
    before = messages(page)
    part(page, "keep").click()
    settle(page)
    assert messages(page) == before + 1
    kept = changed(start, "K", 0, 1, text.replace("−", "-").rstrip("0"))
    kept = replace(kept, scale="none", mask="own", allowed=("1111", "0111", "1111", "1111"))
    assert bench(page) == kept
    assert tried(page) == ""
    assert typed(page, "K") == [list(row) for row in kept.matrices["K"]]
    expect_shown(page, kept)
    page.get_by_role("button", name="Undo").click()
    settle(page)
    assert bench(page) == start
    expect_shown(page, start)


def test_the_picture_does_not_flicker_when_it_is_kept(page: Page) -> None:
    drag(page, cell(page, "Q", 0, 0), 60)
    frames(page)
    page.evaluate(
        """() => {
          const cell = () => document.querySelector('g[class*="cells_0"] path').getAttribute("aria-label");
          window.seen = new Set();
          const look = () => { window.seen.add(cell()); requestAnimationFrame(look); };
          look();
        }"""
    )
    part(page, "keep").click()
    settle(page)
    seen = page.evaluate("[...window.seen]")
    assert len(seen) == 1, seen


def test_the_keyboard_alone(page: Page) -> None:
    cell(page, "Q", 2, 2).focus()
    for _ in range(3):
        page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+Shift+ArrowDown")
    frames(page)
    assert cell(page, "Q", 2, 2).input_value() == "2.79"
    page.keyboard.press("Escape")
    frames(page)
    assert cell(page, "Q", 2, 2).input_value() == "2.5"
    assert tried(page) == ""
    part(page, "slider").focus()
    page.keyboard.press("ArrowRight")
    frames(page)
    expect_shown(page, changed(preset("cat"), "Q", 2, 2, "2.51"))
    page.keyboard.press("Enter")
    settle(page)
    assert bench(page).matrices["Q"][2][2] == "2.51"
    cell(page, "Q", 2, 2).focus()
    page.keyboard.press("Alt+ArrowUp")
    frames(page)
    page.keyboard.press("Enter")
    settle(page)
    assert bench(page).matrices["Q"][2][2] == "2.61"


# What crosses it


def test_a_click_still_types_and_what_is_tried_elsewhere_stays_tried(page: Page) -> None:
    start = preset("cat")
    drag(page, cell(page, "K", 1, 0), 40)
    part(page, "open").click()
    part(page, "scales").get_by_role("button").nth(1).click()
    type_in(page, cell(page, "Q", 3, 3), "7")
    settle(page)
    assert bench(page) == changed(start, "Q", 3, 3, "7")
    tried_K = changed(bench(page), "K", 1, 0, cell(page, "K", 1, 0).input_value())
    assert tried_K != bench(page)
    expect_shown(page, replace(tried_K, scale="none"))

    cell(page, "Q", 2, 0).fill("0.62")  # and no Enter: the press on the button sends it
    part(page, "keep").click(delay=400)  # long enough for its answer
    settle(page)
    kept = workbench.with_cells(bench(page), "Q", {(2, 0): "0.62", (3, 3): "7"})
    assert bench(page) == kept
    assert float(kept.matrices["K"][1][0]) == float(tried_K.matrices["K"][1][0])
    assert kept.scale == "none"
    assert tried(page) == ""
    page.get_by_role("button", name="Undo").click()
    settle(page)
    assert bench(page) == workbench.with_cells(start, "Q", {(2, 0): "0.62", (3, 3): "7"}), "kept in one step"


def test_what_is_typed_into_a_cell_ends_what_is_tried_there(page: Page) -> None:
    start, where = preset("cat"), cell(page, "V", 0, 0)
    for text, invalid in ((start.matrices["V"][0][0], "false"), ("abc", "true")):
        drag(page, where, 40)
        frames(page)
        assert tried(page)
        page.keyboard.type(text)  # over the number that is tried: it is selected
        page.keyboard.press("Enter")
        settle(page)
        assert tried(page) == ""
        assert bench(page) == start
        assert where.input_value() == text
        assert where.get_attribute("aria-invalid") == invalid


def test_what_is_typed_is_not_lost_to_what_is_kept(page: Page, unanswered: Hold) -> None:
    type_in(page, cell(page, "V", 0, 3), "xyz")
    type_in(page, cell(page, "Q", 0, 0), "4")
    settle(page)
    drag(page, cell(page, "Q", 0, 0), 50)
    page.keyboard.press("Enter")
    settle(page)
    assert bench(page) == changed(preset("cat"), "Q", 0, 0, "5")
    expect(page.get_by_test_id("stAlert").filter(has_text="xyz")).to_be_visible()
    assert cell(page, "V", 0, 3).input_value() == "xyz"
    assert cell(page, "Q", 0, 0).input_value() == "5"
    type_in(page, cell(page, "K", 0, 0), "6")  # and not what was typed before it was kept
    settle(page)
    assert bench(page) == workbench.with_cells(changed(preset("cat"), "Q", 0, 0, "5"), "K", {(0, 0): "6"})

    drag(page, cell(page, "V", 0, 3), 50)  # a number for the one that could not be read
    with unanswered():
        part(page, "keep").click()
        type_in(page, cell(page, "V", 0, 3), "8")
    settle(page)
    assert bench(page).matrices["V"][0][3] == "8", "typed after it was kept"
    assert page.get_by_test_id("stAlert").filter(has_text="xyz").count() == 0


def test_slow_answers_end_nothing(page: Page, unanswered: Hold) -> None:
    start = preset("cat")
    with unanswered():
        cell(page, "Q", 1, 0).fill("0.7")
        drag(page, cell(page, "K", 1, 0), 50)
    settle(page)
    assert bench(page) == changed(start, "Q", 1, 0, "0.7")
    moved = cell(page, "K", 1, 0).input_value().replace("−", "-")
    expect_shown(page, changed(bench(page), "K", 1, 0, moved))
    with unanswered():
        part(page, "keep").click()
        drag(page, cell(page, "K", 2, 1), 20)
        drag(page, cell(page, "V", 3, 0), -20)
        drag(page, cell(page, "Q", 3, 0), 20)
    settle(page)
    kept = bench(page)
    assert float(kept.matrices["K"][1][0]) == float(moved)
    now = kept
    for name, i, j in (("K", 2, 1), ("V", 3, 0), ("Q", 3, 0)):
        text = cell(page, name, i, j).input_value().replace("−", "-")
        assert float(text) != float(kept.matrices[name][i][j])
        now = changed(now, name, i, j, text)
    expect_shown(page, now)


def test_a_drag_starts_from_what_was_just_typed(page: Page, unanswered: Hold) -> None:
    starts = {"1/4": 0.25, "−2": -2, "１．５": 1.5, "abc": float(preset("cat").matrices["V"][3][3])}

    def shown_by(row: int) -> float:
        return float(cell(page, "V", row, 3).input_value().replace("−", "-"))

    with unanswered():
        for row, (text, start) in enumerate(starts.items()):
            cell(page, "V", row, 3).fill(text)
            drag(page, cell(page, "V", row, 3), 60)
            frames(page)
            assert shown_by(row) == start + 1.2
    settle(page)
    assert [shown_by(row) for row in range(4)] == [start + 1.2 for start in starts.values()]
    assert [row[3] for row in bench(page).matrices["V"]] == ["1/4", "-2", "1.5", preset("cat").matrices["V"][3][3]]


def test_keys_after_a_number_was_moved(page: Page) -> None:
    where = cell(page, "Q", 2, 2)
    where.click()
    page.keyboard.press("Alt+ArrowUp")
    frames(page)
    page.keyboard.press("Enter")
    settle(page)
    assert where.input_value() == "2.6"
    page.keyboard.press("Alt+ArrowUp")
    frames(page)
    page.keyboard.type("7")
    assert where.input_value() == "7", "what is typed replaces it"
    page.keyboard.press("Enter")
    settle(page)

    drag(page, where, 50, release=False)
    frames(page)
    page.keyboard.press("Escape")
    box = where.bounding_box()
    assert box
    page.mouse.move(box["x"] + 90, box["y"])
    frames(page)
    assert tried(page) == "", "it was let go"
    page.mouse.up()
    part(page, "slider").focus()
    for reach in (3, 6, 12):
        page.keyboard.press("End")
        frames(page)
        assert float(where.input_value()) == 7 + reach, "the slider reaches as far as one goes"


def test_it_survives_a_switch_of_language_and_ends_with_undo(page: Page) -> None:
    type_in(page, cell(page, "V", 3, 3), "4")
    settle(page)
    drag(page, cell(page, "Q", 1, 0), 50)
    frames(page)
    string = tried(page)
    choose(page, "中文")
    assert tried(page) == string
    assert cell(page, "Q", 1, 0).input_value() == "3.00"
    expect(part(page, "keep")).to_have_text(Text("whatif", "zh")("keep"))
    page.get_by_role("button", name=Text("edit", "zh")("undo")).click()
    settle(page)
    assert tried(page) == ""
    assert bench(page) == preset("cat")
    expect_shown(page, preset("cat"))
    page.get_by_test_id("stSidebarNavItems").get_by_role("link").nth(2).click()
    settle(page)
    assert page.evaluate("window.attentionLabWhatIf === undefined")


def test_by_touch_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/edit", width=390, user_agent="Mozilla/5.0 (Linux; Android 14) Mobile", touch=True)
    page.locator('input[name="whatif"]').wait_for(state="attached")
    before = messages(page)
    touch = page.context.new_cdp_session(page)

    def swipe(where: Locator, by: float) -> None:
        where.scroll_into_view_if_needed()
        box = where.bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for k in range(1, 6):
            at = {"x": x + by * k / 5, "y": y}
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        frames(page)

    swipe(cell(page, "Q", 1, 1), 60)
    assert float(cell(page, "Q", 1, 1).input_value()) > 1.3
    page.get_by_test_id("stVegaLiteChart").last.scroll_into_view_if_needed()
    expect(part(page, "slider")).to_be_in_viewport()  # it follows, so that both are seen at once
    first = tried(page)
    swipe(part(page, "slider"), 80)
    assert tried(page) not in {"", first}
    assert messages(page) == before
    page.locator('[data-part="keep"]').tap()
    settle(page)
    assert bench(page) != preset("cat")


# Where the browser does not compute it


@pytest.mark.parametrize("why", ["size", "route"])
def test_elsewhere_a_released_number_goes_to_the_server(why: str, open_page: OpenPage) -> None:
    state = workbench.random(tuple("abcdefghi"), 4, 4, 1) if why == "size" else replace(preset("cat"), route="input")
    name = "Q" if why == "size" else "W_K"
    page = open_page(address(state))
    drag(page, cell(page, name, 1, 1), 50, release=False)
    frames(page)
    expect(part(page, "why")).to_contain_text("server")
    assert bench(page) == state
    moved = cell(page, name, 1, 1).input_value().replace("−", "-")
    page.mouse.up()
    settle(page)
    assert float(bench(page).matrices[name][1][1]) == float(moved)
    assert bench(page) == changed(state, name, 1, 1, bench(page).matrices[name][1][1])
    expect_shown(page, bench(page))
