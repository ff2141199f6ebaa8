"""How long until a reader who opens the app has a chart, against a page that is one Altair chart.

    python -m benchmarks.first_chart [--samples 11]

Every visit has a browser context of its own (nothing cached); the two pages take turns. A chart counts from
the moment it is drawn, and only if it stays: one that is drawn anew a moment later does not count.
"""

from __future__ import annotations

import argparse

from playwright.sync_api import Browser, sync_playwright

from benchmarks.measure import Line, against
from tests.browser.helpers import settle, watch
from tests.browser.servers import launch, running

MOST = 1.5
WATCH = """(() => {
  window.drawn = [];
  const look = () => {
    for (const mark of document.querySelectorAll('[data-testid="stVegaLiteChart"] .mark-rect path')) {
      const svg = mark.closest("svg");
      if (!window.drawn.some(([each]) => each === svg)) window.drawn.push([svg, performance.now()]);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


def main(samples: int = 11) -> list[Line]:
    with (
        running() as app,
        running("benchmarks/reference/one_chart.py") as one,
        sync_playwright() as playwright,
    ):
        chromium = launch(playwright)
        mine, theirs = [], []
        for _ in range(samples + 1):
            mine.append(_open(chromium, f"{app.url}/"))
            theirs.append(_open(chromium, f"{one.url}/"))
        chromium.close()
    mine, theirs = mine[1:], theirs[1:]  # the first visit imports the modules
    return [against("first chart after opening /, against a page with one chart", mine, theirs, MOST)]


def _open(chromium: Browser, address: str) -> float:
    """Milliseconds from the start of the navigation to the first chart that stays."""
    context = chromium.new_context(viewport={"width": 1366, "height": 900}, locale="en-US")
    page = context.new_page()
    watch(page)
    page.add_init_script(WATCH)
    page.goto(address)
    settle(page)
    times = page.evaluate("window.drawn.filter(([svg]) => svg.isConnected).map(([, time]) => time)")
    context.close()
    return float(min(times))


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--samples", type=int, default=11)
    for line in main(ask.parse_args().samples):
        print(line.row())
