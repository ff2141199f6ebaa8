"""Softmax at a temperature: against its formula, and towards its limits."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import InputError, softmax, tempered_softmax

SCORES = st.lists(st.floats(-50, 50).map(lambda x: round(x, 3)), min_size=1, max_size=7)


@given(SCORES, st.floats(0.01, 100))
def test_it_is_the_softmax_of_the_divided_scores(scores, temperature):
    largest = max(scores)
    powers = [math.exp((x - largest) / temperature) for x in scores]
    expected = [power / math.fsum(powers) for power in powers]
    np.testing.assert_allclose(tempered_softmax(scores, temperature), expected, rtol=1e-12, atol=1e-300)


@given(SCORES)
def test_at_zero_the_best_share_everything_which_is_where_low_temperatures_lead(scores):
    hard = tempered_softmax(scores, 0)
    best = [x == max(scores) for x in scores]
    assert hard.tolist() == [b / sum(best) for b in best]
    np.testing.assert_allclose(tempered_softmax(scores, 1e-6), hard, atol=1e-9)


def test_one_is_plain_softmax_and_every_axis_works():
    x = np.random.default_rng(1).standard_normal((2, 3, 5))
    for axis in (0, 1, 2, -1):
        np.testing.assert_allclose(tempered_softmax(x, 1, axis), softmax(x, axis), rtol=1e-14)
        assert (tempered_softmax(x, 0, axis).max(axis=axis) == 1).all()


def test_masked_huge_and_empty_rows_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for temperature in (0, 1e-9, 1, 1e9):
            weights = tempered_softmax([[1e12, -1e12, -np.inf], [-np.inf] * 3], temperature)
            assert weights[0, 2] == 0
            assert weights[0].sum() == pytest.approx(1)
            assert np.isnan(weights[1]).all()


@pytest.mark.parametrize("temperature", [-1, float("nan"), float("inf"), "1", None, True])
def test_no_other_temperature(temperature):
    with pytest.raises(InputError) as error:
        tempered_softmax([1.0, 2.0], temperature)
    assert error.value.argument == "temperature"
