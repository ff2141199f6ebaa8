import streamlit as st

from ui import shell

text = shell.begin("heads")
st.markdown(text("question"))
