"""Training runs that all share: who advances them, how much of the server's time that takes, and what is kept."""

from __future__ import annotations

import numpy as np
import pytest

from attention import training
from attention.training import Training
from ui import one_core, training_runs, training_turns
from ui.training_runs import Runs


class Clock:
    """A clock that stands still but for what is said to take time."""

    now = 1000.0

    def monotonic(self):
        return self.now

    thread_time = monotonic


@pytest.fixture
def clock(monkeypatch):
    """Small runs, each of whose steps takes 10 ms of a clock of its own."""
    clock, step = Clock(), Training.step

    def slow(run):
        clock.now += 0.01
        step(run)

    monkeypatch.setattr(training_turns, "time", clock)
    monkeypatch.setattr(Training, "step", slow)
    monkeypatch.setattr(training, "D_K", (2, 3))
    monkeypatch.setattr(training, "STEPS", 4)
    monkeypatch.setattr(training_runs, "SEEDS", 2)
    monkeypatch.setattr(training_turns, "MOMENT", 0.025)  # three steps
    return clock


def finish(runs, series, clock, session="me"):
    while series.next is not None:
        runs.moment(series, session)
        clock.now += training_turns.TICK


def test_runs_of_a_seed_grow_together_and_seeds_follow_one_another(clock):
    runs = Runs()
    series = runs.of("adam", 1)
    assert list(series.seeds) == [2, 3]
    seen = []
    while (setting := series.next) is not None:
        seen.append(setting)
        series.step(setting)
    first, second = (series.of_seed(seed) for seed in (2, 3))
    assert [(each.d_k, each.scale) for each in first] == [(2, "sqrt"), (2, "none"), (3, "sqrt"), (3, "none")]
    assert seen == [*first * 4, *second * 4]
    assert series.share == 1


def test_what_is_kept_is_what_a_run_of_its_own_measures(clock):
    runs = Runs()
    series = runs.of("sgd", 0)
    finish(runs, series, clock)
    assert not series.live  # the weights are gone
    for setting in series.settings:
        alone = Training(setting)
        for _ in range(4):
            alone.step()
        for measure in training_runs.RECORDED:
            np.testing.assert_array_equal(series.curve(setting, measure), getattr(alone, measure))


def test_a_run_can_be_read_while_it_grows(clock):
    series = Runs().of("adam", 0)
    setting = series.setting(2, "sqrt", 0)
    assert len(series.curve(setting, "loss")) == series.steps(setting) == 0
    series.step(setting)
    assert len(series.curve(setting, "loss")) == series.steps(setting) == 1
    assert series.share == 1 / 32


def test_a_moment_is_short_and_the_server_rests(clock):
    runs = Runs()
    series = runs.of("adam", 0)
    begun = clock.now
    runs.moment(series, "me")
    taken = clock.now - begun
    assert taken == pytest.approx(0.03)
    assert series.grown == 3
    runs.moment(series, "me")  # at once: not yet
    clock.now += taken * (1 / training_turns.SHARE - 1) - training_turns.TICK / 2 - 1e-3
    runs.moment(series, "me")
    assert series.grown == 3
    clock.now += 2e-3
    runs.moment(series, "me")
    assert series.grown == 6


@pytest.mark.parametrize("every", [0.01, 0.06, 0.08])
def test_moments_take_their_share_of_the_time_however_often_a_page_asks(clock, monkeypatch, every):
    """One that came early, because the page asks at fixed times only, is made up for."""
    monkeypatch.setattr(training, "STEPS", 40)
    runs = Runs()
    series, begun = runs.of("adam", 0), clock.now
    asks = begun
    while clock.now < begun + 3:
        runs.moment(series, "me")
        asks += every
        clock.now = max(asks, clock.now)
    assert 0.01 * series.grown / (clock.now - begun) == pytest.approx(training_turns.SHARE, rel=0.05)


def test_the_server_rests_longer_where_others_wait():
    alone, crowded = (training_turns.rest(0.03, worked) for worked in (0.03, 0.02))
    assert alone == pytest.approx(0.03 / training_turns.SHARE - 0.03)
    assert crowded == pytest.approx(1.5 * alone)
    assert training_turns.rest(0.03, 0.0001) == pytest.approx(2 * alone)  # but it does go on
    assert training_turns.rest(0.03, 0.0) == alone  # a clock that stands still


