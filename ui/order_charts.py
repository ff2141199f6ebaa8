"""What the order page draws with: marks at places in pixels on a sheet, and one spec that draws any of them.

Where a mark stands travels as data, so a spec depends on the sheet's size alone, and a shuffle moves marks without
drawing anything anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import altair as alt

from ui import charts, theme
from ui.text import in_both

LINE = "#7d8395"  #: what is drawn on the page itself: readable on white and on near-black
MOVED = "#7a5fd0"
COLUMNS = ("kind", "q", "x", "y", "x2", "y2", "fill", "light", "text", "tip", "size")


@dataclass
class Sheet:
    """Marks, a record each. A mark with a q belongs to that token and lights up with it; −1: to none."""

    width: int
    height: int
    records: list[tuple[Any, ...]] = field(default_factory=list)

    def cell(
        self, x: float, y: float, wide: float, high: float, fill: str, light: bool, text: str, tip: str, q: int = -1
    ) -> None:
        size = min(12.0, wide * 0.375)
        self.records.append(("cell", q, x, y, x + wide, y + high, fill, light, text, tip, size))

    def rule(self, x: float, y: float, x2: float, y2: float, colour: str = LINE, size: float = 1, q: int = -1) -> None:
        self.records.append(("rule", q, x, y, x2, y2, colour, False, None, None, size))

    def dot(self, x: float, y: float, colour: str = LINE, size: float = 40, tip: str = "", *, hollow: bool = False,
            q: int = -1) -> None:  # fmt: skip
        self.records.append(("ring" if hollow else "dot", q, x, y, None, None, colour, False, None, tip, size))

    def words(self, x: float, y: float, text: str, kind: str = "left", size: float = 12, q: int = -1) -> None:
        """kind: "left", "middle" or "right", which is where x is; "bold" as a heading."""
        self.records.append((kind, q, x, y, None, None, None, False, text, None, size))

    def wire(self, x: float, y: float, x2: float, y2: float, colour: str, size: float, q: int) -> None:
        """A line that leaves and arrives level."""
        third = (x2 - x) / 3
        for at, high in ((x, y), (x + third, y), (x2 - third, y2), (x2, y2)):
            self.records.append(("wire", q, at, high, None, None, colour, False, None, None, size))

    def frame(self) -> Any:
        """The marks by columns, as a table of Arrow's where there is one (see `ui.charts`)."""
        columns = dict(zip(COLUMNS, map(list, zip(*self.records, strict=True)), strict=True))
        columns["ink"] = [1] * len(self.records)
        return charts.table(columns)


@lru_cache(maxsize=128)
def spec(width: int, height: int, rows: int = 0) -> dict[str, Any]:
    """The spec of a sheet. rows: of how many tokens one can be lit up; 0: none can."""
    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    x2, y2 = alt.X2("x2:Q"), alt.Y2("y2:Q")
    fill, stroke = alt.Fill("fill:N", scale=None, legend=None), alt.Stroke("fill:N", scale=None, legend=None)
    lit = "lit < 0 || datum.q < 0 || lit === datum.q" if rows else "true"
    seen = alt.when(lit).then(alt.value(1)).otherwise(alt.value(charts.FADED))
    base = alt.Chart(width=width, height=height)
    size, says = {"expr": "datum.size"}, {"tooltip": {"expr": "datum.tip"}, "description": {"expr": "datum.tip"}}

    def of(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind === '{kind}'")

    def words(kind: str, align: str, **mark: Any) -> alt.Chart:
        shown = of(kind).mark_text(text={"expr": "datum.text"}, fontSize=size, align=align, baseline="middle", **mark)
        return shown.encode(x, y, color=charts.INK, opacity=seen)

    in_the_middle = {"dx": {"expr": "(datum.x2 - datum.x) / 2"}, "dy": {"expr": "(datum.y2 - datum.y) / 2"}}
    layers = [
        of("wire").mark_line(interpolate="basis", strokeWidth=2).encode(
            x, y, stroke, alt.Detail("q:N"), alt.StrokeWidth("size:Q", scale=None, legend=None), opacity=seen),
        of("rule").mark_rule(strokeWidth=size).encode(x, y, x2, y2, stroke, opacity=seen),
        of("ring").mark_point(filled=False, size=size, strokeWidth=1).encode(x, y, stroke),
        of("cell").properties(name="cells_0").mark_rect(
            stroke=theme.MASKED, strokeWidth={"expr": "datum.x2 - datum.x > 10 ? 1 : 0"},
            cornerRadius={"expr": "datum.x2 - datum.x > 20 ? 3 : 0"}, **says,
        ).encode(x, y, x2, y2, fill, opacity=seen),
        of("cell").transform_filter("datum.text !== ''").mark_text(
            text={"expr": "datum.text"}, fontSize=size, aria=False, baseline="middle", **in_the_middle
        ).encode(x, y, color=charts.ink_on_cells("datum.light", lit)),
        of("dot").mark_point(filled=True, size=size, opacity=1, **says).encode(x, y, fill, opacity=seen),
        words("bold", "left", fontWeight="bold"), words("left", "left"), words("middle", "center"),
        words("right", "right"),
    ]  # fmt: skip
    chart = alt.layer(*layers).resolve_scale(color="independent")
    chart = chart.configure(view={"stroke": None}, padding=2)
    return charts.without_data(chart) | ({"params": _lighting(rows)} if rows else {})


def _lighting(rows: int) -> list[dict[str, Any]]:
    """A row that is pointed at, or chosen from a list with the keyboard."""
    hover = {"type": "point", "fields": ["q"], "on": "pointerover", "clear": "pointerout"}
    listed = {"input": "select", "options": [-1, *range(rows)], "labels": ["–", *(str(q + 1) for q in range(rows))]}
    return [
        {"name": "hover", "select": hover, "views": ["cells_0"]},
        {"name": "row", "value": -1, "bind": listed | {"name": f"{in_both('light_up')} "}},
        {"name": "lit", "expr": "isValid(hover.q) ? hover.q[0] : row"},
    ]


@lru_cache(maxsize=32)
def band_spec(room: int, x_title: str, y_title: str) -> dict[str, Any]:
    """Curves over distance, each with a band from the least to the largest; words are those of one language."""
    legend = alt.Legend(orient="top", title=None, symbolOpacity=1)
    colour = alt.Color("side:N", scale=alt.Scale(range=[MOVED, "#b5651d"]), legend=legend)
    base = alt.Chart(width=room, height=340)  # (Streamlit fits axes and legend into this)
    x = alt.X("d:Q", title=x_title, scale=alt.Scale(nice=False), axis=alt.Axis(tickMinStep=1, grid=False))
    band = base.mark_area(opacity=0.3).encode(x, alt.Y("low:Q", title=y_title), alt.Y2("high:Q"), colour)
    line = base.mark_line(strokeWidth=2, point={"size": 18}).encode(x, alt.Y("mean:Q"), colour, tooltip="tip:N")
    return charts.without_data(alt.layer(band, line).configure_view(stroke=None))


def widths(kind: str, layout: str) -> int:
    """How wide a picture may be: it has the page, or about half of it where there is room."""
    room = charts.ROOM[layout][0]
    return room if kind == "whole" or layout in {"medium", "phone"} else room // 2 - 20
