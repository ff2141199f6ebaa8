"""The charts of how q·k spreads: a bell whose d_k a slider chooses, and the variance against d_k."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import sqrt
from typing import Any

import altair as alt
import numpy as np

from attention.assumptions import Components
from attention.distributions import exact_cdf, normal_cdf
from attention.experiment import EDGES, REACH, Spread
from ui import theme
from ui.charts import INK
from ui.text import Text, in_both
from ui.variance_charts import (
    COLOURS,
    TICKS,
    d_k_axis,
    d_k_slider,
    estimated,
    frame_of,
    layered,
    of_kind,
    page,
    percent,
    width_of,
    word,
)

START = 6  #: the slider's first position: d_k = 2⁶ = 64
FIRST = 2**START  #: the d_k that is shown before anything is guessed
NARROW = 40.0  #: how far to both sides that picture goes
FAR = 10  #: of the pairs shown there, so far from 0 a share is told; no simple multiple of their deviation
EDGE = float(EDGES[-1])
WIDTH = float(EDGES[1] - EDGES[0])
FIELDS = ("kind", "side", "d", "y", "low", "high", "a", "share", "expected", "text")

#: what can be guessed → p in Var = d_k^p, and where "your guess" stands beside that line
GUESSES = {"same": (0.0, 64, 1.8), "root": (0.5, 100, 4.5), "double": (1.0, 60, 20), "square": (2.0, 22, 220)}
COLOUR = COLOURS["none"]
#: Just above the tallest bar: at small d_k the middle bars are taller than the bell's.
_TOP = "0.115 * (1 + 0.9 / dk)"


@lru_cache(maxsize=32)
def frame(spread: Spread, text: Text, guess: str) -> Any:
    """Bars and points of every stop, the theory, the guess as a line, and the words in the reader's language."""
    records = [*_bars(spread), *_normal(), *_points(spread), *_guess(guess, text), *_words(spread, text)]
    return frame_of(records, FIELDS)


@lru_cache(maxsize=32)
def first_frame(spread: Spread, text: Text) -> Any:
    """The bell at one d_k, without its variance: that is asked for."""
    records = [each for each in (*_bars(spread), *_normal()) if each["kind"] == "normal" or each["d"] == FIRST]
    said = text("far", share=percent(far(spread)), far=FAR)
    words = [*_bell_words(spread, text), _said("stop", f"d_k = {FIRST}", FIRST), _said("far", said, FIRST)]
    return frame_of([*records, *words], FIELDS)


def far(spread: Spread) -> float:
    """The share of the products at FIRST that lie farther than FAR from 0."""
    inside = np.abs(EDGES) * sqrt(FIRST) <= FAR
    return float(1 - spread.counts[spread.d_k.index(FIRST)][inside[:-1] & inside[1:]].sum() / spread.draws)


@lru_cache(maxsize=64)
def expected_shares(d_k: int) -> np.ndarray:
    """Which share of the products theory expects between each two EDGES, exactly; they lie as far above 0 as below."""
    above = EDGES[EDGES >= 0]
    shares = np.diff(exact_cdf(Components(), d_k, above * sqrt(d_k)))
    return np.concatenate([shares[::-1], shares])


def _bars(spread: Spread) -> Iterator[dict[str, Any]]:
    """Shares of the draws, bar by bar, in units of √d_k, and what theory expects exactly."""
    for s, d_k in enumerate(spread.d_k):
        for a, count, share in zip(EDGES[:-1], spread.counts[s], expected_shares(d_k), strict=True):
            yield {"kind": "bar", "d": d_k, "a": float(a), "share": count / spread.draws, "expected": float(share)}


def _normal() -> Iterator[dict[str, Any]]:
    """What N(0, 1) expects of a bar around each point."""
    z = np.linspace(-EDGE, EDGE, 91)
    for a, share in zip(z, normal_cdf(z + WIDTH / 2) - normal_cdf(z - WIDTH / 2), strict=True):
        yield {"kind": "normal", "a": float(a), "expected": float(share)}


