"""The chart of training runs: a panel a d_k, a thin line a seed, the median of the seeds bold.

Only numbers travel: a row a d_k and step, a column a curve, so that what grows can be sent several times a second.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from attention import training
from ui import charts, training_runs
from ui.text import Text
from ui.theme import CHOSEN
from ui.training_runs import Series
from ui.variance_charts import NAMES, coloured, layered, page
from ui.variance_training_facts import BANDS, LAST

GAP = 12  #: pixels between panels
AXIS = 58  #: pixels left of the first one, for the longest labels of any measure
HIGH = 160
#: measure → the ends of its axis
ENDS = {"loss": (0.0, 2.8), "gradient": (1e-3, 10.0), "entropy": (0.0, 1.0), "accuracy": (0.0, 1.0),
        "match": (-100.0, 2000.0)}  # fmt: skip
#: measure → what guessing blindly, or looking everywhere alike, comes to
LEVELS = {"loss": training.CHANCE, "entropy": 1.0, "accuracy": 1 / training.VALUES}

INK_SCALE = alt.Scale(domain=[0, 1], range="ramp")  #: as `charts.INK`: the theme's own
FILL = alt.Fill("ink:Q", scale=INK_SCALE, legend=None)

LETTERS = {"sqrt": "s", "none": "n"}
MEDIAN = "m"


def shown(hidden: bool) -> dict[str, str]:
    """What is drawn: before a guess nothing without √d_k, which at any d_k would tell how the largest fares."""
    return {scale: letter for scale, letter in LETTERS.items() if not (hidden and scale == "none")}


def curve_names(hidden: bool) -> list[str]:
    """The columns of the frame that are curves: those of the seeds and their median, with √d_k and without."""
    which = [*map(str, range(training_runs.SEEDS)), MEDIAN]
    return [letter + each for letter in shown(hidden).values() for each in which]


def frame(series: Series, measure: str, hidden: bool) -> Any:
    """What was measured so far; what has to wait for a guess is not in it."""
    steps = np.arange(1, training.STEPS + 1, dtype=np.int16)
    columns: dict[str, Any] = {"d": np.repeat(np.array(training.D_K, dtype=np.int16), len(steps)),
                               "step": np.tile(steps, len(training.D_K))}  # fmt: skip
    for scale, letter in shown(hidden).items():
        curves = np.stack([curves_of(series, d_k, scale, measure) for d_k in training.D_K], axis=1)
        rows = curves.reshape(len(series.seeds), -1).astype(np.float32)
        columns |= {f"{letter}{k}": row for k, row in enumerate(rows)} | {letter + MEDIAN: median(rows)}
    return _sent(columns)


def curves_of(series: Series, d_k: int, scale: str, measure: str) -> np.ndarray[Any, Any]:
    """(seeds, steps): the curves of one d_k; NaN where a run has not come yet."""
    found = np.full((len(series.seeds), training.STEPS), np.nan)
    for k, seed in enumerate(series.seeds):
        curve = series.curve(series.setting(d_k, scale, seed), measure)
        found[k, : len(curve)] = curve
    return found


def median(curves: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """(seeds, steps) → the median of the seeds that have come to a step; NaN where none has.

    What np.nanmedian says, in a tenth of its time: sorting puts NaN last.

    >>> median(np.array([[1.0, 5.0, np.nan], [3.0, np.nan, np.nan], [2.0, 7.0, np.nan]])).tolist()
    [2.0, 6.0, nan]
    """
    ordered, there = np.sort(curves, axis=0), (~np.isnan(curves)).sum(axis=0)
    middle = np.maximum(there - 1, 0) // 2, np.minimum(there // 2, len(curves) - 1)
    low, high = (np.take_along_axis(ordered, each[None], axis=0)[0] for each in middle)
    return (low + high) / 2


def _sent(columns: dict[str, Any]) -> Any:
    """As a table of Arrow's, where there is one: no number is a null, which Vega leaves out."""
    if not charts.pyarrow:
        return charts.fresh(pd.DataFrame(columns))
    sent = {name: charts.pyarrow.array(each, from_pandas=True) for name, each in columns.items()}
    return charts.fresh(charts.pyarrow.table(sent))


