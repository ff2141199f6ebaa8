"""Each broken variant makes the mistake it is named after, by an independent formula, and no other."""

import warnings

import numpy as np
import pytest

from attention import attention as right
from attention import attention_steps, by_line, causal_mask, variants

RNG = np.random.default_rng(11)
B, N_Q, N_K, D_K, D_V = 2, 3, 5, 7, 11
Q, K, V = (RNG.standard_normal(shape) for shape in ((B, N_Q, D_K), (B, N_K, D_K), (B, N_K, D_V)))
MASK = RNG.random((N_Q, N_K)) < 0.6
MASK[:, 1], MASK[:, 2] = True, False


def share(powers, axis):
    return powers / powers.sum(axis=axis, keepdims=True)


def scores(divisor):
    return np.einsum("bid,bjd->bij", Q, K) / divisor


FORMULAS = {
    "wrong_axis": lambda: share(np.where(MASK, np.exp(scores(D_K**0.5)), 0), axis=1),
    "unstable": lambda: share(np.where(MASK, np.exp(scores(D_K**0.5)), 0), axis=2),
    "inverted_mask": lambda: share(np.where(MASK, 0, np.exp(scores(D_K**0.5))), axis=2),
    "late_mask": lambda: np.where(MASK, share(np.exp(scores(D_K**0.5)), axis=2), 0),
    "unscaled": lambda: share(np.where(MASK, np.exp(scores(1)), 0), axis=2),
    "overscaled": lambda: share(np.where(MASK, np.exp(scores(D_K)), 0), axis=2),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_by_an_independent_formula(name):
    with np.errstate(invalid="ignore"):  # a column that is masked throughout
        weights = FORMULAS[name]()
        output = variants.VARIANTS[name](Q, K, V, MASK)
    np.testing.assert_allclose(output, np.einsum("bij,bjd->bid", weights, V), rtol=1e-10, atol=1e-12)


def test_every_variant_is_tested():
    assert {*FORMULAS, "transposed"} == set(variants.VARIANTS)


def test_K_T_is_right_alone_refused_in_most_batches_and_silently_wrong_in_a_cube():
    np.testing.assert_array_equal(variants.transposed(Q[0], K[0], V[0], MASK), right(Q[0], K[0], V[0], MASK))
    with pytest.raises(ValueError, match="matmul"):
        variants.transposed(Q, K, V, MASK)
    q, k, v = RNG.standard_normal((3, 4, 4, 4))
    by_hand = np.array([[[sum(q[b, i, d] * k[j, d, b] for d in range(4)) for j in range(4)] for i in range(4)]
                        for b in range(4)])  # fmt: skip
    np.testing.assert_allclose(
        variants.transposed(q, k, v), share(np.exp(by_hand / 2), 2) @ v, rtol=1e-10
    )
    assert np.abs(variants.transposed(q, k, v) - right(q, k, v)).max() > 0.1


def test_only_the_overflowing_one_needs_large_scores():
    np.testing.assert_allclose(variants.unstable(Q, K, V, MASK), right(Q, K, V, MASK), rtol=1e-12)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        large = variants.unstable(Q * 1e4, K, V)
    assert np.isnan(large).any()
    assert [each.category for each in caught] == [RuntimeWarning]
    assert np.isfinite(right(Q * 1e4, K, V)).all()


def test_the_inverted_mask_leaks_the_future_and_leaves_the_last_token_nothing():
    weights = by_line.run(variants.inverted_mask, Q[0], K[0, :3], V[0, :3], causal_mask(3)).ran[-1].known["weights"]
    assert (weights[:2][np.tril_indices(2)] == 0).all()
    assert np.isnan(weights[2]).all()


def test_a_late_mask_loses_what_the_hidden_keys_had():
    weights = by_line.run(variants.late_mask, Q, K, V, MASK).ran[-1].known["weights"]
    assert (weights.sum(axis=-1) < 1).all()
    np.testing.assert_allclose(share(weights, 2), attention_steps(Q, K, V, MASK).weights, rtol=1e-12)


@pytest.mark.parametrize("name", variants.VARIANTS)
def test_the_source_differs_in_the_mistake_alone(name):
    """One line is another; in the late mask, which fills with 0 after softmax, it also stands elsewhere."""
    one, other = ([*by_line.listing(each).values()][1:] for each in (right, variants.VARIANTS[name]))
    assert len(one) == len(other)
    assert (len(set(one) - set(other)), len(set(other) - set(one))) == (1, 1)
    assert (one.index((set(one) - set(other)).pop()) == other.index((set(other) - set(one)).pop())) == (
        name != "late_mask"
    )


def test_the_unstable_softmax_lacks_the_maximum_alone():
    from attention import softmax

    one, other = ([*by_line.listing(each).values()][1:] for each in (softmax, variants.softmax_without_max))
    assert [(a, b) for a, b in zip(one, other, strict=True) if a != b] == [
        ("        powers: Array = np.exp(x - x.max(axis=axis, keepdims=True))", "        powers: Array = np.exp(x)")
    ]
