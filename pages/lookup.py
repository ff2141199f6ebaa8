"""Look it up: the cat chases the mouse."""

import streamlit as st

from ui import shell, walk

text = shell.begin("lookup")
st.markdown(text("question"))
walk.end(text, "lookup")
