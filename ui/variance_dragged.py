"""Charts that are dragged: their sliders stand above them, near what they move, and the link keeps where."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import components, state, views


def room(name: str, **sliders: str) -> DeltaGenerator:
    """Where such a chart is drawn. (Vega puts a chart's sliders below it, half a screen away from what they move.)

    sliders: as for `keep`
    """
    place = st.container(key=f"dragged_{name}", gap=None)
    with place:
        keep(name, **sliders)
    return place


def keep(name: str, **sliders: str) -> None:
    """Have the link keep where the sliders of the chart beside this stand, once they are moved.

    sliders: Vega's parameter → the view that holds its place, in steps from the low end. The spec does not know it, so
    that a chart, once drawn, stays: what was dragged is dragged to it again (`ui/components/dragged.js`).
    """
    key, bench = f"sliders_{name}", state.bench()
    told = (st.session_state.get(key) or {}).get("moved") or {}
    places = {slider: views.get(bench, view) for slider, view in sliders.items()}
    data = {"name": name, "seen": told.get("seq", 0), "places": places} if sliders else None
    components.dragged(key=key, data=data, width="content", on_moved_change=state.callback(lambda: _take(key, sliders)))


def _take(key: str, sliders: dict[str, str]) -> None:
    places = ((st.session_state.get(key) or {}).get("moved") or {}).get("places") or {}
    for slider, view in sliders.items():
        place = places.get(slider)
        if place is not None and views.VIEWS[view].fits(place):
            state.show(view, place)
