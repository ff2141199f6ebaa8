"""The look-up by hand: stepped by key, played, scrubbed, pointed at; and what it shows is what the core computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from playwright.sync_api import Locator, Page, expect

import attention
from tests.browser.helpers import becomes, bench, messages, settle
from ui import display, link, views
from ui.text import Text
from ui.workbench import Workbench, preset

OpenPage = Callable[..., Page]
CAT = preset("cat")
EN = Text("lookup", "en")
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"


def address(state: Workbench, lang: str = "en") -> str:
    return f"/lookup?lang={lang}&s={link.encode(state)}"


def part(page: Page, name: str) -> Locator:
    return page.locator(f'[data-part="{name}"]')


def chips(page: Page) -> list[str]:
    return page.locator(".chip").all_text_contents()


def thickness(page: Page, side: str) -> list[float]:
    """How thick each ribbon is where it meets its key, in pixels, once nothing moves."""
    expect(part(page, "picture")).not_to_have_attribute("data-moving", "")
    paths = page.locator(f"path.{side}").evaluate_all("(all) => all.map((path) => path.getAttribute('d'))")
    ends = [[[float(x) for x in pair.split(",")] for pair in re.findall(r"[\d.]+,[\d.]+", d)] for d in paths]
    return [end[4][1] - end[3][1] for end in ends]


def view(page: Page, name: str) -> object:
    return dict(bench(page).view).get(name)


def short(row: object) -> list[str]:
    return [display.short(float(x)) for x in np.asarray(row)]


def test_by_key_to_the_end_of_the_story(open_page: OpenPage) -> None:
    page = open_page(address(CAT))
    steps = CAT.steps()
    page.keyboard.press("ArrowRight")  # nobody else listens
    expect(part(page, "name")).to_have_text("Which label?")
    part(page, "slider").focus()
    page.keyboard.press("ArrowRight")
    expect(part(page, "sum")).to_have_text("new 追 chase = 1.00·猫 cat")
    becomes(page, lambda: bench(page), views.shown(CAT, "lookup.step", 2))

    page.keyboard.press("ArrowRight")  # behind the last step is the next kind
    settle(page)
    assert bench(page) == views.shown(CAT, "lookup.kind", "graded")
    part(page, "play").click()
    expect(part(page, "name")).to_have_text("T = 1.00", timeout=15_000)
    becomes(page, lambda: view(page, "lookup.sharp"), 20)
    assert chips(page) == short(steps.weights[1])
    part(page, "forward").click()
    settle(page)

    part(page, "slider").focus()
    for expected in (steps.scores[1], steps.masked[1], steps.weights[1], steps.weights[1], steps.weights[1]):
        page.keyboard.press("ArrowRight")
        assert chips(page) == short(expected)
    mixture = "new 追 chase = 0.45·猫 cat + 0.40·老鼠 mouse + 0.10·追 chase + 0.05·的 (particle)"
    expect(part(page, "sum")).to_have_text(mixture)
    for side in ("left", "right"):
        drawn = np.array(thickness(page, side))
        np.testing.assert_allclose(drawn / drawn.sum(), steps.weights[1], atol=0.01)
    becomes(page, lambda: view(page, "lookup.step"), 5)
    page.reload()
    settle(page)
    expect(part(page, "name")).to_have_text("④ The sum")
    assert part(page, "say").inner_text().endswith(f"({', '.join(short(steps.output[1]))}).")
    part(page, "slider").focus()
    page.keyboard.press("Home")
    expect(part(page, "name")).to_have_text("The query")


def test_a_state_to_try_stops_what_is_playing(open_page: OpenPage) -> None:
    page = open_page(address(views.shown(CAT, "lookup.kind", "real")))
    page.locator("g.row .token").first.click()
    page.keyboard.press("Space")
    expect(part(page, "playing")).to_have_text("Pause")
    page.wait_for_timeout(700)  # it is on its way
    page.get_by_role("button", name="Causal mask").click()
    settle(page)
    assert dict(bench(page).view)["lookup.step"] == int(part(page, "slider").input_value()) == 2
    expect(part(page, "playing")).to_have_text("Play")


def test_scrubbing_sends_nothing_until_it_is_let_go(open_page: OpenPage) -> None:
    page = open_page(address(views.shown(CAT, "lookup.kind", "graded")))
    before, box = messages(page), part(page, "slider").bounding_box()
    assert box
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in (0.3, 0.8, 0.5):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=3)
        page.wait_for_timeout(450)  # longer than what counts as settled
    k = int(part(page, "slider").input_value())
    assert 8 <= k <= 12
    assert messages(page) == before
    assert chips(page) == short(attention.tempered_softmax(CAT.steps().masked[1], k / 20))
    page.mouse.up()
    becomes(page, lambda: view(page, "lookup.sharp"), k)
    assert messages(page) == before + 1


def test_a_ribbon_says_its_number_and_others_can_ask(open_page: OpenPage) -> None:
    page = open_page(address(views.shown(views.shown(CAT, "lookup.kind", "real"), "lookup.step", 5)))
    steps, row, told = CAT.steps(), page.locator("g.row"), part(page, "told")
    row.nth(2).locator(".hit").last.hover(force=True)
    expect(told).to_contain_text(f"= {display.short(float(steps.weights[1, 2]))}")
    expect(told).to_contain_text("q·k = 2.00·1.00 + 1.00·0 + 1.50·1.50 + 0·0 = 4.25")
    page.mouse.move(5, 5)
    expect(told).to_have_text(Text("ribbons", "en")("hint"))
    part(page, "slider").focus()
    page.keyboard.press("Tab")  # into the picture
    expect(told).to_contain_text("追 chase → 猫 cat")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(told).to_contain_text(f"= {display.short(float(steps.weights[1, 3]))}")
    part(page, "look").click()
    settle(page)
    assert bench(page).cell == ("weights", 1, 3, -1)
    expect(page.locator(".st-key-trace")).to_contain_text("0.05")
    part(page, "ask").click()
    settle(page)
    asked = replace(bench(page), token=3)
    assert bench(page) == asked
    assert chips(page) == short(steps.weights[3])
    page.locator('input[aria-label="Q, 的 (particle), column 4"]').fill("-5")
    page.keyboard.press("Enter")
    becomes(page, lambda: bench(page).matrices["Q"][3][3], "-5")
    becomes(page, lambda: chips(page), short(bench(page).steps().weights[3]))


def test_on_a_phone_without_motion(open_page: OpenPage) -> None:
    page = open_page(address(views.shown(CAT, "lookup.kind", "real"), "zh"), width=390, user_agent=PHONE, touch=True)
    page.emulate_media(reduced_motion="reduce")
    assert "Tab" not in part(page, "told").inner_text()
    tops = set()
    for _ in range(3):
        tops.add(part(page, "picture").bounding_box()["y"])  # type: ignore[index]
        part(page, "forward").tap()
    assert len(tops) == 1, "the picture stands still, however long the step's name is"
    assert chips(page) == short(CAT.steps().weights[1])
    drawn = np.array(thickness(page, "left"))
    np.testing.assert_allclose(drawn / drawn.sum(), CAT.steps().weights[1], atol=0.02)
    page.locator("g.row .token").first.tap()
    expect(part(page, "told")).to_contain_text("0.45")
    picture = part(page, "picture").bounding_box()
    assert picture
    assert picture["width"] <= 390
    becomes(page, lambda: view(page, "lookup.step"), 3)
