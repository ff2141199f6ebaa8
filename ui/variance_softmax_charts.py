"""Random rows as d_k grows: a dozen of them, and entropy, dead rows and gradients of all, for every divisor.

The browser divides the dozen's scores by d_k^α and takes softmax while α and d_k are dragged; the curves are measured,
and α picks the one it belongs to, drawn broad and pale to be seen where it meets another.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import altair as alt

from attention.saturation import DEAD
from ui import charts, theme
from ui.charts import INK
from ui.text import in_both
from ui.variance_charts import COLOURS, NAMES, SPACING, TICKS, alpha_slider, d_k_slider, layered, of_kind, page, placed
from ui.variance_softmax_frame import COLUMNS_OF_TEXT, ROWS

KEYS = 8
FLOOR, CEILING = 0.001, 30  #: of the gradient's axis
LINE = 17  #: pixels a line of the numbers below
PANELS = ("dead", "entropy", "gradient")
AXIS = 42  #: pixels left of a plot
SIDE = 62  #: pixels right of the dozen, for what is said of a row


def _only(which: str) -> dict[str, str]:
    return {"filter": which}


#: What the panels and the numbers share, which Vega computes once for all of them: constant filters come first.
CURVES = [_only("datum.kind !== 'row' || datum.i === 0"),
          _only("datum.a === null || datum.a === step")]  # fmt: skip

#: layout → (the panels in their order, how many beside each other, pixels of a row's cell, height of a plot)
SHAPES: dict[str, tuple[tuple[str, ...], int, tuple[int, int], int]] = {
    "xl": (("rows", *PANELS), 4, (20, 15), 180), "wide": (("rows", *PANELS), 4, (13, 13), 156),
    "medium": (("rows", *PANELS), 2, (22, 13), 156),
    "phone": (("entropy", "gradient", "dead", "rows"), 1, (26, 13), 130),
}  # fmt: skip
#: layout → where the columns of the numbers begin
STOPS_OF_TEXT = {
    "xl": (0, 130, 300, 450, 640, 800, 960), "wide": (0, 112, 240, 352, 510, 608, 768),
    "medium": (0, 104, 212, 316, 428), "phone": (0, 88, 148, 208),
}  # fmt: skip
_SHORT = {"medium": ("entropy", "dead", "median", "mean"), "phone": ("entropy", "dead", "median")}


@lru_cache(maxsize=16)
def open_spec(layout: str) -> dict[str, Any]:
    """While the question is open: a dozen rows, undivided, of vectors no longer than 64."""
    params = [*d_k_slider(4, most=6), {"name": "alpha", "value": 0}]
    wide = 26 if layout == "phone" else 34
    return page([_dozen((wide, 15))], 1, in_both("open_alt", "variance_softmax")) | {"params": params}


@lru_cache(maxsize=32)
def spec(layout: str, lines: int) -> dict[str, Any]:
    """Everything, with room for so many lines of numbers."""
    order, columns, cell, height = SHAPES[layout]
    room = charts.ROOM[layout][0]
    taken = KEYS * cell[0] + SIDE if columns == 4 else 0
    beside = columns - 1 if taken else columns
    width = (room - taken - (columns - 1) * SPACING) // beside - AXIS
    parts = {name: _panel(name, min(width, 340), height) for name in PANELS} | {"rows": _dozen(cell)}
    pictures = {"concat": [parts[name] for name in order], "columns": columns, "spacing": SPACING}
    params = [*d_k_slider(9), *alpha_slider(0, "÷ d_k^α,  α =\u00a0")]
    views = [pictures, _numbers(layout, lines)]
    whole = page(views, 1, in_both("alt", "variance_softmax")) | {"params": params}
    return whole | {"spacing": 8}


# The dozen.


def _dozen(cell: tuple[int, int]) -> dict[str, Any]:
    """Rows of weights at the chosen d_k and α, and how strongly each answers; the dead ones are marked."""
    wide, high = cell
    keys = range(KEYS)
    steps = {
        "by": "pow(datum.d, alpha)", "most": f"max({', '.join(f'datum.s{k}' for k in keys)})",
        **{f"e{k}": f"exp((datum.s{k} - datum.most) / datum.by)" for k in keys},
        "total": " + ".join(f"datum.e{k}" for k in keys),
        **{f"p{k}": f"datum.e{k} / datum.total" for k in keys},
        "squares": " + ".join(f"pow(datum.p{k}, 2)" for k in keys),
        "cubes": " + ".join(f"pow(datum.p{k}, 3)" for k in keys),
        "norm": "sqrt(max(0, datum.squares - 2 * datum.cubes + pow(datum.squares, 2)))",
        "dead": f"datum.norm < {DEAD} ? 1 : 0", "ink": "1",
        "said": "datum.norm < 0.0005 ? '<0.001' : format(datum.norm, datum.norm < 0.1 ? '.3f' : '.2f')",
    }  # fmt: skip
    x = alt.X("at:Q", scale=alt.Scale(domain=[0, KEYS], nice=False), axis=None)
    y = alt.Y("top:Q", scale=alt.Scale(domain=[0, ROWS], reverse=True, nice=False), axis=None)
    ramp = alt.Scale(domain=[0, 1], range=list(theme.WEIGHTS), interpolate="rgb")
    cells = alt.Chart().transform_filter("datum.kind === 'row'").transform_fold(
        [f"p{k}" for k in keys], as_=["key", "p"]
    ).transform_calculate(
        at="+slice(datum.key, 1)", at2="+slice(datum.key, 1) + 1", top="datum.i + 0.06", bottom="datum.i + 0.94"
    ).mark_rect(stroke=theme.MASKED_STROKE, strokeWidth=0.7).encode(
        x, alt.X2("at2:Q"), y, alt.Y2("bottom:Q"), alt.Color("p:Q", scale=ramp, legend=None),
        tooltip=[alt.Tooltip("p:Q", format=".4f", title="softmax"), alt.Tooltip("norm:Q", format=".4f", title="‖J‖")],
    )  # fmt: skip
    middle = alt.Y("middle:Q", scale=alt.Scale(domain=[0, ROWS], reverse=True, nice=False), axis=None)
    rows = alt.Chart().transform_filter("datum.kind === 'row'").transform_calculate(middle="datum.i + 0.5")
    size = min(11, high - 2)
    beside = alt.XValue(KEYS * wide + 4)
    alive = rows.transform_filter("datum.dead === 0").mark_text(align="left", fontSize=size).encode(
        alt.Text("said:N"), beside, middle, INK
    )  # fmt: skip
    dead = rows.transform_filter("datum.dead === 1").transform_calculate(
        both="datum.said + ' ' + datum.text"
    ).mark_text(align="left", fontSize=size, fontWeight="bold").encode(alt.Text("both:N"), beside, middle, INK)
    struck = rows.transform_filter("datum.dead === 1").transform_calculate(
        top="datum.i", bottom="datum.i + 1"
    ).mark_rect(filled=False, stroke=theme.CHOSEN, strokeWidth=1.5, tooltip=None).encode(
        alt.XValue(-2), alt.X2Value(KEYS * wide + 1),
        alt.Y("top:Q", scale=alt.Scale(domain=[0, ROWS], reverse=True, nice=False), axis=None), alt.Y2("bottom:Q"),
    )  # fmt: skip
    said = alt.Chart().transform_filter("datum.kind === 'row' || datum.kind === 'count'").transform_calculate(
        own="datum.kind === 'count' ? datum.text : ''"
    ).transform_aggregate(dead="sum(dead)", d="max(d)", own="max(own)").transform_calculate(
        says="'d_k = ' + datum.d + ': ' + replace(datum.own, '#', datum.dead)"
    )
    said = placed(said, 0, ROWS * high + 14, "says", fontSize=12)
    picture = layered(KEYS * wide, ROWS * high, cells, struck, alive, dead, said, _title("rows"), checked=False)
    chosen = [_only("datum.kind === 'row' || datum.kind === 'count' || datum.kind === 'title_rows'"),
              _only("datum.kind !== 'row' || datum.n === log2_dk")]  # fmt: skip
    return picture | {"transform": [*chosen, *({"calculate": e, "as": name} for name, e in steps.items())]}


# The panels.


def _panel(name: str, width: int, height: int) -> dict[str, Any]:
    axis = alt.Axis(values=TICKS if width > 200 else TICKS[::2], format="d", grid=False, titlePadding=0)
    x = alt.X("d:Q", scale=alt.Scale(type="log", domain=[0.8, 5200], nice=False), title="d_k", axis=axis)
    value = "median" if name == "gradient" else name
    y = _axis(name, value)
    colour = _colour()
    tip = alt.Tooltip("tip:N")
    curve = of_kind("curve")
    here, at = curve.transform_filter("datum.d === dk"), of_kind("row").transform_filter("datum.n === log2_dk")
    marks = [
        at.transform_calculate(ink="1").mark_rule(strokeWidth=1, opacity=0.6, tooltip=None).encode(x, INK),
        curve.mark_line(clip=True).encode(x, y, colour, strokeWidth=_where_power(7, 2), opacity=_where_power(0.4, 1)),
        curve.mark_rule(strokeWidth=3, opacity=0.5, clip=True).encode(
            x, _axis(name, f"{value}_low"), alt.Y2(f"{value}_high:Q"), colour
        ),
        # A point is small, what answers to the mouse or a finger around it is not.
        curve.mark_point(filled=True, size=22, opacity=1, clip=True, stroke="transparent", strokeWidth=16).encode(
            x, y, colour, tooltip=tip
        ),
        here.mark_point(filled=True, size=90, opacity=1, clip=True).encode(x, y, colour, tooltip=tip),
    ]  # fmt: skip
    if name == "gradient":
        for low, high, opacity in (("q5", "q95", 0.1), ("q25", "q75", 0.2)):
            area = curve.mark_area(opacity=opacity, clip=True, tooltip=None)
            marks.insert(0, area.encode(x, _axis(name, low), alt.Y2(f"{high}:Q"), colour))
        mean = _axis(name, "mean")
        marks.append(curve.mark_line(strokeWidth=1.5, strokeDash=[4, 3], clip=True).encode(x, mean, colour))
        marks.append(here.mark_point(filled=False, size=60, opacity=1, clip=True).encode(x, mean, colour, tooltip=tip))
    if name == "dead":
        guess, ink = of_kind("guess"), theme.CHOSEN
        marks.append(guess.mark_point(shape="diamond", filled=True, size=110, color=ink, opacity=1).encode(x, y))
        for above, beside in enumerate(({"align": "left", "dx": 9}, {"align": "right", "dx": -9})):  # off the curve
            words = guess.transform_filter(f"datum.i === {above}").transform_calculate(ink="1")
            marks.append(words.mark_text(fontWeight="bold", **beside).encode(x, y, alt.Text("text:N"), INK))
    picture = layered(width, height, *marks, _title(name), checked=False)
    return picture | {"transform": CURVES}


def _axis(name: str, field: str) -> alt.Y:
    if name == "gradient":
        least = f"datum.value <= {FLOOR} ? '≤ {FLOOR}' : datum.label"
        axis = alt.Axis(values=[FLOOR, 0.01, 0.1, 1, 10], labelExpr=least, format="~g")
        return alt.Y(f"{field}:Q", scale=alt.Scale(type="log", domain=[FLOOR, CEILING], clamp=True, nice=False),
                     axis=axis, title=None)  # fmt: skip
    axis = alt.Axis(format="%" if name == "dead" else ".1f", tickCount=5)
    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=axis, title=None)


def _where_power(then: float, otherwise: float) -> Any:
    """One value for d_k^α, another for every other divisor."""
    return alt.when(f"datum.side === '{NAMES['power']}'").then(alt.value(then)).otherwise(alt.value(otherwise))


def _colour() -> alt.Color:
    scale = alt.Scale(domain=list(NAMES.values()), range=list(COLOURS.values()))
    return alt.Color("side:N", legend=None, scale=scale)


def _title(name: str) -> alt.Chart:
    return placed(of_kind(f"title_{name}"), 0 if name == "rows" else 8 - AXIS, -12, fontSize=13, fontWeight="bold")


# The numbers at the chosen d_k: a line a divisor, which is the legend too.


def told(layout: str) -> tuple[str, ...]:
    return _SHORT.get(layout, COLUMNS_OF_TEXT)


def _numbers(layout: str, lines: int) -> dict[str, Any]:
    at, size = STOPS_OF_TEXT[layout], 11 if layout == "phone" else 12
    y = alt.Y("line:Q", scale=alt.Scale(domain=[0, (lines + 1) * LINE], reverse=True, nice=False), axis=None)
    here = of_kind("curve").transform_filter("datum.d === dk").transform_calculate(
        line=f"datum.i * {LINE} + {1.5 * LINE}", ink="1",
        name="datum.a === null ? datum.side : replace(datum.side, 'α', format(alpha, '.2f'))",
    )  # fmt: skip
    colour = _colour()
    marks = [
        here.mark_point(filled=True, size=60, opacity=1, tooltip=None).encode(alt.XValue(5), y, colour),
        here.mark_text(align="left", fontSize=size).encode(alt.Text("name:N"), alt.XValue(14), y, INK),
    ]
    for x, what in zip(at[1:], told(layout), strict=False):
        field = f"t_{what}"
        text = here.transform_calculate(short=f"split(datum.{field}, ' (')[0]") if layout in _SHORT else here
        marks.append(text.mark_text(align="left", fontSize=size).encode(
            alt.Text("short:N" if layout in _SHORT else f"{field}:N"), alt.XValue(x), y, INK
        ))  # fmt: skip
    at_stop = of_kind("row").transform_filter("datum.n === log2_dk")
    heads = [(0, at_stop.transform_calculate(text="'d_k = ' + datum.d"))]
    heads += [(x, of_kind(f"head_{what}")) for x, what in zip(at[1:], told(layout), strict=False)]
    marks += [placed(chart, x, LINE // 2, fontSize=size, fontWeight="bold") for x, chart in heads]
    picture = layered(charts.ROOM[layout][0] - 20, (lines + 1) * LINE, *marks, checked=False)
    return picture | {"transform": CURVES}
