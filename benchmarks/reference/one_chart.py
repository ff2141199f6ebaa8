"""What opening the home page is measured against: one Altair heatmap of the same weights."""

import altair as alt
import pandas as pd
import streamlit as st

from ui.workbench import preset

weights = preset("cat").steps().weights
rows = [(q, k, w) for q, row in enumerate(weights) for k, w in enumerate(row)]
cells = pd.DataFrame(rows, columns=list("qkw"))
st.altair_chart(
    alt.Chart(cells).mark_rect().encode(x="k:O", y="q:O", color="w:Q", tooltip=["q", "k", "w"]).interactive()
)
