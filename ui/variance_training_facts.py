"""What training runs come to: where the loss ends, whether a model learned and after how many steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from attention import training
from ui.training_runs import Series

#: answer → between which shares of the loss of guessing the loss ends
BANDS = {"fast": (0.0, 0.1), "slower": (0.1, 0.75), "stalls": (0.75, math.inf)}
LAST = 10  #: the loss at a step is the mean of so many steps up to it
BELOW = 0.25  #: of the loss of guessing: where a model counts as having learned
OVER = 5  #: steps over which the loss must be below that on average


@dataclass(frozen=True)
class Outcome:
    """Where the runs of one d_k and divisor have got to, a number a finished seed."""

    ends: tuple[float, ...]
    learned: tuple[float, ...]  # after how many steps; infinite where the run never did

    @property
    def end(self) -> float:
        return median(self.ends)

    @property
    def kind(self) -> str:
        """Which answer to the question this is."""
        return answer(self.end)

    @property
    def agreeing(self) -> int:
        """How many seeds say the same as their median."""
        return sum(answer(end) == self.kind for end in self.ends)


def answer(loss: float) -> str:
    """What a loss at the last step amounts to.

    >>> [answer(share * training.CHANCE) for share in (0.05, 0.5, 1.1)]
    ['fast', 'slower', 'stalls']
    """
    return next(name for name, (_, high) in BANDS.items() if loss <= high * training.CHANCE)


def at(curve: Sequence[float], step: int) -> float:
    """The mean of ten steps, up to this one."""
    return float(np.mean(curve[step - LAST : step]))


def steps_to_learn(loss: Sequence[float]) -> float:
    """The first step at which the mean loss of five steps is below a quarter of that of guessing.

    >>> steps_to_learn([2.0] * 20 + [0.1] * 20), steps_to_learn([2.0] * 40)
    (24, inf)
    """
    sums = np.convolve(loss, np.ones(OVER), "valid")
    below = np.flatnonzero(sums < OVER * BELOW * training.CHANCE)
    return int(below[0]) + OVER if len(below) else math.inf


def outcome(series: Series, d_k: int, scale: str) -> Outcome | None:
    """What the finished runs of this d_k and divisor came to; None while there is none."""
    curves = finished(series, d_k, scale, "loss")
    if not curves:
        return None
    return Outcome(tuple(at(each, training.STEPS) for each in curves), tuple(map(steps_to_learn, curves)))


def finished(series: Series, d_k: int, scale: str, measure: str) -> list[list[float]]:
    settings = (training.Setting(d_k, scale, series.optimizer, seed) for seed in series.seeds)
    return [series.done[each][measure].tolist() for each in settings if each in series.done]
