"""What is true of an attempt at a challenge, as sentence ids with their numbers. No Streamlit inside.

Whether the goal is reached is not asked here but told (see `ui.challenges_goals`); if not, the sentence says what is
missing. It never shows a number that contradicts it: 0.9899 is not printed as 0.99 where 0.99 is what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import AttentionSteps
from ui import challenges_goals as goals
from ui import display
from ui.challenges_goals import EVEN, KEY, LEAST_KEY, LEAST_OUTPUT, LEAST_WEIGHT, QUERY, SHARP, TIE
from ui.workbench import Workbench

DECIMALS = (2, 3, 4, 6, 9, 12, 15)

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


# What is true now


def most(attempt: Attempt, reached: bool) -> Say:
    row = attempt.now.weights[QUERY].copy()
    mine, row[KEY] = float(row[KEY]), -1.0
    rival = int(row.argmax())
    weight, other = apart(mine, float(row[rival]))
    said = {"query": attempt.names[QUERY], "key": attempt.names[KEY], "other": attempt.names[rival]}
    if not reached and mine >= row[rival] - TIE:
        return "most_tie", said | {"weight": display.short(mine)}
    return "most_yes" if reached else "most_no", said | {"weight": weight, "other_weight": other}


def uniform(attempt: Attempt, reached: bool) -> Say:
    weights = attempt.now.weights
    i = int(np.ptp(weights, axis=-1).argmin())
    low, high, row = float(weights[i].min()), float(weights[i].max()), attempt.names[i]
    if reached:
        return "uniform_yes", {"row": row, "weight": display.short(1 / weights.shape[-1])}
    texts = subtracted(low, high, EVEN)
    how = "uniform_no" if texts else "uniform_no_about"
    low_text, high_text, gap = texts or (*apart(low, high), outside(high - low, EVEN).strip("≈"))
    return how, {"row": row, "low": low_text, "high": high_text, "gap": gap, "least": f"{EVEN:g}"}


def one_hot(attempt: Attempt, reached: bool) -> Say:
    weights = attempt.now.weights
    i, j = _largest(weights)
    weight = outside(float(weights[i, j]), SHARP)
    said = {"row": attempt.names[i], "key": attempt.names[j], "weight": weight, "least": f"{SHARP:g}"}
    return "one_hot_yes" if reached else "one_hot_no", said


def only_output(attempt: Attempt, reached: bool) -> Say:
    by, said = _output_change(attempt)
    if reached:
        return "output_yes", said
    if not goals.same_weights(attempt.now, attempt.before):
        return "weight_moved", _weight_change(attempt)[1]
    if goals.same_output(attempt.now, attempt.before):
        return "nothing_moved", {}
    return "output_little", {"most": outside(by, LEAST_OUTPUT), "least": f"{LEAST_OUTPUT:g}"}


def only_keys(attempt: Attempt, reached: bool) -> Say:
    if not reached:
        return "weight_moved", _weight_change(attempt)[1]
    by, i, j, said = _change(attempt.bench.array("K"), attempt.start.array("K"), LEAST_KEY)
    return ("keys_yes", said | {"row": attempt.names[i], "column": j + 1}) if by else ("weights_same", {})


def idle_weights(attempt: Attempt, reached: bool) -> Say:
    by, said = _weight_change(attempt)
    if reached:
        return "idle_yes", said
    if not goals.same_output(attempt.now, attempt.before):
        return "output_moved", _output_change(attempt)[1]
    if goals.same_weights(attempt.now, attempt.before):
        return "nothing_moved", {}
    return "weights_little", {"most": outside(by, LEAST_WEIGHT), "least": f"{LEAST_WEIGHT:g}"}


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


def apart(one: float, other: float, least: float = 0.0) -> tuple[str, str]:
    """Two numbers with as many decimals as it takes to tell them apart, by `least` only if they are; off a false 0.

    >>> apart(0.45, 0.4), apart(0.4243, 0.4238), apart(0.25, 0.25), apart(0, 0.001), apart(2, 1.991, 0.01)
    (('0.45', '0.40'), ('0.4243', '0.4238'), ('0.25', '0.25'), ('0', '0.001'), ('2.000', '1.991'))
    """
    far = abs(one - other) >= least - TIE
    for decimals in DECIMALS:
        texts = display.short(one, decimals), display.short(other, decimals)
        by = abs(display.printed(texts[0]) - display.printed(texts[1]))
        if by and (float(by) >= least) == far and display.NEARLY_0 not in texts:
            return texts
    return display.short(one), display.short(other)


def subtracted(low: float, high: float, bound: float) -> tuple[str, str, str] | None:
    """Two numbers and their difference, as far out as it takes for them to be that as printed; None: they never are.

    Like `outside`, the difference stays on its side of the bound; and no number is a false 0 or 1.

    >>> subtracted(0.174, 0.478, 0.005), subtracted(0.17, 0.48, 0.005), subtracted(1e-20, 0.5, 0.005)
    (('0.174', '0.478', '0.304'), ('0.17', '0.48', '0.31'), None)
    """
    far = high - low >= bound
    for decimals in DECIMALS:
        texts = display.short(low, decimals), display.short(high, decimals), display.short(high - low, decimals)
        a, b, gap = map(display.printed, texts)
        if b - a == gap and (float(gap) >= bound) == far and "≈" not in "".join(texts):
            return texts
    return None


def outside(x: float, bound: float) -> str:
    """A number with as many decimals as it takes to stay on its side of a bound, and off a false 0.

    >>> outside(0.41, 0.99), outside(0.9899, 0.99), outside(0.992, 0.99), outside(0.0004, 0.05)
    ('0.41', '0.9899', '0.99', '0.0004')
    """
    for decimals in DECIMALS:
        text = display.short(x, decimals)
        if (float(display.printed(text)) >= bound) == (x >= bound) and text != display.NEARLY_0:
            return text
    return display.exact(x)


def _weight_change(attempt: Attempt) -> tuple[float, dict[str, object]]:
    """The weight that moved most: by how much, and where from and to."""
    by, i, j, said = _change(attempt.now.weights, attempt.before.weights)
    return by, said | {"row": attempt.names[i], "key": attempt.names[j]}


def _output_change(attempt: Attempt) -> tuple[float, dict[str, object]]:
    """The component of the output that moved most: by how much, and where from and to."""
    by, i, j, said = _change(attempt.now.output, attempt.before.output)
    return by, said | {"row": attempt.names[i], "column": j + 1}


def _change(
    now: NDArray[np.float64], before: NDArray[np.float64], least: float = 0.0
) -> tuple[float, int, int, dict[str, Any]]:
    i, j = _largest(np.abs(now - before))
    old, new = apart(float(before[i, j]), float(now[i, j]), least)
    return float(abs(now[i, j] - before[i, j])), i, j, {"old": old, "new": new}


def _largest(values: NDArray[np.float64]) -> tuple[int, int]:
    i, j = np.unravel_index(int(values.argmax()), values.shape)
    return int(i), int(j)
