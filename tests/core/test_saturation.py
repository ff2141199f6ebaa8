"""Random rows and what softmax makes of them: every figure the long way, the intervals hold, the claims are true."""

import math
from fractions import Fraction

import numpy as np
import pytest

from attention import InputError, divisors, experiment, normalized_entropy, responses, softmax, softmax_jacobian
from attention import saturation as s_
from attention.intervals import mean_interval
from tests.core.drawing import drawn_at_once

# n_keys, draws, d_k: all different, so that no swapped axis can pass.
DRAWS, KEYS, STOPS = 7, 3, (1, 2, 5, 11)


def column(name):
    return s_.COLUMNS.index(name)


@pytest.mark.parametrize("block", [1, 2 * DRAWS * KEYS, 4 * DRAWS * KEYS + 1, 10_000])
def test_growing_rows_is_the_matrix_product_of_the_first_components(block):
    q, k = drawn_at_once(DRAWS, STOPS[-1], 6, KEYS)
    grown = s_.grow_rows(DRAWS, STOPS, n_keys=KEYS, seed=6, block=block)
    for d_k, (scores, gram, q_squared) in zip(STOPS, grown, strict=True):
        K = k[:d_k].transpose(1, 2, 0)
        np.testing.assert_allclose(scores, np.einsum("dkc,cd->dk", K, q[:d_k]), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(gram, K @ K.transpose(0, 2, 1), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(q_squared, (q[:d_k] ** 2).sum(axis=0), rtol=1e-12)


def scaled(column, d_k, q, K):
    """Scores, and their derivative by q, (n, d_k): from the vectors themselves."""
    if column != "cosine":
        name, _, alpha = column.partition("_")
        by = d_k ** float(alpha) if name == "power" else divisors.divisor(column, d_k)
        return K @ q / by, K / by
    units, length = K / np.linalg.norm(K, axis=1, keepdims=True), np.linalg.norm(q)
    cosines = units @ q / length
    return cosines, (units - np.outer(cosines, q / length)) / length


@pytest.mark.parametrize("name", [*s_.COLUMNS[:8], "power_0.00", "power_0.30", "power_0.50", "power_1.00"])
def test_every_figure_is_softmax_of_the_rows_themselves(name):
    """Again, the long way: the Jacobian times the keys themselves, a row at a time."""
    study = s_.measure_saturation(DRAWS, STOPS, n_keys=KEYS, seed=7, examples=2)
    q, k = drawn_at_once(DRAWS, STOPS[-1], 7, KEYS)
    for s, d_k in enumerate(STOPS):
        at = s, column(name)
        if name == "cosine" and d_k == 1:  # ±1 whatever q is
            assert study.mean[at][0] < 1e-8
            continue
        if name == "log" and d_k == 1:
            assert np.isnan([*study.entropy[at], *study.dead[at], *study.median[at], study.few[at]]).all()
            continue
        rows = [scaled(name, d_k, q[:d_k, row], k[:d_k, row].T) for row in range(DRAWS)]
        weights = np.array([softmax(x) for x, _ in rows])
        jacobians = softmax_jacobian(weights)
        gradients = np.linalg.norm(jacobians @ np.array([slope for _, slope in rows]), axis=(1, 2))
        tight = {"rtol": 1e-9, "atol": 1e-12}
        np.testing.assert_allclose(study.entropy[at][0], normalized_entropy(weights).mean(), **tight)
        np.testing.assert_allclose([study.largest[at], *study.largest_within[at]], mean_interval(weights.max(axis=1)),
                                   **tight)  # fmt: skip
        np.testing.assert_allclose(study.dead[at][0], (np.linalg.norm(jacobians, axis=(1, 2)) < s_.DEAD).mean())
        norms = np.linalg.norm(jacobians, axis=(1, 2))
        np.testing.assert_allclose(study.below[at], [(norms < 0.1).mean(), (norms < 0.001).mean()])
        np.testing.assert_allclose(study.median[at][0], np.median(gradients), **tight)
        np.testing.assert_allclose(study.mean[at][0], np.mean(gradients), **tight)
        np.testing.assert_allclose(study.quantiles[at], np.quantile(gradients, s_.QUANTILES), **tight)
        np.testing.assert_allclose(study.few[at], gradients.max() / gradients.sum(), **tight)
        assert study.few_within[at][0] <= study.few[at] <= study.few_within[at][1]
        np.testing.assert_allclose(study.scores[s], [k[:d_k, row].T @ q[:d_k, row] for row in (0, 1)], **tight)
        if name == "cosine":
            np.testing.assert_allclose(study.cosines[s], [x for x, _ in rows[:2]], **tight)


@pytest.mark.parametrize("cosine", [False, True])
def test_the_gradient_is_the_derivative(cosine):
    """∂p/∂q by finite differences. With cosines, q's length is in the scores too."""
    rng = np.random.default_rng(8)
    q, K, h = rng.standard_normal(5), rng.standard_normal((3, 5)), 1e-6

    def weights(q):
        by = np.linalg.norm(q) * np.linalg.norm(K, axis=1) if cosine else 1.7
        return softmax(K @ q / by)

    slopes = [(weights(q + h * each) - weights(q - h * each)) / (2 * h) for each in np.eye(5)]
    rows = (q @ K.T)[None], (K @ K.T)[None]
    if cosine:
        entropy, _, gradient = responses.row_responses(*responses.cosine_rows(*rows, [q @ q]))
    else:
        entropy, _, gradient = responses.row_responses(*rows, 1.7)
    assert gradient == pytest.approx(np.linalg.norm(slopes), rel=1e-7)
    assert entropy == pytest.approx(normalized_entropy(weights(q)))


def test_a_saturated_row_keeps_its_digits():
    """1 − p of a row whose scores are 40 apart is 1e-17: in plain float64, 0. Again in exact fractions."""
    below = [Fraction(0), Fraction(-40), Fraction(-41)]
    powers = [Fraction(math.exp(float(x))) for x in below]
    p = [power / sum(powers) for power in powers]
    J = [[p[i] * ((i == j) - p[j]) for j in range(3)] for i in range(3)]
    wanted = math.sqrt(float(sum(x * x for row in J for x in row)))
    _, jacobian, gradient = responses.row_responses([[7.0, -33.0, -34.0]], [np.eye(3)], 1.0)
    assert wanted < 1e-16
    assert jacobian[0] == pytest.approx(wanted, rel=1e-12)
    assert gradient[0] == pytest.approx(wanted, rel=1e-12)  # keys of length 1, at right angles: J K has J's norm


def test_no_row_answers_more_strongly_than_one_that_two_keys_share():
    """‖J‖ is at most ½: what the limit of a dead row is to be compared with."""
    rng = np.random.default_rng(13)
    scores = rng.standard_normal((20_000, 8)) * rng.uniform(0, 20, (20_000, 1))
    _, norms, _ = responses.row_responses(scores, np.broadcast_to(np.eye(8), (20_000, 8, 8)))
    assert norms.max() <= 0.5
    _, shared, _ = responses.row_responses([[3.0, 3.0, -99.0]], [np.eye(3)])
    assert shared == pytest.approx(0.5)


def test_one_key_is_even_and_dead():
    study = s_.measure_saturation(5, (4,), n_keys=1)
    assert (study.entropy == 1).all()
    assert (study.dead[..., 0] == 1).all()
    assert (study.mean == 0).all()
    assert (study.largest == 1).all()


def test_the_intervals_cover_what_many_more_rows_say():
    """200 experiments of 300 rows each, undivided at d_k = 24: skewed, a third of them near 0."""
    truth = s_.measure_saturation(60_000, (24,), seed=12)
    names = ("entropy", "dead", "median", "mean")
    covered = dict.fromkeys([*names, "deviation"], 0)
    for seed in range(200):
        few = s_.measure_saturation(300, (24,), seed=1000 + seed)
        _, low, high = few.deviation[0]
        covered["deviation"] += low < math.sqrt(24) < high
        for name in names:
            _, low, high = getattr(few, name)[0, 0]
            covered[name] += low < getattr(truth, name)[0, 0, 0] < high
    assert all(0.9 <= hits / 200 <= 0.99 for hits in covered.values()), covered


def test_progress_is_told_and_ends_at_1():
    told = []
    s_.measure_saturation(100, (3, 40), report=told.append)
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
    return s_.measure_saturation(4000, (1, 16, 64, 512), seed=0)


@pytest.mark.parametrize(("d_k", "scale"), TABLE)
def test_the_known_table_comes_out_again(study, d_k, scale):
    entropy, dead, median, mean = TABLE[d_k, scale]
    at = study.d_k.index(d_k), column(scale)
    assert study.entropy[at][0] == pytest.approx(entropy, abs=0.015)
    assert study.dead[at][0] == pytest.approx(dead, abs=0.03)
    assert study.median[at][0] == pytest.approx(median, rel=0.02 if scale != "none" else 0.25, abs=0.001)
    assert study.mean[at][0] == pytest.approx(mean, rel=0.02 if scale != "none" else 0.15, abs=0.001)


def test_how_the_scores_spread_is_what_the_vectors_themselves_say(study):
    q, k = drawn_at_once(4000, 64, 0, 8)
    scores, s = np.einsum("dr,drk->rk", q, k), study.d_k.index(64)
    cosines = scores / np.linalg.norm(q, axis=0)[:, None] / np.linalg.norm(k, axis=0)
    for x, unit, deviation, counts in (
        (scores, 8, study.deviation, study.counts), (cosines, 1 / 8, study.cosine_deviation, study.cosine_counts)
    ):  # fmt: skip
        squares = (x**2).mean(axis=1)
        error = 1.96 * squares.std(ddof=1) / math.sqrt(4000)
        np.testing.assert_allclose(deviation[s], np.sqrt(squares.mean() + np.array([0, -error, error])), rtol=1e-5)
        np.testing.assert_array_equal(counts[s], np.histogram(x / unit, experiment.EDGES)[0])
    weights = {name: softmax(cosines if name == "cosine" else scores / s_.column_divisor(name, 64))
               for name in ("none", "cosine", "power_0.15")}  # fmt: skip
    for name, p in weights.items():
        evenness, at = normalized_entropy(p), study.at(64, name)
        error = 1.96 * evenness.std(ddof=1) / math.sqrt(4000)
        wanted = evenness.mean() + np.array([0, -error, error])
        np.testing.assert_allclose(study.entropy[at], wanted, rtol=1e-5)


@pytest.mark.parametrize("name", s_.COLUMNS)
def test_the_spread_is_that_of_theory_within_what_chance_allows(study, name):
    for d_k in study.d_k[1:]:
        theory = 1 / math.sqrt(d_k) if name == "cosine" else math.sqrt(d_k) / s_.column_divisor(name, d_k)
        middle, low, high = study.spread(d_k, name)
        assert low < middle < high
        assert abs(middle - theory) < 2 * (high - low)


def test_only_the_root_looks_the_same_at_every_d_k(study):
    ranges = dict(zip(s_.COLUMNS, np.ptp(study.entropy[1:, :, 0], axis=0), strict=True))
    assert min(s_.POWERS, key=ranges.__getitem__) == "power_0.50"
    assert study.entropy[study.at(512, "cosine")][0] > 0.99
    assert ranges["root_model"] < 0.01  # level too, but flatter: √8 too much
    assert study.entropy[study.at(512, "root_model")][0] > study.entropy[study.at(512, "sqrt")][0] + 0.1


def test_the_mean_gradient_rises_while_most_rows_die(study):
    none = column("none")
    at16, at64, at512 = (study.d_k.index(d_k) for d_k in (16, 64, 512))
    assert study.mean[at16, none, 0] < study.mean[at512, none, 0]
    assert study.median[at512, none, 0] < 0.01 * study.median[at16, none, 0]
    assert study.dead[at16, none, 0] < 0.1 < study.dead[at64, none, 0] < 0.5 < study.dead[at512, none, 0]
    assert study.mean[at512, none, 0] > 100 * study.median[at512, none, 0]
    assert study.few[at512, none] > 3 * study.few[at16, none]  # because a few carry ever more of it


@pytest.mark.parametrize("d_k", [16, 512])
def test_the_interval_of_the_part_of_the_few_is_that_of_a_bootstrap(d_k):
    study = s_.measure_saturation(3000, (d_k,), seed=4)
    scores, gram, _ = next(s_.grow_rows(3000, (d_k,), n_keys=8, seed=4))
    _, _, gradients = responses.row_responses(scores, gram)
    again = np.sort(np.random.default_rng(0).choice(gradients, (400, 3000)), axis=1)
    parts = again[:, -30:].sum(axis=1) / again.sum(axis=1)
    at = 0, column("none")
    assert study.few[at] == pytest.approx(np.sort(gradients)[-30:].sum() / gradients.sum())
    low, high = study.few_within[at]
    assert (low + high) / 2 == pytest.approx(study.few[at])
    assert (high - low) / 2 == pytest.approx(1.96 * parts.std(), rel=0.15)


def test_at_16_the_gradient_has_not_vanished(study):
    at16 = study.d_k.index(16)
    assert study.median[at16, column("none"), 0] > study.median[at16, column("sqrt"), 0]


def test_all_divisors_that_are_1_agree_at_1(study):
    same = [column(name) for name in ("none", "sqrt", "linear", "fifth", "power_0.25")]
    for figures in (study.entropy, study.dead, study.median, study.mean):
        np.testing.assert_allclose(figures[0, same], np.broadcast_to(figures[0, 0], (len(same), 3)))


def test_the_powers_meet_the_named_divisors(study):
    for name, power in zip(s_.SCALES, ("power_0.00", "power_0.50", "power_1.00"), strict=True):
        np.testing.assert_allclose(study.median[:, column(name)], study.median[:, column(power)], rtol=1e-9)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: s_.measure_saturation(1), "draws"),
    (lambda: s_.measure_saturation(10, n_keys=0), "n_keys"),
    (lambda: s_.measure_saturation(10, (4, 2)), "stops"),
    (lambda: s_.measure_saturation(10, seed=-1), "seed"),
    (lambda: s_.measure_saturation(10, seed=0.5), "seed"),
    (lambda: s_.measure_saturation(10, examples=-1), "examples"),
    (lambda: responses.row_responses([[np.inf]], [[[1.0]]]), "scores"),
    (lambda: responses.row_responses([[[1.0]]], [[[[1.0]]]]), "scores"),
    (lambda: responses.row_responses([[1.0]], [[1.0]]), "gram"),
    *((lambda by=by: responses.row_responses([[1.0]], [[[1.0]]], by), "divisor") for by in (0, -1.0, np.nan, True)),
    (lambda: responses.row_responses([[1.0, 2.0]], [[[1.0]]]), "gram"),
    (lambda: responses.cosine_rows([[1.0]], [[[1.0]]], [-1.0]), "q_squared"),
    (lambda: responses.cosine_rows([[1.0]], [[[1.0]]], [np.nan]), "q_squared"),
    (lambda: responses.cosine_rows([[1.0], [2.0]], [[[1.0]], [[1.0]]], [1.0]), "q_squared"),
    (lambda: responses.cosine_rows([[1.0]], [[[1.0]]], 1.0), "q_squared"),
    (lambda: responses.cosine_rows([[1.0, 1.0]], [[[1.0]]], [1.0]), "gram"),
    (lambda: responses.cosine_rows([[1.0]], [[[-1.0]]], [1.0]), "gram"),
    (lambda: responses.cosine_rows([1.0], [[[1.0]]], [1.0]), "scores"),
    (lambda: s_.column_divisor("cosine", 4), "name"),
    (lambda: s_.column_divisor("power_0.51", 4), "column"),
    (lambda: s_.column_divisor("log", 1), "d_k"),
    (lambda: s_.measure_saturation(2, (4,)).at(5, "sqrt"), "d_k"),
    (lambda: s_.measure_saturation(2, (4,)).spread(4, "power"), "column"),
])  # fmt: skip
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
