"""What the order page says of its numbers."""

from __future__ import annotations

import math

import numpy as np

import attention
from ui import display, order, views
from ui.display import residual
from ui.names import called
from ui.order import Setting, Trial
from ui.tables import table
from ui.text import Text
from ui.workbench import Workbench


def verdict(trial: Trial, it: Setting, bench: Workbench, text: Text) -> str:
    """What the shuffle did, and whether the reader expected it."""
    most = called(bench, text)[int(trial.residuals.argmax())]
    values = {
        "residual": f"**{residual(trial.residual)}**", "token": most, "encoding": text(f"encoding_{it.encoding}"),
    }  # fmt: skip
    said = [text(_verdict(trial, it), **values)]
    about, _, guess = views.get(bench, "order.guess").partition(" ")
    if about == it.encoding and trial.shuffled:
        said.insert(0, text("guess_right" if (guess == "same") == trial.same else "guess_wrong"))
    return text.sentences(said)


def _verdict(trial: Trial, it: Setting) -> str:
    if not trial.shuffled:
        return "verdict_one" if it.n < 2 else "verdict_start"
    masked = it.mask is not None
    if trial.same:
        if it.encoding == "none":
            return "verdict_blind_exact" if trial.residual == 0 else "verdict_blind"
        mirrored = it.encoding == "alibi" and trial.order == tuple(range(it.n))[::-1] and not masked
        return "verdict_mirror" if mirrored else "verdict_unnoticed"
    if it.encoding == "none":
        return "verdict_mask" if masked else "verdict_rounding"
    return "verdict_sees"


def about(it: Setting, bench: Workbench, text: Text) -> str:
    """Where Q, K and V come from, and what the encoding does to them."""
    source = "X" if order.from_input(bench) else "QK"
    said = [text(f"source_{source}")]
    if bench.mask != "none" and not it.masked:
        said.insert(0, text("mask_out"))
    if it.encoding == "sinusoidal":
        said.append(text(f"does_sinusoidal_{source}", route=Text("edit", text.lang)("route_input")))
    elif it.encoding == "rope":
        d_k = bench.sizes["d_k"]
        said.append(text("does_rope_none" if d_k == 1 else "does_rope", pairs=d_k // 2))
        said += [text("does_rope_odd", last=d_k)] if d_k % 2 and d_k > 1 else []
    elif it.encoding == "alibi":
        said.append(text("does_alibi", slope=slope(it.slope), head=it.head + 1, heads=it.n_heads))
    return text.sentences(said)


def slope(m: float) -> str:
    """A slope as a fraction where it is one.

    >>> slope(0.0625), slope(2**-0.5)
    ('1/16', '0.7071')
    """
    return f"1/{round(1 / m)}" if (1 / m).is_integer() else display.short(m, 4)


def slopes(n_heads: int, text: Text) -> str:
    return text.list([slope(float(m)) for m in attention.alibi_slopes(n_heads)])


def alike(n: int, d: int, text: Text) -> str:
    """How the dot product of two codes falls with distance, and that it is the same for every position."""
    spread = max(high - low for low, _, high in order.likeness(order.code(n, d)).tolist())
    near = order.likeness(order.code(4, d))[:, 1].tolist()
    steps = {f"at_{k}": display.short(near[k]) for k in (1, 3)}
    return text("see_alike", spread=residual(spread), half=d // 2, **steps)


def wave(d: int, text: Text) -> str:
    """How long the first and the last pair take for a turn."""
    last = 2 * math.pi * 10_000 ** ((d - 2) / d)
    return text("see_code", first=f"{2 * math.pi:.2f}", last=f"{last:,.0f}" if last > 10 else f"{last:.2f}")


def sines_table(n: int, text: Text) -> str:
    """The closest two codes, with sines alone and with both."""
    lines = []
    for d in (2, 4, 8, 16, 32):
        both = order.code(n, d)
        cells = [text("closest", p=p, q=q, apart=display.enough(apart, (2, 4, 6)) or residual(apart))
                 for p, q, apart in map(order.nearest, (both[:, ::2], both))]  # fmt: skip
        lines.append([str(d), *cells])
    return table(["d_model", text("head_sines"), text("head_both")], lines, "rll")


def turn(p: int, k: int, d: int) -> str:
    """The rotation block of the first pair, with its numbers."""
    block = _matrix(attention.position_shift(k, d)[:2, :2])
    before, after = (_matrix(order.code(1, d, at)[0, :2, None]) for at in (p, p + k))
    terms = (block, f"k = {k}"), (before, f"p = {p}"), (after, f"p + k = {p + k}")
    M, here, there = (rf"\underbrace{{{matrix}}}_{{{name}}}" for matrix, name in terms)
    return f"$$ {M} {here} = {there} $$"


def _matrix(values: order.Array) -> str:
    rows = [" & ".join(display.short(float(x)).replace(display.MINUS, "-") for x in row) for row in values]
    return r"\begin{pmatrix}" + r" \\ ".join(rows) + r"\end{pmatrix}"


def turn_residual(k: int, d: int) -> float:
    """The largest error of PE(p + k) = M·PE(p) over all positions."""
    M = attention.position_shift(k, d)
    here, there = (order.code(order.MOST_POSITIONS, d, shift) for shift in (0, k))
    return float(np.abs(here @ M.T - there).max())


def shift_table(bench: Workbench, shift: int, text: Text) -> str:
    """By how much scores and weights move under each encoding."""
    lines = []
    for encoding in order.ENCODINGS:
        cells = [residual(float(np.abs(moved).max())) for moved in order.shift_by(bench, encoding, shift)]
        lines.append([text(f"encoding_{encoding}"), *cells])
    return table([text(f"head_{each}") for each in ("encoding", "scores", "weights")], lines)


def add(terms: order.Terms, bench: Workbench, text: Text) -> str:
    """What adding means for the numbers, and what concatenation would cost."""
    sizes = bench.sizes
    gap = float(np.abs(terms.sum - terms.scores).max())
    source = "X" if order.from_input(bench) else "QK"
    weights = {"added": sizes["d_model"] * sizes["d_k"], "joined": 2 * sizes["d_model"] * sizes["d_k"]}
    return text(f"see_add_{source}", apart=residual(terms.apart), gap=residual(gap), d_model=sizes["d_model"],
                d_k=sizes["d_k"], twice=2 * sizes["d_model"], **weights)  # fmt: skip
