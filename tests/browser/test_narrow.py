"""A window of 320 pixels: a small phone, or a desktop zoomed to 400 % (WCAG 1.4.10); every page: `test_shell`."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Page

from tests.browser.helpers import bench, choose, settle
from tests.pages.test_variance_parts import at
from ui import link, views
from ui.text import catalogue
from ui.variance import PARTS
from ui.workbench import preset

EN = catalogue("variance", "en")
BEYOND = """(main) => [...main.querySelectorAll('[data-testid="stVegaLiteChart"]')].filter((chart) => {
  const drawn = chart.querySelector("svg.marks").getBoundingClientRect();
  const box = chart.closest('[data-testid="stElementContainer"]').getBoundingClientRect();
  return drawn.left < box.left - 1 || drawn.right > box.right + 1;
}).length"""


def unfold(page: Page) -> None:
    page.get_by_test_id("stMain").evaluate(
        "(main) => main.querySelectorAll('details:not([open]) > summary').forEach((fold) => fold.click())"
    )
    settle(page)


def expect_fits(page: Page) -> None:
    main = page.get_by_test_id("stMain")
    assert main.evaluate("(main) => main.scrollWidth - main.clientWidth") == 0
    assert main.evaluate(BEYOND) == 0


def test_no_part_of_the_scale_lab_is_scrolled_sideways(open_page):
    bench = views.shown(at("spread"), "variance.sizes", True)
    page = open_page(f"/variance?lang=en&s={quote(link.encode(bench))}", width=320)
    for part in PARTS:
        choose(page, EN[f"part_{part}"])
        unfold(page)
        expect_fits(page)


def test_what_is_drawn_smaller_is_tapped_where_it_looks(open_page):
    page = open_page(f"/heads?lang=en&s={quote(link.encode(preset('cat')))}", width=320)
    expect_fits(page)
    maps = page.locator(".st-key-heads_maps svg.marks")
    drawn = maps.bounding_box()
    assert drawn["width"] < float(maps.get_attribute("width"))
    last = maps.locator("g.cells_0_marks path, g.layer_1_marks path").last.bounding_box()
    page.mouse.click(last["x"] + last["width"] / 2, last["y"] + last["height"] / 2)
    settle(page)
    assert bench(page).cell == ("weights", 3, 3, 1)
