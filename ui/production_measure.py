"""How long attention takes here, and how much memory: measured a little at a time, once for all visitors.

A rerun of the page makes measurements for a moment, then asks for another rerun. Between two of them the server answers
others, and whoever presses Stop; what has been measured stays, whoever it was that measured it.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from statistics import median
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention import tiled

Task = tuple[str, int, str]  #: "time" or "memory", n, who

SIZES = (128, 256, 512, 1024, 2048, 4096)
D = 64  #: d_k and d_v
ROUNDS = 7  #: how often each is timed, in turns; the median counts
TOO_LONG = 3.0  #: seconds for one call; nothing larger is tried then
MOMENT = 0.2  #: seconds of measuring in one rerun, if a single call does not take longer
PATIENCE = 20.0  #: seconds after which others need not wait any longer for someone who measures
WHO = ("textbook", "tiled", "torch")


@dataclass
class Measured:
    """What is known so far. Only whole values are put in, so nobody has to wait for anybody."""

    seconds: dict[tuple[int, str], tuple[float, ...]] = field(default_factory=dict)
    peaks: dict[tuple[int, str], int] = field(default_factory=dict)
    holder: tuple[str, float] = ("", 0.0)  # whose turn it is to measure, and when they last did

    def now(self) -> Measured:
        """A copy for one page to draw and speak from: another visitor may begin anew in the middle of it."""
        return Measured(self.seconds.copy(), self.peaks.copy(), self.holder)

    def milliseconds(self, n: int, who: str) -> float | None:
        """The median time of a call, once it was measured often enough."""
        taken = self.seconds.get((n, who), ())
        return 1000 * median(taken) if taken and len(taken) >= self.rounds(n) else None

    def rounds(self, n: int) -> int:
        """How often a call of this size is timed: once where that took too long, and not at all beyond."""
        slow = self.stopped_at()
        return ROUNDS if slow is None or n < slow else int(n == slow)

    def stopped_at(self) -> int | None:
        """The size at which a call took too long."""
        known = self.seconds.copy()  # at one go: another visitor's run may be adding to it
        return min((n for (n, _), taken in known.items() if max(taken) > TOO_LONG), default=None)

    def taken(self, session: str) -> bool:
        """Whether another session measures now."""
        holder, since = self.holder
        return holder not in ("", session) and time.monotonic() - since < PATIENCE

    def turn_of(self, session: str) -> bool:
        """Take the turn, if it can be had: two who measure at a time would measure each other."""
        if not self.taken(session):
            self.holder = (session, time.monotonic())
        return self.holder[0] == session

    def forget(self) -> None:
        """Begin anew."""
        self.seconds, self.peaks = {}, {}

    def release(self, session: str) -> None:
        if self.holder[0] == session:
            self.holder = ("", 0.0)


@st.cache_resource(show_spinner=False)
def shared() -> Measured:
    """The measurements that all visitors share."""
    return Measured()


def left(done: Measured) -> list[Task]:
    """What is still to be measured, smallest sizes first; contenders take turns."""
    rest = []
    for n in SIZES:
        rounds = done.rounds(n)
        for i in range(rounds):
            rest += [("time", n, who) for who in contenders() if len(done.seconds.get((n, who), ())) <= i]
        if rounds == ROUNDS:  # of PyTorch's memory Python knows nothing
            rest += [("memory", n, who) for who in contenders()[:2] if (n, who) not in done.peaks]
    return rest


def share(done: Measured) -> float:
    """How much of all there is to measure has been measured."""
    return 1 - len(left(done)) / len(left(Measured()))


def contenders() -> tuple[str, ...]:
    return WHO if has_torch() else WHO[:2]


def measure(done: Measured) -> None:
    """Measure for a moment."""
    end = time.perf_counter() + MOMENT
    for task in left(done):
        _measure(done, *task)
        if time.perf_counter() > end or done.stopped_at() is not None:
            return


def _measure(done: Measured, kind: str, n: int, who: str) -> None:
    call = _ready(n, who)
    if kind == "memory":
        done.peaks[n, who] = _peak(call)
        return
    start = time.perf_counter()
    call()
    done.seconds[n, who] = (*done.seconds.get((n, who), ()), time.perf_counter() - start)


def _peak(call: Callable[[], Any]) -> int:
    """The most memory that Python and NumPy hold more than before: the output counts, the arguments do not.

    Of three tries the least: what other visitors' reruns happen to need meanwhile counts too.
    """
    peaks = []
    for _ in range(3):
        tracemalloc.start()
        call()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return min(peaks)


@lru_cache(maxsize=1)
def _arguments(n: int) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(n)
    return [rng.standard_normal((n, D), np.float32) for _ in "QKV"]


def _ready(n: int, who: str) -> Callable[[], Any]:
    """A call that computes attention in that way."""
    Q, K, V = _arguments(n)
    if who == "textbook":
        return lambda: tiled.textbook(Q, K, V)
    if who == "tiled":
        return lambda: tiled.tiled_attention(Q, K, V)
    return _fused(Q, K, V)


def _fused(*arguments: NDArray[np.float32]) -> Callable[[], Any]:
    import torch  # optional: only where somebody has installed it

    tensors = [torch.from_numpy(x)[None, None] for x in arguments]  # (batch, heads, n, d), sharing the memory
    return lambda: torch.nn.functional.scaled_dot_product_attention(*tensors)


@cache
def has_torch() -> bool:
    """Whether PyTorch is installed; finding out does not import it."""
    return importlib.util.find_spec("torch") is not None


@cache
def machine() -> dict[str, str]:
    """What the times are times of."""
    libraries = np.show_config(mode="dicts").get("Build Dependencies", {})  # type: ignore[union-attr, call-overload]
    blas = libraries.get("blas", {})
    return {
        "cores": str(_cores()), "processor": platform.machine() or "?", "numpy": np.__version__,
        "blas": f"{blas.get('name', '?')} {blas.get('version', '')}".strip(),
    }  # fmt: skip


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
