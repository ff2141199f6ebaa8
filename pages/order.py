"""Order."""

import streamlit as st

from ui import shell, walk

text = shell.begin("order")
st.markdown(text("question"))
walk.end(text, "order")
