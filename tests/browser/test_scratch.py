"""The scratch page in a browser: the listing answers to clicks and keys, and a diagnosis is judged and remembered."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import bench, query, settle, stages
from ui import scratch_cases, scratch_evidence, views
from ui.text import Text
from ui.workbench import preset

CAT = preset("cat")


def current(page: Page) -> str:
    """The line that is marked as just run."""
    return page.locator("button[aria-current=step] .text").inner_text()


def shown(page: Page) -> np.ndarray:
    """The last heatmap of the stepper: what the line made."""
    cells = stages(page, 0)[-1]
    return np.array([[cells[q, k].value for k in range(4)] for q in range(4)])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_stepping_by_button_key_and_click(open_page, lang):
    page = open_page("/scratch", lang=lang)
    steps = CAT.steps()
    assert "def attention" in current(page)
    for _ in range(2):
        page.get_by_role("button", name=Text("scratch", lang)("next_line")).click()
        settle(page)
    assert "scores = Q @ K.swapaxes(-1, -2)" in current(page)
    np.testing.assert_allclose(shown(page), steps.scaled, atol=1e-4)

    page.get_by_role("button", name="weights = softmax").click()
    settle(page)
    np.testing.assert_allclose(shown(page), steps.weights, atol=1e-4)
    page.keyboard.press("ArrowDown")
    settle(page)
    assert "return weights @ V" in current(page)
    np.testing.assert_allclose(shown(page), steps.output, atol=1e-4)
    assert page.get_by_role("button", name="np.where").is_disabled()
    assert views.get(bench(page), "scratch.line") == 5
    page.reload()
    settle(page)
    assert "return weights @ V" in current(page)


def test_a_diagnosis_on_a_phone(open_page):
    page = open_page("/scratch", width=390, touch=True, user_agent="Mobile")
    text, variant = Text("scratch", "en"), scratch_evidence.order(0)[0]
    it = scratch_evidence.evidence(CAT, variant)
    code = page.get_by_test_id("stCode").filter(has_text=scratch_evidence.diff(variant).splitlines()[3][5:40].strip())
    before = code.count()
    page.get_by_text(text("bug_unscaled"), exact=True).tap()
    page.get_by_role("button", name=text("commit")).tap()
    settle(page)
    said = scratch_cases.not_that(it, variant, "unscaled", "A", text).replace("**", "")
    expect(page.get_by_role("alert").filter(has_text=text("does_unscaled"))).to_contain_text(said)
    page.get_by_text(text(f"bug_{variant}"), exact=True).tap()
    page.get_by_role("button", name=text("commit")).tap()
    settle(page)
    assert views.get(bench(page), "scratch.solved") == (variant,)
    assert code.count() == before + 1
    assert query(page)["s"]
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
