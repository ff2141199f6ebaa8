"""Random rows in a browser: d_k and α are dragged without the server, and what is drawn is what the core computes."""

from __future__ import annotations

from urllib.parse import quote

import numpy as np
import pytest

from attention import saturation, softmax, softmax_jacobian
from attention.saturation import DEAD
from tests.browser.helpers import bench, chart, settle
from ui import link, views
from ui.variance_measure import ROWS
from ui.variance_softmax_frame import cells
from ui.workbench import preset

DOZEN = """(chart) => [...chart.querySelectorAll("path")].map((path) => path.__data__?.datum)
  .filter((datum) => datum?.kind === "row" && datum.key)
  .map((datum) => [datum.i, +datum.key.slice(1), datum.p, datum.norm])"""


@pytest.fixture(scope="module")
def measured():
    """At the d_k that are looked at: vectors grow, so that these are the page's very numbers."""
    return saturation.measure_saturation(ROWS, (23, 512), seed=0)


def address(**shown):
    now = preset("cat")
    for name, value in {"part": "softmax", **shown}.items():
        now = views.shown(now, f"variance.{name}", value)
    return "/variance?lang=en&s=" + quote(link.encode(now))


def move(page, nth, keys):
    page.locator('form.vega-bindings input[type="range"]').nth(nth).focus()
    for key in keys:
        page.keyboard.press(key)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def words(page):
    return chart(page).locator("svg text").all_text_contents()


def drawn(page):
    """The weights and the Jacobian norms of the dozen, as the browser computed them."""
    p, norms = np.zeros((12, 8)), np.zeros(12)
    for row, key, weight, norm in chart(page).evaluate(DOZEN):
        p[row, key], norms[row] = weight, norm
    return p, norms


def test_dragging_d_k_and_alpha_divides_the_dozen_in_the_browser_alone(open_page, measured, unanswered):
    page = open_page(address(guess_dead="skip"))
    with unanswered():
        right, left = ["ArrowRight"] * 5, ["ArrowLeft"] * 9
        for nth, keys, d_k, alpha in ((0, [], 512, 0.0), (1, right, 512, 0.25), (0, left, 23, 0.25)):
            move(page, nth, keys)
            s = measured.d_k.index(d_k)
            wanted = softmax(measured.scores[s, :12] / d_k**alpha)
            p, norms = drawn(page)
            np.testing.assert_allclose(p, wanted, rtol=1e-9, atol=1e-15)
            np.testing.assert_allclose(norms, np.linalg.norm(softmax_jacobian(wanted), axis=(1, 2)), atol=1e-7)
            said = words(page)
            assert f"d_k = {d_k}: {(norms < DEAD).sum()} of 12 dead" in said
            assert sum(text.endswith(" dead") and not text.startswith("d_k") for text in said) == (norms < DEAD).sum()
            for column in ("none", "sqrt", f"power_{alpha:.2f}"):
                assert {cells(measured, d_k, column)[what] for what in ("entropy", "dead", "median")} <= set(said)


def test_a_guess_is_drawn_at_512_and_nothing_of_the_answer_before(open_page, measured):
    page = open_page(address())
    assert not [text for text in words(page) if "%" in text]
    move(page, 0, ["End"])
    assert [text for text in words(page) if text.startswith("d_k = 64: ")]
    page.get_by_role("slider", name="At d_k = 512").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="That is my guess").click()
    settle(page)
    assert views.get(bench(page), "variance.guess_dead") == 60
    assert "your guess" in words(page)
    assert "You guessed 60%." in page.get_by_test_id("stMain").inner_text()
    assert cells(measured, 512, "none")["dead"] in words(page)
    assert page.get_by_test_id("stMain").get_by_text("which share of random rows is dead?").is_visible()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720)])
def test_everything_fits_and_sliders_are_near_the_rows(open_page, width, height):
    """On a phone, and where the column is no wider than the charts' layout needs."""
    page = open_page(address(guess_dead=40), width=width, height=height)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
    picture, column = chart(page).locator("svg").bounding_box(), page.locator(".st-key-dragged_softmax").bounding_box()
    assert picture["width"] <= column["width"] + 1
    sliders = page.locator("form.vega-bindings").bounding_box()
    assert 0 <= picture["y"] - sliders["y"] - sliders["height"] <= 20  # right above the rows


def test_what_is_said_of_a_row_is_not_cut_off(open_page):
    """On a phone, at d_k = 64, where the words beside the rows are longest."""
    page = open_page(address(), width=390)
    move(page, 0, ["End"])
    edge = chart(page).locator("svg").evaluate("(svg) => svg.getBoundingClientRect().right")
    words_end = chart(page).locator("svg text").evaluate_all(
        "(all) => Math.max(...all.map((each) => each.getBoundingClientRect().right))"
    )
    assert words_end <= edge
