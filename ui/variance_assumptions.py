"""What Var(q·k) = d_k assumes, broken one assumption at a time."""

from __future__ import annotations

import streamlit as st

from ui.text import Text


def draw(text: Text) -> None:
    st.markdown(text("question"))
