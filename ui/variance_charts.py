"""The variance page's charts: a constant spec a layout, and a tidy frame with every number.

The browser picks what belongs to the d_k of the slider: all stops travel once, and dragging sends no message.
The words beside the slider travel as data, so that neither another draw nor another language moves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attention import experiment
from attention.experiment import REACH, STOPS, Saturation, Spread
from ui import charts, theme
from ui.charts import INK
from ui.text import Text, in_both

#: what the scores are divided by → its name, the same in every language, and its colour
NAMES = {"none": "q·k", "sqrt": "q·k ÷ √d_k", "linear": "q·k ÷ d_k"}
COLOURS = {"none": "#a8741a", "sqrt": "#7a5fd0", "linear": "#7d8395"}
SIDES = ("none", "sqrt")

SLIDER = "d_k = 2ⁿ,  n =\u00a0"
START = 6.0  #: the slider's first position: d_k = 2⁶ = 64
EDGE = float(experiment.EDGES[-1])
WIDTH = float(experiment.EDGES[1] - experiment.EDGES[0])
TICKS = [1, 4, 16, 64, 256, 1024, 4096]
BARS = ("kind", "side", "d", "a", "none", "sqrt", "text")
POINTS = ("kind", "side", "d", "y", "low", "high")

SPACING = 24  #: pixels between charts side by side

_STRETCH = {"none": "sqrt(dk)", "sqrt": "1"}
#: Just above the tallest bar: at small d_k the middle bars are taller than the bell's.
_TOP = "0.115 * (1 + 0.9 / dk)"


# Histograms and the weights below them.


def spread_frame(spread: Spread, saturation: Saturation, text: Text) -> pd.DataFrame:
    """Bars, theory, weights and words of every stop; the words in the reader's language."""
    records = [*_bar_records(spread), *_theory_records(), *_weight_records(saturation)]
    return pd.DataFrame.from_records(records + list(_word_records(spread, text)), columns=list(BARS))


def _bar_records(spread: Spread) -> Iterator[tuple[Any, ...]]:
    """Shares of the draws, bar by bar, in units of √d_k: the same for q·k and q·k/√d_k."""
    shares = spread.counts / spread.draws
    for s, d_k in enumerate(spread.d_k):
        for a, share in zip(spread.edges[:-1], shares[s], strict=True):
            yield "bar", None, d_k, float(a), float(share), float(share), None


def _theory_records() -> Iterator[tuple[Any, ...]]:
    """What N(0, 1) expects of a bar around each point."""
    z = np.linspace(-EDGE, EDGE, 91)
    shares = experiment.normal_density(z) * WIDTH
    for a, share in zip(z, shares, strict=True):
        yield "theory", None, None, float(a), float(share), float(share), None


def _weight_records(saturation: Saturation) -> Iterator[tuple[Any, ...]]:
    """A row of weights after the other, a bar's room between them; for q·k and for q·k/√d_k."""
    for s, d_k in enumerate(saturation.d_k):
        none, sqrt = (saturation.examples[s, experiment.SCALES.index(side)] for side in SIDES)
        for row, key in np.ndindex(none.shape):
            at = float(row * (none.shape[1] + 1) + key)
            yield "weight", None, d_k, at, float(none[row, key]), float(sqrt[row, key]), None


def _word_records(spread: Spread, text: Text) -> Iterator[tuple[Any, ...]]:
    for side in SIDES:
        yield "title", side, None, None, None, None, text(f"title_{side}")
        yield "rows", side, None, None, None, None, text("title_rows")
        yield "share", side, None, None, None, None, text("axis_share")
    for s, d_k in enumerate(spread.d_k):
        yield "stop", None, d_k, None, None, None, f"d_k = {d_k}"
        for side in SIDES:
            over = d_k if side == "sqrt" else 1
            measured, low, high = (number(x[s] / over) for x in (spread.variance, spread.low, spread.high))
            words = text("measured", variance=measured, low=low, high=high, theory=number(d_k / over))
            yield "measured", side, d_k, None, None, None, words
            outside = int((spread.beyond if side == "none" else spread.outside)[s])
            if outside:
                yield "outside", side, d_k, None, None, None, text("outside", count=f"{outside:,}")


