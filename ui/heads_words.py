"""One run of the workbench's heads, and what there is to say about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import attention
from ui import display, workbench
from ui.names import escaped
from ui.text import Text
from ui.workbench import Workbench

FLAT = 0.9  #: from this normalized entropy on, weights are called almost uniform


@dataclass(frozen=True, eq=False)
class Ledger:
    """The trace of all heads, and what it comes to when they are all on."""

    bench: Workbench
    heads: attention.MultiHead
    steps: attention.MultiHeadSteps
    full: NDArray[np.float64]  # (n, d_model): the output with every head on
    moved: NDArray[np.float64]  # (n,): ‖output − full‖
    length: NDArray[np.float64]  # (n,): ‖full‖
    similarity: NDArray[np.float64]  # (h, h)

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.bench.tokens

    @property
    def off(self) -> tuple[int, ...]:
        return self.bench.heads_off

    @property
    def weights(self) -> NDArray[np.float64]:
        """(h, n, n)"""
        return self.steps.heads.weights


@lru_cache(maxsize=64)
def ledger(bench: Workbench) -> Ledger:
    """Run the heads of a workbench: of one without a chosen cell, so that a click on a cell runs nothing."""
    steps = workbench.head_steps(bench)
    full = steps.contributions.sum(axis=-3)
    moved, length = (np.linalg.norm(x, axis=-1) for x in (steps.output - full, full))
    alike = attention.head_similarity(steps.heads.weights)
    return Ledger(bench, workbench.multi_head(bench), steps, full, moved, length, alike)


def status(it: Ledger, text: Text) -> str:
    """What the switches have done, in a sentence."""
    if not it.off:
        return text("status_all", h=it.bench.n_heads)
    if len(it.off) == it.bench.n_heads:
        return text("status_none")
    i, most = it.bench.token, int(it.moved.argmax())
    return text(
        "status_some", heads=numbers(it.off, text),
        token=escaped(it.tokens[i]), moved=moved(it, i, text),
        most=escaped(it.tokens[most]), farthest=moved(it, most, text),
    )  # fmt: skip


def moved(it: Ledger, i: int, text: Text) -> str:
    """A token's distance, absolute and as a share of its full length."""
    distance = display.short(float(it.moved[i]))
    if not it.length[i]:
        return text("moved_from_zero", distance=distance)
    return text("moved", distance=distance, share=display.short(100 * float(it.moved[i] / it.length[i]), 0))


def origin(it: Ledger, text: Text) -> str:
    """That nobody trained these heads, and what follows from it."""
    n = len(it.tokens)
    uniform = n > 1 and it.bench.mask == "none" and attention.normalized_entropy(it.weights).mean() > FLAT
    low, high = (display.short(float(x)) for x in (it.weights.min(), it.weights.max()))
    flat = text("flat", n=n, share=display.short(1 / n), low=low, high=high) if uniform else ""
    return text("not_trained", seed=it.bench.head_seed, flat=flat)


def setting(it: Ledger, text: Text) -> str:
    """Where X, mask and scale come from."""
    bench, d_model = it.bench, it.full.shape[-1]
    return text(
        "setting", n=len(it.tokens), d_model=d_model, d_k=d_model // bench.n_heads,
        mask=text(f"mask_{bench.mask}"), scale=text(f"scale_{bench.scale}"),
        divisor=display.short(it.steps.heads.divisor),
    )  # fmt: skip


def parameters(it: Ledger, text: Text) -> str:
    """How many numbers the projections hold, with the arithmetic."""
    d_model, h = it.full.shape[-1], it.bench.n_heads
    return text("parameters", h=h, d_model=d_model, d_k=d_model // h, total=it.heads.n_parameters)


def addition(it: Ledger, text: Text) -> str:
    """The sum behind one dimension of the chosen output: the one in which the heads have most to say."""
    parts, on = it.steps.contributions[:, it.bench.token], it.steps.heads_on
    j = int(np.abs(parts).sum(axis=0).argmax())
    total = float(it.steps.output[it.bench.token, j])
    terms = [_term(head, float(x), bool(on[head])) for head, x in enumerate(parts[:, j])]
    equals = "=" if _adds_up(parts[on, j], total) else r"\approx"
    return text("addition", column=j + 1, sum=" + ".join(terms), equals=equals, total=display.short(total))


def _term(head: int, x: float, on: bool) -> str:
    """A contribution with its head's number below; struck if the head is off."""
    number = display.short(x)
    number = f"({number})" if number.startswith(display.MINUS) else number
    number = number if on else rf"\cancel{{{number}}}"
    return rf"\mathord{{\underset{{{head + 1}}}{{{number}}}}}"


def _adds_up(parts: NDArray[np.float64], total: float) -> bool:
    """Whether the numbers as printed add up to the sum as printed."""
    largest = max(np.abs(parts).max(initial=0.0), abs(total))
    return largest < 1000 and abs(sum(round(float(x), 2) for x in parts) - round(total, 2)) < 1e-9


def alike(values: NDArray[np.float64], text: Text) -> str:
    """The most and the least similar pair of heads."""
    a, b = np.triu_indices(len(values), 1)
    pairs = values[a, b]
    if len(pairs) == 1:
        return text("alike_pair", most=display.short(float(pairs[0])))
    high, low = int(pairs.argmax()), int(pairs.argmin())
    return text(
        "alike", a=a[high] + 1, b=b[high] + 1, most=display.short(float(pairs[high])),
        c=a[low] + 1, d=b[low] + 1, least=display.short(float(pairs[low])),
    )  # fmt: skip


def same_maps(it: Ledger) -> bool:
    """Whether heads 1 and 2 have the same weights, to the last bit."""
    return bool(np.array_equal(it.weights[0], it.weights[1]))


def numbers(heads: tuple[int, ...], text: Text) -> str:
    """Heads by number: 1, 3."""
    return text.list([str(head + 1) for head in heads])
