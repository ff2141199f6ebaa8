"""One row of weights and the Jacobian of its softmax, for each divisor, while all scores are stretched by a slider.

The spec depends on the number of keys and on the layout alone. What is dragged is computed in the chart, from the
differences between the reader's own scores: as `attention.softmax_jacobian` does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from ui import charts, theme
from ui import variance_gradient_live as live
from ui.charts import INK, LABELS, LEGIBLE
from ui.text import in_both
from ui.variance_charts import SPACING, layered, page

SLOTS = 3  #: how many rows stand side by side, a divisor each
NOTHING = -1e300  #: the score of a masked key: its power is 0, however small the multiplier
MOST = 0.25  #: no entry of a softmax Jacobian is larger, p(1 − p) at p = ½
CELL, SMALLEST = 40, 12  #: pixels: a cell at most, and where another has to make room
BARS, NAMES_HIGH = 52, 24  #: how high the bars are, and the names of keys between them and the cells
SLIDER, ENTRY = "× 2ᵗ, t =", "J[i, j]:"
LOG2 = (-3, 6, 0.5)  #: the slider: from ⅛ to 64 times the scores
UNSTRETCHED = round(-LOG2[0] / LOG2[2])  #: where it stands at the scores as they are, in steps from its low end


def jacobian_data(
    scaled: Sequence[NDArray[np.float64]], names: Sequence[str], titles: Sequence[str], dead: str
) -> Any:  # fmt: skip
    """A record an entry of each Jacobian: the distances of its two scores from the largest, and its words.

    What is said of a row is in the record of its first entry.

    scaled: a row of scores under each divisor, −∞ where masked; the first is the one that is drawn whole where
        there is no room for more (see `stacked`).
    dead: what is said of a row that does not answer.
    """
    n = len(names)
    i, j = (at.ravel() for at in np.indices((n, n), dtype=np.int8))
    columns: dict[str, Any] = {"slot": np.repeat(np.arange(len(scaled), dtype=np.int8), n * n)}
    columns |= {"i": np.tile(i, len(scaled)), "j": np.tile(j, len(scaled))}
    seen = np.isfinite(scaled)
    below = np.where(seen, scaled - np.max(scaled, axis=1, where=seen, initial=NOTHING)[:, None], NOTHING)
    columns |= {"a": below[:, i].ravel(), "b": below[:, j].ravel(), "open": (seen[:, i] & seen[:, j]).ravel()}
    columns |= {"name_i": [names[at] for at in i] * len(scaled), "name_j": [names[at] for at in j] * len(scaled)}
    nothing = [None] * (n * n - 1)
    columns["title"] = [word for title in titles for word in (title, *nothing)]
    columns["dead"] = [word for _ in titles for word in (dead, *nothing)]
    return charts.table(columns)


@lru_cache(maxsize=64)
def jacobian_spec(names: tuple[str, ...], layout: str) -> dict[str, Any]:
    """For each divisor bars of weights over their Jacobian, and the slider that stretches the scores of all."""
    return _spec(len(names), layout) | {"params": _params(names, 1 if stacked(len(names), layout) else SLOTS)}


@lru_cache(maxsize=64)
def _spec(n: int, layout: str) -> dict[str, Any]:
    """All but what is dragged and chosen."""
    one = stacked(n, layout)
    columns = 1 if one else SLOTS
    room = _room(layout, columns)
    cell = min((room - LABELS) // n, CELL)
    views = [_row(slot, n, cell, room, small=one and slot > 0) for slot in range(SLOTS)]
    # Flush: what is written beside the plots changes while they are dragged, and must not push them around.
    spacing = {"column": room + SPACING - n * cell, "row": 76}
    return page(views, columns, in_both("jacobian_alt", "variance_gradient")) | {
        "transform": live.steps(cell), "bounds": "flush", "spacing": spacing,
    }  # fmt: skip


def _params(names: tuple[str, ...], whole: int) -> list[dict[str, Any]]:
    """The slider, and the choice of an entry: from a list, or by a tap on one of the rows that are drawn whole.

    They are named in symbols, which every language reads: another one must not move what was dragged.
    """
    n, (low, high, step) = len(names), LOG2
    stretch = {"input": "range", "min": low, "max": high, "step": step, "name": f"{SLIDER}\u00a0"}
    listed = [f"J[{names[i]}, {names[j]}]" for i, j in np.ndindex(n, n)]
    entry = {"input": "select", "options": [-1, *range(n * n)], "labels": ["–", *listed], "name": f"{ENTRY}\u00a0"}
    chosen = {"type": "point", "fields": ["i", "j"], "on": "click", "clear": False, "toggle": False}
    return [
        {"name": "log2_s", "value": 0, "bind": stretch},
        {"name": "s", "expr": "pow(2, log2_s)"},
        {"name": "listed", "value": -1, "bind": entry},
        {"name": "tapped", "select": chosen, "views": [f"jacobian_{slot}" for slot in range(whole)]},
        {"name": "at", "expr": f"listed >= 0 ? listed : isValid(tapped.i) ? {n} * tapped.i[0] + tapped.j[0] : 0"},
    ]


def stacked(n: int, layout: str) -> bool:
    """Whether there is room for one Jacobian alone, the reader's own: of the others there are the bars, below it."""
    return layout == "phone" or (_room(layout, SLOTS) - LABELS) // n < SMALLEST


