"""Predict, commit, then see: a question that is asked before the answer is shown.

A guess is a view (see `ui.views`): it travels in the link, and a teacher's link without one asks anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from ui import state, views, widgets
from ui.text import Text

SKIP = "skip"  #: show me, I do not want to guess


def given(view: str) -> Any:
    """The guess, SKIP, or None while there is none."""
    guess = views.get(state.bench(), view)
    return None if guess == "" else guess


def choice(
    view: str, words: Mapping[str, str], question: str, *, key: str, committed: bool = False,
    also: Mapping[str, Mapping[str, Any]] | None = None,
) -> str | None:  # fmt: skip
    """Ask for one of several answers, side by side; a committed guess stays as it is.

    words: answer → how it is said. also: answer → what other views show, once it is given.
    Returns: the guess, or None while there is none.
    """
    guess = given(view)

    def take() -> None:
        answer = st.session_state.get(key)
        if answer in words:
            for name, value in {view: answer, **(also or {}).get(answer, {})}.items():
                state.show(name, value)

    with widgets.wrapping():
        st.segmented_control(
            question, list(words), default=guess, key=state.control(key, guess), format_func=words.__getitem__,
            on_change=state.callback(take), disabled=committed and guess is not None,
        )  # fmt: skip
    return None if guess is None else str(guess)


def share(view: str, question: str, text: Text, *, key: str) -> int | str | None:
    """Ask for a share from 0 % to 100 %, drawn with a slider and committed with a button.

    Returns: the guess, SKIP, or None while there is none.
    """
    guess: int | str | None = given(view)
    if guess is None:
        _ask_share(view, question, text, key)
    return guess


def _ask_share(view: str, question: str, text: Text, key: str) -> None:
    with widgets.line():
        st.slider(question, 0, 100, 50, 1, key=key, format="%d%%", width=380)
        st.button(text("commit_guess"), key=f"{key}_commit", type="primary",
                  on_click=state.callback(lambda: state.show(view, st.session_state[key])))
        st.button(text("show_me"), key=f"{key}_skip", type="tertiary",
                  on_click=state.callback(lambda: state.show(view, SKIP)))


def again(view: str, text: Text, *, key: str, also: Mapping[str, Any] | None = None) -> None:
    """The way back to the question, for the next class or a second thought.

    also: what other views show then, lest they get in the way of the next guess
    """

    def ask() -> None:
        for name, value in {view: "", **(also or {})}.items():
            state.show(name, value)

    st.button(text("guess_again"), key=f"{key}_again", type="tertiary", icon=":material/replay:",
              on_click=state.callback(ask))


def answers(options: Sequence[str], name: str, text: Text) -> dict[str, str]:
    """The answers to a question and how each is said: `<name>_<option>` of the catalogue, and the way past it."""
    return {option: text(f"{name}_{option}") for option in options} | {SKIP: text("show_me")}
