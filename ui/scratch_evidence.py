"""What a broken variant does to the reader's numbers, and what another mistake would have done. No Streamlit inside.

A mistake can only be diagnosed where it shows. K.T is right for one matrix, so everything is run on a batch: the
reader's sentence, and the same sentence with its tokens rotated by 1, 2 and so on. Two mistakes need a mask, one needs
large scores. Where the reader's own state would hide a mistake, or make two of them look alike, another state is taken,
and the page says which.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import attention
from attention import by_line, variants
from ui import workbench
from ui.workbench import Workbench

Array = NDArray[np.float64]
NAMES = tuple(variants.VARIANTS)
RIGHT = ""  #: what the correct function is called among the variants
NEEDS_LARGE = "unstable"  #: shows only where exp overflows
LARGE = 1000.0
VISIBLE = 0.02  #: weights that differ by less are not told apart at two decimals


@dataclass(frozen=True, eq=False)
class Seen:
    """The weights and the output of the reader's sentence, the first of the batch; or what was raised instead."""

    weights: Array | None = None
    output: Array | None = None
    error: str = ""
    alone: float = 0.0  # how far the weights are from the right ones when the sentence is run without the batch


@dataclass(frozen=True, eq=False)
class Evidence:
    """One state, run through the right function and through every variant."""

    bench: Workbench  # whose numbers: the reader's, or the prepared ones
    mask: NDArray[np.bool_]
    own: bool  # whether the numbers are the reader's
    own_mask: bool
    times: float  # what Q was multiplied by, to get large scores
    largest: float  # the largest scaled score that is not hidden
    seen: Mapping[str, Seen]
    because: tuple[str, str] = ("", "")  # two results that look the same on the reader's numbers, where others are used

    @property
    def right(self) -> Seen:
        return self.seen[RIGHT]


@dataclass(frozen=True)
class Spot:
    """The cell of ③ in which two results differ most."""

    row: int
    column: int
    one: float
    other: float


def evidence(bench: Workbench, variant: str) -> Evidence:
    """The state in which a variant is shown: the reader's own numbers wherever they tell."""
    return _evidence(replace(bench, cell=(), view=(), token=0), variant == NEEDS_LARGE)


@lru_cache(maxsize=64)
def _evidence(bench: Workbench, large: bool) -> Evidence:
    prepared = workbench.preset("cat")
    masked = [bench] if bench.mask != "none" else []
    pair: tuple[str, str] | None = None
    for each in (*masked, replace(bench, mask="causal")):
        made = _made(each, large, own=True, own_mask=each.mask == bench.mask)
        pair = alike(made, large)
        if pair is None:
            return made
    return replace(_made(replace(prepared, mask="causal"), large, own=False, own_mask=False), because=pair or ("", ""))


def _made(bench: Workbench, large: bool, *, own: bool, own_mask: bool) -> Evidence:
    mask = bench.mask_array()
    assert mask is not None
    Q, K, V = bench.qkv()
    largest = _largest(Q, K, mask)
    times = _times(largest) if large else 1.0
    batch = [np.stack([np.roll(x, -b, axis=0) for b in range(len(Q))]) for x in (Q * times, K, V)]
    right = _weights(by_line.run(attention.attention, Q * times, K, V, mask))
    seen = {}
    for name, function in {RIGHT: attention.attention, **variants.VARIANTS}.items():
        with np.errstate(all="ignore"):  # nan is what there is to see
            alone = _weights(by_line.run(function, Q * times, K, V, mask))
            seen[name] = _seen(by_line.run(function, *batch, mask), _gap(alone, right))
    return Evidence(bench, mask, own, own_mask, times, largest * times, seen)


def _largest(Q: Array, K: Array, mask: NDArray[np.bool_]) -> float:
    scores = np.abs(Q @ K.T / np.sqrt(Q.shape[-1]))[mask]
    return float(scores.max(initial=0.0))


def _times(largest: float) -> float:
    """The power of ten that makes the scores as large as a trained model's can get at a bad moment."""
    return float(10.0 ** max(np.ceil(np.log10(LARGE / largest)), 0)) if largest > 1e-6 else 1.0


def _weights(run: by_line.Run) -> Array:
    weights: Array = run.ran[-1].known["weights"]
    return weights


def _seen(run: by_line.Run, alone: float) -> Seen:
    if run.error is not None:
        return Seen(error=f"{type(run.error).__name__}: {run.error}", alone=alone)
    return Seen(_weights(run)[0], run.result[0], alone=alone)


def _gap(one: Array, other: Array) -> float:
    """The largest difference; nan where a number stands against nan."""
    gap = np.abs(one - other)[~(np.isnan(one) & np.isnan(other))]
    return float(gap.max(initial=0.0))


def alike(it: Evidence, large: bool) -> tuple[str, str] | None:
    """Two results that look the same although they should not; None if all can be told apart.

    With large scores that is asked of the one variant they are made for: softmax is all but 0 and 1, and other mistakes
    may well look alike.
    """
    names = [name for name in it.seen if name != NEEDS_LARGE]
    pairs = ((NEEDS_LARGE, name) for name in names) if large else combinations(names, 2)
    return next((pair for pair in pairs if differs(it.seen[pair[0]], it.seen[pair[1]]) is None), None)


def differs(one: Seen, other: Seen) -> Spot | None:
    """Where the weights of two results differ most; None where no reader could tell them apart.

    One that raised differs from one that did not, at no place in particular.
    """
    if one.weights is None or other.weights is None:
        return None if one.error == other.error else Spot(0, 0, np.nan, np.nan)
    if one.weights.shape != other.weights.shape:
        return Spot(0, 0, np.nan, np.nan)
    nan = np.isnan(one.weights) != np.isnan(other.weights)
    gap = np.where(nan, np.inf, np.nan_to_num(np.abs(one.weights - other.weights)))
    row, column = (int(i) for i in np.unravel_index(gap.argmax(), gap.shape))
    if gap[row, column] < VISIBLE:
        return None
    return Spot(row, column, float(one.weights[row, column]), float(other.weights[row, column]))


def order(seed: int) -> tuple[str, ...]:
    """The variants in the order in which a reader meets them.

    >>> order(0) == order(0), sorted(order(3)) == sorted(NAMES)
    (True, True)
    """
    names = list(NAMES)
    random.Random(seed).shuffle(names)
    return tuple(names)


def diff(variant: str) -> str:
    """What a variant's real source has instead of the right one's, as a diff with the lines around it."""
    function = variants.VARIANTS[variant]
    blocks = [_diff(attention.attention, function)]
    if variant == "unstable":
        blocks.append(_diff(attention.softmax, variants.softmax_without_max))
    return "\n\n".join(blocks)


def _diff(right: Callable[..., Array], wrong: Callable[..., Array]) -> str:
    """The lines of both, without the line of `def`: what only one of them has is marked."""
    one, other = (list(by_line.listing(each).values()) for each in (right, wrong))
    body = list(difflib.unified_diff(one[1:], other[1:], n=len(one), lineterm=""))[3:]
    return "\n".join([f" {one[0]}", *body])
