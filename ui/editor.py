"""Matrices a person can type in: what is typed is what is used, and nothing typed is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from ui import components, numbers, state, theme, workbench
from ui.names import escaped
from ui.places import Place
from ui.text import Text

MOST_SAID = 3  #: problems of one matrix that are spelled out
HEAD_NAMES = {"H_Q": "W_Q", "H_K": "W_K", "H_V": "W_V", "H_O": "W_O"}


def matrices(
    names: Mapping[str, Sequence[str]], text: Text, *, with_mask: bool = False,
    marks: Mapping[Place, int] | None = None,
) -> None:  # fmt: skip
    """Editors of some of the workbench's matrices, name → its rows' names, side by side as far as there is room.

    marks: cells to frame, by place (see `ui.trace`).

    What could not be read is said below all of them, so that no editor moves while it is typed in.
    """
    with st.container(horizontal=True, gap="small"):
        for name, rows in names.items():
            _matrix(name, text, rows, marks or {})
        if with_mask:
            mask(text, state.bench().tokens)
    for name, rows in names.items():
        sentences = problems(name, text, [escaped(row) for row in rows])
        if len(sentences) > MOST_SAID:
            sentences = [*sentences[:MOST_SAID], text("more_problems", count=len(sentences) - MOST_SAID)]
        if sentences:
            st.warning("\n\n".join(sentences), icon=":material/edit_off:")


def _matrix(name: str, text: Text, rows: Sequence[str], marks: Mapping[Place, int]) -> None:
    bench = state.bench()
    cells = bench.matrices[name]
    stage, head = (label(name), bench.typed_head) if name in HEAD_NAMES else (name, -1)
    marked = {f"{p.row},{p.column}": how for p, how in marks.items() if (p.stage, p.head) == (stage, head)}
    _grid(
        name, "number", [list(row) for row in cells], text, rows, [str(j + 1) for j in range(len(cells[0]))],
        f"{text(f'caption_{name}')}  {len(cells)} × {len(cells[0])}", marked,
    )  # fmt: skip


def mask(text: Text, rows: Sequence[str]) -> None:
    """The mask, of whatever kind: cells to click on (may attend) and off, which makes it the reader's own."""
    bench, n = state.bench(), len(rows)
    allowed = bench.mask_array()
    cells = [["1"] * n] * n if allowed is None else [["01"[int(c)] for c in row] for row in allowed]
    _grid("mask", "mask", cells, text, rows, bench.tokens, text("mask_caption"))


def problems(name: str, text: Text, rows: Sequence[str]) -> list[str]:
    """What could not be read in a matrix, a sentence each: where, what came, what is used instead."""
    sentences = []
    cells = state.bench().matrices[name]
    for key, problem in state.lab()["problems"].get(name, {}).items():
        if key == "paste":
            where = {"token": rows[problem["row"]], "column": problem["column"] + 1}
            sentences.append(text("paste_too_large", matrix=label(name), **{**problem, **where}))
            continue
        i, j = map(int, key.split(","))
        sentences.append(text(
            f"cell_{problem['reason']}", matrix=label(name), row=rows[i], column=j + 1,
            typed=_quoted(problem["typed"]), kept=cells[i][j], limit=f"{numbers.LIMIT:,}", chars=numbers.MAX_CHARS,
        ))  # fmt: skip
    return sentences


def label(name: str) -> str:
    return HEAD_NAMES.get(name, name)


def _quoted(typed: str) -> str:
    """What was typed, shown to the letter: no Markdown, no line breaks, not endless."""
    shown = typed if len(typed) <= 24 else f"{typed[:24]}…"
    return "`" + shown.replace("`", "'").replace("\n", " ") + "`"


def _grid(
    name: str, kind: str, cells: list[list[str]], text: Text, rows: Sequence[str], columns: Sequence[str],
    caption: str, marks: Mapping[str, int] | None = None,
) -> None:  # fmt: skip
    here = state.lab()
    bad = {k: p["typed"] for k, p in here["problems"].get(name, {}).items() if k != "paste"}
    components.grid(
        key=f"grid_{name}",
        width="content",
        on_edits_change=state.callback(lambda: None),  # which takes in what was typed, here as for every other control
        data={
            "kind": kind, "epoch": state.epoch(), "seen": here["seen"].get(name, 0),
            "name": text("label_mask") if kind == "mask" else label(name),
            "caption": caption, "hue": f"var(--st-{theme.WORDS.get(name[-1], 'gray')}-text-color)",
            "rows": list(rows), "columns": list(columns), "cells": cells, "bad": bad,
            "marks": dict(marks or {}), "chosen": theme.CHOSEN,
            "label": text("mask_label") if kind == "mask" else text("cell_label", matrix=label(name)),
        },
    )  # fmt: skip


def take_all() -> None:
    """Take over what was typed or clicked in every grid of the browser."""
    for name in (*workbench.SHAPES, *HEAD_NAMES, "mask"):
        _take(name)


state.take_typed[:] = [take_all]


def _take(name: str) -> None:
    edits = (st.session_state.get(f"grid_{name}") or {}).get("edits")
    here = state.lab()
    if not edits or edits["epoch"] != state.epoch() or edits["seq"] <= here["seen"].get(name, 0):
        return
    here["seen"] = {**here["seen"], name: edits["seq"]}
    if name == "mask":
        cells = {_cell(k): text == "1" for k, text in edits["cells"].items()}
        state.commit(workbench.with_allowed(state.bench(), cells), typed=True)
    else:
        type_into(name, edits["cells"], edits.get("overflow"))


def type_into(name: str, typed: dict[str, str], overflow: dict[str, Any] | None = None) -> None:
    """Use every number that can be read; keep the last good one for the rest and remember why."""
    good: dict[workbench.Cell, str] = {}
    bad: dict[str, dict[str, Any]] = {}
    bench = state.bench()
    rows, columns = len(bench.matrices[name]), len(bench.matrices[name][0])
    for key, text in typed.items():
        i, j = _cell(key)
        if not (0 <= i < rows and 0 <= j < columns):
            continue
        try:
            good[i, j] = numbers.canonical(text)
        except numbers.NotANumber as error:
            bad[key] = {"reason": error.reason, "typed": text}
    if overflow:
        bad["paste"] = overflow
    earlier = {k: problem for k, problem in state.lab()["problems"].get(name, {}).items() if k not in {*typed, "paste"}}
    state.lab()["problems"] = {**state.lab()["problems"], name: earlier | bad}
    state.commit(workbench.with_cells(bench, name, good), typed=True)


def _cell(key: str) -> workbench.Cell:
    i, j = key.split(",")
    return int(i), int(j)
