"""A class at once: N students, each with a session of their own, ask a page for rerun after rerun.

    python -m benchmarks.classroom --page edit --students 30 --think 2 --reruns 10

A server is started for it and stopped; nothing but 127.0.0.1 is talked to. Each student opens the page and
then, after every pause (THINK seconds, half to one and a half of it, seeded), asks for a full rerun; on
the edit page it carries a number typed into a random cell. Taken is the wait until `script_finished`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from benchmarks.measure import Line, p
from tests.browser.servers import running

MOST_STUDENTS = 300


@dataclass
class Tally:
    waits: list[float] = field(default_factory=list)
    bytes: int = 0
    failed: int = 0


@dataclass
class Student:
    """One session: a websocket, the page, and the editors seen on it."""

    socket: Any
    page: str
    tally: Tally
    chance: random.Random
    query: str = "lang=en"
    editors: dict[str, dict[str, Any]] = field(default_factory=dict)  # widget id → the data Python sent it
    typed: dict[str, dict[str, str]] = field(default_factory=dict)
    seq: int = 0

    async def rerun(self, *, typing: bool) -> float:
        """Ask for a run, with a number typed into a random cell if so wished, and wait until it is done."""
        ask = BackMsg()
        ask.rerun_script.query_string = self.query
        ask.rerun_script.page_name = self.page
        if typing:
            self._type(ask)
        start = time.perf_counter()
        await self.socket.send(ask.SerializeToString())
        while True:
            raw = await self.socket.recv()
            self.tally.bytes += len(raw)
            answer = ForwardMsg.FromString(raw)
            kind = answer.WhichOneof("type")
            if kind == "script_finished":
                self.tally.failed += answer.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY
                return time.perf_counter() - start
            if kind == "delta":
                self._read(answer.delta.new_element)

    def _read(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        self.tally.failed += kind == "exception"
        if kind == "bidi_component" and "grid_" in element.bidi_component.id:
            self.editors[element.bidi_component.id] = json.loads(element.bidi_component.json)

    def _type(self, ask: BackMsg) -> None:
        """As the grid does it: all edits so far, with a sequence number (ui/components/grid.js)."""
        self.seq += 1
        at = self.chance.choice(sorted(self.editors))
        rows, columns = len(self.editors[at]["rows"]), len(self.editors[at]["columns"])
        where = f"{self.chance.randrange(rows)},{self.chance.randrange(columns)}"
        self.typed.setdefault(at, {})[where] = f"{self.chance.uniform(-3, 3):.2f}"
        for id, cells in self.typed.items():
            state = {"epoch": self.editors[id]["epoch"], "seq": self.seq, "cells": cells, "overflow": None}
            ask.rerun_script.widget_states.widgets.add(id=id, json_value=json.dumps({"edits": state}))


def session(port: int) -> connect:
    """A websocket to the app, as a browser opens it."""
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    patient: Any = {"max_size": None, "compression": None, "open_timeout": 60, "ping_interval": None}
    return connect(address, subprotocols=[Subprotocol("streamlit")], **patient)


async def attend(
    number: int, port: int, page: str, students: int, think: float, reruns: int, tally: Tally
) -> None:
    chance = random.Random(number)
    await asyncio.sleep(number * think / students)
    async with session(port) as socket:
        student = Student(socket, page, tally, chance)
        await student.rerun(typing=False)
        for _ in range(reruns):
            await asyncio.sleep(think * chance.uniform(0.5, 1.5))
            tally.waits.append(await student.rerun(typing=bool(student.editors)))


async def hold(port: int, page: str, students: int, think: float, reruns: int) -> Tally:
    await attend(0, port, page, 1, 0, 1, Tally())  # a teacher has opened the page before
    tally = Tally()
    await asyncio.gather(*(attend(k, port, page, students, think, reruns, tally) for k in range(students)))
    return tally


def main(
    page: str = "edit", students: int = 30, think: float = 2.0, reruns: int = 10, most: float = 150
) -> list[Line]:
    students = min(students, MOST_STUDENTS)
    with running() as server:
        tally = asyncio.run(hold(server.port, page, students, think, reruns))
    ms = [1000 * wait for wait in tally.waits]
    note = (
        f"p50 {p(ms, 50):.0f} ms, worst {max(ms):.0f} ms, {len(ms)} reruns, "
        f"{tally.bytes / (len(ms) + students) / 1000:.0f} kB each, {tally.failed} failed"
    )
    what = f"{students} students on {page or 'home'}, a rerun every {think:g} s: p95"
    return [Line(what, p(ms, 95) if not tally.failed else float("inf"), most, "ms", note)]


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--page", default="edit", help="the page's address; empty for the home page")
    ask.add_argument("--students", type=int, default=30)
    ask.add_argument("--think", type=float, default=2.0)
    ask.add_argument("--reruns", type=int, default=10)
    for line in main(**vars(ask.parse_args())):
        print(line.row())
