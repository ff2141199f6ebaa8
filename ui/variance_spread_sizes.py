"""How many pairs an experiment takes: the same one again and again, at every size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import streamlit as st

from attention.experiment import Spread
from attention.intervals import share_interval
from attention.small_experiments import BY_HAND, SHOWN, TRIED, Trials
from ui import shell, state, theme, variance_dragged, views
from ui.charts import INK
from ui.tables import table
from ui.text import Text, in_both
from ui.variance_charts import (
    estimated,
    frame_of,
    layered,
    number,
    of_kind,
    page,
    percent,
    placed,
    width_of,
    with_interval,
)

OPEN = "variance.sizes"
FIELDS = ("kind", "d", "s", "n", "paired", "r", "of", "y", "low", "high", "hit", "text", "verdict")
HIT, MISS = "#5a9fa8", theme.CHOSEN
BAND = "#7d8395"
CROSS = "M-1,-1L1,1M-1,1L1,-1"  #: what Vega calls a cross is a plus sign
TOP = 4  #: the pictures go up to so many times the true variance
ARRAYS, KEYS = BY_HAND


def draw(spread: Spread, text: Text) -> None:
    """Folded, and then not even sent, unless the link or a door says otherwise."""
    key = "spread_sizes"
    st.session_state[key] = views.get(state.bench(), OPEN)  # always: in another language it is another fold, closed
    with st.expander(text("fold_sizes"), key=key, on_change=state.on_show(key, OPEN)) as folded:
        if folded.open:
            _experiments_and_words(spread, text)


def _experiments_and_words(spread: Spread, text: Text) -> None:
    st.markdown(text("why_sizes"))
    chart = spec(shell.layout(), tuple(size_of(each) for each in sizes(spread)))
    with variance_dragged.room("sizes"):
        st.vega_lite_chart(frame(spread, text), chart, width="content", key="sizes")
    st.markdown(said(spread, text))
    if st.toggle(text("as_tables"), key="sizes_table"):
        st.markdown(as_table(spread, text))


def sizes(spread: Spread) -> list[Trials]:
    """The experiments at one d_k, by size."""
    return [each for each in spread.trials if each.d_k == TRIED[0]]


def size_of(each: Trials) -> str:
    """How its size is written: the arrays by hand, or how many pairs."""
    return "{} × {}".format(*each.by_hand) if each.by_hand else f"{each.size:,}"


def band(each: Trials) -> tuple[str, str]:
    """Between what nine of ten estimates fall, with as many decimals for both ends."""
    decimals = 2 if each.band[1] < 10 else 1
    low, high = (number(end, decimals) for end in each.band)
    return low, high


# What was measured decides what is said.


def said(spread: Spread, text: Text) -> str:
    """What the smallest experiments say, what makes their intervals fail most, and what a hundred pairs say."""
    found = {(each.by_hand, each.size): each for each in sizes(spread)}
    of = {"arrays": found[ARRAYS, 4], "four": found[None, 4], "keys": found[KEYS, 6], "six": found[None, 6],
          "hundred": found[None, 100]}  # fmt: skip
    facts = {f"right_{name}": percent(each.covered / each.count) for name, each in of.items()}
    for name, each in of.items():
        facts[f"low_{name}"], facts[f"high_{name}"] = band(each)
    return text.sentences([text("see_sizes", **facts), text(f"cause_{cause(of['arrays'], of['four'])}", **facts),
                           text("see_hundred", **facts)])  # fmt: skip


def cause(sharing: Trials, apart: Trials) -> str:
    """Why intervals of so few products fail: that they are few, that they share vectors, or both, and which more.

    What independent pairs of the same number miss of 95 % is for being few; what sharing costs is what is missed
    beyond that, if that can be told from chance.
    """
    p, q = (each.covered / each.count for each in (sharing, apart))
    doubt = 1.96 * math.sqrt(p * (1 - p) / sharing.count + q * (1 - q) / apart.count)
    if q - p <= doubt:
        return "few"
    return "few_shared" if 0.95 - q >= q - p else "shared_few"


@lru_cache(maxsize=32)
def frame(spread: Spread, text: Text) -> Any:
    records = [{"kind": "title", "s": s, "text": text(f"title_{name}")} for s, name in ((1, "trials"), (2, "band"))]
    steps = {(each.size, each.by_hand): step for step, each in enumerate(sizes(spread), 1)}
    for each in spread.trials:
        records += _records(each, steps[each.size, each.by_hand], text)
    return frame_of(records, FIELDS)


def _records(each: Trials, step: int, text: Text) -> Iterator[dict[str, Any]]:
    """An experiment a record, the band, and what is to be said."""
    at = {"d": each.d_k, "s": step, "n": each.size, "paired": not each.by_hand, "of": len(each.variance)}
    for r, measured in enumerate(zip(each.variance.tolist(), each.low.tolist(), each.high.tolist(), strict=True), 1):
        y, low, high = measured
        hit, (variance, start, end) = low <= each.d_k <= high, estimated(*measured)
        yield at | {"kind": "one", "r": r, "y": y, "low": low, "high": high, "hit": hit,
                    "text": text("says", number=r, variance=variance, low=start, high=end),
                    "verdict": text("hit" if hit else "miss", truth=each.d_k)}  # fmt: skip
    yield at | {"kind": "band", "low": each.band[0], "high": each.band[1], "y": each.d_k}
    name = {ARRAYS: "size_arrays", KEYS: "size_keys", None: "size_pairs" if each.count > 1 else "size_all"}
    yield at | {"kind": "size", "text": text(name[each.by_hand], n=f"{each.size:,}", d_k=each.d_k)}
    beyond = np.count_nonzero(each.variance > TOP * each.d_k)
    if beyond:
        yield at | {"kind": "beyond", "text": text("beyond", count=beyond)}
    if each.count > 1:
        low, high = band(each)
        yield at | {"kind": "nine", "text": text("nine", low=low, high=high, truth=each.d_k)}
        yield at | {"kind": "covers", "text": text("covers", share=percent(each.covered / each.count),
                                                   count=f"{each.count:,}")}  # fmt: skip
    else:
        yield at | {"kind": "nine", "text": text("just_one", truth=each.d_k)}


@lru_cache(maxsize=32)
def spec(layout: str, sizes: Sequence[str]) -> dict[str, Any]:
    """Experiments of one size one by one; beside them (on a phone below), what nine of ten say at every size.

    What the browser asks for is named by symbols, the same in every language.
    """
    columns = 2 if layout in {"xl", "wide"} else 1
    width, height = width_of(layout, columns, axis=60), 150 if layout == "phone" else 190
    steps = {"options": list(range(1, len(sizes) + 1)), "labels": list(sizes)}
    params = [
        {"name": "step", "value": 1, "bind": {"input": "radio", **steps, "name": "N =\u00a0"}},
        {"name": "dk", "value": TRIED[0], "bind": {"input": "radio", "options": list(TRIED), "name": "d_k =\u00a0"}},
        {"name": "mine", "value": 1, "bind": {"input": "range", "min": 1, "max": SHOWN, "step": 1, "name": "#\u00a0"}},
    ]
    views = [_experiments(width, height), _funnel(width, height)]
    return page(views, columns, in_both("sizes_alt", "variance_spread")) | {"params": params}


_CHOSEN = "datum.d === dk && datum.s === step"
_MINE = f"{_CHOSEN} && datum.r === (mine > datum.of ? 1 : mine)"


def _y(field: str = "y") -> alt.Y:
    scale = alt.Scale(domain=[0, alt.expr(f"{TOP} * dk")], nice=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=alt.Axis(tickCount=4, minExtent=40), title=None)


def _chosen(kind: str, which: str = _CHOSEN) -> alt.Chart:
    return of_kind(kind).transform_filter(which).transform_calculate(ink="1")


def _title(step: int, room: int) -> alt.Chart:
    title = of_kind("title").transform_filter(f"datum.s === {step}")
    return placed(title, 0, -room, fontSize=14, fontWeight="bold")


def _experiments(width: int, height: int) -> dict[str, Any]:
    """Estimates with their intervals, the band of nine in ten, the truth, and what all of that says."""
    x = alt.X("r:Q", scale=alt.Scale(domain=[0, SHOWN + 1], nice=False), axis=None)
    colour = alt.when("datum.hit").then(alt.value(HIT)).otherwise(alt.value(MISS))
    tips = [alt.Tooltip("text:N", title=" "), alt.Tooltip("verdict:N", title="95%")]
    ones = _chosen("one")
    band = _chosen("band").mark_rect(color=BAND, opacity=0.22, clip=True).encode(
        alt.XValue(0), alt.X2Value(width), _y("low"), alt.Y2("high:Q")
    )
    marks = [
        band,
        ones.mark_rule(strokeWidth=2, clip=True).encode(x, _y("low"), alt.Y2("high:Q"), color=colour),
        ones.transform_filter("datum.hit").mark_point(filled=True, size=46, opacity=1, clip=True, color=HIT).encode(
            x, _y(), tooltip=tips),
        ones.transform_filter("!datum.hit").mark_point(shape=CROSS, size=40, strokeWidth=2, opacity=1, clip=True,
                                                       color=MISS).encode(x, _y(), tooltip=tips),
        _chosen("band").mark_rule(strokeWidth=1.5, strokeDash=[6, 4]).encode(_y(), INK),
        _chosen("one", _MINE).mark_point(size=170, strokeWidth=2, opacity=1, clip=True).encode(x, _y(), INK),
        placed(_chosen("beyond"), width, -92, fontSize=11, align="right"),
    ]  # fmt: skip
    return layered(width, height, *marks, *_lines(), _title(1, 92))


def _lines() -> list[alt.Chart]:
    """What the chosen experiment and all of its size say, a line each."""
    mine = _chosen("one", _MINE)
    nine, covers = _chosen("nine"), _chosen("covers")
    lines = ((mine, -57, "text"), (mine, -41, "verdict"), (nine, -25, "text"), (covers, -9, "text"))
    return [placed(_chosen("size"), 0, -74, fontSize=12, fontWeight="bold"),
            *(placed(chart, 0, y, field, fontSize=12) for chart, y, field in lines)]  # fmt: skip


def _funnel(width: int, height: int) -> dict[str, Any]:
    """Between what nine of ten experiments fall, at every size; those by hand are there when they are chosen."""
    ticks = alt.Axis(values=[4, 10, 100, 1000, 10_000, 100_000, 1_000_000], format="~s", grid=False)
    x = alt.X("n:Q", scale=alt.Scale(type="log", nice=False, padding=12), axis=ticks, title="N")
    of_d_k = of_kind("band").transform_filter("datum.d === dk").transform_calculate(ink="1")
    pairs, here = of_d_k.transform_filter("datum.paired"), of_d_k.transform_filter("datum.s === step")
    tips = [alt.Tooltip("n:Q", format=",d", title="N"), alt.Tooltip("low:Q", format=",.3~f", title="5%"),
            alt.Tooltip("high:Q", format=",.3~f", title="95%")]  # fmt: skip
    marks = [
        pairs.mark_area(color=BAND, opacity=0.22, clip=True).encode(x, _y("low"), alt.Y2("high:Q")),
        pairs.mark_rule(strokeWidth=3, color=BAND, clip=True).encode(x, _y("low"), alt.Y2("high:Q"), tooltip=tips),
        pairs.mark_line(strokeWidth=1.5, strokeDash=[6, 4]).encode(x, _y(), INK),
        here.mark_rule(strokeWidth=5, color=HIT, clip=True).encode(x, _y("low"), alt.Y2("high:Q")),
        here.mark_rule(strokeWidth=1, opacity=0.5).encode(x, INK),
    ]
    return layered(width, height, *marks, _title(2, 9))


def as_table(spread: Spread, text: Text) -> str:
    """Every size at every d_k: how many experiments, between what nine of ten fall, how often the interval is right."""
    rows = []
    for each in spread.trials:
        low, high = band(each)
        nine, right = low, ""
        if each.count > 1:
            nine, share = f"{low} – {high}", each.covered / each.count
            right = with_interval(*map(percent, (share, *share_interval(each.covered, each.count))))
        rows.append([str(each.d_k), size_of(each), f"{each.count:,}", nine, right])
    return table(["d_k", *(text(f"table_{name}") for name in ("size", "count", "nine", "right"))], rows)
