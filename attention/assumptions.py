"""What Var(q·k) = d_k assumes, broken one assumption at a time: predicted and measured.

The claim takes every component of q and k to be drawn independently, with mean 0 and variance 1. Here the components
may have other means and variances (μ, σ), q_i and k_i may be correlated (ρ), the components of one vector may have a
part in common (their correlation is then r), or they may follow another law than the normal one.

For normal components everything follows from a few sums over components drawn from N(0, 1) (`Sums`), so one draw
serves every μ, σ, ρ and r: what is compared are the same pairs under another assumption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention.checks import Array, InputError, finite_array, number_between, one_of, whole_number
from attention.growing import BLOCK, Report, checked_stops, chunks
from attention.intervals import mean_interval, variance_interval

Floats = NDArray[np.floating]
Draw = Callable[[tuple[int, ...]], Floats]

LAWS = ("normal", "uniform", "signs", "laplace")
"""What one component may follow, each with mean 0 and variance 1: N(0, 1), U(−√3, √3), ±1, Laplace(1/√2)."""

STOPS = (1, 4, 16, 64, 256)
"""The d_k that are measured."""

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
            number_between(name, getattr(self, name), low, high)
        if self.law != "normal" and replace(self, law="normal") != Components():
            raise InputError("choice", "law", "normal components, where anything else is changed", repr(self.law))


def predicted_mean(components: Components, d_k: int) -> float:
    """Tell the mean of q·k.

    E[q·k] = d_k (ρ σ_q σ_k + μ_q μ_k)

    Raises: InputError if d_k is no whole number from 1.

    >>> predicted_mean(Components(rho=0.9), 64)
    57.6
    """
    it = components
    return whole_number("d_k", d_k) * (it.rho * it.sd_q * it.sd_k + it.mean_q * it.mean_k)


def predicted_variance(components: Components, d_k: int) -> float:
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
    it, both = components, components.sd_q * components.sd_k
    trace, total = (d_k * (1 + (d_k - 1) * r) for r in (it.shared**2, it.shared))
    means = (it.mean_q * it.sd_k) ** 2 + (it.mean_k * it.sd_q) ** 2 + 2 * it.rho * it.mean_q * it.mean_k * both
    return both**2 * (1 + it.rho**2) * trace + means * total


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

    def terms(size: int) -> list[Array]:
        x, y = for_a.standard_normal((size, draws)), for_b.standard_normal((size, draws))
        return [x.sum(axis=0), y.sum(axis=0), np.einsum("id,id->d", x, y), np.einsum("id,id->d", y, y)]

    a, b, ab, bb = add_up(terms, stops, BLOCK // draws, report)
    return Sums(stops, a, b, ab, bb, *for_shared.standard_normal((2, draws)))


def normal_products(sums: Sums, components: Components) -> Array:
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
    it = components
    one_of("law", it.law, ("normal",))
    alone, common, own = math.sqrt(1 - it.rho**2), math.sqrt(it.shared), math.sqrt(1 - it.shared)
    d_k = np.array(sums.d_k, dtype=float)[:, None]
    g = it.rho * sums.h + alone * sums.g
    a, ab = it.rho * sums.b + alone * sums.a, it.rho * sums.bb + alone * sums.ab
    x, y = d_k * common * g + own * a, d_k * common * sums.h + own * sums.b
    xy = d_k * it.shared * g * sums.h + common * own * (g * sums.b + sums.h * a) + own**2 * ab
    means = d_k * it.mean_q * it.mean_k + it.mean_q * it.sd_k * y + it.mean_k * it.sd_q * x
    return np.asarray(means + it.sd_q * it.sd_k * xy)


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
    draw_q, draw_k, _ = draw_vectors(law, seed)

    def terms(size: int) -> list[Array]:
        return [np.einsum("id,id->d", draw_q((size, draws)), draw_k((size, draws)))]

    (products,) = add_up(terms, stops, BLOCK // draws, report)
    return products


def draw_vectors(law: str, seed: int) -> tuple[Draw, Draw, np.random.Generator]:
    """What draws components of queries and of keys by one law, in arrays of the shape asked for, and a third source.

    Raises: InputError if the law is unknown, or the seed is no whole number from 0.

    >>> draw_q, draw_k, _ = draw_vectors("signs", 0)
    >>> draw_q((2, 3)).shape
    (2, 3)
    """
    one_of("law", law, LAWS)
    for_q, for_k, for_shared = _generators(whole_number("seed", seed, 0))
    return _drawn(law, for_q), _drawn(law, for_k), for_shared


def _drawn(law: str, random: np.random.Generator) -> Draw:
    """Draws components of one law, an array of the shape asked for."""
    ways: dict[str, Draw] = {
        "normal": random.standard_normal,
        "uniform": lambda size: random.uniform(-math.sqrt(3), math.sqrt(3), size),
        "signs": lambda size: 2.0 * random.integers(0, 2, size, dtype=np.int8) - 1.0,
        "laplace": lambda size: random.laplace(0.0, math.sqrt(0.5), size),
    }
    return ways[law]


def add_up(
    terms: Callable[[int], Sequence[Array]], stops: Sequence[int], most: int, report: Report | None = None
) -> list[Array]:  # fmt: skip
    """Add up sums over the components of vectors that grow, a few components at a time.

    terms: draws so many further components, and tells what they add to each sum. most: how many at a time.
    Returns: each sum as it is at each stop, (s, ...).

    >>> add_up(lambda size: [np.array([size]), np.array([1.0, size])], (1, 4), 2)
    [array([[1],
           [4]]), array([[1., 1.],
           [3., 4.]])]
    """
    sums: Sequence[Array] = ()
    kept = []
    for reached, size in chunks(stops, max(most, 1)):
        new = terms(size)
        sums = [total + each for total, each in zip(sums, new, strict=True)] if sums else new
        if report:
            report(reached / stops[-1])
        if reached in stops:
            kept.append(sums)
    return [np.stack(each) for each in zip(*kept, strict=True)]


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


def measure_products(products: ArrayLike, stops: Sequence[int]) -> Measured:
    """Measure mean and variance of q·k at each stop.

    See `intervals.mean_interval` and `intervals.variance_interval`.

    products: (s, N), a row a stop, N ≥ 3.
    Raises: InputError if products are not finite, or there is not one row a stop.

    >>> measure_products([[1.0, 3.0] * 50], (1,)).mean.round(1).tolist()
    [[2.0, 1.8, 2.2]]
    """
    products, stops = finite_array("products", products, 2), checked_stops(stops)
    if len(products) != len(stops) or products.shape[1] < 3:
        raise InputError("shape", "products", f"({len(stops)}, N), N at least 3", str(products.shape))
    draws = products.shape[1]
    mean, variance = (np.array([interval(row) for row in products]) for interval in (mean_interval, variance_interval))
    return Measured(stops, draws, mean, variance)
