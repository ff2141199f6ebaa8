"""Scaled dot-product attention, twice: as the formula is written, and with every intermediate result kept.

"Attention Is All You Need" (2017), section 3.2.1, equation 1. In production use your framework's own
(PyTorch: `torch.nn.functional.scaled_dot_product_attention`); this one is for understanding.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, Mask, attention_inputs, divisor_for, one_of
from attention.softmax import softmax

EMPTY_ROWS = ("zero", "nan", "uniform")


def attention(Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None) -> Array:
    """Compare every query with all keys, and gather the values in proportion to the match.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V

    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v). Leading axes broadcast.
    mask: boolean, broadcastable to (..., n_q, n_k); True = may attend.
    Returns: (..., n_q, d_v). A query that may attend to nothing gets nan, as the formula says;
        `attention_steps` has other ways.
    Raises: InputError if shapes do not fit, numbers are not finite, or the mask is not boolean.
    Source: "Attention Is All You Need" (2017), equation 1.

    >>> attention(Q=[[0.0, 0.0]], K=[[1.0, 0.0], [0.0, 1.0]], V=[[2.0], [4.0]])
    array([[3.]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores, axis=-1)  # each row adds up to 1
    return weights @ V  # (..., n_q, d_v)


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """Every intermediate result of one attention: what the app shows is read from here."""

    scores: Array  # (..., n_q, n_k)  ① Q Kᵀ
    divisor: float  #                 ② √d_k, unless another scale was asked for
    scaled: Array  # (..., n_q, n_k)     scores / divisor
    masked: Array  # (..., n_q, n_k)     scaled, with −∞ where the mask is False
    weights: Array  # (..., n_q, n_k) ③ softmax of each row of masked
    output: Array  # (..., n_q, d_v)  ④ weights V
    mask: Mask | None  # (..., n_q, n_k), True = may attend


def attention_steps(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    scale: str | float = "sqrt",
    empty_rows: str = "zero",
) -> AttentionSteps:
    """Do what `attention` does, and keep every intermediate result.

    ① scores = Q Kᵀ  ② scaled = scores / divisor, then −∞ where masked  ③ weights = softmax
    ④ output = weights V

    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v). Leading axes broadcast.
    mask: boolean, broadcastable to (..., n_q, n_k); True = may attend.
    scale: "sqrt" divides by √d_k, "none" by 1, "linear" by d_k; a positive number is the divisor itself.
    empty_rows: the weights of a query that may attend to nothing. "zero": all 0 (as PyTorch from 2.5 on);
        "nan": the textbook formula, 0/0; "uniform": 1/n_k each (what filling with −1e9, not −∞, does).
    Returns: AttentionSteps.
    Raises: InputError if shapes do not fit, numbers are not finite, the mask is not boolean, or an option is
        unknown.
    Source: "Attention Is All You Need" (2017), section 3.2.1.

    >>> steps = attention_steps(Q=[[2.0, 0.0]], K=[[1.0, 0.0], [0.0, 1.0]], V=[[2.0], [4.0]], scale="none")
    >>> steps.scores
    array([[2., 0.]])
    >>> steps.weights.round(2)
    array([[0.88, 0.12]])
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    divisor = divisor_for(scale, d_k=Q.shape[-1])
    return trace(Q, K, V, mask, divisor, one_of("empty_rows", empty_rows, EMPTY_ROWS))


def trace(Q: Array, K: Array, V: Array, mask: Mask | None, divisor: float, empty_rows: str) -> AttentionSteps:
    """The steps themselves, for arguments that have been checked."""
    scores = Q @ K.swapaxes(-1, -2)
    scaled = scores / divisor
    masked = scaled.copy() if mask is None else np.where(mask, scaled, -np.inf)
    weights = fill_empty_rows(softmax(masked, axis=-1), mask, empty_rows)
    return AttentionSteps(scores, divisor, scaled, masked, weights, weights @ V, mask)


def fill_empty_rows(weights: Array, mask: Mask | None, empty_rows: str) -> Array:
    """Replace the nan in rows whose keys are all masked, as `empty_rows` says."""
    if mask is None or empty_rows == "nan":
        return weights
    fill = 0.0 if empty_rows == "zero" else 1.0 / weights.shape[-1]
    return np.where(mask.any(axis=-1, keepdims=True), weights, fill)
