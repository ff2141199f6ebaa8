"""Whether memory stays flat without Streamlit's collection after every rerun (runner.postScriptGC = false).

    python -m benchmarks.soak [--reruns 4000] [--sessions 4] [--page edit]

A few sessions rerun a page, typing numbers on the edit page, as fast as it answers. The server's resident
memory is read at the start, after a quarter of the reruns (caches are full then) and at the end. Linux only
(/proc).
"""

from __future__ import annotations

import argparse
import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.classroom import Student, Tally, session
from benchmarks.measure import Line
from tests.browser.servers import running

MOST = 2.0  #: MB more a thousand reruns that still count as flat


def resident(pid: int) -> float:
    """A process's resident memory in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1000


async def rerun(student: Student, times: int) -> None:
    for _ in range(times):
        await student.rerun(typing=bool(student.editors))


async def soak(port: int, pid: int, page: str, sessions: int, reruns: int) -> tuple[list[float], Tally]:
    tally = Tally()
    memory = [resident(pid)]
    async with AsyncExitStack() as open_sockets:
        students = [
            Student(await open_sockets.enter_async_context(session(port)), page, tally, random.Random(k))
            for k in range(sessions)
        ]
        for part in (reruns // 4, reruns * 3 // 4):
            await asyncio.gather(*(rerun(student, part // sessions) for student in students))
            memory.append(resident(pid))
    return memory, tally


def main(reruns: int = 4000, sessions: int = 4, page: str = "edit") -> list[Line]:
    with running() as server:
        memory, tally = asyncio.run(soak(server.port, server.process.pid, page, sessions, reruns))
    start, warm, end = memory
    growth = (end - warm) / (reruns * 3 / 4 / 1000)
    note = (
        f"start {start:.0f} MB, after {reruns // 4} reruns {warm:.0f} MB, after {reruns} {end:.0f} MB; "
        f"{sessions} sessions, {tally.failed} failed"
    )
    growth = float("inf") if tally.failed else growth
    return [Line(f"memory on {page}: growth per 1,000 reruns", growth, MOST, "MB", note)]


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--reruns", type=int, default=4000)
    ask.add_argument("--sessions", type=int, default=4)
    ask.add_argument("--page", default="edit")
    for line in main(**vars(ask.parse_args())):
        print(line.row())
