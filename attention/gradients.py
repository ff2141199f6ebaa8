"""How a change of the output reaches back to Q, K and V: attention's backward pass, written out."""

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, attention_inputs, finite_array, same_batch
from attention.dot_product import AttentionSteps


def attention_gradients(
    steps: AttentionSteps, Q: ArrayLike, K: ArrayLike, V: ArrayLike, d_output: ArrayLike
) -> tuple[Array, Array, Array]:
    """Carry the gradient of a loss from the output of an attention back to Q, K and V.

    With P = weights and L the loss:
        dV = Pᵀ d_output
        dP = d_output Vᵀ
        d_scaled = P ∘ (dP − Σⱼ dPⱼ Pⱼ) in each row; 0 where masked
        d_scores = d_scaled / divisor
        dQ = d_scores K,  dK = d_scoresᵀ Q

    steps: what `attention_steps(Q, K, V, ...)` returned.
    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v).
    d_output: ∂L/∂output, of the shape of steps.output.
    Returns: ∂L/∂Q, ∂L/∂K, ∂L/∂V, of the shapes of Q, K and V.
    Raises: InputError if Q, K, V do not fit together, or steps or d_output do not fit them.
    Source: Dao et al., "FlashAttention" (2022), appendix B.2.

    >>> from attention import attention_steps
    >>> Q, K, V = [[1.0]], [[0.0], [0.0]], [[1.0], [3.0]]
    >>> dQ, dK, dV = attention_gradients(attention_steps(Q, K, V), Q, K, V, d_output=[[1.0]])
    >>> dQ.tolist(), dK.tolist(), dV.tolist()
    ([[0.0]], [[-0.5], [0.5]], [[0.5], [0.5]])
    """
    Q, K, V, _ = attention_inputs(Q, K, V)
    d_output = _checked(steps, Q, K, V, d_output)
    dV = steps.weights.swapaxes(-1, -2) @ d_output
    d_weights = d_output @ V.swapaxes(-1, -2)
    d_scores = _through_softmax(steps, d_weights) / steps.divisor
    dQ = d_scores @ K
    dK = d_scores.swapaxes(-1, -2) @ Q
    return _sum_to(dQ, Q.shape), _sum_to(dK, K.shape), _sum_to(dV, V.shape)


def _through_softmax(steps: AttentionSteps, d_weights: Array) -> Array:
    P = steps.weights
    d_scaled = P * (d_weights - (d_weights * P).sum(axis=-1, keepdims=True))
    return d_scaled if steps.mask is None else np.where(steps.mask, d_scaled, 0.0)


def _sum_to(gradient: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: an array that was used several times collects all its gradients."""
    extra = gradient.ndim - len(shape)
    gradient = gradient.sum(axis=tuple(range(extra)))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and gradient.shape[i] != 1)
    return np.asarray(gradient.sum(axis=stretched, keepdims=True))


def _checked(steps: AttentionSteps, Q: Array, K: Array, V: Array, d_output: ArrayLike) -> Array:
    d_output = finite_array("d_output", d_output, 2)
    scores_shape = (*same_batch(Q=Q, K=K), Q.shape[-2], K.shape[-2])
    output_shape = (*same_batch(Q=Q, K=K, V=V), Q.shape[-2], V.shape[-1])
    if (steps.scores.shape, steps.output.shape) != (scores_shape, output_shape):
        raise InputError("shape", "steps", f"scores of shape {scores_shape}", f"shape {steps.scores.shape}")
    if d_output.shape != output_shape:
        raise InputError("shape", "d_output", f"shape {output_shape}", f"shape {d_output.shape}")
    return d_output
