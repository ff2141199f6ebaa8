"""What a reader can do on the order page: shuffle, guess, choose and slide."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from ui import state, views, widgets
from ui.order import Order, order_of
from ui.text import Text


def order(text: Text) -> None:
    """Four ways to another order."""
    now = order_of(state.bench())
    in_order = list(now) == sorted(now)
    with widgets.group():
        for name, (to, icon) in WAYS.items():
            st.button(
                text(name), key=f"order_{name}", icon=icon, type="primary" if name == "shuffle" else "secondary",
                disabled=len(now) < 2 or name == "back" and in_order, on_click=state.callback(partial(_go, to)),
            )  # fmt: skip


def _go(to: Callable[[Order], Sequence[int]]) -> None:
    put(tuple(to(order_of(state.bench()))))


def put(order: Order) -> None:
    """Show the tokens in this order. That of the sentence is no view."""
    state.show("order.tokens", () if order == tuple(range(len(order))) else order)


def shuffled(now: Order) -> Order:
    """Another order than now where there is a third one, and never that of the sentence."""
    for _ in range(50):
        then = tuple(random.sample(now, len(now)))
        if then != now and list(then) != sorted(then):
            return then
    return tuple(sorted(now, reverse=True))


def swapped(now: Order) -> Order:
    """Two tokens have changed places."""
    i, j = random.sample(range(len(now)), 2)
    return tuple(now[{i: j, j: i}.get(k, k)] for k in range(len(now)))


#: way → where it leads to from an order, and its icon
WAYS: dict[str, tuple[Callable[[Order], Sequence[int]], str]] = {
    "shuffle": (shuffled, ":material/shuffle:"), "reverse": (lambda now: now[::-1], ":material/swap_vert:"),
    "swap": (swapped, ":material/swap_calls:"), "back": (sorted, ":material/undo:"),
}  # fmt: skip


def guess(text: Text) -> None:
    """Commit to an answer, and the sentence is reversed. An answer is one about the encoding that is on."""
    bench = state.bench()
    if len(bench.tokens) < 2 or order_of(bench) != tuple(range(len(bench.tokens))):
        return
    options, key = ("same", "other"), state.control("order_guess", None)

    def commit() -> None:
        if st.session_state.get(key) in options:
            encoding = views.get(state.bench(), "order.encoding")
            state.show("order.guess", f"{encoding} {st.session_state[key]}")
            put(order_of(state.bench())[::-1])

    with widgets.line():
        st.markdown(text("guess"), width="content")
        st.pills(text("guess"), options, key=key, label_visibility="collapsed", on_change=state.callback(commit),
                 format_func=lambda option: text(f"guess_{option}"))  # fmt: skip


def mask(text: Text) -> None:
    """The reader's mask is left out, unless it is asked for: it stays where it is while the tokens move."""
    bench = state.bench()
    if bench.mask == "none":
        return
    key, on = "order.mask", bool(views.get(bench, "order.mask"))
    st.toggle(text("with_mask"), on, key=state.control(key, on), help=text("help_mask"),
              on_change=state.on_show(key, key))


def pick(name: str, options: Sequence[Any], text: Text, show: Callable[[Any], str]) -> None:
    """One of several things to show."""
    view = f"order.{name}"
    widgets.look(view, options, views.get(state.bench(), view), text, show=show, key=view)


def slide(name: str, low: int, high: int, text: Text, step: int = 1) -> int:
    """A slider over whole numbers; returns where it stands."""
    key = f"order.{name}"
    value = min(max(int(views.get(state.bench(), key)), low), high)
    if low < high:
        state.control(key, value)
        st.slider(text(f"label_{name}"), low, high, value, step, key=key, on_change=state.on_show(key, key))
    return value
