"""Divisors: the formulas, cosine similarity, and what is measured of each, against formulas and other code."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import divided, experiment, saturation
from attention.checks import InputError
from attention.divisors import CONSTANT, DIVISORS, HEADS, divisor, norms


@pytest.fixture(scope="module")
def measured():
    return divided.measure_divided(700, (4, 11, 64, 256), n_keys=5, seed=3, examples=2)


@pytest.fixture(scope="module")
def vectors():
    """The very vectors that grew to 64 components, drawn at once."""
    for_q, for_k = experiment.generators(3)
    return for_q.standard_normal((64, 700)), for_k.standard_normal((64, 700, 5))


def test_the_divisors_are_their_formulas():
    found = {name: divisor(name, 64) for name in CONSTANT}
    assert found == pytest.approx({
        "none": 1, "sqrt": 8, "linear": 64, "power": 8, "log": 6 * math.log(2), "fifth": 2**30,
        "root_model": math.sqrt(512), "model": 512,
    })  # fmt: skip
    assert HEADS == 8
    assert divisor("root_model", 64, heads=2) / divisor("sqrt", 64) == pytest.approx(math.sqrt(2))


@given(st.integers(1, 4096), st.floats(0, 1))
@settings(max_examples=25, deadline=None)
def test_a_power_lies_between_nothing_and_d_k(d_k, alpha):
    assert 1 <= divisor("power", d_k, alpha=alpha) <= d_k
    assert divisor("power", d_k, alpha=alpha) ** 2 == pytest.approx(d_k ** (2 * alpha))


@pytest.mark.parametrize(("arguments", "more"), [
    (("cosine", 4), {}), (("nothing", 4), {}), ((1, 4), {}), (("sqrt", 0), {}), (("sqrt", 4.0), {}), (("log", 1), {}),
    (("power", 4), {"alpha": 1.1}), (("power", 4), {"alpha": -0.1}), (("power", 4), {"alpha": math.nan}),
    (("power", 4), {"alpha": "1"}), (("power", 4), {"alpha": True}), (("model", 4), {"heads": 0}),
])  # fmt: skip
def test_what_is_no_divisor_is_refused(arguments, more):
    with pytest.raises(InputError):
        divisor(*arguments, **more)


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 7), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_divided_by_the_norms_scores_are_cosines(rows, keys, d, seed):
    draw = np.random.default_rng(seed)
    q, k = draw.standard_normal((rows, d)), draw.standard_normal((rows, keys, d))
    scores, gram = np.einsum("rd,rkd->rk", q, k), k @ k.swapaxes(1, 2)
    cosines = scores / norms((q**2).sum(axis=1), gram)
    wanted = [[np.dot(a / np.linalg.norm(a), b / np.linalg.norm(b)) for b in own] for a, own in zip(q, k, strict=True)]
    np.testing.assert_allclose(cosines, wanted, atol=1e-12)


def test_a_vector_of_length_0_has_a_cosine_of_0():
    np.testing.assert_array_equal(norms([0.0, 4.0], [[[9.0]], [[0.0]]]), [[1.0], [1.0]])


@pytest.mark.parametrize(("q_squared", "gram"), [
    ([1.0], [[1.0]]), ([1.0, 1.0], [[[1.0]]]), ([1.0], [[[1.0, 2.0]]]), ([-1.0], [[[1.0]]]), ([math.nan], [[[1.0]]]),
])  # fmt: skip
def test_norms_of_what_does_not_fit_are_refused(q_squared, gram):
    with pytest.raises(InputError):
        norms(q_squared, gram)


def test_the_rows_are_those_whose_softmax_is_measured_elsewhere(measured):
    saturated = saturation.measure_saturation(700, (4, 11, 64, 256), n_keys=5, seed=3)
    for which, name in enumerate(("none", "sqrt", "linear")):
        np.testing.assert_allclose(measured.entropy[:, measured.column(name)], saturated.entropy[:, which], atol=1e-12)


def test_scores_and_cosines_are_those_of_the_vectors(measured, vectors):
    q, k = vectors
    scores = np.einsum("dr,drk->rk", q, k)
    cosines = scores / np.linalg.norm(q, axis=0)[:, None] / np.linalg.norm(k, axis=0)
    s = measured.d_k.index(64)
    np.testing.assert_allclose(measured.scores[s], scores[:2], atol=1e-12)
    np.testing.assert_allclose(measured.cosines[s], cosines[:2], atol=1e-12)
    assert measured.deviation[s, 0] == pytest.approx(np.sqrt((scores**2).mean()))
    assert measured.cosine_deviation[s, 0] == pytest.approx(np.sqrt((cosines**2).mean()))
    for counts, x in ((measured.counts, scores / 8), (measured.cosine_counts, cosines * 8)):
        inside = (x >= experiment.EDGES[0]) & (x <= experiment.EDGES[-1])
        assert counts[s].sum() == inside.sum()
        assert counts[s][18] == ((x >= 0) & (x < 0.25)).sum()


def test_entropy_and_largest_weight_of_every_divisor(measured, vectors):
    q, k = vectors
    scores, s = np.einsum("dr,drk->rk", q, k), measured.d_k.index(64)
    for name, alpha in [(name, 0.5) for name in DIVISORS] + [("power", alpha) for alpha in (0.0, 0.15, 1.0)]:
        by = np.linalg.norm(q, axis=0)[:, None] * np.linalg.norm(k, axis=0) if name == "cosine" else divisor(
            name, 64, alpha=alpha
        )  # fmt: skip
        powers = np.exp(scores / by)
        p = powers / powers.sum(axis=1, keepdims=True)
        evenness = -(p * np.log(p)).sum(axis=1) / np.log(5)
        at = measured.column(name, alpha)
        assert measured.entropy[s, at] == pytest.approx(evenness.mean(), abs=1e-12)
        assert measured.error[s, at] == pytest.approx(1.96 * evenness.std(ddof=1) / math.sqrt(700), rel=1e-3, abs=1e-15)
        assert measured.top[s, at] == pytest.approx(p.max(axis=1).mean(), abs=1e-12)


def test_the_spread_is_that_of_theory_within_what_chance_allows(measured):
    for s, d_k in enumerate(measured.d_k):
        for name in DIVISORS:
            middle, low, high = measured.spread(s, name)
            theory = 1 / math.sqrt(d_k) if name == "cosine" else math.sqrt(d_k) / divisor(name, d_k)
            assert low < middle < high
            assert abs(middle - theory) < 2 * (high - low)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    covered = 0
    for seed in range(60):
        few = divided.measure_divided(100, (16,), n_keys=8, seed=seed, examples=1)
        covered += few.deviation[0, 1] < 4 < few.deviation[0, 2]
    assert covered >= 60 * 0.95 - 3 * math.sqrt(60 * 0.95 * 0.05)


def test_only_the_root_looks_the_same_at_every_d_k():
    found = divided.measure_divided(1500, (4, 64, 1024), seed=1)
    ranges = {alpha: np.ptp(found.entropy[:, found.column("power", alpha)]) for alpha in divided.ALPHAS}
    assert min(ranges, key=ranges.__getitem__) == 0.5
    assert found.entropy[-1, found.column("cosine")] > 0.99
    assert np.ptp(found.entropy[:, found.column("root_model")]) < 0.01  # level too, but flatter: √8 too much
    assert found.entropy[-1, found.column("root_model")] > found.entropy[-1, found.column("sqrt")] + 0.1


@pytest.mark.parametrize(("name", "alpha"), [("power", 0.51), ("nothing", 0.5)])
def test_what_was_not_measured_has_no_column(measured, name, alpha):
    with pytest.raises(InputError):
        measured.column(name, alpha)


@pytest.mark.parametrize("arguments", [(1, (4,)), (10, (1, 4)), (10, (4, 4)), (10, ()), (2.5, (4,))])
def test_what_cannot_be_measured_is_refused(arguments):
    with pytest.raises(InputError):
        divided.measure_divided(*arguments)
