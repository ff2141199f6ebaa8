"""What browser tests share: waiting without sleeping, the address, and the messages a page sends."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, Locator, Page, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ui import link
from ui.workbench import Workbench

LIMIT = 60.0  #: seconds that a page may take to come to rest


@dataclass
class Traffic:
    """What went over a page's websocket, and what went wrong on the page."""

    sent: int = 0  #: messages the page sent to the server
    answered: bool = True  #: whether a run begun after the last message has finished
    begun: bool = True
    errors: list[str] = field(default_factory=list)


_traffic: WeakKeyDictionary[Page, Traffic] = WeakKeyDictionary()


def watch(page: Page) -> Traffic:
    """Count a page's messages and collect its errors, from 0; called by `open_page`, before the page is loaded."""
    if page in _traffic:  # opened before, so heard already
        _traffic[page] = Traffic()
        return _traffic[page]
    _traffic[page] = Traffic()

    def sent(_: object) -> None:
        traffic = _traffic[page]
        traffic.sent += 1
        traffic.begun = traffic.answered = False

    def received(payload: str | bytes) -> None:
        if not isinstance(payload, bytes):
            return
        traffic = _traffic[page]
        message = ForwardMsg.FromString(payload)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            traffic.begun = True
        elif kind == "script_finished":
            early = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            traffic.answered = traffic.begun and not early

    def opened(socket: WebSocket) -> None:
        socket.on("framesent", sent)
        socket.on("framereceived", received)

    page.on("websocket", opened)
    page.on("pageerror", lambda error: _traffic[page].errors.append(str(error)))
    return _traffic[page]


def messages(page: Page) -> int:
    """How many websocket messages the page has sent so far."""
    page.evaluate("0")  # lets Playwright hand over what it has seen
    return _traffic[page].sent


_AT_REST = """async (quiet) => {
  const roots = new Set();
  let last = performance.now();
  const observer = new MutationObserver(() => { last = performance.now(); });
  const look = (root) => {
    if (!roots.has(root)) {
      roots.add(root);
      observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    }
    for (const each of root.querySelectorAll("*")) if (each.shadowRoot) look(each.shadowRoot);
  };
  const busy = () => {
    const app = document.querySelector('[data-testid="stApp"]');
    if (!app) return "no app";
    if (app.dataset.testScriptState !== "notRunning") return `script ${app.dataset.testScriptState}`;
    if (app.dataset.testConnectionState !== "CONNECTED") return app.dataset.testConnectionState;
    if (document.querySelector('[data-testid="stSkeleton"], [data-stale="true"]')) return "placeholders";
    const charts = [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')];
    if (charts.some((chart) => !chart.querySelector("svg, canvas"))) return "chart without a drawing";
    const parts = [...document.querySelectorAll('[data-testid^="stBidiComponent"]')];
    return parts.length && parts.some((part) => !part.shadowRoot && ![...part.querySelectorAll("*")].length)
      ? "component without content" : "";
  };
  const end = performance.now() + 2000;
  let why = "";
  try {
    while (performance.now() < end) {
      look(document);
      why = busy();
      if (why) last = performance.now();
      if (performance.now() - last >= quiet) return "";
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    return why || "something moves";
  } finally { observer.disconnect(); }
}"""


def settle(page: Page, *, limit: float = LIMIT, quiet: float = 0.25) -> Page:
    """Wait until every message is answered, the script is done and nothing has moved for `quiet` seconds."""
    end = time.monotonic() + limit
    traffic = _traffic.get(page, Traffic())
    why = "nothing was tried"
    while time.monotonic() < end:
        try:
            why = page.evaluate(_AT_REST, 1000 * quiet)
        except Error as error:  # the page navigated away under us
            if "context was destroyed" not in error.message and "navigat" not in error.message:
                raise
            why = error.message
        if not why and traffic.answered:
            return page
        why = why or "the last message is not answered"
        if why == "the last message is not answered":
            page.wait_for_timeout(50)
    raise AssertionError(f"{page.url} did not come to rest in {limit:.0f} s: {why}")


def query(page: Page) -> dict[str, str]:
    """The query of the page's address."""
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def path(page: Page) -> str:
    return urlsplit(page.url).path


def bench(page: Page) -> Workbench:
    """The workbench that the page's address opens."""
    return link.decode(query(page)["s"])


def becomes(page: Page, value: Callable[[], Any], expected: Any, *, within: float = 8.0) -> None:
    """Hold a value that the browser is about to change to what it becomes; what waits to be sent cannot be seen."""
    end = time.monotonic() + within
    while (now := value()) != expected and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert now == expected


