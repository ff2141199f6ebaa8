"""Data flow."""

import streamlit as st

from ui import shell, walk

text = shell.begin("flow")
st.markdown(text("question"))
walk.end(text, "flow")
