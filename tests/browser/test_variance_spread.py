"""How q·k spreads, in a browser: a guess, then dragging, which the browser alone answers with measured numbers."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from attention import experiment, small_experiments
from tests.browser.helpers import messages, settle
from ui import link, views
from ui import variance_spread as part
from ui import variance_spread_sizes as sizes
from ui.text import Text, catalogue
from ui.variance_charts import estimated, number
from ui.workbench import preset

SEEN = urlencode({"s": link.encode(views.shown(views.shown(preset("cat"), part.GUESS, "skip"), sizes.OPEN, True))})


def seen(lang="en"):
    """The page with everything to see, the small experiments unfolded."""
    return f"/variance?lang={lang}&{SEEN}"


def slider(page, name):
    return page.locator("form.vega-bindings .vega-bind", has_text=name).locator("input[type=range]")


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


def test_the_widths_are_written_on_a_rim_of_the_papers_colour(open_page):
    """Over bars, steps and dashes: Vega's signal `background` is what Streamlit has behind the chart."""
    page = open_page(seen())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        paper, written = page.evaluate(
            """() => {
              const chart = document.querySelector('[data-testid="stVegaLiteChart"]');
              const widths = [...chart.querySelectorAll("text")].filter((text) => text.textContent.startsWith("±√"));
              return [getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor,
                      widths.map(getComputedStyle).map((it) => [it.fill, it.stroke])];
            }"""
        )
        rims, words = written[::2], written[1::2]
        assert rims == [[paper, paper]] * 2, "each below its words"
        assert all(fill != paper and stroke == "none" for fill, stroke in words)


def test_a_guess_reveals_a_bell_that_dragging_widens_without_the_server(open_page, unanswered):
    page = open_page("/variance", lang="zh")
    spread = experiment.measure_spread(10_000, seed=0)
    assert page.locator("form.vega-bindings input").count() == 0
    assert number(spread.variance[experiment.STOPS.index(64)]) not in words(page)
    for named in ("legend_steps", "legend_dashes"):
        assert catalogue("variance_spread", "zh")[named] in words(page)
    page.get_by_text("× √2", exact=True).click()
    settle(page)
    assert catalogue("common", "zh")["your_guess"] in words(page)
    assert estimated(*spread.doubling)[0] in page.locator('[data-testid="stMain"]').inner_text()
    assert "d_k = 128" in words(page)  # the answer, over the bell that was asked about
    root = spread.variance[experiment.STOPS.index(64)] ** 0.5
    assert f"±{root:.2f}" in words(page)
    press(page, "d_k", "ArrowLeft", "ArrowLeft")
    settle(page)
    before = bars(page)
    assert page.locator("g.mark-area path").count() == 1  # the first bell, drawn anew in every frame: one, not 36
    counts = spread.counts[experiment.STOPS.index(64)]
    tallest = counts.argmax()
    heights = [bar[2] for bar in before]
    assert heights == pytest.approx((counts * heights[tallest] / counts[tallest]).tolist(), abs=0.6)

    with unanswered():
        box = slider(page, "d_k").bounding_box()
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, middle)
        page.mouse.down()
        for step in range(1, 9):
            page.mouse.move(box["x"] + box["width"] * (0.5 + step / 32), middle)
        page.mouse.up()
        press(page, "d_k", "Home", *["ArrowRight"] * 16)
        assert "d_k = 256" in words(page)
        assert f"{spread.variance[experiment.STOPS.index(256)]:.1f}" in words(page)
        assert [bar[1] for bar in bars(page)] == pytest.approx([2 * bar[1] for bar in before], rel=0.05)

    page.get_by_text(catalogue("variance_spread", "zh")["fold_sizes"]).click()
    settle(page)
    assert "2 × 2" in words(page, 1)
    assert "d_k = 256" in words(page)  # what was dragged stays


def test_larger_experiments_come_nearer_to_the_truth_without_a_message(open_page):
    page = open_page(seen())
    found = experiment.measure_spread(10_000, small_experiments.TRIED, seed=0).trials
    trials = {(t.d_k, sizes.size_of(t)): t for t in found}
    text = Text("variance_spread", "en")

    def nine(each):
        low, high = sizes.band(each)
        return text("nine", low=low, high=high, truth=each.d_k)

    def says(each, r):
        variance, low, high = estimated(*(of[r - 1] for of in (each.variance, each.low, each.high)))
        return text("says", number=r, variance=variance, low=low, high=high)

    sent = messages(page)
    assert nine(trials[2, "2 × 2"]) in words(page, 1)
    assert says(trials[2, "2 × 2"], 1) in words(page, 1)
    press(page, "#", "ArrowRight")
    assert says(trials[2, "2 × 2"], 2) in words(page, 1)
    page.get_by_label("100", exact=True).check()
    assert nine(trials[2, "100"]) in words(page, 1)
    assert says(trials[2, "100"], 2) in words(page, 1)
    page.get_by_label("64", exact=True).check()
    assert nine(trials[64, "100"]) in words(page, 1)
    page.get_by_label("10,000", exact=True).check()
    assert says(trials[64, "10,000"], 1) in words(page, 1)
    assert text("just_one", truth=64) in words(page, 1)
    assert messages(page) == sent


def test_another_draw_and_another_language_keep_the_sliders(open_page):
    text = Text("variance_spread", "en")
    page = open_page(seen("zh"))
    press(page, "d_k", *["ArrowRight"] * 2)
    page.get_by_text("English").click()
    settle(page)
    assert "d_k = 256" in words(page)
    page.get_by_label("1 × 6", exact=True).check()  # what a fold holds begins anew in another language
    page.get_by_role("button", name="Draw again").click()
    settle(page)
    assert "d_k = 256" in words(page)
    assert f"{experiment.measure_spread(10_000, seed=1).variance[experiment.STOPS.index(256)]:.1f}" in words(page)
    assert text("size_keys", d_k=2) in words(page, 1)


def test_the_sliders_fit_a_phone(open_page):
    page = open_page(seen("zh"), width=390, scheme="dark")
    for field in page.locator("form.vega-bindings input").all():
        box = field.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
