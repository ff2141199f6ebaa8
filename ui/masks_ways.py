"""Three ways to get a mask wrong, beside the right one: after softmax, with a number for −∞, the wrong way round."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

import attention
from attention.leaks import FORMATS
from ui import charts, display, masks, masks_lab, state, views, widgets
from ui.masks_lab import NOISE
from ui.names import called
from ui.tables import table
from ui.text import Text
from ui.workbench import Workbench

FILLS = {"inf": -math.inf, "1e9": -1e9, "e": -math.e, "tiny": -1e-20, "zero": 0.0}
SHOWN = {"inf": "−∞", "1e9": "−1e9", "e": "−2.72", "tiny": "−1e−20", "zero": "0"}
NAMED = SHOWN | {"e": "−e ≈ −2.72"}  #: where there is room
DECIMALS = 3  #: of a leak: learners compare with 0.064, 0.006


def after(bench: Workbench, text: Text, layout: str) -> None:
    """The mask before softmax, and the mask multiplied in after it."""
    st.button(text("open_125"), key="open_125", icon=":material/exposure:",
              on_click=state.callback(lambda: state.commit(masks.one_two_five(state.bench()))))
    if not masks_lab.forbids(bench, text):
        return
    mask, (Q, K, V) = masks.allowed(bench), bench.qkv()
    right, late = bench.steps(), attention.masked_after_steps(Q, K, V, mask, scale=bench.scale)
    left = late.weights.sum(axis=-1)
    open_rows = mask.any(axis=-1)
    row = int(np.argmin(np.where(open_rows, left, 2.0))) if open_rows.any() else 0
    if not masks_lab.committed("after", text, "less" if left[row] < 1 - NOISE else "one"):
        return
    limit, tokens = charts.largest(right.output, late.output), bench.tokens
    masks_lab.draw("after", tokens, [
        masks_lab.weights(text("after_right"), right.weights, tokens, text, hidden=~mask),
        masks_lab.outputs(text("after_output_right"), right.output, tokens, text, limit),
        masks_lab.weights(text("after_late"), late.weights, tokens, text, hidden=~mask),
        masks_lab.outputs(text("after_output_late"), late.output, tokens, text, limit),
    ], layout)  # fmt: skip
    names = called(bench, text)
    missing = attention.leaked_weights(attention.softmax(right.scaled), mask)
    rows = [
        [name, display.total(one), display.short(float(sum_), DECIMALS), display.short(float(gone), DECIMALS)]
        for name, one, sum_, gone in zip(names, right.weights, np.round(left, 12), np.round(missing, 12), strict=True)
    ]
    st.markdown(table([text("query"), *(text(f"after_{id}") for id in ("sum", "sum_late", "missing"))], rows))
    if not open_rows.any():
        st.markdown(text("see_after_empty"))
        return
    if left[row] > 1 - NOISE:
        st.markdown(text("see_after_nothing"))
        return
    st.markdown(text("see_after", row=names[row], sum=display.short(float(left[row]), DECIMALS),
                     missing=display.short(round(float(missing[row]), 12), DECIMALS)))


def fill(bench: Workbench, text: Text, layout: str) -> None:
    """Numbers in place of −∞, and what each lets through."""
    if not masks_lab.forbids(bench, text):
        return
    mask, (Q, K, V) = masks.allowed(bench), bench.qkv()
    steps = {name: attention.filled_steps(Q, K, V, mask, number, scale=bench.scale) for name, number in FILLS.items()}
    leaks = {name: attention.leaked_weights(each.weights, mask) for name, each in steps.items()}
    unmasked = attention.leaked_weights(attention.softmax(bench.steps().scaled), mask)
    if not masks_lab.committed("fill", text, _compared(leaks["zero"].sum(), unmasked.sum())):
        return
    name = str(views.get(bench, "masks.fill"))
    widgets.look("masks.fill", tuple(FILLS), name, text, show=NAMED.__getitem__, key="masks_fill")
    it, leak, tokens = steps[name], leaks[name], bench.tokens
    lost = np.nan_to_num(it.weights)
    masks_lab.draw("fill", tokens, [
        masks_lab.scores(text("fill_scores"), it.masked, tokens, text, charts.largest(it.scaled), ~mask, _number),
        masks_lab.weights(text("fill_weights"), it.weights, tokens, text, framed=~mask, sums=[
            text("leak_sum", leak=display.short(float(x))) for x in leak
        ]),
        masks_lab.outputs(text("fill_output"), it.output, tokens, text, charts.largest(it.output)),
        masks_lab.outputs(text("fill_leaked"), attention.leaked_output(lost, V, mask), tokens, text,
                          charts.largest(it.output), "tip_leaked"),
    ], layout)  # fmt: skip
    st.markdown(_fills(bench, text, steps, leaks))
    deep = leaks["1e9"][mask.any(axis=-1)].any()
    st.markdown(text.sentences([text("see_fill"), text("see_fill_deep" if deep else "see_fill_apart")]))
    with st.expander(text("formats_title")):
        st.markdown(_formats(bench, text))
        st.markdown(text("see_formats", row=called(bench, text)[bench.token]))


def _compared(now: float, before: float) -> str:
    if now <= NOISE:
        return "none"
    return "less" if now < before else "more"


def _number(x: float, decimals: int) -> str:
    """A score; those that were filled in by their names."""
    return next((SHOWN[name] for name, number in FILLS.items() if x == number), display.short(x, decimals))


def _fills(
    bench: Workbench, text: Text, steps: dict[str, attention.AttentionSteps], leaks: dict[str, masks_lab.Array]
) -> str:  # fmt: skip
    """Every fill: the largest leak of a row that has a key left, how far its output is off, and a row without any."""
    mask, right, n = masks.allowed(bench), bench.steps(), len(bench.tokens)
    open_rows = mask.any(axis=-1)
    rows = []
    for name, number in FILLS.items():
        leak = display.short(float(leaks[name][open_rows].max()), DECIMALS) if open_rows.any() else "–"
        off = np.abs(steps[name].output - right.output)[open_rows].max() if open_rows.any() else math.nan
        empty = attention.filled_weights(right.scaled[:1], np.zeros((1, n), dtype=bool), number)[0]
        rows.append([NAMED[name], leak, "–" if math.isnan(off) else display.residual(float(off)), _each(empty, text)])
    return table([text(f"fills_{id}") for id in ("fill", "leak", "off", "empty")], rows)


def _each(weights: masks_lab.Array, text: Text) -> str:
    """What all weights of an empty row are, which is one number."""
    return text("each", weight=display.short(float(weights[0])))


def _formats(bench: Workbench, text: Text) -> str:
    """−1e9 in wide and narrow numbers, measured with NumPy: what it becomes, and a row with no key left."""
    scaled = bench.steps().scaled[[bench.token]]
    none = np.zeros_like(scaled, dtype=bool)
    rows = []
    for name in FORMATS:
        with np.errstate(over="ignore"):
            becomes = float(np.array(-1e9).astype(name))
        weights = attention.filled_weights(scaled, none, -1e9, name)[0]
        rows.append([f"`{name}`", _number(becomes, 2), _each(weights, text)])
    return table([text(f"formats_{id}") for id in ("format", "becomes", "empty")], rows)


def polarity(bench: Workbench, text: Text, layout: str) -> None:
    """True = may attend, and the same mask read as True = ignore."""
    if not masks_lab.forbids(bench, text):
        return
    mask, (Q, K, V) = masks.allowed(bench), bench.qkv()
    right = bench.steps()
    flipped = attention.attention_steps(Q, K, V, ~mask, scale=bench.scale)
    leak = attention.leaked_weights(flipped.weights, mask)
    some = ~mask.all(axis=-1)
    shares = leak[some]
    truth = "all" if (shares > 1 - NOISE).all() else "none" if (shares < NOISE).all() else "part"
    if not masks_lab.committed("polarity", text, truth):
        return
    future = ~attention.causal_mask(len(bench.tokens))
    tokens, names = bench.tokens, called(bench, text)
    masks_lab.draw("polarity", tokens, [
        masks_lab.weights(text("polarity_right"), right.weights, tokens, text, hidden=~mask, sums=_to(future, right)),
        masks_lab.weights(text("polarity_flipped"), flipped.weights, tokens, text, hidden=mask, framed=~mask,
                          sums=_to(future, flipped)),
    ], layout)  # fmt: skip
    st.markdown(text("see_polarity", rows=masks_lab.listed(some, names, text)))
    seers = np.where(future & ~mask, flipped.weights, 0.0).sum(axis=-1) > NOISE
    if seers.any():
        st.markdown(text("see_future", rows=masks_lab.listed(seers, names, text)))
    if not some.all():
        st.markdown(text("see_flipped_empty", rows=masks_lab.listed(~some, names, text)))
    st.markdown(text("conventions"))


def _to(future: masks_lab.Mask, steps: attention.AttentionSteps) -> list[str]:
    """How much of each row's weight goes to later tokens."""
    return [f"→ {display.total(row)}" for row in np.where(future, steps.weights, 0.0)]