@lru_cache(maxsize=16)
def spread_spec(layout: str) -> dict[str, Any]:
    """Two histograms over two rows of weights, and the slider that moves all four."""
    columns = 2 if layout in {"xl", "wide"} else 1
    width = _width(layout, columns, axis=70)
    sides = [_side(side, width, layout == "phone") for side in SIDES]
    same = in_both("same_axis", "variance") + "\u00a0"
    exponent = {"input": "range", "min": 0, "max": 12, "step": 0.5, "name": SLIDER}
    params = [
        {"name": "log2_dk", "value": START, "bind": exponent},
        {"name": "dk", "expr": "round(pow(2, log2_dk))"},
        {"name": "same", "value": True, "bind": {"input": "checkbox", "name": same}},
    ]
    return _page(sides, columns, in_both("spread_alt", "variance")) | {"params": params}


def _side(side: str, width: int, small: bool) -> dict[str, Any]:
    tall, low = (104, 40) if small else (176, 56)
    histogram, weights = _histogram(side, width, tall), _weights(side, width, low)
    return {"vconcat": [histogram, weights], "spacing": 10 if small else 12}


def _histogram(side: str, width: int, height: int) -> dict[str, Any]:
    reach = str(REACH) if side == "none" else f"same ? {REACH} : {EDGE}"
    wide = alt.Scale(domain=[alt.expr(f"-({reach})"), alt.expr(reach)], nice=False)
    x = alt.X("x:Q", scale=wide, title=None, axis=alt.Axis(tickCount=5, grid=False))
    y = alt.Y(f"{side}:Q", scale=alt.Scale(domain=[0, alt.expr(_TOP)], nice=False),
              axis=alt.Axis(format="%", tickCount=3), title=None)  # fmt: skip
    by = _STRETCH[side]
    stretched = {"x": f"datum.a * {by}", "x2": f"(datum.a + {WIDTH}) * {by}"}
    tips = [alt.Tooltip("x:Q", format=".2f", title="≥"), alt.Tooltip("x2:Q", format=".2f", title="<"),
            alt.Tooltip(f"{side}:Q", format=".2%", title="%")]  # fmt: skip
    bars = _of("bar").transform_filter("datum.d === dk").transform_calculate(**stretched).mark_rect(
        clip=True, color=COLOURS[side], opacity=0.75
    ).encode(x, y, alt.X2("x2:Q"), alt.Y2Datum(0), tooltip=tips)  # fmt: skip
    theory = _of("theory").transform_calculate(**stretched, ink="1").mark_line(
        clip=True, strokeWidth=2
    ).encode(x, y, alt.Order("a:Q"), INK)  # fmt: skip
    words = [
        _word("title", side, 0, -26, fontSize=14, fontWeight="bold"),
        _word("measured", side, 0, -9, fontSize=12),
        _word("stop", side, 6, 12, fontSize=18 if height < 150 else 22, fontWeight="bold"),
        _word("outside", side, width - 2, 8, fontSize=11, align="right"),
        _word("share", side, -56, height // 2, fontSize=12, align="center", angle=270, opacity=0.85),
    ]
    return _layers(width, height, bars, theory, *words)


def _weights(side: str, width: int, height: int) -> dict[str, Any]:
    chosen = _of("weight").transform_filter("datum.d === dk").transform_calculate(b="datum.a + 1")
    x = alt.X("a:Q", scale=alt.Scale(domain=[-0.5, 26.5], nice=False), axis=None)
    ends = alt.Axis(values=[0, 1], format="d")
    y = alt.Y(f"{side}:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=ends)
    ramp = alt.Scale(domain=[0, 1], range=list(theme.WEIGHTS), interpolate="rgb")
    bars = chosen.mark_rect(stroke=theme.MASKED_STROKE, strokeWidth=1).encode(
        x, y, alt.X2("b:Q"), alt.Y2Datum(0), alt.Color(f"{side}:Q", scale=ramp, legend=None),
        tooltip=alt.Tooltip(f"{side}:Q", format=".4f", title="softmax"),
    )  # fmt: skip
    return _layers(width, height, bars, _word("rows", side, 0, -7, fontSize=12))


def _of(kind: str) -> alt.Chart:
    """The rows of one kind. A filter of its own, which Vega evaluates once: what follows the slider sees few rows."""
    return alt.Chart().transform_filter(f"datum.kind === '{kind}'")


def _word(kind: str, side: str, x: int, y: int, **mark: Any) -> alt.Chart:
    """Words at a fixed place, in the theme's ink; those of a stop follow the slider."""
    mine = f"datum.kind === '{kind}' && (datum.side === null || datum.side === '{side}')"
    chosen = alt.Chart().transform_filter(mine)
    if kind in {"stop", "measured", "outside"}:
        chosen = chosen.transform_filter("datum.d === dk")
    return chosen.transform_calculate(ink="1").mark_text(**{"align": "left", **mark}).encode(
        alt.Text("text:N"), alt.XValue(x), alt.YValue(y), INK
    )  # fmt: skip


# Variance against d_k.


def variance_frame(spread: Spread) -> pd.DataFrame:
    """Measured variances with their intervals, raw and scaled, and the two theoretical lines."""
    records: list[tuple[Any, ...]] = []
    for s, d_k in enumerate(spread.d_k):
        for side, over in (("none", 1), ("sqrt", d_k)):
            measured = (float(x[s]) / over for x in (spread.variance, spread.low, spread.high))
            records.append(("measured", NAMES[side], d_k, *measured))
    for d_k in (STOPS[0], STOPS[-1]):
        records.append(("theory", NAMES["none"], d_k, d_k, None, None))
        records.append(("theory", NAMES["sqrt"], d_k, 1.0, None, None))
    return pd.DataFrame.from_records(records, columns=list(POINTS))


@lru_cache(maxsize=16)
def variance_spec(layout: str, text: Text) -> dict[str, Any]:
    """Log–log: Var = d_k rises, 1 stays; and the flat one again, magnified until intervals can be seen."""
    columns = 2 if layout in {"xl", "wide"} else 1
    width = min(_width(layout, columns, axis=72), 520)
    log = alt.Scale(type="log", domain=[0.7, 6000], nice=False)
    both = _measured(width, log, alt.Axis(values=TICKS, format=",d"), SIDES, text)
    magnified = alt.Scale(domain=[0.8, 1.2], nice=False, clamp=True)
    flat = _measured(width, magnified, alt.Axis(format=".2f", tickCount=5), SIDES[1:], text)
    views = [both | _title("title_both", text), flat | _title("title_flat", text)]
    return _page(views, columns, text("variance_alt"))


def _measured(
    width: int, scale: alt.Scale, axis: alt.Axis, sides: Sequence[str], text: Text
) -> dict[str, Any]:  # fmt: skip
    shown = f"indexof({[NAMES[side] for side in sides]}, datum.side) >= 0"
    x, colour = _d_k_axis(), _colour(SIDES)
    y = alt.Y("y:Q", scale=scale, axis=axis, title=text("axis_variance"))
    tips = [alt.Tooltip("side:N", title=text("tip_what")), alt.Tooltip("d:Q", title="d_k"),
            alt.Tooltip("y:Q", format=",.4~f", title=text("tip_variance")),
            alt.Tooltip("low:Q", format=",.4~f", title=text("tip_low")),
            alt.Tooltip("high:Q", format=",.4~f", title=text("tip_high"))]  # fmt: skip
    measured = alt.Chart().transform_filter(f"datum.kind === 'measured' && {shown}")
    theory = alt.Chart().transform_filter(f"datum.kind === 'theory' && {shown}")
    return _layers(
        width, 220,
        theory.mark_line(strokeWidth=1.5, clip=True).encode(x, y, colour),
        measured.mark_rule(strokeWidth=2).encode(x, alt.Y("low:Q", scale=scale), alt.Y2("high:Q"), colour),
        measured.mark_point(filled=True, size=34, opacity=1).encode(x, y, colour, tooltip=tips),
        share_colour=True,
    )  # fmt: skip


# Softmax and its gradient against d_k.

MEASURES = ("entropy", "dead", "median", "mean")


def saturation_frame(saturation: Saturation) -> pd.DataFrame:
    """Entropy, dead rows and gradients: a row a stop and divisor."""
    records = [
        (NAMES[scale], d_k, *(float(getattr(saturation, name)[s, which]) for name in MEASURES))
        for s, d_k in enumerate(saturation.d_k)
        for which, scale in enumerate(experiment.SCALES)
    ]
    return pd.DataFrame.from_records(records, columns=["side", "d", *MEASURES])


@lru_cache(maxsize=16)
def saturation_spec(layout: str, text: Text) -> dict[str, Any]:
    """Three panels: entropy, the share of dead rows, and the gradient's median and mean."""
    columns = {"xl": 3, "wide": 3, "medium": 2}.get(layout, 1)
    width = min(_width(layout, columns, axis=50), 360)
    panels = [_panel(name, width, text) for name in ("entropy", "dead", "gradient")]
    return _page(panels, columns, text("saturation_alt"))


def _panel(name: str, width: int, text: Text) -> dict[str, Any]:
    axis = alt.Axis(format="%", tickCount=5) if name == "dead" else alt.Axis(format=".1f", tickCount=5)
    scale = alt.Scale(domain=[0, 1.8 if name == "gradient" else 1], nice=False)
    layers = []
    for field in ("median", "mean") if name == "gradient" else (name,):
        y = alt.Y(f"{field}:Q", scale=scale, axis=axis, title=None)
        line = alt.Chart().encode(_d_k_axis(), y, _colour(tuple(NAMES)))
        tips = [alt.Tooltip("side:N", title=text("tip_what")), alt.Tooltip("d:Q", title="d_k"),
                alt.Tooltip(f"{field}:Q", format=".3~g", title=text(f"tip_{field}"))]  # fmt: skip
        full = field != "mean"
        layers.append(line.mark_line(strokeDash=[1, 0] if full else [4, 4], strokeWidth=2 if full else 1))
        layers.append(line.mark_point(filled=full, size=26, opacity=1).encode(tooltip=tips))
    return _layers(width, 190, *layers, share_colour=True) | _title(f"title_{name}", text)


# What the specs are put together from. Altair checks each mark. Nested in Altair too, they would be checked
# and copied again at every level, and the first visitor would hold up the others for a second. For the
# same reason no channel is given as a bare string: making one from that costs 9 ms.


def _layers(width: int, height: int, *marks: alt.Chart, share_colour: bool = False) -> dict[str, Any]:
    """Marks over one another."""
    checked = map(charts.without_data, marks)
    layers = [{k: v for k, v in each.items() if k not in {"$schema", "config"}} for each in checked]
    resolve = {} if share_colour else {"resolve": {"scale": {"color": "independent"}}}
    return {"width": width, "height": height, "layer": layers} | resolve


def _page(views: list[dict[str, Any]], columns: int, description: str) -> dict[str, Any]:
    """Views side by side, as a whole spec."""
    return {"$schema": alt.SCHEMA_URL, "config": {"view": {"stroke": None}}, "description": description,
            "concat": views, "columns": columns, "spacing": SPACING}  # fmt: skip


def _d_k_axis() -> alt.X:
    scale = alt.Scale(type="log", domain=[0.8, 5200], nice=False)
    return alt.X("d:Q", scale=scale, axis=alt.Axis(values=TICKS, format="d", grid=False), title="d_k")


def _width(layout: str, columns: int, axis: int) -> int:
    """The width of each of so many plots side by side, when `axis` pixels to their left are for the axis."""
    return (charts.ROOM[layout][0] - (columns - 1) * SPACING) // columns - axis


def _title(id: str, text: Text) -> dict[str, Any]:
    return {"title": {"text": text(id), "anchor": "start", "frame": "group", "offset": 12}}


def _colour(sides: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=[NAMES[side] for side in sides], range=[COLOURS[side] for side in sides])
    return alt.Color("side:N", scale=scale, legend=alt.Legend(orient="bottom", title=None))


def number(x: float) -> str:
    """A variance or a gradient as a reader sees it: about three digits, never an exponent.

    >>> number(4063.2), number(63.64), number(0.98), number(0.0019), number(2e-11)
    ('4,063', '63.6', '0.98', '0.002', '≈0')
    """
    if x and abs(x) < 5e-4:
        return "≈0"
    decimals = 0 if abs(x) >= 1000 else 1 if abs(x) >= 10 else 2 if abs(x) >= 0.1 else 3
    return f"{x:,.{decimals}f}"
