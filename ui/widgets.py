"""How a control stands on a page: shown from the workbench, its label beside it, together when the line wraps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import streamlit as st

from ui import state, views
from ui.text import Text
from ui.workbench import Workbench

FEW, SHORT = 4, 26  #: so many choices, of so many letters in all, fit on a phone beside each other

Change = Callable[[Workbench, Any], Workbench]


def pick(
    name: str, options: Sequence[Any], value: Any, text: Text, *, show: Callable[[Any], str], change: Change,
    **words: object,
) -> None:  # fmt: skip
    """One of several values of the workbench, side by side; nothing is chosen where the value is None."""
    key = f"pick_{name}"
    one(name, options, value, text, key=key, show=show, change=state.on_change(key, change, options), **words)


def look(view: str, options: Sequence[Any], value: Any, text: Text, *, show: Callable[[Any], str], key: str) -> None:
    """One of several things that a page can show (see `ui.views`), side by side."""
    one(view.partition(".")[2], options, value, text, key=key, show=show, change=state.on_show(key, view, options))


def part(view: str, options: Sequence[str], label: str, show: Callable[[str], str], *, key: str) -> str:
    """Which of several parts of a page is looked at, in the link; as `look`, without words before it."""
    shown = str(views.get(state.bench(), view))
    with wrapping():
        st.segmented_control(
            label, options, default=shown, required=True, key=state.control(key, shown),
            label_visibility="collapsed", format_func=show, on_change=state.on_show(key, view, options),
        )  # fmt: skip
    return shown


def one(
    name: str, options: Sequence[Any], value: Any, text: Text, *, key: str, show: Callable[[Any], str],
    change: Callable[[], None], **words: object,
) -> None:  # fmt: skip
    """One of several, side by side, its label before it."""
    with group():
        label(name, text, **words)
        with nullcontext() if _fit(list(map(show, options))) else wrapping():
            st.segmented_control(
                text(f"label_{name}"), options, default=value, required=value is not None,
                key=state.control(key, value), label_visibility="collapsed", format_func=show, on_change=change,
            )  # fmt: skip


def _fit(choices: Sequence[str]) -> bool:
    return len(choices) <= FEW and len("".join(choices)) <= SHORT


def whole(
    label: str, low: int, high: int, value: int, text: Text, *, key: str, change: Change, **how: Any
) -> None:  # fmt: skip
    """A whole number of the workbench; anything but one from low to high is refused in a sentence and changes nothing.

    Streamlit's own ends speak English on every page, in a bubble that no finger reaches, and read 1e9 as 1
    (https://github.com/streamlit/streamlit/issues/1353). So the field has no ends and takes any number.
    """
    refused = f"{key}_refused"

    def take() -> None:
        typed = st.session_state.get(key)
        st.session_state.pop(refused, None)
        if typed is not None and float(typed).is_integer() and low <= typed <= high:
            state.commit(change(state.bench(), int(typed)))
        elif typed is not None:
            st.session_state[refused] = (typed, state.lab()["code"])

    st.number_input(label, value=float(value), step=1.0, format="%.0f", key=state.control(key, float(value)),
                    on_change=state.callback(take), **how)  # fmt: skip
    typed, then = st.session_state.get(refused, (None, None))
    if then == state.lab()["code"]:
        said = text("whole_refused", label=label, low=low, high=high, typed=f"{typed:,.10g}", value=value)
        st.markdown(f":red[{said}]")
    else:  # whoever has done something else since knows
        st.session_state.pop(refused, None)


def label(name: str, text: Text, **words: object) -> None:
    st.markdown(text(f"label_{name}"), width="content", help=text(f"help_{name}", **words))


def line() -> Any:
    """Controls beside each other."""
    return st.container(horizontal=True, gap="small", vertical_alignment="center")


def group() -> Any:
    """A label and its control, which stay together when the line wraps."""
    return st.container(horizontal=True, gap="small", vertical_alignment="center", width="content")


def wrapping() -> Any:
    """Room for many choices: in a horizontal container itself, Streamlit 1.67 lets them run off a phone."""
    return st.container(width="content")
