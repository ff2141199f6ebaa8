import streamlit as st

from ui import shell

text = shell.begin("home")
st.markdown(text("question"))
