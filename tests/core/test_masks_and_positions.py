"""Masks, position encodings, entropy and the multi-head layer: facts that can be checked by eye."""

import math

import numpy as np
import pytest

from attention import (
    MultiHead,
    causal_mask,
    combine_masks,
    entropy,
    normalized_entropy,
    padding_mask,
    sinusoidal_positions,
    sliding_window_mask,
    softmax_jacobian,
)


@pytest.mark.parametrize(("n_q", "n_k"), [(3, 3), (2, 5), (5, 2), (1, 7)])
def test_a_causal_mask_is_aligned_at_the_top_left(n_q, n_k):
    mask = causal_mask(n_q, n_k)
    assert mask.dtype == bool
    assert mask.tolist() == [[j <= i for j in range(n_k)] for i in range(n_q)]


def test_a_padding_mask_hides_keys_and_has_one_row():
    mask = padding_mask([[0, 2, 5], [1, 3, 4]], 5)
    assert mask.shape == (2, 3, 1, 5)
    assert mask[..., 0, :].sum(axis=-1).tolist() == [[0, 2, 5], [1, 3, 4]]
    assert padding_mask(2, 3).tolist() == [[True, True, False]]


def test_a_window_joined_with_a_causal_mask_leaves_the_last_tokens():
    mask = combine_masks(causal_mask(7), sliding_window_mask(7, 3))
    assert mask.sum(axis=1).tolist() == [1, 2, 3, 3, 3, 3, 3]
    assert np.flatnonzero(mask[5]).tolist() == [3, 4, 5]
    assert sliding_window_mask(5, 1).tolist() == np.eye(5, dtype=bool).tolist()


def test_masks_combine_by_and_with_broadcasting():
    mask = combine_masks(causal_mask(3), padding_mask([1, 2], 3))
    assert mask.shape == (2, 3, 3)
    assert mask[0].tolist() == [[True, False, False]] * 3
    assert combine_masks() is None
    assert combine_masks(None, None) is None
    original = causal_mask(3)
    combine_masks(original)[:] = False
    assert original.any()


def test_positions_follow_the_paper():
    positions = sinusoidal_positions(11, 7)
    assert positions.shape == (11, 7)
    for pos in range(11):
        for i in range(7):
            angle = pos / 10000 ** ((i - i % 2) / 7)
            assert positions[pos, i] == pytest.approx(
                math.cos(angle) if i % 2 else math.sin(angle), abs=1e-12
            )


def test_a_shift_of_positions_is_a_rotation():
    positions = sinusoidal_positions(13, 6).reshape(13, 3, 2)
    for pair, frequency in enumerate(10000 ** (-np.arange(3) / 3)):
        c, s = math.cos(5 * frequency), math.sin(5 * frequency)
        turned = positions[:8, pair] @ np.array([[c, -s], [s, c]])
        np.testing.assert_allclose(turned, positions[5:, pair], atol=1e-12)


def test_entropy_of_simple_weights():
    assert entropy([1.0, 0.0, 0.0]) == 0.0
    assert entropy([0.25] * 4) == pytest.approx(math.log(4))
    assert normalized_entropy([0.25] * 4) == pytest.approx(1.0)
    assert normalized_entropy([0.0, 1.0]) == 0.0
    assert normalized_entropy([1.0]) == 1.0
    assert all(normalized_entropy(np.full(n, 1 / n)) <= 1.0 for n in range(1, 100))
    assert entropy([[0.5, 1.0], [0.5, 0.0]], axis=0).tolist() == pytest.approx([math.log(2), 0.0])
    assert not np.signbit(entropy([1.0, 0.0]))


def test_rows_with_nothing_to_attend_to_pass_through():
    assert entropy([0.0, 0.0]) == 0.0
    assert np.isnan(entropy([np.nan, np.nan]))
    assert np.isnan(normalized_entropy([[np.nan]])).all()
    assert np.isnan(softmax_jacobian([np.nan, np.nan])).all()


def test_the_jacobian_has_a_matrix_for_each_row():
    J = softmax_jacobian([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    assert J.shape == (2, 3, 3)
    np.testing.assert_allclose(
        J[0], np.diag([0.5, 0.25, 0.25]) - np.outer([0.5, 0.25, 0.25], [0.5, 0.25, 0.25])
    )
    assert (J[1] == 0).all()


def test_shapes_of_a_random_layer():
    layer = MultiHead.random(7, 3, d_k=2, d_v=5, seed=11)
    assert [W.shape for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)] == [
        (3, 7, 2), (3, 7, 2), (3, 7, 5), (3, 5, 7),
    ]  # fmt: skip
    assert layer.n_heads == 3
    assert layer.n_parameters == 3 * 7 * (2 + 2 + 5 + 5)
    X = np.random.default_rng(0).standard_normal((2, 11, 7))
    steps = layer.steps(X, causal_mask(11), heads_on=[True, False, True])
    assert steps.Q.shape == steps.K.shape == (2, 3, 11, 2)
    assert steps.V.shape == steps.heads.output.shape == (2, 3, 11, 5)
    assert steps.heads.weights.shape == steps.heads.mask.shape == (2, 3, 11, 11)
    assert steps.contributions.shape == (2, 3, 11, 7)
    assert steps.concat.shape == (2, 11, 15)
    assert steps.output.shape == (2, 11, 7)
    assert (steps.concat[..., 5:10] == 0).all()
    assert (steps.concat[..., :5] != 0).all()
    assert (steps.contributions[:, 1] != 0).any()


def test_more_heads_are_not_more_parameters():
    assert {MultiHead.random(12, h).n_parameters for h in (1, 2, 3, 4, 6, 12)} == {4 * 12 * 12}


def test_a_seed_names_one_layer_and_another_d_v_leaves_queries_and_keys():
    layer = MultiHead.random(6, 2, seed=3)
    np.testing.assert_array_equal(layer.W_O, MultiHead.random(6, 2, seed=3).W_O)
    np.testing.assert_array_equal(layer.W_Q, MultiHead.random(6, 2, d_v=5, seed=3).W_Q)
    assert not np.array_equal(layer.W_Q, MultiHead.random(6, 2, seed=4).W_Q)
    assert not np.array_equal(layer.W_Q, layer.W_K)
    assert MultiHead.random(7, 2, d_k=3).W_V.shape == (2, 7, 3)  # d_v is d_k if left out
    wide = MultiHead.random(100, 2, seed=0)
    assert wide.W_Q.std() == pytest.approx(0.1, rel=0.05)


def test_all_heads_off_leave_nothing():
    steps = MultiHead.random(6, 2).steps(np.eye(6), heads_on=[False, False])
    assert (steps.output == 0).all()
    assert (steps.concat == 0).all()
    assert (steps.contributions != 0).any()


def test_a_query_without_keys_adds_nothing_in_any_head():
    mask = np.ones((5, 5), dtype=bool)
    mask[2] = False
    steps = MultiHead.random(6, 2).steps(np.ones((5, 6)), mask)
    assert (steps.output[2] == 0).all()
    assert (steps.output[[0, 1, 3, 4]] != 0).all()


def test_a_padding_mask_fits_a_batch_of_heads():
    X = np.random.default_rng(1).standard_normal((2, 5, 6))
    weights = MultiHead.random(6, 3).steps(X, padding_mask([2, 4], 5)).heads.weights
    assert (weights[0, ..., 2:] == 0).all()
    assert (weights[1, ..., :4] > 0).all()
