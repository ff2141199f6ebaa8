"""The scale lab as a whole in a browser: from part to part, nothing of the one before stays in the way."""

from __future__ import annotations

from urllib.parse import quote

from tests.browser.helpers import becomes, settle
from tests.pages.test_variance_parts import at
from ui import link
from ui.text import catalogue

EN, ASSUMPTIONS = catalogue("variance", "en"), catalogue("variance_assumptions", "en")


def test_the_next_part_begins_at_the_top_and_clears_the_one_before(open_page):
    page = open_page(f"/variance?lang=en&s={quote(link.encode(at('divisors')))}")
    assert page.locator(".st-key-divisors").count() == 1
    onward = page.get_by_role("button", name=EN["onward"].partition("<<")[0])
    onward.scroll_into_view_if_needed()
    onward.click()
    becomes(page, lambda: page.locator('[data-testid="stMain"]').evaluate("(main) => main.scrollTop"), 0)
    settle(page)
    assert page.locator(".st-key-divisors").count() == 0
    assert page.get_by_text(ASSUMPTIONS["broken_means"], exact=True).count()


def test_within_a_part_charts_stay(open_page):
    """Cleared and drawn anew, a chart would lose what its sliders were dragged to."""
    page = open_page(f"/variance?lang=en&s={quote(link.encode(at('assumptions')))}")
    chart = page.locator('[data-testid="stVegaLiteChart"]').first
    chart.evaluate("(each) => { each.dataset.seen = 'yes'; }")
    page.get_by_text(ASSUMPTIONS["broken_means"], exact=True).first.click()
    settle(page)
    assert chart.get_attribute("data-seen") == "yes"
