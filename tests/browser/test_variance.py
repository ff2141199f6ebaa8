"""The √d_k page in a browser: dragging is answered by the browser alone, with the measured numbers."""

from __future__ import annotations

import pytest

from attention import experiment
from tests.browser.helpers import messages, settle

SLIDER = 'form.vega-bindings input[type="range"]'


def bars(page, which=0):
    """Where the bars of a histogram are, in pixels: [left, width, height] of each that can be seen."""
    return page.evaluate(
        """(which) => {
          const chart = document.querySelectorAll('[data-testid="stVegaLiteChart"]')[0];
          const groups = [...chart.querySelectorAll('g.mark-rect')].filter((g) => g.childElementCount === 36);
          return [...groups[which].children].map((bar) => bar.getBoundingClientRect())
            .map((box) => [box.left, box.width, box.height]);
        }""",
        which,
    )


def words(page):
    return page.locator('[data-testid="stVegaLiteChart"]').first.locator("svg").first.text_content()


def press(page, key, times):
    page.locator(SLIDER).focus()
    for _ in range(times):
        page.keyboard.press(key)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_dragging_widens_the_left_bell_alone_and_sends_nothing(open_page, lang):
    page = open_page("/variance", lang=lang)
    spread = experiment.measure_spread(10_000, seed=0)
    left, right = bars(page, 0), bars(page, 1)
    sent = messages(page)

    box = page.locator(SLIDER).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + box["width"] * (0.5 + step / 32), middle)
    page.mouse.up()
    press(page, "Home", 1)
    press(page, "ArrowRight", 16)  # n = 8

    assert messages(page) == sent
    assert "d_k = 256" in words(page)
    assert f"{spread.variance[experiment.STOPS.index(256)]:.1f}" in words(page)
    assert [bar[1] for bar in bars(page, 0)] == pytest.approx([2 * bar[1] for bar in left], rel=0.05)
    assert [bar[:2] for bar in bars(page, 1)] == [bar[:2] for bar in right]


def test_the_heights_are_the_counts(open_page):
    page = open_page("/variance")
    counts = experiment.measure_spread(10_000, (1, 64), seed=0).counts[1]
    heights = [bar[2] for bar in bars(page, 1)]
    tallest = counts.argmax()
    assert heights == pytest.approx((counts * heights[tallest] / counts[tallest]).tolist(), abs=0.6)


def test_another_draw_and_another_language_keep_the_slider(open_page):
    page = open_page("/variance", lang="zh")
    press(page, "ArrowRight", 4)
    page.get_by_text("English").click()
    settle(page)
    assert "d_k = 256" in words(page)
    page.get_by_role("button", name="Draw again").click()
    settle(page)
    assert "d_k = 256" in words(page)
    assert f"{experiment.measure_spread(10_000, (1, 256), seed=1).variance[1]:.1f}" in words(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_slider_has_a_name_and_fits_a_phone(open_page, scheme):
    page = open_page("/variance", lang="zh", width=390, scheme=scheme)
    slider = page.get_by_role("slider", name="d_k = 2ⁿ")
    box = slider.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
