"""Pairs of vectors that grow: their products are those of vectors drawn as a whole."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from attention import InputError, growing
from tests.core.drawing import drawn_at_once

# draws, d_k: all different, so that no swapped axis can pass.
DRAWS, STOPS = 7, (1, 2, 5, 11)


@pytest.mark.parametrize("block", [1, 2 * DRAWS, 4 * DRAWS + 1, 10_000])
def test_growing_pairs_is_the_dot_product_of_the_first_components(block):
    q, k = drawn_at_once(DRAWS, STOPS[-1], 5)
    grown = [x.copy() for x in growing.grow_pairs(DRAWS, STOPS, seed=5, block=block)]
    for d_k, products in zip(STOPS, grown, strict=True):
        np.testing.assert_allclose(products, (q[:d_k] * k[:d_k]).sum(axis=0), rtol=1e-12, atol=1e-12)


def product_sums(draws, stops, seed):
    """q·k at each stop, from vectors that are really there as a whole."""
    q, k = np.random.default_rng(seed).standard_normal((2, draws, stops[-1]))
    return np.stack([(q[:, :d_k] * k[:, :d_k]).sum(axis=1) for d_k in stops])


#: where components are no longer drawn one by one; the second is a jump of one component, a χ² with 1 degree of freedom
FAR = (64, 65, 91, 300)


@pytest.fixture(scope="module")
def far():
    """Products whose last components came in one go, and products of vectors drawn as a whole."""
    return np.stack([x.copy() for x in growing.grow_pairs(20_000, FAR, seed=11)]), product_sums(20_000, FAR, 12)


def test_what_is_drawn_in_one_go_is_distributed_as_dot_products_are(far):
    """Two-sample Kolmogorov–Smirnov, at every stop and for what came between any two: 1.95 is passed once in 1,000."""
    ours, real = far
    for start, end in combinations(range(-1, len(FAR)), 2):
        x, y = (np.sort(each[end] - (each[start] if start >= 0 else 0)) for each in (ours, real))
        both = np.concatenate([x, y])
        gap = np.abs(np.searchsorted(x, both, "right") - np.searchsorted(y, both, "right")).max() / len(x)
        assert gap < 1.95 * np.sqrt(2 / len(x)), (FAR[start], FAR[end])


def test_what_is_drawn_in_one_go_has_the_moments_of_dot_products_and_grows_on(far):
    """Of a sum of m products: variance m, fourth moment 3m² + 6m. What is added depends on nothing before."""
    ours, _ = far
    n = ours.shape[1]
    for (before, x), (reached, y) in pairwise(zip(FAR, ours, strict=True)):
        m, added = reached - before, y - x
        fourth = 3 * m**2 + 6 * m
        assert added.mean() == pytest.approx(0, abs=4 * np.sqrt(m / n))
        assert (added**2).mean() == pytest.approx(m, abs=4 * np.sqrt((fourth - m**2) / n))
        assert (added**4).mean() == pytest.approx(fourth, rel=0.6 if m == 1 else 0.1)
        for f in (np.abs, np.asarray):
            assert abs(np.corrcoef(f(added), f(x))[0, 1]) < 4 / np.sqrt(n)


def test_up_to_64_components_are_drawn_one_by_one_even_on_the_way_to_more():
    q, k = drawn_at_once(DRAWS, 64, 5)
    first = next(growing.grow_pairs(DRAWS, (64, 200), seed=5)).copy()
    np.testing.assert_allclose(first, (q * k).sum(axis=0), rtol=1e-12, atol=1e-12)
    straight = next(growing.grow_pairs(DRAWS, (200,), seed=5))
    np.testing.assert_allclose(straight, list(growing.grow_pairs(DRAWS, (64, 200), seed=5))[1], rtol=1e-12)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: growing.generators(-1), "seed"),
    (lambda: growing.generators(0.5), "seed"),
    (lambda: growing.checked_stops(()), "stops"),
    (lambda: growing.checked_stops((4, 2)), "stops"),
    (lambda: growing.checked_stops((2, 2)), "stops"),
    (lambda: growing.checked_stops((0, 2)), "stops"),
])  # fmt: skip
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
