"""The charts of how q·k spreads: histograms with a slider for d_k, and the variance against d_k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attention import experiment
from attention.experiment import REACH, STOPS, Spread
from attention.saturation import SCALES, Saturation
from ui import theme
from ui.charts import INK
from ui.text import Text, in_both
from ui.variance_charts import (
    COLOURS,
    NAMES,
    TICKS,
    coloured,
    d_k_axis,
    layered,
    number,
    of_kind,
    page,
    titled,
    width_of,
    word,
)

SIDES = ("none", "sqrt")
SLIDER = "d_k = 2ⁿ,  n =\u00a0"
START = 6.0  #: the slider's first position: d_k = 2⁶ = 64
EDGE = float(experiment.EDGES[-1])
WIDTH = float(experiment.EDGES[1] - experiment.EDGES[0])
BARS = ("kind", "side", "d", "a", "none", "sqrt", "text")
POINTS = ("kind", "side", "d", "y", "low", "high")

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
        none, sqrt = (saturation.examples[s, SCALES.index(side)] for side in SIDES)
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
    width = width_of(layout, columns, axis=70)
    sides = [_side(side, width, layout == "phone") for side in SIDES]
    same = in_both("same_axis", "variance_spread") + "\u00a0"
    exponent = {"input": "range", "min": 0, "max": 12, "step": 0.5, "name": SLIDER}
    params = [
        {"name": "log2_dk", "value": START, "bind": exponent},
        {"name": "dk", "expr": "round(pow(2, log2_dk))"},
        {"name": "same", "value": True, "bind": {"input": "checkbox", "name": same}},
    ]
    return page(sides, columns, in_both("spread_alt", "variance_spread")) | {"params": params}


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
    bars = of_kind("bar").transform_filter("datum.d === dk").transform_calculate(**stretched).mark_rect(
        clip=True, color=COLOURS[side], opacity=0.75
    ).encode(x, y, alt.X2("x2:Q"), alt.Y2Datum(0), tooltip=tips)  # fmt: skip
    theory = of_kind("theory").transform_calculate(**stretched, ink="1").mark_line(
        clip=True, strokeWidth=2
    ).encode(x, y, alt.Order("a:Q"), INK)  # fmt: skip
    words = [
        word("title", side, 0, -26, fontSize=14, fontWeight="bold"),
        word("measured", side, 0, -9, fontSize=12),
        word("stop", side, 6, 12, fontSize=18 if height < 150 else 22, fontWeight="bold"),
        word("outside", side, width - 2, 8, fontSize=11, align="right"),
        word("share", side, -56, height // 2, fontSize=12, align="center", angle=270, opacity=0.85),
    ]
    return layered(width, height, bars, theory, *words)


def _weights(side: str, width: int, height: int) -> dict[str, Any]:
    chosen = of_kind("weight").transform_filter("datum.d === dk").transform_calculate(b="datum.a + 1")
    x = alt.X("a:Q", scale=alt.Scale(domain=[-0.5, 26.5], nice=False), axis=None)
    ends = alt.Axis(values=[0, 1], format="d")
    y = alt.Y(f"{side}:Q", scale=alt.Scale(domain=[0, 1]), title=None, axis=ends)
    ramp = alt.Scale(domain=[0, 1], range=list(theme.WEIGHTS), interpolate="rgb")
    bars = chosen.mark_rect(stroke=theme.MASKED_STROKE, strokeWidth=1).encode(
        x, y, alt.X2("b:Q"), alt.Y2Datum(0), alt.Color(f"{side}:Q", scale=ramp, legend=None),
        tooltip=alt.Tooltip(f"{side}:Q", format=".4f", title="softmax"),
    )  # fmt: skip
    return layered(width, height, bars, word("rows", side, 0, -7, fontSize=12))


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
    width = min(width_of(layout, columns, axis=72), 520)
    log = alt.Scale(type="log", domain=[0.7, 6000], nice=False)
    both = _measured(width, log, alt.Axis(values=TICKS, format=",d"), SIDES, text)
    magnified = alt.Scale(domain=[0.8, 1.2], nice=False, clamp=True)
    flat = _measured(width, magnified, alt.Axis(format=".2f", tickCount=5), SIDES[1:], text)
    views = [both | titled("title_both", text), flat | titled("title_flat", text)]
    return page(views, columns, text("variance_alt"))


def _measured(
    width: int, scale: alt.Scale, axis: alt.Axis, sides: Sequence[str], text: Text
) -> dict[str, Any]:  # fmt: skip
    shown = f"indexof({[NAMES[side] for side in sides]}, datum.side) >= 0"
    x, colour = d_k_axis(), coloured(SIDES)
    y = alt.Y("y:Q", scale=scale, axis=axis, title=text("axis_variance"))
    tips = [alt.Tooltip("side:N", title=text("tip_what")), alt.Tooltip("d:Q", title="d_k"),
            alt.Tooltip("y:Q", format=",.4~f", title=text("tip_variance")),
            alt.Tooltip("low:Q", format=",.4~f", title=text("tip_low")),
            alt.Tooltip("high:Q", format=",.4~f", title=text("tip_high"))]  # fmt: skip
    measured = alt.Chart().transform_filter(f"datum.kind === 'measured' && {shown}")
    theory = alt.Chart().transform_filter(f"datum.kind === 'theory' && {shown}")
    return layered(
        width, 220,
        theory.mark_line(strokeWidth=1.5, clip=True).encode(x, y, colour),
        measured.mark_rule(strokeWidth=2).encode(x, alt.Y("low:Q", scale=scale), alt.Y2("high:Q"), colour),
        measured.mark_point(filled=True, size=34, opacity=1).encode(x, y, colour, tooltip=tips),
        share_colour=True,
    )  # fmt: skip
