"""Compare mode: what the stages show, now or how far it moved, and the numbers pinned to measure that from."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ui import changes, history, link, ripple, state, widgets
from ui.names import in_sentences
from ui.ripple import Since
from ui.text import Text
from ui.workbench import seen_as

MODES = ("now", "last", "pinned")


@dataclass(frozen=True)
class Comparison:
    """What the stages are compared with; where they cannot be, the id of the sentence that says why."""

    since: Since | None = None
    problem: str = ""


def chosen() -> Comparison:
    """The comparison the reader has chosen, as far as it can be made."""
    mode = state.lab()["compare"]
    if mode == "now":
        return Comparison()
    code = state.lab()["pin"] if mode == "pinned" else history.last_edit()
    if not code:
        return Comparison(problem=f"none_{mode}")
    before, now = link.decode(code), state.bench()
    why_not = ripple.unlike(before, now)
    if why_not:
        return Comparison(problem=f"not_{why_not}")
    # A number dragged in the browser starts at Δ 0 since the last edit, which keeping it would make it.
    return Comparison(Since(before, now, "now" if mode == "last" else "before", f"hint_{mode}"))


def row(comparison: Comparison, lang: str) -> None:
    """The choice, the pin, the history, and what the last step did."""
    text, pinned = Text("ripple", lang), state.lab()["pin"]
    with widgets.line():
        _modes(text)
        _pin(text, pinned)
        history.popover(text)
    if comparison.problem:
        st.caption(text(comparison.problem))
    last = history.last_edit()
    story = _story(last, text) if last else ""
    if story:
        st.markdown(story)
    if pinned:
        _pinned(text, pinned, last, comparison)


def _modes(text: Text) -> None:
    mode = state.lab()["compare"]
    with widgets.wrapping():
        st.segmented_control(
            text("compare"), MODES, default=mode, required=True, key=state.control("pick_compare", mode),
            label_visibility="collapsed", format_func=lambda mode: text(f"mode_{mode}"),
            on_change=state.callback(_choose),
        )  # fmt: skip


def _choose() -> None:
    chosen = st.session_state.get("pick_compare")
    if chosen in MODES:
        state.lab()["compare"] = chosen


def _pin(text: Text, pinned: str | None) -> None:
    if not pinned:
        st.button(text("pin"), key="pin", icon=":material/keep:", type="tertiary", help=text("pin_help"),
                  on_click=state.callback(lambda: state.pin(state.bench())))
        return
    at_pin = seen_as(link.decode(pinned), state.bench()) == state.bench()
    st.button(text("back_to_pin"), key="back_to_pin", icon=":material/keep:", type="tertiary", disabled=at_pin,
              on_click=state.callback(_back))
    st.button(text("unpin"), key="unpin", icon=":material/keep_off:", type="tertiary",
              on_click=state.callback(lambda: state.pin(None)))


def _back() -> None:
    pinned = state.lab()["pin"]
    if pinned:
        state.commit(seen_as(link.decode(pinned), state.bench()))


def _story(before: str, text: Text) -> str:
    names = in_sentences(state.bench().tokens, text)
    return ripple.told(before, state.lab()["code"], text.lang, names)


def _pinned(text: Text, pinned: str, last: str | None, comparison: Comparison) -> None:
    """What became of the pinned numbers, unless that was said already: by the last step, or as why it cannot be."""
    code = state.lab()["code"]
    if len(code) + len(pinned) > link.MAX_CODE:
        st.caption(text("pin_too_long"))
    if state.lab()["compare"] != "pinned" or comparison.problem:
        return
    if not any(change.of_numbers for change in changes.between_codes(pinned, code)):
        st.caption(text("at_pin"))
    elif last is None or any(change.of_numbers for change in changes.between_codes(pinned, last)):
        st.markdown(text("since_pinned", story=_story(pinned, text)))
