"""What the heads add up to: contributions stacked to the output, and how far each output moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ui import charts, display, theme
from ui.heads_charts import HUES

HEIGHT = 250
BAR, LEAST = 0.72, 13  #: share of a column that is bar; the least height that holds a number
NUMBERS = 62  #: the least width of a bar that holds "3: −0.25"
AXIS = 48

INKS = [theme.PAPER if theme.light_ink((hue, hue), 0) else theme.INK for hue in HUES]

Tip = Callable[..., str]


def stacked(contributions: NDArray[np.float64], on: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Where each head's bar starts and ends, (2, h, d_model): positive ones up from 0, negative down."""
    kept = np.where(on[:, None], contributions, 0.0)
    up, down = np.cumsum(np.maximum(kept, 0), axis=0), np.cumsum(np.minimum(kept, 0), axis=0)
    end = np.where(kept >= 0, up, down)
    return np.stack([end - kept, end])


def contributions(
    parts: NDArray[np.float64], on: NDArray[np.bool_], output: NDArray[np.float64], tips: dict[str, Tip],
    room: int, token: int,
) -> tuple[pd.DataFrame, dict[str, Any]]:  # fmt: skip
    """The output of one token, a column a dimension: what each head adds, and what it comes to."""
    h, d_model = parts.shape
    wide = (room - AXIS) / d_model * BAR
    extent = _extent(parts)
    ends, scale = stacked(parts, on), HEIGHT / (extent[1] - extent[0])
    records: list[tuple[Any, ...]] = []
    for j in range(d_model):
        records += [("extent", j, None, e, 0.0, None, None, None, None, None) for e in extent]
        records += _column(j, parts[:, j], ends[:, :, j], on, tips["bar"], wide, scale, token)
        full = float(parts[:, j].sum())
        for kind, value in (("full", full), ("output", float(output[j]))):
            tip = tips[kind](column=j + 1, number=display.exact(value))
            at = f"combined {token} {j} -1" if kind == "output" else None
            records.append((kind, j, None, value, None, value, display.short(value), tip, None, at))
    names = ("kind", "dim", "head", "y", "y0", "value", "text", "tip", "ink", "at")
    return pd.DataFrame.from_records(records, columns=list(names)), contributions_spec(h, d_model, room)


def _extent(parts: NDArray[np.float64]) -> tuple[float, float]:
    """The ends of the axis: those of all heads together, so that it stays when heads are switched off."""
    low, high = float(np.minimum(parts, 0).sum(axis=0).min()), float(np.maximum(parts, 0).sum(axis=0).max())
    return (low, high) if high > low else (-1.0, 1.0)


