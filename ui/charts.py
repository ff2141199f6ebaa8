"""Charts: a constant spec and a tidy frame, no Streamlit inside.

A spec depends on shapes and on the page's width alone. Tokens, titles and numbers travel as data: a data-only change
keeps the drawn chart, and with it the row a reader has chosen, when the language is switched or a number edited.
What is cached is the plain dict: making one costs a visitor 40 ms a heatmap, under a lock that all share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from typing import Any
from unicodedata import east_asian_width
from zlib import crc32

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

try:  # a table of Arrow's goes to the browser as it is; turning a frame into one costs a tenth of a rerun
    import pyarrow
except ImportError:  # Streamlit brings it along, except in its edition that runs in the browser
    pyarrow = None

from ui import display, theme
from ui import live as what_if
from ui.places import Place
from ui.text import in_both

#: layout → (width the charts may take, stages side by side)
ROOM = {"xl": (1240, 4), "wide": (880, 4), "medium": (560, 2), "half": (490, 2), "narrow": (432, 2), "phone": (318, 1)}
STALE = tuple(map(int, version("streamlit").split(".")[:2])) < (1, 67)  #: whether `fresh` is needed
_STAMP = "stamp "
LABELS = 62  #: pixels for a row's token, left of its cells
SUMS = 62  #: pixels for "Σ = 1.00", right of the weights
LEGIBLE = 27  #: the least cell that holds a number
COLUMNS = ("kind", "s", "q", "k", "v", "text", "tip", "light", "at", "marked", "old", "end")
Shape = tuple[int, bool, bool]  #: a heatmap's columns, whether it holds weights, whether sums stand beside it
INDEPENDENT = {"scale": {"color": "independent"}}
CHOSEN, OPERAND = 1, 2  #: how a cell is marked: it explains itself; it goes into the one that does


@dataclass(frozen=True)
class Heat:
    """One matrix of a linked group: numbers, the colour of each, and the words around it."""

    values: NDArray[np.float64]
    title: str
    hint: str
    columns: Sequence[str]
    tip: Callable[[int, int, str], str]
    hidden: NDArray[np.bool_] | None = None  # True = masked: struck out, never just empty
    weights: bool = False  # [0, 1] ramp and row sums; otherwise signed
    limit: float = 1.0  # the value at the ends of a signed ramp
    stage: str = ""  # what its cells are called in `ui.places`; none: they cannot be chosen
    head: int = -1
    marks: Mapping[Place, int] = field(default_factory=dict)  # CHOSEN or OPERAND
    show: Callable[[float, int], str] = display.short  # a number in so many decimals
    sums: Sequence[str] | None = None  # what stands right of each row; none: nothing does
    old: NDArray[np.float64] | None = None  # what a number dragged in the browser is compared with

    def at(self, q: int, k: int) -> tuple[str | None, int]:
        """A cell's address, and how it is marked."""
        if not self.stage:
            return None, 0
        return f"{self.stage} {q} {k} {self.head}", self.marks.get(Place(self.stage, q, k, self.head), 0)

    def before(self, q: int, k: int) -> tuple[float | None, float | None]:
        """The number a cell is compared with, none where it is masked, and the difference at the ends of the ramp."""
        if self.old is None:
            return None, None
        return float(self.old[q, k]) if math.isfinite(self.old[q, k]) else None, self.limit


def largest(*values: NDArray[np.float64]) -> float:
    """The number at the ends of a ramp that these share. −∞ and NaN have no place on it."""
    return max(float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) for x in values)


def row_sums(weights: NDArray[np.float64]) -> list[str]:
    """What stands right of each row of weights."""
    return [f"Σ = {display.total(row)}" for row in weights]


def linked(
    rows: Sequence[str], heats: Sequence[Heat], layout: str, turn: int = 0, stamp: int = 0
) -> tuple[Any, dict[str, Any]]:
    """Heatmaps that share their rows: choosing a row lights it up in all of them, in the browser alone.

    turn: another number after each choice of a cell, or Vega would keep silent when a cell is chosen once more.
    stamp: names the numbers of all four stages; given, the browser draws what-ifs on them (see `ui.live`).
    """
    shapes = tuple((heat.values.shape[1], heat.weights, heat.sums is not None) for heat in heats)
    return _frame(rows, heats, turn, stamp), linked_spec(len(rows), shapes, layout, live=stamp > 0)


