"""RoPE, ALiBi and shifts of the sinusoidal code, against formulas of another form."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    InputError,
    alibi_bias,
    alibi_slopes,
    attention_steps,
    biased_steps,
    causal_mask,
    position_shift,
    rotary,
    sinusoidal_positions,
)


def by_complex_numbers(x, positions, base):
    """RoPE as a product: each pair of columns is a complex number, and e^(i p θ) turns it."""
    d = x.shape[-1] // 2 * 2
    pairs = np.ascontiguousarray(x[..., :d]).view(np.complex128)  # (..., n, d / 2)
    theta = np.array([base ** (-2 * i / d) for i in range(d // 2)])
    turned = pairs * np.exp(1j * np.multiply.outer(np.asarray(positions, dtype=float), theta))
    return np.concatenate([turned.view(np.float64), x[..., d:]], axis=-1)


def by_matrices(x, positions, base):
    """RoPE as a matrix a position, entry by entry."""
    d = x.shape[-1]
    rows = []
    for row, p in zip(x, positions, strict=True):
        R = np.eye(d)
        for i in range(d // 2):
            angle = p * base ** (-2 * i / (d // 2 * 2))
            R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [
                [math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)],
            ]  # fmt: skip
        rows.append(R @ row)
    return np.array(rows)


@pytest.mark.parametrize("d", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("base", [10_000.0, 7])
def test_rotary_is_a_product_of_complex_numbers_and_of_matrices(d, base):
    x = np.random.default_rng(d).standard_normal((5, d))
    positions = [0, 3, 1, 40, 2.5]
    turned = rotary(x, positions, base)
    np.testing.assert_allclose(turned, by_complex_numbers(x, positions, base), atol=1e-13, strict=True)
    np.testing.assert_allclose(turned, by_matrices(x, positions, base), atol=1e-13, strict=True)


def test_rotary_counts_from_0_and_keeps_batches_and_its_argument():
    x = np.random.default_rng(1).standard_normal((2, 3, 5, 4))
    before = x.copy()
    turned = rotary(x)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(turned[..., 0, :], x[..., 0, :])
    np.testing.assert_array_equal(turned, rotary(x, np.arange(5)))
    for b in np.ndindex(2, 3):
        np.testing.assert_array_equal(turned[b], rotary(x[b]))
    own = np.arange(30.0).reshape(2, 3, 5)  # positions of its own for each sequence
    np.testing.assert_array_equal(rotary(x, own)[1, 2], rotary(x[1, 2], own[1, 2]))


def test_of_an_odd_number_of_columns_the_last_stays():
    x = np.random.default_rng(2).standard_normal((4, 5))
    turned = rotary(x)
    np.testing.assert_array_equal(turned[:, 4], x[:, 4])
    np.testing.assert_array_equal(turned[:, :4], rotary(x[:, :4]))
    np.testing.assert_array_equal(rotary(x[:, :1]), x[:, :1])


@settings(max_examples=25)
@given(st.integers(1, 9), st.integers(0, 500), st.integers(0, 10_000))
def test_rotated_scores_depend_on_relative_positions_only(d, shift, seed):
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((5, d)), rng.standard_normal((7, d))
    m, n = rng.integers(0, 50, 5), rng.integers(0, 50, 7)
    here = rotary(q, m) @ rotary(k, n).T
    there = rotary(q, m + shift) @ rotary(k, n + shift).T
    np.testing.assert_allclose(here, there, atol=1e-10)
    np.testing.assert_allclose(here[0, 0], q[0] @ rotary(k[:1], [n[0] - m[0]])[0], atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(rotary(q, m), axis=1), np.linalg.norm(q, axis=1), atol=1e-12)


def test_added_sinusoids_do_not_have_that_property():
    q, k = np.random.default_rng(3).standard_normal((2, 5, 6))
    code = sinusoidal_positions(20, 6)
    here, there = ((q + code[s : s + 5]) @ (k + code[s : s + 5]).T for s in (0, 9))
    assert np.abs(here - there).max() > 0.1


#: From the paper's own code: a power of two, then numbers between.
SLOPES = {
    1: [2**-8],
    2: [2**-4, 2**-8],
    8: [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256],
    3: [2**-4, 2**-8, 2**-2],
    6: [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3],
    12: [2**-1, 2**-2, 2**-3, 2**-4, 2**-5, 2**-6, 2**-7, 2**-8, 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5],
}


@pytest.mark.parametrize("n_heads", SLOPES)
def test_the_slopes_are_the_papers(n_heads):
    np.testing.assert_allclose(alibi_slopes(n_heads), SLOPES[n_heads], rtol=1e-15)


@pytest.mark.parametrize("n_heads", range(1, 40))
def test_the_slopes_follow_the_recursion(n_heads):
    def slopes(n):
        if math.log2(n).is_integer():
            start = 2 ** -(2 ** -(math.log2(n) - 3))
            return [start * start**i for i in range(n)]
        closest = 2 ** math.floor(math.log2(n))
        return slopes(closest) + slopes(2 * closest)[0::2][: n - closest]

    np.testing.assert_allclose(alibi_slopes(n_heads), slopes(n_heads), rtol=1e-12)


def test_the_bias_is_slope_times_distance():
    bias = alibi_bias(3, 5)
    assert bias.shape == (3, 5, 5)
    for h, i, j in np.ndindex(bias.shape):
        assert bias[h, i, j] == -SLOPES[3][h] * abs(i - j)
    assert not np.signbit(bias[0, 0, 0])
    np.testing.assert_array_equal(bias[:, 2:, 2:], bias[:, :3, :3])  # shifted: nothing changes


def test_a_bias_is_added_after_scaling_and_before_the_mask():
    rng = np.random.default_rng(4)
    Q, K, V = rng.standard_normal((2, 5, 3)), rng.standard_normal((2, 7, 3)), rng.standard_normal((2, 7, 2))
    bias, mask = rng.standard_normal((5, 7)), causal_mask(5, 7)
    mask[3] = False
    steps = biased_steps(Q, K, V, bias, mask, scale="linear")
    plain = attention_steps(Q, K, V, mask, scale="linear")
    np.testing.assert_array_equal(steps.scores, plain.scores)
    np.testing.assert_array_equal(steps.scaled, plain.scaled)
    powers = np.where(mask, np.exp(Q @ K.swapaxes(1, 2) / 3 + bias), 0)
    total = powers.sum(axis=-1, keepdims=True)
    expected = powers / np.where(total, total, 1)
    np.testing.assert_allclose(steps.weights, expected, atol=1e-14)
    np.testing.assert_allclose(steps.output, expected @ V, atol=1e-13)
    assert (steps.output[:, 3] == 0).all()
    assert np.isneginf(steps.masked[:, ~mask]).all()


def test_a_bias_of_0_changes_nothing():
    Q, K, V = np.random.default_rng(5).standard_normal((3, 5, 4))
    for name in ("masked", "weights", "output"):
        np.testing.assert_array_equal(
            getattr(biased_steps(Q, K, V, np.zeros((5, 5))), name), getattr(attention_steps(Q, K, V), name)
        )


@settings(max_examples=25)
@given(st.integers(0, 300), st.integers(1, 8), st.integers(0, 100))
def test_the_shift_matrix_takes_each_code_to_the_one_k_later(k, pairs, p):
    d_model = 2 * pairs
    code = sinusoidal_positions(p + k + 1, d_model)
    M = position_shift(k, d_model)
    np.testing.assert_allclose(M @ code[p], code[p + k], atol=1e-11)
    np.testing.assert_allclose(M @ M.T, np.eye(d_model), atol=1e-12)  # a rotation: it keeps lengths
    assert np.linalg.det(M) == pytest.approx(1)


@settings(max_examples=25)
@given(st.permutations(range(6)), st.integers(0, 10_000))
def test_attention_without_positions_only_moves_its_rows(order, seed):
    rng = np.random.default_rng(seed)
    Q, K, V = rng.standard_normal((6, 3)), rng.standard_normal((6, 3)), rng.standard_normal((6, 2))
    order = list(order)
    moved = attention_steps(Q[order], K[order], V[order])
    np.testing.assert_allclose(moved.output, attention_steps(Q, K, V).output[order], atol=1e-13)


def test_alibi_knows_how_far_and_not_to_which_side():
    Q, K, V = np.random.default_rng(6).standard_normal((3, 5, 4))
    bias = alibi_bias(8, 5)[0]
    back = biased_steps(Q[::-1], K[::-1], V[::-1], bias).output[::-1]
    np.testing.assert_allclose(back, biased_steps(Q, K, V, bias).output, atol=1e-13)
    turned = attention_steps(rotary(Q[::-1]), rotary(K[::-1]), V[::-1]).output[::-1]
    assert np.abs(turned - attention_steps(rotary(Q), rotary(K), V).output).max() > 0.01


@pytest.mark.parametrize(("call", "code", "argument"), [
    (lambda: rotary([1.0, 2.0]), "axes", "x"),
    (lambda: rotary([[1.0, np.nan]]), "finite", "x"),
    (lambda: rotary([["a", "b"]]), "not_numbers", "x"),
    (lambda: rotary(np.ones((3, 2)), [0, 1]), "shape", "positions"),
    (lambda: rotary(np.ones((3, 2)), [0, 1, np.inf]), "finite", "positions"),
    (lambda: rotary(np.ones((3, 2)), base=0), "scale", "base"),
    (lambda: rotary(np.ones((3, 2)), base=True), "scale", "base"),
    (lambda: rotary(np.ones((3, 2)), base=np.nan), "scale", "base"),
    (lambda: alibi_slopes(0), "whole_number", "n_heads"),
    (lambda: alibi_bias(2, 1.0), "whole_number", "n"),
    (lambda: alibi_bias(True, 2), "whole_number", "n_heads"),
    (lambda: position_shift(-1, 4), "whole_number", "k"),
    (lambda: position_shift(1, 5), "d_model", "d_model"),
    (lambda: biased_steps(*np.ones((3, 2, 2)), np.ones((3, 2))), "shape", "bias"),
    (lambda: biased_steps(*np.ones((3, 2, 2)), [[-np.inf, 0], [0, 0]]), "finite", "bias"),
    (lambda: biased_steps(*np.ones((3, 2, 2)), [0.0, 0.0]), "axes", "bias"),
])  # fmt: skip
def test_bad_input_is_named(call, code, argument):
    with pytest.raises(InputError) as raised:
        call()
    assert (raised.value.code, raised.value.argument) == (code, argument)


@pytest.mark.torch
def test_rotary_and_alibi_equal_torch():
    """RoPE as PyTorch code writes it, with polar and view_as_complex; ALiBi as a float mask of the fused attention."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    rng = np.random.default_rng(7)
    Q, K, V = rng.standard_normal((2, 3, 5, 4)), rng.standard_normal((2, 3, 5, 4)), rng.standard_normal((2, 3, 5, 7))
    q, k, v = map(torch.tensor, (Q, K, V))
    theta = 10_000 ** (-torch.arange(0, 4, 2, dtype=torch.float64) / 4)
    angle = torch.outer(torch.arange(5, dtype=torch.float64), theta)
    turns = torch.polar(torch.ones_like(angle), angle)
    rotated = [
        torch.view_as_real(torch.view_as_complex(x.reshape(2, 3, 5, 2, 2)) * turns).flatten(-2) for x in (q, k)
    ]
    for ours, theirs in zip((rotary(Q), rotary(K)), rotated, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-12)
    np.testing.assert_allclose(
        attention_steps(rotary(Q), rotary(K), V).output, sdpa(*rotated, v).numpy(), atol=1e-12
    )
    distance = (torch.arange(5)[:, None] - torch.arange(5)).abs()
    bias = -torch.tensor([2**-4, 2**-8, 2**-2], dtype=torch.float64)[:, None, None] * distance
    np.testing.assert_allclose(
        biased_steps(Q, K, V, alibi_bias(3, 5)).output, sdpa(q, k, v, attn_mask=bias).numpy(), atol=1e-12
    )
