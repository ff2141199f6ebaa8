"""What browser tests share: waiting without sleeping, the address, and the messages a page sends."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, Page, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ui import link
from ui.workbench import Workbench

LIMIT = 30.0  #: seconds that a page may take to come to rest


@dataclass
class Traffic:
    """What went over a page's websocket, and what went wrong on the page."""

    sent: int = 0  #: messages the page sent to the server
    answered: bool = True  #: whether a run begun after the last message has finished
    begun: bool = True
    errors: list[str] = field(default_factory=list)


_traffic: WeakKeyDictionary[Page, Traffic] = WeakKeyDictionary()


def watch(page: Page) -> Traffic:
    """Count a page's messages and collect its errors; called by `open_page`, before the page is loaded."""
    traffic = _traffic[page] = Traffic()

    def sent(_: object) -> None:
        traffic.sent += 1
        traffic.begun = traffic.answered = False

    def received(payload: str | bytes) -> None:
        if not isinstance(payload, bytes):
            return
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
    page.on("pageerror", lambda error: traffic.errors.append(str(error)))
    return traffic


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


def problems(page: Page) -> list[str]:
    """What no page may do, whatever the test: errors, tracebacks, a dialog about a page not found."""
    found = [f"error in the page: {error}" for error in _traffic[page].errors]
    if page.is_closed():
        return found
    boxes: list[Any] = page.locator('[data-testid="stException"]').all_inner_texts()
    found += [f"traceback on {page.url}: {box[:600]}" for box in boxes]
    if page.get_by_text("Page not found").count():
        found.append(f"'Page not found' on {page.url}")
    return found