#: What the frontend draws where an element fails; a message of our own stands in a box named stAlert.
_INSTEAD = '[data-testid="stAlertContentError"]:not([data-testid="stAlert"] *)'


def problems(page: Page) -> list[str]:
    """What no page may do, whatever the test: errors, tracebacks, a dialog about a page not found."""
    found = [f"error in the page: {error}" for error in _traffic[page].errors]
    if page.is_closed():
        return found
    boxes: list[Any] = page.locator('[data-testid="stException"]').all_inner_texts()
    found += [f"traceback on {page.url}: {box[:600]}" for box in boxes]
    broken: list[Any] = page.locator(_INSTEAD).all_inner_texts()
    found += [f"an error instead of an element on {page.url}: {box[:600]}" for box in broken]
    if page.get_by_text("Page not found").count():
        found.append(f"'Page not found' on {page.url}")
    return found


@dataclass(frozen=True)
class Cell:
    """A heatmap's cell as the browser drew it."""

    value: float  #: from its tooltip, every digit
    text: str  #: as printed in the cell; empty where the cell is too small to print in
    lit: bool  #: not dimmed


_CELLS = r"""(chart) => [...chart.querySelectorAll('g[class*="cells_"]')].map((rects) => {
  const texts = new Map([...rects.parentElement.querySelectorAll("text")].flatMap((text) => {
    const { kind, q, k } = text.__data__?.datum ?? {};  // (Vega leaves each mark's record at its element)
    return ["cell", "masked"].includes(kind) ? [[`${q},${k}`, text.textContent]] : [];
  }));
  return [...rects.querySelectorAll("path")].map((path) => {
    const label = path.getAttribute("aria-label");
    const q = /\bq: (\d+)/.exec(label)[1], k = /\bk: (\d+)/.exec(label)[1];
    return [Number(q), Number(k), label.split("= ").pop(), texts.get(`${q},${k}`) ?? "",
            Number(path.getAttribute("opacity") ?? 1) === 1];
  });
})"""


def chart(page: Page, nth: int = -1) -> Locator:
    return page.get_by_test_id("stVegaLiteChart").nth(nth)


def stages(page: Page, nth: int = -1) -> list[dict[tuple[int, int], Cell]]:
    """The linked heatmaps of a chart (the page's last unless said), each as cells by (row, column)."""
    drawn = chart(page, nth).evaluate(_CELLS)
    return [
        {(q, k): Cell(_number(value), text, lit) for q, k, value, text, lit in heatmap} for heatmap in drawn
    ]


def lit_rows(page: Page, nth: int = -1) -> list[set[int]]:
    """For each heatmap, the rows that are not dimmed."""
    return [{q for (q, _), cell in heatmap.items() if cell.lit} for heatmap in stages(page, nth)]


def expect_lit(page: Page, rows: set[int], nth: int = -1, *, within: float = 3.0) -> None:
    """These rows, and only they, are lit in every heatmap of a chart; Vega takes a frame or two."""
    end = time.monotonic() + within
    while (lit := lit_rows(page, nth)) != [rows] * len(lit) and time.monotonic() < end:
        page.wait_for_timeout(30)
    assert lit == [rows] * len(lit), f"{lit} is not {rows} throughout"


def _number(shown: str) -> float:
    return float(shown.replace("−", "-").replace("∞", "inf").replace("≈", ""))


def editor(page: Page, name: str) -> Locator:
    """The editor of a matrix, or of the mask by its caption."""
    return page.get_by_role("table", name=re.compile(rf"^{name}\b"))


def cell(page: Page, name: str, i: int, j: int) -> Locator:
    """An editor's cell, counted from 0."""
    return editor(page, name).locator("tbody tr").nth(i).locator("input, button").nth(j)


def typed(page: Page, name: str) -> list[list[str]]:
    """What stands in the inputs of the editor of matrix `name`, row by row."""
    rows: list[list[str]] = editor(page, name).evaluate(
        "(table) => [...table.tBodies[0].rows].map("
        "(row) => [...row.querySelectorAll('input')].map((input) => input.value))"
    )
    return rows


def type_in(page: Page, where: Locator, text: str) -> None:
    """Replace a cell's text the way a person does, and press Enter."""
    where.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)
    page.keyboard.press("Enter")


def choose(page: Page, name: str, group: str = "") -> None:
    """Choose an option of a segmented control (of the one labelled `group`), and wait."""
    within = page.get_by_role("radiogroup", name=group, exact=True) if group else page
    within.get_by_role("radio", name=name, exact=True).click()
    settle(page)
