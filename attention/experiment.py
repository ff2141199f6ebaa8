"""Why √d_k, measured: how dot products of queries and keys spread as d_k grows, and how many it takes to see that.

Components of queries and keys are independent draws from N(0, 1). Nothing is drawn anew for the next d_k: the same
vectors grow, and are measured at each stop. So d_k = 64 means the first 64 components of the vectors that d_k = 4096
has all of. A component after the other is drawn up to `LITERAL` of them; what more of them add is drawn in one go, from
its exact distribution (see `grow_pairs`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

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

LITERAL = 64
"""Up to this many components are drawn one by one."""

ARRAYS, KEYS = 4, 6
"""Sizes of two experiments that people make by hand: two queries with two keys, and one query with six keys."""

SIZES = (ARRAYS, KEYS, *(m * 10**k for k in range(1, 6) for m in (1, 2, 5)))
"""How many products the repeated experiments measure."""

TRIED = (2, 64)
"""The d_k at which experiments are repeated; none above LITERAL."""

REPEATS = 2500  # how many experiments by hand are made
LEAST, MOST = 40, 10_000  # fewer repetitions would not tell where most of them fall; more would tell no more
SHOWN = 30  # so many of them are kept one by one

Report = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class Trials:
    """Experiments of one size at one d_k, each of which estimates Var(q·k) = d_k and an interval for it."""

    d_k: int
    size: int  # how many products each of them measures
    count: int  # how many experiments
    variance: Array  # (m,)  what the first of them say
    low: Array  # (m,)       and their 95 % intervals
    high: Array  # (m,)
    band: tuple[float, float]  # nine of ten estimates fall between these
    covered: int  # how many of the intervals hold d_k


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
    beyond: NDArray[np.int64]  # (s,)   draws with |q·k| > REACH
    power: tuple[float, float, float]  # p in Var ∝ d_k^p with its 95 % interval; nan if there is one stop
    trials: tuple[Trials, ...]  # smaller experiments, by d_k and then by size


def measure_spread(
    draws: int, stops: Sequence[int] = STOPS, *, seed: int = 0, report: Report | None = None
) -> Spread:
    """Measure how the dot products of `draws` pairs of vectors spread, at each d_k in stops.

    With components independent, mean 0 and variance 1: E[q·k] = 0, Var(q·k) = Σᵢ Var(qᵢ kᵢ) = d_k.

    The power p is the slope of log Var against log d_k. It is a weighted sum of logarithms, p = Σ_s c_s log Var_s, so a
    pair adds Σ_s c_s (x_s − mean_s)²/Var_s to it (delta method); the spread of these over the pairs gives the interval,
    whatever the stops have in common.

    draws: at least 6. stops: whole numbers, increasing. report: told the share that is done.
    Returns: Spread. Smaller experiments (`repeated`) are there at the stops that are in TRIED.
    Raises: InputError if draws is too small, or stops are not increasing whole numbers from 1.
    Source: "Attention Is All You Need" (2017), footnote 4.

    >>> spread = measure_spread(10_000, (1, 64), seed=0)
    >>> bool(spread.low[1] < 64 < spread.high[1])
    True
    >>> [round(p, 2) for p in spread.power]
    [0.99, 0.98, 1.01]
    """
    draws = whole_number("draws", draws, 6)
    stops = checked_stops(stops)
    logs = np.log(stops)
    slopes = (logs - logs.mean()) / ((logs - logs.mean()) ** 2).sum() if len(stops) > 1 else np.full(1, np.nan)
    moments, counts, beyond = np.empty((3, len(stops))), np.empty((len(stops), EDGES.size - 1), np.int64), []
    leaning, trials = np.zeros(draws), list[Trials]()
    for s, x in enumerate(grow_pairs(draws, stops, seed=seed, report=report)):
        mean, variance, _ = moments[:, s] = _moments(x)
        squares = x - mean
        squares *= squares
        squares *= slopes[s] / variance
        leaning += squares
        # told that its bars are equally wide, NumPy need not sort
        counts[s] = np.histogram(x / math.sqrt(stops[s]), EDGES.size - 1, (EDGES[0], EDGES[-1]))[0]
        beyond.append(np.count_nonzero(np.abs(x) > REACH))
        trials += repeated(x, stops[s], seed=seed) if stops[s] in TRIED else []
    mean, variance, fourth = moments
    error = _error(variance, fourth, draws)
    power, power_error = float(slopes @ np.log(variance)), Z_95 * float(leaning.std()) / math.sqrt(draws)
    return Spread(
        d_k=stops, draws=draws, mean=mean, mean_error=Z_95 * np.sqrt(variance / draws), variance=variance,
        low=variance - error, high=variance + error, edges=EDGES, counts=counts, outside=draws - counts.sum(axis=1),
        beyond=np.array(beyond), power=(power, power - power_error, power + power_error), trials=tuple(trials),
    )  # fmt: skip


def grow_pairs(
    draws: int, stops: Sequence[int], *, seed: int = 0, block: int = BLOCK, report: Report | None = None
) -> Iterator[Array]:
    """Yield q·k of `draws` pairs (q, k) at each stop, as their vectors grow.

    q·k at d_k is q·k at the stop before plus Σ qᵢ kᵢ over the m components that came since. The first LITERAL
    components are drawn and multiplied one by one. Beyond, the sum over m components is drawn as a whole: given these
    components of q, it is Σ qᵢ kᵢ ~ N(0, Σ qᵢ²), for a sum of independent normal kᵢ is normal; and Σ qᵢ² ~ χ²_m. So
    it is √χ²_m · z with z ~ N(0, 1): exactly the same joint distribution at all stops, at any m.

    How many components are drawn at a time (`block` numbers at most) changes nothing but rounding: q and k have a
    generator each, and the numbers of one component follow one another.

    Yields: (draws,) for each stop; the same array, grown.

    >>> [x.round(2).tolist() for x in grow_pairs(2, (1, 2), seed=0)]
    [[1.16, 1.71], [-1.41, 1.72]]
    """
    for_q, for_k = generators(seed)
    most = max(block // draws, 1)
    q, k, products = np.empty((most, draws)), np.empty((most, draws)), np.zeros(draws)
    steps = list(_steps(stops, most))
    for done, (reached, size) in enumerate(steps, 1):
        if reached <= LITERAL:
            for_q.standard_normal(out=q[:size])
            for_k.standard_normal(out=k[:size])
            products += np.einsum("id,id->d", q[:size], k[:size])
        else:
            length = for_q.standard_gamma(size / 2, out=q[0])  # χ²_m is twice a gamma variable of shape m/2
            length *= 2
            products += np.sqrt(length, out=length) * for_k.standard_normal(out=k[0])
        if report:
            report(done / len(steps))
        if reached in stops:
            yield products


def _steps(stops: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Go from 0 to the last stop: in chunks up to LITERAL components, from there from stop to stop."""
    near, far = [d_k for d_k in stops if d_k <= LITERAL], [d_k for d_k in stops if d_k > LITERAL]
    yield from chunks([*near, LITERAL] if far else near, most)
    for reached, before in zip(far, [LITERAL, *far], strict=False):
        yield reached, reached - before


