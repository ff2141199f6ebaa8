"""Wrong and risky ways to mask, against formulas of their own: they fail in just the way that is claimed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention
from attention import InputError


@st.composite
def cases(draw, n_k_is_n_q=False):
    """Q, K, V and a mask in which every row keeps a key; all sizes differ."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_q, n_k, d_k, d_v = 5, 5 if n_k_is_n_q else 7, 3, 2
    Q, K, V = rng.normal(size=(n_q, d_k)), rng.normal(size=(n_k, d_k)), rng.normal(size=(n_k, d_v))
    mask = rng.random((n_q, n_k)) < 0.6
    mask[np.arange(n_q), rng.integers(n_k, size=n_q)] = True
    return Q, K, V, mask


def weights_by_hand(Q, K, mask, fill):
    """One number at a time, without subtracting a maximum."""
    rows = []
    for i, q in enumerate(Q):
        scores = [float(np.dot(q, k)) / math.sqrt(len(q)) if mask[i, j] else fill for j, k in enumerate(K)]
        powers = [math.exp(score) for score in scores]
        rows.append([power / math.fsum(powers) for power in powers])
    return np.array(rows)


@given(cases())
@settings(max_examples=25)
def test_masking_after_softmax_loses_exactly_what_the_masked_keys_had(case):
    Q, K, V, mask = case
    late, right = attention.masked_after_steps(*case), attention.attention_steps(*case)
    unmasked = weights_by_hand(Q, K, np.ones_like(mask), 0.0)
    np.testing.assert_allclose(late.weights, np.where(mask, unmasked, 0), atol=1e-15)
    left = late.weights.sum(axis=1)
    np.testing.assert_allclose(1 - left, attention.leaked_weights(unmasked, mask), atol=1e-12)
    np.testing.assert_allclose(late.weights, left[:, None] * right.weights, atol=1e-12)  # the right row, shrunk
    np.testing.assert_allclose(late.output, left[:, None] * right.output, atol=1e-12)


def test_the_example_of_1_2_5():
    steps = attention.masked_after_steps([[1.0]], [[1.0], [2.0], [5.0]], np.eye(3), [[True, True, False]])
    expected = (math.e + math.e**2) / (math.e + math.e**2 + math.e**5)
    assert steps.weights.sum() == pytest.approx(expected, abs=1e-15)
    assert f"{expected:.3f}" == "0.064"


@given(cases(), st.sampled_from([0.0, -1e-20, -math.e, -20.0]))
@settings(max_examples=25)
def test_a_finite_fill_leaves_masked_keys_its_share(case, fill):
    Q, K, V, mask = case
    steps, expected = attention.filled_steps(*case, fill), weights_by_hand(Q, K, mask, fill)
    np.testing.assert_allclose(steps.weights, expected, atol=1e-14)
    np.testing.assert_allclose(steps.output, expected @ V, atol=1e-13)
    leak = attention.leaked_weights(steps.weights, mask)
    np.testing.assert_allclose(leak, (expected * ~mask).sum(axis=1), atol=1e-14)
    assert (leak[~mask.all(axis=1)] > 0).all()
    np.testing.assert_allclose(attention.leaked_output(steps.weights, V, mask), (expected * ~mask) @ V, atol=1e-13)


@given(cases())
@settings(max_examples=25)
def test_minus_infinity_and_minus_1e9_leak_exactly_nothing_next_to_ordinary_scores(case):
    right = attention.attention_steps(*case).weights
    for fill in (-np.inf, -1e9):
        steps = attention.filled_steps(*case, fill)
        np.testing.assert_array_equal(steps.weights, right)
        assert not attention.leaked_weights(steps.weights, case[3]).any()


def test_a_row_without_keys_tells_them_apart():
    Q, K, V = [[1.0, 2.0]], [[3.0, 0.5], [-1.0, 4.0], [0.0, 1.0]], [[1.0], [2.0], [6.0]]
    none = np.zeros((1, 3), dtype=bool)
    assert np.isnan(attention.filled_steps(Q, K, V, none, -np.inf).weights).all()
    np.testing.assert_allclose(attention.filled_steps(Q, K, V, none, -1e9).weights, 1 / 3)
    scaled = attention.attention_steps(Q, K, V).scaled
    by_format = {name: attention.filled_weights(scaled, none, -1e9, name)[0] for name in ("float64", "float16")}
    np.testing.assert_allclose(by_format["float64"], 1 / 3)
    assert np.isnan(by_format["float16"]).all()


def test_narrow_formats_agree_with_wide_ones_up_to_their_digits():
    rng = np.random.default_rng(3)
    scaled, mask = rng.normal(size=(2, 5, 7)), rng.random((5, 7)) < 0.7
    mask[:, 0] = True
    wide = attention.filled_weights(scaled, mask, -np.inf)
    np.testing.assert_allclose(wide, attention.softmax(np.where(mask, scaled, -np.inf)), atol=1e-15)
    for name, digits in {"float32": 1e-6, "float16": 3e-3}.items():
        narrow = attention.filled_weights(scaled, mask, -1e9, name)
        np.testing.assert_allclose(narrow, wide, atol=digits)
        assert (narrow != wide).any()


@given(cases(n_k_is_n_q=True))
@settings(max_examples=25)
def test_a_cache_gives_what_the_causal_mask_gives(case):
    Q, K, V, _ = case
    expected = attention.attention_steps(Q, K, V, attention.causal_mask(len(Q))).output
    np.testing.assert_allclose(attention.cached_outputs(Q, K, V), expected, atol=1e-13)


def test_multiplications_are_those_of_the_two_products():
    Q, K, V = np.ones((2, 5)), np.ones((3, 5)), np.ones((3, 7))
    counted = sum(1 for q in Q for k in K for _ in zip(q, k, strict=True))
    counted += sum(1 for _ in Q for _ in K for _ in V[0])
    assert attention.multiplications(2, 3, 5, 7) == counted


ONE, TRUE = [[1.0]], [[True]]


@pytest.mark.parametrize(("code", "call"), [
    ("finite", lambda: attention.filled_steps(ONE, ONE, ONE, TRUE, math.nan)),
    ("finite", lambda: attention.filled_steps(ONE, ONE, ONE, TRUE, math.inf)),
    ("not_numbers", lambda: attention.filled_weights(ONE, TRUE, "much")),
    ("not_numbers", lambda: attention.filled_weights(ONE, TRUE, True)),
    ("choice", lambda: attention.filled_weights(ONE, TRUE, 0.0, "float8")),
    ("mask_shape", lambda: attention.leaked_weights(ONE, [[True], [True]])),
    ("mask_dtype", lambda: attention.leaked_weights(ONE, [[1]])),
    ("axes", lambda: attention.leaked_weights([1.0], TRUE)),
    ("weights", lambda: attention.leaked_weights([[2.0]], TRUE)),
    ("n_k", lambda: attention.leaked_output(ONE, [[1.0], [2.0]], TRUE)),
    ("mask_dtype", lambda: attention.masked_after_steps(ONE, ONE, ONE, [[0.0]])),
    ("shape", lambda: attention.cached_outputs(ONE, [[1.0], [1.0]], [[1.0], [1.0]])),
    ("axes", lambda: attention.cached_outputs([ONE], ONE, ONE)),
    ("whole_number", lambda: attention.multiplications(0, 1, 1, 1)),
])  # fmt: skip
def test_bad_input_is_named(code, call):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code
