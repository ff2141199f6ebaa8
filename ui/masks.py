"""The mask a reader makes: its parts and their switches, and the states that are one click away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from ui import display, masks_charts, state, widgets, workbench
from ui import editor as matrix_editor
from ui.text import Text, in_both
from ui.workbench import Workbench


def own(bench: Workbench) -> Workbench:
    """The same mask, written as the reader's own."""
    if bench.mask == "own":
        return bench
    return replace(
        bench, mask="own", allowed=(), mask_causal=bench.mask == "causal", mask_length=0, mask_window=0
    )  # fmt: skip


def plainest(bench: Workbench) -> Workbench:
    """The same mask by its plainest name: none, causal, or else the reader's own."""
    if bench.mask != "own" or bench.mask_length or bench.mask_window or not workbench.hand(bench).all():
        return bench
    return replace(bench, mask="causal" if bench.mask_causal else "none", allowed=(), mask_causal=False)


def with_part(bench: Workbench, name: str, value: bool | int) -> Workbench:
    """Switch a part of the mask on, off, or to another length.

    >>> from ui.workbench import preset
    >>> with_part(preset("cat"), "mask_causal", True).mask
    'causal'
    >>> with_part(with_part(preset("cat"), "mask_causal", True), "mask_window", 2).mask_array().astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    return plainest(replace(own(bench), **{name: value}))


def unmasked(bench: Workbench) -> Workbench:
    """Everyone may attend to everyone again."""
    return replace(bench, mask="none", allowed=(), mask_causal=False, mask_length=0, mask_window=0)


def without_keys(bench: Workbench, row: int) -> Workbench:
    """Leave one query nothing to attend to."""
    return workbench.with_allowed(bench, {(row, j): False for j in range(len(bench.tokens))})


def one_two_five(bench: Workbench) -> Workbench:
    """Three keys whose scores are 1, 2 and 5 for every query, and the third hidden: the most asked-about example."""
    tokens = ("1", "2", "5")
    bench = unmasked(workbench.resized(workbench.with_tokens(bench, tokens), d_k=1, d_v=1))
    for name, column in {"Q": ("1", "1", "1"), "K": tokens, "V": ("10", "20", "50")}.items():
        bench = workbench.with_cells(bench, name, {(i, 0): number for i, number in enumerate(column)})
    return with_part(replace(bench, route="direct", scale="none"), "mask_length", 2)


def allowed(bench: Workbench) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The mask, all True where there is none."""
    n, mask = len(bench.tokens), bench.mask_array()
    return np.ones((n, n), dtype=bool) if mask is None else mask


def switches(text: Text) -> None:
    """A switch for each part, and back to no mask at all."""
    shown, n = own(state.bench()), len(state.bench().tokens)
    with widgets.line():
        _switch("mask_causal", shown.mask_causal, text, lambda on: bool(on))
        _length("mask_length", shown.mask_length, max(n - 1, 1), n, text)
        _length("mask_window", shown.mask_window, min(2, n), n, text)
        st.button(text("clear"), key="mask_clear", type="tertiary", icon=":material/select_all:",
                  disabled=shown.mask_array().all() and not workbench.mask_parts(shown),  # type: ignore[union-attr]
                  on_click=state.callback(lambda: state.commit(unmasked(state.bench()))))


def _switch(name: str, on: bool, text: Text, value: Callable[[bool], bool | int]) -> None:
    key = state.control(f"on_{name}", on)
    st.toggle(text(name), on, key=key, help=text(f"help_{name}"), width="content",
              on_change=state.on_change(key, lambda bench, chosen: with_part(bench, name, value(chosen))))


def _length(name: str, value: int, begins: int, most: int, text: Text) -> None:
    """The switch of a part that has a length, and the length while it is on."""
    with widgets.group():
        _switch(name, bool(value), text, lambda on: begins if on else 0)
        if not value:
            return
        st.markdown(text(f"number_{name}"), width="content")
        widgets.whole(text(f"number_{name}"), 1, most, value, text, key=f"number_{name}", width=110,
                      label_visibility="collapsed", change=lambda bench, chosen: with_part(bench, name, chosen))


def draw(bench: Workbench, rows: list[str], text: Text, layout: str) -> None:
    """The mask, cells to click on; and, where parts are switched on, what it is the conjunction of."""
    shown = own(bench)
    parts = workbench.mask_parts(shown)
    drawn = workbench.hand(shown)
    with st.container(horizontal=True, gap="medium"):
        matrix_editor.mask(text, rows)
        if not parts:
            st.caption(text("hand_only" if not drawn.all() else "no_mask"), width=330)
            return
        named = {text(f"part_{name}"): part for name, part in parts.items()}
        if not drawn.all():
            named[text("hand")] = drawn
        frame, spec = masks_charts.parts(named, bench.tokens, text, layout)
        st.vega_lite_chart(frame, spec | {"description": in_both("alt_parts", "masks")}, width="content",
                           key="mask_parts")


def readout(bench: Workbench, text: Text) -> str:
    """What the mask does to the weights: how many pairs it forbids, and what it lets through."""
    steps, mask = bench.steps(), allowed(bench)
    if mask.all():
        return text("readout_none", pairs=mask.size)
    leak = float(np.where(mask, 0.0, steps.weights).sum(axis=-1).max())
    return text("readout", forbidden=int((~mask).sum()), pairs=mask.size, leak=display.short(leak))
