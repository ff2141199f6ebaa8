"""How sure an estimate is: 95 % intervals of a mean, of a variance and of a probability, for independent draws.

And how far off the estimate is from what it should be, in units of its own error.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, finite_array, number_between, whole_number

Z_95 = 1.959963984540054


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

    s² is the mean of zᵢ = (xᵢ − x̄)² N/(N−1), and gets the interval of a mean: s² ± 1.96 s_z/√N, nowhere below 0.

    For large N this is s² ± 1.96 √((m₄ − m₂²)/N) with the central moments m. As m₄ ≥ m₂² it never collapses, which
    the same with s⁴ in place of m₂² does in nearly every other sample of four. The textbook χ² interval holds for
    normal data only; a product of two normal numbers has kurtosis 9, not 3, and q·k has 3 + 6/d_k. This one asks for
    a large N: of four numbers it holds the truth about every other time.

    x: (N,), N ≥ 3: two numbers are equally far from their mean. Returns: variance, low, high.
    Raises: InputError if x is not made of finite numbers, or there are fewer than three.
    Source: Cramér, "Mathematical Methods of Statistics" (1946), section 27.4.

    >>> [round(v, 2) for v in variance_interval([-1.0, 1.0] * 50 + [0.0] * 50)]
    [0.67, 0.59, 0.75]
    """
    x = finite_array("x", x)
    if x.size < 3:
        raise InputError("shape", "x", "at least three numbers", x.size)
    variance, low, high = variance_intervals(x.ravel())
    return float(variance), float(low), float(high)


def variance_intervals(x: Array) -> Array:
    """`variance_interval` along the last axis; nothing larger than x is made.

    x: (..., N). Returns: (3, ...): variance, low, high.
    """
    n, mean = x.shape[-1], x.mean(axis=-1)
    squares = x - mean[..., None]
    squares *= squares
    m2, m4 = squares.mean(axis=-1), np.einsum("...i,...i->...", squares, squares) / n
    error = Z_95 * np.sqrt(np.maximum(m4 - m2**2, 0.0) / (n - 1)) * n / (n - 1)
    variance = m2 * n / (n - 1)
    return np.stack([variance, np.maximum(variance - error, 0.0), variance + error])


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


def standard_errors(expected: float, interval: ArrayLike) -> float:
    """By how many standard errors an estimate misses what was expected, told by its 95 % interval (a z-score's size).

    |x̄ − expected| / SE, SE = (high − x̄)/1.96: the upper half, as the lower one of a variance is cut off at 0.

    An interval of no width is missed by infinitely many, or, where the two are equal, by none.

    expected: a finite number. interval: (3,): estimate, low, high, as `mean_interval` and `variance_interval` have it.
    Raises: InputError if any of them is not finite, or the interval is no such three, in the order low ≤ x̄ ≤ high.

    >>> round(standard_errors(0.0, (3.0, 1.0, 5.0)), 2), round(standard_errors(5.0, (3.0, 1.0, 5.0)), 2)
    (2.94, 1.96)
    """
    expected, interval = number_between("expected", expected), finite_array("interval", interval)
    if interval.shape != (3,):
        raise InputError("shape", "interval", "three numbers: estimate, low, high", f"shape {interval.shape}")
    estimate, low, high = map(float, interval)
    if not low <= estimate <= high:
        raise InputError("shape", "interval", "an estimate that is not outside its interval", str(interval))
    off, half = abs(estimate - expected), high - estimate
    return Z_95 * off / half if half else math.inf if off else 0.0
