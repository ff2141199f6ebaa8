"""The steps so far as a list: what each one changed, and a click to go there."""

from __future__ import annotations

import streamlit as st

from ui import changes, link, state
from ui.names import in_sentences
from ui.text import Text

FIRST = 20  #: steps that are listed before one asks for earlier ones


def popover(text: Text) -> None:
    """The history; drawn only while it is looked at."""
    with st.popover(text("history"), key="history", icon=":material/history:", on_change="rerun") as popover:
        if not popover.open:
            return
        path = state.path()
        now, oldest, newest = state.position(), min(path), max(path)
        least = max(min(newest + 1 - FIRST - state.lab()["steps_shown"], now), oldest)
        st.caption(text("history_title"))
        with st.container(gap=None):
            for i in range(newest, least - 1, -1):
                _entry(i, now, _description(path, i, text), text)
        if least > oldest:
            st.button(text("history_earlier"), key="history_earlier", type="tertiary", icon=":material/expand_more:",
                      on_click=state.callback(_show_earlier))


def _entry(i: int, now: int, said: str, text: Text) -> None:
    icon = f":material/radio_button_{'' if i == now else 'un'}checked:"
    st.button(text("history_now", step=said) if i == now else said, key=f"step_{i}", type="tertiary", icon=icon,
              disabled=i == now, on_click=state.callback(lambda: state.go_to(i)))


def _description(path: dict[int, str], i: int, text: Text) -> str:
    """What led to the state at `i`."""
    if i - 1 not in path:
        return text("history_forgotten" if i else "history_start")
    if i == 1 and state.lab()["arrived"]:
        return text("history_arrived")
    found = changes.between_codes(path[i - 1], path[i])
    return changes.described(found, in_sentences(link.decode(path[i]).tokens, text), text)


def last_edit() -> str | None:
    """The code before the newest step that changed numbers, if one did; what came with a link is no edit."""
    path = state.path()
    for i in range(state.position(), max(min(path), int(state.lab()["arrived"])), -1):
        if any(change.of_numbers for change in changes.between_codes(path[i - 1], path[i])):
            return path[i - 1]
    return None


def _show_earlier() -> None:
    state.lab()["steps_shown"] += FIRST
