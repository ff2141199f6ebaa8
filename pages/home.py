"""Home: what attention computes, on the reader's numbers, and three doors."""

import streamlit as st

from ui import controls, home, ribbons, shell, state

text = shell.begin("home")

words, picture = st.columns([0.38, 0.62], gap="large")
with words:
    st.markdown(text("idea"))
    home.doors(text)
with picture:
    controls.token(text)
    ribbons.draw(state.bench(), text, key="home", compact=True)
    controls.in_own_words(text)
    st.markdown(text("see"))
    st.latex(text("formula"))
