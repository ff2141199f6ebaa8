"""Every divisor side by side: none, √d_k, d_k, a power of d_k, and others that are asked for."""

from __future__ import annotations

import streamlit as st

from ui.text import Text


def draw(text: Text) -> None:
    st.markdown(text("question"))
