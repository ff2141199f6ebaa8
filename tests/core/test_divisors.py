"""Divisors: the formulas, and cosine similarity against the vectors themselves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.checks import InputError
from attention.divisors import CONSTANT, HEADS, divisor, norms


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


@pytest.mark.parametrize(("arguments", "more", "argument"), [
    (("cosine", 4), {}, "name"), (("nothing", 4), {}, "name"), ((1, 4), {}, "name"), (("sqrt", 0), {}, "d_k"),
    (("sqrt", 4.0), {}, "d_k"), (("log", 1), {}, "d_k"), (("model", 4), {"heads": 0}, "heads"),
    *((("power", 4), {"alpha": alpha}, "alpha") for alpha in (1.1, -0.1, math.nan, "1", True)),
])  # fmt: skip
def test_what_is_no_divisor_is_refused(arguments, more, argument):
    with pytest.raises(InputError) as caught:
        divisor(*arguments, **more)
    assert caught.value.argument == argument


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


@pytest.mark.parametrize(("q_squared", "gram", "argument"), [
    ([1.0], [[1.0]], "gram"), ([1.0, 1.0], [[[1.0]]], "gram"), ([1.0], [[[1.0, 2.0]]], "gram"),
    ([-1.0], [[[1.0]]], "q_squared"), ([math.nan], [[[1.0]]], "q_squared"), ([1.0], [[[-1.0]]], "gram"),
    ([-1.0], [[[-1.0]]], "q_squared"),
])  # fmt: skip
def test_norms_of_what_does_not_fit_are_refused(q_squared, gram, argument):
    with pytest.raises(InputError) as caught:
        norms(q_squared, gram)
    assert caught.value.argument == argument
