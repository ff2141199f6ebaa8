"""Whole distributions of q·k: against closed forms, brute-force integrals and simulation."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import InputError
from attention import assumptions as a
from attention import distributions as d
from attention.assumptions import Components

BROKEN = [
    Components(rho=0.9), Components(rho=-1.0), Components(mean_q=0.5, mean_k=-1.5), Components(sd_q=2.0, sd_k=0.25),
    Components(shared=0.3), Components(shared=1.0), Components(mean_q=2.0, mean_k=2.0, sd_q=0.25, sd_k=0.25),
    Components(mean_q=1.3, mean_k=0.7, sd_q=0.5, sd_k=2.0, shared=0.2),
    Components(rho=-0.6, sd_q=0.5, sd_k=2.0, shared=0.2),
]  # fmt: skip


def test_the_distance_is_the_largest_difference():
    sample, edges = np.array([0.1, 0.2, 0.2, 0.9]), np.array([0.15, 0.2, 0.5])
    assert d.distance(sample, edges, [0.15, 0.2, 0.5]) == pytest.approx(0.55)
    counted = [(sample <= edge).mean() for edge in edges]
    assert d.distance(sample, edges, counted) == 0


X = np.linspace(-12, 12, 97)


def two_exponentials(rho):
    """q·k at d_k = 2 is the difference of two exponentials with means 1 + ρ and 1 − ρ."""
    up, down = 1 + rho, 1 - rho
    below = down / 2 * np.exp(np.minimum(X, 0) / max(down, 1e-300)) if down else np.zeros(X.shape)
    return np.where(X < 0, below, 1 - up / 2 * np.exp(-np.maximum(X, 0) / up))


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9, 1.0, -0.7])
def test_two_components_are_the_difference_of_two_exponentials(rho):
    np.testing.assert_allclose(d.exact_cdf(Components(rho=rho), 2, X), two_exponentials(rho), atol=1e-9)


def test_an_even_number_of_components_is_a_finite_sum():
    """At d_k = 4, two Laplace variables added: F(x) = 1 − (2 + x) e^(−x)/4 for x ≥ 0."""
    above = 1 - (2 + np.abs(X)) * np.exp(-np.abs(X)) / 4
    np.testing.assert_allclose(d.exact_cdf(Components(), 4, X), np.where(X < 0, 1 - above, above), atol=1e-9)


@pytest.mark.parametrize("d_k", [2, 64, 256])
def test_equal_vectors_give_chi_squares(d_k):
    x = np.linspace(0.3, 2, 40) * d_k
    erlang = [1 - sum(math.exp(n * math.log(v / 2) - v / 2 - math.lgamma(n + 1)) for n in range(d_k // 2)) for v in x]
    np.testing.assert_allclose(d.exact_cdf(Components(rho=1.0), d_k, x), erlang, atol=1e-9)


@pytest.mark.parametrize("of", [Components(), *BROKEN[:1], *BROKEN[2:4], BROKEN[6]], ids=str)
def test_one_component_is_an_integral_over_q(of):
    """Given q, k is normal: P(qk < x) = ∫ Φ((x − q E[k|q]) / |q| sd(k|q)) dP(q), by brute force."""
    z = np.arange(-9, 9, 4e-4) + 1e-4
    q = of.mean_q + of.sd_q * z
    mean, sd = q * (of.mean_k + of.rho * of.sd_k * z), np.abs(q) * of.sd_k * math.sqrt(1 - of.rho**2)
    weight = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * 4e-4
    x = np.array([-2.0, 0.3, 3.7])
    brute = [(weight * d.normal_cdf((v - mean) / sd)).sum() for v in x]
    np.testing.assert_allclose(d.exact_cdf(of, 1, x), brute, atol=2e-8)


@pytest.mark.parametrize(("of", "d_k"), [*product(BROKEN, (1, 11)), (BROKEN[6], 256), (BROKEN[0], 64)])
def test_the_exact_curve_is_what_simulation_finds(of, d_k):
    sample = a.normal_products(a.draw_sums(20_000, (d_k,), seed=1), of)[0]
    mean, sd = a.predicted_mean(of, d_k), math.sqrt(a.predicted_variance(of, d_k))
    edges = np.linspace(mean - 6 * sd, mean + 6 * sd, 97)
    cdf = d.exact_cdf(of, d_k, edges)
    assert (np.diff(cdf) > -1e-9).all()
    assert d.distance(sample, edges, cdf) < 1.95 / math.sqrt(20_000)  # once in a thousand


def test_signs_are_throws_of_a_coin():
    thrown = [sum(each) for each in product((-1, 1), repeat=5)]
    x = np.arange(-7.0, 8.0)
    np.testing.assert_allclose(d.signs_cdf(x, 5), [np.mean([t <= v for t in thrown]) for v in x], rtol=1e-14)


def test_the_normal_limit_fails_at_1_and_is_fine_at_64():
    x = a.normal_products(a.draw_sums(10_000, (1, 64), seed=0), Components())
    edges = np.linspace(-6, 6, 193)
    limit = d.normal_cdf(edges)
    bound = d.KS_95 / math.sqrt(10_000)
    assert d.distance(x[0], edges, limit) > 4 * bound
    assert d.distance(x[1] / 8, edges, limit) < bound


@settings(max_examples=25, deadline=None)
@given(rho=st.floats(-1, 1), mean=st.floats(-3, 3), sd=st.floats(0.2, 3), shared=st.floats(0, 1),
       d_k=st.integers(1, 99), correlated=st.booleans())  # fmt: skip
def test_the_exact_curve_has_the_predicted_mean(rho, mean, sd, shared, d_k, correlated):
    """E[X] = hi − ∫ F over [lo, hi]: a formula and a curve that share nothing but the components."""
    broken = {"rho": rho} if correlated else {"mean_q": mean, "mean_k": 1.0}
    of = Components(**broken, sd_q=sd, shared=shared)
    at, spread = a.predicted_mean(of, d_k), math.sqrt(a.predicted_variance(of, d_k))
    x = np.linspace(at - 45 * spread, at + 45 * spread, 1801)
    cdf = d.exact_cdf(of, d_k, x)
    assert (np.diff(cdf) > -1e-9).all()
    found = x[-1] - ((cdf[1:] + cdf[:-1]) / 2 * np.diff(x)).sum()
    assert found == pytest.approx(at, abs=2e-3 * spread)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: d.exact_cdf(Components("signs"), 2, [0.0]), "law"),
    (lambda: d.exact_cdf(Components(rho=0.1, mean_k=0.1), 2, [0.0]), "components"),
    (lambda: d.exact_cdf(Components(), 0, [0.0]), "d_k"),
    (lambda: d.exact_cdf(Components(), 2, [math.nan]), "x"),
    (lambda: d.normal_cdf([0.0], sd=0), "sd"),
    (lambda: d.normal_cdf([0.0], sd=-1.0), "sd"),
    (lambda: d.normal_cdf([0.0], mean=math.inf), "mean"),
    (lambda: d.normal_cdf(["0"]), "x"),
    (lambda: d.signs_cdf([0.0], 0), "d_k"),
    (lambda: d.distance([1.0], [0.0, 1.0], [0.5]), "cdf"),
    (lambda: d.distance([], [0.0], [0.5]), "sample"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument
