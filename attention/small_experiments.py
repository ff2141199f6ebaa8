"""Small experiments on Var(q·k) = d_k, repeated: how far off can one of a given size be, and its interval?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, finite_array, whole_number
from attention.intervals import variance_intervals

BY_HAND = ((2, 2), (1, 6))
"""How many queries and how many keys are multiplied, each with each, in two experiments that people make by hand."""

SIZES = (4, 6, *(m * 10**k for k in range(1, 6) for m in (1, 2, 5)))
"""How many independent pairs the other experiments measure; the first are as many products as those by hand have."""

TRIED = (2, 64)
"""The d_k at which experiments are repeated."""

REPEATS = 2500  # how many experiments by hand are made
LEAST, MOST = 40, 10_000  # fewer repetitions would not tell where most of them fall; more would tell no more
SHOWN = 30  # so many of them are kept one by one


@dataclass(frozen=True, eq=False)
class Trials:
    """Experiments of one size at one d_k, each of which estimates Var(q·k) = d_k and an interval for it."""

    d_k: int
    size: int  # how many products each of them measures
    by_hand: tuple[int, int] | None  # queries and keys that all these products are of; None: independent pairs
    count: int  # how many experiments
    variance: Array  # (m,)  what the first of them say
    low: Array  # (m,)       and their 95 % intervals
    high: Array  # (m,)
    band: tuple[float, float]  # nine of ten estimates fall between these
    covered: int  # how many of the intervals hold d_k


def repeated(x: ArrayLike, d_k: int, *, seed: int = 0) -> list[Trials]:
    """Repeat small experiments on Var(q·k), to see how far off an experiment of a given size can be.

    Those by hand are made REPEATS times with draws of their own: two queries and two keys give 4 products that share
    rows and columns, a query and six keys give 6 that share the query. The others are the products in x, cut into
    groups, as long as there are LEAST groups; the last is x as a whole. So beside each experiment by hand there is
    one of as many products that share nothing.

    x: (N,), N ≥ 3, products of independent pairs. d_k: how many components these have.
    Returns: Trials, by size, those by hand first.
    Raises: InputError if x is not a row of at least three finite numbers, or d_k or seed is no whole number.

    >>> [(each.size, each.by_hand, each.count) for each in repeated(np.arange(300.0), 2)]
    [(4, (2, 2), 2500), (4, None, 75), (6, (1, 6), 2500), (6, None, 50), (300, None, 1)]
    """
    x, d_k = finite_array("x", x), whole_number("d_k", d_k)
    if x.ndim != 1 or x.size < 3:
        raise InputError("shape", "x", "a row of at least three numbers", str(x.shape))
    found = [_trials(by_hand(d_k, *each, seed=seed), d_k, each) for each in BY_HAND]
    groups = [x[: min(x.size // n, MOST) * n].reshape(-1, n) for n in SIZES if x.size // n >= LEAST]
    found += [_trials(each, d_k) for each in (*groups, x[None])]
    return sorted(found, key=lambda each: each.size)


def by_hand(d_k: int, n_q: int, n_k: int, *, seed: int = 0) -> Array:
    """Make an experiment REPEATS times: n_q queries, n_k keys, and their n_q · n_k products.

    Returns: (REPEATS, n_q * n_k).
    Raises: InputError if a number is no whole number, or too small.

    >>> by_hand(2, 2, 2).shape
    (2500, 4)
    """
    d_k, n_q, n_k = whole_number("d_k", d_k), whole_number("n_q", n_q), whole_number("n_k", n_k)
    draw = np.random.default_rng((whole_number("seed", seed, 0), d_k, n_q, n_k))
    Q, K = draw.standard_normal((REPEATS, n_q, d_k)), draw.standard_normal((REPEATS, n_k, d_k))
    return (Q @ K.swapaxes(1, 2)).reshape(REPEATS, n_q * n_k)


def _trials(groups: Array, d_k: int, made: tuple[int, int] | None = None) -> Trials:
    """What each group says of the variance."""
    count, size = groups.shape
    variance, low, high = variance_intervals(groups)
    below, above = np.quantile(variance, (0.05, 0.95))
    return Trials(
        d_k=d_k, size=size, by_hand=made, count=count, variance=variance[:SHOWN], low=low[:SHOWN], high=high[:SHOWN],
        band=(float(below), float(above)), covered=int(np.count_nonzero((low <= d_k) & (d_k <= high))),
    )  # fmt: skip
