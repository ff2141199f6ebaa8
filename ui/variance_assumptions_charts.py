"""The charts of broken assumptions: the draws under two curves, what is left as d_k grows, and the key that matches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from attention.assumptions import STOPS
from attention.saturation import SCALES
from ui import charts
from ui.charts import INK
from ui.text import Text
from ui.variance_assumptions_measure import Array, Shape, Study, growth
from ui.variance_charts import COLOURS, NAMES, coloured, layered, of_kind, page, titled, width_of

HISTOGRAM = ("kind", "a", "b", "y", "text")
GROWTH = ("kind", "side", "what", "d", "y", "low", "high")
HIDDEN = 0.015  #: of the height of a curve: dashes that are nearer are under it
LIMITS = (1e-3, 1e5)  #: what a logarithmic axis may reach


def _table(names: tuple[str, ...], records: list[tuple[Any, ...]]) -> Any:
    return charts.table(dict(zip(names, map(list, zip(*records, strict=True)), strict=True)))


# The draws and two curves.


def histogram_data(study: Study, shape: Shape, text: Text) -> Any:
    """Bars of the draws; the curve to expect, and the claim's N(0, d_k), as shares of a bar of the same width."""
    shares = study.counts / study.measured.draws
    bars = zip(shape.edges[:-1].tolist(), shape.edges[1:].tolist(), shares.tolist(), strict=True)
    records: list[tuple[Any, ...]] = [("bar", a, b, y, None) for a, b, y in bars]
    kind = "dot" if shape.curve == "binomial" else "curve"
    low, high = shape.edges[0], shape.edges[-1]
    records += [(kind, float(x), None, float(y), None) for x, y in zip(shape.at, shape.share, strict=True)
                if low <= x <= high]  # fmt: skip
    top = 1.5 * max(shares.max(), shape.share.max())  # a claim much narrower than what is measured leaves the picture
    records += [("claim", float(x), None, float(y) if y <= top else None, None)
                for x, y in zip(shape.claim_at, shape.claim, strict=True)]  # fmt: skip
    dashes = "same" if shape.curve == "limit" else "covered" if _covered(shape) else "claim"
    words = {
        "title": text("title_histogram", d_k=study.d_k),
        "bars": text("legend_bars", draws=f"{study.measured.draws:,}"),
        "line": text(f"legend_{shape.curve}"),
        "dashes": text(f"legend_{dashes}", d_k=study.d_k),
    }
    return _table(HISTOGRAM, records + [(kind, None, None, None, said) for kind, said in words.items()])


def _covered(shape: Shape) -> bool:
    """Whether the claim's dashes are so near the solid line that it hides them."""
    drawn = np.interp(shape.claim_at, shape.at, shape.share)
    return shape.curve == "exact" and float(np.abs(drawn - shape.claim).max()) < HIDDEN * float(shape.share.max())


@lru_cache(maxsize=16)
def histogram_spec(layout: str, text: Text) -> dict[str, Any]:
    """Bars, a line or dots over them, and dashes for the claim."""
    beside = {"xl": 600, "wide": 440}  # where words stand beside it
    width, height = beside.get(layout, charts.ROOM[layout][0] - 50), 176 if layout == "phone" else 200
    x = alt.X("a:Q", scale=alt.Scale(zero=False, nice=False), title=None, axis=alt.Axis(tickCount=6, grid=False))
    y = alt.Y("y:Q", scale=alt.Scale(nice=False), title=None, axis=alt.Axis(format="%", tickCount=4))
    tips = [alt.Tooltip("a:Q", format=".4~g", title="≥"), alt.Tooltip("b:Q", format=".4~g", title="<"),
            alt.Tooltip("y:Q", format=".2%", title="%")]  # fmt: skip
    bars = of_kind("bar").mark_rect(color=COLOURS["none"], opacity=0.7).encode(
        x, y, alt.X2("b:Q"), alt.Y2Datum(0), tooltip=tips
    )  # fmt: skip
    order = alt.Order("a:Q")
    curve = of_kind("curve").transform_calculate(ink="1").mark_line(strokeWidth=2).encode(x, y, order, INK)
    dots = of_kind("dot").transform_calculate(ink="1").mark_point(filled=True, size=22, opacity=1).encode(x, y, INK)
    claim = of_kind("claim").transform_calculate(ink="1").mark_line(
        strokeWidth=1.5, strokeDash=[5, 4], opacity=0.55
    ).encode(x, y, order, INK)  # fmt: skip
    words = [_said("title", -60, 14, fontWeight="bold"), _said("bars", -43), _said("line", -27), _said("dashes", -11)]
    view = layered(width, height, bars, curve, dots, claim, *words)
    return page([view], 1, text("histogram_alt"))


def _said(kind: str, y: int, size: int = 12, **mark: Any) -> alt.Chart:
    return of_kind(kind).transform_calculate(ink="1").mark_text(align="left", fontSize=size, **mark).encode(
        alt.Text("text:N"), alt.XValue(0), alt.YValue(y), INK
    )  # fmt: skip


# As d_k grows.


def growth_data(study: Study) -> Any:
    return _table(GROWTH, list(_growth_records(study)))


