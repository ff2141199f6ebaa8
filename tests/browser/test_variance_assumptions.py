"""Broken assumptions in a browser: choose one, move its slider by the keyboard, and see the bars leave the dashes."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from attention import assumptions as a
from tests.browser.helpers import becomes, bench, settle
from ui import link, views
from ui import workbench as w
from ui.text import Text

START = views.shown(w.preset("cat"), "variance.part", "assumptions")


def address(bench, lang):
    return f"/variance?lang={lang}&s={quote(link.encode(bench))}"


def middle(page, kind):
    """Where the bars or the dashes are, in pixels: the middle of the box around them."""
    return page.evaluate(
        """(kind) => {
          const chart = document.querySelector('[data-testid="stVegaLiteChart"]');
          const marks = kind === 'bars' ? [...chart.querySelectorAll('g.mark-rect path')]
            : [...chart.querySelectorAll('g.mark-line path')].filter((p) => p.getAttribute('stroke-dasharray'));
          const boxes = marks.map((mark) => mark.getBoundingClientRect());
          const ends = [Math.min(...boxes.map((b) => b.left)), Math.max(...boxes.map((b) => b.right))];
          return (ends[0] + ends[1]) / 2;
        }""",
        kind,
    )


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_correlation_drives_the_bars_away_from_the_claim(open_page, lang):
    page = open_page(address(START, lang))
    text = Text("variance_assumptions", lang)
    assert abs(middle(page, "bars") - middle(page, "claim")) < 3
    page.get_by_role("button", name=text("broken_correlated"), exact=True).or_(
        page.get_by_role("radio", name=text("broken_correlated"), exact=True)
    ).click()
    settle(page)
    assert middle(page, "bars") - middle(page, "claim") > 100
    slider = page.locator(".st-key-variance_rho").get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    becomes(page, lambda: views.get(bench(page), "variance.rho"), 97)
    settle(page)
    of = a.Components(rho=0.97)
    found = a.measure_products(a.normal_products(a.draw_sums(w.DRAWS[0], seed=0), of), a.STOPS).mean[3]
    expect(page.get_by_test_id("stMain")).to_contain_text(f"{found[0]:.2f}")
    page.reload()
    settle(page)
    expect(page.locator(".st-key-variance_rho")).to_contain_text("0.97")


def test_which_is_dangerous_is_measured_when_asked(open_page):
    text = Text("variance_assumptions", "en")
    page = open_page(address(replace(START, variance_seed=3), "en"))
    page.get_by_text(text("all")).click()
    settle(page)
    main = page.get_by_test_id("stMain")
    for way in ("correlated_one", "correlated_all", "means", "dependent_both", "dependent_q", "heavy"):
        expect(main.locator("table", has_text=text("broken_heavy")).last).to_contain_text(text(f"broken_{way}"))
    names = text.list([text("broken_correlated_one"), text("broken_dependent_both")])
    expect(main).to_contain_text(f"Dangerous: {names}")