def _points(spread: Spread) -> Iterator[dict[str, Any]]:
    """Measured variances with their intervals, as they are and divided by d_k, and what theory says of both."""
    for s, d_k in enumerate(spread.d_k):
        measured = np.array([spread.variance[s], spread.low[s], spread.high[s]])
        for side, values in (("curve", measured), ("ratio", measured / d_k)):
            y, low, high = values.tolist()
            yield {"kind": "point", "side": side, "d": d_k, "y": y, "low": low, "high": high}
    for d_k in (spread.d_k[0], spread.d_k[-1]):
        yield {"kind": "theory", "side": "curve", "d": d_k, "y": float(d_k)}
        yield {"kind": "theory", "side": "ratio", "d": d_k, "y": 1.0}


def _guess(guess: str, text: Text) -> Iterator[dict[str, Any]]:
    if guess in GUESSES:
        power, *at = GUESSES[guess]
        for d_k in (1, 4096):
            yield {"kind": "guess", "side": "curve", "d": d_k, "y": float(d_k) ** power}
        yield {"kind": "named", "side": "curve", "d": at[0], "y": at[1], "text": text("your_guess")}


def _said(kind: str, words: str, d_k: int | None = None, side: str = "bell") -> dict[str, Any]:
    return {"kind": kind, "side": side, "d": d_k, "text": words}


def _bell_words(spread: Spread, text: Text) -> Iterator[dict[str, Any]]:
    """What the bell is of, and what is drawn in which way."""
    yield _said("title", text("title_bell"))
    yield _said("share", text("axis_share"))
    yield _said("bars", text("legend_bars", draws=f"{spread.draws:,}"))
    yield _said("steps", text("legend_steps"))
    yield _said("dashes", text("legend_dashes"))


def _words(spread: Spread, text: Text) -> Iterator[dict[str, Any]]:
    yield from _bell_words(spread, text)
    for side in ("curve", "ratio"):
        yield _said("title", text(f"title_{side}"), side=side)
    yield _said("line", text("theory_line"), side="curve") | {"d": 900, "y": 3000}
    measured = zip(spread.d_k, spread.variance, spread.low, spread.high, spread.beyond, strict=True)
    for d_k, variance, low, high, beyond in measured:
        yield _said("stop", f"d_k = {d_k}", d_k)
        said = dict(zip(("variance", "low", "high"), estimated(variance, low, high), strict=True))
        yield _said("measured", text("measured", theory=f"{d_k:,}", **said), d_k)
        if beyond:
            yield _said("outside", text("outside", count=f"{beyond:,}"), d_k)


@lru_cache(maxsize=16)
def spec(layout: str) -> dict[str, Any]:
    """The bell, and beside it (below it on a phone) how its variance grows; a slider moves through all of them."""
    columns = 2 if layout in {"xl", "wide"} else 1
    width, small = width_of(layout, columns, axis=70), layout == "phone"
    growth = {"vconcat": [_curve(width, 140 if small else 118), _ratio(width, 48)], "spacing": 10}
    bell = _bell(width, 150 if small else 196, REACH)
    return page([bell, growth], columns, in_both("spread_alt", "variance_spread")) | {"params": d_k_slider(START)}


@lru_cache(maxsize=16)
def first_spec(layout: str) -> dict[str, Any]:
    """The bell at one d_k."""
    width = min(width_of(layout, 1, axis=70), 620)
    bell = _bell(width, 150 if layout == "phone" else 200, NARROW)
    return page([bell], 1, in_both("first_alt", "variance_spread")) | {"params": [{"name": "dk", "value": FIRST}]}


