"""`attention` with one mistake each, as they are found in real code. For diagnosing, never for use.

Each is `attention` but for the lines that make the mistake (a test holds them to that), and takes and returns what
`attention` does. NumPy warns where one of them computes nan.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, attention_inputs
from attention.softmax import scores_array, softmax


def wrong_axis(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Let softmax run over the queries, so that every column adds up to 1 instead of every row.

    >>> wrong_axis(Q=[[0.0], [0.0]], K=[[1.0]], V=[[2.0]])
    array([[1.],
           [1.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-2)  # each row adds up to 1
    return weights @ V  # (..., n_q, d_v)


def unstable(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Take exp of the scores as they are: beyond 709.78 it is ∞ in float64, and ∞/∞ is nan.

    >>> unstable(Q=[[0.0]], K=[[1.0], [2.0]], V=[[2.0], [4.0]])
    array([[3.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax_without_max(scores, axis=-1)  # each row adds up to 1
    return weights @ V  # (..., n_q, d_v)


def softmax_without_max(x: ArrayLike, axis: int = -1) -> Array:
    """Do what `softmax` does without subtracting the maximum first.

    >>> softmax_without_max([0.0, 0.0])
    array([0.5, 0.5])
    """
    x = scores_array(x, axis)
    with np.errstate(invalid="ignore", over="ignore"):  # all −∞: −∞ − (−∞) is nan, on purpose
        powers: Array = np.exp(x)
    total: Array = powers.sum(axis=axis, keepdims=True)
    return powers / total


def transposed(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Write K.T, which reverses all axes: right for one matrix, wrong for a batch of them.

    On (B, n, d) it raises ValueError, or, where B = n = d, mixes the sentences of the batch without a word.

    >>> transposed(Q=[[0.0]], K=[[1.0], [2.0]], V=[[2.0], [4.0]])
    array([[3.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1)  # each row adds up to 1
    return weights @ V  # (..., n_q, d_v)


def inverted_mask(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Take True for "hide": each query sees just what it may not.

    >>> inverted_mask(Q=[[0.0]], K=[[1.0], [2.0]], V=[[2.0], [4.0]], mask=[[True, False]])
    array([[4.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    weights = softmax(scores, axis=-1)  # each row adds up to 1
    return weights @ V  # (..., n_q, d_v)


def late_mask(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Mask after softmax: hidden keys get 0, but what they had is lost to the row, which falls short of 1.

    >>> late_mask(Q=[[0.0]], K=[[1.0], [2.0]], V=[[2.0], [4.0]], mask=[[True, False]])
    array([[1.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    weights = softmax(scores, axis=-1)  # each row adds up to 1
    if mask is not None:
        weights = np.where(mask, weights, 0)
    return weights @ V  # (..., n_q, d_v)


def unscaled(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Forget √d_k: the scores are too large, the weights too sharp.

    >>> unscaled(Q=[[0.0]], K=[[1.0], [2.0]], V=[[2.0], [4.0]])
    array([[3.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.swapaxes(-1, -2)  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1)  # each row adds up to 1
    return weights @ V  # (..., n_q, d_v)


def overscaled(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Divide by d_k where √d_k was meant: the scores are too small, the weights too even.

    >>> overscaled(Q=[[0.0]], K=[[1.0], [2.0]], V=[[2.0], [4.0]])
    array([[3.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.swapaxes(-1, -2) / Q.shape[-1]  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1)  # each row adds up to 1
    return weights @ V  # (..., n_q, d_v)


#: By name. The order is that of the list of answers, so it says nothing about which is which.
VARIANTS: Mapping[str, Callable[..., Array]] = {
    each.__name__: each
    for each in (wrong_axis, unstable, transposed, inverted_mask, late_mask, unscaled, overscaled)
}