def _frame(rows: Sequence[str], heats: Sequence[Heat], turn: int, stamp: int) -> Any:
    """The marks of all heatmaps, a record each, by columns."""
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for s, heat in enumerate(heats):
        records = [_word("title", s, heat.title), _word("hint", s, heat.hint)]
        records += [_word("column", s, name, k=k, ems=ems(name)) for k, name in enumerate(heat.columns)]
        for q, (token, values) in enumerate(zip(rows, heat.values, strict=True)):
            records.append(_word("row", s, token, q, ems=ems(token)))
            records += [_cell(heat, s, q, k, x) for k, x in enumerate(values.tolist())]
            if heat.sums is not None:
                records.append(_word("sum", s, heat.sums[q], q))
        for name, column in zip(COLUMNS, zip(*records, strict=True), strict=True):
            columns[name] += column
    for name, constant in {"turn": turn, "ink": 1, **({"stamp": stamp} if stamp else {})}.items():
        columns[name] = [constant] * len(columns["kind"])
    return table(columns)


def table(columns: Mapping[str, list[Any]]) -> Any:
    """A chart's data by columns."""
    return fresh(pyarrow.table(columns) if pyarrow else pd.DataFrame(columns))


def arrow(frame: pd.DataFrame) -> Any:
    """A frame that is drawn again and again, as what goes to the browser as it is.

    Without what pandas notes about it: of a frame without an index that is a list of no levels, which the oldest
    Streamlit that we support cannot read (it draws a RangeError instead of the chart).
    """
    if not pyarrow:
        return fresh(frame)
    return fresh(pyarrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata())


def with_columns(data: Any, columns: Mapping[str, list[Any]]) -> Any:
    """A chart's data with some columns added or replaced."""
    if not pyarrow:
        return fresh(data.assign(**columns))
    kept = data.drop_columns([name for name in columns if name in data.column_names])
    for name, values in columns.items():
        kept = kept.append_column(name, pyarrow.array(values))
    return fresh(kept)


def fresh(data: Any) -> Any:
    """A chart's data, in older versions with a column whose name no other data have.

    There the browser takes new data for the old ones where they are as long and have the same columns, and goes on
    showing numbers that are gone: what it compares does not see the values.
    """
    if not STALE:
        return data
    if isinstance(data, pd.DataFrame):
        kept = data.loc[:, [not str(name).startswith(_STAMP) for name in data.columns]]
        return kept.assign(**{f"{_STAMP}{crc32(repr(kept.to_dict('list')).encode()):08x}": 0})
    kept = data.select([name for name in data.column_names if not name.startswith(_STAMP)])
    stamp = 0
    for column in kept.columns:
        for buffer in (each for chunk in column.chunks for each in chunk.buffers() if each is not None):
            stamp = crc32(buffer, stamp)
    return kept.append_column(f"{_STAMP}{stamp:08x}", pyarrow.array(np.zeros(kept.num_rows, np.int8)))


def _word(kind: str, s: int, text: str, q: int = 0, k: int = 0, ems: float | None = None) -> tuple[Any, ...]:
    return (kind, s, q, k, ems, text, None, False, None, 0, None, None)


@lru_cache(maxsize=512)
def ems(word: str) -> float:
    """About how wide a word is, in font sizes.

    >>> ems("猫"), round(ems("mouse"), 2)
    (1.0, 2.85)
    """
    wide = {c: 1.0 if east_asian_width(c) in "WF" else 0.85 if c in "mwMW@%" else 0.5 + 0.1 * c.isupper() for c in word}
    return max(sum(wide[c] for c in word), 0.5)


def _cell(heat: Heat, s: int, q: int, k: int, x: float) -> tuple[Any, ...]:
    text, tip = heat.show(x, 2), heat.tip(q, k, heat.show(x, 4))
    if math.isnan(x) or x == -math.inf or (heat.hidden is not None and heat.hidden[q, k]):
        # 0.0, because Vega drops a mark whose colour is not a number
        return ("masked", s, q, k, 0.0, text, tip, False, *heat.at(q, k), *heat.before(q, k))
    colour = x if heat.weights else min(max(x / heat.limit, -1.0), 1.0) if heat.limit else 0.0
    position = colour if heat.weights else (colour + 1) / 2
    light = _light(heat.weights, round(255 * position))
    return ("cell", s, q, k, colour, text, tip, light, *heat.at(q, k), *heat.before(q, k))


