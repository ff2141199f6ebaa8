"""Random rows as d_k grows: a dozen of them, and entropy, dead rows and gradients of all, for every divisor.

The browser divides the dozen's scores by d_k^α and takes softmax while α and d_k are dragged; the curves are measured,
and α picks the one it belongs to, drawn broad and pale to be seen where it meets another.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import altair as alt

from ui import charts, theme
from ui.charts import INK
from ui.text import fill, in_both
from ui.variance_charts import COLOURS, NAMES, SPACING, TICKS, alpha_slider, d_k_slider, layered, of_kind, page, placed
from ui.variance_softmax_frame import KEYS, TOLD
from ui.variance_softmax_rows import SIDE, dozen
from ui.variance_softmax_words import GIVEN

FLOOR, CEILING = 0.001, 30  #: of the gradient's axis
LINE = 17  #: pixels a line of the numbers below
PANELS = ("dead", "entropy", "gradient")
AXIS = 42  #: pixels left of a plot
MARGIN = 42  #: pixels around the whole


def _only(which: str) -> dict[str, str]:
    return {"filter": which}


#: What the panels and the numbers share, which Vega computes once for all of them: constant filters come first.
CURVES = [_only("datum.kind !== 'row' || datum.i === 0"),
          _only("datum.a === null || datum.a === step")]  # fmt: skip

#: layout → (how many pictures beside each other, pixels of a row's cell, height of a plot)
SHAPES: dict[str, tuple[int, tuple[int, int], int]] = {
    "xl": (4, (22, 20), 240), "wide": (4, (13, 13), 156), "medium": (2, (22, 13), 156), "phone": (1, (25, 13), 120),
}  # fmt: skip
#: layout → where the columns of the numbers begin; on a phone the first is below the names of axes
STOPS_OF_TEXT = {
    "xl": (14, 180, 400, 660), "wide": (14, 130, 270, 450), "medium": (14, 120, 240, 400), "phone": (-20, 64, 120, 184),
}  # fmt: skip
LARGER = {"xl": 1.25}  #: layout → how much larger words are than on a laptop: it may be a projector


@lru_cache(maxsize=16)
def open_spec(layout: str) -> dict[str, Any]:
    """While the question is open: a dozen rows, undivided, of vectors no longer than 64."""
    params = [*d_k_slider(4, most=6), {"name": "alpha", "value": 0}]
    cell = (26, 15) if layout == "phone" else (44, 20) if layout == "xl" else (34, 15)
    return page([dozen(cell, LARGER.get(layout, 1))], 1, _described("open_alt")) | {"params": params}


@lru_cache(maxsize=32)
def spec(layout: str, lines: int) -> dict[str, Any]:
    """Everything, with room for so many lines of numbers."""
    columns, cell, height = SHAPES[layout]
    room = charts.ROOM[layout][0] - MARGIN
    larger = LARGER.get(layout, 1)
    taken = KEYS * cell[0] + round(SIDE * larger) if columns == 4 else 0
    beside = columns - 1 if taken else columns
    width = (room - taken - (columns - 1) * SPACING) // beside - AXIS
    panels = [_panel(name, min(width, 340), height, larger) for name in PANELS]
    pictures = {"concat": [dozen(cell, larger), *panels], "columns": columns, "spacing": SPACING}
    whole = page([pictures, _numbers(layout, lines)], 1, _described("alt"))
    size = round(12 * larger)
    whole["config"] = whole["config"] | {"axis": {"labelFontSize": size, "titleFontSize": size}}
    return whole | {"params": [*d_k_slider(9), *alpha_slider(0)], "spacing": 8}


def _described(id: str) -> str:
    return fill(in_both(id, "variance_softmax"), GIVEN)


# The panels.


def _panel(name: str, width: int, height: int, larger: float) -> dict[str, Any]:
    """A figure against d_k: a line a divisor, with its intervals."""
    axis = alt.Axis(values=TICKS if width > 200 * larger else TICKS[::2], format="d", grid=False, titlePadding=0)
    x = alt.X("d:Q", scale=alt.Scale(type="log", domain=[0.8, 5200], nice=False), title="d_k", axis=axis)
    at = of_kind("row").transform_filter("datum.n === log2_dk").transform_calculate(ink="1")
    marks = [at.mark_rule(strokeWidth=1, opacity=0.6, tooltip=None).encode(x, INK), *_lines(name, x)]
    if name == "gradient":
        marks = [*_bands(x), *marks, *_means(x)]
    if name == "dead":
        marks += _guess(x, larger)
    return layered(width, height, *marks, _title(name, larger), checked=False) | {"transform": CURVES}


def _lines(name: str, x: alt.X) -> list[alt.Chart]:
    value = "median" if name == "gradient" else name
    y, colour, tip, curve = _axis(name, value), _colour(), alt.Tooltip("tip:N"), of_kind("curve")
    line = curve.mark_line(clip=True).encode(x, y, colour, strokeWidth=_where_power(7, 2), opacity=_where_power(0.4, 1))
    within = curve.mark_rule(strokeWidth=3, opacity=0.5, clip=True).encode(
        x, _axis(name, f"{value}_low"), alt.Y2(f"{value}_high:Q"), colour
    )
    # A point is small, what answers to the mouse or a finger around it is not.
    points = curve.mark_point(filled=True, size=22, opacity=1, clip=True, stroke="transparent", strokeWidth=16)
    here = curve.transform_filter("datum.d === dk").mark_point(filled=True, size=90, opacity=1)
    return [line, within, *(each.encode(x, y, colour, tooltip=tip) for each in (points, here))]


def _bands(x: alt.X) -> list[alt.Chart]:
    """Where nine in ten, and half, of the rows are."""
    return [
        of_kind("curve").mark_area(opacity=opacity, clip=True, tooltip=None).encode(
            x, _axis("gradient", low), alt.Y2(f"{high}:Q"), _colour()
        )
        for low, high, opacity in (("q25", "q75", 0.2), ("q5", "q95", 0.1))
    ]  # fmt: skip


def _means(x: alt.X) -> list[alt.Chart]:
    curve, mean, colour = of_kind("curve"), _axis("gradient", "mean"), _colour()
    here = curve.transform_filter("datum.d === dk").mark_point(filled=False, size=60, opacity=1)
    return [
        curve.mark_line(strokeWidth=1.5, strokeDash=[4, 3], clip=True).encode(x, mean, colour),
        here.encode(x, mean, colour, tooltip=alt.Tooltip("tip:N")),
    ]


def _guess(x: alt.X, larger: float) -> list[alt.Chart]:
    """The reader's guess; its words stand off the curve."""
    guess, y = of_kind("guess"), _axis("dead", "dead")
    marks = [guess.mark_point(shape="diamond", filled=True, size=110, color=theme.CHOSEN, opacity=1).encode(x, y)]
    for above, beside in enumerate(({"align": "left", "dx": 9}, {"align": "right", "dx": -9})):
        words = guess.transform_filter(f"datum.i === {above}").transform_calculate(ink="1")
        words = words.mark_text(fontSize=round(11 * larger), fontWeight="bold", **beside)
        marks.append(words.encode(x, y, alt.Text("text:N"), INK))
    return marks


