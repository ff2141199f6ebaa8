"""What the charts of the variance page share: divisors, their colours, the d_k axis, how a spec is put together.

A chart has a constant spec a layout, and a tidy frame with every number; words travel as data, so that neither another
draw nor another language moves what a reader has dragged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from attention.saturation import ALPHAS, COLUMNS
from ui import charts, display
from ui.charts import INK
from ui.text import Text

#: what the scores are divided by → its name, the same in every language, and its colour
NAMES = {
    "none": "q·k", "sqrt": "q·k ÷ √d_k", "linear": "q·k ÷ d_k", "power": "q·k ÷ d_k^α", "cosine": "cos(q, k)",
    "root_model": "q·k ÷ √d_model", "model": "q·k ÷ d_model", "log": "q·k ÷ ln d_k", "fifth": "q·k ÷ d_k⁵",
}  # fmt: skip
NAMED = tuple(name for name in COLUMNS if name in NAMES)  #: what is measured besides d_k^α
COLOURS = {
    "none": "#a8741a", "sqrt": "#7a5fd0", "linear": "#7d8395", "power": "#12908e", "cosine": "#d0553a",
    "root_model": "#3b82c4", "model": "#9a6b55", "log": "#c9558f", "fifth": "#6f8230",
}  # fmt: skip

TICKS = [1, 4, 16, 64, 256, 1024, 4096]
SPACING = 24  #: pixels between charts side by side


def number(x: float, decimals: int | None = None) -> str:
    """A number as a reader sees it: about three digits, or so many decimals; never an exponent, never a false 0.

    >>> number(4063.2), number(63.64), number(0.98), number(0.0019), number(2e-11), number(-0.5)
    ('4,063', '63.6', '0.98', '0.002', '≈0', '−0.50')
    >>> number(1.00031, 4), number(-0.0004, 2), number(0.0, 1)
    ('1.0003', '≈0', '0.0')
    """
    size = abs(x)
    if decimals is None:
        decimals = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 0.1 else 3
    if x and size < 0.5 * 10.0**-decimals:
        return display.NEARLY_0
    return display.signed(f"{x:,.{decimals}f}")


def estimated(x: float, low: float, high: float) -> tuple[str, str, str]:
    """An estimate and the ends of its interval: decimals that show two digits of how far that reaches, up to 4.

    >>> estimated(1.00031, 0.99753, 1.00309), estimated(4063.2, 3950.1, 4176.3), estimated(1.6, 0.0, 4.12)
    (('1.0003', '0.9975', '1.0031'), ('4,063', '3,950', '4,176'), ('1.6', '0.0', '4.1'))
    """
    half = (high - low) / 2
    decimals = min(max(1 - math.floor(math.log10(half)), 0), 4) if half > 0 else None
    return number(x, decimals), number(low, decimals), number(high, decimals)


def estimate(x: float, low: float, high: float) -> str:
    """The same in one; where its interval is too narrow to be seen, the estimate alone.

    >>> estimate(-0.012, -0.031, 0.007), estimate(0.99960, 0.99959, 0.99961), estimate(1e-9, 1e-10, 2e-9)
    ('−0.012 (−0.031 – 0.007)', '0.9996', '<0.0001')
    """
    if 0 < x < high < 0.5e-4:
        return "<0.0001"
    return with_interval(*estimated(x, low, high))


def with_interval(value: str, low: str, high: str) -> str:
    """An estimate and the ends of its interval, once they are written; too narrow to be seen, they are left out.

    >>> with_interval("0.148", "0.147", "0.149"), with_interval("0.125", "0.125", "0.125")
    ('0.148 (0.147 – 0.149)', '0.125')
    """
    return value if low == high else f"{value} ({low} – {high})"


def thousandths(found: Iterable[float]) -> str:
    """A weight, or another number from 0 to 1, and its interval, in three decimals each; never a false 0 or 1.

    >>> thousandths((0.1484, 0.1476, 0.1492)), thousandths((0.1250, 0.1249, 0.1251))
    ('0.148 (0.148 – 0.149)', '0.125')
    >>> thousandths((1e-4, 5e-5, 1.5e-4)), thousandths((1e-3, 1e-4, 2e-3)), thousandths((0.9998, 0.9997, 0.9999))
    ('<0.001', '0.001 (≈0 – 0.002)', '≈1')
    """
    value, low, high = found
    if 0 < high < 0.5e-3:
        return "<0.001"
    return "≈1" if low > 0.9995 else with_interval(*(number(x, 3) for x in (value, low, high)))


def evenness(found: Iterable[float]) -> str:
    """A mean entropy and its interval. It is 1 for equal scores alone: random ones come so near that none can tell.

    >>> evenness((0.8304, 0.8275, 0.8333)), evenness((0.99999, 0.99998, 1.0)), evenness((1.0, 1.0, 1.0))
    ('0.8304 (0.8275 – 0.8333)', '≈1', '≈1')
    """
    value, low, high = found
    return "≈1" if value > 0.99995 else estimate(value, low, high)


def percent(share: float, decimals: int = 0) -> str:
    """A share; what would round to a false 0 or 100 says so.

    >>> percent(0.0), percent(0.0003), percent(0.334), percent(0.9999), percent(0.0003, 1), percent(0.0048, 1)
    ('0%', '<1%', '33%', '>99%', '<0.1%', '0.5%')
    """
    least = 10.0**-decimals
    if 0 < 100 * share < least / 2:
        return f"<{least:.{decimals}f}%"
    return f">{100 - least:.{decimals}f}%" if 100 - least / 2 <= 100 * share < 100 else f"{share:.{decimals}%}"


def estimated_share(x: float, low: float, high: float) -> str:
    """A share and its interval, with a decimal where that reaches less than a percent.

    >>> estimated_share(0.7095, 0.6953, 0.7234), estimated_share(0.079, 0.071, 0.0877), estimated_share(0, 0, 0.00096)
    ('71% (70% – 72%)', '7.9% (7.1% – 8.8%)', '0% (0% – 0.1%)')
    """
    decimals = int(high - low < 0.02)
    return with_interval(*(percent(each, decimals if each else 0) for each in (x, low, high)))


Record = dict[str, Any]  # of a chart's data: field → value


def frame_of(records: Iterable[Record], fields: Sequence[str]) -> Any:
    """What a chart is drawn from, a row a record; what a record does not say is null."""
    rows = list(records)
    return charts.table({field: [row.get(field) for row in rows] for field in fields})


# Sliders, which the browser moves without asking the server.


def d_k_slider(start: float, least: float = 0, most: float = 12, step: float = 0.5) -> list[dict[str, Any]]:
    """The logarithm that is dragged, and dk; 2^0.5 rounds to d_k = 1 as well. What dk is, the chart says."""
    bind = {"input": "range", "min": least, "max": most, "step": step, "name": "log₂ d_k =\u00a0"}
    return [{"name": "log2_dk", "value": start, "bind": bind}, {"name": "dk", "expr": "round(pow(2, log2_dk))"}]


def alpha_slider(start: float) -> list[dict[str, Any]]:
    """The power α of d_k that is dragged, and which of the measured ALPHAS it is."""
    bind = {"input": "range", "min": 0, "max": 1, "step": ALPHAS[1], "name": "α =\u00a0"}
    return [{"name": "alpha", "value": start, "bind": bind},
            {"name": "step", "expr": f"round(alpha * {len(ALPHAS) - 1})"}]  # fmt: skip


def is_wide(layout: str) -> bool:
    """Whether things have room beside each other."""
    return layout in {"xl", "wide"}


# What the specs are put together from. Altair checks each mark. Nested in Altair too, they would be checked
# and copied again at every level, and the first visitor would hold up the others for a second. For the
# same reason no channel is given as a bare string: making one from that costs 9 ms.


def layered(
    width: int, height: int, *marks: alt.Chart, share_colour: bool = False, checked: bool = True
) -> dict[str, Any]:  # fmt: skip
    """Marks over one another. Those of many, a test had better check instead of the first visitor."""
    plain = [charts.without_data(mark, validate=checked) for mark in marks]
    layers = [{k: v for k, v in each.items() if k not in {"$schema", "config"}} for each in plain]
    resolve = {} if share_colour else {"resolve": {"scale": {"color": "independent"}}}
    return {"width": width, "height": height, "layer": layers} | resolve


def page(views: list[dict[str, Any]], columns: int, description: str) -> dict[str, Any]:
    """Views side by side, as a whole spec."""
    return {"$schema": alt.SCHEMA_URL, "config": {"view": {"stroke": None}}, "description": description,
            "concat": views, "columns": columns, "spacing": SPACING}  # fmt: skip


def d_k_axis() -> alt.X:
    scale = alt.Scale(type="log", domain=[0.8, 5200], nice=False)
    return alt.X("d:Q", scale=scale, axis=alt.Axis(values=TICKS, format="d", grid=False), title="d_k")


def width_of(layout: str, columns: int, axis: int) -> int:
    """The width of each of so many plots side by side, when `axis` pixels to their left are for the axis."""
    return (charts.ROOM[layout][0] - (columns - 1) * SPACING) // columns - axis


def titled(id: str, text: Text) -> dict[str, Any]:
    return {"title": {"text": text(id), "anchor": "start", "frame": "group", "offset": 12}}


def coloured(sides: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=[NAMES[side] for side in sides], range=[COLOURS[side] for side in sides])
    return alt.Color("side:N", scale=scale, legend=alt.Legend(orient="bottom", title=None))


def of_kind(kind: str) -> alt.Chart:
    """The rows of one kind. A filter of its own, which Vega evaluates once: what follows the slider sees few rows."""
    return alt.Chart().transform_filter(f"datum.kind === '{kind}'")


def word(kind: str, side: str, x: int, y: int, **mark: Any) -> alt.Chart:
    """Words at a fixed place, in the theme's ink; those of a stop follow the slider, the parameter `dk`."""
    mine = f"datum.kind === '{kind}' && (datum.side === null || datum.side === '{side}')"
    chosen = alt.Chart().transform_filter(mine)
    if kind in {"stop", "measured", "outside"}:
        chosen = chosen.transform_filter("datum.d === dk")
    return placed(chosen, x, y, **mark)


def placed(chart: alt.Chart, x: Any, y: Any, field: str = "text", **mark: Any) -> alt.Chart:
    """Words at a fixed place, in the theme's ink, which stands for the channel `ink`."""
    return chart.transform_calculate(ink="1").mark_text(**{"align": "left", **mark}).encode(
        alt.Text(f"{field}:N"), alt.XValue(x), alt.YValue(y), INK
    )  # fmt: skip
