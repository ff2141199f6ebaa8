"""Heatmaps of several heads in one picture.

They are one view: where each cell stands travels as data, so that one small spec draws any number of heads, a
row lights up in all of them, and switching a head off changes data only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ui import charts, display, theme

#: Head 1 … 8: 3:1 or more on both backgrounds, apart in every kind of colour vision (tests/ui/test_heads.py).
HUES = ("#2a7a89", "#b43900", "#14a973", "#937de7", "#d6760f", "#4c69ff", "#c61941", "#3b65a7")

LABELS, NARROW = 62, 42  #: pixels for a row's token; on a phone
GAP, PANEL = 12, 130  #: between panels; the least width of one, for its title
TITLE, NAMES, TURNED, BAND = 22, 16, 36, 8  #: heights of what stands above the cells
LEAST, COMPACT, LARGEST = 13, 36, 46  #: pixels of a cell; COMPACT where panels take several lines
SILENT = 0.3  #: opacity of a head that is off
COLUMNS = ("kind", "q", "x", "y", "x2", "y2", "value", "fill", "ink", "text", "tip", "opacity", "at", "marked")


@dataclass(frozen=True)
class Panel(charts.Heat):
    """A heatmap whose columns may belong to heads."""

    heads: Sequence[int] = field(default=())  # the head of each column
    silent: frozenset[int] = frozenset()  # heads that are off: dimmed and struck


@dataclass(frozen=True)
class Layout:
    """Where panels go: so many beside each other, cells of this size."""

    rows: int
    columns: int
    across: int
    down: int
    cell: int
    labels: int

    @property
    def top(self) -> int:
        return TITLE + (NAMES if self.cell >= charts.LEGIBLE else TURNED) + BAND

    @property
    def panel(self) -> tuple[int, int]:
        wide = max(self.labels + self.columns * self.cell, PANEL)
        return wide + GAP, self.top + self.rows * self.cell + GAP

    @property
    def size(self) -> tuple[int, int]:
        return self.across * self.panel[0] - GAP, self.down * self.panel[1] - GAP

    def corner(self, s: int) -> tuple[int, int]:
        """The upper left corner of the cells of panel s."""
        column, row = s % self.across, s // self.across
        return column * self.panel[0] + self.labels, row * self.panel[1] + self.top


def arrange(rows: int, columns: int, panels: int, room: int) -> Layout:
    """As many panels beside each other as keep numbers legible and the picture low, else as many as fit."""
    labels, tall = (NARROW, 1400) if room < 400 else (LABELS, 600)
    plans = []
    for beside in range(min(panels, 8), 0, -1):
        down = -(-panels // beside)
        across = -(-panels // down)  # 4 and 4 rather than 5 and 3
        cell = (room + GAP - across * (labels + GAP)) // (across * columns)
        cell = min(cell, LARGEST if down == 1 else COMPACT)
        plans.append(Layout(rows, columns, across, down, cell, labels))
    visible = [plan for plan in plans if plan.cell >= LEAST and plan.size[0] <= room]
    legible = [plan for plan in visible if plan.cell >= charts.LEGIBLE and plan.size[1] <= tall]
    return (legible or visible or plans[-1:])[0]


def board(rows: Sequence[str], panels: Sequence[Panel], room: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Heatmaps with the same rows, side by side."""
    plan = arrange(len(rows), max(panel.values.shape[1] for panel in panels), len(panels), room)
    records: list[tuple[Any, ...]] = []
    for s, panel in enumerate(panels):
        records += _panel(panel, rows, plan, *plan.corner(s))
    frame = pd.DataFrame.from_records(records, columns=list(COLUMNS))
    return frame, board_spec(plan)


def _panel(panel: Panel, rows: Sequence[str], plan: Layout, left: int, top: int) -> list[tuple[Any, ...]]:
    cell, silent = plan.cell, panel.silent
    heads = panel.heads or [None] * panel.values.shape[1]
    all_off = bool(panel.heads) and silent >= set(panel.heads)
    dim = 2 * SILENT if all_off else 1
    records = [_words("title", left - plan.labels + 6, top - plan.top + TITLE - 5, panel.title, opacity=dim)]
    for k, (head, name) in enumerate(zip(heads, panel.columns, strict=True)):
        x, dim = left + k * cell, SILENT if head in silent else 1
        records.append(_words("column", x + cell / 2, top - BAND - 3, name, opacity=dim))
        if head is not None:
            band = (x, top - 6, x + cell, top - 2)
            records.append(_mark("band", None, *band, fill=HUES[head], opacity=dim))
        records += [_cell(panel, q, k, x, top + q * cell, cell, dim) for q in range(len(rows))]
    records += [_words("row", left - 6, top + (q + 0.5) * cell, token, q=q) for q, token in enumerate(rows)]
    return records + _strikes(panel, left, top, len(rows), cell)


def _strikes(panel: Panel, left: int, top: int, rows: int, cell: int) -> list[tuple[Any, ...]]:
    """A line through the columns of every silenced head."""
    lines, heads = [], list(panel.heads)
    for head in sorted(panel.silent & set(heads)):
        start = left + heads.index(head) * cell
        end = start + heads.count(head) * cell
        lines.append(_mark("strike", None, start, top + rows * cell, end, top))
    return lines


