"""How q·k of a query with the key it asks for grows with d_k, once a model has learned to ask for it.

The article takes q and k to be independent; training sees to it that they are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from attention import training
from ui import training_runs
from ui.text import Text
from ui.training_runs import GIVEN, Series
from ui.variance_charts import number
from ui.variance_training_facts import at, finished, outcome
from ui.variance_training_words import given

FEWEST = 3  #: sizes that a power is fitted to


@dataclass(frozen=True)
class Growth:
    """Of runs with √d_k, at the sizes at which the model learns."""

    sizes: tuple[int, ...]
    own: tuple[float, ...]  # a number a size: q·k of a query with its own key at the end, of the median seed
    other: tuple[float, ...]  # and of a query with the other keys
    powers: tuple[float, ...]  # a number a seed: the power of d_k that fits best

    @property
    def kind(self) -> str:
        """Where all seeds put it, of √d_k and d_k."""
        low, high = min(self.powers), max(self.powers)
        if high <= 0.5 or low >= 1:
            return "under" if high <= 0.5 else "over"
        return "between" if low > 0.5 and high < 1 else "root" if high < 1 else "linear" if low > 0.5 else "unclear"


def measure(series: Series) -> Growth | None:
    """What the finished runs say of it; None while a size has none, or where too few learn.

    ln q·k = power · ln d_k + constant, by least squares over the sizes, seed by seed
    """
    outcomes = {d_k: outcome(series, d_k, "sqrt") for d_k in training.D_K}
    ends = {(d_k, name): [at(each, training.STEPS) for each in finished(series, d_k, "sqrt", name)]
            for d_k in training.D_K for name in ("match", "other")}  # fmt: skip
    sizes = tuple(d_k for d_k, each in outcomes.items()
                  if each and median(each.learned) < math.inf and min(ends[d_k, "match"]) > 0)  # fmt: skip
    if None in outcomes.values() or len(sizes) < FEWEST:
        return None
    seeds = zip(*(ends[d_k, "match"] for d_k in sizes), strict=False)  # the last seed may not have come to all sizes
    powers = (float(np.polyfit(np.log(sizes), np.log(own), 1)[0]) for own in seeds)
    own, other = (tuple(median(ends[d_k, name]) for d_k in sizes) for name in ("match", "other"))
    return Growth(sizes, own, other, tuple(powers))


def sentences(series: Series, text: Text) -> Iterator[str]:
    """What it comes to, and how it grows; nothing while no seed is done."""
    found = measure(series)
    if found is None:
        if all(outcome(series, d_k, "sqrt") for d_k in training.D_K):
            yield text("growth_none")
        return
    own, other = (text.list([number(each, 0) for each in ends]) for ends in (found.own, found.other))
    yield text("growth_ends", sizes=text.list(list(map(str, found.sizes))), own=own, other=other)
    yield text("growth_fit", power=power(found, text), how=text(f"growth_{found.kind}"))
    if left := [str(d_k) for d_k in training.D_K if d_k not in found.sizes]:
        yield text("growth_left", sizes=text.list(left))


def power(found: Growth, text: Text) -> str:
    """As a formula, and what the seeds say of it."""
    middle, low, high = (f"{of(found.powers):.2f}" for of in (median, min, max))
    formula = f"$d_k^{{\\,{middle}}}$"
    if low == high:
        return formula
    return text("median_and_range", median=formula, least=low, most=high, seeds=len(found.powers))


def anywhere(seed: int, lang: str) -> str:
    """The same in a sentence, for a part that asks how far independence holds; of what anybody has trained."""
    runs = training_runs.shared()
    return elsewhere([each for optimizer in training.OPTIMIZERS for each in runs.begun(optimizer, seed)], lang)


def elsewhere(begun: Sequence[Series], lang: str) -> str:
    """Of these runs, those at the rate given at first; where there are none, where it can be measured."""
    text, part = Text("variance_training", lang), Text("variance", lang)("part_training")
    grown = [(each, each.kept(("growth",), len(each.done), partial(measure, each)))
             for each in begun if each.rate == GIVEN]  # fmt: skip
    known = [(each, found) for each, found in grown if found is not None]
    if not known:
        return text("growth_there", part=part)
    runs = [text("growth_one", optimizer=text(f"optimizer_{each.optimizer}"), rate=given(each.optimizer),
                 power=power(found, text), how=text(f"growth_{found.kind}")) for each, found in known]  # fmt: skip
    return text("growth_here", part=part, steps=training.STEPS, runs=text.sentences(runs))
