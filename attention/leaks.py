"""What else people do to masked scores and weights, and what leaks through: next to −∞ before softmax, the right way.

Each function here computes a wrong or a risky way honestly, so that it can be shown beside the right one.
"""

import numbers
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import (
    LIMIT,
    Array,
    InputError,
    attention_inputs,
    divisor_for,
    finite_array,
    mask_for,
    one_of,
    whole_number,
)
from attention.dot_product import AttentionSteps, attention_steps
from attention.softmax import softmax, weights_array

FORMATS = ("float64", "float32", "float16")


def masked_after_steps(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike, *, scale: str | float = "sqrt"
) -> AttentionSteps:
    """Do attention with the mask in the wrong place: softmax first, then the masked weights times 0.

    weights = softmax(Q Kᵀ / divisor) ⊙ mask. A row no longer adds up to 1, but to 1 − what the masked keys had; so
    it is the right row (masked before softmax) times that sum, and the output shrinks with it.

    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v). mask: as for attention_steps.
    Returns: AttentionSteps; `masked` is `scaled`, for the mask comes later.
    Raises: InputError as attention_steps does.
    Source: none; a mistake. huggingface/transformers #542 asks about it.

    >>> steps = masked_after_steps([[1.0]], [[1.0], [2.0], [5.0]], [[1.0], [1.0], [1.0]], [[True, True, False]])
    >>> steps.weights.sum(axis=-1).round(3)
    array([0.064])
    """
    plain = attention_steps(Q, K, V, scale=scale)
    allowed = mask_for(plain.scores.shape, mask)
    weights = plain.weights * allowed
    return replace(plain, weights=weights, output=weights @ np.asarray(V), mask=allowed)


def filled_steps(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike, fill: float, *, scale: str | float = "sqrt"
) -> AttentionSteps:
    """Do attention with some number, not −∞, in place of the masked scores.

    weights = softmax(scaled where mask, else fill). Any finite fill leaves masked keys exp(fill) : exp(score) of the
    weight, however little that is; −∞ leaves exactly 0, and nan in a row whose keys are all masked.

    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v). mask: as for attention_steps.
    fill: a finite number, or −∞. It takes the place of the scaled score.
    Returns: AttentionSteps.
    Raises: InputError as attention_steps does, or if fill is nan, +∞ or beyond the limit of numbers.
    Source: none; a mistake. pytorch #26098 proposes −1e-20, hyunwoongko/transformer #10 reports −e.

    >>> steps = filled_steps([[1.0]], [[1.0], [2.0], [9.0]], [[1.0], [1.0], [1.0]], [[True, True, False]], -1e-20)
    >>> steps.weights.round(2)
    array([[0.24, 0.67, 0.09]])
    """
    plain = attention_steps(Q, K, V, scale=scale)
    allowed = mask_for(plain.scores.shape, mask)
    masked = np.where(allowed, plain.scaled, _fill(fill))
    weights = softmax(masked, axis=-1)
    return replace(plain, masked=masked, weights=weights, output=weights @ np.asarray(V), mask=allowed)


def filled_weights(scaled: ArrayLike, mask: ArrayLike, fill: float, number_format: str = "float64") -> Array:
    """Compute the weights of masked scores in a narrower number format, where −1e9 may not be −1e9.

    softmax(scaled where mask, else fill), every step of it in that format. float16 ends at 65504: −1e9 becomes −∞.

    scaled: (..., n_q, n_k). mask: boolean, broadcastable to that; True = may attend. fill: a finite number, or −∞.
    number_format: "float64", "float32" or "float16".
    Returns: the shape of scaled, as float64.
    Raises: InputError if scaled is not finite numbers, the mask does not fit, fill is nan, +∞ or beyond the
        limit of numbers, or the format is unknown.
    Source: IEEE 754-2019, section 3.6, for the largest numbers.

    >>> filled_weights([[1.0, 2.0]], [[False, False]], -1e9)
    array([[0.5, 0.5]])
    >>> filled_weights([[1.0, 2.0]], [[False, False]], -1e9, "float16")
    array([[nan, nan]])
    """
    scores = finite_array("scaled", scaled, 2)
    allowed = mask_for(scores.shape, mask)
    kind = np.dtype(one_of("number_format", number_format, FORMATS)).type
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        narrow = np.where(allowed, scores.astype(kind), kind(_fill(fill)))
        powers = np.exp(narrow - narrow.max(axis=-1, keepdims=True))
        weights = powers / powers.sum(axis=-1, keepdims=True)
    return np.asarray(weights, dtype=np.float64)


