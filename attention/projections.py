"""The projections: how tokens become queries, keys and values, and what two of them come to together.

"Attention Is All You Need" (2017), sections 3.2.2 and 3.2.3.
"""

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, finite_array, same_batch


def project(
    X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike, source: ArrayLike | None = None
) -> tuple[Array, Array, Array]:
    """Turn the tokens that look into queries, and the tokens that are looked at into keys and values.

    Q = X W_Q,  K = S W_K,  V = S W_V.  Self-attention: S is X itself. Cross-attention: S is another sequence.

    X: (..., n, d_model). W_Q, W_K: (d_model, d_k). W_V: (d_model, d_v).
    source: S, (..., m, d_model); X if left out.
    Returns: Q (..., n, d_k), K (..., m, d_k), V (..., m, d_v).
    Raises: InputError if shapes do not fit or numbers are not finite.
    Source: "Attention Is All You Need" (2017), section 3.2.3.

    >>> Q, K, V = project(np.eye(2), np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 1)), source=np.ones((5, 2)))
    >>> Q.shape, K.shape, V.shape
    ((2, 3), (5, 3), (5, 1))
    """
    X, W_Q, W_K, W_V, S = projection_inputs(X, W_Q, W_K, W_V, source)
    Q = X @ W_Q  # (..., n, d_k)
    K = S @ W_K  # (..., m, d_k)
    V = S @ W_V  # (..., m, d_v)
    return Q, K, V


def merged_projection(W_Q: ArrayLike, W_K: ArrayLike) -> Array:
    """Merge the projections of queries and keys into the one matrix that gives the same scores.

    Q Kᵀ = (X W_Q)(S W_K)ᵀ = X (W_Q W_Kᵀ) Sᵀ; its rank is at most d_k.

    W_Q, W_K: (d_model, d_k).
    Returns: (d_model, d_model).
    Raises: InputError if the shapes differ or numbers are not finite.

    >>> merged_projection([[1.0], [2.0]], [[3.0], [0.5]])
    array([[3. , 0.5],
           [6. , 1. ]])
    """
    W_Q, W_K = _matrix("W_Q", W_Q), _matrix("W_K", W_K)
    _expect("W_K", W_K, W_Q.shape)
    return W_Q @ W_K.T


def asymmetry(scores: ArrayLike) -> float:
    """Measure how far a square matrix is from being symmetric: 0 if two tokens always score each other alike.

    max |S − Sᵀ|

    scores: (n, n).
    Returns: a number from 0.
    Raises: InputError unless the matrix is square and its numbers finite.

    >>> asymmetry([[1.0, 2.0], [5.0, 1.0]]), asymmetry([[1.0, 2.0], [2.0, 0.0]])
    (3.0, 0.0)
    """
    S = _matrix("scores", scores)
    _expect("scores", S, (S.shape[0], S.shape[0]))
    return float(np.abs(S - S.T).max())


def projection_inputs(
    X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike, source: ArrayLike | None
) -> tuple[Array, Array, Array, Array, Array]:
    """Copies of all of them, whose shapes fit together."""
    X = finite_array("X", X, 2)
    W_Q, W_K, W_V = _matrix("W_Q", W_Q), _matrix("W_K", W_K), _matrix("W_V", W_V)
    S = X if source is None else finite_array("source", source, 2)
    d_model, d_k = W_Q.shape
    for name, x in (("X", X), ("source", S)):
        if x.shape[-1] != d_model:
            raise InputError("d_model", name, f"d_model = {d_model} columns", x.shape[-1])
    _expect("W_K", W_K, (d_model, d_k))
    _expect("W_V", W_V, (d_model, W_V.shape[1]))
    same_batch(X=X, source=S)
    return X, W_Q, W_K, W_V, S


def _matrix(name: str, x: ArrayLike) -> Array:
    W = finite_array(name, x, 2)
    if W.ndim != 2:
        raise InputError("axes", name, "two axes", f"shape {W.shape}")
    return W


def _expect(name: str, x: Array, shape: tuple[int, ...]) -> None:
    if x.shape != shape:
        raise InputError("shape", name, f"shape {shape}", x.shape)