def _axis(name: str, field: str) -> alt.Y:
    if name == "gradient":
        least = f"datum.value <= {FLOOR} ? '≤ {FLOOR}' : datum.label"
        axis = alt.Axis(values=[FLOOR, 0.01, 0.1, 1, 10], labelExpr=least, format="~g")
        return alt.Y(f"{field}:Q", scale=alt.Scale(type="log", domain=[FLOOR, CEILING], clamp=True, nice=False),
                     axis=axis, title=None)  # fmt: skip
    axis = alt.Axis(format="%" if name == "dead" else ".1f", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    # A little beyond 0 and 1, so that a mark that stands there is not cut.
    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[-0.03, 1.03], nice=False), axis=axis, title=None)


def _where_power(then: float, otherwise: float) -> Any:
    """One value for d_k^α, another for every other divisor."""
    return alt.when(f"datum.side === '{NAMES['power']}'").then(alt.value(then)).otherwise(alt.value(otherwise))


def _colour() -> alt.Color:
    scale = alt.Scale(domain=list(NAMES.values()), range=list(COLOURS.values()))
    return alt.Color("side:N", legend=None, scale=scale)


def _title(name: str, larger: float) -> alt.Chart:
    return placed(of_kind(f"title_{name}"), 8 - AXIS, -12, fontSize=round(13 * larger), fontWeight="bold")


# The numbers at the chosen d_k: a line a divisor, which is the legend too.


def _numbers(layout: str, lines: int) -> dict[str, Any]:
    at, short, larger = STOPS_OF_TEXT[layout], layout == "phone", LARGER.get(layout, 1)
    size, line = 11 if short else round(12 * larger), round(LINE * larger)
    y = alt.Y("line:Q", scale=alt.Scale(domain=[0, (lines + 1) * line], reverse=True, nice=False), axis=None)
    here = of_kind("curve").transform_filter("datum.d === dk").transform_calculate(
        line=f"datum.i * {line} + {1.5 * line}", ink="1",
        name="datum.a === null ? datum.side : replace(datum.side, 'α', format(alpha, '.2f'))",
        **{what: f"split(datum.t_{what}, ' (')[0]" if short else f"datum.t_{what}" for what in TOLD},
    )  # fmt: skip
    dot = here.mark_point(filled=True, size=60, opacity=1, tooltip=None).encode(
        alt.XValue(at[0] - 9), y, _colour()
    )
    words = [
        here.mark_text(align="left", fontSize=size).encode(alt.Text(f"{what}:N"), alt.XValue(x), y, INK)
        for x, what in zip(at, ("name", *TOLD), strict=True)
    ]
    heads = [
        placed(of_kind(f"head_{what}"), x, line // 2, fontSize=size, fontWeight="bold")
        for x, what in zip(at[1:], TOLD, strict=True)
    ]
    wide = charts.ROOM[layout][0] - MARGIN + at[0] - 14
    picture = layered(wide, (lines + 1) * line, dot, *words, *heads, checked=False)
    return picture | {"transform": CURVES}
