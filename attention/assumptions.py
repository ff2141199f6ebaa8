"""What Var(q·k) = d_k assumes, broken one assumption at a time: predicted and measured.

The claim takes every component of q and k to be drawn independently, with mean 0 and variance 1. Here the components
may have other means and variances (μ, σ), q_i and k_i may be correlated (ρ), the components of one vector may have a
part in common (their correlation is then r), or they may follow another law than the normal one.

For normal components everything follows from a few sums over components drawn from N(0, 1) (`Sums`), so one draw
serves every μ, σ, ρ and r: what is compared are the same pairs under another assumption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention.checks import Array, InputError, divisor_for, finite_array, one_of, whole_number
from attention.experiment import BLOCK, Z_95, Report, checked_stops, chunks, variance_interval
from attention.softmax import softmax

Floats = NDArray[np.floating]
Draw = Callable[[tuple[int, int]], Floats]

LAWS = ("normal", "uniform", "signs", "laplace")
"""What one component may follow, each with mean 0 and variance 1: N(0, 1), U(−√3, √3), ±1, Laplace(1/√2)."""

STOPS = (1, 4, 16, 64, 256)
"""The d_k that are measured."""

SCALES = ("none", "sqrt", "linear")

MOST = 100
"""How large a mean may be, and how far a standard deviation may be from 1, as a factor."""


@dataclass(frozen=True)
class Components:
    """How components are drawn; as it stands, the way the claim assumes. Other laws are for these alone.

    Raises: InputError if a law is unknown, ρ is beyond ±1, r not from 0 to 1, σ not positive, or a number too large.
    """

    law: str = "normal"
    rho: float = 0.0  # the correlation of q_i and k_i
    mean_q: float = 0.0
    mean_k: float = 0.0
    sd_q: float = 1.0
    sd_k: float = 1.0
    shared: float = 0.0  # r, the correlation of q_i and q_j, and of k_i and k_j, i ≠ j

    def __post_init__(self) -> None:
        one_of("law", self.law, LAWS)
        bounds = {"rho": (-1, 1), "mean_q": (-MOST, MOST), "mean_k": (-MOST, MOST), "sd_q": (1 / MOST, MOST),
                  "sd_k": (1 / MOST, MOST), "shared": (0, 1)}  # fmt: skip
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            finite_array(name, value, 0)
            if not low <= value <= high:
                raise InputError("choice", name, f"a number from {low} to {high}", float(value))
        if self.law != "normal" and replace(self, law="normal") != Components():
            raise InputError("choice", "law", "normal components, where anything else is changed", repr(self.law))


def predicted_mean(of: Components, d_k: int) -> float:
    """Tell the mean of q·k.

    E[q·k] = d_k (ρ σ_q σ_k + μ_q μ_k)

    Raises: InputError if d_k is no whole number from 1.

    >>> predicted_mean(Components(rho=0.9), 64)
    57.6
    """
    return whole_number("d_k", d_k) * (of.rho * of.sd_q * of.sd_k + of.mean_q * of.mean_k)


def predicted_variance(of: Components, d_k: int) -> float:
    """Tell the variance of q·k.

    Var(q·k) = σ_q²σ_k² (1 + ρ²) · d_k (1 + (d_k − 1) r²)
             + (μ_q²σ_k² + μ_k²σ_q² + 2 ρ μ_q μ_k σ_q σ_k) · d_k (1 + (d_k − 1) r)

    for normal components. With independent ones (ρ = 0, r = 0) it holds for every law that has a variance: of each
    component only mean and variance enter, and with mean 0 and variance 1 it is d_k.

    Raises: InputError if d_k is no whole number from 1.
    Source: Isserlis (1918), Biometrika 12, for the moments of normal variables; for r: the correlation matrix
    C = (1 − r) I + r 11ᵀ has tr C² = d_k (1 + (d_k − 1) r²) and 1ᵀC1 = d_k (1 + (d_k − 1) r).

    >>> predicted_variance(Components(rho=0.9), 64), predicted_variance(Components(shared=0.5), 64)
    (115.84, 1072.0)
    """
    d_k = whole_number("d_k", d_k)
    both = of.sd_q * of.sd_k
    trace, total = (d_k * (1 + (d_k - 1) * r) for r in (of.shared**2, of.shared))
    means = (of.mean_q * of.sd_k) ** 2 + (of.mean_k * of.sd_q) ** 2 + 2 * of.rho * of.mean_q * of.mean_k * both
    return both**2 * (1 + of.rho**2) * trace + means * total


# What is drawn.


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the first d_k components of pairs (a, b) from N(0, 1), all independent, at each stop.

    Any normal q and k can be put together from a, b and one more pair (g, h) that all components share.
    """

    d_k: tuple[int, ...]  # (s,)
    a: Array  # (s, N)   Σ a_i
    b: Array  # (s, N)   Σ b_i
    ab: Array  # (s, N)  Σ a_i b_i
    bb: Array  # (s, N)  Σ b_i²
    g: Array  # (N,)
    h: Array  # (N,)


