"""Whole distributions of q·k, and how far draws are from them: which share lies below each point.

For normal components the distribution is computed exactly, whatever their means, variances and correlations.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention.assumptions import Components, predicted_mean, predicted_variance
from attention.checks import Array, InputError, finite_array, number_between, one_of, positive, whole_number

KS_95 = 1.358
"""The largest distance of N draws from their distribution is below KS_95/√N, 95 times in 100 (Kolmogorov, large N)."""


def normal_cdf(x: ArrayLike, mean: float = 0.0, sd: float = 1.0) -> Array:
    """Tell which share of N(mean, sd²) lies below each x.

    Φ(z) = (1 + erf(z/√2)) / 2

    Raises: InputError if x or mean are not finite numbers, or sd is not a positive one.

    >>> normal_cdf([-1.96, 0.0]).round(3).tolist()
    [0.025, 0.5]
    """
    z = (finite_array("x", x) - number_between("mean", mean)) / (positive("sd", sd) * math.sqrt(2))
    return np.array([0.5 * math.erfc(-each) for each in z.ravel()]).reshape(z.shape)


def signs_cdf(x: ArrayLike, d_k: int) -> Array:
    """Tell which share of q·k lies at or below each x when all components are ±1: exactly.

    Every product is ±1, so q·k = 2 B − d_k with a binomial B: d_k throws of a coin.

    Raises: InputError if x are not finite numbers, or d_k is no whole number from 1.

    >>> signs_cdf([-3.0, 0.0, 2.0], 2).tolist()
    [0.0, 0.75, 1.0]
    """
    x, d_k = finite_array("x", x), whole_number("d_k", d_k)
    heads = np.floor((x + d_k) / 2).clip(-1, d_k).astype(int)
    shares = [math.comb(d_k, n) / 2**d_k for n in range(d_k + 1)]
    return np.asarray(np.concatenate([[0.0], np.minimum(np.cumsum(shares), 1.0)])[heads + 1])


def exact_cdf(components: Components, d_k: int, x: ArrayLike) -> Array:
    """Tell which share of q·k lies below each x, for normal components: to about 1e-9.

    In the axes of the correlation matrix C the components are independent: one has variance λ = 1 + (d_k − 1) r and
    mean √d_k μ, the others variance 1 − r and mean 0. A product of two such has the characteristic function

        φ(t) = exp((i t μ_q μ_k − t² m/2) / D) / √D,   D = 1 − 2iρst + (1 − ρ²) s²t²,
        s = λσ_qσ_k,  m = λ (μ_q²σ_k² + μ_k²σ_q²),

    where ρ = 0 or both μ are 0; that of q·k is the product of all of them, (1 + t²)^(−d_k/2) if no assumption is
    broken. Gil-Pelaez inverts it: F(x) = ½ − (1/π) ∫₀^∞ Im[e^(−itx) φ(t)] dt/t. With few components φ decays too
    slowly to integrate along the real axis. All its singularities lie on the imaginary one, so the path may be turned
    by an angle: down where x > 0, up where x < 0, so that e^(−itx) decays. In t = e^u the trapezoid rule then
    converges exponentially.

    x: (m,).
    Raises: InputError if the law is not normal, there are means and ρ both, d_k is no whole number from 1, or x are not
    finite numbers.
    Source: Gil-Pelaez (1951), Biometrika 38; Imhof (1961), Biometrika 48.

    >>> exact_cdf(Components(), 2, [0.0, 1.0]).round(6).tolist()  # 1 − e^(−x)/2, a Laplace distribution
    [0.5, 0.81606]
    """
    one_of("law", components.law, ("normal",))
    if components.rho and (components.mean_q or components.mean_k):
        # then F is as well defined, but near ρ = ±1 this path does not find it
        raise InputError("choice", "components", "ρ = 0 or means of 0", str(components))
    d_k, x = whole_number("d_k", d_k), finite_array("x", x)
    mean, sd = predicted_mean(components, d_k), math.sqrt(predicted_variance(components, d_k))
    if abs(mean) > 10 * sd:  # then all that is beyond 10 sd rounds to 0, and is where the turned path would swing
        x = x.clip(mean - 10 * sd, mean + 10 * sd)
    found = np.empty(x.shape)
    for side in (1, -1):
        mine = (x >= 0) == (side > 0)
        t = _STEPS * np.exp(-1j * side * _TURN) / sd
        log_phi = _log_characteristic(components, d_k, t)
        left = log_phi.real > -40  # where φ has not died away
        powers = log_phi[left] - 1j * np.multiply.outer(x[mine], t[left])
        found[mine] = 0.5 - (np.exp(powers).imag.sum(axis=-1) * _STEP - side * _TURN) / math.pi
    return found.clip(0, 1)


_TURN = math.pi / 16  # by which the path is turned
_STEP = 0.06  # with half of it nothing changes by more than 2e-11
_STEPS = np.exp(np.arange(-27, 90, _STEP))  # from far below to far above the scale of q·k


def _log_characteristic(components: Components, d_k: int, t: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """log φ of q·k: one axis with the means, and d_k − 1 without."""
    it = components
    both = it.sd_q * it.sd_k
    across = (it.mean_q * it.sd_k) ** 2 + (it.mean_k * it.sd_q) ** 2
    whole = np.zeros(t.shape, dtype=np.complex128)
    for size, times, tall in ((1 + (d_k - 1) * it.shared, 1, d_k), (1 - it.shared, d_k - 1, 0)):
        s = size * both
        # D in factors: the logarithm of each stays on its branch, that of their product would not
        up, down = 1 - 1j * (it.rho + 1) * s * t, 1 - 1j * (it.rho - 1) * s * t
        means = (1j * t * it.mean_q * it.mean_k - 0.5 * t**2 * size * across) * tall / up / down
        whole += times * (means - 0.5 * (np.log(up) + np.log(down)))
    return whole


def distance(sample: ArrayLike, edges: ArrayLike, cdf: ArrayLike) -> float:
    """Tell how far the share of draws below an edge is from what a distribution expects, at the worst of the edges.

    max |F_N(x) − F(x)| over the edges x, at most the Kolmogorov–Smirnov statistic, which asks for every x. If the
    draws follow F it is below 1.358/√N, 95 times in 100.

    sample: (N,). edges, cdf: (m,), edges increasing.
    Raises: InputError if they are not finite numbers, or edges and cdf differ in length.

    >>> distance([1.0, 2.0, 3.0, 4.0], [2.5], [0.4])
    0.1
    """
    sample, edges, cdf = finite_array("sample", sample), finite_array("edges", edges), finite_array("cdf", cdf)
    if edges.shape != cdf.shape:
        raise InputError("shape", "cdf", f"a number an edge: {edges.shape}", str(cdf.shape))
    below = np.searchsorted(np.sort(sample), edges, side="right") / sample.size
    return float(np.abs(below - cdf).max().round(15))
