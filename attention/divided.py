"""The same scores divided by one thing or another, measured: how they spread, and how even softmax leaves a row.

One set of rows serves every divisor and every d_k, so that whatever differs is the divisor's doing. As in
`attention.experiment` the vectors grow a few components at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention.checks import Array, InputError, one_of, whole_number
from attention.divisors import DIVISORS, divisor, norms
from attention.experiment import EDGES, Z_95, Report, checked_stops
from attention.saturation import grow_with_lengths
from attention.softmax import normalized_entropy, softmax

STOPS = tuple(2**n for n in range(2, 13))
"""The d_k that are measured: 4, 8, … 4096."""

ALPHAS = tuple(step / 20 for step in range(21))
"""The powers of d_k that are measured: 0, 0.05, … 1."""

_POWERS = {"none": 0.0, "sqrt": 0.5, "linear": 1.0}
OTHERS = tuple(name for name in DIVISORS if name not in {*_POWERS, "power"})
"""The divisors that are no powers of d_k of this kind."""


@dataclass(frozen=True, eq=False)
class Divided:
    """The scores of random queries and keys at each stop, and what each divisor makes of them."""

    d_k: tuple[int, ...]  # (s,)
    draws: int
    n_keys: int
    counts: NDArray[np.int64]  # (s, b)         of q·k between EDGES, in units of √d_k
    cosine_counts: NDArray[np.int64]  # (s, b)  of cos(q, k) between EDGES, in units of 1/√d_k
    deviation: Array  # (s, 3)         of q·k: the estimate and its 95 % interval; theory: √d_k
    cosine_deviation: Array  # (s, 3)  of cos(q, k); theory: 1/√d_k
    entropy: Array  # (s, 21 + o)      mean normalised entropy of a row, for each of ALPHAS, then OTHERS
    error: Array  # (s, 21 + o)        half of its 95 % interval
    top: Array  # (s, 21 + o)          mean of the largest weight of a row
    scores: Array  # (s, m, n_keys)    of the first m rows, undivided
    cosines: Array  # (s, m, n_keys)

    def column(self, name: str, alpha: float = 0.5) -> int:
        """Where a divisor stands in entropy, error and top; alpha: one of ALPHAS, for power.

        Raises: InputError if there is no such divisor or it was not measured with this alpha.
        """
        if one_of("name", name, DIVISORS) in OTHERS:
            return len(ALPHAS) + OTHERS.index(name)
        alpha = _POWERS.get(name, alpha)
        if alpha not in ALPHAS:
            raise InputError("scale", "alpha", "one of ALPHAS", alpha)
        return ALPHAS.index(alpha)

    def spread(self, s: int, name: str, alpha: float = 0.5) -> Array:
        """The standard deviation of the divided scores at stop s, with its 95 % interval: (3,)."""
        one_of("name", name, DIVISORS)
        if name == "cosine":
            return np.asarray(self.cosine_deviation[s])
        return np.asarray(self.deviation[s] / divisor(name, self.d_k[s], alpha=alpha))


def measure_divided(
    draws: int = 4000, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0, examples: int = 3,
    report: Report | None = None,
) -> Divided:  # fmt: skip
    """Measure what every divisor makes of a query's scores with n_keys keys, at each d_k in stops.

    draws: how many rows, a query and n_keys keys each, at least 2; those of `measure_saturation` with this seed.
    stops: from 2. examples: how many rows' scores are kept. report: told the share that is done.
    Returns: Divided.
    Raises: InputError if draws or n_keys is too small, or stops are not increasing whole numbers from 2.

    >>> few = measure_divided(500, (16, 256), seed=0)
    >>> few.entropy[:, [few.column("none"), few.column("sqrt"), few.column("cosine")]].round(1)
    array([[0.3, 0.8, 1. ],
           [0.1, 0.8, 1. ]])
    """
    draws, n_keys = whole_number("draws", draws, 2), whole_number("n_keys", n_keys)
    stops = checked_stops(stops)
    whole_number("stops", stops[0], 2)  # ln 1 = 0 divides nothing
    wide, kept = (len(stops), len(ALPHAS) + len(OTHERS)), (len(stops), min(examples, draws), n_keys)
    bars = (len(stops), len(EDGES) - 1)
    found = Divided(
        d_k=stops, draws=draws, n_keys=n_keys,
        counts=np.empty(bars, dtype=np.int64), cosine_counts=np.empty(bars, dtype=np.int64),
        deviation=np.empty((len(stops), 3)), cosine_deviation=np.empty((len(stops), 3)),
        entropy=np.empty(wide), error=np.empty(wide), top=np.empty(wide), scores=np.empty(kept), cosines=np.empty(kept),
    )  # fmt: skip
    rows = grow_with_lengths(draws, stops, n_keys=n_keys, seed=seed, report=report)
    for s, (scores, gram, q_squared) in enumerate(rows):
        root, cosines = np.sqrt(stops[s]), scores / norms(q_squared, gram)
        found.counts[s] = np.histogram(scores / root, EDGES)[0]
        found.cosine_counts[s] = np.histogram(cosines * root, EDGES)[0]
        found.deviation[s], found.cosine_deviation[s] = _deviation(scores), _deviation(cosines)
        found.scores[s], found.cosines[s] = scores[: kept[1]], cosines[: kept[1]]
        for at, divided in enumerate(_divided(scores, cosines, stops[s])):
            weights = softmax(divided)
            evenness = normalized_entropy(weights)
            found.entropy[s, at] = evenness.mean()
            found.error[s, at] = Z_95 * evenness.std(ddof=1) / np.sqrt(draws)
            found.top[s, at] = weights.max(axis=-1).mean()
    return found


def _divided(scores: Array, cosines: Array, d_k: int) -> Iterator[Array]:
    """The scores by each of ALPHAS, then by each of OTHERS."""
    for alpha in ALPHAS:
        yield scores / divisor("power", d_k, alpha=alpha)
    for name in OTHERS:
        yield cosines if name == "cosine" else scores / divisor(name, d_k)


def _deviation(x: Array) -> tuple[float, float, float]:
    """The standard deviation around 0, with its 95 % interval.

    The scores of one row share a query, so the interval comes from the rows' mean squares, which are independent.
    """
    squares = (x**2).mean(axis=-1)
    mean, error = float(squares.mean()), Z_95 * float(squares.std(ddof=1)) / float(np.sqrt(len(squares)))
    low, middle, high = (float(np.sqrt(max(v, 0.0))) for v in (mean - error, mean, mean + error))
    return middle, low, high
