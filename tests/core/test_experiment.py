"""The √d_k experiment: it measures what was drawn, its intervals hold, and what the page claims is true."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from attention import InputError
from attention import experiment as e
from tests.core.drawing import drawn_at_once

# n_keys, draws, d_k: all different, so that no swapped axis can pass.
DRAWS, KEYS, STOPS = 7, 3, (1, 2, 5, 11)


@pytest.mark.parametrize("block", [1, 2 * DRAWS, 4 * DRAWS + 1, 10_000])
def test_growing_pairs_is_the_dot_product_of_the_first_components(block):
    q, k = drawn_at_once(DRAWS, STOPS[-1], 5)
    grown = [x.copy() for x in e.grow_pairs(DRAWS, STOPS, seed=5, block=block)]
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
    return np.stack([x.copy() for x in e.grow_pairs(20_000, FAR, seed=11)]), product_sums(20_000, FAR, 12)


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
    first = next(e.grow_pairs(DRAWS, (64, 200), seed=5)).copy()
    np.testing.assert_allclose(first, (q * k).sum(axis=0), rtol=1e-12, atol=1e-12)
    straight = next(e.grow_pairs(DRAWS, (200,), seed=5))
    np.testing.assert_allclose(straight, list(e.grow_pairs(DRAWS, (64, 200), seed=5))[1], rtol=1e-12)


def test_spread_describes_the_products():
    stops = (1, 9, 100)
    spread = e.measure_spread(1000, stops, seed=9)
    kept = [x.copy() for x in e.grow_pairs(1000, stops, seed=9)]
    for s, x in enumerate(kept):
        assert spread.mean[s] == pytest.approx(x.mean())
        assert spread.mean_error[s] == pytest.approx(e.Z_95 * x.std(ddof=1) / np.sqrt(1000))
        assert (spread.variance[s], spread.low[s], spread.high[s]) == pytest.approx(e.variance_interval(x))
        assert spread.variance[s] == pytest.approx(x.var(ddof=1))
        assert spread.low[s] < spread.variance[s] < spread.high[s]
        z = x / np.sqrt(spread.d_k[s])
        inside = (z >= spread.edges[0]) & (z <= spread.edges[-1])
        assert spread.counts[s].sum() == inside.sum()
        assert spread.outside[s] == 1000 - inside.sum()
        assert spread.beyond[s] == (np.abs(x) > e.REACH).sum()
        assert spread.counts[s, 20] == ((z >= spread.edges[20]) & (z < spread.edges[21])).sum()
    assert spread.edges[18] == 0
    assert spread.counts.shape == (3, len(spread.edges) - 1)
    assert spread.power[0] == pytest.approx(np.polyfit(np.log(stops), np.log(spread.variance), 1)[0])


def test_the_interval_of_the_power_covers_1_about_95_times_in_100():
    hits = [low < 1 < high for _, low, high in (e.measure_spread(2000, (1, 3, 90), seed=s).power for s in range(300))]
    assert 0.91 <= np.mean(hits) <= 0.98


def test_one_stop_has_no_power():
    assert np.isnan(e.measure_spread(10, (3,)).power).all()


@pytest.mark.parametrize("d_k", [1, 2, 5, 64, 4096])
def test_the_expected_shares_are_those_of_many_products(d_k):
    """Against half a million products: d_k real ones, or √χ² z; and where it is known in closed form."""
    rng, n = np.random.default_rng(13), 500_000
    if d_k <= 5:
        x = (rng.standard_normal((d_k, n)) * rng.standard_normal((d_k, n))).sum(axis=0)
    else:
        x = np.sqrt(rng.chisquare(d_k, n)) * rng.standard_normal(n)
    counted, expected = np.histogram(x / np.sqrt(d_k), e.EDGES)[0] / n, e.expected_shares(d_k)
    assert (np.abs(counted - expected) < 4.5 * np.sqrt(expected / n)).all()
    np.testing.assert_array_equal(expected, expected[::-1])
    if d_k == 2:  # the Laplace distribution: half of exp(−|x|)
        b = e.EDGES[18:] * np.sqrt(2)
        np.testing.assert_allclose(expected[18:], (np.exp(-b[:-1]) - np.exp(-b[1:])) / 2, atol=1e-6)
    if d_k == 4096:
        middles = (e.EDGES[1:] + e.EDGES[:-1]) / 2
        np.testing.assert_allclose(expected, e.normal_density(middles) * 0.25, atol=4e-4)


@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_the_interval_covers_the_true_variance_about_95_times_in_100(d_k):
    """400 experiments of 2,000 products each. At d_k = 1 (kurtosis 9) a χ² interval would cover 67 in 100."""
    rng = np.random.default_rng(10)
    hits = 0
    for _ in range(400):
        x = sum(rng.standard_normal(2000) * rng.standard_normal(2000) for _ in range(d_k))
        _, low, high = e.variance_interval(x)
        hits += low < d_k < high
    assert 0.91 <= hits / 400 <= 0.98


def test_the_default_stops_and_their_variances():
    """q·k has variance d_k at every stop from 1 to 4096; 4 standard errors of room for 24 looks."""
    assert e.STOPS[0] == 1
    assert e.STOPS[-1] == 4096
    assert len(e.STOPS) == 24
    assert {round(2 ** (half / 2)) for half in range(25)} == set(e.STOPS)
    spread = e.measure_spread(10_000, seed=0)
    error = (spread.high - spread.low) / (2 * e.Z_95)
    assert (np.abs(spread.variance - spread.d_k) < 4 * error).all()


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others():
    first, again, other = (e.measure_spread(100, (1, 4), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.counts, again.counts)
    np.testing.assert_array_equal(first.variance, again.variance)
    assert (first.variance != other.variance).all()


def test_progress_is_told_and_ends_at_1():
    for stops in ((3, 40), (3, 40, 70, 5000)):
        told = []
        e.measure_spread(100, stops, report=told.append)
        assert told == sorted(told)
        assert 0 < told[0] < 1
        assert told[-1] == 1


@pytest.fixture(scope="module")
def trials():
    spread = e.measure_spread(10_000, e.TRIED, seed=3)
    return {(each.d_k, each.size): each for each in spread.trials}


def test_experiments_come_in_every_size_that_can_be_repeated_and_the_last_is_all(trials):
    sizes = [4, 6, 10, 20, 50, 100, 200, 10_000]
    assert list(trials) == [(d_k, size) for d_k in e.TRIED for size in sizes]
    assert [trials[2, size].count for size in sizes] == [e.REPEATS] * 2 + [1000, 500, 200, 100, 50, 1]
    spread = e.measure_spread(10_000, e.TRIED, seed=3)
    for s, d_k in enumerate(e.TRIED):
        whole = trials[d_k, 10_000]
        assert (whole.variance, whole.low, whole.high) == (spread.variance[s], spread.low[s], spread.high[s])


@pytest.mark.parametrize("size", [10, 50])
def test_an_experiment_is_a_piece_of_the_draws(trials, size):
    x = next(e.grow_pairs(10_000, (64,), seed=3)).copy()
    pieces = [e.variance_interval(x[at : at + size]) for at in range(0, 10_000 - size + 1, size)]
    each = trials[64, size]
    np.testing.assert_allclose(np.transpose([each.variance, each.low, each.high]), pieces[: e.SHOWN], rtol=1e-9)
    assert each.band == pytest.approx(np.quantile([v for v, _, _ in pieces], (0.05, 0.95)))
    assert each.covered == sum(low <= 64 <= high for _, low, high in pieces)


def test_experiments_by_hand_share_their_vectors():
    """Real 2 × 2 arrays: of four products, the two of a query with both keys go along with each other in size."""
    products = e.by_hand(3, 2, 2, seed=1)
    draw = np.random.default_rng((1, 3, 2, 2))
    Q, K = draw.standard_normal((e.REPEATS, 2, 3)), draw.standard_normal((e.REPEATS, 2, 3))
    np.testing.assert_allclose(products[7], (Q[7] @ K[7].T).ravel())
    sizes = np.corrcoef(np.square(products), rowvar=False)
    assert sizes[0, 1] > 0.1  # the same query
    assert sizes[0, 2] > 0.1  # the same key
    assert abs(sizes[0, 3]) < 0.1  # nothing in common
    assert e.by_hand(3, 1, 6).shape == (e.REPEATS, 6)


@pytest.mark.parametrize("d_k", e.TRIED)
def test_small_experiments_are_right_on_average_and_mislead_one_by_one(trials, d_k):
    arrays, keys = trials[d_k, 4], trials[d_k, 6]
    for n_q, n_k in ((2, 2), (1, 6)):
        found = e.by_hand(d_k, n_q, n_k, seed=3).var(axis=1, ddof=1)
        assert found.mean() == pytest.approx(d_k, abs=4 * found.std() / np.sqrt(found.size))  # unbiased
    assert arrays.band[0] < 0.15 * d_k
    assert arrays.band[1] > 2 * d_k
    assert arrays.covered < keys.covered < 0.6 * e.REPEATS  # "95 %" intervals that hold about one time in two or less
    assert trials[d_k, 100].covered > 0.8 * trials[d_k, 100].count


def test_six_keys_say_little():
    """Standard deviations of a query's scores with 6 keys at d_k = 64, where the true one is 8: measured elsewhere."""
    low, high = np.quantile(e.by_hand(64, 1, 6, seed=0).std(axis=1), (0.05, 0.95))
    assert (low, high) == pytest.approx((3.4, 11.1), abs=0.4)