def draw_sums(draws: int, stops: Sequence[int] = STOPS, *, seed: int = 0, report: Report | None = None) -> Sums:
    """Draw `draws` pairs of vectors from N(0, 1) and add up what `normal_products` needs, as the vectors grow.

    Returns: Sums.
    Raises: InputError if draws is no whole number from 1, or stops are not increasing ones.

    >>> sums = draw_sums(2, (1, 4), seed=0)
    >>> sums.ab.shape, sums.g.shape
    ((2, 2), (2,))
    """
    draws, stops = whole_number("draws", draws), checked_stops(stops)
    for_a, for_b, for_shared = _generators(seed)
    a, b, ab, bb = now = np.zeros((4, draws))
    kept = np.empty((4, len(stops), draws))
    for reached, x, y in _grow(stops, draws, for_a.standard_normal, for_b.standard_normal):
        a += x.sum(axis=0)
        b += y.sum(axis=0)
        ab += np.einsum("id,id->d", x, y)
        bb += np.einsum("id,id->d", y, y)
        if report:
            report(reached / stops[-1])
        if reached in stops:
            kept[:, stops.index(reached)] = now
    g, h = for_shared.standard_normal((2, draws))
    return Sums(stops, a=kept[0], b=kept[1], ab=kept[2], bb=kept[3], g=g, h=h)


def normal_products(sums: Sums, of: Components) -> Array:
    """Put q·k together from sums, for normal components.

    With q_i = μ_q + σ_q x_i, x_i = √r (ρ h + √(1−ρ²) g) + √(1−r) (ρ b_i + √(1−ρ²) a_i), and
    k_i = μ_k + σ_k y_i, y_i = √r h + √(1−r) b_i:
    q·k = d_k μ_q μ_k + μ_q σ_k Σ y_i + μ_k σ_q Σ x_i + σ_q σ_k Σ x_i y_i

    Returns: (s, N), a row a stop.
    Raises: InputError if the law is not normal.

    >>> sums = draw_sums(1, (1, 4), seed=0)
    >>> bool((normal_products(sums, Components()) == sums.ab).all())
    True
    """
    one_of("law", of.law, ("normal",))
    alone, common = math.sqrt(1 - of.rho**2), math.sqrt(of.shared)
    own = math.sqrt(1 - of.shared)
    d_k = np.array(sums.d_k, dtype=float)[:, None]
    g = of.rho * sums.h + alone * sums.g
    a, ab = of.rho * sums.b + alone * sums.a, of.rho * sums.bb + alone * sums.ab
    x, y = d_k * common * g + own * a, d_k * common * sums.h + own * sums.b
    xy = d_k * of.shared * g * sums.h + common * own * (g * sums.b + sums.h * a) + own**2 * ab
    means = d_k * of.mean_q * of.mean_k + of.mean_q * of.sd_k * y + of.mean_k * of.sd_q * x
    return np.asarray(means + of.sd_q * of.sd_k * xy)


def draw_products(
    law: str, draws: int, stops: Sequence[int] = STOPS, *, seed: int = 0, report: Report | None = None
) -> Array:
    """Draw q·k of `draws` pairs whose components are independent and follow `law`, as the vectors grow.

    Returns: (s, N), a row a stop.
    Raises: InputError if the law is unknown, draws is no whole number from 1, or stops are not increasing ones.

    >>> draw_products("signs", 3, (1, 4), seed=0).tolist()
    [[1.0, 1.0, 1.0], [4.0, 2.0, 0.0]]
    """
    one_of("law", law, LAWS)
    draws, stops = whole_number("draws", draws), checked_stops(stops)
    products, kept = np.zeros(draws), np.empty((len(stops), draws))
    for_q, for_k, _ = _generators(seed)
    for reached, q, k in _grow(stops, draws, _drawn(law, for_q), _drawn(law, for_k)):
        products += np.einsum("id,id->d", q, k)
        if report:
            report(reached / stops[-1])
        if reached in stops:
            kept[stops.index(reached)] = products
    return kept


def _drawn(law: str, random: np.random.Generator) -> Draw:
    """Draws components of one law, an array of the shape asked for."""
    ways: dict[str, Draw] = {
        "normal": random.standard_normal,
        "uniform": lambda size: random.uniform(-math.sqrt(3), math.sqrt(3), size),
        "signs": lambda size: 2.0 * random.integers(0, 2, size, dtype=np.int8) - 1.0,
        "laplace": lambda size: random.laplace(0.0, math.sqrt(0.5), size),
    }
    return ways[law]


