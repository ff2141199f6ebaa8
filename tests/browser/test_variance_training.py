"""Training in a browser: curves grow in a chart that stays, other controls work meanwhile, and it can be cancelled."""

from __future__ import annotations

import re
from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.helpers import bench, chart, messages, settle
from ui import link, views
from ui.workbench import preset

GROWING = re.compile(r"Seed \d of 5, step \d+ of 100")
GROWING_ZH = re.compile(r"第 \d 个种子（共 5 个），第 \d+ 步")


def address(lang="en", **shows):
    part = views.shown(preset("cat"), "variance.part", "training")
    for name, value in shows.items():
        part = views.shown(part, f"variance.{name}", value)
    return f"/variance?lang={lang}&s={quote(link.encode(part))}"


def points(page):
    """How many corners all curves have."""
    return chart(page).evaluate(
        "(box) => [...box.querySelectorAll('g.mark-line path')].reduce((n, p) => n + (p.getAttribute('d') ?? '')"
        ".split('L').length - 1, 0)"
    )


def grows(page):
    """Wait until the curves are longer than now."""
    before = points(page)
    page.wait_for_function(
        """(before) => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] g.mark-line path')]
        .reduce((n, p) => n + (p.getAttribute('d') ?? '').split('L').length - 1, 0) > before""",
        arg=before, timeout=60_000,
    )  # fmt: skip


def test_curves_grow_in_a_chart_that_stays_until_training_is_cancelled(open_page):
    page = open_page(address(guess_trains="skip"))
    chart(page).locator("svg").first.evaluate("(svg) => { svg.kept = true; }")
    page.get_by_role("button", name=re.compile("(Train|Go on)$")).click()
    expect(page.get_by_text(GROWING)).to_be_visible(timeout=60_000)
    for _ in range(3):
        grows(page)
    kept = chart(page).locator("svg").first.evaluate("(svg) => svg.kept === true")
    assert kept, "the chart was drawn anew"
    assert page.locator('[data-stale="true"]').count() == 0

    page.get_by_role("radio", name="entropy").click()  # meanwhile
    expect(page.get_by_text("How widely attention is spread: 1 is over all keys alike")).to_be_visible(timeout=30_000)
    page.get_by_text("中文").click()
    expect(page.get_by_text(GROWING_ZH)).to_be_visible(timeout=30_000)
    grows(page)
    page.get_by_role("button", name=re.compile("停下$")).click()
    settle(page)
    expect(page.get_by_role("button", name=re.compile("接着训练$"))).to_be_visible()
    assert views.get(bench(page), "variance.measure") == "entropy"
    sent, length = messages(page), points(page)
    page.wait_for_timeout(900)  # longer than any interval
    assert messages(page) == sent
    assert points(page) == length

    page.reload()
    settle(page)
    assert points(page) >= length  # what was trained stays
    page.get_by_role("button", name=re.compile("接着训练$")).click()
    grows(page)
    page.get_by_role("link", name="掩码").first.click()  # leaving ends it for this page
    settle(page)


def test_the_largest_waits_for_a_guess_which_is_then_drawn(open_page):
    page = open_page(address("zh"))
    expect(chart(page).get_by_text("先猜一猜")).to_be_visible()
    page.get_by_role("radio", name="停滞", exact=True).click()
    settle(page)
    expect(chart(page).get_by_text("先猜一猜")).to_have_count(0)
    expect(chart(page).get_by_text("你的猜测")).to_be_visible()
    assert views.get(bench(page), "variance.guess_trains") == "stalls"
    asked = page.get_by_role("radio", name="停滞", exact=True)
    expect(asked).to_be_disabled()
    tops = [each.bounding_box()["y"] for each in (asked, page.get_by_text("答案就写在这里"), chart(page))]
    assert tops == sorted(tops)  # the answer comes right below the question
    page.get_by_role("button", name="重新猜").click()
    settle(page)
    expect(chart(page).get_by_text("先猜一猜")).to_be_visible()
