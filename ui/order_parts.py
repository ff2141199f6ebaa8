"""What the order page unfolds: each part a question, what it takes to answer it, and a figure."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui import order, order_controls, order_figures, order_words, views
from ui.display import residual
from ui.names import called
from ui.order import Setting, Trial
from ui.text import Text
from ui.workbench import Workbench

COLUMNS = (2, 4, 8, 16, 32)  #: of a code: even, so that every sine has its cosine


def choose(text: Text) -> None:
    """Which part is unfolded."""
    order_controls.pick("part", order.PARTS, text, lambda name: text(f"part_{name}"))


def draw(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    """The part that is unfolded."""
    _PARTS[views.get(bench, "order.part")](bench, it, trial, text, layout)


def _inside(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    st.markdown(text("see_inside"))
    order_figures.draw_inside(it, trial, bench, text, layout)
    if st.toggle(text("as_tables"), key="order_tables"):
        order_figures.tables(trial, bench, text)


def _code(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    st.markdown(text("formula_code"))
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        n = order_controls.slide("n", 2, order.MOST_POSITIONS, text)
    with right:
        order_controls.pick("d", COLUMNS, text, str)
    order_figures.draw_code(n, int(views.get(bench, "order.d")), text, layout)


def _sines(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    st.markdown(text("ask_sines"))
    n = order_controls.slide("n", 3, order.MOST_POSITIONS, text)  # two alone would not be hard to tell apart
    order_figures.draw_sines(n, text, layout)


def _turn(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    st.markdown(text("ask_turn"))
    left, right = st.columns(2)
    with left:
        p = order_controls.slide("p", 0, order.MOST_POSITIONS - 1, text)
    with right:
        k = order_controls.slide("k", 0, order.MOST_POSITIONS - 1, text)
    d = int(views.get(bench, "order.d"))
    order_controls.pick("d", COLUMNS, text, str)
    order_figures.draw_turn(p, k, d, text, layout)
    st.markdown(order_words.turn(p, k, d))
    error = residual(order_words.turn_residual(k, d))
    st.markdown(text("see_turn", k=k, residual=error, positions=order.MOST_POSITIONS))


def _add(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    terms = order.terms(bench)
    st.markdown(text("ask_add"))
    order_figures.draw_add(terms, bench, text, layout)
    st.markdown(order_words.add(terms, bench, text))


def _shift(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    st.markdown(text("ask_shift"))
    s, pairs = order_controls.slide("s", 0, order.MOST_SHIFT, text), bench.sizes["d_k"] // 2
    order_figures.draw_shift(bench, s, text, layout)
    left, right = order_figures.halves(layout)
    with left:
        st.markdown(order_words.shift_table(bench, s, text))
        st.markdown(text("see_shift"))
    with right:
        if not pairs:
            st.info(text("does_rope_none"))
            return
        order_controls.slide("pair", 1, pairs, text)
        pair = min(int(views.get(bench, "order.pair")), pairs)
        names = called(bench, text)
        query, key = bench.token, order.favourite(bench)
        order_figures.draw_pair(bench, pair, s, query, key, text, layout)
        st.caption(text("see_pair", pair=pair, query=names[query], key=names[key]))


def _alibi(bench: Workbench, it: Setting, trial: Trial, text: Text, layout: str) -> None:
    st.markdown(text("ask_alibi"))
    left, right = st.columns(2)
    with left:
        order_controls.slide("heads", 1, order.MOST_HEADS, text)
    with right:
        order_controls.slide("head", 1, it.n_heads, text)
    order_figures.draw_alibi(it, text, layout)
    if it.n_heads > order_figures.PANELS:
        st.caption(text("first_drawn", drawn=order_figures.PANELS))
    st.markdown(text("see_alibi", slopes=order_words.slopes(it.n_heads, text), heads=it.n_heads, head=it.head + 1,
                     slope=order_words.slope(it.slope)))


_PARTS: dict[str, Callable[[Workbench, Setting, Trial, Text, str], None]] = {
    "inside": _inside, "code": _code, "sines": _sines, "turn": _turn, "add": _add,
    "shift": _shift, "alibi": _alibi,
}  # fmt: skip
