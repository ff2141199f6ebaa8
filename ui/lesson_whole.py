"""A lesson on all of attention, a page a question.

The answers hold numbers, and those are computed from the very state that the button opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

import attention
from ui import display
from ui.lesson_plan import Part
from ui.names import called
from ui.places import Place
from ui.text import Text
from ui.workbench import Workbench, head_steps


def _shares(bench: Workbench, text: Text) -> Mapping[str, object]:
    row = bench.steps().weights[bench.token]
    names = called(bench, text)
    said = [f"{name} {display.short(float(w))}" for name, w in zip(names, row, strict=True)]
    return {"token": names[bench.token], "shares": text.list(said)}


def _chosen(bench: Workbench) -> Workbench:
    """With the largest weight of the token that asks chosen: the one that the article works out."""
    top = int(bench.steps().weights[bench.token].argmax())
    return replace(bench, cell=tuple(Place("weights", bench.token, top)))


def _causally(bench: Workbench) -> Workbench:
    return replace(bench, mask="causal")


def _fraction(bench: Workbench, text: Text) -> Mapping[str, object]:
    steps, (_, row, column, _) = bench.steps(), Place(*bench.cell)
    powers = np.exp(steps.masked[row])
    said = map(display.short, (powers[column], powers.sum(), steps.weights[row, column]))
    return dict(zip(("power", "total", "weight"), said, strict=True))


def _growth(bench: Workbench, text: Text) -> Mapping[str, object]:
    larger = 2.0  # by the page's question
    return {"variance": display.short(larger, 0), "spread": display.short(float(np.sqrt(larger)))}


def _causal(bench: Workbench, text: Text) -> Mapping[str, object]:
    n = len(bench.tokens) - 1
    Q, K, V = bench.qkv()
    without_last = attention.attention(Q[:n], K[:n], V[:n], attention.causal_mask(n))
    moved = float(np.abs(bench.steps().output[:n] - without_last).max())
    return {"first": display.short(float(bench.steps().weights[0, 0])), "moved": display.residual(moved)}


def _shuffled(bench: Workbench, text: Text) -> Mapping[str, object]:
    order = np.arange(len(bench.tokens))[::-1]
    back = attention.attention(*(x[order] for x in bench.qkv()))[order]
    return {"moved": display.residual(float(np.abs(back - bench.steps().output).max()))}


def _halves(bench: Workbench, text: Text) -> Mapping[str, object]:
    def size(x: np.ndarray) -> str:
        return display.short(float(np.linalg.norm(x)))

    steps = head_steps(bench)
    return {"both": size(steps.output), "first": size(steps.contributions[0]), "second": size(steps.contributions[1])}


PLAN = (
    Part("shares", "lookup", 6, _shares, shows={"lookup.kind": "real"}),
    Part("value", "edit", 8, lambda bench, text: {}),
    Part("fraction", "edit", 6, _fraction, _chosen),
    Part("growth", "variance", 8, _growth, shows={"variance.part": "spread", "variance.guess_doubled": ""},
         asks=("variance_spread", "ask_doubled")),
    Part("causal", "masks", 6, _causal, _causally, {"masks.lab": "append"}, "masks_lab"),
    Part("shuffled", "order", 5, _shuffled),
    Part("halves", "heads", 6, _halves),
)  # fmt: skip
