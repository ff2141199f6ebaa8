"""What the proof trace costs: reruns of the edit page with a cell explained, against reruns without.

    python -m benchmarks.trace_open [--reruns 60]

Two sessions at one server take turns: one opened the page by a link that names a cell of the weights, the other by
the same link without it. Each types a number and waits until the run is done.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import replace

from benchmarks.classroom import Student, Tally, session
from benchmarks.measure import Line, against
from tests.browser.servers import running
from ui import link
from ui.workbench import preset

MOST = 1.3
CELLS = {"weights": ("weights", 1, 0, -1), "output": ("output", 1, 2, -1)}


async def take_turns(port: int, reruns: int, cell: tuple[str | int, ...]) -> tuple[list[float], list[float]]:
    """Milliseconds a rerun, with the trace and without."""
    benches = replace(preset("cat"), cell=cell), preset("cat")
    async with AsyncExitStack() as stack:
        pair = []
        for k, bench in enumerate(benches):
            socket = await stack.enter_async_context(session(port))
            query = f"lang=en&s={link.encode(bench)}"
            pair.append(Student(socket, "edit", Tally(), random.Random(k), query=query))
        waits: tuple[list[float], list[float]] = ([], [])
        for turn in range(-5, reruns):
            for student, ms in zip(pair, waits, strict=True):
                wait = await student.rerun(typing=turn > -5)
                ms += [1000 * wait] if turn >= 0 else []
        assert not any(student.tally.failed for student in pair), "a run failed"
        return waits


def main(reruns: int = 60) -> list[Line]:
    lines = []
    with running() as server:
        for name, cell in CELLS.items():
            with_trace, without = asyncio.run(take_turns(server.port, reruns, cell))
            lines.append(against(f"a rerun of edit with a cell of the {name} explained", with_trace, without, MOST))
    return lines


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--reruns", type=int, default=60)
    for line in main(ask.parse_args().reruns):
        print(line.row())
