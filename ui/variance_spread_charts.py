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
from attention.experiment import EDGES, Spread
from ui import theme
from ui.charts import INK
from ui.text import Text, in_both
from ui.variance_charts import (
    TICKS,
    d_k_axis,
    d_k_slider,
    estimated,
    frame_of,
    is_wide,
    layered,
    of_kind,
    page,
    percent,
    width_of,
    word,
)
from ui.variance_spread_bell import COLOUR, FIRST, REACH, WIDTH, bell

START = 7  #: where the slider begins: d_k = 2⁷ = 128, the doubled one
FAR = 10  #: of the pairs shown there, so far from 0 a share is told; no simple multiple of their deviation
EDGE = float(EDGES[-1])
FIELDS = ("kind", "side", "d", "y", "low", "high", "a", "share", "expected", "text")

#: what can be guessed → p in Var = 64 (d_k / 64)^p, and where "your guess" stands beside that line
GUESSES = {"same": (0.0, 300, 18), "root": (0.5, 400, 45), "double": (1.0, 160, 30), "square": (2.0, 30, 2.5)}
#: layout → how much larger words are than on a laptop, and the heights of the first bell, the bell, curve and ratio
SIZES = {"xl": (1.3, 330, 290, 180, 74), "wide": (1.0, 220, 204, 126, 48), "medium": (1.0, 200, 196, 118, 48),
         "phone": (1.0, 160, 176, 140, 48)}  # fmt: skip


@lru_cache(maxsize=32)
def frame(spread: Spread, text: Text, guess: str) -> Any:
    """Bars and points of every stop, the theory, the guess as a line, and the words in the reader's language."""
    records = [*_bars(spread), *_normal(), *_points(spread), *_widths(spread), *_guess(guess, text)]
    records += _words(spread, text)
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


def _widths(spread: Spread) -> Iterator[dict[str, Any]]:
    """The standard deviation of each bell, which is the root of its variance."""
    for d_k, *variance in zip(spread.d_k, spread.variance, spread.low, spread.high, strict=True):
        root = np.sqrt(variance)
        said = f"±√{estimated(*variance)[0]} = ±{estimated(*root)[0]}"
        yield {"kind": "width", "d": d_k, "y": float(root[0]), "text": said}


def _guess(guess: str, text: Text) -> Iterator[dict[str, Any]]:
    """What the guess says of every d_k, seen from FIRST: a line beside the variances, and a bell."""
    if guess in GUESSES:
        power, *at = GUESSES[guess]
        for d_k in (1, 4096):
            yield {"kind": "guess", "side": "curve", "d": d_k, "y": FIRST * (d_k / FIRST) ** power}
        yield {"kind": "named", "side": "curve", "d": at[0], "y": at[1], "text": text("your_guess")}
        yield {"kind": "mine", "text": text("your_guess")}
        for point in _normal():
            yield point | {"kind": "guessed", "y": power}


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
    yield _said("line", text("theory_line"), side="curve") | {"d": 16, "y": 400}
    yield _said("ghost", text("ghost", d_k=FIRST))
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
    columns, (larger, _, high, upper, lower) = 2 if is_wide(layout) else 1, SIZES[layout]
    width = width_of(layout, columns, axis=70)
    growth = {"vconcat": [_curve(width, upper, larger), _ratio(width, lower, larger)], "spacing": 10}
    drawn = bell(width, high, larger, answered=True)
    return _page([drawn, growth], columns, layout, "spread_alt", d_k_slider(START))


@lru_cache(maxsize=16)
def first_spec(layout: str) -> dict[str, Any]:
    """The bell at one d_k."""
    larger, high, *_ = SIZES[layout]
    drawn = bell(width_of(layout, 1, axis=70), high, larger, answered=False)
    return _page([drawn], 1, layout, "first_alt", [{"name": "dk", "value": FIRST}])


def _page(views: list[dict[str, Any]], columns: int, layout: str, id: str, params: list[dict[str, Any]]) -> Any:
    whole = page(views, columns, in_both(id, "variance_spread"))
    size = round(12 * SIZES[layout][0])
    whole["config"] = whole["config"] | {"axis": {"labelFontSize": size, "titleFontSize": size}}
    return whole | {"params": [*params, {"name": "reach", "expr": REACH}]}


def _of(kind: str, side: str) -> alt.Chart:
    return of_kind(kind).transform_filter(f"datum.side === '{side}'").transform_calculate(ink="1")


def _marks(side: str, x: alt.X, y: alt.Y, scale: alt.Scale) -> list[alt.Chart]:
    """What theory says, the measured points with their intervals, and the one that the slider is at."""
    value = "Var" if side == "curve" else "Var ÷ d_k"
    tips = [alt.Tooltip("d:Q", title="d_k"), alt.Tooltip("y:Q", format=",.4~f", title=value),
            alt.Tooltip("low:Q", format=",.4~f", title="95% ≥"),
            alt.Tooltip("high:Q", format=",.4~f", title="95% ≤")]  # fmt: skip
    points = _of("point", side)
    here, first = (points.transform_filter(f"datum.d === {which}") for which in ("dk", FIRST))
    return [
        _of("theory", side).mark_line(strokeWidth=1.5, opacity=0.8).encode(x, y, INK),
        here.mark_rule(strokeWidth=1, opacity=0.4).encode(x, INK),
        points.mark_rule(strokeWidth=2, color=COLOUR).encode(x, alt.Y("low:Q", scale=scale), alt.Y2("high:Q")),
        points.mark_point(filled=True, size=30, opacity=1, color=COLOUR).encode(x, y, tooltip=tips),
        first.mark_point(size=120, strokeWidth=2, opacity=0.4, tooltip=None).encode(x, y, INK),
        here.mark_point(size=120, strokeWidth=2, opacity=1).encode(x, y, INK),
    ]


def _curve(width: int, height: int, larger: float) -> dict[str, Any]:
    """Log–log: a power of d_k is a straight line."""
    scale = alt.Scale(type="log", domain=[0.6, 7000], nice=False)
    x = d_k_axis().axis(values=TICKS, labels=False, grid=False).title(None)  # the numbers are below the close-up
    y = alt.Y("y:Q", scale=scale, axis=alt.Axis(values=TICKS, format=",d"), title=None)
    guess = of_kind("guess").mark_line(strokeWidth=3, strokeDash=[8, 5], clip=True, color=theme.CHOSEN)
    labels = [
        of_kind("named").mark_text(align="left", fontSize=round(13 * larger), fontWeight="bold", color=theme.CHOSEN),
        _of("line", "curve").mark_text(align="right", fontSize=round(12 * larger)),
    ]
    mine, theory = (each.encode(x, y, alt.Text("text:N")) for each in labels)
    marks = _marks("curve", x, y, scale)
    title = word("title", "curve", 0, -9, fontSize=round(14 * larger), fontWeight="bold")
    return layered(width, height, guess.encode(x, y), *marks, mine, theory.encode(INK), title)


def _ratio(width: int, height: int, larger: float) -> dict[str, Any]:
    """Close up: the more pairs, the closer."""
    scale = alt.Scale(zero=False, nice=True)
    y = alt.Y("y:Q", scale=scale, axis=alt.Axis(format=".3~f", tickCount=4), title=None)
    title = word("title", "ratio", 0, -9, fontSize=round(12 * larger), fontWeight="bold")
    return layered(width, height, *_marks("ratio", d_k_axis(), y, scale), title)
