"""Every page's surroundings: first visits, language, links, history, phones."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import (
    bench,
    cell,
    choose,
    expect_lit,
    messages,
    path,
    query,
    settle,
    stages,
    type_in,
    typed,
)
from tests.browser.servers import running
from ui import link, shell
from ui.text import Text
from ui.workbench import preset

OpenPage = Callable[..., Page]
EN = Text("common", "en")
ADDRESSES = {page: "/" if page == shell.PAGES[0] else f"/{page}" for page in shell.PAGES}
EXACT = {("Q", 1, 0): "1/3", ("K", 0, 1): "0.129", ("V", 3, 3): "1e-3", ("Q", 3, 2): "-.5"}


def type_all(page: Page, numbers: dict[tuple[str, int, int], str]) -> None:
    for at, text in numbers.items():
        type_in(page, cell(page, *at), text)
    settle(page)


def shown(page: Page) -> tuple[object, ...]:
    """The numbers on screen, to the last digit: editors and all four stages."""
    drawn = [{at: (each.value, each.text) for at, each in heatmap.items()} for heatmap in stages(page)]
    return [typed(page, name) for name in "QKV"], drawn


def address_agrees(page: Page) -> bool:
    opened = bench(page)
    return all(typed(page, name) == [list(row) for row in opened.matrices[name]] for name in "QKV")


def go(page: Page, title: str) -> None:
    """Choose a page in the navigation."""
    page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()
    expect(page.get_by_test_id("stMain").get_by_role("heading", level=3)).to_be_visible()
    settle(page)


# First visits


def expect_first_visit(page: Page, name: str) -> None:
    """The right page, the language picker, the whole navigation, no dialog."""
    heading = page.get_by_test_id("stMain").get_by_role("heading", level=3)
    expect(heading).to_contain_text(Text(name, "en")("title"))
    links = page.get_by_test_id("stSidebarNavLink").all_inner_texts()
    assert [text.splitlines()[-1] for text in links] == [EN(f"nav_{each}") for each in shell.PAGES]
    expect(page.get_by_role("radio", name="English")).to_be_checked()
    expect(page.get_by_role("radio", name="中文")).to_be_visible()
    assert page.get_by_role("dialog").count() == 0
    assert path(page) == ADDRESSES[name]


def test_a_deep_link_to_a_fresh_server_opens_that_page(open_page: OpenPage) -> None:
    """The first visitor ever, then a second."""
    with running() as server:
        for _ in range(2):
            expect_first_visit(open_page("/heads", url=server.url), "heads")


@pytest.mark.parametrize("name", shell.PAGES)
def test_every_page_can_be_the_first_that_is_asked_for(name: str, untouched_app: str, open_page: OpenPage) -> None:
    """And at rest it sends nothing: to measure the width or the address must not ask for another run for ever."""
    page = open_page(ADDRESSES[name], url=untouched_app)
    sent = messages(page)
    expect_first_visit(page, name)
    page.wait_for_timeout(300)
    assert messages(page) == sent <= 4


@pytest.mark.parametrize(
    ("locale", "lang", "expected"),
    [("zh-CN", None, "zh"), ("en-US", None, "en"), ("zh-TW", None, "zh"), ("fr-FR", None, "en"),
     ("zh-CN", "en", "en"), ("en-US", "zh", "zh"), ("en-US", "xx", "en")],
)  # fmt: skip
def test_the_first_visit_follows_the_address_then_the_browser(
    locale: str, lang: str | None, expected: str, open_page: OpenPage
) -> None:
    page = open_page("/", lang=lang, locale=locale)
    heading = page.get_by_test_id("stMain").get_by_role("heading", level=3)
    expect(heading).to_contain_text(Text(shell.PAGES[0], expected)("title"))
    assert query(page)["lang"] == expected


# Language


def test_switching_the_language_keeps_numbers_page_and_drawing(page: Page) -> None:
    """The chart is not drawn anew, so the row that was chosen stays lit."""
    type_all(page, EXACT)
    choose(page, "causal")
    page.locator("g.cells_0_marks path").nth(5).click()
    page.mouse.move(5, 5)
    settle(page)
    before, opened = shown(page), bench(page)
    tag(page)
    expect_lit(page, {1})
    choose(page, "中文")
    assert path(page) == "/edit"
    assert query(page)["lang"] == "zh"
    assert bench(page) == opened
    assert shown(page) == before
    assert tagged(page), "the chart was drawn anew"
    expect_lit(page, {1})
    choose(page, "English")
    assert shown(page) == before
    assert tagged(page)


def test_typing_a_number_keeps_the_drawing_and_the_chosen_row(page: Page) -> None:
    tag(page)
    page.locator("g.cells_0_marks path").nth(5).click()
    type_all(page, {("Q", 1, 0): "-3"})
    settle(page)
    page.mouse.move(5, 5)
    assert stages(page)[0][1, 0].value != 4.5
    assert tagged(page), "the chart was drawn anew"
    expect_lit(page, {1})


def tag(page: Page) -> None:
    page.get_by_test_id("stVegaLiteChart").last.locator("svg").evaluate("(svg) => { svg.tagged = true; }")


def tagged(page: Page) -> bool:
    return bool(page.get_by_test_id("stVegaLiteChart").last.locator("svg").evaluate("(svg) => svg.tagged"))


def test_the_language_stays_on_every_page(open_page: OpenPage) -> None:
    page = open_page("/", lang="en")
    choose(page, "中文")
    for name in shell.PAGES[1:]:
        go(page, Text("common", "zh")(f"nav_{name}"))
        heading = page.get_by_test_id("stMain").get_by_role("heading", level=3)
        expect(heading).to_contain_text(Text(name, "zh")("title"))
        assert query(page)["lang"] == "zh"


# Links


def test_reload_and_a_copied_link_show_the_same_numbers(open_page: OpenPage, page: Page) -> None:
    type_all(page, EXACT)
    choose(page, "causal")
    choose(page, "÷ d_k")
    before, opened = shown(page), bench(page)
    page.reload()
    settle(page)
    assert shown(page) == before
    someone_else = open_page(page.url[page.url.index("/edit") :])
    assert shown(someone_else) == before
    assert bench(someone_else) == opened


def test_copy_link_puts_the_address_on_the_clipboard(open_page: OpenPage) -> None:
    page = open_page("/edit", permissions=("clipboard-read", "clipboard-write"))
    type_all(page, EXACT)
    page.get_by_role("button", name=EN("copy_link")).click()
    expect(page.get_by_role("button", name=EN("copied"))).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert link.decode(query(page)["s"]).matrices["Q"][1][0] == "1/3"


# History


def test_back_returns_to_the_page_before_with_the_current_numbers(page: Page) -> None:
    """One history entry a page, however much was edited; address and screen never disagree."""
    entries = page.evaluate("history.length")
    type_all(page, EXACT)
    choose(page, "causal")
    assert page.evaluate("history.length") == entries
    assert address_agrees(page)
    go(page, EN("nav_variance"))
    assert page.evaluate("history.length") == entries + 1
    assert path(page) == "/variance"
    assert bench(page).matrices["Q"][1][0] == "1/3"

    page.get_by_role("button", name=EN("undo")).click()  # the numbers change while another page is shown
    settle(page)
    page.go_back()
    settle(page)
    assert path(page) == "/edit"
    assert address_agrees(page)
    assert bench(page).mask == "none"
    assert bench(page).matrices["Q"][1][0] == "1/3"

    page.go_forward()
    settle(page)
    assert path(page) == "/variance"
    assert bench(page).matrices["Q"][1][0] == "1/3"
    assert page.evaluate("history.length") == entries + 1


def test_streamlits_own_way_to_write_the_address_still_adds_history_entries(
    open_page: OpenPage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The reason for our own address component. When this fails, `st.query_params` can take over from it."""
    folder = tmp_path_factory.mktemp("history")
    (folder / "app.py").write_text(
        "import streamlit as st\n"
        "def up():\n    st.query_params['n'] = int(st.query_params.get('n', 0)) + 1\n"
        "st.button('up', on_click=up)\n"
    )
    with running("app.py", cwd=folder) as server:
        page = open_page("/", url=server.url, lang=None)
        entries = page.evaluate("history.length")
        for _ in range(2):
            page.get_by_role("button", name="up").click()
            settle(page)
        assert query(page) == {"n": "2"}
        assert page.evaluate("history.length") == entries + 2


