"""What q·k could be divided by: √d_k, and what is asked for in its place.

If q and k have d_k independent components of mean 0 and variance 1, q·k has standard deviation √d_k, and so the divided
score √d_k / divisor. Only a divisor that grows like √d_k leaves it the same at every d_k.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, finite_array, number_between, one_of, whole_number

CONSTANT = ("none", "sqrt", "linear", "power", "log", "fifth", "root_model", "model")
"""Divisors that are one number for all scores; `divisor` gives it."""

DIVISORS = (*CONSTANT, "cosine")
"""All of them. Cosine similarity divides each score by a number of its own, ‖q‖‖k‖; see `norms`."""

HEADS = 8
"""How many heads share d_model, as in the base model of "Attention Is All You Need"."""


def divisor(name: str, d_k: int, *, alpha: float = 0.5, heads: int = HEADS) -> float:
    """Tell what the scores are divided by.

    none: 1; sqrt: √d_k; linear: d_k; power: d_k^alpha; log: ln d_k; fifth: d_k⁵;
    model: d_model = heads · d_k; root_model: √d_model.

    name: one of CONSTANT. d_k: from 1, for log from 2. alpha: from 0 to 1. heads: from 1.
    Returns: a positive number.
    Raises: InputError if the name is none of these, a number is out of bounds, or the divisor would be ln 1 = 0.
    Source: "Attention Is All You Need" (2017), section 3.2.1; the others are what learners ask for, as in AI Stack
        Exchange 41861 and juho-lee/set_transformer #18.

    >>> [divisor(name, 64) for name in ("none", "sqrt", "linear", "model")]
    [1.0, 8.0, 64.0, 512.0]
    >>> divisor("power", 64, alpha=0.5), divisor("power", 64, alpha=1.0)
    (8.0, 64.0)
    """
    one_of("name", name, CONSTANT)
    d_k = whole_number("d_k", d_k, 2 if name == "log" else 1)
    heads, alpha = whole_number("heads", heads), number_between("alpha", alpha, 0, 1)
    return {
        "none": 1.0, "sqrt": math.sqrt(d_k), "linear": float(d_k), "power": float(d_k**alpha), "log": math.log(d_k),
        "fifth": float(d_k**5), "root_model": math.sqrt(heads * d_k), "model": float(heads * d_k),
    }[name]  # fmt: skip


def norms(q_squared: ArrayLike, gram: ArrayLike) -> Array:
    """Tell what cosine similarity divides each score by: ‖q‖‖k‖.

    cos(q, k) = q·k / (‖q‖‖k‖) lies between −1 and 1. ‖k‖² is on the diagonal of K Kᵀ.
    With independent components of variance 1 both norms are close to √d_k, and so their product to d_k.

    q_squared: (...), ‖q‖². gram: (..., n_keys, n_keys), K Kᵀ.
    Returns: (..., n_keys); where a norm is 0 it is 1, as such a score is 0 anyway.
    Raises: InputError if these are not finite numbers, a square is negative, or leading axes differ.

    >>> norms([9.0], [[[4.0, 0.0], [0.0, 1.0]]])
    array([[6., 3.]])
    """
    q_squared, gram = finite_array("q_squared", q_squared), finite_array("gram", gram, 2)
    if gram.shape[:-2] != q_squared.shape or gram.shape[-1] != gram.shape[-2]:
        raise InputError("shape", "gram", f"shape {(*q_squared.shape, 'n', 'n')}", f"shape {gram.shape}")
    lengths = np.diagonal(gram, axis1=-2, axis2=-1)
    for name, each in (("q_squared", q_squared), ("gram", lengths)):
        if each.min() < 0:
            raise InputError("finite", name, "squares of lengths, none negative", float(each.min()))
    squares = q_squared[..., None] * lengths
    return np.asarray(np.where(squares > 0, np.sqrt(squares), 1.0))
