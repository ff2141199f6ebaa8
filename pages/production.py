"""From scratch to production: why the fused operation is faster, measured here and followed block by block."""

import inspect

import streamlit as st

from attention import tiled
from ui import controls, production, production_steps, shell, state, walk, widgets
from ui.names import with_meaning

text = shell.begin("production")
st.markdown(text("question"))
production.costs(text)
production.results(text)

st.markdown(text("heading_steps"))
st.markdown(text("steps_intro"))
controls.reopen(text)
bench = state.bench()
it, names = production_steps.story(bench), with_meaning(bench, text)
with widgets.line():
    controls.token(text)
production_steps.controls(it, text)
bars, sums = st.columns([0.45, 0.55])
with sums:
    how = {"exact": bool(st.session_state.get("production_exact")), "narrow": shell.layout() == "phone"}
    st.markdown(production_steps.arithmetic(it, bench.qkv()[2], text, **how))
with bars:
    production_steps.draw(it, names, text)
st.markdown(production_steps.ledger(it, names, text, **how))
if it.ended:
    st.success(production_steps.ending(it, names[bench.token], text, exact=how["exact"]))
with widgets.line():
    st.toggle(text("exact"), key="production_exact")
    shown = st.toggle(text("show_code"), key="production_code")
if shown:
    st.code(inspect.getsource(tiled.take_in) + "\n\n" + inspect.getsource(tiled.by_blocks))

st.markdown(text("caution"))
walk.end(text, "production", "scratch")
production.go_on()
