"""What is true of attention whatever the numbers are."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention import (
    MultiHead,
    attention,
    attention_gradients,
    attention_steps,
    causal_mask,
    entropy,
    normalized_entropy,
    softmax,
    softmax_jacobian,
)

NUMBERS = st.floats(-30, 30, allow_subnormal=False)
SEEDS = st.integers(0, 10**6)


def matrices(n, d):
    return arrays(np.float64, (n, d), elements=NUMBERS)


@st.composite
def attentions(draw):
    """Q, K, V of small, usually different sizes."""
    n_q, n_k, d_k, d_v = (draw(st.integers(1, 5)) for _ in range(4))
    return draw(matrices(n_q, d_k)), draw(matrices(n_k, d_k)), draw(matrices(n_k, d_v))


@st.composite
def masked_attentions(draw):
    """Q, K, V and a mask, which may leave queries with nothing."""
    Q, K, V = draw(attentions())
    return Q, K, V, draw(arrays(bool, (len(Q), len(K))))


def close(actual, expected, tolerance=1e-9):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@given(masked_attentions(), st.sampled_from(["sqrt", "none", "linear", 0.3]))
def test_rows_add_up_to_1_and_masked_weights_are_exactly_0(inputs, scale):
    Q, K, V, mask = inputs
    steps = attention_steps(Q, K, V, mask, scale=scale)
    close(steps.weights.sum(axis=-1), mask.any(axis=-1).astype(float))  # a row with nothing has weights 0
    assert (steps.weights >= 0).all()
    assert (steps.weights[~mask] == 0).all()
    assert np.isneginf(steps.masked[~mask]).all()
    np.testing.assert_array_equal(steps.masked[mask], steps.scaled[mask])


@given(arrays(np.float64, (3, 5), elements=NUMBERS), st.floats(-1e6, 1e6))
def test_softmax_does_not_notice_a_number_added_to_all_scores(x, shift):
    close(softmax(x + shift), softmax(x), 1e-8)


@given(arrays(np.float64, (2, 3, 5), elements=NUMBERS), st.integers(-3, 2))
def test_softmax_adds_up_to_1_along_the_chosen_axis_only(x, axis):
    close(softmax(x, axis=axis).sum(axis=axis), np.ones(np.delete(x.shape, axis)))


@given(attentions(), SEEDS)
def test_permuting_keys_together_with_values_changes_nothing(inputs, seed):
    Q, K, V = inputs
    order = np.random.default_rng(seed).permutation(len(K))
    close(attention(Q, K[order], V[order]), attention(Q, K, V))


@given(attentions(), SEEDS)
def test_permuting_queries_permutes_outputs(inputs, seed):
    Q, K, V = inputs
    order = np.random.default_rng(seed).permutation(len(Q))
    close(attention(Q[order], K, V), attention(Q, K, V)[order])


@given(attentions())
def test_outputs_lie_within_the_range_of_the_values(inputs):
    Q, K, V = inputs
    output = attention(Q, K, V)
    assert (output <= V.max(axis=0) + 1e-9).all()
    assert (output >= V.min(axis=0) - 1e-9).all()


@given(st.integers(2, 7), SEEDS)
def test_with_a_causal_mask_later_tokens_never_change_earlier_rows(n, seed):
    rng = np.random.default_rng(seed)
    Q, K, V = rng.standard_normal((3, n, 3))
    before = attention(Q, K, V, causal_mask(n))
    K[-1], V[-1] = rng.standard_normal((2, 3))
    after = attention(Q, K, V, causal_mask(n))
    np.testing.assert_array_equal(after[:-1], before[:-1])
    assert not np.allclose(after[-1], before[-1])


@given(st.integers(1, 5), SEEDS)
def test_a_prefix_gives_the_rows_that_it_has_in_the_whole(n, seed):
    Q, K, V = np.random.default_rng(seed).standard_normal((3, 7, 3))
    close(attention(Q[:n], K[:n], V[:n], causal_mask(n)), attention(Q, K, V, causal_mask(7))[:n])


@given(attentions(), st.integers(1, 3))
def test_a_batch_is_its_members_one_by_one(inputs, batch):
    Q, K, V = (np.stack([(i + 1) * x for i in range(batch)]) for x in inputs)
    whole = attention(Q, K, V)
    for i in range(batch):
        close(whole[i], attention(Q[i], K[i], V[i]))


@given(arrays(np.float64, (3, 7), elements=st.floats(-700, 700)))
def test_entropy_lies_between_one_hot_and_uniform(x):
    p = softmax(x)
    assert (entropy(p) >= 0).all()
    assert (entropy(p) <= math.log(7) + 1e-12).all()
    close(normalized_entropy(p), entropy(p) / math.log(7))


@given(arrays(np.float64, (2, 5), elements=st.floats(-3, 3)))
def test_the_jacobian_is_the_slope_of_softmax(x):
    J, step = softmax_jacobian(softmax(x)), 1e-6
    assert J.shape == (2, 5, 5)
    for j in range(5):
        nudge = step * np.eye(5)[j]
        close(J[..., j], (softmax(x + nudge) - softmax(x - nudge)) / (2 * step), 1e-7)
    close(J.sum(axis=-1), np.zeros((2, 5)))


# heads: batch, n, d_model, h, d_k, d_v
HEADS = st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 7), *[st.integers(1, 3)] * 3)


@given(HEADS, SEEDS)
def test_the_contributions_of_the_heads_that_are_on_add_up_to_the_output(sizes, seed):
    batch, n, d_model, h, d_k, d_v = sizes
    rng = np.random.default_rng(seed)
    layer = MultiHead.random(d_model, h, d_k=d_k, d_v=d_v, seed=seed)
    X, on = rng.standard_normal((batch, n, d_model)), rng.random(h) < 0.5
    steps = layer.steps(X, heads_on=on)
    np.testing.assert_array_equal(steps.output, steps.contributions[:, on].sum(axis=1))
    close(steps.output, steps.concat @ layer.W_O.reshape(h * d_v, d_model), 1e-12)  # the paper's way
    np.testing.assert_array_equal(steps.contributions, layer.steps(X).contributions)  # silenced ones too


@given(HEADS, SEEDS)
def test_a_head_is_plain_attention_on_its_own_projections(sizes, seed):
    batch, n, d_model, h, d_k, d_v = sizes
    layer = MultiHead.random(d_model, h, d_k=d_k, d_v=d_v, seed=seed)
    X = np.random.default_rng(seed).standard_normal((batch, n, d_model))
    steps = layer.steps(X, causal_mask(n))
    for i in range(h):
        own = attention_steps(X @ layer.W_Q[i], X @ layer.W_K[i], X @ layer.W_V[i], causal_mask(n))
        close(steps.heads.weights[:, i], own.weights, 1e-12)
        close(steps.heads.output[:, i], own.output, 1e-12)
        close(steps.concat[..., i * d_v : (i + 1) * d_v], own.output, 1e-12)


def slope(loss, x):
    """The gradient of a loss by finite differences."""
    gradient = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        nudge = np.zeros_like(x)
        nudge[at] = 1e-6
        gradient[at] = (loss(x + nudge) - loss(x - nudge)) / 2e-6
    return gradient


@pytest.mark.parametrize("empty_rows", ["zero", "uniform"])
@pytest.mark.parametrize("scale", ["sqrt", "none", "linear", 3.7])
@given(seed=SEEDS)
def test_gradients_are_slopes(scale, empty_rows, seed):
    rng = np.random.default_rng(seed)
    Q, K, V = rng.standard_normal((2, 1, 3, 2)), rng.standard_normal((5, 2)), rng.standard_normal((3, 5, 1))
    mask = rng.random((3, 5)) < 0.6
    assume(not mask.all())
    d_output = rng.standard_normal((2, 3, 3, 1))

    def loss(Q, K, V):
        return (attention_steps(Q, K, V, mask, scale=scale, empty_rows=empty_rows).output * d_output).sum()

    steps = attention_steps(Q, K, V, mask, scale=scale, empty_rows=empty_rows)
    dQ, dK, dV = attention_gradients(steps, Q, K, V, d_output)
    close(dQ, slope(lambda x: loss(x, K, V), Q), 1e-7)
    close(dK, slope(lambda x: loss(Q, x, V), K), 1e-7)
    close(dV, slope(lambda x: loss(Q, K, x), V), 1e-7)
