"""The broken variants as cases to diagnose: the numbers first, then the reader's answer, then the code."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from ui import charts, display, scratch_evidence, shell, stages, state, views, widgets, workbench
from ui.charts import Heat
from ui.names import in_sentences
from ui.scratch_evidence import NAMES, RIGHT, Evidence, Seen
from ui.tables import table
from ui.text import Text, in_both
from ui.workbench import MAX_SEED, Workbench

DONE, SHOWN = ":material/check_circle:", ":material/visibility:"


def draw(text: Text) -> None:
    """One case: right beside broken, the question, and what came of the answer."""
    bench = state.bench()
    order = scratch_evidence.order(views.get(bench, "scratch.seed"))
    case = views.get(bench, "scratch.case")
    variant = order[case]
    it = scratch_evidence.evidence(bench, variant)
    st.markdown(text("heading_cases"))
    st.markdown(text("cases_intro"))
    _choose(order, case, bench, text)
    _pictures(it, variant, letter(case), text)
    st.markdown(clues(it, variant, letter(case), text))
    st.caption(where(it, text))
    if known(bench, variant):
        _revealed(it, variant, case, order, bench, text)
    else:
        _ask(it, variant, case, bench, text)


def letter(case: int) -> str:
    return chr(ord("A") + case)


def known(bench: Workbench, variant: str) -> bool:
    """Whether the reader has found it, or has had it shown."""
    return variant in views.get(bench, "scratch.solved") or variant in views.get(bench, "scratch.shown")


def _choose(order: Sequence[str], case: int, bench: Workbench, text: Text) -> None:
    """The cases by letter, how many are found, and another order."""
    solved, shown = views.get(bench, "scratch.solved"), views.get(bench, "scratch.shown")

    def label(i: int) -> str:
        return letter(i) + (f" {DONE}" if order[i] in solved else f" {SHOWN}" if order[i] in shown else "")

    with widgets.line():
        key = "scratch_case"
        widgets.one("case", range(len(order)), case, text, key=key, show=label,
                    change=state.callback(lambda: _open(st.session_state.get(key))))
        st.caption(text("found", found=len(solved), cases=len(order)), width="content")
        st.button(text("again"), icon=":material/shuffle:", key="scratch_again", type="tertiary",
                  on_click=state.callback(_again))


def _open(case: object) -> None:
    if isinstance(case, int) and 0 <= case < len(NAMES):
        state.show("scratch.case", case)
        state.show("scratch.answer", "")


def _again() -> None:
    """Another order, and nothing found yet."""
    _open(0)
    state.show("scratch.seed", secrets.randbelow(MAX_SEED) + 1)
    state.show("scratch.solved", ())
    state.show("scratch.shown", ())


def _pictures(it: Evidence, variant: str, name: str, text: Text) -> None:
    """③ and ④ of the right function and of the suspect, in one linked figure."""
    drawn = heats(it, variant, name, text)
    frame, spec = charts.linked(it.bench.tokens, drawn, shell.layout())
    stages.draw_choosable(frame, spec | {"description": in_both("case_alt", "scratch")}, "scratch_pictures",
                          choosable=False)
    if it.seen[variant].error:
        st.markdown(text("raised", suspect=name))
        st.code(it.seen[variant].error, language=None, wrap_lines=True)


def heats(it: Evidence, variant: str, name: str, text: Text) -> list[Heat]:
    right, wrong = it.right, it.seen[variant]
    limit = charts.largest(*(x for x in (right.output, wrong.output) if x is not None))
    who = {text("right"): right, text("suspect", name=name): wrong}
    weights = [_heat("weights", each, who_is, it, text) for who_is, each in who.items() if not each.error]
    outputs = [_heat("output", each, who_is, it, text, limit) for who_is, each in who.items() if not each.error]
    return [*weights, *outputs]


def _heat(name: str, seen: Seen, who: str, it: Evidence, text: Text, limit: float = 1.0) -> Heat:
    x: NDArray[Any] = getattr(seen, name)
    tokens = it.bench.tokens
    columns = list(tokens) if name == "weights" else [str(j + 1) for j in range(x.shape[1])]
    template = text.template(f"tip_{name}")
    return Heat(
        values=x, title=text(f"case_{name}", who=who), columns=columns, limit=limit, weights=name == "weights",
        hint=text("hint_pairs" if name == "weights" else "hint_output"),
        tip=lambda i, j, number: template(row=tokens[i], column=columns[j], number=number),
        hidden=~it.mask if name == "weights" else None,
        sums=charts.row_sums(x) if name == "weights" and seen is not it.right else None,
    )  # fmt: skip


def clues(it: Evidence, variant: str, name: str, text: Text) -> str:
    """What can be measured from outside: sums along both axes, and whether the batch matters. Lit: as it should be."""
    lines = []
    for who, each in ((text("right"), it.right), (text("suspect", name=name), it.seen[variant])):
        rows, columns = (("–", "–") if each.weights is None else (sums(each.weights, 1), sums(each.weights, 0)))
        lines.append([_on_a_line(who), rows, columns, _badge(round(each.alone, 9), 0)])
    return table(["", *(text(f"clue_{each}") for each in ("rows", "columns", "alone"))], lines, "llll")


def _on_a_line(words: str) -> str:
    """A row's name, not to be broken: beside long columns Chinese would stand a character a line."""
    return "\u2060".join(words.replace(" ", "\N{NO-BREAK SPACE}"))