def _grow(
    stops: Sequence[int], draws: int, for_q: Draw, for_k: Draw
) -> Iterator[tuple[int, Floats, Floats]]:  # fmt: skip
    """Yield new components of q and of k, (components, draws), and how many there are then."""
    for reached, size in chunks(stops, max(BLOCK // draws, 1)):
        yield reached, for_q((size, draws)), for_k((size, draws))


def _generators(seed: int) -> list[np.random.Generator]:
    """For queries, for keys, and for what components share; the first two draw what `attention.experiment` draws."""
    return [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(3)]


# What is measured.


@dataclass(frozen=True, eq=False)
class Measured:
    """Mean and variance of q·k at each stop with 95 % intervals: value, low, high."""

    d_k: tuple[int, ...]  # (s,)
    draws: int
    mean: Array  # (s, 3)
    variance: Array  # (s, 3)


def measure(products: ArrayLike, stops: Sequence[int]) -> Measured:
    """Measure mean and variance of q·k at each stop.

    mean ± 1.96 s/√N; for the variance see `experiment.variance_interval`.

    products: (s, N), a row a stop, N ≥ 2.
    Raises: InputError if products are not finite, or there is not one row a stop.

    >>> measure([[1.0, 3.0] * 50], (1,)).mean.round(1).tolist()
    [[2.0, 1.8, 2.2]]
    """
    products, stops = finite_array("products", products, 2), checked_stops(stops)
    if len(products) != len(stops) or products.shape[1] < 2:
        raise InputError("shape", "products", f"({len(stops)}, N), N at least 2", str(products.shape))
    draws = products.shape[1]
    mean = products.mean(axis=1)
    error = Z_95 * products.std(axis=1, ddof=1) / math.sqrt(draws)
    variance = np.array([variance_interval(row) for row in products])
    return Measured(stops, draws, np.stack([mean, mean - error, mean + error], axis=1), variance)


# One key that matches.


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums over the first d_k components of a query q and of vectors e, one a key, all from N(0, 1), at each stop."""

    d_k: tuple[int, ...]  # (s,)
    qq: Array  # (s, N)          Σ q_i²
    qe: Array  # (s, N, n_keys)  Σ q_i e_i


def draw_rows(draws: int, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0) -> Rows:
    """Draw `draws` queries and n_keys vectors for each, and add up what `match_weights` needs.

    Returns: Rows.
    Raises: InputError if draws or n_keys is no whole number from 1, or stops are not increasing ones.

    >>> draw_rows(3, (1, 4), n_keys=2).qe.shape
    (2, 3, 2)
    """
    draws, n_keys, stops = whole_number("draws", draws), whole_number("n_keys", n_keys), checked_stops(stops)
    for_q, for_e, _ = _generators(seed)
    qq, qe = np.zeros(draws), np.zeros((draws, n_keys))
    kept = Rows(stops, np.empty((len(stops), draws)), np.empty((len(stops), draws, n_keys)))
    for reached, size in chunks(stops, max(BLOCK // (draws * n_keys), 1)):
        q, e = for_q.standard_normal((size, draws)), for_e.standard_normal((size, draws, n_keys))
        qq += np.einsum("id,id->d", q, q)
        qe += np.einsum("id,idk->dk", q, e)
        if reached in stops:
            kept.qq[stops.index(reached)], kept.qe[stops.index(reached)] = qq, qe
    return kept


def match_weights(rows: Rows, rho: float) -> Array:
    """Measure the attention weight of the one key that is correlated with the query, the other keys being independent.

    k = ρ q + √(1−ρ²) e for the first key, k = e for the others: softmax(q·k / divisor), averaged over the rows, for
    each of SCALES. Its score is ahead by ρ d_k on average, ρ √d_k of the others' standard deviations.

    Returns: (s, 3, 3), for each stop and each of the scales none, sqrt, linear: the mean, and its 95 % interval.
    Raises: InputError if ρ is not a number from −1 to 1.

    >>> match_weights(draw_rows(500, (256,)), 0.9)[0, :, 0].round(2).tolist()
    [1.0, 1.0, 0.26]
    """
    rho = Components(rho=rho).rho
    scores = rows.qe.copy()
    scores[:, :, 0] = rho * rows.qq + math.sqrt(1 - rho**2) * rows.qe[:, :, 0]
    found = np.empty((len(rows.d_k), len(SCALES), 3))
    for s, d_k in enumerate(rows.d_k):
        for which, scale in enumerate(SCALES):
            weight = softmax(scores[s] / divisor_for(scale, d_k))[:, 0]
            error = Z_95 * weight.std() / math.sqrt(weight.size)
            found[s, which] = weight.mean(), weight.mean() - error, weight.mean() + error
    return found
