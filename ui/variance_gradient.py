"""The reader's own numbers: what their divisor does to them."""

from __future__ import annotations

import streamlit as st

import attention
from attention.saturation import SCALES
from ui import display, shell, state
from ui.names import escaped
from ui.tables import table
from ui.text import Text
from ui.variance_softmax import DIVISORS
from ui.workbench import Workbench


def draw(text: Text) -> None:
    bench = state.bench()
    st.markdown(own_words(bench, text))
    st.markdown(own_table(bench, text))
    st.page_link("pages/edit.py", label=text("own_link"), icon=shell.ICONS["edit"])


def own_words(bench: Workbench, text: Text) -> str:
    """What the reader's own numbers divide by."""
    steps = bench.steps()
    divisor, scale = display.short(steps.divisor), text(f"scale_{bench.scale}")
    words = text("own", d_k=bench.sizes["d_k"], divisor=divisor, scale=scale)
    return words if steps.mask is None else f"{words} {text('own_mask')}"


def own_table(bench: Workbench, text: Text) -> str:
    """How spread out the reader's own rows of weights are, for each divisor."""
    Q, K, V = bench.qkv()
    entropies = []
    for scale in SCALES:
        steps = attention.attention_steps(Q, K, V, bench.mask_array(), scale=scale)
        entropies.append(attention.normalized_entropy(steps.weights))
    names = map(escaped, bench.tokens)
    rows = [[name, *(f"{each[i]:.2f}" for each in entropies)] for i, name in enumerate(names)]
    return table([text("table_query"), *(f"÷ {each}" for each in DIVISORS.values())], rows)
