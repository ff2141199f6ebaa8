"""What surrounds every page: page setup, navigation, language, link, and the net under errors."""

from __future__ import annotations

import gc
import logging
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import NoReturn

import streamlit as st

from ui import challenges, components, lesson, link, state, trace
from ui.text import LANGUAGES, Text

#: section → pages; a page is pages/<name>.py and has the address /<name>, the first one /.
SECTIONS = {
    "start": ("home",),
    "walk": ("lookup", "flow", "edit", "variance", "masks", "order", "heads", "scratch", "production"),
    "more": ("challenges", "glossary", "teach"),
}
ICONS = {
    "home": ":material/home:", "lookup": ":material/search:", "flow": ":material/account_tree:",
    "edit": ":material/edit:", "variance": ":material/monitoring:", "masks": ":material/visibility_off:",
    "order": ":material/shuffle:", "heads": ":material/layers:", "scratch": ":material/code:",
    "production": ":material/speed:", "challenges": ":material/flag:", "glossary": ":material/dictionary:",
    "teach": ":material/school:",
}  # fmt: skip
PAGES = tuple(page for pages in SECTIONS.values() for page in pages)
LANGUAGE_NAMES = {"zh": "中文", "en": "English"}

#: layout → the least width of the page's column in CSS pixels, widest first. Charts are drawn for that width.
LAYOUTS = {"xl": 1240, "wide": 880, "medium": 580, "phone": 0}

SIDEBAR = 236  #: pixels; room for every name, and for four heatmaps side by side on a screen of 1280 pixels

_ROOT = Path(__file__).parent.parent
_entered: ContextVar[bool] = ContextVar("entered", default=False)


def run() -> None:
    """The entry script: declare the pages and run the one that was asked for."""
    _entered.set(True)
    try:
        page = _declare(Text("common", language()))
        page.run()
        state.run_ends()
        _spare_the_collector()
    except Exception:
        logging.getLogger(__name__).exception("a page failed")
        _apologise(Text("common", language()))
    finally:
        _entered.set(False)


@cache
def _spare_the_collector() -> None:
    """Once a process: what the first run has loaded stays, so the garbage collector need not go through it again.

    A full collection took 100 ms of somebody's rerun every few seconds of a class; now it takes 10.
    """
    gc.collect()
    gc.freeze()


def begin(page: str) -> Text:
    """The top of a page script; returns the page's sentences in the reader's language.

    Streamlit runs the first page asked of a fresh server without the entry script when the folder is called `pages`
    (streamlit PR #10276). The page then does what the entry script would have done, itself included, and ends.
    """
    if not _entered.get():
        run()
        st.stop()
    text = Text(page, language())
    state.run_begins()
    state.adopt(st.query_params.get("s"), st.query_params.get("b"))
    _top_row(text)
    if state.lab()["doors"] and not state.lab()["door_at"]:  # at once: what follows may take a while
        components.top(key="start", data={"doors": state.lab()["doors"], "at": ""})
    _notices(text)
    _lesson(page, text.lang)
    return text


def language() -> str:
    """The reader's language: chosen, else asked for in the address, else the browser's."""
    if "lang" not in st.session_state or st.session_state["lang"] not in LANGUAGES:
        asked = st.query_params.get("lang")
        browser = "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
        st.session_state["lang"] = asked if asked in LANGUAGES else browser
    return str(st.session_state["lang"])


def layout() -> str:
    """How wide the page is: "xl", "wide", "medium" or "phone"; guessed until the browser has measured it."""
    here = state.lab()
    if not here["layout"]:
        here["layout"] = "phone" if "Mobi" in (st.context.headers.get("User-Agent") or "") else "wide"
    return str(here["layout"])


def next_pages(text: Text, *pages: str) -> None:
    """Where to go from here."""
    with st.container(horizontal=True):
        for page in pages:
            st.page_link(f"pages/{page}.py", label=text(f"nav_{page}"), icon=ICONS[page])


def go(page: str) -> NoReturn:
    """Go to another page, or begin this one anew. (Going empties the address, and nothing would correct it on the
    page that the reader is on.)"""
    st.switch_page(f"pages/{page}.py", query_params=here())


def half() -> str:
    """The layout of a column that has half of the page."""
    return {"xl": "medium", "wide": "half", "medium": "phone"}.get(layout(), "phone")