@lru_cache(maxsize=512)
def _light(weights: bool, step: int) -> bool:
    """Whether white ink is the one to read on step 0 … 255 of a ramp."""
    return theme.light_ink(_ramp(weights), step / 255)


def _ramp(weights: bool) -> tuple[str, ...]:
    return theme.WEIGHTS if weights else theme.SIGNED


@lru_cache(maxsize=256)
def linked_spec(n: int, shapes: tuple[Shape, ...], layout: str, *, live: bool = False) -> dict[str, Any]:
    """The spec of `linked` for n rows and these shapes."""
    room, across = ROOM[layout]
    across = min(across, len(shapes))
    cell = _cell_size(shapes, room, across)
    if cell < LEGIBLE and across > 2:
        across = 2
        cell = _cell_size(shapes, room, across)
    stages = _live(n, shapes) if live else [Shown()] * len(shapes)
    views = [
        _heatmap(s, n, columns, weights, cell, shown)
        for s, ((columns, weights, _), shown) in enumerate(zip(shapes, stages, strict=True))
    ]
    # Every expression of a mark costs its call at every frame of a what-if: no filter for what is no number (nothing
    # but numbers comes), and constants as a style, which is applied once.
    paper = {"cornerRadius": 3, "stroke": theme.MASKED, "strokeWidth": 1}
    return {
        "$schema": alt.SCHEMA_URL, "concat": views, "columns": across, "spacing": 14, "resolve": INDEPENDENT,
        "config": {"view": {"stroke": None}, "mark": {"invalid": "show"}, "style": {"paper": paper}},
        "params": row_choice(len(shapes), n) + (what_if.params(n, shapes[-1][0]) if live else []),
    }  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """What marks read, as expressions (`v` is a field: it has a scale); `cells` and `sums` are how it is made."""

    kind: str = "datum.kind"
    text: str = "datum.text"
    tip: str = "datum.tip"
    light: str = "datum.light"  # whether white ink is the one to read
    v: str = "v"
    may_be_struck: bool = True
    cells: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, str] = field(default_factory=dict)


def _live(n: int, shapes: tuple[Shape, ...]) -> list[Shown]:
    """What marks read where the browser computes what-ifs."""
    d_v, differs = shapes[-1][0], not any(weights for _, weights, _ in shapes)
    return [
        Shown(
            what_if.kind(s), "datum.shown.text", "datum.shown.tip", what_if.light(weights), "live_v",
            s in what_if.STRUCK, what_if.cells(s, n, d_v, differs=differs), what_if.sums(differs=differs),
        )
        for s, (_, weights, _) in enumerate(shapes)
    ]  # fmt: skip


def row_choice(views: int, n: int) -> list[dict[str, Any]]:
    """One choice of a row for all views: pointed at, clicked, or chosen from a list with the keyboard.

    A click chooses the cell as well, where the page listens to it (`ui.trace`). Its row stays lit until another cell is
    chosen, by whatever way, or none: then the data's `turn` has gone on.

    (Altair cannot say `views` of a selection itself, altair #3891.)
    """
    names = [f"cells_{s}" for s in range(views)]
    hover = {"type": "point", "fields": ["q"], "on": "pointerover", "clear": "pointerout"}
    pick = {"type": "point", "fields": ["q", "at", "turn"], "on": "click", "clear": "dblclick", "toggle": False}
    rows = {"input": "select", "options": [-1, *range(n)], "labels": ["–", *(str(q + 1) for q in range(n))]}
    return [
        {"name": "hover", "select": hover, "views": names},
        {"name": "pick", "select": pick, "views": names},
        {"name": "lit", "expr": "isValid(hover.q) ? hover.q[0] : row"},
        {"name": "picked", "expr": "isValid(pick.q) ? pick.q[0] : -1"},
        {"name": "picked_until", "expr": "isValid(hover.q) || !isValid(pick.q) ? -1 : pick.turn[0] + 1"},
        {"name": "row", "value": -1, "bind": rows | {"name": f"{in_both('light_up')} "}},
    ]


