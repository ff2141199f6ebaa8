"""The short `attention` function, run line by line on the reader's numbers, with what each line made beside it.

Source and values both come from the function that runs (`attention.by_line`): there is no second copy to go stale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import attention
from attention import by_line
from attention.by_line import Run
from ui import charts, components, scratch_words, shell, stages, state, trace, views, widgets, workbench
from ui.charts import Heat
from ui.names import with_meaning
from ui.places import Place
from ui.text import Text, in_both
from ui.workbench import MASKS, Workbench

FIGURE = "scratch"
FUNCTIONS = ("attention", "softmax")
#: the page's layout → that of the figure, which stands beside the code where there is room, else below it
ROOM = {"xl": "half", "wide": "narrow", "medium": "medium", "phone": "phone"}
FOLDED = '    """…"""'  #: a docstring, folded away
DIMENSIONS = {"Q": "d_k", "K": "d_k", "V": "d_v"}  #: whose columns are no keys


def run(bench: Workbench, function: str) -> Run:
    """The function's own run on the reader's numbers; `softmax` with just what `attention` calls it with."""
    outer = by_line.run(attention.attention, *bench.qkv(), bench.mask_array())
    call = next((each.calls[function] for each in outer.ran if function in each.calls), None)
    if call is None:
        return outer
    args, kwargs = call
    return by_line.run(outer.function.__globals__[function], *args, **kwargs)


def stepper(text: Text) -> None:
    """The code, the line just run, and the numbers it made."""
    bench = state.bench()
    it = run(bench, views.get(bench, "scratch.function"))
    at = min(views.get(bench, "scratch.line"), len(it.ran) - 1)
    wide = shell.layout() in ("xl", "wide")
    with widgets.line():
        _which(bench, text)
        widgets.pick("mask", MASKS, bench.mask, text, show=lambda mask: text(f"mask_{mask}"),
                     change=workbench.with_mask)
    left, right = st.columns(2, gap="small") if wide else (st.container(), st.container())
    with left:
        if wide:
            _buttons(it, at, text)
        components.code(
            key="scratch_code", on_step_change=state.callback(lambda: _go(it)), width="stretch",
            data={"lines": lines(it, at, text), "label": text("code_label")},
        )  # fmt: skip
        if not wide:  # between the code and the figure, so that a thumb on them hides neither
            _buttons(it, at, text)
        st.markdown(scratch_words.line(it, at, bench, text))
    with right:
        _draw(it, at, bench, text)
    among = trace.of_one(bench)
    trace.panel(bench, text, shell.layout(), with_meaning(bench, text), among, {FIGURE: [s for s, _ in among]}, FIGURE)


def notes(text: Text) -> None:
    """What is different from the reader's own settings, and the whole source to copy."""
    bench = state.bench()
    if bench.scale != "sqrt":
        st.info(text("always_sqrt", scale=text(f"scale_{bench.scale}")))
    with st.expander(text("whole_source")):
        plain = scratch_words.plain_source()
        st.markdown(text("five_lines", lines=len(plain[attention.attention].splitlines()) - 1))
        st.code("\n\n".join(plain.values()))
        st.markdown(text("with_checks"))
        st.code("\n\n\n".join(map(by_line.source, (attention.attention, attention.softmax))))


def lines(it: Run, at: int, text: Text) -> list[dict[str, Any]]:
    """The listing as the component draws it: of every line, whether and when it ran, and what it has made so far."""
    step_of = {line: i for i, ran in enumerate(it.ran) for line in range(ran.line, ran.last + 1)}
    reached = max(ran.line for ran in it.ran[: at + 1])

    def drawn(number: int, line: str) -> dict[str, Any]:
        step = step_of.get(number, -1)
        if step < 0:
            kind = "skipped" if number <= reached else ""
        else:
            kind = "now" if step == at else "ran" if step < at else "later"
        first = step >= 0 and it.ran[step].line == number
        note = scratch_words.made(it.ran[step]) if first and step <= at else ""
        note = text("not_run") if kind == "skipped" else note
        return {"number": number + 1, "text": line, "state": kind, "step": step, "note": note}

    listed = by_line.listing(it.function)
    shown = [drawn(number, line) for number, line in listed.items() if line.strip()]
    folded = next((i for i, number in enumerate(listed) if number != i), None)
    if folded is not None:
        shown.insert(folded, {"number": "⋯", "text": FOLDED, "state": "", "step": -1, "note": ""})
    return shown


def heats(
    it: Run, at: int, bench: Workbench, text: Text, marks: Mapping[Place, int], *, with_read: bool = True
) -> list[Heat]:  # fmt: skip
    """What the line just run has looked at, and, behind an arrow, what it has made of that.

    Where there is neither, the last line before it that had something to show.
    """
    shown: list[tuple[str, NDArray[Any], bool]] = []
    for ran in it.ran[: at + 1]:
        made = {name: x for name, x in {**ran.sets, "return": ran.value}.items() if _is_matrix(x)}
        read = {name: x for name, x in ran.reads.items() if _is_matrix(x) and not _same(x, made.get(name))}
        now = [(name, x, False) for name, x in read.items() if with_read or not made]
        now += [(name, x, bool(now)) for name, x in made.items()]
        shown = now or shown
    return [_heat(*each, it, bench, text, marks) for each in shown]


