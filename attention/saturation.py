"""Rows of scores as d_k grows: how they spread, and what softmax makes of them by each divisor.

How even a row of weights stays, whether it answers, how large its gradient is. One set of rows serves every divisor
and every d_k, so that whatever differs is the divisor's doing. As in `attention.growing` the vectors grow a few
components at a time: the sweep costs as much as its last stop.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import divisors
from attention.checks import Array, InputError, one_of, whole_number
from attention.experiment import EDGES, STOPS
from attention.growing import BLOCK, Report, checked_stops, chunks, generators
from attention.intervals import Z_95, mean_interval, share_interval
from attention.responses import cosines_of, largest_first, responses

SCALES = ("none", "sqrt", "linear")
ALPHAS = tuple(step / 20 for step in range(21))
"""The exponents of d_k^α that are measured: 0, 0.05 … 1."""

POWERS = tuple(f"power_{alpha:.2f}" for alpha in ALPHAS)
COLUMNS = (*(name for name in divisors.DIVISORS if name != "power"), *POWERS)
"""What the scores are divided by, in the order of the measurements' columns; the first three are SCALES."""

SAME = {"power_0.00": "none", "power_0.50": "sqrt", "power_1.00": "linear"}
"""Powers that have a name of their own: measured once."""

DEAD = 0.01
"""A row of weights is called dead if its softmax Jacobian has a smaller (Frobenius) norm than this."""

LIMITS = (0.1, 0.001)
"""Other limits that could have been chosen for DEAD."""

QUANTILES = (0.05, 0.25, 0.75, 0.95)
FEW = 0.01
"""The share of the rows, those with the largest gradients, whose part in the total is told."""


@dataclass(frozen=True, eq=False)
class Saturation:
    """The rows at each stop (s), and what softmax makes of them by each of COLUMNS (c); nan where a divisor is 0.

    An estimate is three numbers: its value, and where its 95 % interval begins and ends.
    """

    d_k: tuple[int, ...]  # (s,)
    draws: int
    n_keys: int
    entropy: Array  # (s, c, 3)  mean normalised entropy of a row: 1 = uniform
    dead: Array  # (s, c, 3)     share of rows whose Jacobian norm is below DEAD
    median: Array  # (s, c, 3)   of ‖∂p/∂q‖
    mean: Array  # (s, c, 3)     of ‖∂p/∂q‖
    largest: Array  # (s, c)  mean of the largest weight of a row
    largest_within: Array  # (s, c, 2)  where the 95 % interval of that begins and ends
    quantiles: Array  # (s, c, 4)  of ‖∂p/∂q‖, at QUANTILES
    below: Array  # (s, c, 2)  share of rows whose Jacobian norm is below LIMITS
    few: Array  # (s, c)  the part of the sum of all ‖∂p/∂q‖ that the FEW largest make up
    few_within: Array  # (s, c, 2)  where the 95 % interval of that begins and ends
    deviation: Array  # (s, 3)  of q·k; theory: √d_k
    cosine_deviation: Array  # (s, 3)  of cos(q, k); theory: 1/√d_k
    counts: NDArray[np.int64]  # (s, b)  of q·k between EDGES, in units of √d_k
    cosine_counts: NDArray[np.int64]  # (s, b)  of cos(q, k) between EDGES, in units of 1/√d_k
    scores: Array  # (s, m, n_keys)  q·k of the first m rows
    cosines: Array  # (s, m, n_keys)  their cosine similarities

    def at(self, d_k: int, column: str) -> tuple[int, int]:
        """Where a stop and a column stand: measured.entropy[measured.at(64, "sqrt")].

        Raises: InputError if there is no such stop or column.
        """
        if d_k not in self.d_k:
            raise InputError("choice", "d_k", f"one of {', '.join(map(str, self.d_k))}", repr(d_k))
        return self.d_k.index(d_k), COLUMNS.index(one_of("column", column, COLUMNS))

    def spread(self, d_k: int, column: str) -> Array:
        """The standard deviation of the divided scores, with its 95 % interval: (3,).

        Raises: InputError if there is no such stop or column, or its divisor is 0 there.
        """
        s, _ = self.at(d_k, column)
        if column == "cosine":
            return np.asarray(self.cosine_deviation[s])
        return np.asarray(self.deviation[s] / column_divisor(column, d_k))


