"""What is true of an attempt at a challenge, as sentence ids with their numbers. No Streamlit inside.

A sentence never shows a number that contradicts it: 0.9899 is not printed as 0.99 where 0.99 is what it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import AttentionSteps
from ui import display
from ui.workbench import Workbench

EVEN = 0.005  #: weights that differ by less are the same to two decimals, or all but
SHARP = 0.99
LEAST_OUTPUT = 0.05  #: how far the output has to move, a weight has to move, and a key has to move, to count
LEAST_WEIGHT = 0.1
LEAST_KEY = 0.01
SAME = 1e-12
TIE = 1e-9  #: float64 alone may make equal weights differ by less

DECIMALS = (2, 3, 4, 6, 9, 12, 15)
NEARLY_0 = display.short(1e-9)

Say = tuple[str, Mapping[str, object]]


@dataclass(frozen=True)
class Attempt:
    """The numbers now and at the start, what is computed from each, and the cells that differ."""

    bench: Workbench
    start: Workbench
    now: AttentionSteps
    before: AttentionSteps
    changed: tuple[tuple[str, int, int], ...]
    names: tuple[str, ...]


def tolerance(now: AttentionSteps) -> float:
    """How far weights may differ and still be the same.

    Adding 1000 to all keys changes no weight, but float64 then keeps fewer digits of the scores: so it grows with
    them, up to a bound that no edit of two decimals hides behind.
    """
    return float(min(SAME * max(1.0, np.abs(now.scaled).max()), 1e3 * SAME))


# What is true now


def most(query: int, key: int) -> Callable[[Attempt], Say]:
    def says(attempt: Attempt) -> Say:
        row = attempt.now.weights[query].copy()
        mine, row[key] = float(row[key]), -1.0
        rival = int(row.argmax())
        weight, other = apart(mine, float(row[rival]))
        said = {"query": attempt.names[query], "key": attempt.names[key], "other": attempt.names[rival]}
        if abs(mine - row[rival]) <= TIE:
            return "most_tie", said | {"weight": display.short(mine)}
        return "most_yes" if mine > row[rival] else "most_no", said | {"weight": weight, "other_weight": other}

    return says


def uniform(attempt: Attempt) -> Say:
    weights = attempt.now.weights
    i = int(np.ptp(weights, axis=-1).argmin())
    low, high, row = float(weights[i].min()), float(weights[i].max()), attempt.names[i]
    if high - low < EVEN:
        return "uniform_yes", {"row": row, "weight": display.short(1 / weights.shape[-1])}
    texts = apart(low, high)
    gap = outside(high - low, EVEN)
    return "uniform_no", {"row": row, "low": texts[0], "high": texts[1], "gap": gap, "least": f"{EVEN:g}"}


def one_hot(attempt: Attempt) -> Say:
    weights = attempt.now.weights
    i, j = _largest(weights)
    w = float(weights[i, j])
    said = {"row": attempt.names[i], "key": attempt.names[j], "weight": outside(w, SHARP), "least": f"{SHARP:g}"}
    return "one_hot_yes" if w >= SHARP else "one_hot_no", said


def only_output(attempt: Attempt) -> Say:
    if _weights_moved(attempt):
        return _weight_moved(attempt)
    by, said = _output_change(attempt)
    if by <= SAME:
        return "nothing_moved", {}
    if by < LEAST_OUTPUT:
        return "output_little", {"most": outside(by, LEAST_OUTPUT), "least": f"{LEAST_OUTPUT:g}"}
    return "output_yes", said


def only_keys(attempt: Attempt) -> Say:
    if _weights_moved(attempt):
        return _weight_moved(attempt)
    by, i, j, said = _change(attempt.bench.array("K"), attempt.start.array("K"))
    return ("keys_yes", said | {"row": attempt.names[i], "column": j + 1}) if by else ("weights_same", {})


def idle_weights(attempt: Attempt) -> Say:
    by, said = _output_change(attempt)
    if by > SAME:
        return "output_moved", said
    by, said = _weight_change(attempt)
    if by <= tolerance(attempt.now):
        return "nothing_moved", {}
    if by < LEAST_WEIGHT:
        return "weights_little", {"most": outside(by, LEAST_WEIGHT), "least": f"{LEAST_WEIGHT:g}"}
    return "idle_yes", said


# What an attempt may not do


def one_number(attempt: Attempt) -> Say | None:
    count = len(attempt.changed)
    return ("too_many", {"count": count}) if count > 1 else None


def keys_alone(attempt: Attempt) -> Say | None:
    names = {name for name, _, _ in attempt.changed}
    if "Q" in names:
        return "queries_touched", {}
    if "K" not in names:
        return "keys_untouched", {}
    by, *_ = _change(attempt.bench.array("K"), attempt.start.array("K"))
    return ("keys_little", {"least": f"{LEAST_KEY:g}"}) if by < LEAST_KEY - TIE else None


# Numbers in sentences


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many decimals as it takes to tell them apart, and off a false 0.

    >>> apart(0.45, 0.4), apart(0.4243, 0.4238), apart(0.25, 0.25), apart(0, 0.001)
    (('0.45', '0.40'), ('0.4243', '0.4238'), ('0.25', '0.25'), ('0', '0.001'))
    """
    for decimals in DECIMALS:
        texts = display.short(one, decimals), display.short(other, decimals)
        if texts[0] != texts[1] and NEARLY_0 not in texts:
            return texts
    return display.short(one), display.short(other)


def outside(x: float, bound: float) -> str:
    """A number with as many decimals as it takes to stay on its side of a bound, and off a false 0.

    >>> outside(0.41, 0.99), outside(0.9899, 0.99), outside(0.992, 0.99), outside(0.0004, 0.05)
    ('0.41', '0.9899', '0.99', '0.0004')
    """
    for decimals in DECIMALS:
        text = display.short(x, decimals)
        shown = float(text.strip("≈").replace(display.MINUS, "-"))
        if (shown >= bound) == (x >= bound) and text != NEARLY_0:
            return text
    return display.exact(x)


def _weights_moved(attempt: Attempt) -> bool:
    return _weight_change(attempt)[0] > tolerance(attempt.now)


def _weight_moved(attempt: Attempt) -> Say:
    return "weight_moved", _weight_change(attempt)[1]


def _weight_change(attempt: Attempt) -> tuple[float, dict[str, object]]:
    """The weight that moved most: by how much, and where from and to."""
    by, i, j, said = _change(attempt.now.weights, attempt.before.weights)
    return by, said | {"row": attempt.names[i], "key": attempt.names[j]}


def _output_change(attempt: Attempt) -> tuple[float, dict[str, object]]:
    """The component of the output that moved most: by how much, and where from and to."""
    by, i, j, said = _change(attempt.now.output, attempt.before.output)
    return by, said | {"row": attempt.names[i], "column": j + 1}


def _change(now: NDArray[np.float64], before: NDArray[np.float64]) -> tuple[float, int, int, dict[str, Any]]:
    i, j = _largest(np.abs(now - before))
    old, new = apart(float(before[i, j]), float(now[i, j]))
    return float(abs(now[i, j] - before[i, j])), i, j, {"old": old, "new": new}


def _largest(values: NDArray[np.float64]) -> tuple[int, int]:
    i, j = np.unravel_index(int(values.argmax()), values.shape)
    return int(i), int(j)