def _growth_records(study: Study) -> Iterator[tuple[Any, ...]]:
    """A mean that is predicted to be 0 has no place on a logarithmic axis."""
    for scale in SCALES:
        for what in ("sd", "mean"):
            measured, predicted = growth(study, what, scale)
            for d_k, ends, line in zip(STOPS, measured, predicted, strict=True):
                if line:
                    at, low, high = sorted_sizes(ends)
                    yield "measured", NAMES[scale], what, d_k, at, low, high
                    yield "theory", NAMES[scale], what, d_k, float(abs(line)), None, None


def sorted_sizes(ends: Array) -> tuple[float, float, float]:
    """Sizes of a value and of the ends of its interval; 0 is as near as the axis goes."""
    at, *rest = np.abs(ends).tolist()
    low, high = (LIMITS[0], max(rest)) if ends[1] * ends[2] <= 0 else sorted(rest)
    return max(at, LIMITS[0]), max(low, LIMITS[0]), high


def span(study: Study) -> tuple[float, float]:
    """Powers of 4 that hold everything."""
    sizes = [abs(x) for scale in SCALES for what in ("sd", "mean") for x in growth(study, what, scale)[1] if x]
    low, high = min(*sizes, 0.7), max(*sizes, 1.5)
    return 4.0 ** math.floor(math.log(low, 4)), 4.0 ** math.ceil(math.log(high, 4))


def growth_spec(layout: str, text: Text, span: tuple[float, float]) -> dict[str, Any]:
    """Three panels on logarithmic axes: q·k, and what is left after ÷√d_k and after ÷d_k."""
    ends = zip(("low", "high"), (span[0] / 1.6, span[1] * 1.6), strict=True)
    return _growth(layout, text) | {"params": [{"name": name, "value": end} for name, end in ends]}


@lru_cache(maxsize=16)
def _growth(layout: str, text: Text) -> dict[str, Any]:
    columns = {"xl": 3, "wide": 3, "medium": 2}.get(layout, 1)
    width = min(width_of(layout, columns, axis=56), 360)
    return page([_growth_panel(scale, width, text) for scale in SCALES], columns, text("growth_alt"))


def _axis() -> alt.X:
    scale = alt.Scale(type="log", domain=[0.8, 320], nice=False)
    return alt.X("d:Q", scale=scale, axis=alt.Axis(values=list(STOPS), format="d", grid=False), title="d_k")


def _growth_panel(scale: str, width: int, text: Text) -> dict[str, Any]:
    log = alt.Scale(type="log", domain=[alt.expr("low"), alt.expr("high")], nice=False)
    axis = alt.Axis(values=[4.0**n for n in range(-8, 9)], format=",.4~g", title=None)
    x, y = _axis(), alt.Y("y:Q", scale=log, axis=axis)
    layers = []
    for what, filled in (("sd", True), ("mean", False)):
        mine = f"datum.side === '{NAMES[scale]}' && datum.what === '{what}'"
        colour = alt.value(COLOURS[scale])
        tips = [alt.Tooltip("d:Q", title="d_k"), alt.Tooltip("y:Q", format=",.4~g", title=text(f"tip_{what}")),
                alt.Tooltip("low:Q", format=",.4~g", title=text("tip_low")),
                alt.Tooltip("high:Q", format=",.4~g", title=text("tip_high"))]  # fmt: skip
        theory, measured = (of_kind(kind).transform_filter(mine) for kind in ("theory", "measured"))
        layers += [
            theory.mark_line(strokeWidth=2, strokeDash=[1, 0] if filled else [4, 4], clip=True).encode(
                x, y, color=colour),
            measured.mark_rule(strokeWidth=2, clip=True).encode(
                x, alt.Y("low:Q", scale=log), alt.Y2("high:Q"), color=colour),
            measured.mark_point(filled=filled, size=44, opacity=1, clip=True).encode(x, y, color=colour, tooltip=tips),
        ]  # fmt: skip
    return layered(width, 170, *layers, share_colour=True) | titled(f"title_{scale}", text)


# One key that matches.


def match_data(found: Array) -> Any:
    records = [(NAMES[scale], d_k, *map(float, found[s, which]))
               for s, d_k in enumerate(STOPS) for which, scale in enumerate(SCALES)]  # fmt: skip
    return _table(("side", "d", "y", "low", "high"), records)


@lru_cache(maxsize=16)
def match_spec(layout: str, text: Text) -> dict[str, Any]:
    """The weight of the matching key against d_k, for the three divisors."""
    width = min(charts.ROOM[layout][0] - 60, 520)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".2~f", tickCount=5),
              title=text("axis_weight"))  # fmt: skip
    x, colour = _axis(), coloured(SCALES)
    tips = [alt.Tooltip("side:N", title=text("tip_what")), alt.Tooltip("d:Q", title="d_k"),
            alt.Tooltip("y:Q", format=".4f", title=text("tip_weight")),
            alt.Tooltip("low:Q", format=".4f", title=text("tip_low")),
            alt.Tooltip("high:Q", format=".4f", title=text("tip_high"))]  # fmt: skip
    base = alt.Chart()
    view = layered(
        width, 180, base.mark_line(strokeWidth=2).encode(x, y, colour),
        base.mark_point(filled=True, size=40, opacity=1).encode(x, y, colour, tooltip=tips), share_colour=True,
    )  # fmt: skip
    return page([view], 1, text("match_alt"))
