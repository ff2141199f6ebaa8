"""Training runs that all visitors share: computed once, a moment at a time, by a page that asks for moments.

A page that trains asks again every tick, for as long as it is open. After each moment the server rests in proportion,
so training takes at most a share of its time, however many ask, and less while a class is at work. Those who want the
same runs look on while one page advances them; those who want others take turns. The runs of one seed grow together and
the seeds follow one another: a first answer comes early, and the other seeds confirm it or not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention import training
from attention.training import Setting, Training
from ui.one_core import one_core

Curve = NDArray[np.float64]

MEASURES = ("loss", "gradient", "entropy", "accuracy")
SEEDS = 5  #: how many seeds a series has, one after the other
MOMENT = 0.02  #: seconds of work in one tick, if a single step does not take longer
SHARE = 0.3  #: of the server's time that training may take, and the less the more others want
MOST_CROWDED = 2.0  #: so many times as long does the server rest at most
TICK = 0.08  #: seconds between two ticks of a page that trains, if no other does
PATIENCE = 5.0  #: seconds without a tick after which another page may go on; browsers slow down hidden ones
MOST = 32  #: series that are kept: 3 MB each where somebody stopped half way, else 0.2 MB


@dataclass(eq=False)
class Series:
    """The runs of one optimizer from a few seeds: every d_k, with and without √d_k. They only grow."""

    optimizer: str
    seeds: range
    live: dict[Setting, Training] = field(default_factory=dict)
    done: dict[Setting, dict[str, Curve]] = field(default_factory=dict)  # finished runs keep their histories only
    holder: str = ""  # the session whose turn it is to train
    asked: float = -PATIENCE  # when it last asked
    served: float = -PATIENCE  # when these runs last grew

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Every run, in the order in which they take turns."""
        return tuple(each for seed in self.seeds for each in self.of_seed(seed))

    def of_seed(self, seed: int) -> tuple[Setting, ...]:
        return tuple(Setting(d_k, scale, self.optimizer, seed) for d_k in training.D_K for scale in training.SCALES)

    def curve(self, setting: Setting, measure: str) -> Curve:
        """What was measured so far, a number a step."""
        finished = self.done.get(setting)
        if finished is not None:
            return finished[measure]
        run = self.live.get(setting)
        return np.array(() if run is None else getattr(run, measure), dtype=np.float64)

    def steps(self, setting: Setting) -> int:
        """How far a run is."""
        run = self.live.get(setting)
        return run.steps if run is not None else training.STEPS if setting in self.done else 0

    @property
    def share(self) -> float:
        """How much of all there is to train has been trained."""
        return sum(map(self.steps, self.settings)) / (len(self.settings) * training.STEPS)

    @property
    def next(self) -> Setting | None:
        """The run to step next: of the first seed that is not done, the one that has come least far."""
        for seed in self.seeds:
            setting = min(self.of_seed(seed), key=self.steps)
            if self.steps(setting) < training.STEPS:
                return setting
        return None

    def taken(self, session: str) -> bool:
        """Whether another session trains these runs just now."""
        return self.holder not in ("", session) and time.monotonic() - self.asked < PATIENCE

    def turn_of(self, session: str) -> bool:
        """Take the turn, if it can be had: the others look on."""
        if self.taken(session):
            return False
        self.holder, self.asked = session, time.monotonic()
        return True

    def release(self, session: str) -> None:
        if self.holder == session:
            self.holder, self.asked = "", -PATIENCE

    def step(self, setting: Setting) -> None:
        run = self.live.get(setting) or self.live.setdefault(setting, Training(setting))
        run.step()
        if run.steps >= training.STEPS:  # its weights can go
            self.done[setting] = {measure: np.array(getattr(run, measure)) for measure in MEASURES}
            del self.live[setting]


@dataclass
class Runs:
    """All series, and the one place where training happens."""

    series: dict[tuple[str, int], Series] = field(default_factory=dict)
    rests_until: float = 0.0
    busy: Any = field(default_factory=Lock)

    def of(self, optimizer: str, seed: int) -> Series:
        """The runs of an optimizer for a seed of the page, which stands for several of their own."""
        found = self.series.get((optimizer, seed))
        if found is None:
            self._make_room()
            found = self.series[optimizer, seed] = Series(optimizer, range(SEEDS * seed, SEEDS * (seed + 1)))
        return found

    def _make_room(self) -> None:
        """Forget what was trained longest ago; what is being trained stays, however much it is."""
        kept = {id(each) for each in self.asking(PATIENCE)}
        rest = sorted((each.served, key) for key, each in list(self.series.items()) if id(each) not in kept)
        for _, key in rest[: len(self.series) + 1 - MOST]:
            self.series.pop(key, None)

    def asking(self, within: float) -> list[Series]:
        """The series that were to be trained so many seconds ago."""
        now = time.monotonic()
        return [each for each in list(self.series.values()) if now - each.asked < within]

    def tick(self) -> float:
        """How long a page that trains waits from one moment to the next: many share the server's time."""
        return float(TICK * 2 ** np.ceil(np.log2(max(len(self.asking(PATIENCE)), 1))))

    def moment(self, series: Series, session: str) -> None:
        """Train for a moment, if it is this session's turn, the server has rested, and no other series waits longer."""
        if not series.turn_of(session) or time.monotonic() < self.rests_until:
            return
        waiting = self.asking(3 * self.tick())
        if any(each.served < series.served for each in waiting) or not self.busy.acquire(blocking=False):
            return
        start, worked = time.monotonic(), time.thread_time()
        try:
            with one_core():
                while (setting := series.next) is not None:
                    series.step(setting)
                    if time.monotonic() - start > MOMENT:
                        break
        finally:
            series.served = time.monotonic()
            self.rests_until = series.served + rest(series.served - start, time.thread_time() - worked)
            self.busy.release()


def rest(taken: float, worked: float) -> float:
    """How long the server rests after a moment, in seconds: longer where others had to be waited for.

    taken: seconds that passed; worked: those in which this thread had a core, or 0 where there is no clock for that.

    >>> round(rest(0.03, 0.03), 3), round(rest(0.03, 0.015), 3), round(rest(0.03, 0.0), 3)
    (0.07, 0.14, 0.07)
    """
    crowd = max(taken / worked, 1.0) if worked > 0 else 1.0
    return taken * (1 / SHARE - 1) * min(crowd, MOST_CROWDED)


@st.cache_resource(show_spinner=False)
def shared() -> Runs:
    """The runs that all visitors share."""
    return Runs()
