"""The charts of the divisors, as one spec: what is dragged in it moves all of them, and asks no server.

Panels, each a histogram over the weights that the same three queries give: by the power that is dragged, undivided, and
by another divisor; once it is found, by √d_k too, and below them the spread and the entropy against d_k. The weights
are computed in the browser, from the scores.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import altair as alt

from ui import charts, theme
from ui.charts import INK
from ui.text import in_both
from ui.variance_charts import COLOURS, TICKS, alpha_slider, d_k_slider, is_wide, layered, of_kind, page
from ui.variance_divisors_frame import OPEN, OUTLINED, SIDES, WIDTH

CLOSE = {"grid": False, "labelPadding": 4}  #: an axis of which the labels keep near
REACH = 6  #: how far to both sides of 0 a histogram goes
TOP = 0.125  #: the share of scores at its top
FLOOR, CEILING = 0.001, 100  #: of the axis of standard deviations
MARGIN = 52  #: pixels around the whole
START_ALPHA, START = 0.25, 6  #: at first d_k = 2⁶ = 64

#: how wide a panel makes one standard unit of q·k, and what it makes of a score
_STRETCH = {"none": "sqrt(datum.d)", "sqrt": "1", "power": "pow(datum.d, 0.5 - alpha)", "other": "datum.low"}
_DIVIDED = {"none": "datum.y", "sqrt": "datum.y / sqrt(datum.d)", "power": "datum.y / pow(datum.d, alpha)",
            "other": "datum.other"}  # fmt: skip
_DRAGGED = "datum.i === step"
_NOW = "datum.d === dk"


@lru_cache(maxsize=16)
def spec(layout: str, answered: bool) -> dict[str, Any]:
    """The panels, and once the question is answered two curves; with sliders for α and d_k."""
    room, small, sides = charts.ROOM[layout][0] - MARGIN, layout == "phone", SIDES if answered else OPEN
    columns = len(sides) if is_wide(layout) else 2
    gap, (tall, low) = 10 if small else 22, (66, 30) if columns == 2 else (110, 44) if layout == "xl" else (84, 34)
    width = (room - (columns - 1) * gap) // columns
    panels = [_panel(side, width, tall, low, small, first=side == sides[0]) for side in sides]
    rows = [{"hconcat": panels[i : i + columns], "spacing": gap} for i in range(0, len(sides), columns)]
    if answered:
        wide = (room - gap) // 2 - 34
        curves = [_curve(kind, wide, 78 if columns == 2 else tall - 14, columns == 2) for kind in ("spread", "entropy")]
        rows.append({"hconcat": curves, "spacing": gap})
    whole = page([], 1, in_both("alt" if answered else "open_alt", "variance_divisors")) | sliders()
    del whole["concat"], whole["columns"]
    return whole | {"vconcat": rows, "spacing": 12}


def sliders(alpha: float | None = None) -> dict[str, Any]:
    """The spec's parameters: where α begins, and d_k."""
    start = START_ALPHA if alpha is None else alpha
    return {"params": [*alpha_slider(start), *d_k_slider(START, least=2, step=1)]}


