"""Charts that are dragged: their sliders stand above them, near what they move."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

#: Vega puts a chart's sliders below it, half a screen away from what they move.
STYLE = """<style>
[class*="st-key-dragged_"] .stVegaLiteChart.vega-embed {
  display: flex; flex-direction: column-reverse; align-items: flex-start;
}
[class*="st-key-dragged_"] .vega-embed form.vega-bindings {
  flex-flow: row wrap; gap: 0.25rem 2rem; padding: 0 0 0.75rem;
}
[class*="st-key-dragged_"] .vega-embed form.vega-bindings .vega-bind { width: auto; }
[class*="st-key-dragged_"] .vega-embed form.vega-bindings .vega-bind-name { min-width: 5em; }
</style>"""


def room(name: str) -> DeltaGenerator:
    """Where such a chart is drawn."""
    st.html(STYLE)
    return st.container(key=f"dragged_{name}")
