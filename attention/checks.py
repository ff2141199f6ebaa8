"""What every function asks of its arguments, and the one error all of them raise.

Nothing in this package ever changes or keeps an array of the caller's: what checks return is a copy, but where a name
or a sentence says otherwise, for arguments that are only read.
"""

import math
import numbers
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LIMIT = 1e30
"""How large a number may be: products and quotients of several such numbers are still finite in float64."""


Code = Literal[
    "axes",  # too few axes, or no such axis
    "batch",  # leading axes that do not broadcast
    "choice",  # a name that is not one of the choices
    "d_k",  # K and Q have different numbers of columns
    "d_model",  # X and W_Q do not fit
    "empty",  # an axis of length 0
    "finite",  # nan, infinity, or a number beyond LIMIT
    "lengths",  # a length that is not a whole number from 0 to n_k
    "mask_dtype",  # a mask of numbers
    "mask_shape",  # a mask that does not broadcast to the scores
    "n_heads",  # a number of heads that does not divide d_model
    "n_k",  # V and K have different numbers of rows
    "not_booleans",
    "not_numbers",
    "ragged",  # rows of different lengths
    "scale",  # neither a known name nor a positive number
    "shape",  # any other shape that does not fit
    "weights",  # not from 0 to 1
    "whole_number",  # not a whole number, too small or too large
]
"""The kinds of mistakes. They stay the same, so that others can look up a sentence of their own for each."""


class InputError(ValueError):
    """A ValueError in parts: the kind of mistake, which argument, what was expected and what came.

    >>> print(InputError("n_k", "V", "one row a key: 3", 2))
    V: expected one row a key: 3, got 2
    """

    def __init__(self, code: Code, argument: str, expected: str, got: object) -> None:
        super().__init__(code, argument, expected, got)
        self.code: Code = code
        self.argument = argument
        self.expected = expected
        self.got = got if isinstance(got, int | float | str) else str(got)

    def __str__(self) -> str:
        return f"{self.argument}: expected {self.expected}, got {self.got}"


def raw_array(name: str, x: ArrayLike) -> NDArray[np.generic]:
    """x as an array of whatever it holds."""
    try:
        raw = np.asarray(x)
    except (ValueError, TypeError) as error:
        raise InputError("ragged", name, "rows of equal length", "rows of different lengths") from error
    if raw.size == 0:
        raise InputError("empty", name, "at least one number on every axis", f"shape {raw.shape}")
    return raw


def numbers_of(name: str, x: ArrayLike) -> NDArray[np.generic]:
    """x as an array of real numbers, of any number of axes."""
    raw = raw_array(name, x)
    if raw.dtype.kind not in "iuf":
        raise InputError("not_numbers", name, "real numbers", f"{raw.dtype.name} entries")
    return raw


def finite_array(name: str, x: ArrayLike, axes: int = 1) -> Array:
    """A float64 copy of x: finite numbers, at least so many axes."""
    return np.array(finite(name, x, axes), dtype=np.float64)


def finite(name: str, x: ArrayLike, axes: int = 1, most: float = LIMIT) -> NDArray[np.generic]:
    """x itself, not a copy: finite numbers, none beyond `most`, at least so many axes."""
    raw = numbers_of(name, x)
    if raw.ndim < axes:
        wanted = "an array (n, d) or (..., n, d)" if axes == 2 else f"at least {axes} axes"
        raise InputError("axes", name, wanted, f"shape {raw.shape}")
    if not (raw.min() >= -most and raw.max() <= most):  # nan compares false, so it is bad too
        bad = ~(np.abs(raw) <= most)
        raise InputError("finite", name, f"finite numbers, none beyond {most:g}", str(raw[bad][0]))
    return raw


def bool_array(name: str, x: ArrayLike) -> Mask:
    """A boolean copy of x."""
    raw = raw_array(name, x)
    if raw.dtype != bool:
        raise InputError("not_booleans", name, "booleans", f"{raw.dtype.name} entries")
    return np.array(raw, dtype=np.bool_)


def mask_array(name: str, x: ArrayLike) -> Mask:
    """A copy of a mask; numbers are refused, because their polarity would be a guess."""
    return as_mask(name, x).copy()


def as_mask(name: str, x: ArrayLike) -> Mask:
    """A mask itself, not a copy."""
    raw = raw_array(name, x)
    if raw.dtype != bool:
        wanted = "booleans, where True = may attend (so not 0 and −∞, nor 0 and 1)"
        raise InputError("mask_dtype", name, wanted, f"{raw.dtype.name} entries")
    if raw.ndim < 2:
        raise InputError("axes", name, "a mask (n_q, n_k) or (..., n_q, n_k)", f"shape {raw.shape}")
    return raw.astype(np.bool_, copy=False)


