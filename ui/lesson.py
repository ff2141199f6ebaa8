"""A lesson of 45 minutes: what to ask the class, the exact state to show it on, and what the class will see.

The answers hold numbers, and those are computed from the very state that the button opens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate, pairwise

import numpy as np

import attention
from ui import display
from ui.names import called
from ui.places import Place
from ui.text import Text
from ui.workbench import Workbench, head_steps, preset

Facts = Callable[[Workbench, Text], Mapping[str, object]]
EXAMPLE = {"zh": "cat", "en": "cat_en"}  #: language → the article's example in words that a class can say aloud


@dataclass(frozen=True)
class Part:
    """One question to the class, and the page and numbers that answer it."""

    id: str
    page: str
    minutes: int
    facts: Facts
    change: Callable[[Workbench], Workbench] = lambda bench: bench  # what it makes of the example
    shows: Mapping[str, object] = field(default_factory=dict)
    at: str = ""  # the key of the element to bring into view

    def bench(self, lang: str) -> Workbench:
        """The state to open for a class in that language."""
        return self.change(preset(EXAMPLE[lang]))


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
    small, large = 64, 256
    return {"small": small, "large": large, "spread": display.short(float(np.sqrt(large / small)), 0)}


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
    Part("growth", "variance", 8, _growth),
    Part("causal", "masks", 6, _causal, _causally, {"masks.lab": "append"}, "masks_lab"),
    Part("shuffled", "order", 5, _shuffled),
    Part("halves", "heads", 6, _halves),
)


@cache
def said(lang: str) -> list[tuple[str, str]]:
    """Each part's question and answer. (Prepared numbers: the same for everyone.)"""
    text, pairs = Text("teach", lang), []
    for part in PLAN:
        facts = part.facts(part.bench(lang), text)
        pairs.append((text(f"ask_{part.id}", **facts), text(f"see_{part.id}", **facts)))
    return pairs


def spans() -> list[tuple[int, int]]:
    """From which minute to which each part goes.

    >>> spans()[:2]
    [(0, 6), (6, 14)]
    """
    ends = list(accumulate(part.minutes for part in PLAN))
    return list(pairwise([0, *ends]))


def asked(number: int, lang: str) -> str:
    """A part's question, counted from 1."""
    return Text("teach", lang)("asked", number=number, of=len(PLAN), question=said(lang)[number - 1][0])