def _same(x: NDArray[Any], other: object) -> bool:
    """Whether a name still stands for the same numbers: a copy shows nothing new."""
    return isinstance(other, np.ndarray) and np.array_equal(x, other, equal_nan=x.dtype != np.bool_)


def _is_matrix(x: object) -> bool:
    return isinstance(x, np.ndarray) and x.ndim == 2


def _heat(
    name: str, x: NDArray[Any], made: bool, it: Run, bench: Workbench, text: Text, marks: Mapping[Place, int]
) -> Heat:  # fmt: skip
    inside = it.function.__name__
    rows, columns, hint = bench.tokens, list(bench.tokens), text("hint_pairs")
    if name in DIMENSIONS:
        columns, hint = _numbers(x), text(f"hint_{name}")
    elif name == "return" and inside == "attention":
        columns, hint = _numbers(x), text("hint_output")
    elif x.shape[1] == 1:
        columns, hint = ["Σ"], text("hint_total")
    title = text(f"value_{_called(name, inside)}", rows=x.shape[0], columns=x.shape[1])
    template = text.template("tip_value")
    mask = bench.mask_array()
    heat = Heat(
        values=x, title=("→ " if made else "") + title, hint=hint, columns=columns,
        limit=charts.largest(x),
        tip=lambda i, j, number: template(name=name, row=rows[i], column=columns[j], number=number),
        stage=_stage(name, x, inside, bench), marks=marks,
    )  # fmt: skip
    if x.dtype == np.bool_:
        return replace(heat, values=x.astype(float), limit=0.0, show=lambda x, _: "✓" if x else "✕")
    if name in ("weights", "powers") or (inside == "softmax" and name == "return"):
        heat = replace(heat, weights=True, sums=charts.row_sums(x))
    if mask is not None and x.shape == mask.shape and (heat.weights or np.isneginf(x).any()):
        heat = replace(heat, hidden=~mask)
    return heat


def _called(name: str, inside: str) -> str:
    """The id of a value's title: what is returned is called by what it is."""
    if name == "return":
        return "output" if inside == "attention" else "weights"
    return name if name in (*DIMENSIONS, "mask", "scores", "weights", "x", "powers", "total") else "other"


def _stage(name: str, x: NDArray[Any], inside: str, bench: Workbench) -> str:
    """What the proof trace calls these cells; nothing where it would explain another number."""
    if name in DIMENSIONS:
        return name
    steps = bench.steps()
    for stage, at in (("scaled", "scores"), ("masked", "scores"), ("weights", "weights"), ("output", "return")):
        same = at == name and (inside == "attention") and np.array_equal(getattr(steps, stage), x)
        if same and (stage != "masked" or bench.mask != "none"):
            return stage
    return ""


def _numbers(x: NDArray[Any]) -> list[str]:
    return [str(j + 1) for j in range(x.shape[1])]


def _which(bench: Workbench, text: Text) -> None:
    """Which function: the outer one, or the one it calls."""
    key = "scratch_function"
    widgets.one("function", FUNCTIONS, views.get(bench, "scratch.function"), text, key=key,
                show=lambda name: text(f"function_{name}"),
                change=state.callback(lambda: _enter(st.session_state.get(key))))


def _enter(function: object) -> None:
    if function in FUNCTIONS:
        state.show("scratch.function", function)
        state.show("scratch.line", 0)


def _buttons(it: Run, at: int, text: Text) -> None:
    """Through the run by buttons. (The listing itself answers to clicks and arrow keys.)"""
    last = len(it.ran) - 1

    def button(name: str, icon: str, to: int, **how: Any) -> None:
        st.button(text(name), icon=f":material/{icon}:", key=f"scratch_{name}", disabled=to == at,
                  on_click=state.callback(lambda: state.show("scratch.line", to)), **how)

    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        button("next_line", "step_over", min(at + 1, last), type="primary")
        button("line_back", "undo", max(at - 1, 0))
        button("to_start", "first_page", 0, type="tertiary")
        button("to_end", "last_page", last, type="tertiary")
        st.caption(text("line_at", at=at + 1, of=last + 1), width="content")


def _go(it: Run) -> None:
    step = (st.session_state.get("scratch_code") or {}).get("step")
    if type(step) is int and 0 <= step < len(it.ran):
        state.show("scratch.line", step)


def _draw(it: Run, at: int, bench: Workbench, text: Text) -> None:
    """What went into the line as well, where there is room to read all of it."""
    layout = ROOM[shell.layout()]
    drawn = heats(it, at, bench, text, trace.marks(bench))
    if not _legible(drawn, layout):
        drawn = heats(it, at, bench, text, trace.marks(bench), with_read=False)
        layout = layout if len(drawn) == 1 else "phone"
    frame, spec = charts.linked(bench.tokens, drawn, layout, state.lab()["looks"])
    stages.draw_choosable(frame, spec | {"description": in_both("value_alt", "scratch")}, FIGURE)


def _legible(drawn: Sequence[Heat], layout: str) -> bool:
    """Whether numbers fit into the cells of two such matrices beside each other."""
    room, across = charts.ROOM[layout]
    frame = across * (charts.LABELS + 14) + charts.SUMS * any(heat.sums for heat in drawn)
    widest = max(len(heat.columns) for heat in drawn)
    return across > 1 and room - frame >= across * widest * charts.LEGIBLE
