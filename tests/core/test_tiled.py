"""Attention by blocks: the same result, in a fraction of the memory."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import InputError, attention_steps, causal_mask, tiled, tiled_attention, tiled_steps

MiB = 2**20


def close(actual, expected, tolerance=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def drawn(rng, *shapes, spread=1.0, dtype=np.float64):
    return [(spread * rng.standard_normal(shape)).astype(dtype) for shape in shapes]


@given(st.data())
def test_equals_attention_steps_whatever_the_shapes_masks_and_blocks(data):
    n_q, n_k, d_k, d_v, rows, keys = (data.draw(st.integers(1, 13)) for _ in range(6))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    Q, K, V = drawn(rng, (n_q, d_k), (n_k, d_k), (n_k, d_v), spread=data.draw(st.sampled_from([0.1, 1, 30])))
    mask = data.draw(st.sampled_from([None, rng.random((n_q, n_k)) < 0.4]))  # often with rows that see nothing
    expected = attention_steps(Q, K, V, mask).output
    close(tiled_attention(Q, K, V, mask, block=(rows, keys)), expected)
    close(tiled_attention(Q, K, V, mask), expected)
    close(tiled_attention(Q, K, V, mask, block=keys), expected)


def test_leading_axes_broadcast_as_they_do_there():
    rng = np.random.default_rng(0)
    Q, K, V = drawn(rng, (2, 1, 5, 3), (7, 11, 3), (11, 13))
    mask = rng.random((7, 5, 11)) < 0.5
    expected = attention_steps(Q, K, V, mask).output
    assert expected.shape == (2, 7, 5, 13)
    close(tiled_attention(Q, K, V, mask, block=(2, 3)), expected)
    (wide,) = drawn(rng, (3, 2, 7, 11, 13))  # values with an axis that queries and keys lack
    close(tiled_attention(Q, K, wide, mask, block=(2, 3)), attention_steps(Q, K, wide, mask).output)


@pytest.mark.parametrize("size", [1e3, 1e6, 1e15, 2e29])
def test_huge_scores_neither_overflow_nor_drift(size):
    Q, K = size * np.array([[1.0, -2], [0, 0], [3, 1]]), size * np.array([[1.0, 0], [1, 0], [0, 2], [-4, 1], [2, 2]])
    V = np.arange(10.0).reshape(5, 2)
    for block in (1, 2, 3, 5):
        close(tiled_attention(Q, K, V, block=block), attention_steps(Q, K, V).output)


@pytest.mark.parametrize("keys", [1, 2, 4])
def test_queries_that_see_nothing_get_0_also_where_they_see_something_late(keys):
    rng = np.random.default_rng(1)
    Q, K, V = drawn(rng, (3, 2), (7, 2), (7, 5))
    mask = np.zeros((3, 7), bool)
    mask[1, 6] = mask[2, 0] = True
    output = tiled_attention(Q, K, V, mask, block=(2, keys))
    np.testing.assert_array_equal(output, [np.zeros(5), V[6], V[0]])


def test_float32_stays_float32_and_is_as_exact_as_that_allows():
    Q, K, V = drawn(np.random.default_rng(2), (130, 24), (170, 24), (170, 9), dtype=np.float32)
    mask = np.random.default_rng(3).random((130, 170)) < 0.5
    output = tiled_attention(Q, K, V, mask, block=(48, 64))
    assert output.dtype == np.float32
    close(output, attention_steps(Q, K, V, mask).output, 3e-6)
    close(tiled.textbook(Q, K, V), attention_steps(Q, K, V).output, 3e-6)
    assert tiled_attention(Q, K.astype(np.float64), V).dtype == np.float64
    assert tiled_attention([[1]], [[1]], [[2]]).dtype == np.float64


def test_arguments_are_left_alone():
    given_ = drawn(np.random.default_rng(4), (5, 3), (7, 3), (7, 2))
    before = [x.copy() for x in given_]
    mask = causal_mask(5, 7)
    tiled_attention(*given_, mask, block=2)
    tiled_steps(*given_, mask)
    assert all(map(np.array_equal, given_, before))
    np.testing.assert_array_equal(mask, causal_mask(5, 7))


@pytest.mark.parametrize(("call", "code", "argument"), [
    (lambda Q, K, V: tiled_attention(Q, K[:, :2], V), "d_k", "K"),
    (lambda Q, K, V: tiled_attention(Q, K, V[:3]), "n_k", "V"),
    (lambda Q, K, V: tiled_attention(Q[0], K, V), "axes", "Q"),
    (lambda Q, K, V: tiled_attention(Q, K, V, np.ones((4, 5))), "mask_dtype", "mask"),
    (lambda Q, K, V: tiled_attention(Q, K, V, np.ones((2, 7), bool)), "mask_shape", "mask"),
    (lambda Q, K, V: tiled_attention(Q, K, V, block=0), "whole_number", "block"),
    (lambda Q, K, V: tiled_attention(Q, K, V, block=(2, 1.5)), "whole_number", "block"),
    (lambda Q, K, V: tiled_attention(Q, K, V, block=(2, 3, 4)), "shape", "block"),
    (lambda Q, K, V: tiled_attention(Q + np.nan, K, V), "finite", "Q"),
    (lambda Q, K, V: tiled_attention(*(np.float32(2e15) * x.astype(np.float32) for x in (Q, K, V))), "finite", "Q"),
    (lambda Q, K, V: tiled_steps(Q[None], K, V), "shape", "Q"),
    (lambda Q, K, V: tiled_steps(Q, K, V, block=-1), "whole_number", "block"),
])  # fmt: skip
def test_bad_input_is_named(call, code, argument):
    with pytest.raises(InputError) as error:
        call(np.ones((4, 3)), np.ones((5, 3)), np.ones((5, 2)))
    assert (error.value.code, error.value.argument) == (code, argument)


# Step by step.


@pytest.mark.parametrize("block", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("scale", ["sqrt", "none", 0.3])
def test_each_step_is_the_attention_over_the_keys_met_so_far(block, scale):
    rng = np.random.default_rng(5)
    Q, K, V = drawn(rng, (4, 3), (7, 3), (7, 2), spread=2)
    mask = rng.random((4, 7)) < 0.6
    steps, met = tiled_steps(Q, K, V, mask, block=block, scale=scale), 0
    for seen in steps:
        assert seen.keys == slice(met, min(met + block, 7))
        met = seen.keys.stop
        whole = attention_steps(Q, K[:met], V[:met], mask[:, :met], scale=scale)
        np.testing.assert_array_equal(seen.maximum, whole.masked.max(axis=-1, keepdims=True))
        powers = np.exp(whole.masked - np.where(np.isinf(seen.maximum), 0, seen.maximum))
        close(seen.powers, powers[:, seen.keys])
        close(seen.total, powers.sum(axis=-1, keepdims=True))
        close(seen.gathered, powers @ V[:met])
        close(seen.output, whole.output)
    assert met == 7


def test_what_was_added_up_is_rescaled_by_how_far_the_maximum_rose():
    steps = tiled_steps([[1.0]], [[0.0], [2.0], [1.0], [5.0]], [[1.0], [1.0], [1.0], [1.0]], block=1)
    close([seen.maximum.item() for seen in steps], [0, 2, 2, 5])
    close([seen.rescale.item() for seen in steps], [0, np.exp(-2), 1, np.exp(-3)])  # 0: there was nothing before
    close(steps[-1].total.item(), np.exp(-5) + np.exp(-3) + np.exp(-4) + 1)


# What they cost.


def peak(function, *arguments):
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_with_n_and_the_formulas_say_how_much():
    """The output is counted, the arguments are not."""
    held = {}
    for n in (512, 1024):
        given_ = drawn(np.random.default_rng(6), *[(n, 16)] * 3, dtype=np.float32)
        assert peak(tiled.textbook, *given_) == pytest.approx(tiled.HELD * tiled.matrix_bytes(n), rel=0.05)
        held[n] = peak(lambda *x: tiled_attention(*x, block=(128, 256)), *given_)
        assert 0 <= held[n] - tiled.tiled_bytes(n, 16, (128, 256)) < 0.1 * MiB
    assert held[1024] - held[512] < 2 * 512 * 16 * 4  # as many more rows of output, and no matrix


@pytest.mark.parametrize("whole", [True, False])
def test_a_mask_is_not_copied(whole):
    Q, K, V = drawn(np.random.default_rng(7), *[(2048, 8)] * 3, dtype=np.float32)
    mask = np.ones((2048, 2048) if whole else (1, 2048), bool)
    held = peak(lambda: tiled_attention(Q, K, V, mask, block=(128, 256)))
    assert held < tiled.tiled_bytes(2048, 8, (128, 256)) + 0.2 * MiB < tiled.matrix_bytes(2048, itemsize=1)


class Counted(np.ndarray):
    """An array that notes what ufuncs read and write of matrices of its size."""

    passes = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [x.view(np.ndarray) if isinstance(x, Counted) else x for x in inputs]
        kwargs = {k: v for k, v in kwargs.items() if v is not None}
        result = getattr(ufunc, method)(*plain, **kwargs)
        Counted.passes += sum(np.shape(x) == (N, N) for x in [*plain, result])
        return result.view(Counted)


N = 37


def test_the_textbook_goes_through_a_whole_matrix_as_often_as_we_say():
    Counted.passes = 0
    tiled.textbook(*(x.view(Counted) for x in drawn(np.random.default_rng(8), (N, 5), (N, 5), (N, 5))))
    assert Counted.passes == tiled.PASSES


def test_the_tiled_one_reads_keys_and_values_once_for_each_block_of_queries():
    n, d, rows = 10, 3, 4
    read = sum(2 * n * d for _ in range(0, n, rows)) + n * d  # K and V each time, Q once
    assert tiled.tiled_traffic(n, d, (rows, 2), itemsize=1) == read + n * d  # and the output is written
