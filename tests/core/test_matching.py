"""One key that matches: against vectors written out, component by component."""

import math

import numpy as np
import pytest

from attention import InputError
from attention import matching as m
from attention.assumptions import LAWS, Components
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
    np.testing.assert_allclose(rows.ab, whole.ab, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(rows.aa, whole.aa, rtol=1e-10)


def written_out(of, seed, matches, sharing):
    """A query and its keys, component by component, as the formulas of the page have them."""
    for_a, for_b, for_shared = (np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(3))
    a, b = for_a.standard_normal((11, DRAWS)), for_b.standard_normal((11, DRAWS, 3))
    g, h = for_shared.standard_normal(DRAWS), for_shared.standard_normal((DRAWS, 3))
    r, r_e = of.shared, of.shared if sharing == "both" else 0
    x, e = math.sqrt(r) * g + math.sqrt(1 - r) * a, math.sqrt(r_e) * h + math.sqrt(1 - r_e) * b
    rho = np.array([of.rho] * 3 if matches == "all" else [of.rho, 0, 0])
    y = rho * x[..., None] + np.sqrt(1 - rho**2) * e
    return of.mean_q + of.sd_q * x, of.mean_k + of.sd_k * y


@pytest.mark.parametrize("matches", m.MATCHES)
@pytest.mark.parametrize("sharing", m.SHARING)
def test_scores_are_those_of_vectors_written_out(matches, sharing):
    of = Components(rho=-0.7, mean_q=0.4, mean_k=-1.2, sd_q=1.5, sd_k=0.3, shared=0.35)
    q, k = written_out(of, 5, matches, sharing)
    found = m.row_scores(m.draw_rows(DRAWS, STOPS, n_keys=3, seed=5), of, matches=matches, sharing=sharing)
    for s, d_k in enumerate(STOPS):
        np.testing.assert_allclose(found[s], np.einsum("id,idk->dk", q[:d_k], k[:d_k]), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_scores_of_every_law_have_the_variance_of_the_claim(law):
    scores = m.draw_scores(law, 3000, (1, 16), n_keys=3, seed=1)
    np.testing.assert_allclose(scores.var(axis=(1, 2)), [1, 16], rtol=0.15)
    np.testing.assert_allclose(scores.mean(axis=(1, 2)), 0, atol=0.2)


def test_what_all_keys_share_softmax_does_not_notice_and_what_one_has_it_does():
    """Evenness after ÷√d_k at d_k = 16 and 256: who stays, who falls."""
    rows, stops = m.draw_rows(1000, (16, 256), seed=3), (16, 256)

    def even(of, **how):
        return m.row_entropy(m.row_scores(rows, of, **how), stops)[:, 0]

    for stays in (even(Components()), even(Components(rho=0.9)), even(Components(mean_q=0.5, mean_k=0.5)),
                  even(Components(shared=0.3), sharing="q")):  # fmt: skip
        assert abs(stays[0] - stays[1]) < 0.03
    for falls in (even(Components(rho=0.9), matches="one"), even(Components(shared=0.3))):
        assert falls[1] < falls[0] - 0.2


def test_evenness_is_the_entropy_of_the_weights_and_its_interval_1_96_standard_errors():
    scores = m.draw_scores("laplace", 50, (4,), n_keys=3, seed=2)
    powers = np.exp(scores[0] / 2)
    p = powers / powers.sum(axis=1, keepdims=True)
    even = -(p * np.log(p)).sum(axis=1) / math.log(3)
    reach = 1.959964 * even.std(ddof=1) / math.sqrt(50)
    expected = [even.mean(), even.mean() - reach, even.mean() + reach]
    np.testing.assert_allclose(m.row_entropy(scores, (4,))[0], expected, rtol=1e-6)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: m.row_scores(m.draw_rows(2, (4,)), Components("signs")), "law"),
    (lambda: m.row_scores(m.draw_rows(2, (4,)), Components(), matches="none"), "matches"),
    (lambda: m.row_scores(m.draw_rows(2, (4,)), Components(), sharing="k"), "sharing"),
    (lambda: m.draw_scores("cauchy", 2), "law"),
    (lambda: m.draw_scores("signs", 1), "draws"),
    (lambda: m.row_entropy(np.zeros((2, 2, 2)), (1,)), "scores"),
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
