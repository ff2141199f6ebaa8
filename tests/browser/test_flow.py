"""The data flow by hand: nodes are opened by mouse, key and touch, and a changed size marks the nodes it reaches."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import bench, chart, settle, stages
from ui import flow, link, views
from ui import workbench as w
from ui.text import Text

OpenPage = Callable[..., Page]
EN = Text("flow", "en")
CAT = w.preset("cat")
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"


def node(page: Page, name: str) -> Locator:
    return page.locator(f'.flow button[data-node="{name}"]')


def changed(page: Page) -> set[str]:
    marked = page.locator('.flow button[data-changed="true"]')
    return set(marked.evaluate_all("(nodes) => nodes.map((node) => node.dataset.node)"))


def opened(page: Page) -> str:
    return str(page.locator('.flow button[aria-pressed="true"]').get_attribute("data-node"))


def assert_apart(page: Page) -> None:
    """No node covers another, none stands out of the page, and each arrow ends where its node begins."""
    boxes = page.locator(".flow button").evaluate_all(
        "(nodes) => nodes.map((node) => { const b = node.getBoundingClientRect();"
        " return [b.left, b.right, b.top, b.bottom]; })"
    )
    for i, (left, right, top, bottom) in enumerate(boxes):
        assert left >= 0
        assert right <= page.viewport_size["width"]  # type: ignore[index]
        for other in boxes[:i]:
            assert right <= other[0] or left >= other[1] or bottom <= other[2] or top >= other[3]
    gaps = page.evaluate("""() => {
      const root = [...document.querySelectorAll('[data-testid^="stBidiComponent"]')]
        .map((each) => each.querySelector("*")?.shadowRoot ?? each.shadowRoot ?? each)
        .map((each) => each.querySelector(".flow")).find(Boolean);
      const origin = root.getBoundingClientRect();
      return [...root.querySelectorAll("path[data-tip]")].map((path) => {
        const [, x, y] = /^M([-\\d.]+),([-\\d.]+)/.exec(path.getAttribute("d")).map(Number);
        const box = root.querySelector(`[data-node="${path.dataset.to}"]`).getBoundingClientRect();
        const [dx, dy] = [[x + origin.left, box.left, box.right], [y + origin.top, box.top, box.bottom]]
          .map(([at, low, high]) => Math.max(low - at, 0, at - high));
        return Math.max(dx, dy);
      });
    }""")
    assert len(gaps) == 12
    assert max(gaps) < 1.5


def test_a_node_opens_by_click_and_key_and_a_changed_size_marks_the_nodes_it_reaches(open_page: OpenPage) -> None:
    page = open_page("/flow", height=768)
    assert opened(page) == "scores"
    assert_apart(page)
    for name in ("X", "output", "V"):  # the whole picture is seen at once
        expect(node(page, name)).to_be_in_viewport(ratio=1)

    node(page, "weights").click()
    settle(page)
    assert opened(page) == "weights"
    assert views.get(bench(page), "flow.node") == "weights"
    numbers = {at: cell.value for at, cell in stages(page, 0)[0].items()}
    weights = flow.of(CAT).steps.weights
    assert numbers == {at: pytest.approx(x, abs=6e-5) for at, x in np.ndenumerate(weights)}

    chart(page, 0).locator('g[class*="cells_0"] path').nth(4).click()  # 追 → 猫
    settle(page)
    assert bench(page).cell == ("weights", 1, 0, -1)
    expect(page.locator(".st-key-trace")).to_contain_text("0.45")

    node(page, "weights").press("Tab")
    page.keyboard.press("Enter")
    settle(page)
    assert opened(page) == "output"
    assert node(page, "output").evaluate("(each) => each.getRootNode().activeElement === each")  # the key's place stays
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert opened(page) == "weights"
    page.keyboard.press("ArrowRight")
    settle(page)
    assert opened(page) == "output"

    page.get_by_role("spinbutton", name=EN("size_d_v")).locator("xpath=ancestor::*[@data-testid='stNumberInput']") \
        .get_by_test_id("stNumberInputStepUp").click()
    settle(page)
    assert bench(page).sizes["d_v"] == 5
    assert changed(page) == {"W_V", "V", "output"}
    expect(node(page, "V")).to_have_accessible_name(re.compile("4 × 5, was 4 × 4"))
    expect(page.get_by_text("only W_V, V, ④ have another shape")).to_be_visible()
    assert_apart(page)

    page.reload()
    settle(page)
    assert opened(page) == "output"


def test_on_a_phone_the_flow_runs_down_and_another_sequence_joins_it(open_page: OpenPage) -> None:
    state = views.shown(CAT, "flow.positions", True)
    page = open_page(f"/flow?lang=en&s={link.encode(state)}", width=390, user_agent=PHONE, touch=True)
    assert_apart(page)
    tops = [node(page, name).bounding_box()["y"] for name in ("X", "W_Q", "Q", "scores", "weights", "output")]  # type: ignore[index]
    assert tops == sorted(tops)
    page.get_by_text(EN("label_cross")).tap()
    settle(page)
    assert views.get(bench(page), "flow.cross") is True
    assert changed(page) == {"K", "V", "scores", "scaled", "weights"}
    assert_apart(page)
    for name in ("Q", "Q"):  # also when it is open already
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 300)")
        node(page, name).tap()
        settle(page)
        expect(page.locator(".st-key-flow_open h4")).to_be_in_viewport()
    page.locator(".st-key-flow_after button").tap()  # a phone has no arrow keys
    settle(page)
    assert opened(page) == "K"
    node(page, "K").tap()
    settle(page)
    assert opened(page) == "K"
    page.wait_for_function(
        """() => { const { top } = document.querySelector(".st-key-flow_open").getBoundingClientRect();
                   return top >= 0 && top < innerHeight / 2; }"""
    )