def here() -> dict[str, str]:
    """The query of the address that opens what is on screen."""
    code, pinned = state.lab()["code"], state.lab()["pin"]
    fits = bool(pinned) and len(code) + len(pinned) <= link.MAX_CODE
    return {"lang": language()} | ({"s": code} if len(code) <= link.MAX_CODE else {}) | ({"b": pinned} if fits else {})


def _declare(text: Text) -> st.Page:  # type: ignore[name-defined]
    # An icon of our own: a Material icon as page icon would be fetched from another host.
    st.set_page_config(page_title=text("app"), page_icon=str(_ROOT / "ui" / "icon.svg"), layout="wide",
                       initial_sidebar_state=SIDEBAR)
    return st.navigation({
        text(f"section_{section}"): [
            st.Page(_ROOT / "pages" / f"{page}.py", title=text(f"nav_{page}"), icon=ICONS[page],
                    default=page == PAGES[0])
            for page in pages
        ]
        for section, pages in SECTIONS.items()
    })  # fmt: skip


def _top_row(text: Text) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"### {text('title')}", width="stretch")
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
            _history(text)
            st.segmented_control(
                text("language"), LANGUAGES, default=language(), required=True, key=_picker(),
                format_func=LANGUAGE_NAMES.__getitem__, on_change=state.callback(_pick_language),
                label_visibility="collapsed",
            )  # fmt: skip
            components.address(
                key="address", width="content", on_layout_change=state.callback(_measured),
                data={"session": state.lab()["session"], "query": here(), "layout": layout(),
                      "layouts": list(LAYOUTS.items()), "copy": text("copy_link"), "copied": text("copied"),
                      "by_hand": text("copy_by_hand")},
            )  # fmt: skip
        if layout() in {"medium", "phone"}:
            components.fit(key="fit", width="content")


def _history(text: Text) -> None:
    """Undo, redo, and back to the prepared numbers: the numbers are the same on every page, so is the way back."""
    here = state.lab()
    bench = state.bench()
    start = challenges.prepared(bench)
    st.button(text("undo"), icon=":material/undo:", key="undo", type="tertiary", on_click=state.callback(state.undo),
              disabled=not here["undo"])
    st.button(text("redo"), icon=":material/redo:", key="redo", type="tertiary", on_click=state.callback(state.redo),
              disabled=not here["redo"])
    st.button(text("reset"), icon=":material/restart_alt:", key="reset", type="tertiary",
              on_click=state.callback(_reset), disabled=bench == start)


def _reset() -> None:
    state.commit(challenges.prepared(state.bench()))


def _picker() -> str:
    return state.control("language_picker", language())


def _pick_language() -> None:
    chosen = st.session_state.get("language_picker")
    if chosen in LANGUAGES:
        st.session_state["lang"] = chosen


def _measured() -> None:
    layout = (st.session_state.get("address") or {}).get("layout")
    if layout in LAYOUTS:
        state.lab()["layout"] = layout


def _notices(text: Text) -> None:
    for id, values in state.lab()["notices"]:
        if id == "prepared":  # nothing is wrong
            st.toast(text(id), icon=":material/undo:")
            continue
        st.warning(text(id, **_in_words(values, text)), icon=":material/warning:")
    state.lab()["notices"] = []
    if len(state.lab()["code"]) > link.MAX_CODE:
        st.warning(text("link_too_long", length=len(state.lab()["code"]), most=link.MAX_CODE))


def _lesson(page: str, lang: str) -> None:
    """The question of the lesson that this page was opened for, if it was."""
    asked, text = lesson.asked(page, state.bench(), lang), Text("teach", lang)
    if not asked:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(asked, width="stretch")
        st.page_link("pages/teach.py", label=text("nav_teach"), icon=ICONS["teach"])
        st.button(text("hide_question"), key="hide_question", icon=":material/close:", type="tertiary",
                  on_click=state.callback(lambda: state.show("teach.part", 0)))


def _in_words(values: dict[str, object], text: Text) -> dict[str, object]:
    """A notice's values as it says them: a stage by its name in the reader's language."""
    if "stage" not in values:
        return values
    matrix = str(values["stage"]), int(str(values["head"]))
    return values | {"stage": trace.matrix_name(matrix, Text("trace", text.lang))}


def _apologise(text: Text) -> None:
    st.error(text("failed"), icon=":material/error:")
    st.button(text("undo"), key="failed_undo", on_click=state.callback(state.undo))
