"""To production."""

import streamlit as st

from ui import shell, walk

text = shell.begin("production")
st.markdown(text("question"))
walk.end(text, "production")
