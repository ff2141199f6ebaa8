"""Whose turn it is to train: pages ask, one of them gets a moment, and then the server rests.

Nothing trains by itself: no thread, no queue. A page that wants something trained asks for a moment every tick, for as
long as it is open, and what follows is decided anew each time it asks:

1. What is trained has one `Turn`. Who asks first holds it, and the others look on. A holder that releases it, or has
   not asked for `PATIENCE` seconds (its tab was closed), loses it to whoever asks next; so does one that asks too
   seldom (its tab is hidden, and browsers let it ask once a second), but not before it has had it for that long.
2. Of several things that are asked for, the one that got a moment longest ago is next: who asks for another one asks
   in vain, until that one has had its moment or is not asked for any more.
3. A moment is one step at least, and ends with the first step that makes it longer than `MOMENT`. After it the server
   rests, so that moments take `SHARE` of its time: longer where a moment had to wait for a core, since others work.
4. A page asks at fixed times, so a moment comes up to half a tick early or late. What comes early is rested later.
5. The more things are trained, the more seldom does each page ask (`Turns.tick`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from ui.one_core import one_core

MOMENT = 0.02  #: seconds of work in one go, if a single step does not take longer
SHARE = 0.25  #: of the server's time that training may take
MOST_CROWDED = 2.0  #: so many times as long does the server rest at most
TICK = 0.08  #: seconds between two ticks of a page that trains, if no other does
PATIENCE = 5.0  #: seconds without a tick after which another page may go on
SELDOM = 0.5  #: seconds between two ticks of a page that is hidden, at least


@dataclass(eq=False)
class Turn:
    """Who trains a thing, and when."""

    holder: str = ""  # the session whose turn it is
    since: float = -PATIENCE  # when it got the turn
    asked: float = -PATIENCE  # when it last asked
    pause: float = 0.0  # how long before that it had asked
    served: float = -PATIENCE  # when the last moment ended

    def taken(self, session: str) -> bool:
        """Whether another session has the turn just now."""
        now = time.monotonic()
        hidden = self.pause > SELDOM and now - self.since > PATIENCE
        return self.holder not in ("", session) and now - self.asked < (SELDOM if hidden else PATIENCE)

    def take(self, session: str) -> bool:
        """Take the turn, if it can be had."""
        if self.taken(session):
            return False
        now = time.monotonic()
        if session != self.holder:
            self.holder, self.since, self.asked = session, now, now
        self.asked, self.pause = now, now - self.asked
        return True

    def release(self, session: str) -> None:
        if self.holder == session:
            self.holder, self.asked = "", -PATIENCE


@dataclass
class Turns:
    """The one place where moments are given."""

    everyone: Callable[[], Iterable[Turn]]  # the turns of all that can be trained
    rests_until: float = 0.0
    busy: Lock = field(default_factory=Lock)

    def asking(self, within: float) -> list[Turn]:
        """The turns that were asked for in so many seconds."""
        now = time.monotonic()
        return [each for each in self.everyone() if now - each.asked < within]

    def tick(self) -> float:
        """How long a page that trains waits from one moment to the next: many share the server's time."""
        return float(TICK * 2 ** np.ceil(np.log2(max(len(self.asking(PATIENCE)), 1))))

    def moment(self, turn: Turn, session: str, step: Callable[[], bool]) -> None:
        """Step for a moment, if it is this session's turn, the server has rested, and nothing else waits longer.

        step: does a little of the work, and returns whether there is more
        """
        if not turn.take(session) or time.monotonic() < self.rests_until - TICK / 2:
            return
        waiting = self.asking(3 * self.tick())
        if any(each.served < turn.served for each in waiting) or not self.busy.acquire(blocking=False):
            return
        start, worked = time.monotonic(), time.thread_time()
        try:
            with one_core():
                while step() and time.monotonic() - start <= MOMENT:
                    pass
        finally:
            turn.served = time.monotonic()
            taken = turn.served - start
            self.rests_until = max(start, self.rests_until) + taken + rest(taken, time.thread_time() - worked)
            self.busy.release()


def rest(taken: float, worked: float) -> float:
    """How long the server rests after a moment, in seconds: longer where others had to be waited for.

    taken: seconds that passed; worked: those in which this thread had a core, or 0 where there is no clock for that.

    >>> round(rest(0.03, 0.03), 3), round(rest(0.03, 0.02), 3), round(rest(0.03, 0.0), 3)
    (0.09, 0.135, 0.09)
    """
    crowd = max(taken / worked, 1.0) if worked > 0 else 1.0
    return taken * (1 / SHARE - 1) * min(crowd, MOST_CROWDED)