def measure_saturation(
    draws: int = 4000, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0, examples: int = 40,
    report: Report | None = None,
) -> Saturation:  # fmt: skip
    """Measure how a query's scores with n_keys keys spread and what softmax makes of them, for each d_k and divisor.

    draws: how many rows, a query and n_keys keys each, at least 2. examples: how many rows' scores are kept.
    report: told the share that is done.
    Returns: Saturation.
    Raises: InputError if a number is no whole number or too small, or stops are not increasing ones.

    >>> measured = measure_saturation(500, (64,), seed=0)
    >>> measured.entropy[0, :3, 0].round(1)  # ÷1 is close to one-hot, ÷d_k close to uniform
    array([0.2, 0.8, 1. ])
    """
    draws, n_keys = whole_number("draws", draws, 2), whole_number("n_keys", n_keys)
    examples, seed = whole_number("examples", examples, 0), whole_number("seed", seed, 0)
    stops = checked_stops(stops)
    spreads: list[dict[str, NDArray[Any]]] = []
    columns: list[dict[str, Array]] = []
    for d_k, (scores, gram, q_squared) in zip(
        stops, grow_rows(draws, stops, n_keys=n_keys, seed=seed, report=report), strict=True
    ):  # fmt: skip
        cosines = cosines_of(scores, gram, q_squared)
        spreads.append(_spread(scores, cosines[0], d_k, examples))
        columns.append(_by_column(scores, gram, cosines, d_k))
    return Saturation(d_k=stops, draws=draws, n_keys=n_keys, **_stacked(spreads), **_stacked(columns))


def _stacked(records: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, Any]:
    """What was found a record, by its name: along a new first axis."""
    return {name: np.stack([record[name] for record in records]) for name in records[0]}


def _spread(scores: Array, cosines: Array, d_k: int, examples: int) -> dict[str, NDArray[Any]]:
    """How scores and cosines are distributed, and those of the first rows."""
    root = math.sqrt(d_k)
    return {
        "deviation": _deviation(scores), "cosine_deviation": _deviation(cosines),
        "counts": _counts(scores / root), "cosine_counts": _counts(cosines * root),
        "scores": scores[:examples].copy(), "cosines": cosines[:examples],
    }  # fmt: skip


def _by_column(scores: Array, gram: Array, cosines: tuple[Array, Array], d_k: int) -> dict[str, Array]:
    """What softmax makes of rows by each of COLUMNS: figure → (c, ...)."""
    rows, found = largest_first(scores, gram), dict[str, dict[str, Array]]()
    for column in COLUMNS:
        if column in SAME:
            found[column] = found[SAME[column]]
        elif column == "cosine":
            found[column] = _figures(*responses(*largest_first(*cosines), 1.0))
        elif column == "log" and d_k == 1:  # ln 1 = 0 divides nothing
            found[column] = {name: np.full_like(each, np.nan) for name, each in found["none"].items()}
        else:
            found[column] = _figures(*responses(*rows, column_divisor(column, d_k)))
    return _stacked(list(found.values()))


def column_divisor(column: str, d_k: int) -> float:
    """Tell what a column of the measurements divides scores by.

    column: one of COLUMNS but cosine, which divides each score by a number of its own. d_k: from 1, for log from 2.
    Raises: InputError if there is no such divisor.

    >>> column_divisor("power_0.50", 64), column_divisor("linear", 64)
    (8.0, 64.0)
    """
    if one_of("column", column, COLUMNS) in POWERS:
        return divisors.divisor("power", d_k, alpha=ALPHAS[POWERS.index(column)])
    return divisors.divisor(column, d_k)


