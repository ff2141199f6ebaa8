"""The bell of q·k at the d_k that a slider chooses, over the one that was asked about first, and the guess."""

from __future__ import annotations

from math import sqrt
from typing import Any

import altair as alt

from attention.experiment import DOUBLED, EDGES, WIDEST, reach
from ui import theme
from ui.charts import INK
from ui.variance_charts import COLOURS, layered, of_kind, placed, word

FIRST = DOUBLED[0]  #: the d_k before anything is guessed, which stays in grey
WIDTH = float(EDGES[1] - EDGES[0])
COLOUR, GREY = COLOURS["none"], "#6b7280"  #: on either, words are readable in both appearances
#: The axis follows d_k in steps so coarse that every one shows two doublings of the width.
REACH = " : ".join([*(f"dk <= {d_k} ? {reach(d_k):g}" for d_k in WIDEST[:-1]), f"{reach(WIDEST[-1]):g}"])
#: Just above the tallest bar: at small d_k the middle bars are taller than the bell's.
_TOP = "0.115 * (1 + 0.9 / dk)"
_DIFFERS = f"dk <= {WIDEST[0]}"  #: where the normal curve can be told from the exact steps


def bell(width: int, height: int, larger: float, *, answered: bool) -> dict[str, Any]:
    """Bars of the draws, what theory expects, and once it is answered what to compare them with: FIRST and a guess."""
    wide = alt.Scale(domain=[alt.expr("-reach"), alt.expr("reach")], nice=False)
    x = alt.X("x:Q", scale=wide, title=None, axis=alt.Axis(tickCount=5, grid=False))
    tall = alt.Scale(domain=[0, alt.expr(_TOP)], nice=False)
    y = alt.Y("share:Q", scale=tall, axis=alt.Axis(format="%", tickCount=3), title=None)
    expected, order = alt.Y("expected:Q", scale=tall, title=None), alt.Order("a:Q")
    dashes = _DIFFERS if answered else "true"  # where much else is drawn, only where they tell something
    bars, theory = _bars(x, y), _theory(x, expected, order, dashes)
    marks = [bars, *theory]
    if answered:
        marks = [bars, _ghost(x, y), *theory, *_guessed(x, expected, order), *_brackets(wide, height, larger)]
    return layered(width, height, *marks, *_written(width, height, larger, dashes))


def _chosen() -> alt.Chart:
    """What was drawn and what is expected at the chosen d_k, a row a bar."""
    return of_kind("bar").transform_filter("datum.d === dk").transform_calculate(**_stretched("sqrt(dk)"))


def _bars(x: alt.X, y: alt.Y) -> alt.Chart:
    """What was drawn."""
    tips = [alt.Tooltip("x:Q", format=".2f", title="≥"), alt.Tooltip("x2:Q", format=".2f", title="<"),
            alt.Tooltip("share:Q", format=".2%", title="%"),
            alt.Tooltip("expected:Q", format=".2%", title="∫")]  # fmt: skip
    bars = _chosen().mark_rect(clip=True, color=COLOUR, opacity=0.7)
    return bars.encode(x, y, alt.X2("x2:Q"), alt.Y2Datum(0), tooltip=tips)


def _theory(x: alt.X, expected: alt.Y, order: alt.Order, dashes: str) -> list[alt.Chart]:
    """The exact steps, and where `dashes` says so the normal curve."""
    normal = of_kind("normal").transform_filter(dashes).transform_calculate(**_stretched("sqrt(dk)"))
    lines = [_chosen().mark_line(clip=True, strokeWidth=1.5, interpolate="step-after"),
             normal.mark_line(clip=True, strokeWidth=1.5, strokeDash=[5, 4])]  # fmt: skip
    return [line.encode(x, expected, order, INK) for line in lines]


def _stretched(root: str) -> dict[str, str]:
    """From units of a bell's width to those of q·k."""
    return {"x": f"datum.a * {root}", "x2": f"(datum.a + {WIDTH}) * {root}", "ink": "1"}


