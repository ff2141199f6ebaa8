"""The reader's own Jacobian in a browser: stretched by the browser alone, to the core's numbers; the way explains."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import expect

import attention
from tests.browser.helpers import bench, settle
from ui import link, views
from ui import workbench as w
from ui.display import short
from ui.variance_gradient import norm
from ui.variance_gradient_backward import of
from ui.variance_gradient_charts import UNSTRETCHED
from ui.variance_gradient_picture import size

SCALES = ("none", "sqrt", "linear")
CAUSAL = views.shown(replace(w.preset("self"), mask="causal", token=3), "variance.part", "gradient")
SLIDER = 'form.vega-bindings input[type="range"]'
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def address(bench, lang="en"):
    return f"/variance?lang={lang}&s={quote(link.encode(bench))}"


def entries(page, slot):
    """The Jacobian as the browser says it, to four decimals."""
    said = page.evaluate(
        """(slot) => [...document.querySelectorAll(`g[class*="jacobian_${slot}"] path`)].map((path) => {
          const { i, j } = path.__data__.datum;  // (Vega leaves each mark's record at its element)
          return [i, j, path.getAttribute("aria-label"), path.__data__.datum.live];
        })""",
        slot,
    )
    return {(i, j): (label.split(" = ")[-1], live) for i, j, label, live in said}


def stretch(page, key, times=1):
    page.locator(SLIDER).first.focus()
    for _ in range(times):
        page.keyboard.press(key)
    page.evaluate(FRAME)


def words(page):
    return page.get_by_test_id("stVegaLiteChart").first.locator("svg").first.text_content()


def test_stretching_is_the_cores_softmax_in_the_browser_alone(open_page, unanswered):
    page = open_page(address(CAUSAL))
    with unanswered():
        for key, times, s in (("ArrowRight", 0, 1), ("ArrowRight", 6, 8), ("End", 1, 64), ("Home", 1, 1 / 8)):
            stretch(page, key, times)
            for slot, scale in enumerate(SCALES):
                steps = attention.attention_steps(*CAUSAL.qkv(), CAUSAL.mask_array(), scale=scale)
                J = attention.softmax_jacobian(attention.softmax(s * steps.masked[3]))
                seen = entries(page, slot)
                assert len(seen) == 25
                for at, (printed, live) in seen.items():
                    assert live == pytest.approx(J[at], abs=1e-14)
                    assert float(printed.replace("−", "-").replace("≈", "")) == pytest.approx(J[at], abs=5.1e-5)
                norm = np.linalg.norm(J)
                assert "‖J‖ = " + (f"{norm:.3f}" if norm >= 5e-4 else "≈0") in words(page)
        assert ("· dead" in words(page)) is False
        stretch(page, "End")
        assert "· dead" in words(page)


def test_what_is_enlarged_for_good_is_not_stretched_as_well(open_page):
    page = open_page(address(CAUSAL))
    stretch(page, "End")
    page.get_by_test_id("stMain").locator(".st-key-way_sharpen button").click()
    settle(page)
    expect(page.locator(SLIDER).first).to_have_value("0")
    assert views.get(bench(page), "variance.stretch") == UNSTRETCHED
    assert "× 64" not in words(page)
    p = bench(page).steps().weights[3]
    assert f"‖J‖ = {short(float(norm(p)), 3)}" in words(page)


def test_an_entry_explains_itself_in_the_browser(open_page, unanswered):
    page = open_page(address(CAUSAL))
    with unanswered():
        p = CAUSAL.steps().weights[3]
        page.locator('g[class*="jacobian_1"] path').nth(1).click()
        page.evaluate(FRAME)
        assert f"≈ −{p[0]:.3g} · {p[1]:.3g} ≈ −" in words(page)
        diagonal = f"J[{CAUSAL.tokens[1]}, {CAUSAL.tokens[1]}]"
        page.locator("form.vega-bindings select").first.select_option(label=diagonal)
        page.evaluate(FRAME)
        assert f"≈ {p[1]:.3g} · {1 - p[1]:.3g} ≈ " in words(page)
        stretch(page, "End")
        p = attention.softmax(64 * CAUSAL.steps().masked[3])[1]
        assert f"≈ {size(p)} · 1 ≈ {size(p * (1 - p))}" in words(page), "none is written as 0 that is not"


def test_a_long_token_does_not_push_the_digits_out_of_a_phone(open_page):
    """What is too wide for its place is cut at the end, where the result is."""
    long = w.with_tokens(w.preset("cat"), ("一个非常非常长的词元", "x", "y", "z"))
    page = open_page(address(views.shown(long, "variance.part", "gradient"), "zh"), width=390)
    weight = long.steps().weights[long.token, 0]
    assert f"≈ {weight:.3g} · {1 - weight:.3g} ≈ {weight * (1 - weight):.3g}" in words(page)



@pytest.mark.parametrize("width", [1366, 390])
def test_a_number_of_the_way_is_tapped_and_explained(open_page, width):
    page = open_page(address(CAUSAL, "zh"), width=width)
    chart = page.get_by_test_id("stVegaLiteChart").nth(1)
    chart.locator('g[class*="cells"] path[aria-label^="③"]').nth(2).click()
    settle(page)
    assert views.get(bench(page), "variance.way") == "weights"
    assert views.get(bench(page), "variance.way_column") == 2
    value = of(bench(page)).gradient("weights")[2]
    step = page.locator(".st-key-way_step")
    expect(step.locator(".katex-display annotation")).to_have_text(re.compile(re.escape(f"{value:.3g}"[:6])))
    expect(step).to_contain_text("不求导也能验证")
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
