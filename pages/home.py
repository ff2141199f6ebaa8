"""Home: what attention computes, on the reader's numbers, and four doors."""

import streamlit as st

from ui import shell, stages, state

text = shell.begin("home")
bench = state.bench()
steps = bench.steps()

words, picture = st.columns([0.44, 0.56], gap="large")
with words:
    st.markdown(text("idea"))
    st.latex(text("formula"))
    st.markdown(text("roles"))
with picture:
    stages.draw(steps, bench.tokens, text, shell.half(), key="home", only=("weights", "output"))
    st.markdown(text("see"))
    st.caption(text("yours"))

for door, column in zip(("edit", "heads", "challenges", "variance"), st.columns(4), strict=True):
    with column.container(border=True, height="stretch"):
        st.page_link(f"pages/{door}.py", label=text(f"nav_{door}"), icon=shell.ICONS[door])
        st.markdown(text(f"door_{door}"))
