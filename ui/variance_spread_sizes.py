"""How many pairs an experiment takes: the same one again and again, at every size that a slider chooses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import streamlit as st

from attention.experiment import ARRAYS, KEYS, SHOWN, TRIED, Spread, Trials, share_interval
from ui import shell, theme
from ui.charts import INK
from ui.tables import table
from ui.text import Text, in_both
from ui.variance_charts import frame_of, layered, number, of_kind, page, percent, placed, width_of

FIELDS = ("kind", "d", "s", "n", "r", "of", "y", "low", "high", "hit", "text", "verdict")
HIT, MISS = "#5a9fa8", theme.CHOSEN
BAND = "#7d8395"
TOP = 4  #: the pictures go up to so many times the true variance
LINES = ("size", "says", "nine", "covers")


def draw(spread: Spread, text: Text) -> None:
    with st.container(key="spread_sizes"):
        st.markdown(text("why_sizes"))
        steps = len(sizes(spread))
        st.vega_lite_chart(frame(spread, text), spec(shell.layout(), steps), width="content", key="sizes")
        st.markdown(text("see_sizes", **facts(spread)))
        if st.toggle(text("as_tables"), key="sizes_table"):
            st.markdown(as_table(spread, text))


def sizes(spread: Spread) -> dict[int, int]:
    """Size of an experiment → the slider's step, from 1."""
    return {each.size: step for step, each in enumerate((t for t in spread.trials if t.d_k == TRIED[0]), 1)}


def facts(spread: Spread) -> dict[str, str]:
    """What the smallest experiments and those of a hundred pairs say at the smaller d_k."""
    found = {}
    for each in spread.trials:
        if each.d_k == TRIED[0] and each.size in (ARRAYS, KEYS, 100):
            found |= {f"low_{each.size}": number(each.band[0]), f"high_{each.size}": number(each.band[1]),
                      f"right_{each.size}": percent(each.covered / each.count)}  # fmt: skip
    return found


@lru_cache(maxsize=32)
def frame(spread: Spread, text: Text) -> Any:
    records = [{"kind": "title", "s": s, "text": text(f"title_{name}")} for s, name in ((1, "trials"), (2, "band"))]
    steps = sizes(spread)
    for each in spread.trials:
        records += _records(each, steps[each.size], text)
    return frame_of(records, FIELDS)


def _records(each: Trials, step: int, text: Text) -> Iterator[dict[str, Any]]:
    """An experiment a record, the band, and what is to be said."""
    at = {"d": each.d_k, "s": step, "n": each.size, "of": len(each.variance)}
    for r, measured in enumerate(zip(each.variance.tolist(), each.low.tolist(), each.high.tolist(), strict=True), 1):
        y, low, high = measured
        hit = low <= each.d_k <= high
        said = {"number": r, "variance": number(y), "low": number(low), "high": number(high)}
        yield at | {"kind": "one", "r": r, "y": y, "low": low, "high": high, "hit": hit, "text": text("says", **said),
                    "verdict": text("hit" if hit else "miss", truth=each.d_k)}  # fmt: skip
    low, high = each.band
    yield at | {"kind": "band", "low": low, "high": high, "y": each.d_k}
    name = {ARRAYS: "size_arrays", KEYS: "size_keys"}.get(each.size, "size_pairs" if each.count > 1 else "size_all")
    yield at | {"kind": "size", "text": text(name, n=f"{each.size:,}", d_k=each.d_k)}
    if each.count > 1:
        yield at | {"kind": "nine", "text": text("nine", low=number(low), high=number(high), truth=each.d_k)}
        yield at | {"kind": "covers", "text": text("covers", share=percent(each.covered / each.count),
                                                   count=f"{each.count:,}")}  # fmt: skip
    else:
        yield at | {"kind": "nine", "text": text("just_one")}


