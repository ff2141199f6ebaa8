"""How fast attention by blocks is, against the short version and PyTorch's fused operation, and how little it holds.

    python -m benchmarks.tiled [--samples 31]

n = 4096, d = 64, float32, on all cores; contenders take turns, so a busy machine slows all of them, but not all alike:
NumPy's products wait for a free core at each block, PyTorch's operation only at its end. So trust a quiet machine, or
OPENBLAS_NUM_THREADS=1. PyTorch is compared with where it is installed (pip install -r requirements-torch.txt).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import tiled_attention
from attention.tiled import textbook
from benchmarks.measure import Line, against

N, D = 4096, 64
SAMPLES = 31
TORCH, TEXTBOOK, ROOM = 1.6, 1 / 1.5, 16  #: the most that it may be: × PyTorch's time, × the textbook's, MiB

Call = Callable[[], Any]


def main(samples: int = SAMPLES) -> Iterator[Line]:
    Q, K, V = drawn(N)
    calls: dict[str, Call] = {"tiled": lambda: tiled_attention(Q, K, V), "textbook": lambda: textbook(Q, K, V)}
    fused = torch_call(Q, K, V)
    if fused:
        calls["torch"] = fused
    took = in_turns(calls, samples)
    if fused:
        yield against(f"tiled_attention against PyTorch's, n = {N}", took["tiled"], took["torch"], TORCH)
    yield against(f"tiled_attention against the short version, n = {N}", took["tiled"], took["textbook"], TEXTBOOK)
    for n in (N, 4 * N):
        held = peak(lambda arguments: tiled_attention(*arguments), drawn(n)) / 2**20
        note = f"tracemalloc, output counted; one n × n matrix would be {4 * n * n / 2**20:.0f} MiB"
        yield Line(f"extra memory of tiled_attention, n = {n}", held, ROOM, "MiB", note)


def drawn(n: int) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((n, D), np.float32) for _ in "QKV"]


def torch_call(*arguments: NDArray[np.float32]) -> Call | None:
    try:
        import torch
    except ImportError:
        return None
    tensors = [torch.from_numpy(x)[None, None] for x in arguments]
    return lambda: torch.nn.functional.scaled_dot_product_attention(*tensors)


def in_turns(calls: dict[str, Call], samples: int) -> dict[str, list[float]]:
    """Milliseconds of each call, so many times, after one call that does not count."""
    took: dict[str, list[float]] = {name: [] for name in calls}
    for sample in range(samples + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if sample:
                took[name].append(1000 * (time.perf_counter() - start))
    return took


def peak(call: Callable[[Any], Any], arguments: Any) -> float:
    """The most bytes that a call holds beyond its arguments."""
    tracemalloc.start()
    try:
        call(arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--samples", type=int, default=SAMPLES)
    for line in main(ask.parse_args().samples):
        print(line.row())
