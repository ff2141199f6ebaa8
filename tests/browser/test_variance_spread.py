"""How q·k spreads, in a browser: a guess, then dragging, which the browser alone answers with measured numbers."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from attention import experiment
from tests.browser.helpers import messages, settle
from ui import link, views
from ui import variance_spread as part
from ui.text import Text, catalogue
from ui.variance_charts import number
from ui.workbench import preset

SEEN = urlencode({"s": link.encode(views.shown(preset("cat"), part.GUESS, "skip"))})


def seen(lang="en"):
    """The page with everything to see."""
    return f"/variance?lang={lang}&{SEEN}"


def slider(page, name):
    return page.locator("form.vega-bindings .vega-bind", has_text=name).locator("input")


def bars(page):
    """Where the bars of the histogram are, in pixels: [left, width, height] of each."""
    return page.evaluate(
        """() => {
          const chart = document.querySelectorAll('[data-testid="stVegaLiteChart"]')[0];
          const groups = [...chart.querySelectorAll('g.mark-rect')].filter((g) => g.childElementCount === 36);
          return [...groups[0].children].map((bar) => bar.getBoundingClientRect())
            .map((box) => [box.left, box.width, box.height]);
        }"""
    )


def words(page, which=0):
    return page.locator('[data-testid="stVegaLiteChart"]').nth(which).locator("svg").first.text_content()


def press(page, name, *keys):
    slider(page, name).focus()
    for key in keys:
        page.keyboard.press(key)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_a_guess_reveals_a_bell_that_dragging_widens_without_a_message(open_page):
    page = open_page("/variance", lang="zh")
    spread = experiment.measure_spread(10_000, seed=0)
    assert page.locator("form.vega-bindings input").count() == 0
    assert number(spread.variance[experiment.STOPS.index(64)]) not in words(page)
    page.get_by_text("× √2", exact=True).click()
    settle(page)
    assert catalogue("common", "zh")["your_guess"] in words(page)
    assert f"{2 ** spread.power[0]:.3f}" in page.locator('[data-testid="stMain"]').inner_text()
    before, sent = bars(page), messages(page)
    counts = spread.counts[experiment.STOPS.index(64)]
    tallest = counts.argmax()
    heights = [bar[2] for bar in before]
    assert heights == pytest.approx((counts * heights[tallest] / counts[tallest]).tolist(), abs=0.6)

    box = slider(page, "2ⁿ").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + box["width"] * (0.5 + step / 32), middle)
    page.mouse.up()
    press(page, "2ⁿ", "Home", *["ArrowRight"] * 16)  # n = 8

    assert messages(page) == sent
    assert "d_k = 256" in words(page)
    assert f"{spread.variance[experiment.STOPS.index(256)]:.1f}" in words(page)
    assert [bar[1] for bar in bars(page)] == pytest.approx([2 * bar[1] for bar in before], rel=0.05)


def test_larger_experiments_come_nearer_to_the_truth_without_a_message(open_page):
    page = open_page(seen())
    trials = {(t.d_k, t.size): t for t in experiment.measure_spread(10_000, experiment.TRIED, seed=0).trials}
    text = Text("variance_spread", "en")

    def nine(each):
        return text("nine", low=number(each.band[0]), high=number(each.band[1]), truth=each.d_k)

    sent = messages(page)
    assert nine(trials[2, 4]) in words(page, 1)
    assert f"no. 1 says {number(trials[2, 4].variance[0])}" in words(page, 1)
    press(page, "no.", "ArrowRight")
    assert f"no. 2 says {number(trials[2, 4].variance[1])}" in words(page, 1)
    press(page, "size step", *["ArrowRight"] * 5)
    assert nine(trials[2, 100]) in words(page, 1)
    assert f"no. 2 says {number(trials[2, 100].variance[1])}" in words(page, 1)
    page.locator('form.vega-bindings input[type="radio"][value="64"]').check()
    assert nine(trials[64, 100]) in words(page, 1)
    press(page, "size step", "End")
    assert f"no. 1 says {number(trials[64, 10_000].variance[0])}" in words(page, 1)
    assert text("just_one") in words(page, 1)
    assert messages(page) == sent


def test_another_draw_and_another_language_keep_the_sliders(open_page):
    page = open_page(seen("zh"))
    press(page, "2ⁿ", *["ArrowRight"] * 4)
    press(page, "size step", "ArrowRight")
    page.get_by_text("English").click()
    settle(page)
    assert "d_k = 256" in words(page)
    page.get_by_role("button", name="Draw again").click()
    settle(page)
    assert "d_k = 256" in words(page)
    assert f"{experiment.measure_spread(10_000, seed=1).variance[experiment.STOPS.index(256)]:.1f}" in words(page)
    assert "n = 6" in words(page, 1)


def test_the_sliders_fit_a_phone(open_page):
    page = open_page(seen("zh"), width=390, scheme="dark")
    for name in ("2ⁿ", "size step", "no."):
        box = slider(page, name).first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
