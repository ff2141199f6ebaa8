"""A running app and a real Chromium. Nothing here is skipped: without a browser the tests fail and say so.

    def test_something(open_page):
        page = open_page("/edit", lang="en")            # settled; each call a new visitor
        type_in(page, cell(page, "Q", 1, 0), "1/3")     # these four: tests.browser.helpers
        settle(page)
        assert bench(page).matrices["Q"][1][0] == "1/3"  # the address, decoded

At the end every page is checked for errors, tracebacks and the "Page not found" dialog, and the server's
output for tracebacks; when a test fails, the server's output is shown.
"""

from __future__ import annotations

import signal
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from tests.browser import helpers
from tests.browser.servers import Server, launch

HERE = Path(__file__).parent
HEIGHTS = {390: 844}
#: What stands between two visitors in one tab: of the app's origin, so that its process and caches live on.
NOWHERE = "/_stcore/health"
#: What a browser context cannot change later: server, locale, permissions, user agent, touch.
Kind = tuple[str, str, tuple[str, ...], str | None, bool]
FAILED = pytest.StashKey[bool]()
_servers: list[Server] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder `browser` and run it last: the quick tests speak first."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    if report.failed and HERE in item.path.parents:
        report.sections += [(f"output of the server at {s.url}", s.output()[-6000:]) for s in _servers]
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    with sync_playwright() as playwright:
        try:
            chromium = launch(playwright)
        except RuntimeError as error:
            pytest.fail(str(error), pytrace=False)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def idle() -> dict[Kind, list[Page]]:
    """Tabs that were open and are as new again, by their kind of visitor; the one used last is taken first."""
    return defaultdict(list)


@pytest.fixture(scope="session")
def app() -> Iterator[str]:
    """The address of the app, running for as long as the tests do."""
    yield from (server.url for server in _serve())


@pytest.fixture(scope="session")
def untouched_app() -> Iterator[str]:
    """The address of the app where every visitor finds it as the first one does (tests/browser/first_visits.py)."""
    yield from (server.url for server in _serve(module="tests.browser.first_visits"))


@pytest.fixture
def unanswered() -> Callable[[], AbstractContextManager[None]]:
    """`with unanswered():` a block in which no server answers: what a page sends waits until the block ends."""

    @contextmanager
    def hold() -> Iterator[None]:
        for server in _servers:
            server.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for server in _servers:
                server.process.send_signal(signal.SIGCONT)

    return hold


def _serve(**how: Any) -> Iterator[Server]:
    server = Server(**how)
    _servers.append(server)
    try:
        yield server.wait()
    finally:
        _servers.remove(server)
        server.stop()


@pytest.fixture
def open_page(
    request: pytest.FixtureRequest, browser: Browser, idle: dict[Kind, list[Page]]
) -> Iterator[Callable[..., Page]]:
    """Open a page as a new visitor, settled: `open_page("/edit", lang="zh", width=390, scheme="dark")`.

    `lang=None` leaves the language to `locale`; `url` is the server (the shared one unless given); a `path`
    with a query (a copied link) is opened as it is; `permissions` such as "clipboard-read"; `user_agent` for
    a phone, `touch` for its screen; `context=` opens another tab of a visitor who is already there.

    A visitor may get a tab in which an earlier test has ended well: stored things, history, mouse and sizes are as
    new, and the frontend is in its caches, which halves the price of a page. A test that changes what does not go by
    itself (`page.on`, `page.route`, settings of a DevTools session) says `own=True`.
    """
    contexts: list[BrowserContext] = []
    pages: list[Page] = []
    lent: list[tuple[Page, str, Kind]] = []
    seen = {server.url: len(server.output()) for server in _servers}

    def new_context(kind: Kind, size: ViewportSize) -> BrowserContext:
        _, locale, permissions, user_agent, touch = kind
        context = browser.new_context(
            viewport=size, locale=locale, permissions=list(permissions), user_agent=user_agent, has_touch=touch
        )
        context.set_default_timeout(10_000)
        return context

    def open_(
        path: str = "/", *, lang: str | None = "en", width: int = 1366, height: int | None = None,
        scheme: Literal["light", "dark"] = "light", locale: str = "en-US", url: str | None = None,
        permissions: tuple[str, ...] = (), user_agent: str | None = None, wait: bool = True,
        context: BrowserContext | None = None, touch: bool = False, own: bool = False,
    ) -> Page:  # fmt: skip
        size: ViewportSize = {"width": width, "height": height or HEIGHTS.get(width, 900)}
        url = url or request.getfixturevalue("app")
        kind = url, locale, permissions, user_agent, touch
        if context is None and not own and url in {server.url for server in _servers}:
            page = idle[kind].pop() if idle[kind] else new_context(kind, size).new_page()
            lent.append((page, url, kind))
        else:
            if context is None:
                contexts.append(context := new_context(kind, size))
            page = context.new_page()
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme, reduced_motion="null")
        pages.append(page)
        helpers.watch(page)
        query = "?" + urlencode({"lang": lang}) if lang and "?" not in path else ""
        page.goto(url + path + query)
        return helpers.settle(page) if wait else page

    yield open_
    found = [problem for page in pages for problem in helpers.problems(page)]
    for page, url, kind in reversed(lent):
        if found or request.node.stash.get(FAILED, False) or page.is_closed() or len(page.context.pages) > 1:
            contexts.append(page.context)
        else:
            _renew(page, url)
            idle[kind].append(page)
    for context in contexts:
        context.close()
    for server in _servers:
        output = server.output()[seen.get(server.url, 0) :]
        if "Traceback (most recent call last)" in output:
            found.append(f"traceback in the server's output:\n{output[-4000:]}")
    assert not found, "\n".join(found)


def _renew(page: Page, url: str) -> None:
    """Leave nothing of a visitor in a tab."""
    page.goto(url + NOWHERE)
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); window.name = ''; }")
    page.context.clear_cookies()
    page.mouse.up()
    page.mouse.move(0, 0)
    session = page.context.new_cdp_session(page)
    session.send("Page.resetNavigationHistory")
    session.detach()


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """The edit page in English on a desktop, for tests that need just one visitor."""
    return open_page("/edit")
