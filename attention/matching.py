"""Rows of scores under a broken assumption: a query with several keys, and what softmax makes of it as d_k grows.

Softmax sees differences between the scores of a row only. What all keys of a query have in common does not count; what
one has and the others have not does, such as a single key that is correlated with the query.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention.assumptions import STOPS, Components, add_up, draw_vectors
from attention.checks import Array, InputError, finite_array, number_between, one_of, whole_number
from attention.divisors import divisor
from attention.growing import BLOCK, checked_stops
from attention.intervals import mean_interval
from attention.saturation import SCALES
from attention.softmax import normalized_entropy, softmax

MATCHES = ("all", "one")
"""Which keys are correlated with the query, where ρ is not 0."""

SHARING = ("both", "q")
"""Whose components have a part in common, where r is not 0."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums over the first d_k components of vectors a and b, one of b a key, all from N(0, 1), at each stop.

    A query and its keys can be put together from a, b and what the components of each vector share, g and h.
    """

    d_k: tuple[int, ...]  # (s,)
    a: Array  # (s, N)           Σ a_i
    aa: Array  # (s, N)          Σ a_i²
    b: Array  # (s, N, n_keys)   Σ b_i
    ab: Array  # (s, N, n_keys)  Σ a_i b_i
    g: Array  # (N,)
    h: Array  # (N, n_keys)


def draw_rows(draws: int, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0) -> Rows:
    """Draw `draws` vectors a, and n_keys vectors b for each, and add up what `row_scores` needs.

    draws: at least 2. n_keys: at least 1.
    Returns: Rows.
    Raises: InputError if draws or n_keys is no whole number or too small, or stops are not increasing ones.

    >>> draw_rows(3, (1, 4), n_keys=2).ab.shape
    (2, 3, 2)
    """
    draws, n_keys, stops = whole_number("draws", draws, 2), whole_number("n_keys", n_keys), checked_stops(stops)
    draw_a, draw_b, for_shared = draw_vectors("normal", seed)

    def terms(size: int) -> list[Array]:
        a, b = draw_a((size, draws)), draw_b((size, draws, n_keys))
        return [a.sum(axis=0), np.einsum("id,id->d", a, a), b.sum(axis=0), np.einsum("id,idk->dk", a, b)]

    a, aa, b, ab = add_up(terms, stops, BLOCK // (draws * n_keys))
    return Rows(stops, a, aa, b, ab, for_shared.standard_normal(draws), for_shared.standard_normal((draws, n_keys)))


def row_scores(rows: Rows, components: Components, *, matches: str = "all", sharing: str = "both") -> Array:
    """Put the scores q·k of every row together, for normal components.

    q_i = μ_q + σ_q x_i, x_i = √r g + √(1−r) a_i, and for each key k_i = μ_k + σ_k y_i, y_i = ρ x_i + √(1−ρ²) e_i,
    e_i = √r h + √(1−r) b_i:
    q·k = d_k μ_q μ_k + μ_q σ_k Σ y_i + μ_k σ_q Σ x_i + σ_q σ_k Σ x_i y_i,   Σ x_i y_i = ρ Σ x_i² + √(1−ρ²) Σ x_i e_i

    matches: "all", or "one": ρ is the first key's alone, and 0 for the others.
    sharing: "both", or "q": the keys' components are independent, r = 0 for e.
    Returns: (s, N, n_keys), for each stop the scores of each row.
    Raises: InputError if the law is not normal, or matches or sharing is unknown.

    >>> rows = draw_rows(2, (1, 4), n_keys=3)
    >>> bool((row_scores(rows, Components()) == rows.ab).all())
    True
    """
    it = components
    one_of("law", it.law, ("normal",))
    rho = np.full(rows.h.shape[1], it.rho)
    if one_of("matches", matches, MATCHES) == "one":
        rho[1:] = 0.0
    for_e = it.shared if one_of("sharing", sharing, SHARING) == "both" else 0.0
    (common, own), (common_e, own_e) = ((math.sqrt(r), math.sqrt(1 - r)) for r in (it.shared, for_e))
    d_k = np.array(rows.d_k, dtype=float)[:, None, None]
    a, aa, g, h = rows.a[..., None], rows.aa[..., None], rows.g[None, :, None], rows.h[None]
    x = d_k * common * g + own * a
    xx = d_k * it.shared * g**2 + 2 * common * own * g * a + own**2 * aa
    e = d_k * common_e * h + own_e * rows.b
    xe = d_k * common * common_e * g * h + common * own_e * g * rows.b + own * common_e * h * a + own * own_e * rows.ab
    alone = np.sqrt(1 - rho**2)
    y, xy = rho * x + alone * e, rho * xx + alone * xe
    means = d_k * it.mean_q * it.mean_k + it.mean_q * it.sd_k * y + it.mean_k * it.sd_q * x
    return np.asarray(means + it.sd_q * it.sd_k * xy)


def draw_scores(
    law: str, draws: int, stops: Sequence[int] = STOPS, *, n_keys: int = 8, seed: int = 0
) -> Array:  # fmt: skip
    """Draw the scores of `draws` queries with n_keys keys each, all components independent, by `law`.

    law: one of `assumptions.LAWS`.
    Returns: (s, N, n_keys), for each stop the scores of each row.
    Raises: InputError if the law is unknown, draws or n_keys is too small, or stops are not increasing ones.

    >>> draw_scores("signs", 2, (1,), n_keys=3).tolist()
    [[[1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]]]
    """
    draws, n_keys, stops = whole_number("draws", draws, 2), whole_number("n_keys", n_keys), checked_stops(stops)
    draw_q, draw_k, _ = draw_vectors(law, seed)

    def terms(size: int) -> list[Array]:
        return [np.einsum("id,idk->dk", draw_q((size, draws)), draw_k((size, draws, n_keys)))]

    (scores,) = add_up(terms, stops, BLOCK // (draws * n_keys))
    return scores


def row_entropy(scores: ArrayLike, stops: Sequence[int], scale: str = "sqrt") -> Array:
    """Measure how evenly softmax(q·k / divisor) spreads over the keys of a row: H(p) / ln n, averaged over the rows.

    scores: (s, N, n_keys), as `row_scores` and `draw_scores` return them. stops: the d_k of each.
    Returns: (s, 3), for each stop the mean and its 95 % interval.
    Raises: InputError if there are not scores for each stop, or the divisor is unknown.

    >>> row_entropy([[[1.0, 1.0], [1.0, 1.0]]], (4,)).tolist()
    [[1.0, 1.0, 1.0]]
    """
    scores, stops = finite_array("scores", scores, 3), checked_stops(stops)
    if len(scores) != len(stops):
        raise InputError("shape", "scores", f"({len(stops)}, N, n_keys)", str(scores.shape))
    return np.array([mean_interval(normalized_entropy(softmax(each / divisor(scale, d_k))))
                     for each, d_k in zip(scores, stops, strict=True)])  # fmt: skip


def match_weights(rows: Rows, rho: float) -> Array:
    """Measure the attention weight of the one key that is correlated with the query, the other keys being independent.

    k = ρ q + √(1−ρ²) e for the first key, k = e for the others: softmax(q·k / divisor), averaged over the rows, for
    each of SCALES. Its score is ahead by ρ d_k on average, ρ √d_k of the others' standard deviations.

    Returns: (s, 3, 3), for each stop and each of the scales none, sqrt, linear: the mean, and its 95 % interval.
    Raises: InputError if ρ is not a number from −1 to 1.

    >>> match_weights(draw_rows(500, (256,)), 0.9)[0, :, 0].round(2).tolist()
    [1.0, 1.0, 0.26]
    """
    scores = row_scores(rows, Components(rho=number_between("rho", rho, -1, 1)), matches="one")
    return np.array([
        [mean_interval(softmax(each / divisor(scale, d_k))[:, 0]) for scale in SCALES]
        for each, d_k in zip(scores, rows.d_k, strict=True)
    ])  # fmt: skip
