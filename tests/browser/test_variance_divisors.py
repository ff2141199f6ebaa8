"""Divisors in a browser: what is dragged is computed there, without the server, and is the core's."""

from __future__ import annotations

import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page

from attention.saturation import Saturation, measure_saturation
from attention.softmax import softmax
from tests.browser.helpers import settle
from ui import link, views
from ui.workbench import preset

STOPS = (4, 64, 256)


def at(divisor: str, guess: str = "skip") -> str:
    bench = preset("cat")
    for name, value in {"part": "divisors", "divisor": divisor, "guess_alpha": guess}.items():
        bench = views.shown(bench, f"variance.{name}", value)
    return f"/variance?lang=en&s={quote(link.encode(bench))}"


@pytest.fixture(scope="module")
def found() -> Saturation:
    return measure_saturation(4000, STOPS, seed=0)


def press(page: Page, slider: str, key: str, times: int) -> None:
    page.get_by_role("slider", name=slider).focus()
    for _ in range(times):
        page.keyboard.press(key)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def marks(page: Page, kind: str, count: int) -> list[list[str]]:
    """What the marks of each group of so many say."""
    said: list[list[str]] = page.evaluate(
        """([kind, count]) => [...document.querySelectorAll(`.st-key-divisors g.mark-${kind}`)]
             .filter((g) => g.childElementCount === count)
             .map((g) => [...g.children].map((mark) => mark.getAttribute('aria-label')))""",
        [kind, count],
    )
    return said


def numbers(labels: list[str], name: str) -> list[float]:
    found = (re.search(rf"(?:^|; ){name}: ([^;]+)", label) for label in labels)
    return [float(each[1].replace("−", "-")) for each in found if each]


def weights(page: Page) -> list[np.ndarray]:
    """The weights in the four panels."""
    return [np.reshape(numbers(labels, "p"), (3, 8)) for labels in marks(page, "rect", 24)]


def words(page: Page) -> str:
    return page.locator(".st-key-divisors [data-testid=stVegaLiteChart] svg").first.text_content() or ""


def test_dragging_divides_in_the_browser_alone(open_page, found, unanswered):
    page = open_page(at("cosine"))
    with unanswered():
        for s, d_k in enumerate(STOPS):
            press(page, "d_k", "Home", 1)
            press(page, "d_k", "ArrowRight", d_k.bit_length() - 3)  # from 2²
            assert f"d_k = {d_k}" in words(page)
            for shown, by in zip(weights(page), (1, d_k**0.5, d_k**0.25, None), strict=True):
                wanted = softmax(found.cosines[s, :3] if by is None else found.scores[s, :3] / by)
                np.testing.assert_allclose(shown, wanted, atol=1e-9)
        press(page, "α", "ArrowRight", 5)  # 0.5: the power is the root
        _, root, power, _ = weights(page)
        np.testing.assert_allclose(power, root, atol=1e-12)
        bars = marks(page, "rect", 36)
        assert numbers(bars[1], "≥") == numbers(bars[2], "≥")
        assert f"entropy {found.entropy[found.at(d_k, 'sqrt')][0]:.4f}" in words(page)
        press(page, "α", "End", 1)
        line, _ = marks(page, "symbol", 11)
        spread = dict(zip(numbers(line, "d"), numbers(line, "y_now"), strict=True))
        for d_k in STOPS:
            assert spread[d_k] == pytest.approx(found.spread(d_k, "linear")[0], rel=1e-4)


def test_another_divisor_keeps_what_was_dragged(open_page, found):
    page = open_page(at("linear"))
    press(page, "α", "End", 1)
    press(page, "d_k", "ArrowRight", 2)
    page.get_by_test_id("stButtonGroup").get_by_text("÷ √d_model").click()
    settle(page)
    for shown, by in zip(weights(page)[2:], (256, (8 * 256) ** 0.5), strict=True):
        np.testing.assert_allclose(shown, softmax(found.scores[-1, :3] / by), atol=1e-9)


def test_the_root_is_found_before_it_is_shown(open_page, found):
    page = open_page(at("linear", guess=""))
    assert len(weights(page)) == 3
    assert "q·k ÷ √d_k" not in words(page)
    sliders = page.locator("form.vega-bindings").bounding_box()
    picture = page.locator(".st-key-divisors [data-testid=stVegaLiteChart] svg").first.bounding_box()
    assert 0 <= picture["y"] - sliders["y"] - sliders["height"] <= 20  # right above the panels
    press(page, "α", "ArrowRight", 5)
    np.testing.assert_allclose(weights(page)[0], softmax(found.scores[1, :3] / 8), atol=1e-9)  # d_k = 64
    page.get_by_text("½", exact=True).click()
    settle(page)
    drawn = "() => document.querySelector('[data-testid=stVegaLiteChart] svg').textContent.includes('q·k ÷ √d_k')"
    page.wait_for_function(drawn)
    _, root, power, _ = weights(page)
    np.testing.assert_allclose(power, root, atol=1e-12)  # α begins where it was said to be
    assert page.get_by_text("Right, α = ½").is_visible()


def test_on_a_phone_all_panels_and_sliders_are_on_one_screen(open_page):
    page = open_page(at("log"), width=390)
    chart = page.locator(".st-key-divisors [data-testid=stVegaLiteChart]")
    fits = "(chart) => chart.scrollWidth <= 390 && chart.querySelector('svg').getBoundingClientRect().width <= 390"
    page.wait_for_function(fits, arg=chart.element_handle())  # the page has been told how wide it is
    chart = chart.bounding_box()
    assert chart["height"] < 844 - 100
    for name in ("α", "d_k"):
        box = page.get_by_role("slider", name=name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
