"""Broken assumptions: formulas against simulation, measurement against vectors written out."""

import math

import numpy as np
import pytest

from attention import InputError
from attention import assumptions as a
from attention import intervals as e
from attention.assumptions import Components

DRAWS, STOPS = 7, (1, 2, 5, 11)
BROKEN = [
    Components(rho=0.9), Components(rho=-1.0), Components(mean_q=0.5, mean_k=-1.5), Components(sd_q=2.0, sd_k=0.25),
    Components(shared=0.3), Components(shared=1.0), Components(mean_q=2.0, mean_k=2.0, sd_q=0.25, sd_k=0.25),
    Components(rho=-0.6, mean_q=1.3, mean_k=0.7, sd_q=0.5, sd_k=2.0, shared=0.2),
]  # fmt: skip


def vectors(of, draws, d_k, seed):
    """Pairs (q, k) from their covariance, with no sum taken before the end: (draws, d_k) each."""
    C = np.full((d_k, d_k), of.shared) + (1 - of.shared) * np.eye(d_k)
    both = np.array([[of.sd_q**2, of.rho * of.sd_q * of.sd_k], [of.rho * of.sd_q * of.sd_k, of.sd_k**2]])
    mean = np.repeat([of.mean_q, of.mean_k], d_k)
    drawn = np.random.default_rng(seed).multivariate_normal(mean, np.kron(both, C), draws, method="eigh")
    return drawn[:, :d_k], drawn[:, d_k:]


@pytest.mark.parametrize("of", BROKEN, ids=str)
def test_the_predictions_hold_for_vectors_drawn_from_their_covariance(of):
    for d_k in (1, 6):
        q, k = vectors(of, 60_000, d_k, 3)
        measured = a.measure_products((q * k).sum(axis=1)[None], (d_k,))
        mean, sd = a.predicted_mean(of, d_k), math.sqrt(a.predicted_variance(of, d_k))
        assert measured.mean[0, 0] == pytest.approx(mean, abs=5 * sd / math.sqrt(60_000))
        room = 2.5 * (measured.variance[0, 2] - measured.variance[0, 0])  # five standard errors
        assert measured.variance[0, 0] == pytest.approx(sd**2, abs=room)


def test_row_6_of_what_learners_ask():
    of = Components(rho=0.9)
    assert a.predicted_mean(of, 64) / 8 == pytest.approx(7.2)
    assert a.predicted_variance(of, 64) / 64 == pytest.approx(1.81)


@pytest.mark.parametrize("law", a.LAWS)
def test_independent_components_of_any_law_keep_the_claim(law):
    """E[x] = 0 and E[x²] = 1 are enough for Var = d_k; the fourth moment tells the laws apart."""
    x = a.draw_products(law, 200_000, (1, 5), seed=2)
    for d_k, row in zip((1, 5), x, strict=True):
        assert row.mean() == pytest.approx(0, abs=5 * math.sqrt(d_k / 200_000))
        assert row.var() == pytest.approx(d_k, rel=0.05)
        assert (a.predicted_mean(Components(law), d_k), a.predicted_variance(Components(law), d_k)) == (0, d_k)
    fourth = {"normal": 3, "uniform": 9 / 5, "signs": 1, "laplace": 6}[law]
    one = a._drawn(law, np.random.default_rng(1))((200_000, 2))
    assert (one**4).mean() == pytest.approx(fourth, rel=0.05)


def test_signs_are_signs_and_uniform_stays_within():
    assert set(np.unique(a.draw_products("signs", 500, (1,)))) == {-1.0, 1.0}
    assert np.abs(a.draw_products("uniform", 500, (1,))).max() < 3


