"""Home: what attention computes, on the reader's numbers, and three doors."""

import streamlit as st

from ui import controls, home, shell, stages, state

text = shell.begin("home")
bench = state.bench()
steps = bench.steps()

words, picture = st.columns([0.4, 0.6], gap="large")
with words:
    st.markdown(text("idea"))
    st.latex(text("formula"))
    st.markdown(text("roles"))
with picture:
    controls.token(text)
    stages.draw(steps, bench.tokens, text, shell.half(), key="home", only=("weights", "output"))
    st.markdown(text("see"))

home.doors(text)
