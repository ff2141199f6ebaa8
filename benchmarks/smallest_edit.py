"""How long the smallest edit takes to find, where a click waits for it.

    python -m benchmarks.smallest_edit [--samples 9]

The goal is the furthest away that a challenge asks for: a weight of 0.99 or more.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import ArrayLike

from attention import AttentionSteps, examples, smallest_edit
from benchmarks.measure import Line, p
from ui.challenges_goals import SHARP

MOST = 200


def sharp(steps: AttentionSteps) -> ArrayLike:
    return np.asarray(steps.weights.max(axis=(-1, -2)) >= SHARP)


def main(samples: int = 9) -> list[Line]:
    cat = examples.get("cat")
    took = []
    for _ in range(samples):
        start = time.perf_counter()
        edit = smallest_edit(cat.Q, cat.K, cat.V, sharp)
        took.append(1000 * (time.perf_counter() - start))
        assert edit is not None
    note = f"median of {samples}, a weight of {SHARP:g} or more"
    return [Line("smallest edit by search, n = d = 4", p(took, 50), MOST, "ms", note)]


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--samples", type=int, default=9)
    for line in main(ask.parse_args().samples):
        print(line.row())
