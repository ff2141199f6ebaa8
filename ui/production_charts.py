"""The production page's picture: Q, K and the n × n matrix to scale, what must be held, and what was measured.

One constant spec a layout: pointing at an n moves the picture and the marks in all views in the browser, a click on it
chooses it for the page. All numbers and words travel as data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import altair as alt

from attention import tiled
from ui import charts, theme
from ui.charts import INK
from ui.production_measure import SIZES, WHO, D, Measured
from ui.text import Text, in_both
from ui.views import VIEWS

STOPS = tuple(2**k for k in range(6, 17))  #: the n that can be chosen
COLOURS = {"textbook": "#a8741a", "tiled": "#7a5fd0", "torch": "#7d8395"}
FIELDS = ("kind", "who", "n", "value", "text", "tip", "x", "y", "x2", "y2")
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
assert all(map(VIEWS["production.n"].fits, STOPS))

PARTS = {"all": theme.MASKED, "tile": theme.WEIGHTS[3], "Q": "#2f7fd1", "K": "#d55e00"}  #: what is drawn over what

PICTURE = 200  #: pixels of the picture's side
HIGH = 200  #: pixels of the charts beside it
AXIS, SPACING = 62, 26  #: pixels left of a chart, and between two

#: The n that is pointed at, else the chosen one.
NOW = "datum.n === (isValid(near.n) ? near.n[0] : datum.chosen)"
_AXIS = (
    f"datum.value >= {2**30} ? datum.value / {2**30} + ' GiB' : datum.value >= {2**20} ? "
    f"datum.value / {2**20} + ' MiB' : datum.value / {2**10} + ' KiB'"
)

def size(count: float) -> str:
    """A number of bytes, to three digits.

    >>> size(2**26), size(3 * 2**20 + 2**18), size(12 * 2**30), size(640)
    ('64 MiB', '3.25 MiB', '12 GiB', '640 B')
    """
    power = min(int(math.log2(max(count, 1)) // 10), len(UNITS) - 1)
    return f"{three(count / 1024**power)} {UNITS[power]}"


def duration(milliseconds: float) -> str:
    """A time, to three digits.

    >>> duration(0.1234), duration(38.52), duration(2500.0)
    ('0.123 ms', '38.5 ms', '2.5 s')
    """
    return f"{three(milliseconds / 1000)} s" if milliseconds >= 1000 else f"{three(milliseconds)} ms"


def three(x: float) -> str:
    """Three digits, never an exponent.

    >>> three(64.0), three(3.256), three(1023.9), three(0.01234)
    ('64', '3.26', '1024', '0.0123')
    """
    if x == 0:
        return "0"
    decimals = max(2 - math.floor(math.log10(abs(x))), 0)
    text = f"{x:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def held(n: int, who: str) -> int:
    """The bytes that a way of computing attention holds at its worst moment, by its formula."""
    return tiled.HELD * tiled.matrix_bytes(n) if who == "textbook" else tiled.tiled_bytes(n, D)


# Data.


def frame(chosen: int, done: Measured, text: Text) -> Any:
    """Everything that is drawn: a record a mark."""
    records = [*_known(text), *_measured(done, text)]
    columns = dict(zip(FIELDS, map(list, zip(*records, strict=True)), strict=True))
    columns |= {"chosen": [chosen] * len(records), "ink": [1] * len(records)}
    return charts.table(columns)


def _record(
    kind: str, who: str | None = None, n: int | None = None, value: float | None = None, text: str | None = None,
    tip: str | None = None, corners: Sequence[float | None] = (None,) * 4,
) -> tuple[Any, ...]:  # fmt: skip
    return kind, who, n, value, text, tip, *corners


@lru_cache(maxsize=4)
def _known(text: Text) -> tuple[tuple[Any, ...], ...]:
    """What follows from shapes alone."""
    return (*_picture(text), *_held(text))


def _picture(text: Text) -> Iterator[tuple[Any, ...]]:
    for title in ("title_picture", "title_held", "title_time"):
        yield _record(title, text=text(title))
    for n in STOPS:
        rows, keys = (min(most, n) for most in tiled.BLOCK)
        side = n + D
        corners = {"all": (D, D, side, side), "tile": (D, D, D + keys, D + rows), "Q": (0, D, D, side),
                   "K": (D, 0, side, D)}  # fmt: skip
        for part, where in corners.items():
            shape = {"rows": f"{rows:,}", "keys": f"{keys:,}", "n": f"{n:,}", "d": D}
            yield _record("part", part, n, tip=text(f"part_{part}", **shape), corners=[x / side for x in where])
        yield _record("stop_name", n=n, text=text("stop_name", n=f"{n:,}"))
        yield _record("stop_matrix", n=n, text=text("stop_matrix", size=size(tiled.matrix_bytes(n))))
        yield _record("stop_block", n=n, text=text("stop_block", size=size(4 * rows * keys)))


def _held(text: Text) -> Iterator[tuple[Any, ...]]:
    for line, who in enumerate(WHO[:2]):
        for n in STOPS:
            shown = {"who": text(f"who_{who}"), "n": f"{n:,}", "size": size(held(n, who))}
            yield _record("held", who, n, held(n, who), tip=text("tip_held", **shown))
            yield _record("held_read", who, n, line, text("read_held", **shown))


def _measured(done: Measured, text: Text) -> Iterator[tuple[Any, ...]]:
    for (n, who), peak in done.peaks.copy().items():
        tip = text("tip_peak", who=text(f"who_{who}"), n=f"{n:,}", size=size(peak))
        yield _record("peak", who, n, peak, size(peak), tip)
    nothing = True
    for line, who in enumerate(WHO):
        times = {n: taken for n in SIZES if (taken := done.milliseconds(n, who)) is not None}
        nothing = nothing and not times
        for n, taken in times.items():
            tip = text("tip_time", who=text(f"who_{who}"), n=f"{n:,}", time=duration(taken))
            yield _record("time", who, n, taken, tip=tip)
        for n in STOPS if times else ():
            time = duration(times[n]) if n in times else "–"
            yield _record("time_read", who, n, line, text("read_time", who=text(f"who_{who}"), time=time))
    if nothing:
        yield _record("nothing", text=text("nothing_measured"))


# Spec.


@lru_cache(maxsize=8)
def spec(layout: str) -> dict[str, Any]:
    """Three views beside or below each other, in which pointing at an n points at it in all of them."""
    columns = {"xl": 3, "wide": 3, "medium": 2, "half": 2}.get(layout, 1)
    room = charts.ROOM[layout][0] - 40
    beside = room - PICTURE - (columns - 1) * (AXIS + SPACING)  # what the picture leaves to the charts
    width = min(room - AXIS if columns == 1 else beside // (columns - 1), 420)
    names = ["held_near", "time_near"]
    point = {"type": "point", "fields": ["n"], "toggle": False}
    return {
        "$schema": alt.SCHEMA_URL, "config": {"view": {"stroke": None}}, "spacing": SPACING, "columns": columns,
        "description": in_both("costs_alt", "production"),
        "concat": [_to_scale(), _bytes(width), _times(width)],
        "params": [
            {"name": "near", "select": point | {"on": "pointerover", "clear": "pointerout"}, "views": names},
            {"name": "pick", "select": point | {"on": "click", "clear": False}, "views": names},
        ],
    }  # fmt: skip


def _to_scale() -> dict[str, Any]:
    """Q and Kᵀ along the edges of the matrix of scores, and one block of it."""
    span = alt.Scale(domain=[0, 1], nice=False)
    x, y = alt.X("x:Q", scale=span, axis=None), alt.Y("y:Q", scale=alt.Scale(domain=[1, 0], nice=False), axis=None)
    parts = [
        _of("part", part).transform_filter(NOW).mark_rect(
            color=fill, stroke=theme.MASKED_STROKE if part == "all" else fill, strokeWidth=1,
            tooltip={"expr": "datum.tip"},
        ).encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q"))
        for part, fill in PARTS.items()
    ]  # fmt: skip
    lines = {"stop_name": "bold", "stop_matrix": "normal", "stop_block": "normal"}
    words = [_word(kind, 0, PICTURE + 16 + 18 * k, now=True, fontSize=13, fontWeight=weight)
             for k, (kind, weight) in enumerate(lines.items())]  # fmt: skip
    return _layers(PICTURE, PICTURE, *parts, _title("title_picture"), *words)


def _bytes(width: int) -> dict[str, Any]:
    """Lines by formula, rings where memory was measured."""
    x = _n_axis(STOPS)
    ticks = [2 ** k for k in (14, 20, 24, 30, 34)]
    scale = alt.Scale(type="log", base=2, domain=[2**13, 2**37], nice=False)
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(values=ticks, labelExpr=_AXIS, title=None))
    line = _of("held").mark_line(strokeWidth=2).encode(x, y, _colour())
    rings = _of("peak").mark_point(filled=False, size=70, strokeWidth=2, tooltip={"expr": "datum.tip"})
    peaks = rings.encode(x, y, _colour())
    return _layers(width, HIGH, *_near("held", x, y), line, peaks, *_reading("held_read"), _title("title_held"),
                   name="held_near")  # fmt: skip


def _times(width: int) -> dict[str, Any]:
    """Medians, as soon as they are known."""
    x = _n_axis(SIZES)
    scale = alt.Scale(type="log", domain=[0.02, 10_000], nice=False, clamp=True)
    ticks = alt.Axis(values=[0.1, 1, 10, 100, 1000, 10_000], labelExpr="datum.value + ' ms'", title=None)
    y = alt.Y("value:Q", scale=scale, axis=ticks)
    line = _of("time").mark_line(strokeWidth=2).encode(x, y, _colour())
    nothing = _word("nothing", width // 2, HIGH // 2, fontSize=13, align="center", opacity=0.85)
    return _layers(width, HIGH, *_near("time", x, y), line, *_reading("time_read"), _title("title_time"), nothing,
                   name="time_near")  # fmt: skip


def _near(kind: str, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """A band an n to point at, first: it has the view's name; then the points."""
    stops = STOPS if kind == "held" else SIZES
    mine = _of("stop_name").transform_filter(f"datum.n <= {stops[-1]} && datum.n >= {stops[0]}")
    band = mine.transform_calculate(low="datum.n / sqrt(2)", high="datum.n * sqrt(2)").mark_rect(
        color=COLOURS["tiled"], cursor="pointer", clip=True, tooltip=None
    ).encode(
        _n_axis(stops, "low:Q"), alt.X2("high:Q"),
        opacity=alt.when(NOW).then(alt.value(0.14)).otherwise(alt.value(0)),
    )  # fmt: skip
    marks = _of(kind).mark_point(filled=True, size=34, opacity=1, tooltip={"expr": "datum.tip"}).encode(x, y, _colour())
    return [band, marks]


