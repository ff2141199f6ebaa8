"""How rows of weights respond: to their scores, and to their query.

All that is asked of a row follows from its scores, K Kᵀ and ‖q‖²: no Jacobian is ever built.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attention import divisors
from attention.checks import Array, InputError, finite_array, positive


def row_responses(scores: ArrayLike, gram: ArrayLike, divisor: float = 1.0) -> tuple[Array, Array, Array]:
    """Tell how even rows of weights are, and how strongly they answer to their scores and to their query.

    p = softmax(K q / divisor), J = ∂p/∂scores = diag(p) − p pᵀ, ∂p/∂q = J K / divisor. With k̄ = Σ pⱼ kⱼ, row i of
    J K is pᵢ (kᵢ − k̄), so that K Kᵀ is enough, whatever d_k is:
        ‖J K‖² = Σᵢ pᵢ² ‖kᵢ − k̄‖²,    ‖J‖² the same with orthogonal keys of length 1.
    Keys are taken relative to the one with the largest score, and that one's 1 − p is the sum of the others' weights:
    however saturated a row is, its digits are right.

    scores: (N, n), K q. gram: (N, n, n), K Kᵀ. divisor: above 0.
    Returns: H(p) / ln n, ‖J‖ and ‖∂p/∂q‖, each (N,); Frobenius norms.
    Raises: InputError if these are not finite numbers of shapes that fit, or the divisor is not above 0.

    >>> entropy, jacobian, gradient = row_responses([[0.0, 0.0]], [[[1.0, 0.0], [0.0, 1.0]]], 2.0)
    >>> entropy, jacobian, gradient
    (array([1.]), array([0.5]), array([0.25]))
    """
    rows = largest_first(*_row_inputs(scores, gram))
    return responses(*rows, positive("divisor", divisor))[:3]


def _row_inputs(scores: ArrayLike, gram: ArrayLike) -> tuple[Array, Array]:
    """K q of shape (N, n), and K Kᵀ of the shape that fits."""
    scores, gram = finite_array("scores", scores, 2), finite_array("gram", gram, 3)
    if scores.ndim != 2:
        raise InputError("shape", "scores", "shape (N, n)", f"shape {scores.shape}")
    if gram.shape != (*scores.shape, scores.shape[1]):
        raise InputError("shape", "gram", f"shape {(*scores.shape, scores.shape[1])}", f"shape {gram.shape}")
    return scores, gram


def largest_first(scores: Array, gram: Array) -> tuple[Array, Array]:
    """How far each score is below its row's largest, (n − 1, N), and (kᵢ − k₁)·(kⱼ − k₁), (n − 1, n − 1, N)."""
    order = np.argsort(-scores, axis=1)
    rows = np.arange(len(scores))[:, None]
    ordered = scores[rows, order].T
    G = gram[rows[:, :, None], order[:, :, None], order[:, None, :]].transpose(1, 2, 0)
    apart = G[1:, 1:] - G[1:, :1] - G[:1, 1:] + G[:1, :1]
    return np.ascontiguousarray(ordered[1:] - ordered[0]), np.ascontiguousarray(apart)


def responses(below: Array, apart: Array, divisor: float) -> tuple[Array, Array, Array, Array]:
    """As `row_responses` tells, and the largest weights."""
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
    return even, np.sqrt(jacobian), np.sqrt(np.maximum(gradient, 0.0)) / divisor, largest


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
    scores, gram = _row_inputs(scores, gram)
    q_squared = finite_array("q_squared", q_squared)
    if q_squared.shape != scores.shape[:1]:
        raise InputError("shape", "q_squared", f"shape {scores.shape[:1]}", f"shape {q_squared.shape}")
    return cosines_of(scores, gram, q_squared)


def cosines_of(scores: Array, gram: Array, q_squared: Array) -> tuple[Array, Array]:
    """As `cosine_rows`, of what has been checked."""
    cosines = scores / divisors.norms(q_squared, gram)
    squares = np.where(q_squared > 0, q_squared, 1.0)[:, None]
    lengths = divisors.norms(np.ones_like(q_squared), gram)
    between = gram / (lengths[:, :, None] * lengths[:, None, :]) - cosines[:, :, None] * cosines[:, None, :]
    return cosines, between / squares[..., None]
