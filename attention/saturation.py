"""What softmax makes of scores as d_k grows: how even a row stays, whether it answers, how large its gradient is.

As in `attention.experiment` the vectors grow a few components at a time: the sweep costs as much as its last stop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, divisor_for, finite_array, whole_number
from attention.experiment import BLOCK, STOPS, Report, checked_stops, chunks, generators
from attention.softmax import normalized_entropy, softmax, softmax_jacobian

SCALES = ("none", "sqrt", "linear")
DEAD = 0.01
"""A row of weights is called dead if its softmax Jacobian has a smaller (Frobenius) norm than this."""


@dataclass(frozen=True, eq=False)
class Saturation:
    """What softmax makes of the scores at each stop, for each scale: none, sqrt, linear."""

    d_k: tuple[int, ...]  # (s,)
    draws: int
    n_keys: int
    entropy: Array  # (s, 3)  mean normalised entropy of a row: 1 = uniform
    dead: Array  # (s, 3)     share of rows whose Jacobian norm is below DEAD
    median: Array  # (s, 3)   median of ‖∂p/∂q‖
    mean: Array  # (s, 3)     mean of ‖∂p/∂q‖
    examples: Array  # (s, 3, m, n_keys)  weights of the first m rows


def measure_saturation(
    draws: int = 4000, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0, examples: int = 3,
    report: Report | None = None,
) -> Saturation:  # fmt: skip
    """Measure what softmax makes of a query's scores with n_keys keys, at each d_k in stops, for each scale.

    draws: how many rows, a query and n_keys keys each. examples: how many rows' weights are kept.
    Returns: Saturation.
    Raises: InputError if draws or n_keys is no whole number from 1, or stops are not increasing ones.

    >>> both = measure_saturation(500, (64,), seed=0)
    >>> both.entropy.round(1)  # ÷1 is close to one-hot, ÷d_k close to uniform
    array([[0.2, 0.8, 1. ]])
    """
    draws, n_keys = whole_number("draws", draws), whole_number("n_keys", n_keys)
    stops = checked_stops(stops)
    size = (len(stops), len(SCALES))
    kept = Saturation(
        d_k=stops, draws=draws, n_keys=n_keys, entropy=np.empty(size), dead=np.empty(size),
        median=np.empty(size), mean=np.empty(size), examples=np.empty((*size, min(examples, draws), n_keys)),
    )  # fmt: skip
    grown = grow_rows(draws, stops, n_keys=n_keys, seed=seed, report=report)
    for s, (scores, gram) in enumerate(grown):
        for which, scale in enumerate(SCALES):
            divisor = divisor_for(scale, d_k=stops[s])
            p = softmax(scores / divisor)
            jacobian = softmax_jacobian(p)
            gradient = query_gradient(jacobian, gram, divisor)
            kept.entropy[s, which] = normalized_entropy(p).mean()
            kept.dead[s, which] = (np.sqrt((jacobian**2).sum(axis=(1, 2))) < DEAD).mean()
            kept.median[s, which], kept.mean[s, which] = np.median(gradient), gradient.mean()
            kept.examples[s, which] = p[: kept.examples.shape[2]]
    return kept


def query_gradient(jacobian: ArrayLike, gram: ArrayLike, divisor: float) -> Array:
    """Tell how strongly a row of weights answers to its query, from K Kᵀ alone.

    p = softmax(K q / divisor), so ∂p/∂q = J K / divisor with J = ∂p/∂scores, and
    ‖J K‖² = tr(J K Kᵀ Jᵀ): the n_keys × n_keys matrix K Kᵀ is enough, whatever d_k is.

    jacobian: (..., n, n), as `softmax_jacobian` gives it. gram: (..., n, n), K Kᵀ.
    Returns: (...), the Frobenius norm.

    >>> query_gradient([[0.25, -0.25], [-0.25, 0.25]], [[1.0, 0.0], [0.0, 1.0]], 2.0)
    array(0.25)
    """
    J, gram = finite_array("jacobian", jacobian, 2), finite_array("gram", gram, 2)
    squared = ((J @ gram) * J).sum(axis=(-2, -1))
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)) / divisor)


def grow_rows(
    draws: int, stops: Sequence[int], *, n_keys: int, seed: int = 0, block: int = BLOCK,
    report: Report | None = None,
) -> Iterator[tuple[Array, Array]]:  # fmt: skip
    """Yield the scores of `draws` queries with n_keys keys each, and K Kᵀ, at each stop, as the vectors grow.

    Both are sums over components, so they are added up a few components at a time: no array of
    draws × n_keys × d_k numbers is ever held. As in `grow_pairs`, `block` changes nothing but rounding.

    Yields: scores (draws, n_keys) and gram (draws, n_keys, n_keys) for each stop; the same arrays, grown.
    """
    for_q, for_k = generators(seed)
    most = max(block // (draws * n_keys), 1)
    q, k = np.empty((most, draws)), np.empty((most, draws, n_keys))
    scores, gram = np.zeros((draws, n_keys)), np.zeros((draws, n_keys, n_keys))
    for reached, size in chunks(stops, most):
        for_q.standard_normal(out=q[:size])
        for_k.standard_normal(out=k[:size])
        K = k[:size].transpose(1, 2, 0)  # (draws, n_keys, size)
        scores += (K @ q[:size].T[:, :, None])[..., 0]
        gram += K @ K.swapaxes(1, 2)
        if report:
            report(reached / stops[-1])
        if reached in stops:
            yield scores, gram