# Codes that cannot be opened


def code_of(header: bytes, planes: bytes = b"") -> str:
    """A code whose checksum is right, whatever it holds."""
    body = zlib.compress(header + b"\n" + planes, 9, -15)
    return "1" + base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")


WHOLE = link.encode(preset("lookup"))
BAD_CODES = {
    "damaged": (WHOLE[:8] + ("A" if WHOLE[8] != "A" else "B") + WHOLE[9:], "damaged"),
    "truncated": (WHOLE[:-4], "damaged"),
    "future": ("2" + WHOLE[1:], "future"),
    "oversized": ("1" + "A" * 25_000, "oversized"),
    "zip bomb": (code_of(b"0" * 12_000_000), "oversized"),
    "deep JSON": (code_of(b"[" * 50_000), "damaged"),
    "markup": ("<script>alert(1)</script>", "damaged"),
    "markup in a token": (code_of(b'{"p":"cat","s":0,"tokens":["<img src=x onerror=a>"]}'), "damaged"),
    "odd characters": ("1\x00\u202e😀", "damaged"),
}


@pytest.mark.parametrize("kind", BAD_CODES)
def test_a_code_that_cannot_be_opened_is_explained(kind: str, open_page: OpenPage) -> None:
    code, reason = BAD_CODES[kind]
    lang = "zh" if len(kind) % 2 else "en"
    page = open_page(f"/edit?lang={lang}&s={quote(code)}")
    sentence = Text("common", lang)(f"link_{reason}")
    expect(page.get_by_test_id("stAlert")).to_have_text(re.compile(re.escape(sentence)))
    assert bench(page) == preset("cat")
    assert address_agrees(page)