@pytest.mark.parametrize(("count", "of", "low", "high"), [
    (0, 20, 0.0, 0.1611), (2, 20, 0.0279, 0.3010), (20, 20, 0.8389, 1.0), (81, 263, 0.2553, 0.3662),
])  # fmt: skip
def test_the_interval_of_a_share_is_wilsons(count, of, low, high):
    """The last is the example of Newcombe (1998): 81 of 263."""
    assert e.share_interval(count, of) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize("p", [0.0, 0.003, 0.3, 1.0])
def test_the_interval_of_a_share_covers_it_about_95_times_in_100(p):
    hits = np.random.default_rng(11).binomial(400, p, 2000)
    covered = np.mean([low <= p <= high for low, high in (e.share_interval(int(h), 400) for h in hits)])
    assert 0.93 <= covered <= 1  # at 0 and 1 too, for there it reaches them exactly


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: e.measure_spread(5), "draws"),
    (lambda: e.measure_spread(10.5), "draws"),
    (lambda: e.measure_spread(10, ()), "stops"),
    (lambda: e.measure_spread(10, (4, 2)), "stops"),
    (lambda: e.measure_spread(10, (2, 2)), "stops"),
    (lambda: e.measure_spread(10, (0, 2)), "stops"),
    (lambda: e.variance_interval([1.0, np.nan]), "x"),
    (lambda: e.repeated([1.0, np.inf], 2), "x"),
    (lambda: e.share_interval(3, 2), "count"),
    (lambda: e.share_interval(0, 0), "of"),
])  # fmt: skip
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
