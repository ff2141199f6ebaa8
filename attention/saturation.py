"""What softmax makes of scores as d_k grows: how even a row stays, whether it answers, how large its gradient is.

As in `attention.experiment` the vectors grow a few components at a time: the sweep costs as much as its last stop.
All that is asked of a row follows from its scores, K Kᵀ and ‖q‖²: no Jacobian is ever built.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention import divisors
from attention.checks import Array, InputError, finite_array, whole_number
from attention.experiment import BLOCK, STOPS, Z_95, Report, checked_stops, chunks, generators

SCALES = ("none", "sqrt", "linear")
ALPHAS = tuple(step / 20 for step in range(21))
"""The exponents of d_k^α that are measured: 0, 0.05 … 1."""

COLUMNS = (*(name for name in divisors.DIVISORS if name != "power"), *(f"power_{alpha:.2f}" for alpha in ALPHAS))
"""What the scores are divided by, in the order of the measurements' columns; the first three are SCALES."""

DEAD = 0.01
"""A row of weights is called dead if its softmax Jacobian has a smaller (Frobenius) norm than this."""

LIMITS = (0.1, 0.001)
"""Other limits that could have been chosen for DEAD."""

QUANTILES = (0.05, 0.25, 0.75, 0.95)
FEW = 0.01
"""The share of the rows, those with the largest gradients, whose part in the total is told."""


@dataclass(frozen=True, eq=False)
class Saturation:
    """What softmax makes of the scores at each stop (s), for each of COLUMNS (c); nan where a divisor is 0."""

    d_k: tuple[int, ...]  # (s,)
    draws: int
    n_keys: int
    entropy: Array  # (s, c)  mean normalised entropy of a row: 1 = uniform
    dead: Array  # (s, c)     share of rows whose Jacobian norm is below DEAD
    median: Array  # (s, c)   of ‖∂p/∂q‖
    mean: Array  # (s, c)     of ‖∂p/∂q‖
    interval: Mapping[str, Array]  # (s, c, 2)  the 95 % intervals of these four, by name
    quantiles: Array  # (s, c, 4)  of ‖∂p/∂q‖, at QUANTILES
    below: Array  # (s, c, 2)  share of rows whose Jacobian norm is below LIMITS
    top: Array  # (s, c)  the part of the sum of all ‖∂p/∂q‖ that the FEW largest make up
    scores: Array  # (s, m, n_keys)  q·k of the first m rows
    cosines: Array  # (s, m, n_keys)  their cosine similarities


def measure_saturation(
    draws: int = 4000, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0, examples: int = 40,
    report: Report | None = None,
) -> Saturation:  # fmt: skip
    """Measure what softmax makes of a query's scores with n_keys keys, at each d_k in stops, for each divisor.

    draws: how many rows, a query and n_keys keys each, at least 2. examples: how many rows' scores are kept.
    Returns: Saturation.
    Raises: InputError if draws or n_keys is no whole number or too small, or stops are not increasing ones.

    >>> measured = measure_saturation(500, (64,), seed=0)
    >>> measured.entropy[0, :3].round(1)  # ÷1 is close to one-hot, ÷d_k close to uniform
    array([0.2, 0.8, 1. ])
    """
    draws, n_keys = whole_number("draws", draws, 2), whole_number("n_keys", n_keys)
    stops = checked_stops(stops)
    found = np.full((len(stops), len(COLUMNS), 19), np.nan)
    scores, cosines = np.empty((2, len(stops), min(examples, draws), n_keys))
    for s, grown in enumerate(grow_with_lengths(draws, stops, n_keys=n_keys, seed=seed, report=report)):
        q_k, gram, q_squared = grown
        as_cosines = cosine_rows(q_k, gram, q_squared)
        scores[s], cosines[s] = q_k[: scores.shape[1]], as_cosines[0][: scores.shape[1]]
        rows = _largest_first(q_k, gram)
        known: dict[float, list[float]] = {}  # d_k^½ is √d_k: measured once
        for c, column in enumerate(COLUMNS):
            if column == "cosine":
                found[s, c] = _figures(_responses(*_largest_first(*as_cosines), 1.0))
            elif (by := _divisor(column, stops[s])) > 0:
                same = round(by, 9)
                known[same] = known.get(same) or _figures(_responses(*rows, by))
                found[s, c] = known[same]
    told = {name: found[..., 3 * i : 3 * i + 3] for i, name in enumerate(("entropy", "dead", "median", "mean"))}
    return Saturation(
        d_k=stops, draws=draws, n_keys=n_keys, **{name: each[..., 0] for name, each in told.items()},
        interval={name: each[..., 1:] for name, each in told.items()},
        quantiles=found[..., 12:16], below=found[..., 16:18], top=found[..., 18], scores=scores, cosines=cosines,
    )  # fmt: skip


def _divisor(column: str, d_k: int) -> float:
    """0 where there is none: ln 1."""
    name, _, alpha = column.partition("_")
    if column == "log" and d_k == 1:
        return 0.0
    return divisors.divisor(name, d_k, alpha=float(alpha)) if name == "power" else divisors.divisor(column, d_k)


