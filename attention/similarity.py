"""How alike two heads attend: a measure, not a story about what a head is for."""

import math

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, Mask
from attention.softmax import entropy, weights_array


def js_divergence(p: ArrayLike, r: ArrayLike) -> Array:
    """Measure in bits how far apart two sets of weights are.

    JSD(p, r) = H((p + r) / 2) − (H(p) + H(r)) / 2: 0 where they are equal, 1 where no key has weight in both.

    p, r: (..., n), weights as softmax gives them; leading axes broadcast.
    Returns: (...).
    Raises: InputError if p or r is not made of numbers from 0 to 1 (nan is passed on) or is empty, or if
        they do not have the same number of keys, or leading axes that do not broadcast.
    Source: Lin, "Divergence Measures Based on the Shannon Entropy" (1991).

    >>> print(js_divergence([0.5, 0.5], [0.5, 0.5]), js_divergence([1.0, 0.0], [0.0, 1.0]))
    0.0 1.0
    """
    p, r = weights_array(p), weights_array(r)
    if p.shape[-1] != r.shape[-1]:
        raise InputError("n_k", "r", f"as many keys as p: {p.shape[-1]}", r.shape[-1])
    try:
        middle = (p + r) / 2
    except ValueError as error:
        expected = f"leading axes that broadcast with {p.shape[:-1]}"
        raise InputError("batch", "r", expected, r.shape[:-1]) from error
    divergence = entropy(middle) - (entropy(p) + entropy(r)) / 2
    return np.asarray(np.clip(divergence / math.log(2), 0.0, 1.0))  # rounding may leave −1e-17


def head_similarity(p: ArrayLike) -> Array:
    """Compare every head's attention weights with every other head's.

    s(a, b) = mean over the queries of 1 − √JSD(pᵃ, pᵇ): 1 for heads with the same weights, 0 for heads that
    never look at the same key. √JSD is a distance, and unlike JSD it tells heads apart that differ a little.
    Queries that may attend to nothing are left out; with none left, it is nan.
    The weights alone are compared: heads that attend alike can still carry different values.

    p: (..., h, n_q, n_k), the weights of h heads.
    Returns: (..., h, h), symmetric.
    Raises: InputError as `js_divergence` does, or if p has fewer than three axes.
    Source: Endres and Schindelin, "A New Metric for Probability Distributions" (2003), for the distance;
        Clark et al., "What Does BERT Look At?" (2019), section 6, compares heads by the JSD of their weights.

    >>> head_similarity([[[1.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]]])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    p = weights_array(p)
    if p.ndim < 3:
        raise InputError("axes", "p", "three axes (..., h, n_q, n_k)", f"shape {p.shape}")
    p = np.nan_to_num(p)
    attends = np.asarray(p.any(axis=-1))  # (..., h, n_q)
    both: Mask = attends[..., :, None, :] & attends[..., None, :, :]  # (..., h, h, n_q)
    alike = 1.0 - np.sqrt(js_divergence(p[..., :, None, :, :], p[..., None, :, :, :]))
    total, count = np.where(both, alike, 0.0).sum(axis=-1), both.sum(axis=-1)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))
