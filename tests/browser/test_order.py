"""The order page in a browser: a shuffle leaves every output as it was, until positions are switched on."""

from __future__ import annotations

import re

import pytest

from tests.browser.helpers import bench, chart, choose, settle
from ui import display, link, order, views
from ui.workbench import preset

TWISTED = (3, 0, 2, 1)


def trial_of(numbers):
    return order.trial(order.setting(numbers), order.order_of(numbers))


def cells(page):
    """The texts of the shuffle test's cells as drawn, in the order they were sent: before, after, difference."""
    return chart(page, 0).evaluate(
        """(chart) => [...chart.querySelectorAll("text")].filter((text) => text.__data__?.datum?.kind === "cell")
          .map((text) => text.textContent)"""
    )


def residuals(page):
    """What stands beside the rows of the difference, and the numbers in its cells."""
    drawn = cells(page)
    return drawn[2 * len(drawn) // 3 :]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_shuffle_changes_nothing_until_positions_are_on(open_page, lang):
    page = open_page("/order", lang=lang)
    page.get_by_role("button", name="打乱" if lang == "zh" else "Shuffle", exact=True).click()
    settle(page)
    tokens = views.get(bench(page), "order.tokens")
    assert sorted(tokens) == [0, 1, 2, 3] != list(tokens)
    assert set(residuals(page)) <= {"0", "≈0"}
    trial = trial_of(bench(page))
    assert trial.residual < 1e-15
    verdict = page.get_by_text("输出只是换了位置" if lang == "zh" else "The outputs only changed places")
    assert display.residual(trial.residual) in verdict.locator("..").text_content()

    choose(page, "正弦" if lang == "zh" else "sinusoidal")
    assert views.get(bench(page), "order.encoding") == "sinusoidal"
    assert views.get(bench(page), "order.tokens") == tokens
    trial = trial_of(bench(page))
    assert trial.residual > 0.1
    assert residuals(page) == [display.short(x) for x in trial.moved.ravel()]
    page.reload()
    settle(page)
    assert residuals(page) == [display.short(x) for x in trial.moved.ravel()]


def test_the_shift_slider_moves_scores_under_sinusoids_alone_and_is_keyboard_work(open_page):
    code = link.encode(views.shown(views.shown(preset("cat"), "order.part", "shift"), "order.tokens", TWISTED))
    page = open_page(f"/order?lang=en&s={code}", width=390, touch=True)
    slider = page.get_by_role("slider", name="Shift s")
    slider.press("ArrowRight")
    settle(page)
    now = bench(page)
    assert views.get(now, "order.s") == 11
    table = page.get_by_role("table").filter(has_text="RoPE").first
    for encoding, name in (("sinusoidal", "sinusoidal"), ("rope", "RoPE"), ("alibi", "ALiBi")):
        moved = display.residual(abs(order.shift_by(now, encoding, 11)[0]).max())
        assert table.get_by_role("row", name=re.compile(f"^{name}")).text_content().startswith(f"{name}{moved}")
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("(m) => m.scrollWidth - m.clientWidth") <= 2
