"""The reader's own way back from a loss to W_Q: what every step hands on, and what that is made of.

The loss asks that the output of one token look like the value of another. So only one row of the output, the weights,
the scores and Q matters; W_Q, which all rows share, has its whole matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import attention
from ui import numbers, views, workbench
from ui.workbench import Workbench

Array = NDArray[np.float64]

STEPS = ("output", "weights", "scaled", "scores", "Q", "W_Q")  #: of which a gradient is shown, from the loss on
BY_KEY = ("weights", "scaled", "scores")  #: those with a number a key
LITTLE = 0.1  #: a softmax that hands on less of the gradient than this is said to lose it
SHARPER = (8, 64)  #: by how much all scores may be enlarged by a click
FINE = 1e5  #: steps of float64 that a nudge has to be long, to be that long within a hundred-thousandth
NUDGE = 1e-4  #: how far a number is moved to see whether the loss follows


@dataclass(frozen=True, eq=False)
class Way:
    """One row's way back, for one divisor."""

    bench: Workbench
    steps: attention.AttentionSteps
    back: attention.GradientSteps
    i: int  # the token whose output should change
    j: int  # the token whose value it should look like
    loss: float

    @cached_property
    def target(self) -> Array:
        """What the output should be: a constant, no part of the way."""
        return self.bench.qkv()[2][self.j]

    @property
    def p(self) -> Array:
        return self.steps.weights[self.i]

    @cached_property
    def jacobian(self) -> Array:
        return attention.softmax_jacobian(self.p)

    @property
    def open(self) -> NDArray[np.bool_]:
        """The keys that this row may attend to."""
        mask = self.steps.mask
        return np.ones(len(self.p), dtype=bool) if mask is None else mask[self.i]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The steps there are."""
        return STEPS if is_projected(self.bench) else STEPS[:-1]

    def gradient(self, name: str) -> Array:
        """∂L/∂ of a step: of this row alone, or of all of W_Q. A masked key's weight is fixed: nothing goes there."""
        if name == "W_Q":
            return self._projections.W_Q
        row: Array = getattr(self.back, name)[self.i]
        return np.where(self.open, row, 0.0) if name == "weights" else row

    @cached_property
    def _projections(self) -> attention.ProjectionGradients:
        X, W_Q, W_K, W_V = (self.bench.array(name) for name in workbench.INPUT)
        return attention.projection_gradients(X, W_Q, W_K, W_V, self.back.Q, self.back.K, self.back.V)

    def norm(self, name: str) -> float:
        return float(np.linalg.norm(self.gradient(name)))

    @property
    def passed(self) -> float:
        """How much of the gradient of the weights the softmax lets through to the scaled scores."""
        before = self.norm("weights")
        return self.norm("scaled") / before if before else 0.0

    @property
    def kind(self) -> str:
        """What becomes of the gradient: where most of it stays, if anything comes at all."""
        if not self.open.any():
            return "masked"
        if self.open.sum() == 1:
            return "single"
        if not self.norm("weights"):
            return "idle"
        if 1 / self.steps.divisor < self.passed:
            return "divided"
        return "lost" if self.passed < LITTLE else "alive"


def is_projected(bench: Workbench) -> bool:
    """Whether Q is what W_Q makes of X, be it that it was typed so: if not, there is no way on to W_Q."""
    return bench.route == "input" or "Q" not in workbench.typed_apart(bench)


def of(bench: Workbench, scale: str | None = None, times: float = 1.0) -> Way:
    """The way for the chosen token and target, under the reader's divisor or another one, Q so many times as large.

    What W_Q gets is the same whether W_Q or Q is enlarged.
    """
    i, (Q, K, V) = bench.token, bench.qkv()
    Q = times * Q
    steps = attention.attention_steps(Q, K, V, bench.mask_array(), scale=scale or bench.scale)
    asked = views.get(bench, "variance.target")
    j = _second(steps.masked[i], i) if asked < 0 else min(asked, len(V) - 1)
    loss, d_output = attention.distance_loss(steps.output, i, V[j])
    return Way(bench, steps, attention.gradient_steps(steps, Q, K, V, d_output), i, j, loss)


