"""The gradients on their way back, a heatmap a step, on one colour scale: what gets lost grows pale.

One view and one set of marks for all of them, since where a number stands travels with it: the chart costs as much as
a single heatmap, and all cells have one size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from ui import charts, display, theme
from ui.charts import CHOSEN, INK, LABELS, LEGIBLE, OPERAND
from ui.places import Place
from ui.text import Text, in_both
from ui.variance_charts import layered, page
from ui.variance_gradient_backward import BY_KEY, Way

COLUMNS = ("kind", "x", "y", "text", "tip", "v", "light", "at", "marked")
TOGETHER = 4  #: so many heatmaps come first: rows of a number a key, or a component of the output
SMALLEST, LARGEST = 13, 46  #: pixels: a cell
TALLEST = 448  #: pixels: a heatmap
GAP = 14  #: pixels between heatmaps
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEAST = 128  #: pixels: room for a title
STEPS_OF_INK = 255
#: pixels above a heatmap for its words, with the names of columns straight or turned; and where the title stands
HEAD, TURNED = (60, -46), (78, -62)


def size(x: float) -> str:
    """A gradient: two decimals, or as many as a small one needs.

    >>> size(0.123), size(4.2e-9), size(0.0), size(-0.0012)
    ('0.12', '4.2·10⁻⁹', '0', '−0.0012')
    """
    if x and abs(x) < 1e-4:
        return power(x)
    return display.enough(x) or display.short(x)


def power(x: float, digits: int = 2) -> str:
    """A number as a power of ten.

    >>> power(-2e-42), power(123456.0, 3)
    ('−2.0·10⁻⁴²', '1.23·10⁵')
    """
    number, _, exponent = f"{x:.{digits - 1}e}".partition("e")
    return f"{display.signed(number)}·10{str(int(exponent)).translate(RAISED)}"


@lru_cache(maxsize=4096)
def _words(x: float) -> tuple[str, str]:
    """A number in its cell, and in the words about it."""
    return display.short(x), size(x)


@dataclass(frozen=True)
class Plan:
    """Where the heatmaps are, in pixels."""

    cell: int
    corners: tuple[tuple[int, int], ...]  # (x, y) of the first cell of each
    width: int
    height: int


@lru_cache(maxsize=64)
def plan(shapes: tuple[tuple[int, int], ...], layout: str) -> Plan:
    """From left to right, as many as there is room for, in cells that all have one size.

    shapes: (rows, columns) of each heatmap.
    """
    room, across = charts.ROOM[layout]
    cell = _cell(shapes, room, across)
    if cell < LEGIBLE and across > 2:
        cell = _cell(shapes, room, 2)
    head, _ = TURNED if cell < LEGIBLE else HEAD
    corners, right, top, bottom = [], 0, 0, 0
    for rows, columns in shapes:
        if right and right + LABELS + columns * cell > room:
            right, top = 0, bottom + GAP
        corners.append((right + LABELS, top + head))
        right += max(LABELS + columns * cell, LEAST) + GAP
        bottom = max(bottom, top + head + rows * cell)
    width = max(x + columns * cell for (x, _), (_, columns) in zip(corners, shapes, strict=True))
    return Plan(cell, tuple(corners), width, bottom)


def _cell(shapes: Sequence[tuple[int, int]], room: int, across: int) -> int:
    """How large a cell may be if so many heatmaps stand side by side, and each of the rest alone."""
    columns = [count for _, count in shapes]
    lines = [columns[i : min(i + across, TOGETHER)] for i in range(0, TOGETHER, across)]
    lines += [[count] for count in columns[TOGETHER:]]
    most = min((room - len(line) * (LABELS + GAP) + GAP) // sum(line) for line in lines)
    return min(max(most, SMALLEST), LARGEST, TALLEST // max(rows for rows, _ in shapes))


def shapes(way: Way) -> tuple[tuple[int, int], ...]:
    """(rows, columns) of each step's gradient."""
    return tuple(np.atleast_2d(way.gradient(name)).shape for name in way.names)  # type: ignore[misc]