def whole_number(name: str, x: object, least: int = 1) -> int:
    """x as an int that is not below `least`."""
    if isinstance(x, bool | np.bool_) or not isinstance(x, numbers.Integral):
        raise InputError("whole_number", name, f"a whole number, at least {least}", repr(x))
    if x < least:
        raise InputError("whole_number", name, f"a whole number, at least {least}", int(x))
    return int(x)


def number_between(name: str, x: float, low: float = -LIMIT, high: float = LIMIT) -> float:
    """x as a float from `low` to `high`."""
    wanted = f"a number from {low:g} to {high:g}"
    if isinstance(x, bool | np.bool_) or not isinstance(x, numbers.Real):
        raise InputError("not_numbers", name, wanted, repr(x))
    if not -LIMIT <= x <= LIMIT:  # nan compares false
        raise InputError("finite", name, wanted, str(x))
    if not low <= x <= high:
        raise InputError("choice", name, wanted, float(x))
    return float(x)


def positive(name: str, x: float) -> float:
    """x as a float above 0, neither so small nor so large that a quotient would not be finite."""
    return number_between(name, x, 1 / LIMIT, LIMIT)


def same_batch(**arrays: NDArray[np.generic]) -> tuple[int, ...]:
    """The shape that the leading axes of all arrays broadcast to."""
    batch: tuple[int, ...] = ()
    for name, x in arrays.items():
        try:
            batch = np.broadcast_shapes(batch, x.shape[:-2])
        except ValueError as error:
            expected = f"leading axes that broadcast with {batch}"
            raise InputError("batch", name, expected, x.shape[:-2]) from error
    return batch


def attention_inputs(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Array, Array, Array, Mask | None]:
    """Copies of Q, K, V whose shapes fit together, and the mask in the shape of the scores."""
    Q, K, V = finite_array("Q", Q, 2), finite_array("K", K, 2), finite_array("V", V, 2)
    scores_shape = shape_of_scores(Q, K, V)
    return Q, K, V, None if mask is None else mask_for(scores_shape, mask)


def shape_of_scores(
    Q: NDArray[np.generic], K: NDArray[np.generic], V: NDArray[np.generic]
) -> tuple[int, ...]:  # fmt: skip
    """(..., n_q, n_k), if Q, K and V fit together."""
    if K.shape[-1] != Q.shape[-1]:
        raise InputError("d_k", "K", f"as many columns as Q: {Q.shape[-1]}", K.shape[-1])
    if V.shape[-2] != K.shape[-2]:
        raise InputError("n_k", "V", f"as many rows as K: {K.shape[-2]}", V.shape[-2])
    same_batch(Q=Q, K=K, V=V)
    return (*same_batch(Q=Q, K=K), Q.shape[-2], K.shape[-2])


def mask_for(scores_shape: tuple[int, ...], mask: ArrayLike) -> Mask:
    """The mask, broadcast to the shape of the scores."""
    return spread_mask(scores_shape, mask).copy()


def spread_mask(scores_shape: tuple[int, ...], mask: ArrayLike) -> Mask:
    """The same without a copy: where it is broadcast, it takes no more memory than it did."""
    mask = as_mask("mask", mask)
    try:
        return np.broadcast_to(mask, scores_shape)
    except ValueError as error:
        expected = f"a shape that broadcasts to that of the scores, {scores_shape}"
        raise InputError("mask_shape", "mask", expected, mask.shape) from error


def divisor_for(scale: str | float, d_k: int) -> float:
    """The number that the scores are divided by."""
    named = {"sqrt": math.sqrt(d_k), "none": 1.0, "linear": float(d_k)}
    if isinstance(scale, str) and scale in named:
        return named[scale]
    expected = f"'sqrt', 'none', 'linear' or a positive number from {1 / LIMIT:g} to {LIMIT:g}"
    if isinstance(scale, bool | np.bool_) or not isinstance(scale, numbers.Real):
        raise InputError("scale", "scale", expected, repr(scale))
    if not 1 / LIMIT <= scale <= LIMIT:
        raise InputError("scale", "scale", expected, float(scale))
    return float(scale)


def one_of(name: str, x: str, choices: tuple[str, ...]) -> str:
    """x, if it is one of the choices."""
    if not isinstance(x, str) or x not in choices:
        raise InputError("choice", name, "one of " + ", ".join(map(repr, choices)), repr(x))
    return x