def _cell(panel: Panel, q: int, k: int, x: float, y: float, cell: int, dim: float) -> tuple[Any, ...]:
    value = float(panel.values[q, k])
    masked = not np.isfinite(value) or panel.hidden is not None and bool(panel.hidden[q, k])
    at = value if panel.weights else 0.5 + 0.5 * value / (panel.limit or 1)
    address, marked = panel.at(q, k)
    paint = (theme.MASKED, theme.INK) if masked else _paint(panel.weights, round(255 * min(max(at, 0), 1)))
    return _mark(
        "masked" if masked else "cell", q, x, y, x + cell - 2, y + cell - 2, value=None if masked else value,
        fill=paint[0], ink=paint[1], text=display.short(value), tip=panel.tip(q, k, display.short(value, 4)),
        opacity=dim, at=address, marked=marked,
    )  # fmt: skip


@lru_cache(maxsize=512)
def _paint(weights: bool, step: int) -> tuple[str, str]:
    """The colour at 0 … 255 of a ramp, and the ink that can be read on it."""
    ramp = theme.WEIGHTS if weights else theme.SIGNED
    colour = "#" + "".join(f"{round(255 * c):02x}" for c in theme.ramp(ramp, step / 255))
    return colour, theme.PAPER if theme.light_ink(ramp, step / 255) else theme.INK


def _mark(kind: str, q: int | None, x: float, y: float, x2: float | None = None, y2: float | None = None,
          **more: Any) -> tuple[Any, ...]:  # fmt: skip
    rest = {"value": None, "fill": None, "ink": None, "text": None, "tip": None, "opacity": 1, "at": None, "marked": 0}
    rest |= more
    return kind, q, x, y, x2, y2, *rest.values()


def _words(kind: str, x: float, y: float, text: str, q: int | None = None, **more: Any) -> tuple[Any, ...]:
    return _mark(kind, q, x, y, text=text, **more)


@lru_cache(maxsize=256)
def board_spec(plan: Layout) -> dict[str, Any]:
    """The spec of `board`: it knows sizes in pixels, and nothing about heads or tokens."""
    (width, height), rows, cell = plan.size, plan.rows, plan.cell
    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    x2, y2 = alt.X2("x2:Q"), alt.Y2("y2:Q")
    fill = alt.Fill("fill:N", scale=None, legend=None)
    own = alt.Opacity("opacity:Q", scale=None, legend=None)
    lit = alt.when(charts.LIT).then(own).otherwise(alt.value(charts.FADED))
    base = alt.Chart(width=width, height=height)

    def layer(*kinds: str) -> alt.Chart:
        return base.transform_filter(alt.FieldOneOfPredicate("kind", list(kinds)))

    cells = layer("cell", "masked").properties(name="cells_0").mark_rect(
        cornerRadius=3, stroke=theme.MASKED, strokeWidth=1
    ).encode(x, y, x2, y2, fill, opacity=lit, tooltip=alt.Tooltip("tip:N", title="​"))  # fmt: skip
    layers = [
        layer("band").mark_rect().encode(x, y, x2, y2, fill, own),
        cells,
        layer("masked").mark_rule(stroke=theme.MASKED_STROKE).encode(
            x, alt.Y("y2:Q", scale=None, axis=None), x2, alt.Y2("y:Q"), opacity=lit
        ),
        layer("strike").mark_rule(stroke=theme.MASKED_STROKE, strokeWidth=3).encode(x, y, x2, y2),
    ]  # fmt: skip
    layers += charts.outlines(layer("cell", "masked"), x, y, x2, y2)
    if cell >= charts.LEGIBLE:
        middle = {"dx": cell / 2 - 1, "dy": cell / 2, "fontSize": min(13, round(cell * 0.36))}
        light = f"datum.ink === '{theme.PAPER}'"
        numbers = layer("cell", "masked").transform_calculate(light=light, ink="1").mark_text(**middle)
        layers.append(numbers.encode(x, y, own, text="text:N", color=charts.ink_on_cells("datum.light")))
    chart = alt.layer(*layers, *_lettering(layer, x, y, own, lit, plan))
    chart = chart.resolve_scale(color="independent").configure_view(stroke=None)
    return charts.without_data(chart) | {"params": charts.row_choice(1, rows)}


def _lettering(
    layer: Any, x: alt.X, y: alt.Y, own: alt.Opacity, lit: Any, plan: Layout
) -> list[alt.Chart]:
    """Titles and tokens around the cells, in the theme's ink."""
    cell, labels = plan.cell, plan.labels
    size = min(14, max(9, round(cell * 0.42)))
    turned = {"angle": 300, "align": "left", "limit": 34} if cell < charts.LEGIBLE else {"limit": cell}

    def words(kind: str, opacity: Any, **mark: Any) -> alt.Chart:
        chosen = layer(kind).transform_calculate(ink="1").mark_text(**mark)
        return chosen.encode(x, y, text="text:N", opacity=opacity, color=charts.INK)

    return [
        words("title", own, align="left", fontSize=14, fontWeight="bold", baseline="bottom"),
        words("column", own, fontSize=size, baseline="bottom", **turned),
        words("row", lit, align="right", fontSize=size, limit=labels - 8),
    ]
