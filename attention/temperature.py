"""Softmax at a temperature: from the hard look-up, which takes the best match alone, to the soft one."""

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import LIMIT, Array, InputError
from attention.softmax import scores_array


def tempered_softmax(x: ArrayLike, temperature: float, axis: int = -1) -> Array:
    """Turn scores into weights, the sharper the lower the temperature; at 0 the best match takes all.

    softmaxᵢ(x / T); at T = 0 its limit, 1/m for each of the m scores that equal the largest and 0 for the rest.

    x: (..., n, ...), real numbers; −∞ is allowed and gets weight 0.
    temperature: T, from 0; 1 is plain softmax, and the higher it is, the more even the weights.
    Returns: an array of the same shape. Where all of x is −∞ there is nothing to share out: nan.
    Raises: InputError as `softmax` does, or if the temperature is not a number from 0.
    Source: Hinton, Vinyals, Dean, "Distilling the Knowledge in a Neural Network" (2015), equation 1.

    >>> tempered_softmax([2.0, 1.0, 2.0], temperature=0)
    array([0.5, 0. , 0.5])
    >>> tempered_softmax([2.0, 0.0], temperature=2).round(2)
    array([0.73, 0.27])
    """
    x = scores_array(x, axis)
    if not (isinstance(temperature, int | float) and 0 <= temperature <= LIMIT) or isinstance(temperature, bool):
        raise InputError("scale", "temperature", "a number from 0", str(temperature))
    with np.errstate(invalid="ignore", over="ignore"):  # all −∞: nan, on purpose. (x − max)/T may reach −∞: weight 0.
        below = x - x.max(axis=axis, keepdims=True)
        powers: Array = np.exp(below / temperature) if temperature > 0 else np.where(below < 0, 0.0, below + 1)
    total: Array = powers.sum(axis=axis, keepdims=True)
    return powers / total
