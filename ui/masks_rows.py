"""Rows and masks: a row with no key left, padding on queries against keys, and one token more."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import streamlit as st

import attention
from ui import charts, display, masks, masks_lab, stages, state, views, widgets
from ui.masks_lab import NOISE
from ui.names import called, in_sentences
from ui.text import Text
from ui.workbench import Workbench

POLICIES = ("nan", "zero", "uniform")
LONG = 1000  #: tokens of a text for which the multiplications are counted besides the reader's


def explain(bench: Workbench, steps: attention.AttentionSteps, rows: list[str], text: Text) -> None:
    """What to see under the stages; of a row with no key left only once the reader has guessed what becomes of it."""
    gone = ~steps.weights.any(axis=-1)
    if not gone.any() or views.get(bench, "masks.guess_empty"):
        stages.explain(steps, rows, text)
        return
    names = called(bench, text)
    st.info(text("guess_empty", tokens=masks_lab.listed(gone, names, text)))
    st.markdown(stages.summary(steps, names, text))


def empty(bench: Workbench, text: Text, layout: str) -> None:
    """A query whose keys are all masked, three ways, and what becomes of the next layer."""
    mask, names = masks.allowed(bench), called(bench, text)
    gone = ~mask.any(axis=-1)
    if not gone.any():
        st.markdown(text("no_empty"))
        st.button(text("make_empty", token=names[bench.token]), key="make_empty", icon=":material/block:",
                  on_click=state.callback(lambda: state.commit(masks.without_keys(state.bench(), state.bench().token))))
        return
    Q, K, V = bench.qkv()
    made = {
        name: attention.attention_steps(Q, K, V, mask, scale=bench.scale, empty_rows=name) for name in POLICIES
    }
    row = int(np.flatnonzero(gone)[0])
    formula = attention.attention(Q, K, V, mask) if bench.scale == "sqrt" else made["nan"].output
    truth = "nan" if np.isnan(formula[row]).all() else "zero"
    if not masks_lab.committed("empty", text, truth):
        return
    tokens = bench.tokens
    masks_lab.draw("empty", tokens, [
        masks_lab.weights(text(f"policy_{name}"), steps.weights, tokens, text, hidden=~mask & ~gone[:, None],
                          framed=~mask & gone[:, None])
        for name, steps in made.items()
    ], layout)  # fmt: skip
    next_ = {name: steps.weights @ steps.output for name, steps in made.items()}
    st.markdown(text("next_layer"))
    limit = charts.largest(*next_.values())
    masks_lab.draw("next", tokens, [
        masks_lab.outputs(text(f"next_{name}"), next_[name], tokens, text, limit, "tip_next") for name in POLICIES
    ], layout)
    lost = np.isnan(next_["nan"]).any(axis=-1)
    st.markdown(text("see_empty", rows=masks_lab.listed(gone, names, text), lost=int(lost.sum()), of=len(tokens)))
    st.markdown(text("torch_empty"))


def padding(bench: Workbench, text: Text, layout: str) -> None:
    """Padded keys masked; padded queries masked too; padded queries alone."""
    n = len(bench.tokens)
    length = masks.own(bench).mask_length or n - 1
    if not 0 < length < n:
        st.info(text("no_padding"))
        return
    keys = np.broadcast_to(attention.padding_mask(length, n), (n, n))
    queries = keys.T
    Q, K, V = bench.qkv()
    made = [
        attention.attention_steps(Q, K, V, mask, scale=bench.scale) for mask in (keys, keys & queries, queries)
    ]
    change = np.abs(made[1].output - made[0].output)[:length].max()
    moves = masks_lab.moved(made[0].output[:length], made[1].output[:length]).any()
    names, tokens = called(bench, text), bench.tokens
    real = np.arange(n) < length
    st.markdown(text("padded", real=masks_lab.listed(real, names, text), pads=masks_lab.listed(~real, names, text)))
    if not masks_lab.committed("padding", text, "yes" if moves else "no"):
        return
    masks_lab.draw("padding", tokens, [
        masks_lab.weights(text(f"padding_{id}"), steps.weights, tokens, text, hidden=~mask)
        for id, steps, mask in zip(
            ("keys", "both", "queries"), made, (keys, keys & queries, queries), strict=True)
    ], layout)  # fmt: skip
    leak = attention.leaked_weights(made[2].weights, keys)[:length]
    worst = int(np.argmax(leak))
    st.markdown(text("see_padding", moved=display.residual(float(change)), pads=masks_lab.listed(~real, names, text)))
    if leak[worst] < NOISE:
        st.markdown(text("see_padding_hidden"))
        return
    off = float(np.abs(made[2].output - made[0].output)[:length].max())
    st.markdown(text("see_padding_queries", row=names[worst], leak=display.short(float(leak[worst])),
                     off=display.residual(off)))


def append(bench: Workbench, text: Text, layout: str) -> None:
    """One token more, without a mask and under the causal one: which earlier rows notice?"""
    copied = min(int(views.get(bench, "masks.append")), len(bench.tokens) - 1)
    before, after = _grown(bench, copied, causal=False)
    before_causal, after_causal = _grown(bench, copied, causal=True)
    n = len(bench.tokens)
    change, change_causal = after.output[:n] - before.output, after_causal.output[:n] - before_causal.output
    largest = [float(np.abs(each).max()) for each in (change, change_causal)]
    moved = masks_lab.moved(before_causal.output, after_causal.output[:n])
    _choose_appended(bench, copied, text)
    if not masks_lab.committed("append", text, "none" if not moved.any() else "all" if moved.all() else "last"):
        return
    tokens = (*bench.tokens, text("new", token=bench.tokens[copied]))
    limit, new_row = max(charts.largest(change, change_causal), NOISE), np.full((1, change.shape[1]), np.nan)

    def changes(of: masks_lab.Array) -> masks_lab.Heat:
        values = np.vstack([of, new_row])
        return masks_lab.outputs(text("append_change"), values, tokens, text, limit, "tip_change", _change)

    future = ~attention.causal_mask(n + 1)
    masks_lab.draw("append", tokens, [
        masks_lab.weights(text("append_open"), after.weights, tokens, text), changes(change),
        masks_lab.weights(text("append_causal"), after_causal.weights, tokens, text, hidden=future),
        changes(change_causal),
    ], layout)  # fmt: skip
    names = called(bench, text)
    worst = int(np.argmax(np.abs(change).max(axis=-1)))
    open_, causal = map(display.residual, largest)
    st.markdown(text("see_append", open=open_, causal=causal, row=names[worst]))
    _cache(bench, copied, after_causal.output, text)
    st.markdown(text("inference"))


def _with_copy(bench: Workbench, copied: int) -> list[masks_lab.Array]:
    """Q, K and V with one row more: a copy of a token that is there."""
    return [np.vstack([matrix, matrix[copied]]) for matrix in bench.qkv()]


def _grown(
    bench: Workbench, copied: int, *, causal: bool
) -> tuple[attention.AttentionSteps, attention.AttentionSteps]:  # fmt: skip
    """Attention on the reader's tokens, and on one more."""
    both = [
        attention.attention_steps(Q, K, V, attention.causal_mask(len(Q)) if causal else None, scale=bench.scale)
        for Q, K, V in (bench.qkv(), _with_copy(bench, copied))
    ]
    return both[0], both[1]