def _reading(kind: str) -> list[alt.Chart]:
    """What each line says at the n that is pointed at: a legend that follows the pointer."""
    now, line = _of(kind).transform_filter(NOW), {"expr": "12 + 17 * datum.value"}
    words = now.mark_text(text={"expr": "datum.text"}, align="left", fontSize=12, fontWeight="bold", y=line)
    swatch = now.mark_point(shape="square", filled=True, size=70, opacity=1, y=line, tooltip=None)
    return [words.encode(alt.XValue(19), INK), swatch.encode(alt.XValue(11), _colour())]


def _n_axis(stops: Sequence[int], field: str = "n:Q") -> alt.X:
    scale = alt.Scale(type="log", base=2, domain=[stops[0] / 1.45, stops[-1] * 1.45], nice=False)
    axis = alt.Axis(values=list(stops), format=",d", grid=False, title="n", labelOverlap=True)
    return alt.X(field, scale=scale, axis=axis)


def _colour() -> alt.Color:
    return alt.Color("who:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())), legend=None)


def _of(kind: str, who: str = "") -> alt.Chart:
    """The records of one kind."""
    return alt.Chart().transform_filter(f"datum.kind === '{kind}'" + (f" && datum.who === '{who}'" if who else ""))


def _title(kind: str) -> alt.Chart:
    return _word(kind, 0, -12, fontSize=14, fontWeight="bold")


def _word(kind: str, x: float, y: float, *, now: bool = False, **mark: Any) -> alt.Chart:
    """Words at a fixed place, in the theme's ink; those of one n follow the pointer."""
    chosen = _of(kind).transform_filter(NOW) if now else _of(kind)
    return chosen.mark_text(text={"expr": "datum.text"}, **({"align": "left"} | mark)).encode(
        alt.XValue(x), alt.YValue(y), INK
    )  # fmt: skip


def _layers(width: int, height: int, *marks: alt.Chart, name: str = "") -> dict[str, Any]:
    """Marks over one another; the first one is where the view is pointed at."""
    layers = [{k: v for k, v in charts.without_data(each).items() if k not in {"$schema", "config"}} for each in marks]
    if name:
        layers[0]["name"] = name
    return {"width": width, "height": height, "layer": layers, "resolve": {"scale": {"color": "independent"}}}
