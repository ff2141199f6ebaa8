"""Measuring and stepping on the production page, in a browser."""

import re

from playwright.sync_api import expect

from tests.browser.helpers import bench, chart, settle
from ui import views

SIZES = r"[\d.]+ (?:KiB|MiB|GiB)"


def test_measuring_shows_progress_stops_and_keeps_what_it_has(open_page):
    page = open_page("/production")
    button = page.get_by_role("button", name=re.compile("Measure here|Go on measuring|Measure (again|it yourself)"))
    button.click()
    expect(page.get_by_text(re.compile(r"Measuring: \d+%"))).to_be_visible()
    # The smallest size is known soon: its time is said, and drawn.
    expect(page.get_by_text("Measured on the machine that serves this page")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    settle(page)
    expect(button).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.get_by_text("Measured on the machine that serves this page")).to_be_visible()
    page.reload()
    settle(page)
    expect(page.get_by_text("Measured on the machine that serves this page")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Measuring: \d+%"))).to_have_count(0)


def test_pointing_at_an_n_reads_all_views_there_and_a_click_chooses_it(open_page):
    page = open_page("/production")
    views_ = chart(page, 0)
    expect(views_.get_by_text("textbook: 192 MiB")).to_be_visible()  # n = 4,096
    box = views_.locator("svg g.concat_1_group").bounding_box() or views_.bounding_box()
    left = box["x"] + box["width"] * 0.3
    page.mouse.move(left, box["y"] + box["height"] / 2)
    expect(views_.get_by_text("textbook: 192 MiB")).to_have_count(0)
    pointed = views_.get_by_text(re.compile(rf"textbook: {SIZES}")).text_content()
    page.mouse.click(left, box["y"] + box["height"] / 2)
    settle(page)
    n = views.get(bench(page), "production.n")
    assert n != 4096
    page.mouse.move(5, 5)
    expect(views_.get_by_text(pointed)).to_be_visible()  # it is chosen now, and not just pointed at
    expect(page.get_by_text(f"At n = {n:,} (")).to_be_visible()


def test_the_stepper_by_keyboard(open_page):
    page = open_page("/production")
    page.get_by_role("button", name="Take a query whose maximum comes late").click()
    settle(page)
    page.get_by_role("button", name="Next block").focus()
    page.keyboard.press("Enter")
    settle(page)
    expect(page.get_by_text("The maximum rose")).to_be_visible()
    expect(page.get_by_text("All keys met")).to_be_visible()
    assert views.get(bench(page), "production.step") == 2
    page.reload()
    settle(page)
    expect(page.get_by_text("All keys met")).to_be_visible()