def _room(layout: str, columns: int) -> int:
    return (charts.ROOM[layout][0] - (columns - 1) * SPACING) // columns


def _row(slot: int, n: int, cell: int, room: int, *, small: bool) -> dict[str, Any]:
    """One divisor's: the same marks for each, over records of its own."""
    view = _marks(n, cell, room, small)
    first, *others = view["layer"]
    named = first if small else first | {"name": f"jacobian_{slot}"}
    return view | {"layer": [named, *others], "transform": [{"filter": f"datum.slot === {slot}"}]}


@lru_cache(maxsize=64)
def _marks(n: int, cell: int, room: int, small: bool) -> dict[str, Any]:
    """Whose row it is and how large its Jacobian, the bars and, but for the small ones, the Jacobian itself."""
    times = "datum.title + '   × ' + format(s, '.3~r')"
    words = [_said(times, -LABELS + 8, -26, 14, bold=True), _said("datum.norm", -LABELS + 8, -7, 13)]
    height = BARS if small else BARS + NAMES_HIGH + n * cell
    view = layered(n * cell, height, *([] if small else _entries(n, cell, room)), *_bars(n, cell), *words)
    view["resolve"]["scale"]["y"] = "independent"
    return view


def _bars(n: int, cell: int) -> list[alt.Chart]:
    """A bar a key, over its column of the Jacobian."""
    own = alt.Chart().transform_filter("datum.i === datum.j")
    x, tall = alt.X("j:O", scale=_band(n), axis=None), alt.Scale(domain=[0, 1.4], range=[BARS, 0], nice=False)
    y = alt.Y("p_i:Q", scale=tall, axis=None)
    ramp = alt.Scale(domain=np.linspace(0, 1, len(theme.WEIGHTS)).tolist(), range=list(theme.WEIGHTS),
                     interpolate="rgb")  # fmt: skip
    bars = own.mark_bar(
        stroke=theme.MASKED_STROKE, strokeWidth=1, tooltip={"expr": "datum.tip_p"}, description={"expr": "datum.tip_p"}
    ).encode(x, y, alt.Color("p_i:Q", scale=ramp, legend=None))
    if cell < LEGIBLE:
        return [bars]
    numbers = own.mark_text(dy=-7, fontSize=11, text={"expr": "datum.shown_p"}, aria=False)
    return [bars, numbers.encode(x, y, INK)]


def _entries(n: int, cell: int, room: int) -> list[alt.Chart]:
    """The Jacobian: its entries, the chosen one, and the names of rows and columns."""
    top = BARS + NAMES_HIGH
    x = alt.X("j:O", scale=_band(n), axis=None)
    y = alt.Y("i:O", scale=_band(n, range=[top, top + n * cell]), axis=None)
    return [*_cells(cell, x, y), *_chosen(n, cell, room, x, y), *_names(cell, x, y)]