def sums(weights: NDArray[np.float64], axis: int) -> str:
    """The sums of rows (1) or columns (0) as badges."""
    return " ".join(_badge(round(float(x), 9), 1) for x in weights.sum(axis=axis))


def _badge(x: float, good: float) -> str:
    return f":{'primary' if x == good else 'gray'}-badge[{display.short(x)}]"


def where(it: Evidence, text: Text) -> str:
    """On which numbers all this was computed, and why not on the reader's alone."""
    said = [text("on_batch", sentences=len(it.bench.tokens))]
    if not it.own:
        one, other = (text(f"bug_{each or 'none'}") for each in it.because)
        said.append(text("not_own", one=one, other=other))
    elif not it.own_mask:
        said.append(text("not_own_mask"))
    if it.times > 1:
        said.append(text("times", times=f"{it.times:.0f}", largest=f"{it.largest:.0f}"))
    return text.sentences(said)


def _ask(it: Evidence, variant: str, case: int, bench: Workbench, text: Text) -> None:
    """The question, and what a wrong answer would have looked like."""
    key = f"scratch_choice_{case}"
    with st.form(f"scratch_ask_{case}", border=True):
        st.radio(text("what_is_wrong", suspect=letter(case)), NAMES, index=None, key=key,
                 format_func=lambda name: text(f"bug_{name}"))
        st.form_submit_button(
            text("commit"), type="primary",
            on_click=state.callback(lambda: _answer(st.session_state.get(key), variant)),
        )  # fmt: skip
    answer = views.get(bench, "scratch.answer")
    if answer:
        st.warning(not_that(it, variant, answer, letter(case), text), icon=":material/search:")
        st.button(text("show_me"), icon=SHOWN, key="scratch_show_me", type="tertiary",
                  on_click=state.callback(lambda: _add("scratch.shown", variant)))


def _answer(choice: object, variant: str) -> None:
    if choice not in NAMES:
        return
    state.show("scratch.answer", choice)
    if choice == variant:
        _add("scratch.solved", variant)


def _add(name: str, variant: str) -> None:
    have = views.get(state.bench(), name)
    state.show(name, tuple(each for each in NAMES if each in have or each == variant))


def not_that(it: Evidence, variant: str, answer: str, name: str, text: Text) -> str:
    """Why it is not that: what that mistake does, and the cell where what it would have made differs most."""
    would, here = it.seen[answer], it.seen[variant]
    said = [text("not_that", bug=text(f"bug_{answer}")), text(f"does_{answer}")]
    spot = scratch_evidence.differs(would, here)
    names = in_sentences(it.bench.tokens, text)
    if spot is None:
        said.append(text("would_be_the_same"))
    elif would.error:
        said.append(text("would_raise", suspect=name))
    elif here.error:
        said.append(text("would_run", suspect=name))
    else:
        said.append(text("would_differ", query=names[spot.row], key=names[spot.column], suspect=name,
                         would=display.short(spot.one), here=display.short(spot.other)))
        if scratch_evidence.differs(would, it.seen[RIGHT]) is None:
            said.append(text("would_be_right"))
    return text.sentences(said)


def _revealed(it: Evidence, variant: str, case: int, order: Sequence[str], bench: Workbench, text: Text) -> None:
    """The answer, the line of code, and the next case."""
    found = variant in views.get(bench, "scratch.solved")
    said = [text("found_it" if found else "was_shown", bug=text(f"bug_{variant}")), text(f"why_{variant}")]
    raised = bool(it.seen[variant].error)
    if variant == "transposed":
        said.append(text("transposed_raised" if raised else "transposed_silent", size=len(it.bench.tokens)))
    st.success(text.sentences(said), icon=DONE if found else SHOWN)
    st.code(scratch_evidence.diff(variant), language="diff", wrap_lines=True)
    left = [i for i in (*range(case + 1, len(order)), *range(case)) if not known(bench, order[i])]
    with widgets.line():
        if left:
            st.button(text("next_case", name=letter(left[0])), key="scratch_next_case", type="primary",
                      on_click=state.callback(lambda: _open(left[0])))
        if raised:
            st.button(text("make_silent", size=len(bench.tokens)), key="scratch_make_silent",
                      on_click=state.callback(_make_silent))


def _make_silent() -> None:
    """Give queries and keys as many dimensions as there are tokens: then K.T fits by accident."""
    bench = state.bench()
    state.commit(workbench.resized(bench, d_k=len(bench.tokens)))