def test_a_link_that_is_opened_over_own_numbers_can_be_undone(open_page: OpenPage) -> None:
    page = open_page(f"/edit?lang=en&s={WHOLE}")
    assert bench(page) == preset("lookup")
    page.get_by_role("button", name=EN("undo")).click()
    settle(page)
    assert bench(page) == preset("cat")


# Phones


@pytest.mark.parametrize("name", shell.PAGES)
def test_a_phone_is_never_scrolled_sideways(name: str, open_page: OpenPage) -> None:
    """Not even a small one, as narrow as a desktop zoomed to 400 % (WCAG 1.4.10)."""
    page = open_page(ADDRESSES[name], width=320)
    expect_fits(page)
    choose(page, "中文")
    expect_fits(page)


def expect_fits(page: Page) -> None:
    for part in ("document.documentElement", "document.querySelector('[data-testid=\"stMain\"]')"):
        assert page.evaluate(f"{part}.scrollWidth - {part}.clientWidth") == 0
    for chart in page.get_by_test_id("stVegaLiteChart").all():
        box = chart.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 321
        heatmaps = [heatmap.bounding_box() for heatmap in chart.locator('g[class*="cells_"]').all()]
        tops = [each["y"] + each["height"] for each in heatmaps if each]
        starts = [each["y"] for each in heatmaps if each]
        assert all(start >= end for end, start in zip(tops, starts[1:], strict=False)), "side by side"


def test_turning_the_window_keeps_the_numbers(page: Page) -> None:
    type_all(page, EXACT)
    before = [{at: each.value for at, each in heatmap.items()} for heatmap in stages(page)]
    for width in (390, 800, 1366):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(150)
        settle(page)
        assert [{at: each.value for at, each in heatmap.items()} for heatmap in stages(page)] == before
    assert address_agrees(page)


def test_the_navigation_cuts_no_name(open_page: OpenPage) -> None:
    page = open_page("/heads")  # the longest name; that of the page one is on is set bold
    for language in shell.LANGUAGE_NAMES.values():
        choose(page, language)
        links = page.get_by_test_id("stSidebarNavLink")
        cut = links.locator("*").evaluate_all("parts => parts.filter((part) => part.clientWidth && "
                                              "part.scrollWidth > part.clientWidth).map((part) => part.textContent)")
        assert links.count() == len(shell.PAGES)
        assert cut == []
