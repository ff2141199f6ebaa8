"""Small experiments on Var(q·k), repeated: they are what they are said to be, and mislead as they are said to."""

import numpy as np
import pytest

from attention import InputError, experiment, growing, intervals
from attention import small_experiments as e


@pytest.fixture(scope="module")
def trials():
    spread = experiment.measure_spread(10_000, e.TRIED, seed=3)
    return {(each.d_k, each.size, each.by_hand): each for each in spread.trials}


def test_experiments_come_in_every_size_that_can_be_repeated_and_the_last_is_all(trials):
    sizes = [(4, (2, 2)), (4, None), (6, (1, 6)), *((size, None) for size in (6, 10, 20, 50, 100, 200, 10_000))]
    assert list(trials) == [(d_k, *size) for d_k in e.TRIED for size in sizes]
    counts = [trials[2, *size].count for size in sizes]
    assert counts == [e.REPEATS, 2500, e.REPEATS, 1666, 1000, 500, 200, 100, 50, 1]
    spread = experiment.measure_spread(10_000, e.TRIED, seed=3)
    for s, d_k in enumerate(e.TRIED):
        whole = trials[d_k, 10_000, None]
        assert (whole.variance, whole.low, whole.high) == (spread.variance[s], spread.low[s], spread.high[s])


@pytest.mark.parametrize("size", [4, 50])
def test_an_experiment_is_a_piece_of_the_draws(trials, size):
    x = next(growing.grow_pairs(10_000, (64,), seed=3)).copy()
    pieces = [intervals.variance_interval(x[at : at + size]) for at in range(0, 10_000 - size + 1, size)]
    each = trials[64, size, None]
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
    for n_q, n_k in e.BY_HAND:
        found = e.by_hand(d_k, n_q, n_k, seed=3).var(axis=1, ddof=1)
        assert found.mean() == pytest.approx(d_k, abs=4 * found.std() / np.sqrt(found.size))  # unbiased
    arrays = trials[d_k, 4, (2, 2)]
    assert arrays.band[0] < 0.15 * d_k
    assert arrays.band[1] > 2 * d_k


@pytest.mark.parametrize(("d_k", "few", "sharing"), [(2, 0.40, 0.11), (64, 0.30, 0.01)])
def test_most_of_what_four_products_miss_they_miss_because_they_are_few(trials, d_k, few, sharing):
    """Against 100,000 experiments, made elsewhere. At d_k = 64 it hardly matters that they share vectors."""
    arrays, apart = (trials[d_k, 4, made].covered / 2500 for made in ((2, 2), None))
    assert 0.95 - apart == pytest.approx(few, abs=0.04)
    assert apart - arrays == pytest.approx(sharing, abs=0.05)
    assert trials[d_k, 100, None].covered > 0.8 * trials[d_k, 100, None].count


def test_no_interval_has_collapsed(trials):
    for each in trials.values():
        assert (each.low < each.variance).all()
        assert (each.variance < each.high).all()


def test_six_keys_say_little():
    """Standard deviations of a query's scores with 6 keys at d_k = 64, where the true one is 8: measured elsewhere."""
    low, high = np.quantile(e.by_hand(64, 1, 6, seed=0).std(axis=1), (0.05, 0.95))
    assert (low, high) == pytest.approx((3.4, 11.1), abs=0.4)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: e.repeated([1.0, np.inf], 2), "x"),
    (lambda: e.repeated([1.0, 2.0], 2), "x"),
    (lambda: e.repeated([[1.0, 2.0, 3.0]], 2), "x"),
    (lambda: e.repeated([1.0, 2.0, 3.0], 0), "d_k"),
    (lambda: e.by_hand(-1, 2, 2), "d_k"),
    (lambda: e.by_hand(2, 0, 2), "n_q"),
    (lambda: e.by_hand(2, 2, 1.5), "n_k"),
    (lambda: e.by_hand(2, 2, 2, seed=-1), "seed"),
])  # fmt: skip
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
