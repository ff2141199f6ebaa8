"""Questions that the data flow raises, answered on the reader's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import attention
from ui import display, state, views, workbench
from ui.flow import Flow
from ui.text import Text
from ui.workbench import MAX_D, Workbench

ASKED = ("sizes", "tied", "merged")
PAPER = (512, 64)  #: d_model and d_k of "Attention Is All You Need", section 3.2.2


def draw(it: Flow, text: Text) -> None:
    """The questions, and the answer to the one that was asked."""
    chosen = views.get(state.bench(), "flow.ask")
    key = state.control("flow_ask", chosen or None)
    st.pills(text("label_ask"), ASKED, default=chosen or None, key=key, format_func=lambda name: text(f"ask_{name}"),
             on_change=state.callback(_ask))
    if chosen:
        with st.container(border=True):
            {"sizes": _sizes, "tied": _tied, "merged": _merged}[chosen](it, text)


def _ask() -> None:
    chosen = st.session_state.get("flow_ask")
    state.show("flow.ask", chosen if chosen in ASKED else "")


def _sizes(it: Flow, text: Text) -> None:
    """d_v is free, d_k is shared."""
    sizes = it.sizes
    other = sizes["d_v"] - 1 if sizes["d_v"] in (sizes["d_k"] + 1, MAX_D) else sizes["d_v"] + 1
    here = text("equal" if sizes["d_k"] == sizes["d_v"] else "unequal", **sizes)
    st.markdown(text("answer_sizes", equal=here))
    _button("sizes", lambda bench: workbench.resized(bench, d_v=other), text, other=other)


def tied(bench: Workbench) -> Workbench:
    """One matrix for all three projections, that of the queries; values become as long as queries."""
    W = bench.matrices["W_Q"]
    same = workbench.resized(bench, d_v=bench.sizes["d_k"])
    return replace(same, matrices={**same.matrices, "W_K": W, "W_V": W})


def _tied(it: Flow, text: Text) -> None:
    """One matrix for all: scores by pairs are then the same both ways."""
    bench = it.bench
    X, W = (bench.array(name) for name in ("X", "W_Q"))
    now, then = (
        attention.attention_steps(*attention.project(X, W, *keys), scale=bench.scale)
        for keys in ((bench.array("W_K"), bench.array("W_V")), (W, W))
    )
    n = len(X)
    st.markdown(text(
        "answer_tied", now=_asymmetry(now.scores), then=_asymmetry(then.scores),
        weights=_asymmetry(then.weights), n=n, own_now=_own(now.scores), own_then=_own(then.scores),
    ))  # fmt: skip
    if it.cross:
        st.caption(text("tied_cross"))
    if bench.matrices["W_K"] == bench.matrices["W_V"] == bench.matrices["W_Q"]:
        st.success(text("tied_done"))
    else:
        _button("tied", tied, text)


def _own(scores: NDArray[np.float64]) -> int:
    """How many tokens match themselves best."""
    return int((scores.diagonal() >= scores.max(axis=1)).sum())


def _merged(it: Flow, text: Text) -> None:
    """Two thin matrices or one square one: the same scores."""
    arrays, sizes = it.arrays, it.sizes
    W = attention.merged_projection(arrays["W_Q"], arrays["W_K"])
    source = arrays["X2" if it.cross else "X"]
    gap = float(np.abs(arrays["X"] @ W @ source.T - arrays["scores"]).max())
    d_model, d_k = sizes["d_model"], sizes["d_k"]
    st.markdown(text(
        "answer_merged", gap=display.residual(gap), d_model=d_model, d_k=d_k,
        rank=int(np.linalg.matrix_rank(W)), most=min(d_model, d_k), two=2 * d_model * d_k, one=d_model**2,
        paper_model=PAPER[0], paper_k=PAPER[1], paper_two=f"{2 * PAPER[0] * PAPER[1]:,}",
        paper_one=f"{PAPER[0] ** 2:,}",
    ))  # fmt: skip


def _asymmetry(matrix: NDArray[np.float64]) -> str:
    """How far from symmetric; what is nothing but rounding error counts as none."""
    x = attention.asymmetry(matrix)
    return display.short(x if x > 1e-12 * np.abs(matrix).max() else 0.0)


def _button(name: str, change: Callable[[Workbench], Workbench], text: Text, **words: object) -> None:
    st.button(text(f"do_{name}", **words), key=f"flow_do_{name}",
              on_click=state.callback(lambda: state.commit(change(state.bench()))))
