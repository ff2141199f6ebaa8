"""One key that matches: against vectors written out, component by component."""

import math

import numpy as np
import pytest

from attention import InputError
from attention import matching as m
from tests.core.drawing import drawn_at_once

DRAWS, STOPS = 7, (1, 2, 5, 11)


def test_the_matching_key_is_found_in_vectors_written_out():
    q, keys = drawn_at_once(DRAWS, 11, 8, 3)
    keys[:, :, 0] = 0.6 * q + 0.8 * keys[:, :, 0]
    found = m.match_weights(m.draw_rows(DRAWS, STOPS, n_keys=3, seed=8), 0.6)
    for s, d_k in enumerate(STOPS):
        scores = np.einsum("id,idk->dk", q[:d_k], keys[:d_k])
        for which, by in enumerate((1, math.sqrt(d_k), d_k)):
            powers = np.exp(scores / by)
            assert found[s, which, 0] == pytest.approx((powers[:, 0] / powers.sum(axis=1)).mean(), rel=1e-10)


def test_with_a_match_only_d_k_keeps_the_weight_the_same():
    found = m.match_weights(m.draw_rows(1000), 0.9)[:, :, 0]
    assert found[-1, 1] > 0.99
    assert found[1:, 2].max() - found[1:, 2].min() < 0.1


def test_the_intervals_are_1_96_standard_errors():
    found = m.match_weights(m.draw_rows(2, (4,), n_keys=3, seed=2), 0.5)[0, 0]
    q, keys = drawn_at_once(2, 4, 2, 3)
    keys[:, :, 0] = 0.5 * q + math.sqrt(0.75) * keys[:, :, 0]
    powers = np.exp(np.einsum("id,idk->dk", q, keys))
    one, other = powers[:, 0] / powers.sum(axis=1)
    reach = 1.96 * abs(one - other) / 2  # two numbers: s/√2, with N − 1 in the variance
    assert found == pytest.approx([(one + other) / 2, (one + other) / 2 - reach, (one + other) / 2 + reach], rel=1e-4)


def test_drawing_in_blocks_changes_nothing(monkeypatch):
    whole = m.draw_rows(DRAWS, STOPS, n_keys=3, seed=4)
    monkeypatch.setattr(m, "BLOCK", 6 * DRAWS)
    rows = m.draw_rows(DRAWS, STOPS, n_keys=3, seed=4)
    np.testing.assert_allclose(rows.qe, whole.qe, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(rows.qq, whole.qq, rtol=1e-10)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: m.draw_rows(1, (4,)), "draws"),
    (lambda: m.draw_rows(2, (4,), n_keys=0), "n_keys"),
    (lambda: m.draw_rows(2, ()), "stops"),
    (lambda: m.match_weights(m.draw_rows(2, (4,)), 1.01), "rho"),
    (lambda: m.match_weights(m.draw_rows(2, (4,)), [0.5]), "rho"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument
