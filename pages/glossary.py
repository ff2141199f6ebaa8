"""Words and questions."""

import streamlit as st

from ui import shell

text = shell.begin("glossary")
st.markdown(text("question"))
