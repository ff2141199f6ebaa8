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
FALLING = 0.95  #: of the loss half way: where it ends below that, it still falls
HARD = 0.05  #: entropy below which each query looks at one key


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

    >>> [answer(share * training.CHANCE) for share in (0.05, 0.5, 1.1, math.nan)]
    ['fast', 'slower', 'stalls', 'stalls']
    """
    return next((name for name, (_, high) in BANDS.items() if loss <= high * training.CHANCE), "stalls")


def at(curve: Sequence[float], step: int) -> float:
    """The mean of ten steps, up to this one."""
    return float(np.mean(curve[step - LAST : step]))


def steps_to_learn(loss: Sequence[float]) -> float:
    """The step from which on the mean loss of ten steps stays below a quarter of that of guessing, to the end.

    What gets below and comes back has not learned: the loss that a table gives for the last step says the same.

    >>> steps_to_learn([2.0] * 20 + [0.1] * 20), steps_to_learn([2.0] * 40), steps_to_learn([0.1] * 20 + [2.0] * 9)
    (28, inf, inf)
    """
    means = np.convolve(loss, np.ones(LAST) / LAST, "valid")
    above = np.flatnonzero(means >= BELOW * training.CHANCE)
    from_then = int(above[-1]) + 1 if len(above) else 0
    return from_then + LAST if from_then < len(means) else math.inf


def outcome(series: Series, d_k: int, scale: str) -> Outcome | None:
    """What the finished runs of this d_k and divisor came to; None while there is none."""
    curves = finished(series, d_k, scale, "loss")
    if not curves:
        return None
    return Outcome(tuple(at(each, training.STEPS) for each in curves), tuple(map(steps_to_learn, curves)))


def finished(series: Series, d_k: int, scale: str, measure: str) -> list[list[float]]:
    settings = (series.setting(d_k, scale, seed) for seed in series.seeds)
    return [series.done[each][measure].tolist() for each in settings if each in series.done]


def falling(series: Series, d_k: int, scale: str) -> bool:
    """Whether the loss still falls in the second half of the steps."""
    left = [at(each, training.STEPS) / at(each, training.STEPS // 2) for each in finished(series, d_k, scale, "loss")]
    return median(left) < FALLING


@dataclass(frozen=True)
class Gradient:
    """What became of the gradient without √d_k."""

    ratios: tuple[float, ...]  # at first, of that with √d_k: a number a seed
    left: float  # at the end, of its own beginning
    entropy: float  # at the end
    learned: bool  # whether there is little to learn any more

    @property
    def begins(self) -> str:
        """Whether it is small at first: from one seed it may be, from another not."""
        kinds = set(map(_begins, self.ratios))
        return "mixed" if {"more", "less"} <= kinds else _begins(median(self.ratios))

    @property
    def ends(self) -> str:
        return "learned" if self.learned else "gone" if self.left < 0.1 else "left"

    @property
    def hard(self) -> bool:
        """Whether it is gone, and each query looks at one key."""
        return self.ends == "gone" and self.entropy < HARD


def _begins(ratio: float) -> str:
    return "more" if ratio > 1.25 else "less" if ratio < 0.8 else "same"


def gradient(series: Series, d_k: int) -> Gradient:
    """What the finished runs of this d_k say of it; there must be one with √d_k and one without."""
    bare, scaled = (finished(series, d_k, scale, "gradient") for scale in ("none", "sqrt"))
    entropy = median(at(each, training.STEPS) for each in finished(series, d_k, "none", "entropy"))
    first, end = (median(at(each, step) for each in bare) for step in (LAST, training.STEPS))
    ratios = tuple(at(one, LAST) / at(other, LAST) for one, other in zip(bare, scaled, strict=False))  # begin alike
    ends = [at(each, training.STEPS) for each in finished(series, d_k, "none", "loss")]
    return Gradient(ratios, end / first, entropy, answer(median(ends)) == "fast")
