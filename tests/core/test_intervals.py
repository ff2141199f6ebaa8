"""Intervals hold what they claim, of variances and of shares, and it is refused what cannot have one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention import InputError, intervals


@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_the_interval_covers_the_true_variance_about_95_times_in_100(d_k):
    """400 experiments of 2,000 products each. At d_k = 1 (kurtosis 9) a χ² interval would cover 67 in 100."""
    rng = np.random.default_rng(10)
    hits = 0
    for _ in range(400):
        x = sum(rng.standard_normal(2000) * rng.standard_normal(2000) for _ in range(d_k))
        _, low, high = intervals.variance_interval(x)
        hits += low < d_k < high
    assert 0.91 <= hits / 400 <= 0.98


@pytest.mark.parametrize(("count", "of", "low", "high"), [
    (0, 20, 0.0, 0.1611), (2, 20, 0.0279, 0.3010), (20, 20, 0.8389, 1.0), (81, 263, 0.2553, 0.3662),
])  # fmt: skip
def test_the_interval_of_a_share_is_wilsons(count, of, low, high):
    """The last is the example of Newcombe (1998): 81 of 263."""
    assert intervals.share_interval(count, of) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize("p", [0.0, 0.003, 0.3, 1.0])
def test_the_interval_of_a_share_covers_it_about_95_times_in_100(p):
    hits = np.random.default_rng(11).binomial(400, p, 2000)
    covered = np.mean([low <= p <= high for low, high in (intervals.share_interval(int(h), 400) for h in hits)])
    assert 0.93 <= covered <= 1  # at 0 and 1 too, for there it reaches them exactly


def test_the_interval_of_a_variance_is_that_of_the_mean_of_squares():
    """Written out for five numbers; for many it is the textbook's, with central moments."""
    x = np.array([1.0, 4.0, -2.0, 0.5, 3.0])
    z = (x - x.mean()) ** 2 * 5 / 4
    error = 1.959963984540054 * z.std(ddof=1) / np.sqrt(5)
    assert intervals.variance_interval(x) == pytest.approx((x.var(ddof=1), x.var(ddof=1) - error, z.mean() + error))
    x = np.random.default_rng(3).standard_normal(100_000)
    _, low, high = intervals.variance_interval(x)
    fourth = ((x - x.mean()) ** 4).mean()
    assert (high - low) / 2 == pytest.approx(1.959963984540054 * np.sqrt((fourth - x.var() ** 2) / x.size), rel=1e-4)


@given(st.lists(st.integers(-1000, 1000), min_size=3, max_size=7, unique=True))
def test_it_collapses_only_where_all_are_equally_far_from_their_mean(x):
    away = {abs(len(x) * each - sum(x)) for each in x}
    variance, low, high = intervals.variance_interval(x)
    assert low >= 0
    assert (low < variance < high) == (len(away) > 1)


def test_of_four_numbers_it_holds_the_truth_about_every_other_time():
    """Products of four independent pairs at d_k = 2: with s⁴ in place of m₂² it would be 17 in 100."""
    draw = np.random.default_rng(12).standard_normal
    variance, low, high = intervals.variance_intervals((draw((20_000, 4, 2)) * draw((20_000, 4, 2))).sum(axis=-1))
    assert np.mean((low <= 2) & (high >= 2)) == pytest.approx(0.553, abs=0.02)
    assert (high > low).all()
    assert variance.mean() == pytest.approx(2, abs=0.08)


def test_standard_errors_are_those_of_the_sample():
    """Of a mean on either side, and of a variance so uncertain that its interval is cut off at 0."""
    x = np.array([1.0, 4.0, -2.0, 0.5, 3.0])
    error = x.std(ddof=1) / np.sqrt(5)
    for off in (-2.5, 0.0, 0.4):
        away = intervals.standard_errors(x.mean() + off * error, intervals.mean_interval(x))
        assert away == pytest.approx(abs(off))
    found = intervals.variance_interval([0.0, 0.0, 0.0, 0.0, 9.0])
    assert found[1] == 0
    z = (np.array([0.0, 0.0, 0.0, 0.0, 9.0]) - 1.8) ** 2 * 5 / 4
    away = intervals.standard_errors(60.0, found)
    assert away == pytest.approx((60 - z.mean()) / (z.std(ddof=1) / np.sqrt(5)))


def test_an_interval_of_no_width_is_missed_by_none_or_by_infinitely_many():
    assert intervals.standard_errors(2.0, (2.0, 2.0, 2.0)) == 0
    assert intervals.standard_errors(2.1, (2.0, 2.0, 2.0)) == np.inf


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: intervals.mean_interval([1.0]), "x"),
    (lambda: intervals.variance_interval([1.0]), "x"),
    (lambda: intervals.variance_interval([1.0, 2.0]), "x"),
    (lambda: intervals.variance_interval([1.0, np.nan, 2.0]), "x"),
    (lambda: intervals.standard_errors(np.inf, (1.0, 0.0, 2.0)), "expected"),
    (lambda: intervals.standard_errors(0.0, (1.0, 2.0)), "interval"),
    (lambda: intervals.standard_errors(0.0, [(1.0, 0.0, 2.0)]), "interval"),
    (lambda: intervals.standard_errors(0.0, (1.0, np.nan, 2.0)), "interval"),
    (lambda: intervals.standard_errors(0.0, (0.0, 1.0, 2.0)), "interval"),
    (lambda: intervals.share_interval(3, 2), "count"),
    (lambda: intervals.share_interval(0, 0), "of"),
])  # fmt: skip
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