def row_responses(scores: ArrayLike, gram: ArrayLike, divisor: float = 1.0) -> tuple[Array, Array, Array]:
    """Tell how even rows of weights are, and how strongly they answer to their scores and to their query.

    p = softmax(K q / divisor), J = ∂p/∂scores = diag(p) − p pᵀ, ∂p/∂q = J K / divisor. With k̄ = Σ pⱼ kⱼ, row i of
    J K is pᵢ (kᵢ − k̄), so that K Kᵀ is enough, whatever d_k is:
        ‖J K‖² = Σᵢ pᵢ² ‖kᵢ − k̄‖²,    ‖J‖² the same with orthogonal keys of length 1.
    Keys are taken relative to the one with the largest score, and that one's 1 − p is the sum of the others' weights:
    however saturated a row is, its digits are right.

    scores: (N, n), K q. gram: (N, n, n), K Kᵀ.
    Returns: H(p) / ln n, ‖J‖ and ‖∂p/∂q‖, each (N,); Frobenius norms.
    Raises: InputError if these are not finite numbers of shapes that fit.

    >>> entropy, jacobian, gradient = row_responses([[0.0, 0.0]], [[[1.0, 0.0], [0.0, 1.0]]], 2.0)
    >>> entropy, jacobian, gradient
    (array([1.]), array([0.5]), array([0.25]))
    """
    scores, gram = finite_array("scores", scores, 2), finite_array("gram", gram, 2)
    if gram.shape != (*scores.shape, scores.shape[-1]):
        raise InputError("shape", "gram", f"shape {(*scores.shape, scores.shape[-1])}", f"shape {gram.shape}")
    return _responses(*_largest_first(scores, gram), divisor)


def _largest_first(scores: Array, gram: Array) -> tuple[Array, Array]:
    """How far each score is below its row's largest, (n − 1, N), and (kᵢ − k₁)·(kⱼ − k₁), (n − 1, n − 1, N)."""
    order = np.argsort(-scores, axis=1)
    rows = np.arange(len(scores))[:, None]
    ordered = scores[rows, order].T
    G = gram[rows[:, :, None], order[:, :, None], order[:, None, :]].transpose(1, 2, 0)
    apart = G[1:, 1:] - G[1:, :1] - G[:1, 1:] + G[:1, :1]
    return np.ascontiguousarray(ordered[1:] - ordered[0]), np.ascontiguousarray(apart)


def _responses(below: Array, apart: Array, divisor: float) -> tuple[Array, Array, Array]:
    below = below / divisor
    p = np.exp(below)
    rest = p.sum(axis=0)
    p /= 1 + rest
    largest, others, squared = 1 / (1 + rest), p.sum(axis=0), p * p
    entropy = np.log1p(rest) - (p * below).sum(axis=0)
    even = np.minimum(entropy / math.log(len(below) + 1), 1.0) if len(below) else np.ones_like(entropy)
    squares = squared.sum(axis=0)
    jacobian = largest**2 * (squares + others**2) + (squared * (1 - 2 * p + largest**2 + squares)).sum(axis=0)
    toward = np.einsum("ijn,jn->in", apart, p)  # (kᵢ − k₁)·(k̄ − k₁)
    moved = (p * toward).sum(axis=0)  # ‖k̄ − k₁‖²
    lengths = np.diagonal(apart).T
    gradient = largest**2 * moved + (squared * (lengths - 2 * toward + moved)).sum(axis=0)
    return even, np.sqrt(jacobian), np.sqrt(np.maximum(gradient, 0.0)) / divisor


def cosine_rows(scores: ArrayLike, gram: ArrayLike, q_squared: ArrayLike) -> tuple[Array, Array]:
    """Turn scores into cosine similarities, and K Kᵀ into what stands in its place in ‖∂p/∂q‖.

    cᵢ = q·kᵢ / (‖q‖‖kᵢ‖) depends on q through its length too: ∂cᵢ/∂q = (k̂ᵢ − cᵢ q̂) / ‖q‖ with k̂ and q̂ of
    length 1. Their dot products are (k̂ᵢ·k̂ⱼ − cᵢ cⱼ) / ‖q‖².

    scores: (N, n), K q. gram: (N, n, n), K Kᵀ. q_squared: (N,), ‖q‖².
    Returns: (N, n), the cosines, and (N, n, n), for `row_responses` with divisor 1; 0 where a length is 0.
    Raises: InputError if these are not finite numbers of shapes that fit.

    >>> cosine_rows([[6.0]], [[[9.0]]], [4.0])
    (array([[1.]]), array([[[0.]]]))
    """
    scores, gram, q_squared = finite_array("scores", scores), finite_array("gram", gram), finite_array("q", q_squared)
    cosines = scores / divisors.norms(q_squared, gram)
    squares = np.where(q_squared > 0, q_squared, 1.0)[:, None]
    lengths = divisors.norms(np.ones_like(q_squared), gram)
    between = gram / (lengths[:, :, None] * lengths[:, None, :]) - cosines[:, :, None] * cosines[:, None, :]
    return cosines, between / squares[..., None]


