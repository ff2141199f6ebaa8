"""The √d_k experiment: it measures what was drawn, its intervals hold, and what the page claims is true."""

import numpy as np
import pytest

from attention import InputError, growing, intervals
from attention import experiment as e


def test_spread_describes_the_products():
    stops = (1, 9, 100)
    spread = e.measure_spread(1000, stops, seed=9)
    kept = [x.copy() for x in growing.grow_pairs(1000, stops, seed=9)]
    for s, x in enumerate(kept):
        assert spread.mean[s] == pytest.approx(x.mean())
        assert spread.mean_error[s] == pytest.approx(intervals.Z_95 * x.std(ddof=1) / np.sqrt(1000))
        assert (spread.variance[s], spread.low[s], spread.high[s]) == pytest.approx(intervals.variance_interval(x))
        assert spread.variance[s] == pytest.approx(x.var(ddof=1))
        assert spread.low[s] < spread.variance[s] < spread.high[s]
        z = x / np.sqrt(spread.d_k[s])
        inside = (z >= spread.edges[0]) & (z <= spread.edges[-1])
        assert spread.counts[s].sum() == inside.sum()
        assert spread.outside[s] == 1000 - inside.sum()
        assert spread.beyond[s] == (np.abs(x) > (10, 10, 40)[s]).sum()
        assert spread.counts[s, 20] == ((z >= spread.edges[20]) & (z < spread.edges[21])).sum()
    assert spread.edges[18] == 0
    assert spread.counts.shape == (3, len(spread.edges) - 1)
    assert spread.power[0] == pytest.approx(np.polyfit(np.log(stops), np.log(spread.variance), 1)[0])


def test_the_interval_of_the_power_covers_1_about_95_times_in_100():
    hits = [low < 1 < high for _, low, high in (e.measure_spread(2000, (1, 3, 90), seed=s).power for s in range(300))]
    assert 0.91 <= np.mean(hits) <= 0.98


def test_the_doubling_is_the_ratio_of_the_two_variances_of_the_same_pairs():
    """Its interval is that of a bootstrap, and narrower than if each variance had pairs of its own."""
    at_64, _, at_128 = (x.copy() for x in growing.grow_pairs(3000, (64, 90, 128), seed=2))
    factor, low, high = e.measure_spread(3000, (64, 90, 128), seed=2).doubling
    assert factor == pytest.approx(at_128.var() / at_64.var())
    draw = np.random.default_rng(1)
    again = [draw.integers(0, 3000, 3000) for _ in range(1000)]
    resampled = np.quantile([at_128[i].var() / at_64[i].var() for i in again], (0.025, 0.975))
    assert (low, high) == pytest.approx(resampled, abs=0.1 * (high - low))
    apart = 2 * 1.96 * factor * np.sqrt(sum((x**4).mean() / x.var() ** 2 - 1 for x in (at_64, at_128)) / 3000)
    assert high - low < 0.8 * apart


def test_the_interval_of_the_doubling_covers_2_about_95_times_in_100(monkeypatch):
    monkeypatch.setattr(e, "repeated", lambda *args, **kwargs: [])  # not asked for
    hits = [low < 2 < high for _, low, high in (e.measure_spread(1000, (64, 128), seed=s).doubling for s in range(300))]
    assert 0.91 <= np.mean(hits) <= 0.98


def test_without_two_stops_there_is_no_power_and_without_those_two_no_doubling():
    assert np.isnan(e.measure_spread(10, (3,)).power).all()
    assert np.isnan(e.measure_spread(10, (3, 64)).doubling).all()


def test_the_default_stops_and_their_variances():
    """q·k has variance d_k at every stop from 1 to 4096; 4 standard errors of room for 24 looks."""
    assert e.STOPS[:7] == (1, 2, 3, 4, 6, 8, 11)
    assert e.STOPS[-3:] == (2048, 2896, 4096)
    assert len(e.STOPS) == 24
    assert set(e.DOUBLED) < set(e.STOPS)
    spread = e.measure_spread(10_000, seed=0)
    error = (spread.high - spread.low) / (2 * intervals.Z_95)
    assert (np.abs(spread.variance - spread.d_k) < 4 * error).all()


def test_the_same_seed_gives_the_same_numbers_and_another_gives_others():
    first, again, other = (e.measure_spread(100, (1, 4), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.counts, again.counts)
    np.testing.assert_array_equal(first.variance, again.variance)
    assert (first.variance != other.variance).all()


def test_progress_is_told_and_ends_at_1():
    for stops in ((3, 40), (3, 40, 70, 5000)):
        told = []
        e.measure_spread(100, stops, report=told.append)
        assert told == sorted(told)
        assert 0 < told[0] < 1
        assert told[-1] == 1


def test_the_picture_reaches_to_two_and_a_half_deviations_of_the_widest_bell_at_every_d_k():
    """No bell that is shown is wider, nor has less than a quarter of that width; and none would be beyond WIDEST."""
    for d_k in (*e.STOPS, 5000, 10**6):
        widest = (e.reach(d_k) / 2.5) ** 2
        assert e.reach(widest_one := round(widest)) == e.reach(d_k) == 2.5 * widest_one**0.5
        assert d_k <= widest_one
        assert widest_one == 16 or d_k > widest_one / 16
    assert {round((e.reach(d_k) / 2.5) ** 2) for d_k in e.STOPS} == set(e.WIDEST)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: e.reach(0), "d_k"),
    (lambda: e.reach(2.0), "d_k"),
    (lambda: e.measure_spread(5), "draws"),
    (lambda: e.measure_spread(10.5), "draws"),
    (lambda: e.measure_spread(10, (4, 2)), "stops"),
    (lambda: e.measure_spread(10, seed=-1), "seed"),
])  # fmt: skip
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
