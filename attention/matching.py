"""One key that matches the query, among keys that do not: what is left of its attention weight as d_k grows.

Softmax sees differences between scores only. If all keys were correlated with the query alike, nothing would change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention.assumptions import STOPS, add_up
from attention.checks import Array, number_between, whole_number
from attention.divisors import divisor
from attention.growing import BLOCK, checked_stops, generators
from attention.intervals import mean_interval
from attention.saturation import SCALES
from attention.softmax import softmax


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums over the first d_k components of a query q and of vectors e, one a key, all from N(0, 1), at each stop."""

    d_k: tuple[int, ...]  # (s,)
    qq: Array  # (s, N)          Σ q_i²
    qe: Array  # (s, N, n_keys)  Σ q_i e_i


def draw_rows(draws: int, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0) -> Rows:
    """Draw `draws` queries and n_keys vectors for each, and add up what `match_weights` needs.

    draws: at least 2. n_keys: at least 1.
    Returns: Rows.
    Raises: InputError if draws or n_keys is no whole number or too small, or stops are not increasing ones.

    >>> draw_rows(3, (1, 4), n_keys=2).qe.shape
    (2, 3, 2)
    """
    draws, n_keys, stops = whole_number("draws", draws, 2), whole_number("n_keys", n_keys), checked_stops(stops)
    for_q, for_e = generators(seed)

    def terms(size: int) -> list[Array]:
        q, e = for_q.standard_normal((size, draws)), for_e.standard_normal((size, draws, n_keys))
        return [np.einsum("id,id->d", q, q), np.einsum("id,idk->dk", q, e)]

    return Rows(stops, *add_up(terms, stops, BLOCK // (draws * n_keys)))


def match_weights(rows: Rows, rho: float) -> Array:
    """Measure the attention weight of the one key that is correlated with the query, the other keys being independent.

    k = ρ q + √(1−ρ²) e for the first key, k = e for the others: softmax(q·k / divisor), averaged over the rows, for
    each of SCALES. Its score is ahead by ρ d_k on average, ρ √d_k of the others' standard deviations.

    Returns: (s, 3, 3), for each stop and each of the scales none, sqrt, linear: the mean, and its 95 % interval.
    Raises: InputError if ρ is not a number from −1 to 1.

    >>> match_weights(draw_rows(500, (256,)), 0.9)[0, :, 0].round(2).tolist()
    [1.0, 1.0, 0.26]
    """
    rho = number_between("rho", rho, -1, 1)
    scores = rows.qe.copy()
    scores[:, :, 0] = rho * rows.qq + math.sqrt(1 - rho**2) * rows.qe[:, :, 0]
    return np.array([
        [mean_interval(softmax(each / divisor(scale, d_k))[:, 0]) for scale in SCALES]
        for each, d_k in zip(scores, rows.d_k, strict=True)
    ])  # fmt: skip