def leaked_weights(weights: ArrayLike, mask: ArrayLike) -> Array:
    """Add up, a row at a time, the weight that goes to keys a mask forbids.

    leakᵢ = Σⱼ weightsᵢⱼ · (1 − maskᵢⱼ): 0 where the mask does its work. nan is passed on.

    weights: (..., n_q, n_k). mask: boolean, broadcastable to that; True = may attend.
    Returns: (..., n_q).
    Raises: InputError if the weights are not numbers from 0 to 1, or the mask does not fit.

    >>> leaked_weights([[0.25, 0.5, 0.25]], [[True, False, False]])
    array([0.75])
    """
    weights = weights_array(weights)
    if weights.ndim < 2:
        raise InputError("axes", "weights", "weights (n_q, n_k) or (..., n_q, n_k)", f"shape {weights.shape}")
    return np.asarray(np.where(mask_for(weights.shape, mask), 0.0, weights).sum(axis=-1))


def leaked_output(weights: ArrayLike, V: ArrayLike, mask: ArrayLike) -> Array:
    """Compute the part of every output that comes from keys a mask forbids.

    (weights ⊙ (1 − mask)) V; the rest of the output comes from the keys it allows.

    weights: (..., n_q, n_k). V: (..., n_k, d_v). mask: boolean, broadcastable to weights; True = may attend.
    Returns: (..., n_q, d_v).
    Raises: InputError if the weights are not numbers from 0 to 1, V is not finite or has not one row a key, or the
        mask does not fit.

    >>> leaked_output([[0.5, 0.5]], [[2.0], [4.0]], [[True, False]])
    array([[2.]])
    """
    V = finite_array("V", V, 2)
    weights = weights_array(weights)
    if weights.ndim < 2 or weights.shape[-1] != V.shape[-2]:
        raise InputError("n_k", "V", f"one row a key: {weights.shape[-1]}", V.shape[-2])
    return np.asarray(np.where(mask_for(weights.shape, mask), 0.0, weights) @ V)


def cached_outputs(Q: ArrayLike, K: ArrayLike, V: ArrayLike, *, scale: str | float = "sqrt") -> Array:
    """Compute causal attention one token at a time, as a model that writes does: from kept keys and values.

    output_t = softmax(q_t [k_1 … k_t]ᵀ / divisor) [v_1 … v_t]. Each new query meets the keys kept so far: it has no
    future to hide, so no mask is needed, and nothing of an earlier row is computed again.

    Q: (n, d_k). K: (n, d_k). V: (n, d_v).
    Returns: (n, d_v), what attention under `causal_mask` gives.
    Raises: InputError if shapes do not fit, there are leading axes, numbers are not finite, or there are not as many
        keys as queries.
    Source: Shazeer, "Fast Transformer Decoding" (2019), section 2.4 (incremental multi-head attention).

    >>> cached_outputs(Q=[[0.0], [0.0]], K=[[1.0], [1.0]], V=[[2.0], [4.0]])
    array([[2.],
           [3.]])
    """
    Q, K, V, _ = attention_inputs(Q, K, V)
    for name, x in {"Q": Q, "K": K, "V": V}.items():
        if x.ndim != 2:
            raise InputError("axes", name, "an array (n, d) without leading axes", f"shape {x.shape}")
    if len(Q) != len(K):
        raise InputError("shape", "Q", f"one query a key: {len(K)}", len(Q))
    divisor, d_v = divisor_for(scale, d_k=Q.shape[-1]), V.shape[-1]
    keys, values, outputs = np.empty((0, K.shape[-1])), np.empty((0, d_v)), np.empty((0, d_v))
    for q, k, v in zip(Q, K, V, strict=True):
        keys, values = np.vstack([keys, k]), np.vstack([values, v])  # the cache: it only ever grows
        weights = softmax(keys @ q / divisor)
        outputs = np.vstack([outputs, weights @ values])
    return outputs


def multiplications(n_q: int, n_k: int, d_k: int, d_v: int) -> int:
    """Count the multiplications of two numbers in Q Kᵀ and in weights V.

    n_q · n_k · (d_k + d_v)

    n_q, n_k: how many queries and keys. d_k, d_v: their sizes.
    Returns: how many.
    Raises: InputError unless all are whole numbers from 1.

    >>> multiplications(n_q=2, n_k=3, d_k=5, d_v=7)
    72
    """
    counted = {"n_q": n_q, "n_k": n_k, "d_k": d_k, "d_v": d_v}
    rows, keys, width, depth = (whole_number(name, x) for name, x in counted.items())
    return rows * keys * (width + depth)


def _fill(fill: float) -> float:
    if isinstance(fill, bool | np.bool_) or not isinstance(fill, numbers.Real):
        raise InputError("not_numbers", "fill", "a finite number or −∞", repr(fill))
    if not (fill == -np.inf or abs(fill) <= LIMIT):
        raise InputError("finite", "fill", f"a finite number, none beyond {LIMIT:g}, or −∞", fill)
    return float(fill)
