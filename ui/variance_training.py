"""Does it train? A small model learns to look up a value by its key, with and without √d_k."""

from __future__ import annotations

import streamlit as st

from ui.text import Text


def draw(text: Text) -> None:
    st.markdown(text("question"))