@lru_cache(maxsize=32)
def spec(layout: str, steps: int) -> dict[str, Any]:
    """Experiments of one size one by one; beside them (on a phone below), what nine of ten say at every size."""
    columns = 2 if layout in {"xl", "wide"} else 1
    width, height = width_of(layout, columns, axis=60), 150 if layout == "phone" else 190
    slider = {"input": "range", "step": 1, "min": 1}
    params = [
        {"name": "step", "value": 1, "bind": slider | {"max": steps, "name": f"{in_both('slider_size', _PAGE)}\u00a0"}},
        {"name": "mine", "value": 1, "bind": slider | {"max": SHOWN, "name": f"{in_both('slider_mine', _PAGE)}\u00a0"}},
        {"name": "dk", "value": TRIED[0], "bind": {"input": "radio", "options": list(TRIED), "name": "d_k =\u00a0"}},
    ]
    views = [_experiments(width, height), _funnel(width, height)]
    return page(views, columns, in_both("sizes_alt", _PAGE)) | {"params": params}


_PAGE = "variance_spread"
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
    shape = alt.when("datum.hit").then(alt.value("circle")).otherwise(alt.value("cross"))
    tips = [alt.Tooltip("text:N", title=" "), alt.Tooltip("verdict:N", title="95%")]
    ones = _chosen("one")
    band = _chosen("band").mark_rect(color=BAND, opacity=0.22, clip=True).encode(
        alt.XValue(0), alt.X2Value(width), _y("low"), alt.Y2("high:Q")
    )
    marks = [
        band,
        ones.mark_rule(strokeWidth=2, clip=True).encode(x, _y("low"), alt.Y2("high:Q"), color=colour),
        ones.mark_point(filled=True, size=46, opacity=1, clip=True).encode(
            x, _y(), color=colour, shape=shape, tooltip=tips),
        _chosen("band").mark_rule(strokeWidth=1.5, strokeDash=[6, 4]).encode(_y(), INK),
        _chosen("one", _MINE).mark_point(size=170, strokeWidth=2, opacity=1, clip=True).encode(x, _y(), INK),
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
    """Between what nine of ten experiments fall, at every size."""
    ticks = alt.Axis(values=[4, 10, 100, 1000, 10_000, 100_000, 1_000_000], format="~s", grid=False)
    x = alt.X("n:Q", scale=alt.Scale(type="log", nice=False, padding=12), axis=ticks, title=None)
    mine = of_kind("band").transform_filter("datum.d === dk").transform_calculate(ink="1")
    here = mine.transform_filter("datum.s === step")
    tips = [alt.Tooltip("n:Q", format=",d", title="n"), alt.Tooltip("low:Q", format=",.3~f", title="5%"),
            alt.Tooltip("high:Q", format=",.3~f", title="95%")]  # fmt: skip
    marks = [
        mine.mark_area(color=BAND, opacity=0.22, clip=True).encode(x, _y("low"), alt.Y2("high:Q")),
        mine.mark_rule(strokeWidth=3, color=BAND, clip=True).encode(x, _y("low"), alt.Y2("high:Q"), tooltip=tips),
        mine.mark_line(strokeWidth=1.5, strokeDash=[6, 4]).encode(x, _y(), INK),
        here.mark_rule(strokeWidth=5, color=HIT, clip=True).encode(x, _y("low"), alt.Y2("high:Q")),
        here.mark_rule(strokeWidth=1, opacity=0.5).encode(x, INK),
    ]
    return layered(width, height, *marks, _title(2, 9))


def as_table(spread: Spread, text: Text) -> str:
    """Every size at every d_k: how many experiments, between what nine of ten fall, how often the interval is right."""
    rows = []
    for each in spread.trials:
        low, high = share_interval(each.covered, each.count)
        several = each.count > 1
        rows.append([
            str(each.d_k), f"{each.size:,}", f"{each.count:,}",
            f"{number(each.band[0])} – {number(each.band[1])}" if several else number(each.band[0]),
            f"{percent(each.covered / each.count)} ({percent(low)} – {percent(high)})" if several else "",
        ])  # fmt: skip
    return table(_heads(text), rows)


def _heads(text: Text) -> Sequence[str]:
    return ["d_k", *(text(f"table_{name}") for name in ("size", "count", "nine", "right"))]
