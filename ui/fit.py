"""What is wider than its place gives way, so that no page is scrolled sideways: at 320 pixels, on a small phone or on a
desktop zoomed to 400 % (WCAG 1.4.10), charts are drawn smaller, and tables scroll in a box of their own."""

from __future__ import annotations

import streamlit as st

#: A chart is drawn for the least width of its layout (`ui.shell`); on less, or in a fold, its picture is scaled.
_STYLE = """
.st-key-fit { display: none; }
.stVegaLiteChart svg.marks { max-width: 100%; height: auto; }
.stVegaLiteChart.vega-embed, .stVegaLiteChart .vega-bindings { max-width: 100%; }
[data-testid="stMarkdownContainer"]:has(> table) { overflow-x: auto; }
@media (max-width: 359px) {
  [data-testid="stMarkdownContainer"] > table :is(th, td) { padding-inline: 0.3rem; }
}
"""

_fit = st.components.v2.component("attention_lab_fit", html="<div></div>", css=_STYLE, isolate_styles=False)


def draw() -> None:
    """A style for the page; it takes no room."""
    _fit(key="fit", width="content")
