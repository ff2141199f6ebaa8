"""Softmax: scores become weights that add up to 1; and what can be asked of such weights."""

import math

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, numbers_of


def softmax(x: ArrayLike, axis: int = -1) -> Array:
    """Turn scores into positive weights that add up to 1 along one axis.

    softmaxᵢ(x) = exp(xᵢ) / Σⱼ exp(xⱼ) = exp(xᵢ − max x) / Σⱼ exp(xⱼ − max x).
    The second form cannot overflow.

    x: (..., n, ...), real numbers; −∞ is allowed and gets weight 0.
    Returns: an array of the same shape. Where all of x is −∞ there is nothing to share out: 0/0, so nan.
    Raises: InputError if x is not made of numbers, is empty, has no such axis, or holds nan or +∞.
    Source: Goodfellow, Bengio, Courville, "Deep Learning" (2016), sections 4.1 (stability) and 6.2.2.3.

    >>> softmax([0.0, 0.0, -np.inf])
    array([0.5, 0.5, 0. ])
    >>> softmax([1000.0, 1000.0])
    array([0.5, 0.5])
    """
    x = scores_array(x, axis)
    with np.errstate(invalid="ignore", over="ignore"):  # all −∞: −∞ − (−∞) is nan, on purpose
        powers: Array = np.exp(x - x.max(axis=axis, keepdims=True))
    total: Array = powers.sum(axis=axis, keepdims=True)
    return powers / total


def scores_array(x: ArrayLike, axis: int) -> Array:
    """A float64 copy of x, which may hold −∞ but neither nan nor +∞."""
    raw = numbers_of("x", x)
    if not -raw.ndim <= axis < raw.ndim:
        raise InputError("axes", "x", f"an array that has axis {axis}", f"shape {raw.shape}")
    scores = np.array(raw, dtype=np.float64)
    if not (scores < np.inf).all():
        raise InputError("finite", "x", "finite numbers or −∞", str(scores[~(scores < np.inf)][0]))
    return scores


def softmax_jacobian(p: ArrayLike) -> Array:
    """Tell how each weight of a softmax answers to each score.

    ∂pᵢ/∂xⱼ = pᵢ (δᵢⱼ − pⱼ), that is diag(p) − p pᵀ. Near a one-hot p all entries are near 0: saturation.

    p: (..., n), weights as softmax gives them.
    Returns: (..., n, n); row i belongs to the weight pᵢ, column j to the score xⱼ.
    Raises: InputError if p is not made of numbers from 0 to 1 (nan is passed on), is empty, or has no axis.
    Source: "Attention Is All You Need" (2017), section 3.2.1, is where this decides the scaling.

    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    p = weights_array(p)
    n = p.shape[-1]
    return p[..., :, None] * np.eye(n) - p[..., :, None] * p[..., None, :]


def entropy(p: ArrayLike, axis: int = -1) -> Array:
    """Measure in nats how widely weights are spread.

    H(p) = −Σᵢ pᵢ ln pᵢ with 0 · ln 0 = 0: 0 for a one-hot p, ln n for a uniform one.

    p: (..., n, ...), weights as softmax gives them.
    Returns: the shape of p without that axis.
    Raises: InputError if p is not made of numbers from 0 to 1 (nan is passed on), is empty, or has no such
        axis.
    Source: Shannon, "A Mathematical Theory of Communication" (1948), section 6.

    >>> print(entropy([0.5, 0.5]).round(4), entropy([1.0, 0.0]))
    0.6931 0.0
    """
    p = weights_array(p, axis)
    return np.asarray(0.0 - (p * np.log(np.where(p == 0, 1.0, p))).sum(axis=axis))


def normalized_entropy(p: ArrayLike, axis: int = -1) -> Array:
    """Measure how widely weights are spread, on a scale from 0 (one key has it all) to 1 (uniform).

    H(p) / ln n. A single key (n = 1) with weight 1 is uniform by definition: 1.

    p: (..., n, ...), weights as softmax gives them.
    Returns: the shape of p without that axis.
    Raises: InputError as `entropy` does.

    >>> print(normalized_entropy([0.25, 0.25, 0.25, 0.25]), normalized_entropy([1.0]))
    1.0 1.0
    """
    p = weights_array(p, axis)
    n = p.shape[axis]
    return np.minimum(p.sum(axis=axis) if n == 1 else entropy(p, axis) / math.log(n), 1.0)


def weights_array(p: ArrayLike, axis: int = -1) -> Array:
    """A float64 copy of p, whose numbers lie between 0 and 1 (or are nan: a row with nothing to attend)."""
    raw = numbers_of("p", p)
    if not -raw.ndim <= axis < raw.ndim:
        raise InputError("axes", "p", f"an array that has axis {axis}", f"shape {raw.shape}")
    weights = np.array(raw, dtype=np.float64)
    outside = (weights < 0) | (weights > 1 + 1e-9)
    if outside.any():
        raise InputError("weights", "p", "weights from 0 to 1", str(weights[outside][0]))
    return weights
