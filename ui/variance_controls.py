"""The controls that all links of the chain share: which draws are measured, and how many."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ui import state, widgets
from ui.state import control, on_change
from ui.text import Text
from ui.workbench import DRAWS, MAX_SEED


def controls(text: Text, *, draws: bool = True) -> None:
    """Other draws, the very draws of a seed, and (where a part measures pairs of vectors) how many.

    text: of any part. The seed and the number are in the link, and all parts measure with them.
    """
    text, bench = Text("variance", text.lang), state.bench()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        st.button(text("again"), icon=":material/casino:", key="draw_again", on_click=state.callback(_draw_again))
        widgets.whole(text("seed"), 0, MAX_SEED, bench.variance_seed, text, key="variance_seed", width=130,
                      change=lambda bench, seed: replace(bench, variance_seed=seed))
        if draws:
            key = control("variance_draws", bench.variance_draws)
            st.select_slider(
                text("draws"), DRAWS, bench.variance_draws, key=key, format_func=lambda n: f"{n:,}", width=300,
                on_change=on_change(key, lambda bench, draws: replace(bench, variance_draws=draws), DRAWS),
            )  # fmt: skip


def _draw_again() -> None:
    bench = state.bench()
    state.commit(replace(bench, variance_seed=(bench.variance_seed + 1) % (MAX_SEED + 1)))
