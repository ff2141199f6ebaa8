"""What stands around the picture of the look-up: three kinds of it, states to try, and what to see in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

import attention
from ui import (
    charts,
    display,
    editor,
    link,
    names,
    ribbons_cells,
    ribbons_story,
    state,
    tables,
    views,
    widgets,
    workbench,
)
from ui.places import Place
from ui.ribbons_cells import Row
from ui.text import Text
from ui.workbench import Workbench

KINDS = ribbons_story.KINDS
KIND, STEP, SHARP = "lookup.kind", "lookup.step", "lookup.sharp"  #: the views of this page
LAST = 5  #: the step at which the new token is there
BEFORE = "lookup_before"  #: where this session keeps the code of the numbers that the last try began with


def kind(bench: Workbench) -> str:
    return str(views.get(bench, KIND))


def position(bench: Workbench) -> str:
    """The view in which this kind keeps its place."""
    return SHARP if kind(bench) == "graded" else STEP


def kinds(text: Text) -> None:
    """The same look-up in three kinds, one softer than the other."""
    value = kind(state.bench())
    key = state.control("lookup_kind", value)

    def choose() -> None:
        if (chosen := st.session_state.get(key)) in KINDS:
            _begin(chosen)

    with widgets.group(), widgets.wrapping():
        st.segmented_control(
            text("label_kind"), KINDS, default=value, required=True, key=key, label_visibility="collapsed",
            format_func=lambda each: text(f"kind_{each}"), on_change=state.callback(choose),
        )  # fmt: skip


def asker(text: Text) -> None:
    """Who asks; without meanings, which stand in the picture below."""
    bench = state.bench()
    called = names.in_sentences(bench.tokens, text)
    widgets.pick(
        "token", range(len(called)), bench.token, text, show=lambda i: called[i],
        change=lambda bench, i: replace(bench, token=min(i, len(bench.tokens) - 1)),
    )  # fmt: skip


def onward(bench: Workbench, text: Text) -> tuple[str, Callable[[], None]] | None:
    """From the end of one kind to the beginning of the next: what that is called, and how to get there."""
    follows = dict(zip(KINDS, KINDS[1:], strict=False)).get(kind(bench))
    return (text(f"onward_{follows}"), lambda: _begin(follows)) if follows else None


def _begin(kind: str) -> None:
    for name, value in ((KIND, kind), (STEP, 0), (SHARP, 0)):
        state.show(name, value)


@dataclass(frozen=True)
class Try:
    """A state to go to with one click: other numbers, and the step at which to look."""

    change: Callable[[Workbench], Workbench]
    step: int


def _last_asks(bench: Workbench) -> Workbench:
    return replace(bench, token=len(bench.tokens) - 1)


def _causal(bench: Workbench) -> Workbench:
    """The causal mask, seen from a token that has something to hide from it."""
    return replace(workbench.with_mask(bench, "causal"), token=max(min(bench.token, len(bench.tokens) - 2), 0))


def _matches_nothing(bench: Workbench) -> Workbench:
    """The query becomes 0; all queries, where they are computed from the input."""
    return _zeroed(bench, "Q", bench.token) if bench.route == "direct" else _zeroed(bench, "W_Q")


def _empty_value(bench: Workbench) -> Workbench:
    """The value with the largest weight becomes 0; all values, where they are computed from the input."""
    top = int(bench.steps().weights[bench.token].argmax())
    return _zeroed(bench, "V", top) if bench.route == "direct" else _zeroed(bench, "W_V")


def _zeroed(bench: Workbench, name: str, row: int | None = None) -> Workbench:
    matrix = bench.matrices[name]
    rows = range(len(matrix)) if row is None else (row,)
    return workbench.with_cells(bench, name, {(i, j): "0" for i in rows for j in range(len(matrix[0]))})


TRIES = {"last": Try(_last_asks, LAST), "causal": Try(_causal, 2), "nothing": Try(_matches_nothing, 3),
         "empty": Try(_empty_value, LAST)}  # fmt: skip


def tried(bench: Workbench, name: str) -> Workbench:
    """The workbench after a click on one of the states to try."""
    new = TRIES[name].change(bench)
    return views.shown(views.shown(new, KIND, "real"), STEP, TRIES[name].step)


def begun(bench: Workbench) -> Workbench:
    """Where the next try starts from: the numbers before the last one, unless the reader has changed them since.

    So tries do not pile up when they are clicked one after the other.
    """
    code = st.session_state.get(BEFORE)
    if code is None:
        return bench
    before = link.decode(code)
    after = next((it for it in (tried(before, name) for name in TRIES) if _numbers(it) == _numbers(bench)), None)
    if after is None:
        return bench
    return replace(before, token=before.token if bench.token == after.token else bench.token, view=bench.view)


def _numbers(bench: Workbench) -> Workbench:
    """What a try starts from, without who asks and what is looked at."""
    return replace(bench, token=0, cell=(), view=())


def _try(name: str) -> None:
    before = begun(state.bench())
    st.session_state[BEFORE] = link.encode(before)
    state.commit(tried(before, name))


def tries(text: Text) -> None:
    """States to try, a button each; undo takes their numbers back."""
    bench = state.bench()
    with widgets.line():
        st.markdown(text("label_tries"), width="content")
        for name in TRIES:
            words = {"token": names.escaped(bench.tokens[-1])} if name == "last" else {}
            st.button(text(f"try_{name}", **words), key=f"try_{name}", help=text(f"see_{name}"),
                      on_click=state.callback(lambda name=name: _try(name)))


def seen(bench: Workbench, steps: attention.AttentionSteps, called: list[str], text: Text) -> str:
    """What is remarkable about the look-up on screen, once its step has shown it; often nothing."""
    if kind(bench) != "real":
        return ""
    i, step = bench.token, views.get(bench, STEP)
    weights, values, shown = steps.weights[i], bench.qkv()[2], names.in_sentences(bench.tokens, text)
    open_ = np.isfinite(steps.masked[i])
    said: list[str] = []
    if not open_.all() and step >= 2:
        said.append(text("told_masked" if open_.any() else "told_nothing", token=shown[i]))
    if open_.sum() > 1 and np.ptp(steps.masked[i][open_]) == 0 and step >= 3:
        said.append(text("told_even", token=shown[i], weight=display.short(float(weights.max()))))
    if step >= 4 and weights.any():
        if len(weights) > 1 and (values == values[0]).all() and values.any():
            said.append(text("told_equal"))
        else:
            said += _empty_handed(weights, values, shown, text)
    return "\n\n".join(said)


def _empty_handed(weights: Row, values: Row, shown: Sequence[str], text: Text) -> list[str]:
    """Which of the thickest ribbons bring nothing; those are alike that look alike."""
    thick = [display.short(float(w)) for w in weights]
    widest = [j for j, each in enumerate(thick) if each == thick[int(weights.argmax())]]
    empty = [shown[j] for j in widest if not values[j].any()]
    if not empty:
        return []
    id = "told_empty" if len(widest) == 1 else "told_empty_tie"
    return [text(id, token=empty[0], tokens=text.names(empty), weight=thick[widest[0]])]


def ask_otherwise(bench: Workbench, rows: list[str], text: Text) -> None:
    """The asking token's numbers, to be changed: its query, or the input that this is made of."""
    name = "Q" if bench.route == "direct" else "X"
    columns = range(len(bench.matrices[name][0]))
    marks = {Place(name, bench.token, j): charts.OPERAND for j in columns}
    editor.matrices({name: rows}, Text("edit", text.lang), marks=marks)


def table(bench: Workbench, steps: attention.AttentionSteps, rows: list[str], text: Text) -> str:
    """The whole look-up in numbers, a key a row: for screen readers, for copying, and for comparing the kinds."""
    it = ribbons_story.Asked(bench, steps, bench.token, rows, Text("ribbons", text.lang))
    i, hard, values = bench.token, it.at(0.0), bench.qkv()[2]
    head = [text(f"column_{name}") for name in ("key", "score", "scaled", "weight", "hard", "value")]
    lines = []
    for j, token in enumerate(rows):
        numbers: list[Any] = [steps.scores[i, j], steps.masked[i, j], steps.weights[i, j], hard[j]]
        shown = [display.short(float(x), 4) for x in numbers]
        lines.append([names.escaped(token), *shown, ribbons_cells.vector(values[j], most=16)])
    return tables.table(head, lines, "lrrrrl")
