"""The figures of the heads page, drawn from one run of the heads, and the same numbers as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from ui import charts, derivation, display, heads_bars, heads_charts, heads_words, places, stages, state
from ui.heads_charts import Panel
from ui.heads_words import Ledger
from ui.names import escaped, numbered
from ui.places import Place
from ui.text import Text, in_both
from ui.workbench import Workbench

#: layout → room for the contributions and for the movement, which stand side by side where there is room
ROOMS = {"xl": (690, 500), "wide": (500, 360), "medium": (560, 560), "phone": (318, 318)}
#: figures whose cells can be chosen → the stages that are explained under them
SPOTS = {"heads_maps": places.IN_ONE_HEAD, "heads_contributions": ("contribution",),
         "heads_concat": places.OF_ALL_HEADS}  # fmt: skip
SIDE_BY_SIDE = ("xl", "wide")

Figure = tuple[pd.DataFrame, dict[str, Any]]
Make = Callable[[Ledger, Text, int], Figure]
Marks = Mapping[Place, int]  #: cells → how charts frame them


def draw_maps(it: Ledger, text: Text, layout: str, marks: Marks) -> None:
    """The attention weights of every head."""
    _chart("maps", _maps, replace(it.bench, token=0), text, charts.ROOM[layout][0], marks)
    st.caption(text("hint_maps"))


def draw_results(it: Ledger, text: Text, layout: str) -> None:
    """Contributions and movement, side by side where there is room."""
    beside = layout in SIDE_BY_SIDE
    left, right = st.columns([0.58, 0.42]) if beside else (st.container(), st.container())
    with left:
        _contributions(it, text, ROOMS[layout][0])
    with right:
        _movement(it, text, ROOMS[layout][1])


def _contributions(it: Ledger, text: Text, room: int) -> None:
    st.markdown(f"#### {text('contributions_title', token=escaped(it.tokens[it.bench.token]))}")
    _chart("contributions", _shares, it.bench, text, room)
    st.caption(text("contributions_note"))
    st.markdown(heads_words.addition(it, text))


def _movement(it: Ledger, text: Text, room: int) -> None:
    st.markdown(f"#### {text('movement_title')}")
    _chart("movement", _distances, replace(it.bench, token=0), text, room)
    st.caption(text("movement_note"))


def draw_concat(it: Ledger, text: Text, layout: str, marks: Marks) -> None:
    """The outputs of the heads side by side, and what W_O makes of them."""
    d_v = it.steps.heads.output.shape[-1]
    copied = {
        Place("concat", row, head * d_v + column): mark
        for (stage, row, column, head), mark in marks.items() if stage == "output" and head >= 0
    }  # the output of a head stands in concat
    _chart("concat", _joined, replace(it.bench, token=0), text, charts.ROOM[layout][0], {**marks, **copied})
    st.caption(text("hint_concat"))


def draw_similarity(it: Ledger, text: Text, layout: str) -> None:
    """How alike the heads attend, or why that cannot be said."""
    values = it.similarity
    if len(values) == 1 or np.isnan(values).any():
        st.info(text("similarity_one" if len(values) == 1 else "similarity_none"))
        return
    _chart("similarity", _alike, replace(it.bench, token=0, heads_off=()), text, ROOMS[layout][1])
    st.caption(text("hint_similarity"))
    st.markdown(heads_words.alike(values, text))


def _chart(name: str, make: Make, bench: Workbench, text: Text, room: int, marks: Marks | None = None) -> None:
    """A chart and what to see in it, in both languages: a spec that changes is drawn anew."""
    data, places_of, spec = _figure(make, bench, text, room)
    described = spec | {"description": in_both(f"{name}_alt", "heads")}
    now: dict[str, list[int]] = {"turn": [state.lab()["looks"]] * len(data)}
    if marks is not None:
        by_address = {" ".join(map(str, place)): mark for place, mark in marks.items()}
        now["marked"] = [by_address.get(at, 0) for at in places_of]
    stages.draw_choosable(
        charts.with_columns(data, now), described, f"heads_{name}", choosable=f"heads_{name}" in SPOTS
    )


@lru_cache(maxsize=256)
def _figure(make: Make, bench: Workbench, text: Text, room: int) -> tuple[Any, list[Any], dict[str, Any]]:
    """A figure of a workbench, made once: what does not change, and a class on one link, cost nothing.

    Returns its data, the address of each mark in it, and its spec. Which cell is looked at is no part of it: looking
    changes no number.
    """
    frame, spec = make(heads_words.ledger(bench), text, room)
    return charts.arrow(frame), list(frame.get("at", [])), spec


def _maps(it: Ledger, text: Text, room: int) -> Figure:
    return heads_charts.board(it.tokens, maps(it, text), room)


def _joined(it: Ledger, text: Text, room: int) -> Figure:
    return heads_charts.board(it.tokens, joined(it, text), room)


def _alike(it: Ledger, text: Text, room: int) -> Figure:
    panel = similarity(it.similarity, text)
    return heads_charts.board(panel.columns, [panel], room)


def _shares(it: Ledger, text: Text, room: int) -> Figure:
    steps, i = it.steps, it.bench.token
    words, row = Text("trace", text.lang), numbered(it.tokens, text)[i]
    tips = {
        "bar": partial(words.template("tip_contribution"), row=row), "full": text.template("tip_full"),
        "output": partial(words.template("tip_combined"), row=row),
    }  # fmt: skip
    return heads_bars.contributions(
        steps.contributions[:, i], steps.heads_on, steps.output[i], tips, room, i
    )  # fmt: skip


def _distances(it: Ledger, text: Text, room: int) -> Figure:
    says = [heads_words.moved(it, i, text) for i in range(len(it.tokens))]
    return heads_bars.movement(it.tokens, it.moved, it.length, says, room)


def maps(it: Ledger, text: Text) -> list[Panel]:
    """The weights, a panel a head."""
    mask = it.steps.heads.mask
    return [
        Panel(
            values=it.weights[head], title=_title(it, head, text), hint="", columns=it.tokens,
            hidden=None if mask is None else ~mask[head], tip=_tip(it, "weights", text, head),
            weights=True, heads=[head] * len(it.tokens), silent=frozenset(it.off),
            stage="weights", head=head,
        )
        for head in range(it.bench.n_heads)
    ]  # fmt: skip


def _tip(it: Ledger, stage: str, text: Text, head: int = -1) -> Callable[[int, int, str], str]:
    """What a cell is called: as over its arithmetic."""
    names = numbered(it.tokens, text)
    return lambda i, j, number: derivation.tip(Place(stage, i, j, head), number, it.bench, text, names=names)


def _title(it: Ledger, head: int, text: Text) -> str:
    marks = {
        "mark_typed": head == it.bench.typed_head,
        "mark_twin": it.bench.twins and head == 1,
        "mark_off": head in it.off,
    }
    return " · ".join([text("head", number=head + 1), *(text(mark) for mark, true in marks.items() if true)])


def joined(it: Ledger, text: Text) -> list[Panel]:
    """concat with the silenced blocks struck, and the output."""
    steps, (n, d_model) = it.steps, it.full.shape
    owners = np.repeat(np.arange(it.bench.n_heads), d_model // it.bench.n_heads).tolist()
    columns = [str(j + 1) for j in range(d_model)]
    return [
        Panel(
            values=steps.concat, title=text("title_concat", rows=n, columns=d_model), hint="",
            columns=columns, tip=partial(_concat_tip, it, _tip(it, "concat", text), text), heads=owners,
            hidden=np.tile(np.isin(owners, it.off), (n, 1)), silent=frozenset(it.off),
            limit=charts.largest(steps.heads.output), stage="concat",
        ),
        Panel(
            values=steps.output, title=text("title_output", rows=n, columns=d_model), hint="",
            columns=columns, tip=_tip(it, "combined", text),
            limit=charts.largest(it.full, steps.output), stage="combined",
        ),
    ]  # fmt: skip


def _concat_tip(it: Ledger, tip: Callable[..., str], text: Text, q: int, k: int, number: str) -> str:
    """What a cell of concat is called, and what would stand there if its head were on."""
    head, j = places.part(it.bench, k)
    cell = tip(q, k, number)
    own = display.short(float(it.steps.heads.output[head, q, j]), 4)
    return text("tip_silenced", cell=cell, number=own) if head in it.off else cell


def similarity(values: NDArray[np.float64], text: Text) -> Panel:
    """Every head against every other."""
    h, say = len(values), text.template("tip_similarity")
    return Panel(
        values=values, title=text("title_similarity", h=h), hint="", columns=[str(i + 1) for i in range(h)],
        tip=lambda a, b, number: say(row=a + 1, column=b + 1, number=number), weights=True, heads=range(h),
    )  # fmt: skip


def tables(it: Ledger, text: Text) -> None:
    """Everything in the figures, as numbers to read out and to copy."""
    heads = [text("head", number=head + 1) for head in range(it.bench.n_heads)]
    for panel in maps(it, text):
        _table(panel.title, it.tokens, it.tokens, panel.values, panel.hidden)
    columns = [str(j + 1) for j in range(it.full.shape[-1])]
    _ledger_table(it, text, heads, columns)
    for panel in joined(it, text):
        _table(panel.title, it.tokens, columns, panel.values, panel.hidden)
    names = [text("column_moved"), text("column_length")]
    _table(text("movement_title"), it.tokens, names, np.stack([it.moved, it.length], axis=-1))
    if len(heads) > 1 and it.weights[0].any(axis=1).all():
        _table(text("title_similarity", h=len(heads)), heads, heads, it.similarity)


def _ledger_table(it: Ledger, text: Text, heads: list[str], columns: list[str]) -> None:
    """What each head adds to the chosen output, and what it comes to."""
    i = it.bench.token
    rows = [*heads, text("row_output"), text("row_full")]
    values = np.vstack([it.steps.contributions[:, i], it.steps.output[i], it.full[i]])
    off = np.isin(np.arange(len(rows)), it.off)
    title = text("contributions_title", token=escaped(it.tokens[i]))
    _table(title, rows, columns, values, np.tile(off[:, None], (1, len(columns))))


def _table(
    title: str, rows: Sequence[str], columns: Sequence[str], values: NDArray[np.float64],
    hidden: NDArray[np.bool_] | None = None,
) -> None:  # fmt: skip
    heat = charts.Heat(values, title, "", columns, lambda q, k, number: number, hidden)
    st.markdown(f"**{title}**")
    st.markdown(stages.markdown_table(heat, rows))
