"""Masks."""

import streamlit as st

from ui import shell, walk

text = shell.begin("masks")
st.markdown(text("question"))
walk.end(text, "masks")