def _colour(channel: Any = alt.Color) -> Any:
    return channel("who:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())), legend=None)


def _panel(side: str, width: int, tall: int, low: int, small: bool, *, first: bool) -> dict[str, Any]:
    return {"vconcat": [_histogram(side, width, tall, small, first), _weights(side, width, low, small)], "spacing": 14}


def _histogram(side: str, width: int, height: int, small: bool, first: bool) -> dict[str, Any]:
    """The bars of the chosen d_k, and the outlines of others."""
    share = "other" if side == "other" else "y"
    wide = alt.Scale(domain=[-REACH, REACH], nice=False)
    x = alt.X("x:Q", scale=wide, title=None, axis=alt.Axis(values=[-4, 0, 4], format="d", **CLOSE))
    y = alt.Y(f"{share}:Q", scale=alt.Scale(domain=[0, TOP], nice=False), axis=None)
    by = _STRETCH[side]
    stretched = {"x": f"datum.a * ({by})", "x2": f"(datum.a + {WIDTH}) * ({by})",
                 "middle": f"(datum.a + {WIDTH / 2}) * ({by})"}  # fmt: skip
    if side != "other":
        stretched["who"] = f"'{side}'"
    tips = [alt.Tooltip("d:Q", title="d_k"), alt.Tooltip("x:Q", format=".3~g", title="≥"),
            alt.Tooltip("x2:Q", format=".3~g", title="<"), alt.Tooltip(f"{share}:Q", format=".2%", title="%")]
    # The stroke is what can be seen of a bar that is narrower than a pixel.
    bars = of_kind("bar").transform_filter(_NOW).transform_calculate(**stretched).mark_rect(
        clip=True, opacity=0.55, strokeWidth=0.6
    ).encode(x, y, alt.X2("x2:Q"), alt.Y2Datum(0), _colour(alt.Fill), _colour(alt.Stroke), tooltip=tips)
    shown = of_kind("bar").transform_filter(f"indexof({list(OUTLINED)}, datum.d) >= 0")
    outlines = shown.transform_calculate(**stretched, ink="1").mark_line(
        clip=True, strokeWidth=1, opacity=0.5, tooltip=None
    ).encode(alt.X("middle:Q", scale=wide), y, INK, alt.Detail("d:Q"), alt.Order("a:Q"))
    return layered(width, height, bars, outlines, *_titles(side, small, first))


def _titles(side: str, small: bool, first: bool) -> list[alt.Chart]:
    """What a panel divides by and what comes of it, and before all of them the chosen d_k."""
    title, size = "'q·k ÷ d_k^' + format(alpha, '.2f')" if side == "power" else "datum.text", 12 if small else 14
    marks = [_word("title", side, -22, text=title, fontSize=size, fontWeight="bold"),
             _word("spread_word", side, -7, text=_short(small), fontSize=11)]  # fmt: skip
    return [*marks, _word("stop", None, -40, fontSize=size, fontWeight="bold")] if first else marks


def _short(small: bool) -> str:
    """An estimate, on a phone without its interval."""
    return "split(datum.text, ' (')[0]" if small else "datum.text"


def _word(kind: str, side: str | None, y: float, text: str = "datum.text", **mark: Any) -> alt.Chart:
    """Words at a fixed place, in the theme's ink; those of a d_k or an α follow the sliders."""
    mine = of_kind(kind) if side is None else of_kind(kind).transform_filter(f"datum.side === '{side}'")
    if kind in {"stop", "spread_word", "entropy_word"}:
        mine = mine.transform_filter(f"{_NOW} && {_DRAGGED}" if side == "power" else _NOW)
    return mine.transform_calculate(ink="1").mark_text(**{"align": "left", "text": {"expr": text}, **mark}).encode(
        alt.XValue(0), alt.YValue(y), INK
    )  # fmt: skip


def _weights(side: str, width: int, height: int, small: bool) -> dict[str, Any]:
    """Softmax of the scores of three queries: exp(s − max s) over its sum, row by row."""
    chosen = of_kind("score").transform_filter(_NOW).transform_calculate(b="datum.a + 0.88", s=_DIVIDED[side])
    chosen = chosen.transform_joinaggregate(most="max(s)", groupby=["i"])
    chosen = chosen.transform_calculate(e="exp(datum.s - datum.most)")
    chosen = chosen.transform_joinaggregate(sum="sum(e)", groupby=["i"]).transform_calculate(p="datum.e / datum.sum")
    x = alt.X("a:Q", scale=alt.Scale(domain=[-0.3, 26.3], nice=False), axis=None)
    y = alt.Y("p:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    tips = [alt.Tooltip("s:Q", format=".4~g", title="score"), alt.Tooltip("p:Q", format=".4f", title="softmax")]
    bars = chosen.mark_rect(color=theme.WEIGHT, stroke=theme.WEIGHT, strokeWidth=0.8).encode(
        x, y, alt.X2("b:Q"), alt.Y2Datum(0), tooltip=tips
    )
    said = [_word("weights_word", None, -19, fontSize=11),
            _word("entropy_word", side, -6, text=_short(small), fontSize=11)]  # fmt: skip
    return layered(width, height, bars, *said)


def _curve(kind: str, width: int, height: int, small: bool) -> dict[str, Any]:
    """The spread or the entropy against d_k: a line a panel, a rule at the chosen d_k."""
    x = alt.X("d:Q", title=None, scale=alt.Scale(type="log", base=2, domain=[3.4, 4800], nice=False),
              axis=alt.Axis(values=TICKS[1::2] if small else TICKS[1:], format="d", **CLOSE))  # fmt: skip
    # (Fields of their own: what is written over is read again when α changes, and would be divided once more.)
    by = "pow(datum.d, alpha)" if kind == "spread" else "1"
    dragged = of_kind(f"power_{kind}") if kind == "spread" else of_kind(f"power_{kind}").transform_filter(_DRAGGED)
    dragged = dragged.transform_calculate(**{f"{name}_now": f"datum.{name} / {by}" for name in ("y", "low", "high")})
    at = of_kind("stop").transform_filter(_NOW).transform_calculate(ink="1").mark_rule(opacity=0.35).encode(x, INK)
    heading = of_kind("heading").transform_filter(f"datum.side === '{kind}'").transform_calculate(ink="1").mark_text(
        align="left", fontSize=12 if small else 13, fontWeight="bold", text={"expr": "datum.text"}
    ).encode(alt.XValue(-24), alt.YValue(-38 if small else -27), INK)  # fmt: skip
    lines = [*_lines(kind, of_kind(kind), "", 1.6, x), *_lines(kind, dragged, "_now", 2.6, x)]
    return layered(width, height, at, *lines, heading, *_keys(width, small), share_colour=False)


def _vertical(kind: str, field: str) -> alt.Y:
    """Standard deviations below the axis stand at its end."""
    if kind == "entropy":
        scale, axis = alt.Scale(domain=[0, 1.03], nice=False), {"values": [0, 0.5, 1], "format": "~g"}
    else:
        scale = alt.Scale(type="log", domain=[FLOOR, CEILING], clamp=True, nice=False)
        least = f"datum.value <= {FLOOR} ? '≤ {FLOOR}' : datum.label"
        axis = {"values": [FLOOR, 0.1, 10], "format": "~g", "labelExpr": least}
    return alt.Y(f"{field}:Q", scale=scale, axis=alt.Axis(**axis, grid=True, gridOpacity=0.4), title=None)


def _lines(kind: str, source: alt.Chart, now: str, thick: float, x: alt.X) -> list[alt.Chart]:
    """Estimates, their intervals, and the line through them."""
    y, low = _vertical(kind, f"y{now}"), _vertical(kind, f"low{now}")
    told = (("y", "●"), ("low", "95% ≥"), ("high", "95% ≤"))
    tips = [alt.Tooltip("d:Q", title="d_k"),
            *(alt.Tooltip(f"{name}{now}:Q", format=".4~g", title=title) for name, title in told)]  # fmt: skip
    below = alt.when(f"datum.y{now} < {FLOOR if kind == 'spread' else 0}")  # an arrow where it is below the axis
    return [
        source.mark_line(strokeWidth=thick).encode(x, y, _colour()),
        source.mark_rule(strokeWidth=1.5).encode(x, low, alt.Y2(f"high{now}:Q"), _colour()),
        source.mark_point(filled=True, opacity=1).encode(
            x, y, _colour(), shape=below.then(alt.value("triangle-down")).otherwise(alt.value("circle")),
            size=below.then(alt.value(70)).otherwise(alt.value(18)), tooltip=tips,
        ),
    ]


def _keys(width: int, small: bool) -> list[alt.Chart]:
    """Which colour is which divisor."""
    across = 2 if small else 4
    x = f"datum.a % {across} * {(width + 24) / across} - 24"
    y = alt.YValue({"expr": f"floor(datum.a / {across}) * 12 - {23 if small else 11}"})
    keys = of_kind("key").transform_calculate(ink="1")
    words = "datum.side === 'power' ? '÷ d_k^' + format(alpha, '.2f') : datum.text"
    return [
        keys.mark_point(shape="square", filled=True, size=50, opacity=1).encode(
            alt.XValue({"expr": x}), y, _colour()
        ),
        keys.mark_text(align="left", fontSize=10 if small else 11, text={"expr": words}).encode(
            alt.XValue({"expr": f"{x} + 9"}), y, INK
        ),
    ]  # fmt: skip
