"""Edit Q, K and V by hand, and see every later number move."""

import streamlit as st

from ui import controls, editor, shell, stages, state

text = shell.begin("edit")
st.markdown(text("question"))

controls.prepared(text)
controls.switches(text)
bench = state.bench()
rows = controls.row_names(text)

with st.container(horizontal=True, gap="small"):
    if bench.route == "direct":
        for name in ("Q", "K", "V"):
            editor.matrix(name, text, rows, text(f"caption_{name}"))
    else:
        editor.matrix("X", text, rows, text("caption_X"))
        dimensions = [str(i + 1) for i in range(bench.sizes["d_model"])]
        for name in ("W_Q", "W_K", "W_V"):
            editor.matrix(name, text, dimensions, text(f"caption_{name}"))
    if bench.mask == "own":
        editor.mask(text)

if bench.route == "input":
    stages.draw_projections(bench, text, shell.layout())

steps = bench.steps()
stages.draw(steps, bench.tokens, text, shell.layout(), key="stages")
controls.token(text)
st.markdown(stages.mixture(steps, rows, bench.token, text))
stages.explain(steps, rows, text)
controls.about(text)
if st.toggle(text("as_tables"), key="as_tables"):
    stages.tables(steps, bench.tokens, text)
