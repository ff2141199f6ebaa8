"""The traps that learners and libraries fall into, each shown to be one, and shown to be avoided here."""

import warnings

import numpy as np
import pytest

from attention import InputError, attention, attention_steps, causal_mask, padding_mask, softmax

RNG = np.random.default_rng(5)
Q, K, V = RNG.standard_normal((3, 2)), RNG.standard_normal((5, 2)), RNG.standard_normal((5, 7))


def test_K_T_on_a_batch_reverses_all_axes_and_may_be_silently_wrong():
    K = RNG.standard_normal((2, 5, 3))
    Q = RNG.standard_normal((2, 7, 3))
    with pytest.raises(ValueError, match="matmul"):
        Q @ K.T  # (3, 5, 2): it fails, with luck
    cube_Q, cube_K, cube_V = RNG.standard_normal((3, 3, 3, 3))  # batch = n = d
    silently_wrong = cube_Q @ cube_K.T
    scores = attention_steps(cube_Q, cube_K, cube_V).scores
    assert silently_wrong.shape == scores.shape
    assert np.abs(silently_wrong - scores).max() > 0.5
    for b in range(3):
        np.testing.assert_allclose(scores[b], cube_Q[b] @ cube_K[b].T, rtol=1e-12)


FULLY_MASKED = {"zero": 0.0, "nan": np.nan, "uniform": 1 / 5}


@pytest.mark.parametrize("policy", FULLY_MASKED)
def test_a_fully_masked_row_follows_the_policy_without_a_warning(policy):
    mask = np.ones((3, 5), dtype=bool)
    mask[1] = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        steps = attention_steps(Q, K, V, mask, empty_rows=policy)
    weight = FULLY_MASKED[policy]
    np.testing.assert_array_equal(steps.weights[1], np.full(5, weight))
    np.testing.assert_allclose(steps.output[1], (V * weight).sum(axis=0), atol=1e-15)
    assert np.isneginf(steps.masked[1]).all()
    np.testing.assert_allclose(steps.output[[0, 2]], attention(Q, K, V)[[0, 2]], rtol=1e-12)


def test_the_short_version_gives_nan_for_a_fully_masked_row_without_a_warning():
    mask = np.ones((3, 5), dtype=bool)
    mask[1] = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output = attention(Q, K, V, mask)
    assert np.isnan(output[1]).all()
    assert np.isfinite(output[[0, 2]]).all()


def test_softmax_of_nothing_but_minus_infinity_is_nan_and_does_not_spread():
    p = softmax([[-np.inf, -np.inf], [0.0, -np.inf]])
    np.testing.assert_array_equal(p, [[np.nan, np.nan], [1.0, 0.0]])


def test_true_means_may_attend():
    only_key_2 = np.arange(5) == 2
    steps = attention_steps(Q, K, V, np.broadcast_to(only_key_2, (3, 5)))
    np.testing.assert_array_equal(steps.weights, np.broadcast_to(only_key_2.astype(float), (3, 5)))
    np.testing.assert_allclose(steps.output, np.broadcast_to(V[2], (3, 7)), rtol=1e-12)


def test_the_wrong_polarity_would_keep_only_the_future():
    square = RNG.standard_normal((5, 2))
    right, wrong = (
        attention_steps(square, square, V, mask).weights for mask in (causal_mask(5), ~causal_mask(5))
    )
    assert (right[np.triu_indices(5, 1)] == 0).all()
    assert (wrong[np.tril_indices(5)] == 0).all()


@pytest.mark.parametrize("dtype", [float, int, np.float32, np.int8])
def test_a_mask_of_numbers_is_refused_because_its_polarity_is_a_guess(dtype):
    with pytest.raises(InputError, match="True = may attend"):
        attention(Q, K, V, np.ones((3, 5), dtype=dtype))
    additive = np.where(np.ones((3, 5), dtype=bool), 0.0, -np.inf)
    with pytest.raises(InputError, match="True = may attend"):
        attention_steps(Q, K, V, additive)


def test_weights_add_up_along_keys_and_not_along_queries():
    square = RNG.standard_normal((5, 2))
    weights = attention_steps(square, square, V).weights
    np.testing.assert_allclose(weights.sum(axis=1), np.ones(5))
    assert np.abs(weights.sum(axis=0) - 1).max() > 0.05
    wrong = softmax(attention_steps(square, square, V).scaled, axis=0)
    assert np.abs(wrong - weights).max() > 0.05


def test_masking_after_softmax_is_not_the_same():
    mask = padding_mask(3, 5)
    steps = attention_steps(Q, K, V, mask)
    too_late = np.where(mask, attention_steps(Q, K, V).weights, 0.0)
    assert (too_late.sum(axis=-1) < 0.99).all()
    np.testing.assert_allclose(too_late / too_late.sum(axis=-1, keepdims=True), steps.weights, rtol=1e-12)


def test_large_scores_do_not_overflow():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(softmax([1e4, -1e4, 1e4]), [0.5, 0.0, 0.5])
        np.testing.assert_array_equal(softmax([1.7e308, -1.7e308]), [1.0, 0.0])
        steps = attention_steps([[1e30]], [[1e30], [-1e30]], [[1e30], [2.0]], scale=1e-30)
    np.testing.assert_array_equal(steps.output, [[1e30]])


def test_the_divisor_is_the_square_root_of_d_k_and_of_nothing_else():
    X = RNG.standard_normal((7, 5))
    steps = attention_steps(X, X, RNG.standard_normal((7, 2)))
    assert steps.divisor == np.sqrt(5)
    np.testing.assert_array_equal(steps.scaled, steps.scores / np.sqrt(5))


@pytest.mark.parametrize(
    ("scale", "divisor"), [("none", 1.0), ("linear", 2.0), (7, 7.0), (0.25, 0.25), (np.float64(3), 3.0)]
)
def test_other_divisors(scale, divisor):
    steps = attention_steps(Q, K, V, scale=scale)
    assert steps.divisor == divisor
    np.testing.assert_array_equal(steps.scaled, Q @ K.T / divisor)
