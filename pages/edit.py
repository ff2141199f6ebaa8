"""Edit Q, K and V by hand, and see every later number move."""

import streamlit as st

from ui import compare, controls, editor, shell, stages, state, trace, walk, whatif
from ui.names import with_meaning

text = shell.begin("edit")
st.markdown(text("question"))

controls.prepared(text)
controls.switches(text)
bench = state.bench()
rows = with_meaning(bench, text)
marks = trace.marks(bench)
comparison = compare.chosen()
since = comparison.since

dimensions = [str(i + 1) for i in range(bench.sizes["d_model"])]
if bench.route == "direct":
    editor.matrices(dict.fromkeys(("Q", "K", "V"), rows), text, with_mask=bench.mask == "own", marks=marks)
else:
    projections = dict.fromkeys(("W_Q", "W_K", "W_V"), dimensions)
    editor.matrices({"X": rows} | projections, text, with_mask=bench.mask == "own", marks=marks)
    stages.draw_projections(bench, text, shell.layout(), marks, since)

steps = bench.steps()
whatif.strip(bench, steps, rows, text)
live = whatif.in_browser(bench)
stages.draw(steps, bench.tokens, text, shell.layout(), since=since, marks=marks, live=live)
with whatif.of_kept("below"):
    compare.row(comparison, text.lang)
    trace.under_stages(bench, text, shell.layout(), rows)
    controls.token(text)
    st.markdown(stages.mixture(steps, rows, bench.token, text))
    stages.explain(steps, rows, text)
    controls.about(text)
    if st.toggle(text("as_tables"), key="as_tables"):
        stages.tables(steps, bench.tokens, text, since)
walk.end(text, "edit", "challenges")