def repeated(x: ArrayLike, d_k: int, *, seed: int = 0) -> list[Trials]:
    """Repeat smaller experiments on Var(q·k), to see how far off an experiment of a given size can be.

    The two smallest are as people make them, REPEATS times with draws of their own: two queries and two keys give
    ARRAYS products that share rows and columns, a query and six keys give KEYS products that share the query. The
    larger ones are the products in x, cut into groups, as long as there are LEAST groups; the last is x as a whole.

    x: (N,), products of independent pairs. d_k: how many components these have.
    Returns: Trials, by size.
    Raises: InputError if x is not made of finite numbers.

    >>> [(each.size, each.count) for each in repeated(np.arange(800.0), 2)]
    [(4, 2500), (6, 2500), (10, 80), (20, 40), (800, 1)]
    """
    x = finite_array("x", x)
    groups = [by_hand(d_k, n_q, n_k, seed=seed) for n_q, n_k in ((2, ARRAYS // 2), (1, KEYS))]
    groups += [x[: min(x.size // n, MOST) * n].reshape(-1, n) for n in SIZES[2:] if x.size // n >= LEAST]
    return [_trials(each, d_k) for each in (*groups, x[None])]


def by_hand(d_k: int, n_q: int, n_k: int, *, seed: int = 0) -> Array:
    """Make an experiment REPEATS times: n_q queries, n_k keys, and their n_q · n_k products.

    Returns: (REPEATS, n_q * n_k).

    >>> by_hand(2, 2, 2).shape
    (2500, 4)
    """
    draw = np.random.default_rng((seed, d_k, n_q, n_k))
    Q, K = draw.standard_normal((REPEATS, n_q, d_k)), draw.standard_normal((REPEATS, n_k, d_k))
    return (Q @ K.swapaxes(1, 2)).reshape(REPEATS, n_q * n_k)


def _trials(groups: Array, d_k: int) -> Trials:
    """What each group says of the variance."""
    count, size = groups.shape
    _, variance, fourth = _moments(groups)
    error = _error(variance, fourth, size)
    low, high = variance - error, variance + error
    below, above = np.quantile(variance, (0.05, 0.95))
    return Trials(
        d_k=d_k, size=size, count=count, variance=variance[:SHOWN], low=low[:SHOWN], high=high[:SHOWN],
        band=(float(below), float(above)), covered=int(np.count_nonzero((low <= d_k) & (d_k <= high))),
    )  # fmt: skip


def _moments(x: Array) -> Array:
    """Mean, variance s² and fourth central moment m₄ of the last axis; nothing larger than x is made."""
    n, mean = x.shape[-1], x.mean(axis=-1)
    squares = x - mean[..., None]
    squares *= squares
    return np.stack([mean, squares.sum(axis=-1) / (n - 1), np.einsum("...i,...i->...", squares, squares) / n])


def _error(variance: Array, fourth: Array, n: int) -> Array:
    """How far the 95 % interval of a variance reaches."""
    return np.asarray(Z_95 * np.sqrt(np.maximum(fourth - variance**2, 0.0) / n))


def mean_interval(x: ArrayLike) -> tuple[float, float, float]:
    """Estimate the mean of what x was drawn from: the estimate and its 95 % interval.

    x̄ ± 1.96 s/√N

    x: (N,), N ≥ 2. Returns: mean, low, high.
    Raises: InputError if x is not made of finite numbers, or there are fewer than two.

    >>> [round(v, 2) for v in mean_interval([1.0, 3.0] * 50)]
    [2.0, 1.8, 2.2]
    """
    x = finite_array("x", x)
    if x.size < 2:
        raise InputError("shape", "x", "at least two numbers", x.size)
    mean, error = float(x.mean()), Z_95 * float(x.std(ddof=1)) / math.sqrt(x.size)
    return mean, mean - error, mean + error


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
    _, variance, fourth = _moments(x)
    error = _error(variance, fourth, x.size)
    return float(variance), float(variance - error), float(variance + error)


def share_interval(count: int, of: int) -> tuple[float, float]:
    """Estimate a probability from `count` successes in `of` trials: its 95 % interval.

    (p + z²/2N ± z √(p(1−p)/N + z²/4N²)) / (1 + z²/N), which stays within [0, 1] and holds at p = 0 too.

    Raises: InputError if count is no whole number from 0 to of, or there are no trials.
    Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).

    >>> [round(p, 3) for p in share_interval(0, 100)]
    [0.0, 0.037]
    """
    of, count = whole_number("of", of), whole_number("count", count, 0)
    if count > of:
        raise InputError("whole_number", "count", f"at most {of}", count)
    p, z2 = count / of, Z_95**2 / of
    middle, reach = p + z2 / 2, math.sqrt(z2 * (p * (1 - p) + z2 / 4))
    return (middle - reach) / (1 + z2) if count else 0.0, (middle + reach) / (1 + z2) if count < of else 1.0


@lru_cache(maxsize=64)
def expected_shares(d_k: int) -> Array:
    """Tell which share of the products theory expects between each two EDGES, exactly, for normal components.

    Given q, q·k ~ N(0, ‖q‖²), and ‖q‖ = r is χ distributed with d_k degrees of freedom, so
    P(a < q·k < b) = ∫ (Φ(b/r) − Φ(a/r)) f(r) dr, here by Gauss–Legendre quadrature, to 1e-6.
    As d_k grows, r/√d_k → 1 and the shares become those of N(0, d_k); at d_k = 1 the density has a pole at 0, the
    shares have not.

    Returns: (b,), read-only.

    >>> [float(expected_shares(d_k)[18].round(3)) for d_k in (1, 2, 4096)]  # of the bar just above 0
    [0.2, 0.149, 0.099]
    """
    root = math.sqrt(d_k)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    low, high = max(root - 6.0, 0.0), root + 6.0  # r hardly strays further: its deviation is less than 1
    r = low + (high - low) * (nodes + 1) / 2
    log_f = (d_k - 1) * np.log(r) - r**2 / 2 - (d_k / 2 - 1) * math.log(2) - math.lgamma(d_k / 2)
    density = np.exp(log_f) * weights * (high - low) / 2
    bounds = EDGES[EDGES >= 0] * root
    below = [density @ [math.erf(b / (x * math.sqrt(2))) / 2 for x in r] for b in bounds]  # P(0 < q·k < b)
    half = np.diff(below)
    shares = np.concatenate([half[::-1], half])
    shares.setflags(write=False)
    return shares


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
