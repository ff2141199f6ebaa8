import streamlit as st

from ui import shell

text = shell.begin("variance")
st.markdown(text("question"))
