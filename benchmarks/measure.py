"""What the benchmarks share: quantiles, one line of the table, and timing inside the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

from playwright.sync_api import Browser, Page

from tests.browser import helpers

REPAINT = """(() => {
  // Times are of the last change inside the page's main part, shadow roots and charts included.
  const seen = new Set();
  const state = { begun: 0, last: 0 };
  const note = () => { state.last = performance.now(); };
  const observer = new MutationObserver(note);
  const look = (root) => {
    if (!seen.has(root)) {
      seen.add(root);
      observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    }
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) look(each.shadowRoot);
  };
  addEventListener("keydown", (event) => {
    if (event.key === "Enter") { state.begun = performance.now(); state.last = 0; }
  }, true);
  window.repaint = { state, look: () => look(document.querySelector('[data-testid="stMain"]')) };
})()"""


@dataclass(frozen=True)
class Line:
    """One promise: what was measured, in which unit, and the most it may be."""

    what: str
    measured: float
    at_most: float
    unit: str
    note: str = ""

    @property
    def ok(self) -> bool:
        return self.measured <= self.at_most

    def row(self) -> str:
        shown = f"{self.measured:.2f}" if self.unit == "×" else f"{self.measured:.0f}"
        most = f"{self.at_most:g}"
        verdict = "ok" if self.ok else "**too much**"
        return f"| {self.what} | {shown} {self.unit} | {most} {self.unit} | {verdict} | {self.note} |"


def table(lines: Sequence[Line]) -> str:
    head = ["| what | measured | at most | | how |", "|:--|--:|--:|:--|:--|"]
    return "\n".join([*head, *(line.row() for line in lines)])


def p(values: Sequence[float], percent: int) -> float:
    """A percentile.

    >>> p([1, 2, 3, 4, 5], 50)
    3.0
    """
    return float(quantiles(values, n=100, method="inclusive")[percent - 1])


def against(what: str, mine: Sequence[float], theirs: Sequence[float], at_most: float) -> Line:
    """The ratio of two medians whose samples were taken in turns."""
    note = f"median {p(mine, 50):.0f} ms against {p(theirs, 50):.0f} ms, {len(mine)} times each, in turns"
    return Line(what, p(mine, 50) / p(theirs, 50), at_most, "×", note)


def visit(browser: Browser, address: str, *, width: int = 1366) -> Page:
    """Open an address in a browser context of its own; settled."""
    page = browser.new_context(viewport={"width": width, "height": 900}, locale="en-US").new_page()
    helpers.watch(page)
    page.goto(address)
    helpers.settle(page)
    return page