def _cell_size(shapes: tuple[Shape, ...], room: int, across: int) -> int:
    widest = max(
        sum(columns for columns, *_ in shapes[i : i + across]) for i in range(0, len(shapes), across)
    )
    frame = across * (LABELS + 14) + SUMS * any(sums for *_, sums in shapes)
    return int(min(max((room - frame) / widest, 13), 46))


#: Whether a mark belongs to the row that is pointed at, else the clicked one, else the listed one, else any.
LIT = "datum.turn > picked_until ? lit < 0 || lit === datum.q : picked === datum.q"
FADED = 0.35


#: Chart text in the theme's own ink: the top of its sequential palette, which the browser picks by appearance.
INK = alt.Color("ink:Q", scale=alt.Scale(domain=[0, 1], range="ramp"), legend=None)


def _heatmap(s: int, n: int, columns: int, weights: bool, cell: int, shown: Shown) -> dict[str, Any]:
    ramp = list(_ramp(weights))
    x = alt.X("k:O", scale=alt.Scale(domain=list(range(columns)), paddingInner=0.06, paddingOuter=0), axis=None)
    y = alt.Y("q:O", scale=alt.Scale(domain=list(range(n)), paddingInner=0.06, paddingOuter=0), axis=None)
    lit = alt.when("datum.lit").then(alt.value(1)).otherwise(alt.value(FADED))
    base = alt.Chart()
    masked = f"{shown.kind} === 'masked'"
    ends = (0, 1) if weights else (-1, 1)
    scale = alt.Scale(domain=np.linspace(*ends, len(ramp)).tolist(), range=ramp, interpolate="rgb", clamp=True)
    middle, wide, high = _middle(columns, n, cell)
    rect = base.mark_rect(
        style="paper", description=_says(shown.tip), tooltip={"expr": shown.tip}, width=wide, height=high
    ).encode(
        *middle, opacity=lit,
        color=alt.when(masked).then(alt.value(theme.MASKED))
        .otherwise(alt.Color(f"{shown.v}:Q", scale=scale, legend=None)),
    )  # fmt: skip
    struck = base.transform_filter(masked).mark_point(
        shape="M-.5,.5L.5,-.5", size=(cell * 0.86) ** 2, stroke=theme.MASKED_STROKE, strokeWidth=1.2, filled=False
    ).encode(x, y, opacity=lit)  # fmt: skip
    layers = [rect, struck] if shown.may_be_struck else [rect]
    if cell >= LEGIBLE:
        layers.append(_numbers(base, middle, min(13, round(cell * 0.35)), shown))
    own = f"datum.s === {s} && (datum.kind === 'cell' || datum.kind === 'masked')"
    # The cells' own chain: what changes in it leaves what stands around it alone. Each expression is said once, and
    # read by several channels.
    steps = [{"calculate": expression, "as": name} for name, expression in {**shown.cells, "lit": LIT}.items()]
    cells = _together(*layers) | {"transform": [{"filter": own}, *steps]}
    cells["layer"][0]["name"] = f"cells_{s}"
    around = [*outlines(base.transform_filter(own), x, y), *_words(base, s, x, y, cell, columns, shown)]
    return _together(*around, first=cells) | {"width": columns * cell, "height": n * cell}


def _together(*layers: alt.Chart, first: dict[str, Any] | None = None) -> dict[str, Any]:
    """Layers over each other, each with colours of its own.

    (Altair's `layer` would copy all that is in them, again at each level: most of the time that a spec took.)
    """
    plain = [_plain(layer) for layer in layers]
    return {"layer": [first, *plain] if first else plain, "resolve": INDEPENDENT}


def _middle(columns: int, rows: int, cell: int) -> tuple[list[Any], float, float]:
    """Where the middle of a cell is, what the band scales of its heatmap would say without being asked; its size."""
    steps = [count * cell / (count - 0.06) for count in (columns, rows)]
    at = [f"{step} * (datum.{name} + 0.47)" for step, name in zip(steps, "kq", strict=True)]
    return [alt.XValue({"expr": at[0]}), alt.YValue({"expr": at[1]})], 0.94 * steps[0], 0.94 * steps[1]


def _says(tip: str) -> dict[str, str]:
    """A cell's label, leaner than the one that Vega-Lite would compute from all of its channels at every change."""
    return {"expr": f"'k: ' + datum.k + '; q: ' + datum.q + '; ' + {tip}"}