def way_data(
    way: Way, tokens: Sequence[str], marks: Mapping[Place, int], layout: str, text: Text, turn: int
) -> Any:  # fmt: skip
    """Every number and word of the picture, with its place.

    tokens: their names, each once. marks: CHOSEN or OPERAND. turn: another number after each choice, or Vega would
        keep silent when a cell is chosen once more.
    """
    where = plan(shapes(way), layout)
    limit = charts.largest(*(way.gradient(name) for name in way.names))
    records: list[tuple[Any, ...]] = []
    for name, corner in zip(way.names, where.corners, strict=True):
        columns = tokens if name in BY_KEY else [str(c + 1) for c in range(np.atleast_2d(way.gradient(name)).shape[1])]
        records += _around(way, name, corner, where.cell, columns, tokens, text)
        records += _cells(way, name, corner, where.cell, columns, limit, marks, text)
    made: dict[str, Any] = dict(zip(COLUMNS, map(list, zip(*records, strict=True)), strict=True))
    made |= {name: np.array(made[name], kind) for name, kind in (("x", "f4"), ("y", "f4"), ("marked", "i1"))}
    return charts.table(made | {"turn": np.full(len(records), turn, "i4")})


def _around(
    way: Way, name: str, corner: tuple[int, int], cell: int, columns: Sequence[str], tokens: Sequence[str], text: Text
) -> Iterator[tuple[Any, ...]]:
    """Title, norm, and the names of columns and rows."""
    (left, top), title = corner, TURNED[1] if cell < LEGIBLE else HEAD[1]
    rows = [tokens[way.i]] if name != "W_Q" else [str(r + 1) for r in range(len(way.gradient(name)))]
    words = [("title", left - LABELS + 8, top + title, text(f"title_{name}")),
             ("hint", left - LABELS + 8, top + title + 17, text("norm_is", norm=size(way.norm(name)))),
             *(("column", left + (k + 0.5) * cell, top - 10, word) for k, word in enumerate(columns)),
             *(("row", left - 6, top + (q + 0.5) * cell, word) for q, word in enumerate(rows))]  # fmt: skip
    for kind, x, y, word in words:
        yield kind, x, y, word, None, charts.ems(word), False, None, 0


def _cells(
    way: Way, name: str, corner: tuple[int, int], cell: int, columns: Sequence[str], limit: float,
    marks: Mapping[Place, int], text: Text,
) -> Iterator[tuple[Any, ...]]:  # fmt: skip
    """The numbers; a masked key's cell is struck out."""
    (left, top), title, tip = corner, text(f"title_{name}"), text.template("tip")
    starts = [tip(step=title, column=column, number="") for column in columns]  # the number comes last
    marked = {f"{at.stage} {at.row} {at.column}": how for at, how in marks.items()}
    for q, row in enumerate(np.atleast_2d(way.gradient(name)).tolist()):
        for k, x in enumerate(row):
            shown, long = _words(x)
            v = min(max(x / limit, -1.0), 1.0) if limit else 0.0
            hidden, at = name in BY_KEY and not way.open[k], f"{name} {q} {k}"
            yield (
                "masked" if hidden else "cell", left + (k + 0.5) * cell, top + (q + 0.5) * cell, shown,
                starts[k] + long, v, not hidden and _light(round(STEPS_OF_INK * v)), at, marked.get(at, 0),
            )  # fmt: skip


@lru_cache(maxsize=2 * STEPS_OF_INK + 1)
def _light(step: int) -> bool:
    """Whether white ink is the one to read on this step, −255 … 255, of the ramp."""
    return theme.light_ink(theme.SIGNED, (step / STEPS_OF_INK + 1) / 2)