def _ghost(x: alt.X, y: alt.Y) -> alt.Chart:
    """The bell that was asked about first: what the chosen one is compared with.

    (Without an order, by which Vega-Lite would cut an area into one for each bar.)
    """
    first = of_kind("bar").transform_filter(f"datum.d === {FIRST}").transform_calculate(**_stretched(f"{sqrt(FIRST)}"))
    area = first.mark_area(clip=True, interpolate="step-after", color=GREY, opacity=0.5, tooltip=None)
    return area.encode(x, y)


def _guessed(x: alt.X, expected: alt.Y, order: alt.Order) -> list[alt.Chart]:
    """How wide the bell would be if the guess were right; on white, to be seen on dark bars as well."""
    root = f"({sqrt(FIRST)} * pow(dk / {FIRST}, datum.y / 2))"
    bell = of_kind("guessed").transform_calculate(**_stretched(root))
    lines = [bell.mark_line(clip=True, strokeWidth=3.5, color=theme.PAPER, opacity=0.8),
             bell.mark_line(clip=True, strokeWidth=2.5, strokeDash=[8, 5], color=theme.CHOSEN)]  # fmt: skip
    return [line.encode(x, expected, order) for line in lines]


def _brackets(wide: alt.Scale, height: int, larger: float) -> list[alt.Chart]:
    """How wide the bell is, one deviation to both sides, and above that the same of FIRST."""
    x, at_end, middle = (alt.X(f"{field}:Q", scale=wide) for field in ("x", "where", "middle"))
    marks = list[alt.Chart]()
    for which, up in ((f"datum.d === {FIRST} && dk !== {FIRST}", 0.46), ("datum.d === dk", 0.2)):
        mine = of_kind("width").transform_filter(which).transform_calculate(
            x="-datum.y", x2="datum.y", ink="1",
            middle=f"{_DIFFERS} && datum.d === {FIRST} ? -0.43 * reach : 0",  # beside a bell that is much narrower
        )  # fmt: skip
        y, ends = round(height * (1 - up)), mine.transform_fold(["x", "x2"], as_=["end", "where"])
        marks += [
            mine.mark_rule(clip=True, strokeWidth=2).encode(x, alt.X2("x2:Q"), alt.YValue(y), INK),
            ends.mark_rule(clip=True, strokeWidth=2).encode(at_end, alt.YValue(y - 6), alt.Y2Value(y + 6), INK),
            *_haloed(mine, middle, y - round(9 * larger), round(12 * larger)),
        ]
    return marks


def _haloed(words: alt.Chart, x: alt.X, y: int, size: int) -> list[alt.Chart]:
    """Words over bars and lines, on a rim of what is behind the chart (Vega's signal `background`)."""
    paper, at = alt.expr("background"), (alt.Text("text:N"), x, alt.YValue(y))
    text = {"fontWeight": "bold", "fontSize": size, "clip": True}
    rim = words.mark_text(**text, fill=paper, stroke=paper, strokeWidth=5, strokeJoin="round", opacity=0.85)
    return [rim.encode(*at), words.mark_text(**text).encode(*at, INK)]


def _written(width: int, height: int, larger: float, dashed: str) -> list[alt.Chart]:
    """What is drawn, above it and in its corners."""
    def size(points: float) -> int:
        return round(points * larger)

    high = size(18 if height < 180 else 22)
    mine = of_kind("mine").mark_text(align="left", fontSize=size(13), fontWeight="bold", color=theme.CHOSEN)
    right = {"fontSize": size(11), "align": "right"}
    dashes = of_kind("dashes").transform_filter(dashed)
    return [
        word("title", "bell", 0, -size(26), fontSize=size(14), fontWeight="bold"),
        word("measured", "bell", 0, -size(9), fontSize=size(12)),
        word("far", "bell", 0, -size(9), fontSize=size(12)),
        word("stop", "bell", 6, size(14), fontSize=high, fontWeight="bold"),
        word("ghost", "bell", 6, size(34), fontSize=size(12)),
        mine.encode(alt.Text("text:N"), alt.XValue(6), alt.YValue(size(50))),
        *(word(kind, "bell", width - 2, size(10 + 14 * line), **right) for line, kind in enumerate(("bars", "steps"))),
        word("outside", "bell", width - 2, size(38), **right),
        placed(dashes, width - 2, size(52), **right),
        word("share", "bell", -56, height // 2, fontSize=size(12), align="center", angle=270, opacity=0.85),
    ]