def test_a_class_that_wants_the_same_computes_it_once(clock):
    runs = Runs()
    series = runs.of("adam", 0)
    trained = 0
    while series.next is not None:
        for student in range(30):
            before = series.share
            runs.moment(series, f"student {student}")
            assert student == 0 or series.share == before  # the first one has the turn
        clock.now += training_turns.TICK
        trained += 1
    assert trained < 40
    assert runs.of("adam", 0) is series


def test_another_goes_on_where_somebody_left(clock):
    runs = Runs()
    series = runs.of("adam", 0)
    runs.moment(series, "one")
    assert series.turn.taken("other")
    assert not series.turn.taken("one")
    runs.moment(series, "other")
    assert series.turn.holder == "one"
    clock.now += training_turns.PATIENCE
    assert not series.turn.taken("other")  # the tab was closed
    before = series.share
    runs.moment(series, "other")
    assert series.share > before
    series.turn.release("one")  # too late: it is not theirs any more
    assert series.turn.holder == "other"
    series.turn.release("other")
    assert not series.turn.taken("one")


def test_a_hidden_page_loses_its_turn_to_one_that_looks_on(clock):
    """Browsers let it ask once a second, and a class would wait for minutes."""
    turn = Runs().of("adam", 0).turn
    begun = clock.now
    while clock.now < begun + training_turns.PATIENCE:
        assert turn.take("hidden")
        clock.now += 0.9
        assert turn.taken("other")
        clock.now += 0.1
    assert turn.take("hidden")
    assert turn.taken("other")  # it has just asked
    clock.now += 0.9
    assert turn.take("other")
    for _ in range(100):
        clock.now += training_turns.TICK
        assert turn.taken("hidden")
        assert turn.take("other")
    clock.now += 0.9  # once late, for whatever reason
    assert turn.taken("hidden")


@pytest.mark.parametrize("late", [0.0, 0.02, 0.05])
def test_two_series_take_turns_whenever_they_ask(clock, late):
    """Even if one of them always asks when the other has just been served."""
    runs = Runs()
    one, other = runs.of("adam", 0), runs.of("sgd", 0)
    while one.share < 0.5 and other.share < 0.5:
        runs.moment(one, "one")
        clock.now += late
        runs.moment(other, "other")
        clock.now += 2 * training_turns.TICK - late
    assert abs(one.share - other.share) <= 3 / 32


def test_many_series_ask_more_seldom(clock):
    runs = Runs()
    assert runs.turns.tick() == training_turns.TICK
    for seed in range(5):
        runs.of("adam", seed).turn.take(f"student {seed}")
    assert runs.turns.tick() == pytest.approx(8 * training_turns.TICK)
    clock.now += training_turns.PATIENCE
    assert runs.turns.tick() == training_turns.TICK


def test_memory_is_bounded_and_what_is_trained_stays(clock, monkeypatch):
    monkeypatch.setattr(training_runs, "MOST", 3)
    runs = Runs()
    trained = runs.of("adam", 0)
    runs.moment(trained, "me")
    for seed in range(1, 10):
        runs.of("adam", seed)
    assert len(runs.series) == 3
    assert runs.of("adam", 0) is trained


def test_an_error_leaves_others_the_turn(clock, monkeypatch):
    runs = Runs()
    series = runs.of("adam", 0)
    with monkeypatch.context() as broken:
        broken.setattr(Training, "step", lambda run: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            runs.moment(series, "me")
    clock.now += 1
    runs.moment(series, "me")
    assert series.share > 0


def test_products_are_computed_on_one_core_meanwhile():
    switch = one_core._switch()
    assert switch is not None, "NumPy's wheels bring OpenBLAS"
    read, write = switch
    before = read()
    write(2)
    try:
        with pytest.raises(ZeroDivisionError), one_core.one_core():
            1 / (read() - 1)
        assert read() == 2
    finally:
        write(before)


def test_without_openblas_nothing_is_switched(monkeypatch):
    monkeypatch.setattr(one_core, "_switch", lambda: None)
    with one_core.one_core():
        assert (np.eye(2) @ np.eye(2)).trace() == 2


def test_numpy_has_no_switch_of_its_own():
    """When it has, ui.one_core can go (numpy PR #13136)."""
    assert not hasattr(np.linalg, "num_threads")
