"""The proof trace: the chosen cell's arithmetic, and the ways to choose a cell and to walk back from it."""

from __future__ import annotations

from collections.abc import Mapping

from ui import charts, places
from ui.places import Place
from ui.workbench import Workbench


def marks(bench: Workbench) -> Mapping[Place, int]:
    """The chosen cell and the cells that go into it, as charts and editors frame them."""
    place = places.chosen(bench)
    return {} if place is None else {place: charts.CHOSEN}
