"""A field for a whole number in a browser: what it cannot take is refused in the reader's language."""

from __future__ import annotations

import pytest

from tests.browser.helpers import bench, settle
from ui.text import Text
from ui.workbench import MAX_SEED


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_seed_out_of_bounds_is_refused_in_the_readers_language_and_the_old_one_stays(open_page, lang):
    page, text = open_page("/variance", lang=lang), Text("variance", lang)
    field = page.get_by_label(text("seed"), exact=True)
    refused = ""
    for typed, read, stays in (("42", "", 42), ("-5", "-5", 42), ("1e9", "1,000,000,000", 42), ("7", "", 7),
                               ("1.5", "1.5", 7)):  # fmt: skip
        field.fill(typed)
        field.press("Enter")
        settle(page)
        assert (bench(page).variance_seed, field.input_value()) == (stays, str(stays))
        said = text("whole_refused", label=text("seed"), low=0, high=MAX_SEED, typed=read, value=stays)
        before, refused = refused, said if read else ""
        assert refused in shown(page)
        assert before in ("", refused) or before not in shown(page)
    assert "Please enter" not in page.content()
    page.get_by_role("button", name=text("again")).click()
    settle(page)
    assert bench(page).variance_seed == 8
    assert refused not in shown(page)
    page.locator(".st-key-undo button").click()
    settle(page)
    assert bench(page).variance_seed == 7
    assert refused not in shown(page)  # nobody has typed it again


def shown(page):
    return page.get_by_test_id("stMain").inner_text()