@lru_cache(maxsize=64)
def spec(layout: str, measure: str, guess: str, hidden: bool, text: Text) -> dict[str, Any]:
    """A panel a d_k. guess: the answer that is drawn; hidden: whether what has no √d_k waits for one."""
    columns = {"xl": 5, "wide": 5, "medium": 3}.get(layout, 2)
    width = min((charts.ROOM[layout][0] - AXIS - (columns - 1) * GAP) // columns, 230)
    height, panels = HIGH if columns > 2 else 120, []
    for k, d_k in enumerate(training.D_K):
        first, last = k % columns == 0, d_k == training.D_K[-1]
        levels = [*_level(measure, first, text), *_powers(d_k, measure, first, text)]
        marks = [*levels, *_curves(measure, first, hidden, text)]
        if last and hidden:
            marks += _waiting(width, height, text)
        if last and guess in BANDS and measure == "loss":
            marks += _band(guess, measure, first, text)
        if k == 0:
            marks += _level_name(measure, text)
        panel = layered(width, height, *marks, share_colour=True)
        panel["transform"] = [{"filter": f"datum.d === {d_k}"}]
        panels.append(panel | {"title": {"text": f"d_k = {d_k}", "fontSize": 13, "offset": 6}})
    return page(panels, columns, text(f"alt_{measure}")) | {"spacing": GAP}


def _curves(measure: str, first: bool, hidden: bool, text: Text) -> list[alt.Chart]:
    x, y = _axes(measure, first, text)
    colour = coloured(tuple(LETTERS))
    colour.legend = alt.Legend(orient="top", title=None, offset=0, symbolOpacity=1)
    seeds, medians = _folded(curve_names(hidden)), _folded([letter + MEDIAN for letter in shown(hidden).values()])
    tips = [alt.Tooltip("side:N", title=text("tip_side")), alt.Tooltip("step:Q", title=text("tip_step")),
            alt.Tooltip("v:Q", format=".3~g", title=text(f"tip_{measure}"))]  # fmt: skip
    dots = medians.transform_filter("datum.step % 10 === 0").mark_point(filled=True, size=26, opacity=1, clip=True)
    return [
        seeds.mark_line(strokeWidth=1, opacity=0.4, clip=True).encode(x, y, colour, detail=alt.Detail("run:N")),
        medians.mark_line(strokeWidth=2.5, clip=True).encode(x, y, colour),
        dots.encode(x, y, colour, tooltip=tips),
    ]


def _folded(columns: list[str]) -> alt.Chart:
    """A row a curve and step: `run` is the column's name, `side` what its scores are divided by."""
    sides = " : ".join(f"datum.run[0] === '{letter}' ? '{NAMES[scale]}'" for scale, letter in LETTERS.items())
    return (
        alt.Chart().transform_fold(columns, as_=["run", "v"]).transform_filter("isValid(datum.v)")
        .transform_calculate(side=f"{sides} : ''")
    )  # fmt: skip


def _axes(measure: str, first: bool, text: Text, at: str = "step:Q") -> tuple[alt.X, alt.Y]:
    """The first panel of a row says what its axes are; the others are alike."""
    ticks = [0, training.STEPS // 2, training.STEPS]
    axis = alt.Axis(values=ticks, grid=False, title=None)
    if first:
        axis.labelExpr = f"datum.value === {ticks[1]} ? '{text('axis_step', step=ticks[1])}' : datum.label"
    x = alt.X(at, scale=alt.Scale(domain=[0, training.STEPS], nice=False), axis=axis)
    return x, alt.Y("v:Q", scale=_scale(measure), axis=_value_axis(measure, first), title=None)


def _scale(measure: str) -> alt.Scale:
    kind: dict[str, Any] = {"gradient": {"type": "log", "clamp": True},
                            "match": {"type": "symlog", "constant": 10, "clamp": True}}.get(measure, {})  # fmt: skip
    return alt.Scale(domain=list(ENDS[measure]), nice=False, **kind)


def _value_axis(measure: str, first: bool) -> alt.Axis:
    values = {"loss": [0, 1, 2], "gradient": [0.001, 0.01, 0.1, 1, 10],
              "match": [-100, -10, 0, 10, 100, 1000]}.get(measure, [0, 0.5, 1])  # fmt: skip
    form = {"accuracy": "%", "match": ",d"}.get(measure, "~g")
    return alt.Axis(values=values, format=form, labels=first, ticks=first, domain=first, title=None, labelOverlap=False)


# Words and lines that stand still are drawn from a panel's first row, which is there before anything was measured.


def _still(**fields: Any) -> alt.Chart:
    values = {name: str(value) for name, value in fields.items()}
    return alt.Chart().transform_filter("datum.step === 1").transform_calculate(ink="1", **values)


def _word(words: str, x: Any, y: Any, **mark: Any) -> alt.Chart:
    """In the theme's ink, by `fill`: the scale of `color` is the curves', and makes the legend."""
    return _still().mark_text(text=words, **mark).encode(x, y, FILL)


def _level(measure: str, first: bool, text: Text) -> list[alt.Chart]:
    """What blind guessing, or looking at all alike, comes to: a line to compare with."""
    if measure not in LEVELS:
        return []
    y = _axes(measure, first, text)[1]
    line = _still(v=LEVELS[measure]).mark_rule(strokeDash=[3, 3], opacity=0.6, tooltip=None).encode(
        y, alt.Stroke("ink:Q", scale=INK_SCALE, legend=None)
    )  # fmt: skip
    return [line]


def _powers(d_k: int, measure: str, first: bool, text: Text) -> list[alt.Chart]:
    """What q·k would come to if it grew like √d_k, or like d_k: lines to compare with, and their names."""
    if measure != "match":
        return []
    x, y = _axes(measure, first, text, at="at:Q")
    marks = []
    for name, level, dash, dy in (("√d_k", math.sqrt(d_k), [1, 3], 9), ("d_k", d_k, [5, 3], -7)):
        there = _still(v=level, at=training.STEPS)
        marks.append(there.mark_rule(strokeDash=dash, opacity=0.8, tooltip=None).encode(
            y, alt.Stroke("ink:Q", scale=INK_SCALE, legend=None)))  # fmt: skip
        if d_k == training.D_K[-1]:  # where they are far apart
            marks.append(there.mark_text(text=name, align="right", dx=-2, dy=dy, fontSize=11).encode(x, y, FILL))
    return marks


def _level_name(measure: str, text: Text) -> list[alt.Chart]:
    """What that line is: over the curves, in the first panel, where they leave room at its end."""
    if measure not in LEVELS:
        return []
    below = measure == "entropy"  # nothing is above
    word = _still(v=LEVELS[measure], at=training.STEPS).mark_text(
        text=text(f"level_{measure}"), align="right", dx=-2, dy=9 if below else -7, fontSize=11
    )
    x, y = _axes(measure, True, text, at="at:Q")
    return [word.encode(x, y, FILL)]


def _waiting(width: int, height: int, text: Text) -> list[alt.Chart]:
    """In place of the curves that nobody has made a guess about."""
    x, y = alt.XValue(width - 4), 0.36 * height  # where curves with √d_k leave room
    words = (("?", y, {"fontSize": 32}), (text("guess_first"), y + 22, {"fontSize": 11, "fontWeight": "bold"}))
    return [_word(word, x, alt.YValue(at), align="right", **mark) for word, at, mark in words]


def _band(guess: str, measure: str, first: bool, text: Text) -> list[alt.Chart]:
    """Where the guess has the loss end: a frame around the last steps."""
    x, y = _axes(measure, first, text, at="start:Q")
    low, high = (min(share * training.CHANCE, ENDS["loss"][1]) for share in BANDS[guess])
    there = _still(v=low, high=high, start=training.STEPS - LAST, end=training.STEPS)
    frame = there.mark_rect(fill=CHOSEN, fillOpacity=0.18, stroke=CHOSEN, strokeWidth=1.5, tooltip=None)
    top = high == ENDS["loss"][1]  # no room above the frame
    beside = {"dx": -5, "baseline": "top"} if top else {"dy": -5, "baseline": "bottom"}
    where = _still(v=high, start=training.STEPS - LAST * top)
    word = where.mark_text(text=text("your_guess"), align="right", fontSize=11, fontWeight="bold", **beside)
    return [frame.encode(x, alt.X2("end:Q"), y, alt.Y2("high:Q")), word.encode(x, y, FILL)]
