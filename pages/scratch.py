"""From scratch."""

import streamlit as st

from ui import shell, walk

text = shell.begin("scratch")
st.markdown(text("question"))
walk.end(text, "scratch")