def _column(
    j: int, parts: NDArray[np.float64], ends: NDArray[np.float64], on: NDArray[np.bool_], tip: Tip,
    wide: float, scale: float, token: int,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """The bars of dimension j; `wide` and `scale`, in pixels, tell which of them can hold their name."""
    records = []
    for head in np.flatnonzero(on).tolist():
        value, (start, end) = float(parts[head]), ends[:, head].tolist()
        name = str(head + 1) if wide < NUMBERS else f"{head + 1}: {display.short(value)}"
        label = name if abs(value) * scale >= LEAST and wide >= 12 else ""
        said = tip(head=head + 1, column=j + 1, number=display.exact(value))
        records.append(("bar", j, head, end, start, value, label, said, INKS[head],
                        f"contribution {token} {j} {head}"))
    return records


@lru_cache(maxsize=256)
def contributions_spec(h: int, d_model: int, room: int) -> dict[str, Any]:
    """The spec of `contributions`: diverging stacks, ● the output now, ○ the output with every head on."""
    step = (room - AXIS) / d_model
    axis = alt.Axis(labelExpr="datum.value + 1", labelAngle=0, ticks=False, domain=False)
    columns = alt.Scale(domain=list(range(d_model)), paddingInner=1 - BAR, paddingOuter=0.1)
    x = alt.X("dim:O", title=None, axis=axis, scale=columns)
    y = alt.Y("y:Q", title=None, axis=alt.Axis(format=".3~g", tickCount=5))
    base = alt.Chart(width=room - AXIS, height=HEIGHT)
    heads = alt.Scale(domain=list(range(h)), range=list(HUES[:h]))
    legend = alt.Legend(title=None, labelExpr="datum.value + 1", symbolType="square", orient="top", columns=8)
    lit = alt.when("isValid(head_lit.head) ? head_lit.head[0] === datum.head : true").then(alt.value(1))
    hover = alt.selection_point(name="head_lit", fields=["head"], on="pointerover", clear="pointerout")
    pick = alt.selection_point(name="pick", fields=["at", "turn"], on="click", clear="dblclick", toggle=False)
    tip = alt.Tooltip("tip:N", title="​")

    def layer(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind === '{kind}'")

    bars = layer("bar").properties(name="bars")
    layers = [
        layer("extent").mark_bar(opacity=0, tooltip=None).encode(x, y, y2="y0:Q"),
        bars.mark_bar().encode(
            x, y, y2="y0:Q", color=alt.Color("head:O", scale=heads, legend=legend),
            opacity=lit.otherwise(alt.value(0.25)), tooltip=tip,
        ).add_params(hover, pick),
        _inked(base).mark_rule(strokeWidth=1).encode(y=alt.datum(0), color=charts.INK),
        _named(layer("bar").transform_calculate(y="(datum.y + datum.y0) / 2"), x, y),
        _point(layer("full"), x, y, tip, size=130, filled=False, strokeWidth=1.8),
        _point(layer("output"), x, y, tip, size=70, filled=True),
    ]  # fmt: skip
    if step >= 34:
        total = _inked(layer("output")).mark_text(fontWeight="bold", fontSize=12, baseline="bottom")
        layers.append(total.encode(x, text="text:N", y=alt.YValue(-4), color=charts.INK))
    return _padded(alt.layer(*layers))


def _named(bars: alt.Chart, x: alt.X, y: alt.Y) -> alt.Chart:
    ink = alt.Color("ink:N", scale=None, legend=None)
    return bars.mark_text(fontSize=11, tooltip=None).encode(x, y, ink, text="text:N")


def _point(layer: alt.Chart, x: alt.X, y: alt.Y, tip: alt.Tooltip, **mark: Any) -> alt.Chart:
    point = _inked(layer).mark_point(shape="circle", opacity=1, **mark)
    return point.encode(x, y, color=charts.INK, tooltip=tip)


def _inked(layer: alt.Chart) -> alt.Chart:
    """With what `charts.INK` reads."""
    return layer.transform_calculate(ink="1")


ROW, NAMES = 26, 56
SAYS = 120  #: pixels for "0.83 (41 %)"


def movement(
    tokens: Sequence[str], moved: NDArray[np.float64], length: NDArray[np.float64], says: Sequence[str],
    room: int,
) -> tuple[pd.DataFrame, dict[str, Any]]:  # fmt: skip
    """How far each token's output moved, beside how long it is with every head on."""
    end = float(max(moved.max(), length.max())) or 1.0
    records: list[tuple[Any, ...]] = [("end", 0, end, "")]
    for i, token in enumerate(tokens):
        records.append(("token", i, None, token))
        records.append(("moved", i, float(moved[i]), says[i]))
        records.append(("length", i, float(length[i]), ""))
    frame = pd.DataFrame.from_records(records, columns=["kind", "q", "value", "text"])
    return frame, movement_spec(len(tokens), room)


@lru_cache(maxsize=128)
def movement_spec(n: int, room: int) -> dict[str, Any]:
    """The spec of `movement`: a bar for the distance, a mark for the full length."""
    width = room - NAMES - SAYS
    base = alt.Chart(width=width, height=n * ROW)
    y = alt.Y("q:O", scale=alt.Scale(domain=list(range(n)), paddingInner=0.3, paddingOuter=0.15), axis=None)
    x = alt.X("value:Q", title=None, scale=alt.Scale(domainMin=0, nice=False),
              axis=alt.Axis(format=".3~g", tickCount=4))  # fmt: skip

    def layer(kind: str) -> alt.Chart:
        return _inked(base.transform_filter(f"datum.kind === '{kind}'"))

    words = {"text": "text:N", "color": charts.INK}
    return _padded(alt.layer(
        layer("end").mark_point(opacity=0, tooltip=None).encode(x),
        layer("moved").mark_bar(color=theme.WEIGHTS[2], tooltip=None).encode(x, y),
        layer("length").mark_tick(thickness=2, size=ROW * 0.7, tooltip=None).encode(x, y, color=charts.INK),
        layer("token").mark_text(align="right", limit=NAMES - 8, fontSize=13).encode(
            y, x=alt.XValue(-8), **words),
        layer("moved").mark_text(align="left", fontSize=12).encode(y, x=alt.XValue(width + 10), **words),
    ))  # fmt: skip


def _padded(chart: alt.LayerChart) -> dict[str, Any]:
    """The spec whose plot keeps its size; Streamlit would fit axes and letters into it."""
    spec = charts.without_data(chart.resolve_scale(color="independent").configure_view(stroke=None))
    return spec | {"autosize": {"type": "pad"}}
