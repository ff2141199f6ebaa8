"""Charts that are dragged: their sliders stand above them, near what they move, and the link keeps where."""

from __future__ import annotations

from typing import Any

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
    seen = _seen(name)
    places = {slider: views.get(bench, view) for slider, view in sliders.items()}
    data = {"name": name, "seen": seen, "places": places} if sliders else None
    components.dragged(
        key=key, data=data, width="content", on_moved_change=state.callback(lambda: _take(name, sliders))
    )


def put(name: str, view: str, place: int) -> None:
    """Put a slider elsewhere, for a button: a move that arrives with its press, to be taken after it, is overruled."""
    _seen(name)
    state.show(view, place)


def _seen(name: str) -> int:
    """The number of the last move, which from now on is known."""
    seen: int = _moved(name).get("seq", 0)
    st.session_state[f"sliders_{name}_seen"] = seen
    return seen


def _moved(name: str) -> dict[str, Any]:
    return (st.session_state.get(f"sliders_{name}") or {}).get("moved") or {}


def _take(name: str, sliders: dict[str, str]) -> None:
    moved = _moved(name)
    if moved.get("seq") == st.session_state.get(f"sliders_{name}_seen"):
        return
    places = moved.get("places") or {}
    for slider, view in sliders.items():
        place = places.get(slider)
        if place is not None and views.VIEWS[view].fits(place):
            state.show(view, place)