def outlines(cells: alt.Chart, *at: Any) -> list[alt.Chart]:
    """A frame around the chosen cell, a dashed one around those that go into it; on white, to show on any colour.

    (A condition on strokeDash draws no dashes, so each has a layer.)
    """
    frames = (("datum.marked > 0", theme.PAPER, 4.5, []), (f"datum.marked === {CHOSEN}", theme.CHOSEN, 2.5, []),
              (f"datum.marked === {OPERAND}", theme.CHOSEN, 2.5, [4, 3]))  # fmt: skip
    return [
        cells.transform_filter(which).mark_rect(
            filled=False, cornerRadius=3, stroke=stroke, strokeWidth=width, strokeDash=dash, tooltip=None
        ).encode(*at)
        for which, stroke, width, dash in frames
    ]  # fmt: skip


def _numbers(cells: alt.Chart, middle: Sequence[Any], size: int, shown: Shown) -> alt.Chart:
    """The numbers in the cells."""
    numbers = cells.mark_text(fontSize=size, text={"expr": shown.text}, aria=False)  # the cell beneath says it
    return numbers.encode(*middle, color=ink_on_cells(shown.light, "datum.lit"))


def ink_on_cells(light: str, lit: str = LIT) -> alt.Color:
    """White where `light` is true, else black; on a faded cell, through which the page shines, the page's own ink."""
    return INK.condition([{"test": f"({lit}) && {light}", "value": theme.PAPER}, {"test": lit, "value": theme.INK}])


def _words(
    base: alt.Chart, s: int, x: alt.X, y: alt.Y, cell: int, columns: int, shown: Shown
) -> list[alt.Chart]:
    """Title, hint, tokens and row sums around one heatmap: marks, not axes, so that words can travel as data."""

    def words(kind: str, *at: Any, **mark: Any) -> alt.Chart:
        chosen = base.transform_filter(f"datum.s === {s} && datum.kind === '{kind}'")
        text = "datum.text"
        if kind == "sum" and shown.sums:
            text = shown.text
            for name, expression in shown.sums.items():
                chosen = chosen.transform_calculate(**{name: expression})
        return chosen.mark_text(text={"expr": text}, **mark).encode(*at, color=INK)

    lit = alt.when(LIT).then(alt.value(1)).otherwise(alt.value(FADED))
    size = min(14, max(9, round(cell * 0.42)))
    left, right = alt.XValue(-LABELS + 8), alt.XValue(columns * cell + 6)
    turned = {"angle": 300, "align": "left", "limit": 40} if cell < LEGIBLE else {"limit": cell + 3}
    top = -62 if cell < LEGIBLE else -46
    return [
        words("title", left, alt.YValue(top), align="left", fontSize=14, fontWeight="bold"),
        words("hint", left, alt.YValue(top + 17), align="left", fontSize=11, opacity=0.85),
        words("column", x, alt.YValue(-10), fontSize=size if cell < LEGIBLE else fitting(size, cell + 2), **turned),
        words("row", y, alt.XValue(-6), fontSize=fitting(size, LABELS - 10), align="right", limit=LABELS - 10).encode(
            opacity=lit
        ),
        words("sum", y, right, fontSize=11, align="left").encode(opacity=lit),
    ]


def fitting(size: int, room: int) -> dict[str, str]:
    """A size of type in which a word is not cut, as long as it can be read. (A word's `v` is how wide it is.)"""
    return {"expr": f"max(9, min({size}, {room} / datum.v))"}


def _plain(layer: alt.Chart) -> dict[str, Any]:
    """A layer as a dict, to stand among others. (A test has Altair check what they come to.)"""
    spec = without_data(layer, validate=False)
    return {key: part for key, part in spec.items() if key not in {"$schema", "config"}}


def without_data(chart: alt.TopLevelMixin, *, validate: bool = True) -> dict[str, Any]:
    """The checked spec as a dict in which no layer names its data: the frame given beside it is every layer's."""
    spec = chart.to_dict(validate=validate)

    def strip(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: strip(item) for key, item in node.items() if key not in {"data", "datasets"}}
        return [strip(item) for item in node] if isinstance(node, list) else node

    return strip(spec)  # type: ignore[no-any-return]
