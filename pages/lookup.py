"""Look it up: the cat chases the mouse."""

import streamlit as st

from ui import ribbons, shell, state, views, walk

text = shell.begin("lookup")
st.markdown(text("question"))
bench = state.bench()
ribbons.draw(bench, text, key="ribbons", kind=views.get(bench, "lookup.kind"), view="lookup.step")
walk.end(text, "lookup")