def _change(x: float, decimals: int) -> str:
    return "–" if np.isnan(x) else display.short(x, decimals)


def _choose_appended(bench: Workbench, copied: int, text: Text) -> None:
    shown = in_sentences(bench.tokens, text)
    widgets.look("masks.append", range(len(shown)), copied, text, show=lambda i: shown[i], key="masks_append")


def _cache(bench: Workbench, copied: int, expected: masks_lab.Array, text: Text) -> None:
    """The same outputs token by token from kept keys and values, and the multiplications that saves."""
    off = float(np.abs(attention.cached_outputs(*_with_copy(bench, copied), scale=bench.scale) - expected).max())
    d_k, d_v, n = bench.sizes["d_k"], bench.sizes["d_v"], len(expected)
    again, kept = _counts(n, d_k, d_v)
    long_again, long_kept = _counts(LONG, d_k, d_v)
    st.markdown(text(
        "see_cache", off=display.residual(off), n=n, again=f"{again:,}", kept=f"{kept:,}", d_k=d_k, d_v=d_v, long=LONG,
        long_again=f"{long_again:,}", long_kept=f"{long_kept:,}", times=f"{long_again / long_kept:.0f}",
    ))  # fmt: skip


@lru_cache(maxsize=256)
def _counts(n: int, d_k: int, d_v: int) -> tuple[int, int]:
    """Multiplications while a text grows to n tokens: all rows anew at each token, or the new row alone."""
    again = sum(attention.multiplications(t, t, d_k, d_v) for t in range(1, n + 1))
    return again, sum(attention.multiplications(1, t, d_k, d_v) for t in range(1, n + 1))
