"""What challenges ask for, as conditions on what is computed. No Streamlit inside.

A goal is given the steps now and at the start, and looks at their last two axes: with leading axes, at many attempts
at once. It alone decides; the sentences (`ui.challenges_words`) are told what it decided.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import AttentionSteps

QUERY, KEY = 1, 2  #: 追 and 老鼠 in the base
EVEN = 0.005  #: weights that differ by less are the same to two decimals, or all but
SHARP = 0.99
LEAST_OUTPUT = 0.05  #: how far the output has to move, a weight has to move, and a key has to move, to count
LEAST_WEIGHT = 0.1
LEAST_KEY = 0.01
SAME = 1e-12
TIE = 1e-9  #: float64 alone may make equal weights differ by less


def most(now: AttentionSteps, start: AttentionSteps) -> Any:
    return lead(now) > TIE


def uniform(now: AttentionSteps, start: AttentionSteps) -> Any:
    return np.ptp(now.weights, axis=-1).min(axis=-1) < EVEN


def one_hot(now: AttentionSteps, start: AttentionSteps) -> Any:
    return now.weights.max(axis=(-1, -2)) >= SHARP


def only_output(now: AttentionSteps, start: AttentionSteps) -> Any:
    return same_weights(now, start) & (moved(now.output, start.output) >= LEAST_OUTPUT)


def idle_weights(now: AttentionSteps, start: AttentionSteps) -> Any:
    return same_output(now, start) & (moved(now.weights, start.weights) >= LEAST_WEIGHT)


def same_weights(now: AttentionSteps, start: AttentionSteps) -> Any:
    """No weight has moved.

    Adding 1000 to all keys moves none, but float64 then keeps fewer digits of the scores: so what counts as moved grows
    with them, up to a bound that no edit of two decimals hides behind.
    """
    digits_lost = np.clip(np.abs(now.scaled).max(axis=(-1, -2)), 1, 1e3)
    return moved(now.weights, start.weights) <= SAME * digits_lost


def same_output(now: AttentionSteps, start: AttentionSteps) -> Any:
    return moved(now.output, start.output) <= SAME


def lead(now: AttentionSteps) -> Any:
    """How far the weight that the query gives the key is above its largest other one."""
    row = now.weights[..., QUERY, :]
    return row[..., KEY] - np.delete(row, KEY, axis=-1).max(axis=-1)


def moved(now: NDArray[np.float64], start: NDArray[np.float64]) -> Any:
    """How far the entry that moved most has moved."""
    return np.abs(now - start).max(axis=(-1, -2))
