"""Why √d_k, measured: how dot products of queries and keys spread as d_k grows.

Components of queries and keys are independent draws from N(0, 1); the vectors grow as in `attention.growing`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention.checks import Array, whole_number
from attention.growing import Report, checked_stops, grow_pairs
from attention.intervals import Z_95, variance_intervals
from attention.small_experiments import TRIED, Trials, repeated

STOPS = tuple(sorted({round(2 ** (half / 2)) for half in range(25)}))
"""The d_k that are measured: 2^0, 2^0.5, 2^1, … 2^12, rounded to whole numbers, each once."""

DOUBLED = (64, 128)
"""The doubling of d_k whose effect is told by itself."""

EDGES = np.linspace(-4.5, 4.5, 37)
"""Where the bars of a histogram begin and end, in units of √d_k."""

WIDEST = (16, 256, 4096)
"""The d_k at which the picture of q·k is full: up to each of them, from the one before, it goes equally far."""


def reach(d_k: int) -> float:
    """How far to both sides of 0 the picture of q·k goes at this d_k: in steps, so that in each the bell can grow.

    2.5 √w, w = 16^⌈log₁₆ d_k⌉ and at least 16: 2.5 standard deviations of the widest bell that is shown as far.

    d_k: a whole number from 1; those that are measured by default need no w but WIDEST.
    Raises: InputError if d_k is none.

    >>> reach(1), reach(64), reach(4096), reach(4097)
    (10.0, 40.0, 160.0, 640.0)
    """
    d_k, widest = whole_number("d_k", d_k), WIDEST[0]
    while widest < d_k:
        widest *= 16
    return 2.5 * math.sqrt(widest)


@dataclass(frozen=True, eq=False)
class Spread:
    """How q·k is distributed at each stop; for q·k/√d_k divide by d_k (variances) or √d_k (the edges)."""

    d_k: tuple[int, ...]  # (s,)
    draws: int
    mean: Array  # (s,)       of q·k; theory: 0
    mean_error: Array  # (s,) its 95 % interval is mean ± mean_error
    variance: Array  # (s,)   of q·k; theory: d_k
    low: Array  # (s,)        95 % interval of that variance; the roots are one of the standard deviation
    high: Array  # (s,)
    edges: Array  # (b + 1,)  in units of √d_k
    counts: NDArray[np.int64]  # (s, b)
    outside: NDArray[np.int64]  # (s,)  draws beyond the edges
    beyond: NDArray[np.int64]  # (s,)   draws with |q·k| > reach(d_k)
    doubling: tuple[float, float, float]  # Var at DOUBLED[1] / Var at DOUBLED[0], 95 % interval; nan if not measured
    power: tuple[float, float, float]  # p in Var ∝ d_k^p with its 95 % interval; nan if there is one stop
    trials: tuple[Trials, ...]  # smaller experiments, by d_k and then by size


def measure_spread(
    draws: int, stops: Sequence[int] = STOPS, *, seed: int = 0, report: Report | None = None
) -> Spread:
    """Measure how the dot products of `draws` pairs of vectors spread, at each d_k in stops.

    With components independent, mean 0 and variance 1: E[q·k] = 0, Var(q·k) = Σᵢ Var(qᵢ kᵢ) = d_k.

    By what a doubling multiplies the variance, and the power p, the slope of log Var against log d_k, are told by
    weighted sums of logarithms Σ_s c_s log Var_s: of two, with c = ∓1, and of all. A pair adds
    Σ_s c_s (x_s − mean_s)²/Var_s to such a sum (delta method); the spread of these over the pairs gives the interval.
    So it takes into account that all stops have their pairs in common.

    draws: at least 6. stops: whole numbers, increasing. report: told the share that is done.
    Returns: Spread. Smaller experiments (`small_experiments.repeated`) are there at the stops that are in TRIED.
    Raises: InputError if draws is too small, or stops are not increasing whole numbers from 1, or seed is none from 0.
    Source: "Attention Is All You Need" (2017), footnote 4.

    >>> spread = measure_spread(10_000, (1, 64, 128), seed=0)
    >>> bool(spread.low[1] < 64 < spread.high[1])
    True
    >>> [round(p, 2) for p in spread.power], [round(factor, 2) for factor in spread.doubling]
    ([0.99, 0.98, 1.0], [1.97, 1.91, 2.02])
    """
    draws, stops, seed = whole_number("draws", draws, 6), checked_stops(stops), whole_number("seed", seed, 0)
    combined = np.array([_difference(stops), _slope(stops)])
    estimates, counts, beyond = np.empty((4, len(stops))), np.empty((len(stops), EDGES.size - 1), np.int64), []
    leaning, trials = np.zeros((len(combined), draws)), list[Trials]()
    for s, x in enumerate(grow_pairs(draws, stops, seed=seed, report=report)):
        mean, variance, _, _ = estimates[:, s] = x.mean(), *variance_intervals(x)
        squares = x - mean
        squares *= squares
        squares /= variance
        for lean, c in zip(leaning, combined[:, s], strict=True):
            if c:
                lean += c * squares
        # told that its bars are equally wide, NumPy need not sort
        counts[s] = np.histogram(x / math.sqrt(stops[s]), EDGES.size - 1, (EDGES[0], EDGES[-1]))[0]
        beyond.append(np.count_nonzero(np.abs(x) > reach(stops[s])))
        trials += repeated(x, stops[s], seed=seed) if stops[s] in TRIED else []
    mean, variance, low, high = estimates
    ratio, power = (
        (float(at - error), float(at), float(at + error))
        for at, error in zip(combined @ np.log(variance), Z_95 * leaning.std(axis=1) / math.sqrt(draws), strict=True)
    )
    return Spread(
        d_k=stops, draws=draws, mean=mean, mean_error=Z_95 * np.sqrt(variance / draws), variance=variance,
        low=low, high=high, edges=EDGES, counts=counts, outside=draws - counts.sum(axis=1),
        beyond=np.array(beyond), doubling=_middle_first(*map(math.exp, ratio)), power=_middle_first(*power),
        trials=tuple(trials),
    )  # fmt: skip


def _difference(stops: Sequence[int]) -> Array:
    """What the logarithms at the stops are multiplied by, to be added up to their difference over DOUBLED."""
    if not set(DOUBLED) <= set(stops):
        return np.full(len(stops), np.nan)
    return np.array([float(d_k == DOUBLED[1]) - float(d_k == DOUBLED[0]) for d_k in stops])


def _slope(stops: Sequence[int]) -> Array:
    """The same for their slope against log d_k."""
    if len(stops) == 1:
        return np.full(1, np.nan)
    away = np.log(stops) - np.log(stops).mean()
    return np.asarray(away / (away**2).sum())


def _middle_first(low: float, estimate: float, high: float) -> tuple[float, float, float]:
    return estimate, low, high
