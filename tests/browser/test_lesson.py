"""The lesson on √d_k: its buttons open the lab where the answer is, and the way back leads to the same lesson."""

from __future__ import annotations

from tests.browser.helpers import becomes, bench, settle
from tests.browser.test_variance_dragged import slider
from ui import lesson_scale, views


def test_a_lesson_opens_the_lab_and_is_come_back_to(open_page):
    page = open_page("/teach?lang=en")
    page.locator(".st-key-teach_plan button").nth(1).click()
    settle(page)
    page.locator(".st-key-reveal_gradient button").click()
    settle(page)
    becomes(page, lambda: slider(page, "log2_s").input_value(), "6")
    assert views.get(bench(page), "variance.stretch") == lesson_scale.STRETCHED
    page.get_by_text("Question 3 of 6").wait_for()
    page.locator(".st-key-variance_onward button").click()
    page.get_by_text("Question 4 of 6").wait_for()
    settle(page)
    page.locator('[data-testid="stMain"]').get_by_role("link", name="For teachers").click()
    settle(page)
    assert page.locator(".st-key-reveal_gradient button").is_visible()
    assert views.get(bench(page), "teach.plan") == "scale"
