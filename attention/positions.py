"""Positional encoding: attention itself has no order, so the input has to carry it."""

import numpy as np

from attention.checks import Array, whole_number


def sinusoidal_positions(n: int, d_model: int) -> Array:
    """Give each position its own pattern of sines and cosines.

    PE[pos, 2i] = sin(pos / 10000^(2i/d_model)),  PE[pos, 2i+1] = cos(pos / 10000^(2i/d_model))

    n: how many positions, from 0 on. d_model: how many columns; if it is odd, the last sine has no cosine.
    Returns: (n, d_model).
    Raises: InputError unless both are whole numbers from 1.
    Source: "Attention Is All You Need" (2017), section 3.5.

    >>> sinusoidal_positions(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    """
    position = np.arange(whole_number("n", n))[:, None]
    column = np.arange(whole_number("d_model", d_model))
    angle = position / 10000.0 ** (2 * (column // 2) / d_model)  # (n, d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
