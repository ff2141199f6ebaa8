"""How a change of the output reaches back to Q, K and V, and to what they are projected with: the backward pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, attention_inputs, finite_array, positive, same_batch, whole_number
from attention.dot_product import AttentionSteps
from attention.projections import projection_inputs


@dataclass(frozen=True, eq=False)
class GradientSteps:
    """∂L/∂ of every step of one attention, from the output back; each in the shape of the step itself."""

    output: Array  # (..., n_q, d_v)   ④ as it was given
    weights: Array  # (..., n_q, n_k)  ③ ∂L/∂output Vᵀ
    scaled: Array  # (..., n_q, n_k)   ② J ∂L/∂weights in each row; 0 where masked
    scores: Array  # (..., n_q, n_k)   ① ∂L/∂scaled / divisor
    Q: Array  # (..., n_q, d_k)          ∂L/∂scores K
    K: Array  # (..., n_k, d_k)          (∂L/∂scores)ᵀ Q
    V: Array  # (..., n_k, d_v)          weightsᵀ ∂L/∂output


@dataclass(frozen=True, eq=False)
class ProjectionGradients:
    """∂L/∂ of the tokens and of what projects them."""

    X: Array  # (..., n, d_model)
    W_Q: Array  # (d_model, d_k)
    W_K: Array  # (d_model, d_k)
    W_V: Array  # (d_model, d_v)


def gradient_steps(
    steps: AttentionSteps, Q: ArrayLike, K: ArrayLike, V: ArrayLike, d_output: ArrayLike
) -> GradientSteps:  # fmt: skip
    """Carry the gradient of a loss from the output of an attention back to Q, K and V, and keep every step.

    With P = weights, J = diag(p) − p pᵀ for each row p of P, and L the loss:
        d_weights = d_output Vᵀ
        d_scaled = J d_weights in each row = P ∘ (d_weights − Σⱼ d_weightsⱼ Pⱼ); 0 where masked
        d_scores = d_scaled / divisor
        dQ = d_scores K,  dK = d_scoresᵀ Q,  dV = Pᵀ d_output

    steps: what `attention_steps(Q, K, V, ...)` returned.
    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v).
    d_output: ∂L/∂output, of the shape of steps.output.
    Returns: GradientSteps.
    Raises: InputError if Q, K, V do not fit together, or steps or d_output do not fit them.
    Source: Dao et al., "FlashAttention" (2022), appendix B.2.

    >>> from attention import attention_steps
    >>> Q, K, V = [[2.0]], [[0.0], [3.0]], [[1.0], [3.0]]
    >>> back = gradient_steps(attention_steps(Q, K, V), Q, K, V, d_output=[[1.0]])
    >>> back.weights, back.scores.round(4)  # the second key has 0.9975 of the weight: little is left
    (array([[1., 3.]]), array([[-0.0049,  0.0049]]))
    """
    Q, K, V, _ = attention_inputs(Q, K, V)
    d_output = _checked(steps, Q, K, V, d_output)
    dV = steps.weights.swapaxes(-1, -2) @ d_output
    d_weights = _sum_to(d_output @ V.swapaxes(-1, -2), steps.weights.shape)
    d_scaled = _through_softmax(steps, d_weights)
    d_scores = d_scaled / steps.divisor
    dQ = d_scores @ K
    dK = d_scores.swapaxes(-1, -2) @ Q
    return GradientSteps(
        d_output, d_weights, d_scaled, d_scores, _sum_to(dQ, Q.shape), _sum_to(dK, K.shape), _sum_to(dV, V.shape)
    )


def attention_gradients(
    steps: AttentionSteps, Q: ArrayLike, K: ArrayLike, V: ArrayLike, d_output: ArrayLike
) -> tuple[Array, Array, Array]:
    """Carry the gradient of a loss from the output of an attention back to Q, K and V.

    What `gradient_steps` does, with its arguments, and of it no more than the ends.

    Returns: ∂L/∂Q, ∂L/∂K, ∂L/∂V, of the shapes of Q, K and V.
    Raises: InputError as `gradient_steps` does.

    >>> from attention import attention_steps
    >>> Q, K, V = [[1.0]], [[0.0], [0.0]], [[1.0], [3.0]]
    >>> dQ, dK, dV = attention_gradients(attention_steps(Q, K, V), Q, K, V, d_output=[[1.0]])
    >>> dQ.tolist(), dK.tolist(), dV.tolist()
    ([[0.0]], [[-0.5], [0.5]], [[0.5], [0.5]])
    """
    back = gradient_steps(steps, Q, K, V, d_output)
    return back.Q, back.K, back.V


def projection_gradients(
    X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike, dQ: ArrayLike, dK: ArrayLike, dV: ArrayLike
) -> ProjectionGradients:  # fmt: skip
    """Carry the gradient on from Q, K and V to the projections, and to the tokens themselves.

    Q = X W_Q, so dW_Q = Xᵀ dQ, summed over all batches; so for K and V.
    dX = dQ W_Qᵀ + dK W_Kᵀ + dV W_Vᵀ: every token is query, key and value.

    X: (..., n, d_model). W_Q, W_K: (d_model, d_k). W_V: (d_model, d_v).
    dQ, dK: (..., n, d_k). dV: (..., n, d_v), as `attention_gradients` returns them for Q, K, V = project(X, ...).
    Returns: ProjectionGradients.
    Raises: InputError if shapes do not fit or numbers are not finite.
    Source: Goodfellow, Bengio, Courville, "Deep Learning" (2016), section 6.5.6.

    >>> one = [[1.0]]
    >>> back = projection_gradients([[2.0], [3.0]], one, one, one, [[1.0], [0.0]], [[0.0], [0.0]], [[0.0], [0.0]])
    >>> back.W_Q.tolist(), back.X.tolist()
    ([[2.0]], [[1.0], [0.0]])
    """
    X, W_Q, W_K, W_V, _ = projection_inputs(X, W_Q, W_K, W_V, None)
    into = {}
    for name, gradient, W in (("dQ", dQ, W_Q), ("dK", dK, W_K), ("dV", dV, W_V)):
        into[name] = finite_array(name, gradient, 2)
        if into[name].shape != (expected := (*X.shape[:-1], W.shape[1])):
            raise InputError("shape", name, f"shape {expected}", f"shape {into[name].shape}")
    d_W = (_sum_to(X.swapaxes(-1, -2) @ d, (X.shape[-1], d.shape[-1])) for d in into.values())
    return ProjectionGradients(into["dQ"] @ W_Q.T + into["dK"] @ W_K.T + into["dV"] @ W_V.T, *d_W)


def distance_loss(output: ArrayLike, row: int, target: ArrayLike) -> tuple[float, Array]:
    """Measure how far the output of one token is from what it should be, and the gradient of that.

    L = ½ ‖outputᵢ − target‖²; ∂L/∂outputᵢ = outputᵢ − target, and 0 in every other row. The target is a constant:
    no gradient flows through it, wherever it came from.

    output: (n, d_v). row: i, from 0. target: (d_v,).
    Returns: L, ∂L/∂output (n, d_v).
    Raises: InputError if there is no such row, shapes do not fit, or numbers are not finite.

    >>> loss, d_output = distance_loss([[1.0, 2.0], [0.0, 0.0]], 0, [1.0, 0.0])
    >>> loss, d_output.tolist()
    (2.0, [[0.0, 2.0], [0.0, 0.0]])
    """
    output, target = finite_array("output", output, 2), finite_array("target", target)
    if output.ndim != 2:
        raise InputError("axes", "output", "two axes", f"shape {output.shape}")
    if target.shape != output.shape[1:]:
        raise InputError("shape", "target", f"shape {output.shape[1:]}", f"shape {target.shape}")
    if whole_number("row", row, 0) >= len(output):
        raise InputError("whole_number", "row", f"a row of output, from 0 to {len(output) - 1}", row)
    d_output = np.zeros_like(output)
    d_output[row] = output[row] - target
    return float((d_output[row] ** 2).sum() / 2), d_output


def central_slope(loss: Callable[[Array], float], x: ArrayLike, at: tuple[int, ...], nudge: float) -> float:
    """Measure how a loss answers to one number, by moving it up and down a little: no derivative is taken.

    (L(x + h) − L(x − h)) / 2h, which is ∂L/∂x but for h² and for rounding.

    loss: a function of such an array as x. at: which number of x, an index from 0 for each axis. nudge: h.
    Returns: the slope.
    Raises: InputError if x is not finite, has no such number, or h is not positive.

    >>> round(central_slope(lambda x: float((x**2).sum()), [[3.0, 5.0]], (0, 1), 1e-4), 6)
    10.0
    """
    up, nudge = finite_array("x", x), positive("nudge", nudge)
    indices = at if isinstance(at, tuple) else ()
    if len(indices) != up.ndim or any(whole_number("at", k, 0) >= n for k, n in zip(indices, up.shape, strict=True)):
        raise InputError("shape", "at", f"an index for each axis of {up.shape}", str(at))
    down = up.copy()
    up[at] += nudge
    down[at] -= nudge
    return (loss(up) - loss(down)) / (2 * nudge)


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
