"""Training runs that all visitors share: each is computed once, and what is drawn of them is made once for all.

Those who want the same runs look on while one page advances them (see `ui.training_turns`). The runs of one seed grow
together and the seeds follow one another: a first answer comes early, and the other seeds confirm it or not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention import training
from attention.training import Setting, Training
from ui import training_turns
from ui.training_turns import Turn, Turns

Curve = NDArray[np.float64]
T = TypeVar("T")

MEASURES = ("loss", "gradient", "entropy", "accuracy", "match")
RECORDED = (*MEASURES, "other")
RATE_AT_FIRST = 2  #: which of `training.RATES` is the one that a page begins with
SEEDS = 5  #: how many seeds a series has, one after the other
MOST = 32  #: series that are kept: 3 MB each where somebody stopped half way, else 0.4 MB with all that was drawn of it


@dataclass(eq=False)
class Series:
    """The runs of one optimizer and rate from a few seeds: every d_k, with and without √d_k. They only grow."""

    optimizer: str
    seeds: range
    which_rate: int = RATE_AT_FIRST  # which of `training.RATES`
    live: dict[Setting, Training] = field(default_factory=dict)
    done: dict[Setting, dict[str, Curve]] = field(default_factory=dict)  # finished runs keep their histories only
    turn: Turn = field(default_factory=Turn)
    _kept: dict[Hashable, tuple[Hashable, float, Any]] = field(default_factory=dict)

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Every run, in the order in which they take turns."""
        return tuple(each for seed in self.seeds for each in self.of_seed(seed))

    def of_seed(self, seed: int) -> tuple[Setting, ...]:
        return tuple(self.setting(d_k, scale, seed) for d_k in training.D_K for scale in training.SCALES)

    def setting(self, d_k: int, scale: str, seed: int) -> Setting:
        return Setting(d_k, scale, self.optimizer, seed, self.learning_rate)

    @property
    def learning_rate(self) -> float:
        return training.RATES[self.optimizer][self.which_rate]

    @property
    def at_first(self) -> bool:
        """Whether its rate is the one that a page begins with."""
        return self.which_rate == RATE_AT_FIRST

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
    def grown(self) -> int:
        """How many steps all runs have taken."""
        return training.STEPS * len(self.done) + sum(run.steps for run in list(self.live.values()))

    @property
    def share(self) -> float:
        """How much of all there is to train has been trained."""
        return min(self.grown / (len(self.settings) * training.STEPS), 1.0)  # a run that ends counts twice for a moment

    @property
    def next(self) -> Setting | None:
        """The run to step next: of the first seed that is not done, the one that has come least far."""
        each_seed = len(self.settings) // len(self.seeds)
        first = len(self.done) // each_seed * each_seed  # seeds follow one another
        return min(self.settings[first : first + each_seed], key=self.steps, default=None)

    def step(self, setting: Setting) -> None:
        run = self.live.get(setting) or self.live.setdefault(setting, Training(setting))
        run.step()
        if run.steps >= training.STEPS:  # its weights can go
            self.done[setting] = {measure: np.array(getattr(run, measure)) for measure in RECORDED}
            del self.live[setting]

    def advance(self) -> bool:
        """Take the next step, and say whether there is another one."""
        following = self.next
        if following is not None:
            self.step(following)
        return self.next is not None

    def kept(self, key: Hashable, at: Hashable, make: Callable[[], T], old: float = 0.0) -> T:
        """What `make` makes of the runs, kept until they have grown: it goes when the series does.

        at: how far the runs are that it is made of, in steps or runs
        old: so many seconds old it may be though they have grown since
        """
        now = time.monotonic()
        found = self._kept.get(key)
        if found is None or found[0] != at and now - found[1] >= old:
            found = self._kept[key] = (at, now, make())
        made: T = found[2]
        return made


@dataclass
class Runs:
    """All series that are kept."""

    series: dict[tuple[str, int, int], Series] = field(default_factory=dict)
    turns: Turns = field(init=False)

    def __post_init__(self) -> None:
        self.turns = Turns(lambda: [each.turn for each in list(self.series.values())])

    def of(self, optimizer: str, seed: int, which_rate: int = RATE_AT_FIRST) -> Series:
        """The runs of an optimizer and rate for a seed of the page, which stands for several of their own."""
        found = self.find(optimizer, seed, which_rate)
        if found is None:
            self._make_room()
            found = Series(optimizer, range(SEEDS * seed, SEEDS * (seed + 1)), which_rate)
            self.series[optimizer, seed, which_rate] = found
        return found

    def find(self, optimizer: str, seed: int, which_rate: int = RATE_AT_FIRST) -> Series | None:
        """Those runs if somebody has asked for them: who only reads makes none, and forgets none for it."""
        return self.series.get((optimizer, seed, which_rate))

    def begun(self, optimizer: str, seed: int) -> list[Series]:
        """Those of each rate that somebody has asked for so far."""
        found = (self.find(optimizer, seed, which) for which in range(len(training.RATES[optimizer])))
        return [each for each in found if each is not None]

    def moment(self, series: Series, session: str) -> None:
        """Train for a moment, if it is this session's turn and the server has rested."""
        self.turns.moment(series.turn, session, series.advance)

    def _make_room(self) -> None:
        """Forget what was trained longest ago; what is being trained stays, however much it is."""
        asked = self.turns.asking(training_turns.PATIENCE)
        rest = sorted((each.turn.served, key) for key, each in list(self.series.items()) if each.turn not in asked)
        for _, key in rest[: len(self.series) + 1 - MOST]:
            self.series.pop(key, None)


@st.cache_resource(show_spinner=False)
def shared() -> Runs:
    """The runs that all visitors share."""
    return Runs()