def _cells(cell: int, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """The entries on a ramp that ends where none can be larger; struck out where a key is masked."""
    every = alt.Chart()
    ramp = alt.Scale(domain=np.linspace(-MOST, MOST, len(theme.SIGNED)).tolist(), range=list(theme.SIGNED),
                     interpolate="rgb", clamp=True)  # fmt: skip
    colour = alt.when("!datum.open").then(alt.value(theme.MASKED)).otherwise(
        alt.Color("live:Q", scale=ramp, legend=None))  # fmt: skip
    cells = every.mark_rect(
        cornerRadius=3, stroke=theme.MASKED, strokeWidth=1, cursor="pointer", tooltip={"expr": "datum.tip"},
        description={"expr": "datum.tip"},
    ).encode(x, y, colour)  # fmt: skip
    struck = every.transform_filter("!datum.open").mark_point(
        shape="M-.5,.5L.5,-.5", size=(cell * 0.86) ** 2, stroke=theme.MASKED_STROKE, strokeWidth=1.2, filled=False
    ).encode(x, y)  # fmt: skip
    if cell < LEGIBLE:
        return [cells, struck]
    ink = alt.when(_light()).then(alt.value(theme.PAPER)).otherwise(alt.value(theme.INK))
    numbers = every.mark_text(fontSize=min(13, round(cell * 0.34)), text={"expr": "datum.shown"}, aria=False)
    return [cells, struck, numbers.encode(x, y, color=ink)]


def _chosen(n: int, cell: int, room: int, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """A frame around the chosen entry, and its arithmetic below."""
    chosen, bottom = alt.Chart().transform_filter(f"{n} * datum.i + datum.j === at"), BARS + NAMES_HIGH + n * cell
    frames = [
        chosen.mark_rect(filled=False, cornerRadius=3, stroke=stroke, strokeWidth=width, tooltip=None).encode(x, y)
        for stroke, width in ((theme.PAPER, 4.5), (theme.CHOSEN, 2.5))
    ]
    said = _said(live.arithmetic(), -LABELS + 8, bottom + 16, 13, chosen, limit=room - 8)
    # Room for it at the edge of the chart, which does not grow while one drags.
    edge = chosen.mark_point(opacity=0, size=1, tooltip=None, aria=False).encode(
        alt.XValue(room - LABELS), alt.YValue(bottom))  # fmt: skip
    return [*frames, said, edge]


def _names(cell: int, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """The keys, at rows and columns."""
    every, size = alt.Chart(), min(14, max(9, round(cell * 0.42)))
    turned = {"limit": cell + 2} if cell >= LEGIBLE else {"limit": 24, "angle": 300, "align": "left", "dx": -2}
    rows = every.transform_filter("datum.j === 0").mark_text(
        align="right", limit=LABELS - 10, fontSize=size, text={"expr": "datum.name_i"}
    ).encode(y, alt.XValue(-6), INK)  # fmt: skip
    columns = every.transform_filter("datum.i === 0").mark_text(
        fontSize=size, text={"expr": "datum.name_j"}, **turned
    ).encode(x, alt.YValue(BARS + NAMES_HIGH - (11 if cell >= LEGIBLE else 3)), INK)  # fmt: skip
    return [rows, columns]


def _band(n: int, **where: Any) -> alt.Scale:
    return alt.Scale(domain=list(range(n)), paddingInner=0.06, paddingOuter=0, **where)


def _said(
    text: str, x: int, y: int, size: int, base: alt.Chart | None = None, bold: bool = False, limit: int = 320
) -> alt.Chart:  # fmt: skip
    """A line of words at a fixed place, once."""
    once = base or alt.Chart().transform_filter("datum.i === 0 && datum.j === 0")
    words = once.mark_text(
        align="left", fontSize=size, fontWeight="bold" if bold else "normal", text={"expr": text}, limit=limit
    )
    return words.encode(alt.XValue(x), alt.YValue(y), INK)


def _light() -> str:
    """Whether white is the ink to read on an entry."""
    light = [theme.light_ink(theme.SIGNED, step / 255) for step in range(256)]
    low, high = light.index(False), 255 - light[::-1].index(False)
    ends = [(2 * (step / 255) - 1) * MOST for step in (low, high)]
    return f"datum.open && (datum.live < {ends[0]} || datum.live > {ends[1]})"
