"""The √d_k experiment: it measures what was drawn, its intervals hold, and what the page claims is true."""

import numpy as np
import pytest

from attention import InputError, softmax, softmax_jacobian
from attention import experiment as e

# n_keys, draws, d_k: all different, so that no swapped axis can pass.
DRAWS, KEYS, STOPS = 7, 3, (1, 2, 5, 11)


def drawn_at_once(draws, d_k, seed, *keys):
    """All components in one array, as the documentation says they come: a component after the other."""
    for_q, for_k = (np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(2))
    return for_q.standard_normal((d_k, draws)), for_k.standard_normal((d_k, draws, *keys))


@pytest.mark.parametrize("block", [1, 2 * DRAWS, 4 * DRAWS + 1, 10_000])
def test_growing_pairs_is_the_dot_product_of_the_first_components(block):
    q, k = drawn_at_once(DRAWS, STOPS[-1], 5)
    grown = [x.copy() for x in e.grow_pairs(DRAWS, STOPS, seed=5, block=block)]
    for d_k, products in zip(STOPS, grown, strict=True):
        np.testing.assert_allclose(products, (q[:d_k] * k[:d_k]).sum(axis=0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("block", [1, 2 * DRAWS * KEYS, 4 * DRAWS * KEYS + 1, 10_000])
def test_growing_rows_is_the_matrix_product_of_the_first_components(block):
    q, k = drawn_at_once(DRAWS, STOPS[-1], 6, KEYS)
    grown = [(a.copy(), b.copy()) for a, b in e.grow_rows(DRAWS, STOPS, n_keys=KEYS, seed=6, block=block)]
    for d_k, (scores, gram) in zip(STOPS, grown, strict=True):
        K = k[:d_k].transpose(1, 2, 0)
        np.testing.assert_allclose(scores, np.einsum("dkc,cd->dk", K, q[:d_k]), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(gram, K @ K.transpose(0, 2, 1), rtol=1e-12, atol=1e-12)


def test_saturation_is_softmax_of_the_rows_themselves():
    """Every figure, again, the long way: the Jacobian times the keys themselves, a row at a time."""
    study = e.measure_saturation(DRAWS, STOPS, n_keys=KEYS, seed=7, examples=2)
    q, k = drawn_at_once(DRAWS, STOPS[-1], 7, KEYS)
    for s, d_k in enumerate(STOPS):
        for which, divisor in enumerate((1.0, np.sqrt(d_k), float(d_k))):
            weights, norms, gradients = [], [], []
            for row in range(DRAWS):
                K = k[:d_k, row].T
                p = softmax(K @ q[:d_k, row] / divisor)
                J = softmax_jacobian(p)
                weights.append(p)
                norms.append(np.linalg.norm(J))
                gradients.append(np.linalg.norm(J @ K / divisor))
            entropy = -(np.array(weights) * np.log(weights)).sum(axis=1) / np.log(KEYS)
            np.testing.assert_allclose(study.entropy[s, which], entropy.mean(), rtol=1e-9)
            np.testing.assert_allclose(study.dead[s, which], np.mean(np.array(norms) < e.DEAD))
            np.testing.assert_allclose(study.median[s, which], np.median(gradients), rtol=1e-9)
            np.testing.assert_allclose(study.mean[s, which], np.mean(gradients), rtol=1e-9)
            np.testing.assert_allclose(study.examples[s, which], weights[:2], rtol=1e-9)


def test_the_gradient_is_the_derivative():
    """∂p/∂q by finite differences."""
    rng = np.random.default_rng(8)
    q, K, divisor, h = rng.standard_normal(5), rng.standard_normal((3, 5)), 1.7, 1e-6

    def weights(q):
        return softmax(K @ q / divisor)

    slopes = [(weights(q + h * each) - weights(q - h * each)) / (2 * h) for each in np.eye(5)]
    J = softmax_jacobian(softmax(K @ q / divisor))
    assert e.query_gradient(J, K @ K.T, divisor) == pytest.approx(np.linalg.norm(slopes), rel=1e-7)


def test_spread_describes_the_products():
    spread = e.measure_spread(1000, (1, 9), seed=9)
    kept = [x.copy() for x in e.grow_pairs(1000, (1, 9), seed=9)]
    for s, x in enumerate(kept):
        assert spread.variance[s] == pytest.approx(x.var(ddof=1))
        assert spread.low[s] < spread.variance[s] < spread.high[s]
        z = x / np.sqrt(spread.d_k[s])
        inside = (z >= spread.edges[0]) & (z <= spread.edges[-1])
        assert spread.counts[s].sum() == inside.sum()
        assert spread.outside[s] == 1000 - inside.sum()
        assert spread.beyond[s] == (np.abs(x) > e.REACH).sum()
        assert spread.counts[s, 20] == ((z >= spread.edges[20]) & (z < spread.edges[21])).sum()
    assert spread.edges[18] == 0
    assert spread.counts.shape == (2, len(spread.edges) - 1)


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
    for measure in (lambda tell: e.measure_spread(100, (3, 40), report=tell),
                    lambda tell: e.measure_saturation(100, (3, 40), report=tell)):  # fmt: skip
        told = []
        measure(told.append)
        assert told == sorted(told)
        assert 0 < told[0] < 1
        assert told[-1] == 1


# The table of the page: d_k, divisor, mean entropy, dead rows, median and mean gradient.
# Measured elsewhere with other draws (4,000 of them, 8 keys), so that both sides carry a sampling error.
TABLE = {
    (64, "none"): (0.15, 0.33, 0.49, 1.20),
    (64, "sqrt"): (0.83, 0.00, 0.364, 0.365),
    (64, "linear"): (1.00, 0.00, 0.041, 0.041),
    (512, "none"): (0.05, 0.70, 0.002, 1.39),
    (512, "sqrt"): (0.83, 0.00, 0.367, 0.365),
    (512, "linear"): (1.00, 0.00, 0.015, 0.015),
}


@pytest.fixture(scope="module")
def study():
    return e.measure_saturation(4000, (1, 16, 64, 512), seed=0)


@pytest.mark.parametrize(("d_k", "scale"), TABLE)
def test_the_known_table_comes_out_again(study, d_k, scale):
    entropy, dead, median, mean = TABLE[d_k, scale]
    at = study.d_k.index(d_k), e.SCALES.index(scale)
    assert study.entropy[at] == pytest.approx(entropy, abs=0.015)
    assert study.dead[at] == pytest.approx(dead, abs=0.03)
    assert study.median[at] == pytest.approx(median, rel=0.02 if scale != "none" else 0.25, abs=0.001)
    assert study.mean[at] == pytest.approx(mean, rel=0.02 if scale != "none" else 0.15, abs=0.001)


def test_the_mean_gradient_rises_while_most_rows_die(study):
    none = e.SCALES.index("none")
    at16, at64, at512 = (study.d_k.index(d_k) for d_k in (16, 64, 512))
    assert study.mean[at16, none] < study.mean[at512, none]
    assert study.median[at512, none] < 0.01 * study.median[at16, none]
    assert study.dead[at16, none] < 0.1 < study.dead[at64, none] < 0.5 < study.dead[at512, none]
    assert study.mean[at512, none] > 100 * study.median[at512, none]


def test_at_16_the_gradient_has_not_vanished(study):
    at16 = study.d_k.index(16)
    assert study.median[at16, e.SCALES.index("none")] > study.median[at16, e.SCALES.index("sqrt")]


def test_all_divisors_agree_at_1(study):
    for figures in (study.entropy, study.dead, study.median, study.mean):
        np.testing.assert_allclose(figures[0], figures[0, 0])


def test_six_draws_say_little():
    """Standard deviations of 6 products at d_k = 64, where the true one is 8: from about 4 to about 12."""
    spread = e.measure_spread(10_000, (64,), seed=0)
    assert spread.few[0] == pytest.approx([3.8, 11.9], abs=0.4)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: e.measure_spread(5), "draws"),
    (lambda: e.measure_spread(10.5), "draws"),
    (lambda: e.measure_spread(10, ()), "stops"),
    (lambda: e.measure_spread(10, (4, 2)), "stops"),
    (lambda: e.measure_spread(10, (2, 2)), "stops"),
    (lambda: e.measure_spread(10, (0, 2)), "stops"),
    (lambda: e.measure_saturation(0), "draws"),
    (lambda: e.measure_saturation(10, n_keys=0), "n_keys"),
    (lambda: e.variance_interval([1.0, np.nan]), "x"),
    (lambda: e.spread_of_few([1.0, 2.0]), "x"),
    (lambda: e.query_gradient([[np.inf]], [[1.0]], 1.0), "jacobian"),
])  # fmt: skip
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