def _figures(entropy: Array, jacobian: Array, gradient: Array, largest: Array) -> dict[str, Array]:
    """What is told of many rows, by its name in `Saturation`."""
    gradient, dead = np.sort(gradient), int((jacobian < DEAD).sum())
    (few, *few_within), (top, *within) = _few_interval(gradient), mean_interval(largest)
    return {
        "entropy": np.clip(mean_interval(entropy), 0.0, 1.0),
        "dead": np.array([dead / jacobian.size, *share_interval(dead, jacobian.size)]),
        "median": np.array(_median_interval(gradient)), "mean": np.array(mean_interval(gradient)),
        "quantiles": _quantiles(gradient), "below": np.array([(jacobian < limit).mean() for limit in LIMITS]),
        "few": np.array(few), "few_within": np.array(few_within), "largest": np.array(top),
        "largest_within": np.clip(within, 0.0, 1.0),
    }  # fmt: skip


def _counts(x: Array) -> NDArray[np.int64]:
    # told that its bars are equally wide, NumPy need not sort
    return np.histogram(x, EDGES.size - 1, (EDGES[0], EDGES[-1]))[0]


def _deviation(x: Array) -> Array:
    """The standard deviation around 0, with its 95 % interval: (3,).

    The scores of one row share a query, so the interval comes from the rows' mean squares, which are independent.
    """
    return np.sqrt(np.maximum(mean_interval((x**2).mean(axis=-1)), 0.0))


def _median_interval(x: Array) -> tuple[float, float, float]:
    """The middle of sorted numbers; how many lie below the true one is binomial, whatever they are drawn from."""
    half, reach = x.size / 2, Z_95 * math.sqrt(x.size) / 2
    low, high = max(math.floor(half - reach), 0), min(math.ceil(half + reach), x.size - 1)
    return float(x[(x.size - 1) // 2] + x[x.size // 2]) / 2, float(x[low]), float(x[high])


def _few_interval(x: Array) -> tuple[float, float, float]:
    """Which part of the sum R the FEW largest of sorted numbers make up, with its 95 % interval (delta method).

    A number x adds (max(x − t, 0) − R x) / x̄ to it, where t is the least of the few.
    """
    few, total = max(round(FEW * x.size), 1), float(x.sum())
    if not total:
        return math.nan, math.nan, math.nan
    part = float(x[-few:].sum()) / total
    error = Z_95 * float((np.maximum(x - x[-few], 0.0) - part * x).std()) * math.sqrt(x.size) / total
    return part, max(part - error, 0.0), min(part + error, 1.0)


def _quantiles(x: Array) -> Array:
    """Of sorted numbers, between neighbours as np.quantile."""
    at = np.array(QUANTILES) * (x.size - 1)
    below = at.astype(int)
    return np.asarray(x[below] + (at - below) * (x[np.minimum(below + 1, x.size - 1)] - x[below]))


def grow_rows(
    draws: int, stops: Sequence[int], *, n_keys: int, seed: int = 0, block: int = BLOCK,
    report: Report | None = None,
) -> Iterator[tuple[Array, Array, Array]]:  # fmt: skip
    """Yield the scores of `draws` queries with n_keys keys each, K Kᵀ and ‖q‖², at each stop, as the vectors grow.

    All are sums over components, so they are added up a few components at a time: no array of
    draws × n_keys × d_k numbers is ever held. As in `grow_pairs`, `block` changes nothing but rounding.

    Yields: scores (draws, n_keys), gram (draws, n_keys, n_keys) and q_squared (draws,) for each stop; the same
        arrays, grown.
    """
    for_q, for_k = generators(seed)
    most = max(block // (draws * n_keys), 1)
    q, k = np.empty((most, draws)), np.empty((most, draws, n_keys))
    scores, gram, q_squared = np.zeros((draws, n_keys)), np.zeros((draws, n_keys, n_keys)), np.zeros(draws)
    for reached, size in chunks(stops, most):
        for_q.standard_normal(out=q[:size])
        for_k.standard_normal(out=k[:size])
        K = k[:size].transpose(1, 2, 0)  # (draws, n_keys, size)
        scores += (K @ q[:size].T[:, :, None])[..., 0]
        gram += K @ K.swapaxes(1, 2)
        q_squared += np.einsum("id,id->d", q[:size], q[:size])
        if report:
            report(reached / stops[-1])
        if reached in stops:
            yield scores, gram, q_squared
