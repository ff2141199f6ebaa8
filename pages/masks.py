"""Masks: draw one, see what it does, and six ways in which masks go wrong."""

import streamlit as st

from ui import masks, masks_lab, masks_rows, masks_ways, shell, stages, state, trace, walk
from ui.names import with_meaning

LABS = {
    "after": masks_ways.after, "fill": masks_ways.fill, "polarity": masks_ways.polarity,
    "empty": masks_rows.empty, "padding": masks_rows.padding, "append": masks_rows.append,
}  # fmt: skip

text = shell.begin("masks")
st.markdown(text("question"))
masks.switches(text)
bench, layout = state.bench(), shell.layout()
rows = with_meaning(bench, text)
masks.draw(bench, rows, text, layout)

steps = bench.steps()
stages.draw(steps, bench.tokens, text, layout, marks=trace.marks(bench))
st.markdown(masks.readout(bench, text))
trace.under_stages(bench, text, layout, rows)
masks_rows.explain(bench, steps, rows, text)

st.markdown(f"#### {text('heading_labs')}")
lab = masks_lab.choose(text)
st.markdown(text(f"intro_{lab}"))
LABS[lab](bench, text, layout)
walk.end(text, "masks", "edit")