def _bell(width: int, height: int, reach: float) -> dict[str, Any]:
    x = alt.X("x:Q", scale=alt.Scale(domain=[-reach, reach], nice=False), title=None,
              axis=alt.Axis(tickCount=5, grid=False))  # fmt: skip
    tall = alt.Scale(domain=[0, alt.expr(_TOP)], nice=False)
    y = alt.Y("share:Q", scale=tall, axis=alt.Axis(format="%", tickCount=3), title=None)
    stretched = {"x": "datum.a * sqrt(dk)", "x2": f"(datum.a + {WIDTH}) * sqrt(dk)", "ink": "1"}
    tips = [alt.Tooltip("x:Q", format=".2f", title="≥"), alt.Tooltip("x2:Q", format=".2f", title="<"),
            alt.Tooltip("share:Q", format=".2%", title="%"),
            alt.Tooltip("expected:Q", format=".2%", title="∫")]  # fmt: skip
    mine = of_kind("bar").transform_filter("datum.d === dk").transform_calculate(**stretched)
    bars = mine.mark_rect(clip=True, color=COLOUR, opacity=0.7).encode(
        x, y, alt.X2("x2:Q"), alt.Y2Datum(0), tooltip=tips
    )
    expected, order = alt.Y("expected:Q", scale=tall, title=None), alt.Order("a:Q")
    exact = mine.mark_line(clip=True, strokeWidth=1.5, interpolate="step-after").encode(x, expected, order, INK)
    normal = of_kind("normal").transform_calculate(**stretched).mark_line(
        clip=True, strokeWidth=1.5, strokeDash=[5, 4]
    ).encode(x, expected, order, INK)  # fmt: skip
    words = [
        word("title", "bell", 0, -26, fontSize=14, fontWeight="bold"),
        word("measured", "bell", 0, -9, fontSize=12),
        word("far", "bell", 0, -9, fontSize=12),
        word("stop", "bell", 6, 14, fontSize=18 if height < 160 else 22, fontWeight="bold"),
        *(word(kind, "bell", width - 2, 10 + 14 * line, fontSize=11, align="right")
          for line, kind in enumerate(("bars", "steps", "dashes", "outside"))),
        word("share", "bell", -56, height // 2, fontSize=12, align="center", angle=270, opacity=0.85),
    ]
    return layered(width, height, bars, exact, normal, *words)


def _of(kind: str, side: str) -> alt.Chart:
    return of_kind(kind).transform_filter(f"datum.side === '{side}'").transform_calculate(ink="1")


def _marks(side: str, x: alt.X, y: alt.Y, scale: alt.Scale) -> list[alt.Chart]:
    """What theory says, the measured points with their intervals, and the one that the slider is at."""
    value = "Var" if side == "curve" else "Var ÷ d_k"
    tips = [alt.Tooltip("d:Q", title="d_k"), alt.Tooltip("y:Q", format=",.4~f", title=value),
            alt.Tooltip("low:Q", format=",.4~f", title="95% ≥"),
            alt.Tooltip("high:Q", format=",.4~f", title="95% ≤")]  # fmt: skip
    points = _of("point", side)
    here = points.transform_filter("datum.d === dk")
    return [
        _of("theory", side).mark_line(strokeWidth=1.5, opacity=0.8).encode(x, y, INK),
        here.mark_rule(strokeWidth=1, opacity=0.4).encode(x, INK),
        points.mark_rule(strokeWidth=2, color=COLOUR).encode(x, alt.Y("low:Q", scale=scale), alt.Y2("high:Q")),
        points.mark_point(filled=True, size=30, opacity=1, color=COLOUR).encode(x, y, tooltip=tips),
        here.mark_point(size=120, strokeWidth=2, opacity=1).encode(x, y, INK),
    ]


def _curve(width: int, height: int) -> dict[str, Any]:
    """Log–log: a power of d_k is a straight line."""
    scale = alt.Scale(type="log", domain=[0.6, 7000], nice=False)
    x = d_k_axis().axis(values=TICKS, labels=False, grid=False).title(None)  # the numbers are below the close-up
    y = alt.Y("y:Q", scale=scale, axis=alt.Axis(values=TICKS, format=",d"), title=None)
    guess = of_kind("guess").mark_line(strokeWidth=3, strokeDash=[8, 5], clip=True, color=theme.CHOSEN)
    labels = [
        of_kind("named").mark_text(align="left", fontSize=13, fontWeight="bold", color=theme.CHOSEN).encode(
            x, y, alt.Text("text:N")),
        _of("line", "curve").mark_text(align="right", fontSize=12).encode(x, y, alt.Text("text:N"), INK),
    ]  # fmt: skip
    marks = _marks("curve", x, y, scale)
    title = word("title", "curve", 0, -9, fontSize=14, fontWeight="bold")
    return layered(width, height, guess.encode(x, y), *marks, *labels, title)


def _ratio(width: int, height: int) -> dict[str, Any]:
    """Close up: the more pairs, the closer."""
    scale = alt.Scale(zero=False, nice=True)
    y = alt.Y("y:Q", scale=scale, axis=alt.Axis(format=".3~f", tickCount=4), title=None)
    title = word("title", "ratio", 0, -9, fontSize=12, fontWeight="bold")
    return layered(width, height, *_marks("ratio", d_k_axis(), y, scale), title)
