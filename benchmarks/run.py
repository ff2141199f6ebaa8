"""Measure every speed promise and print them as one Markdown table.

    python -m benchmarks.run [--quick]

Takes about twenty minutes on two cores (--quick: eight, fewer samples). Ratios compare two pages that take turns
in one run, so a busy machine slows both. Exit status 1 where a promise is not kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from benchmarks import (
    classroom,
    first_chart,
    frames,
    smallest_edit,
    soak,
    tiled,
    trace_open,
    training,
    training_load,
    typing_number,
)
from benchmarks.measure import Line, table
from ui.shell import PAGES


def main(*, quick: bool) -> Iterator[Line]:
    yield from typing_number.main(samples=15 if quick else 31)
    yield from smallest_edit.main()
    yield from tiled.main(samples=11 if quick else 31)
    yield from training.main(samples=60 if quick else 200)
    yield from trace_open.main(reruns=30 if quick else 80)
    for page in ("edit", *(each for each in PAGES if each != "edit")):
        address = "" if page == PAGES[0] else page
        most = 150 if page == "edit" else 200
        yield from classroom.main(page=address, students=30, think=2.0, reruns=5 if quick else 15, most=most)
    yield from classroom.main(page="edit", students=100, think=5.0, reruns=3 if quick else 8, most=300)
    yield from training_load.main(rounds=2 if quick else 5)
    yield from frames.main(samples=60 if quick else 240)
    yield from first_chart.main(samples=5 if quick else 15)
    yield from soak.main(reruns=1_000 if quick else 6_000)


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--quick", action="store_true", help="fewer samples")
    measured = []
    for line in main(quick=ask.parse_args().quick):
        measured.append(line)
        print(line.row(), file=sys.stderr, flush=True)  # as they come; the whole table at the end
    print(table(measured))
    sys.exit(not all(line.ok for line in measured))