def _figures(responses: tuple[Array, Array, Array]) -> list[float]:
    """What is told of many rows: four estimates with their intervals, quantiles, and the part of the few."""
    entropy, jacobian, gradient = responses
    gradient = np.sort(gradient)
    few = max(round(FEW * gradient.size), 1)
    total = float(gradient.sum())
    return [
        *np.clip(_mean_interval(entropy), 0.0, 1.0), *share_interval(int((jacobian < DEAD).sum()), jacobian.size),
        *_median_interval(gradient), *_mean_interval(gradient),
        *_quantiles(gradient), *(float((jacobian < limit).mean()) for limit in LIMITS),
        float(gradient[-few:].sum()) / total if total else math.nan,
    ]  # fmt: skip


def _mean_interval(x: Array) -> tuple[float, float, float]:
    """x̄ ± 1.96 s / √N."""
    mean = float(x.mean())
    error = Z_95 * math.sqrt(float(((x - mean) ** 2).sum()) / (x.size - 1) / x.size)
    return mean, mean - error, mean + error


def _median_interval(x: Array) -> tuple[float, float, float]:
    """The middle of sorted numbers; how many lie below the true one is binomial, whatever they are drawn from."""
    half, reach = x.size / 2, Z_95 * math.sqrt(x.size) / 2
    low, high = max(math.floor(half - reach), 0), min(math.ceil(half + reach), x.size - 1)
    return float(x[(x.size - 1) // 2] + x[x.size // 2]) / 2, float(x[low]), float(x[high])


def _quantiles(x: Array) -> Array:
    """Of sorted numbers, between neighbours as np.quantile."""
    at = np.array(QUANTILES) * (x.size - 1)
    below = at.astype(int)
    return np.asarray(x[below] + (at - below) * (x[np.minimum(below + 1, x.size - 1)] - x[below]))


def share_interval(hits: int, draws: int) -> tuple[float, float, float]:
    """Estimate a share: hits / draws and its 95 % interval, which has a width at 0 and 1 too.

    Wilson's: the shares p with |hits / draws − p| ≤ 1.96 √(p (1 − p) / draws).

    hits: from 0 to draws. draws: from 1. Returns: share, low, high.
    Raises: InputError if these are no such whole numbers.
    Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).

    >>> [round(x, 4) for x in share_interval(0, 4000)], [round(x, 2) for x in share_interval(30, 40)]
    ([0.0, 0.0, 0.001], [0.75, 0.6, 0.86])
    """
    draws = whole_number("draws", draws)
    hits = whole_number("hits", hits, 0)
    if hits > draws:
        raise InputError("whole_number", "hits", f"a whole number from 0 to {draws}", hits)
    share, z = hits / draws, Z_95**2 / draws
    middle, reach = share + z / 2, math.sqrt(z * (share * (1 - share) + z / 4))
    low, high = (middle - reach) / (1 + z), (middle + reach) / (1 + z)
    return share, 0.0 if hits == 0 else low, 1.0 if hits == draws else high


def grow_rows(
    draws: int, stops: Sequence[int], *, n_keys: int, seed: int = 0, block: int = BLOCK,
    report: Report | None = None,
) -> Iterator[tuple[Array, Array]]:  # fmt: skip
    """Yield scores and K Kᵀ as `grow_with_lengths` does, for whom ‖q‖ does not matter."""
    for scores, gram, _ in grow_with_lengths(draws, stops, n_keys=n_keys, seed=seed, block=block, report=report):
        yield scores, gram


def grow_with_lengths(
    draws: int, stops: Sequence[int], *, n_keys: int, seed: int = 0, block: int = BLOCK,
    report: Report | None = None,
) -> Iterator[tuple[Array, Array, Array]]:  # fmt: skip
    """Yield the scores of `draws` queries with n_keys keys each, K Kᵀ and ‖q‖², at each stop, as the vectors grow.

    All are sums over components, so they are added up a few components at a time: no array of
    draws × n_keys × d_k numbers is ever held. As in `grow_pairs`, `block` changes nothing but rounding.

    Yields: scores (draws, n_keys), gram (draws, n_keys, n_keys) and q_squared (draws,) for each stop; the same
        arrays, grown.
    """
    for_q, for_k = generators(seed)
    most = max(block // (draws * n_keys), 1)
    q, k = np.empty((most, draws)), np.empty((most, draws, n_keys))
    scores, gram, q_squared = np.zeros((draws, n_keys)), np.zeros((draws, n_keys, n_keys)), np.zeros(draws)
    for reached, size in chunks(stops, most):
        for_q.standard_normal(out=q[:size])
        for_k.standard_normal(out=k[:size])
        K = k[:size].transpose(1, 2, 0)  # (draws, n_keys, size)
        scores += (K @ q[:size].T[:, :, None])[..., 0]
        gram += K @ K.swapaxes(1, 2)
        q_squared += np.einsum("id,id->d", q[:size], q[:size])
        if report:
            report(reached / stops[-1])
        if reached in stops:
            yield scores, gram, q_squared