@pytest.mark.parametrize("of", BROKEN, ids=str)
def test_the_sums_put_together_are_the_dot_products_of_vectors(of):
    """Vectors written out, component by component, from the same generators."""
    for_a, for_b, for_shared = (np.random.default_rng(each) for each in np.random.SeedSequence(5).spawn(3))
    x, y = for_a.standard_normal((STOPS[-1], DRAWS)), for_b.standard_normal((STOPS[-1], DRAWS))
    g, h = for_shared.standard_normal((2, DRAWS))
    rho, alone = of.rho, math.sqrt(1 - of.rho**2)
    q = of.mean_q + of.sd_q * (math.sqrt(of.shared) * (rho * h + alone * g) +
                               math.sqrt(1 - of.shared) * (rho * y + alone * x))  # fmt: skip
    k = of.mean_k + of.sd_k * (math.sqrt(of.shared) * h + math.sqrt(1 - of.shared) * y)
    put = a.normal_products(a.draw_sums(DRAWS, STOPS, seed=5), of)
    for d_k, row in zip(STOPS, put, strict=True):
        np.testing.assert_allclose(row, (q[:d_k] * k[:d_k]).sum(axis=0), rtol=1e-10, atol=1e-10)


def test_drawing_in_blocks_changes_nothing(monkeypatch):
    whole = a.draw_sums(DRAWS, STOPS, seed=4), a.draw_products("uniform", DRAWS, STOPS, seed=4)
    monkeypatch.setattr(a, "BLOCK", 2 * DRAWS)
    sums, products = a.draw_sums(DRAWS, STOPS, seed=4), a.draw_products("uniform", DRAWS, STOPS, seed=4)
    for name in ("a", "b", "ab", "bb", "g", "h"):
        np.testing.assert_allclose(getattr(sums, name), getattr(whole[0], name), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(products, whole[1], rtol=1e-10, atol=1e-12)


def test_the_intervals_hold_what_they_should_about_19_times_in_20():
    """At d_k = 4; Laplace components have the heaviest tails, shared parts come next."""
    for of in (Components(), Components("laplace"), Components(shared=0.5)):
        held = np.zeros(2)  # of the mean, of the variance
        for seed in range(100):
            if of.law == "normal":
                x = a.normal_products(a.draw_sums(3000, (1, 4), seed=seed), of)
            else:
                x = a.draw_products(of.law, 3000, (1, 4), seed=seed)
            found = a.measure_products(x, (1, 4))
            (_, low, high), true = found.variance[1], a.predicted_variance(of, 4)
            held += found.mean[1, 1] < 0 < found.mean[1, 2], low < true < high
        assert (held >= 86).all()


@pytest.mark.parametrize(("change", "code"), [
    ({"law": "cauchy"}, "choice"), ({"rho": 1.01}, "choice"), ({"shared": -0.1}, "choice"), ({"sd_q": 0.0}, "choice"),
    ({"mean_q": math.nan}, "finite"), ({"mean_k": "1"}, "not_numbers"), ({"rho": [1, 2]}, "not_numbers"),
    ({"law": "signs", "rho": 0.5}, "choice"),
])  # fmt: skip
def test_components_that_cannot_be_are_refused(change, code):
    with pytest.raises(InputError) as error:
        Components(**change)
    assert (error.value.code, error.value.argument) == (code, next(iter(change)))


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: a.predicted_mean(Components(), 0), "d_k"),
    (lambda: a.predicted_variance(Components(), 1.5), "d_k"),
    (lambda: a.draw_sums(0, (1,)), "draws"),
    (lambda: a.draw_sums(2, (4, 1)), "stops"),
    (lambda: a.normal_products(a.draw_sums(2, (1,)), Components("uniform")), "law"),
    (lambda: a.draw_products("cauchy", 2, (1,)), "law"),
    (lambda: a.draw_products("signs", True, (1,)), "draws"),
    (lambda: a.measure_products(np.zeros((2, 3)), (1,)), "products"),
    (lambda: a.measure_products([[1.0]], (1,)), "products"),
    (lambda: a.measure_products([[1.0, math.inf]], (1,)), "products"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument


def test_the_interval_of_a_mean_needs_two_numbers():
    low, high = e.mean_interval([1.0, 2.0, 6.0])[1:]
    reach = 1.959964 * math.sqrt(7 / 3)
    assert (low, high) == pytest.approx((3 - reach, 3 + reach), abs=1e-5)
    for bad in ([1.0], [1.0, math.inf]):
        with pytest.raises(InputError) as error:
            e.mean_interval(bad)
        assert error.value.argument == "x"