def _second(scores: Array, i: int) -> int:
    """Whose value to ask for, unless the reader says: not the best match, which the output resembles, nor the token."""
    best, *others = np.argsort(-scores, kind="stable").tolist()
    return next((k for k in others if k != i), others[0] if others else best)


@dataclass(frozen=True)
class Check:
    """One number of W_Q, or of Q where that is typed, moved up and down: does the loss do as was computed?"""

    name: str
    row: int
    column: int
    grain: float  # the distance from this number to the next that float64 has
    nudge: float
    up: float  # the loss with the number moved up
    down: float
    slope: float
    predicted: float

    @property
    def lost(self) -> float:
        """What float64 leaves open of the slope."""
        return float(16 * np.finfo(float).eps * max(self.up, self.down) / self.nudge)

    @property
    def agrees(self) -> bool:
        """But for what the step's size and float64 lose."""
        return bool(abs(self.slope - self.predicted) <= 1e-4 * abs(self.predicted) + self.lost)

    @property
    def kind(self) -> str:
        """What the nudge shows: too "small" for float64, "blind" where the slope is, else "agrees" or "differs"."""
        if self.nudge < FINE * self.grain:
            return "small"
        if not self.agrees:
            return "differs"
        return "blind" if 0 < abs(self.predicted) <= self.lost else "agrees"


def check(way: Way, row: int, column: int) -> Check:
    """Move one number of the last matrix of the way."""
    bench, name = way.bench, way.names[-1]
    row = row if name == "W_Q" else way.i
    X, W_Q, W_K, W_V = (bench.array(each) for each in workbench.INPUT)
    Q, K, V = bench.qkv()

    def loss(x: Array) -> float:
        q = X @ x if name == "W_Q" else x
        steps = attention.attention_steps(q, K, V, bench.mask_array(), scale=bench.scale)
        return attention.distance_loss(steps.output, way.i, way.target)[0]

    # Large numbers turn a small step of this one into a large step of the scores, where no slope is straight any more.
    reach = np.abs(K[:, column]).max() / way.steps.divisor * (abs(X[way.i, row]) if name == "W_Q" else 1)
    nudge = NUDGE / 10.0 ** np.ceil(np.log10(max(reach, 1.0)))
    return _checked(loss, W_Q if name == "W_Q" else Q, name, (row, column), float(nudge), way)


def _checked(
    loss: Callable[[Array], float], x: Array, name: str, at: tuple[int, int], nudge: float, way: Way
) -> Check:  # fmt: skip
    seen: list[float] = []

    def watched(moved: Array) -> float:
        seen.append(loss(moved))
        return seen[-1]

    slope = attention.central_slope(watched, x, at, nudge)
    gradient = way.gradient(name)
    predicted = gradient[at] if gradient.ndim == 2 else gradient[at[1]]
    return Check(name, *at, float(np.spacing(abs(x[at]))), nudge, *seen, slope, float(predicted))


def larger(way: Way) -> list[str]:
    """What to enlarge for larger scores, so that Q remains what W_Q makes of X if it was."""
    return ["W_Q"] if way.bench.route == "input" else ["Q", "W_Q"] if "W_Q" in way.names else ["Q"]


def sharper(way: Way) -> dict[int, Way]:
    """The way with all scores 8 and 64 times as large; without those for which a number would be too large."""
    return {times: of(way.bench, times=times) for times in SHARPER if _fit(way, times)}


def _fit(way: Way, times: float) -> bool:
    return all(np.abs(times * way.bench.array(name)).max() <= numbers.LIMIT for name in larger(way))


def sharpened(way: Way, times: float = 8.0) -> Workbench | None:
    """The numbers with all scores so many times as large; None where a number would be too large."""
    if not _fit(way, times):
        return None
    bench = way.bench
    made = {name: bench.array(name) * times for name in larger(way)}
    return replace(bench, matrices=bench.matrices | {name: workbench.from_floats(x, 6) for name, x in made.items()})
