"""For teachers."""

import streamlit as st

from ui import shell

text = shell.begin("teach")
st.markdown(text("question"))
