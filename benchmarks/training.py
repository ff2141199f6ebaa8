"""How long a step of the hand-written training takes, against the same step in PyTorch.

    python -m benchmarks.training [--samples 200]

d_k = 64, a batch of 64, float32, on all cores; both are given the same batches, and take turns, so a busy machine slows
both. Ours notes the loss, the share of right answers, the entropy, a gradient norm and q·k at every step; of PyTorch
only the loss is read. Without PyTorch there is nothing to compare with: it says so, and how to install it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from attention.training import OPTIMIZERS, Batch, Setting, Training
from benchmarks.measure import Line, against

SAMPLES = 200
MOST = 1.5  #: × PyTorch's time
D_K = 64
MISSING = "benchmarks.training: not measured, PyTorch is not installed; pip install -r requirements-torch.txt"
WARM_UP = 20  #: steps that do not count: they load and allocate

Step = Callable[[Batch], Any]


def main(samples: int = SAMPLES) -> Iterator[Line]:
    for optimizer in OPTIMIZERS:
        setting = Setting(d_k=D_K, optimizer=optimizer)
        theirs = torch_step(setting)
        if theirs is None:
            print(MISSING, file=sys.stderr)
            return
        took = in_turns(Training(setting), theirs, samples)
        yield against(f"a training step against PyTorch's, d_k = {D_K}, {optimizer}", *took, MOST)


def in_turns(run: Training, theirs: Step, samples: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each step, ours and theirs, on the same batches."""
    ours, others = [], []
    for _ in range(samples + WARM_UP):
        batch = run.world.batch()
        ours.append(timed(partial(run.step, batch)))
        others.append(timed(partial(theirs, batch)))
    return ours[WARM_UP:], others[WARM_UP:]


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def torch_step(setting: Setting) -> Step | None:
    """The same model's step in PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    begun = Training(setting).weights
    W = [torch.tensor(each, requires_grad=True) for each in (begun.W_Q, begun.W_K, begun.W_V, begun.W_O)]
    kind = torch.optim.Adam if setting.optimizer == "adam" else torch.optim.SGD
    optimizer = kind(W, lr=setting.rate)

    def step(batch: Batch) -> None:
        x_q, x_k, x_v, answer = (torch.from_numpy(x) for x in (batch.x_q, batch.x_k, batch.x_v, batch.answer))
        q, k, v = x_q @ W[0], x_k @ W[1], x_v @ W[2]
        p = torch.softmax((k @ q[:, :, None])[..., 0] / setting.divisor, dim=-1)
        logits = (p[:, None] @ v)[:, 0] @ W[3]
        loss = torch.nn.functional.cross_entropy(logits, answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


if __name__ == "__main__":
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--samples", type=int, default=SAMPLES)
    measured = list(main(ask.parse_args().samples))
    for line in measured:
        print(line.row())
    sys.exit(not measured)
