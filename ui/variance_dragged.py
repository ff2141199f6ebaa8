"""Charts that are dragged: their sliders stand above them, near what they move."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import components


def room(name: str) -> DeltaGenerator:
    """Where such a chart is drawn. (Vega puts a chart's sliders below it, half a screen away from what they move.)"""
    place = st.container(key=f"dragged_{name}", gap=None)
    with place:
        components.dragged(key=f"sliders_{name}", width="content")
    return place
