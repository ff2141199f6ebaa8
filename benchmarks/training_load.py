"""One learner trains the small models of the scale lab while a class works: how much longer does the class wait?

    python -m benchmarks.training_load --page edit --students 30 --think 2 --rounds 10 --seconds 7

Phases with and without training take turns, on one server with the same students. The learner who trains is played as
the browser does it: it presses the button, asks for every fragment as often as the page says, and goes on with the next
seed when all runs of one are done.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.classroom import Student, Tally, session
from benchmarks.measure import Line, p
from tests.browser.servers import running
from ui import link, views
from ui.workbench import preset

SETTLES = 0.5  #: seconds after a change of phase that count for neither


@dataclass
class Trained:
    """What the learner brought about: without any answer it would have slowed nobody."""

    seconds: list[float] = field(default_factory=list)  # that all runs of a seed took, where there was time for them
    answers: int = 0  # reruns of a fragment: a moment of training, or a drawing


@dataclass
class Learner:
    """A browser on the training part, as far as the server can tell."""

    socket: Any
    query: str
    trained: Trained
    page_hash: str = ""
    button: str = ""
    timers: dict[str, asyncio.Task[None]] = field(default_factory=dict)  # fragment → what asks for it
    done: asyncio.Event = field(default_factory=asyncio.Event)
    pressed: bool = False

    async def train(self) -> None:
        """Open the page, press the button, and stay until everything is trained."""
        try:
            await self._ask()
            async for raw in self.socket:
                await self._read(ForwardMsg.FromString(raw))
                if self.done.is_set():
                    return
        finally:
            self._stop_timers()

    async def _ask(self, *, press: bool = False, fragment: str = "") -> None:
        ask = BackMsg()
        ask.rerun_script.query_string = self.query
        ask.rerun_script.fragment_id = fragment
        ask.rerun_script.is_auto_rerun = bool(fragment)
        if self.page_hash:
            ask.rerun_script.page_script_hash = self.page_hash
        else:
            ask.rerun_script.page_name = "variance"
        if press:
            ask.rerun_script.widget_states.widgets.add(id=self.button, trigger_value=True)
        await self.socket.send(ask.SerializeToString())

    async def _read(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self.page_hash = message.navigation.page_script_hash
        elif kind == "new_session" and not _fragments(message):
            self._stop_timers()
        elif kind == "auto_rerun":
            asked = message.auto_rerun
            self.timers[asked.fragment_id] = asyncio.create_task(self._every(asked.interval, asked.fragment_id))
        elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "button":
            if "training_start" in message.delta.new_element.button.id:
                self.button = message.delta.new_element.button.id
        elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
            self.trained.answers += 1
        if kind == "script_finished" and not self.timers and message.script_finished in (
            ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
        ):  # fmt: skip
            if self.pressed:
                self.done.set()
            else:
                self.pressed = True
                await self._ask(press=True)

    async def _every(self, interval: float, fragment: str) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._ask(fragment=fragment)

    def _stop_timers(self) -> None:
        for timer in self.timers.values():
            timer.cancel()
        self.timers.clear()


def _fragments(message: ForwardMsg) -> list[str]:
    """Which fragments a run is of: none is the whole page. (Streamlit 1.67 says it in another place than 1.62.)"""
    with suppress(AttributeError, ValueError):
        if message.metadata.run.fragment_ids:
            return list(message.metadata.run.fragment_ids)
    return list(getattr(message.new_session, "fragment_ids_this_run", ()))


async def keep_training(port: int, first_seed: int, trained: Trained) -> None:
    """Train one seed after the other."""
    bench = views.shown(views.shown(preset("cat"), "variance.part", "training"), "variance.guess_trains", "skip")
    for seed in range(first_seed, first_seed + 1000):
        query = f"lang=en&s={quote(link.encode(replace(bench, variance_seed=seed)))}"
        begun = time.perf_counter()
        async with session(port) as socket:
            await Learner(socket, query, trained).train()
        trained.seconds.append(time.perf_counter() - begun)


async def attend(student: Student, think: float, waits: list[tuple[float, float]]) -> None:
    """A student of the class, for as long as the lesson takes: when each rerun was asked for, and the wait."""
    await asyncio.sleep(student.chance.uniform(0, think))
    while True:
        begun = time.perf_counter()
        waits.append((begun, await student.rerun(typing=bool(student.editors))))
        await asyncio.sleep(think * student.chance.uniform(0.5, 1.5))


async def lesson(
    port: int, page: str, students: int, think: float, rounds: int, seconds: float
) -> tuple[dict[bool, list[float]], Trained, Tally]:
    """The waits of the class without training (False) and with it (True), and what was trained."""
    tally, trained, waits, phases = Tally(), Trained(), [], []
    sockets = [await session(port) for _ in range(students)]
    everyone = [Student(socket, page, tally, random.Random(k)) for k, socket in enumerate(sockets)]
    for student in everyone:
        await student.rerun(typing=False)
    tasks = [asyncio.create_task(attend(student, think, waits)) for student in everyone]
    for turn in range(rounds):
        for trains in (False, True):
            learner = asyncio.create_task(keep_training(port, 1000 * turn, trained)) if trains else None
            begun = time.perf_counter()
            await asyncio.sleep(seconds)
            phases.append((begun + SETTLES, time.perf_counter() - SETTLES, trains))
            if learner is not None:
                learner.cancel()
                with suppress(asyncio.CancelledError):
                    await learner
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for socket in sockets:
        await socket.close()
    sorted_out: dict[bool, list[float]] = defaultdict(list)
    for begun, wait in waits:
        for start, end, trains in phases:
            if start <= begun < end:
                sorted_out[trains].append(1000 * wait)
    return sorted_out, trained, tally


def main(
    page: str = "edit", students: int = 30, think: float = 2.0, rounds: int = 10, seconds: float = 7.0
) -> Iterator[Line]:
    with running() as server:
        waits, trained, tally = asyncio.run(lesson(server.port, page, students, think, rounds, seconds))
    for percent in (50, 95):
        without, along = (p(waits[trains], percent) for trains in (False, True))
        note = (
            f"{along:.0f} ms against {without:.0f} ms, {len(waits[True])} and {len(waits[False])} reruns, in turns, "
            f"{tally.failed} failed; while training {trained.answers} fragments were answered"
            + (f", all runs of a seed in {median(trained.seconds):.0f} s" if trained.seconds else "")
        )
        what = f"{students} students on {page} while one more trains: p{percent} against without"
        yield Line(what, along / without if trained.answers and not tally.failed else float("inf"), 2, "×", note)


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--page", default="edit")
    ask.add_argument("--students", type=int, default=30)
    ask.add_argument("--think", type=float, default=2.0)
    ask.add_argument("--rounds", type=int, default=10)
    ask.add_argument("--seconds", type=float, default=7.0)
    for line in main(**vars(ask.parse_args())):
        print(line.row())
