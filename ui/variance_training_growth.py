"""How q·k of a query with the key it asks for grows with d_k, once a model has learned to ask for it.

The article takes q and k to be independent; training sees to it that they are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from statistics import median

import numpy as np

from attention import training
from attention.training import Setting
from ui import training_runs
from ui.text import Text
from ui.training_runs import Series
from ui.variance_charts import number
from ui.variance_training_facts import at, steps_to_learn
from ui.variance_training_words import given

FEWEST = 3  #: sizes that a power is fitted to
ENOUGH = 3  #: seeds from which it is said how the power compares


@dataclass(frozen=True)
class Ended:
    """Where a run with √d_k has ended."""

    d_k: int
    seed: int
    own: float  # q·k of a query with its own key
    other: float  # and with the other keys
    learned: bool

    @property
    def fits(self) -> bool:
        """Whether it has a logarithm that says what a model that learned comes to."""
        return self.learned and self.own > 0


@dataclass(frozen=True)
class Growth:
    """Of the seeds whose runs with √d_k are all done."""

    runs: tuple[Ended, ...]
    powers: tuple[float, ...]  # a number a seed that learned at enough sizes: the power of d_k that fits best

    @property
    def seeds(self) -> int:
        """How many seeds are done."""
        return len({run.seed for run in self.runs})

    @property
    def kind(self) -> str:
        """Where all seeds put it, of √d_k and d_k; few seeds say nothing."""
        if len(self.powers) < ENOUGH:
            return "few"
        low, high = min(self.powers), max(self.powers)
        if high <= 0.5 or low >= 1:
            return "under" if high <= 0.5 else "over"
        return "between" if low > 0.5 and high < 1 else "root" if high < 1 else "linear" if low > 0.5 else "unclear"

    def ends(self) -> dict[int, tuple[float, float]]:
        """A line a size at which a run fits: q·k with the query's own key and with the others, of the median run."""
        fitted = {d_k: [run for run in self.runs if run.d_k == d_k and run.fits] for d_k in training.D_K}
        return {d_k: (median(run.own for run in each), median(run.other for run in each))
                for d_k, each in fitted.items() if each}  # fmt: skip

    def left(self) -> dict[str, list[Ended]]:
        """The runs that are left out, by the reason."""
        return {"unlearned": [run for run in self.runs if not run.learned],
                "below": [run for run in self.runs if run.learned and not run.fits]}  # fmt: skip


def measure(series: Series) -> Growth | None:
    """What the finished runs say of it; None while no seed has come to all sizes.

    ln q·k = power · ln d_k + constant, by least squares, seed by seed, over the sizes at which that seed learned
    """
    of_seeds = [[series.setting(d_k, "sqrt", seed) for d_k in training.D_K] for seed in series.seeds]
    runs = [[_ended(series, setting) for setting in each] for each in of_seeds if series.done.keys() >= set(each)]
    fitted = [[run for run in each if run.fits] for each in runs]
    powers = (_slope([run.d_k for run in each], [run.own for run in each]) for each in fitted if len(each) >= FEWEST)
    return Growth(tuple(chain(*runs)), tuple(powers)) if runs else None


def _ended(series: Series, setting: Setting) -> Ended:
    curves = series.done[setting]
    own, other = (at(curves[name].tolist(), training.STEPS) for name in ("match", "other"))
    return Ended(setting.d_k, setting.seed, own, other, steps_to_learn(curves["loss"].tolist()) < math.inf)


def _slope(sizes: Sequence[int], ends: Sequence[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(ends), 1)[0])


def sentences(series: Series, text: Text) -> Iterator[str]:
    """What it comes to, how it grows, and what was left out; nothing while no seed is done."""
    found = measure(series)
    if found is None:
        return
    if found.powers:
        ends = found.ends()
        own, other = (text.list([number(each, 0) for each in column]) for column in zip(*ends.values(), strict=True))
        yield text("growth_ends", sizes=text.list(list(map(str, ends))), own=own, other=other)
        yield text("growth_fit", power=power(found, series, text), how=how(found, series, text))
    else:
        yield text("growth_none", seeds=found.seeds, all=len(series.seeds), fewest=FEWEST)
    yield from left_out(found, text)


def power(found: Growth, series: Series, text: Text) -> str:
    """As a formula, and how many seeds say so."""
    middle, low, high = (f"{of(found.powers):.2f}" for of in (median, min, max))
    seeds = len(found.powers)
    said = "one" if seeds == 1 else "alike" if low == high else "range"
    return text(f"growth_power_{said}", power=f"$d_k^{{\\,{middle}}}$", seeds=seeds, all=len(series.seeds),
                least=low, most=high)  # fmt: skip


def how(found: Growth, series: Series, text: Text) -> str:
    """Between which of √d_k and d_k that is; where few seeds say it, whether more are to come."""
    more = found.kind == "few" and found.seeds < len(series.seeds)
    return text("growth_soon" if more else f"growth_{found.kind}")


def left_out(found: Growth, text: Text) -> Iterator[str]:
    """How many runs do not count, at which sizes, and why."""
    for reason, runs in found.left().items():
        if runs:
            sizes = [str(d_k) for d_k in training.D_K if d_k in {run.d_k for run in runs}]
            yield text(f"growth_{reason}", count=len(runs), runs=len(found.runs), sizes=text.list(sizes))


def anywhere(seed: int, lang: str) -> str:
    """The same in a sentence, for a part that asks how far independence holds; of what anybody has trained."""
    runs = training_runs.shared()
    return elsewhere([each for optimizer in training.OPTIMIZERS for each in runs.begun(optimizer, seed)], lang)


def elsewhere(begun: Sequence[Series], lang: str) -> str:
    """Of these runs, those at the rate given at first; where there are none, where it can be measured."""
    text, part = Text("variance_training", lang), Text("variance", lang)("part_training")
    grown = [(each, each.kept(("growth",), len(each.done), partial(measure, each)))
             for each in begun if each.at_first]  # fmt: skip
    known = [(each, found) for each, found in grown if found is not None and found.powers]
    if not known:
        return text("growth_there", part=part)
    runs = []
    for each, found in known:
        runs.append(text("growth_one", optimizer=text(f"optimizer_{each.optimizer}"), rate=given(each.optimizer),
                         power=power(found, each, text), how=how(found, each, text)))  # fmt: skip
        runs += left_out(found, text)
    return text("growth_here", part=part, steps=training.STEPS, runs=text.sentences(runs))