@lru_cache(maxsize=64)
def way_spec(shapes: tuple[tuple[int, int], ...], layout: str) -> dict[str, Any]:
    """The marks of all heatmaps, and the choice of a number by a click."""
    where = plan(shapes, layout)
    view = layered(where.width, where.height, *_numbers(where.cell), *_words_around(where.cell))
    view["layer"][0]["name"] = "cells"
    view["transform"] = [{"calculate": "1", "as": "ink"}]
    pick = {"type": "point", "fields": ["at", "turn"], "on": "click", "clear": "dblclick", "toggle": False}
    return page([view], 1, in_both("way_alt", "variance_gradient")) | {
        "params": [{"name": "pick", "select": pick, "views": ["cells"]}]
    }


AT = (alt.XValue({"expr": "datum.x"}), alt.YValue({"expr": "datum.y"}))


def _numbers(cell: int) -> list[alt.Chart]:
    """Cells, strokes through what is masked, frames around what is chosen and what goes into it, numbers."""
    cells = alt.Chart().transform_filter("isValid(datum.at)")
    ramp = alt.Scale(domain=np.linspace(-1, 1, len(theme.SIGNED)).tolist(), range=list(theme.SIGNED),
                     interpolate="rgb")  # fmt: skip
    colour = alt.when("datum.kind === 'masked'").then(alt.value(theme.MASKED)).otherwise(
        alt.Color("v:Q", scale=ramp, legend=None))  # fmt: skip
    box = {"width": 0.94 * cell, "height": 0.94 * cell, "cornerRadius": 3}
    tip = {"expr": "datum.tip"}
    marks = [
        cells.mark_rect(stroke=theme.MASKED, strokeWidth=1, cursor="pointer", tooltip=tip, description=tip, **box)
        .encode(*AT, colour),
        cells.transform_filter("datum.kind === 'masked'").mark_point(
            shape="M-.5,.5L.5,-.5", size=(cell * 0.86) ** 2, stroke=theme.MASKED_STROKE, strokeWidth=1.2, filled=False
        ).encode(*AT),
    ]  # fmt: skip
    for which, stroke, width, dash in (("> 0", theme.PAPER, 4.5, []), (f"=== {CHOSEN}", theme.CHOSEN, 2.5, []),
                                       (f"=== {OPERAND}", theme.CHOSEN, 2.5, [4, 3])):  # fmt: skip
        marks.append(cells.transform_filter(f"datum.marked {which}").mark_rect(
            filled=False, stroke=stroke, strokeWidth=width, strokeDash=dash, tooltip=None, **box
        ).encode(*AT))  # fmt: skip
    if cell >= LEGIBLE:
        ink = alt.when("datum.light").then(alt.value(theme.PAPER)).otherwise(alt.value(theme.INK))
        number = cells.mark_text(fontSize=min(13, round(cell * 0.35)), text={"expr": "datum.text"}, aria=False)
        marks.append(number.encode(*AT, color=ink))
    return marks


def _words_around(cell: int) -> list[alt.Chart]:
    """Titles, norms, names of columns and rows, in the theme's ink."""
    turned, largest = cell < LEGIBLE, min(14, max(9, round(cell * 0.42)))
    column = {"angle": 300, "align": "left", "limit": 40} if turned else {"limit": cell + 3}
    looks: dict[str, dict[str, Any]] = {
        "title": {"align": "left", "fontSize": 14, "fontWeight": "bold"},
        "hint": {"align": "left", "fontSize": 11, "opacity": 0.85},
        "column": {"fontSize": largest if turned else charts.fitting(largest, cell + 2), **column},
        "row": {"fontSize": charts.fitting(largest, LABELS - 10), "align": "right", "limit": LABELS - 10},
    }
    return [
        alt.Chart().transform_filter(f"datum.kind === '{kind}'").mark_text(text={"expr": "datum.text"}, **look)
        .encode(*AT, INK)
        for kind, look in looks.items()
    ]  # fmt: skip
