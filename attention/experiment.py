"""Why √d_k, measured: how dot products spread as d_k grows, and what that does to softmax.

Components of queries and keys are independent draws from N(0, 1). Nothing is drawn anew for the next d_k:
the same vectors grow, a few components at a time, and are measured at each stop. So d_k = 64 means the first
64 components of the vectors that d_k = 4096 has all of, and the whole sweep costs as much as its last stop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention.checks import Array, InputError, finite_array, whole_number

STOPS = tuple(sorted({round(2 ** (half / 2)) for half in range(25)}))
"""The d_k that are measured: 2^0, 2^0.5, 2^1, … 2^12, rounded to whole numbers, each once."""

EDGES = np.linspace(-4.5, 4.5, 37)
"""Where the bars of a histogram begin and end, in units of √d_k."""

REACH = 160.0
"""How far to both sides the picture of q·k goes: 2.5 standard deviations of the widest one."""

Z_95 = 1.959963984540054
BLOCK = 2**19  # numbers drawn at a time: 4 MiB, a few milliseconds

Report = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class Spread:
    """How q·k is distributed at each stop; for q·k/√d_k divide by d_k (variances) or √d_k (the edges)."""

    d_k: tuple[int, ...]  # (s,)
    draws: int
    variance: Array  # (s,)   of q·k; theory: d_k
    low: Array  # (s,)        95 % interval of that variance
    high: Array  # (s,)
    edges: Array  # (b + 1,)  in units of √d_k
    counts: NDArray[np.int64]  # (s, b)
    outside: NDArray[np.int64]  # (s,)  draws beyond the edges
    beyond: NDArray[np.int64]  # (s,)   draws with |q·k| > REACH
    few: Array  # (s, 2)      between which the standard deviation of only 6 draws falls, nine times in ten


def measure_spread(
    draws: int, stops: Sequence[int] = STOPS, *, seed: int = 0, report: Report | None = None
) -> Spread:
    """Measure how the dot products of `draws` pairs of vectors spread, at each d_k in stops.

    With components independent, mean 0 and variance 1: E[q·k] = 0, Var(q·k) = Σᵢ Var(qᵢ kᵢ) = d_k.

    draws: at least 6. stops: whole numbers, increasing. report: told the share that is done.
    Returns: Spread.
    Raises: InputError if draws is too small, or stops are not increasing whole numbers from 1.
    Source: "Attention Is All You Need" (2017), footnote 4.

    >>> spread = measure_spread(10_000, (1, 64), seed=0)
    >>> bool(spread.low[1] < 64 < spread.high[1])
    True
    """
    draws = whole_number("draws", draws, 6)
    stops = checked_stops(stops)
    kept = np.empty((len(stops), draws))
    for s, products in enumerate(grow_pairs(draws, stops, seed=seed, report=report)):
        kept[s] = products
    roots = np.sqrt(stops)[:, None]
    counts = np.stack([np.histogram(row, EDGES)[0] for row in kept / roots])
    variance, low, high = np.transpose([variance_interval(row) for row in kept])
    return Spread(
        d_k=stops, draws=draws, variance=variance, low=low, high=high, edges=EDGES, counts=counts,
        outside=draws - counts.sum(axis=1), beyond=(np.abs(kept) > REACH).sum(axis=1),
        few=np.stack([spread_of_few(row) for row in kept]),
    )  # fmt: skip


def grow_pairs(
    draws: int, stops: Sequence[int], *, seed: int = 0, block: int = BLOCK, report: Report | None = None
) -> Iterator[Array]:
    """Yield q·k of `draws` pairs (q, k) at each stop, as their vectors grow.

    q·k at d_k is q·k at the stop before plus Σ qᵢ kᵢ over the components that came since. How many components
    are drawn at a time (`block` numbers at most) changes nothing but rounding: q and k have a generator each,
    and the numbers of one component follow one another.

    Yields: (draws,) for each stop; the same array, grown.

    >>> [x.round(2).tolist() for x in grow_pairs(2, (1, 2), seed=0)]
    [[1.16, 1.71], [-1.41, 1.72]]
    """
    for_q, for_k = generators(seed)
    most = max(block // draws, 1)
    q, k, products = np.empty((most, draws)), np.empty((most, draws)), np.zeros(draws)
    for reached, size in chunks(stops, most):
        for_q.standard_normal(out=q[:size])
        for_k.standard_normal(out=k[:size])
        products += np.einsum("id,id->d", q[:size], k[:size])
        if report:
            report(reached / stops[-1])
        if reached in stops:
            yield products


def variance_interval(x: ArrayLike) -> tuple[float, float, float]:
    """Estimate the variance of what x was drawn from: the estimate and its 95 % interval.

    s² ± 1.96 √((m₄ − s⁴)/N), where m₄ is the fourth central moment. The textbook χ² interval holds for normal
    data only; a product of two normal numbers has kurtosis 9, not 3, and q·k has 3 + 6/d_k. This one asks for
    a large N.

    x: (N,), N ≥ 2. Returns: variance, low, high.
    Raises: InputError if x is not made of finite numbers.
    Source: Cramér, "Mathematical Methods of Statistics" (1946), section 27.4.

    >>> [round(v, 2) for v in variance_interval([-1.0, 1.0] * 50 + [0.0] * 50)]
    [0.67, 0.6, 0.75]
    """
    x = finite_array("x", x)
    variance = float(x.var(ddof=1))
    fourth = float(((x - x.mean()) ** 4).mean())
    error = Z_95 * float(np.sqrt(max(fourth - variance**2, 0.0) / x.size))
    return variance, variance - error, variance + error


def spread_of_few(x: ArrayLike, size: int = 6) -> Array:
    """Tell how far off a standard deviation can be that is measured on only a few draws.

    x: (N,), cut into groups of `size`.
    Returns: the 5 % and the 95 % quantile of the groups' standard deviations.
    Raises: InputError if x is not made of finite numbers or holds less than one group.

    >>> spread_of_few([0.0, 2.0, 0.0, 2.0], size=2).round(2)
    array([1.41, 1.41])
    """
    x = finite_array("x", x)
    if x.size < size:
        raise InputError("empty", "x", f"at least {size} numbers", x.size)
    groups = x[: x.size // size * size].reshape(-1, size)
    return np.asarray(np.quantile(groups.std(axis=1, ddof=1), (0.05, 0.95)))


def normal_density(x: ArrayLike, variance: float = 1.0) -> Array:
    """Tell how densely N(0, variance) falls at x.

    exp(−x² / 2σ²) / √(2π σ²)

    >>> normal_density([0.0, 1.0]).round(4)
    array([0.3989, 0.242 ])
    """
    x = finite_array("x", x)
    return np.asarray(np.exp(-(x**2) / (2 * variance)) / np.sqrt(2 * np.pi * variance))


def generators(seed: int) -> list[np.random.Generator]:
    """One generator for the queries and one for the keys."""
    return [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(2)]


def chunks(stops: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Go from 0 to the last stop in chunks of at most `most` components that end at every stop.

    Yields: how far it is then, and how many components that took.

    >>> list(chunks((1, 4, 6), most=2))
    [(1, 1), (3, 2), (4, 1), (6, 2)]
    """
    reached = 0
    for stop in stops:
        while reached < stop:
            size = min(most, stop - reached)
            reached += size
            yield reached, size


def checked_stops(stops: Sequence[int]) -> tuple[int, ...]:
    """The stops as a tuple of increasing whole numbers."""
    whole = tuple(whole_number("stops", stop) for stop in stops)
    if not whole or list(whole) != sorted(set(whole)):
        raise InputError("shape", "stops", "increasing whole numbers", str(whole))
    return whole
