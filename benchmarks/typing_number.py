"""How long from Enter to the last repaint, against a page that holds one bare editor and one line of text.

    python -m benchmarks.typing_number [--samples 21]

Both pages are in the same Chromium and take turns. (Not called typing.py, which would hide the standard
library's.)
"""

from __future__ import annotations

import argparse

from playwright.sync_api import Page, TimeoutError, sync_playwright

from benchmarks.measure import REPAINT, Line, against, visit
from tests.browser.helpers import cell, settle
from tests.browser.servers import launch, running

MOST = 1.3


def main(samples: int = 21) -> list[Line]:
    with (
        running() as app,
        running("benchmarks/reference/bare_editor.py") as bare,
        sync_playwright() as playwright,
    ):
        chromium = launch(playwright)
        ours, reference = visit(chromium, f"{app.url}/edit?lang=en"), visit(chromium, bare.url)
        for page in (ours, reference):
            page.evaluate(REPAINT)
        mine: list[float] = []
        theirs: list[float] = []
        for k in range(3 * samples):
            if len(theirs) == samples + 2:
                break
            number = f"{k % 7}.{k % 9 + 1}"
            try:
                pair = _ours(ours, number), _bare(reference, number)
            except TimeoutError:  # now and then the bare editor closes without taking what was typed
                continue
            mine.append(pair[0])
            theirs.append(pair[1])
        chromium.close()
    mine, theirs = mine[2:], theirs[2:]  # the first two warm both up
    return [against("typing a number → last repaint, against a bare editor", mine, theirs, MOST)]


def _ours(page: Page, number: str) -> float:
    where = cell(page, "Q", 1, 0)
    where.click()
    page.keyboard.press("Control+A")
    page.keyboard.type(number)
    return _enter(page)


def _bare(page: Page, number: str) -> float:
    page.locator(".stDataFrameGlideDataEditor").first.click(position={"x": 120, "y": 52})
    page.keyboard.press("Enter")  # opens the cell
    opened = page.locator("#portal input")
    opened.fill(number)
    return _enter(page)


def _enter(page: Page) -> float:
    """Milliseconds from Enter to the last change in the page that follows from it."""
    page.evaluate("repaint.look()")
    page.wait_for_timeout(50)
    page.keyboard.press("Enter")
    page.wait_for_function("repaint.state.last > repaint.state.begun", timeout=5_000)
    settle(page, quiet=0.4)
    begun, last = page.evaluate("[repaint.state.begun, repaint.state.last]")
    return float(last - begun)


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--samples", type=int, default=21)
    for line in main(ask.parse_args().samples):
        print(line.row())
