"""The data flow: one attention from its input to its output, every tensor on the way with its shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import attention
from attention import examples
from ui import charts, views, workbench
from ui.workbench import Workbench

Array = NDArray[np.float64]

#: node → the names of its two sizes, in reading order. With cross-attention, K and V and what is made of them are as
#: long as the other sequence: there n of `PAIRED` becomes m.
SIZES = {
    "E": ("n", "d_model"), "PE": ("n", "d_model"), "X": ("n", "d_model"),
    "E2": ("m", "d_model"), "PE2": ("m", "d_model"), "X2": ("m", "d_model"),
    "W_Q": ("d_model", "d_k"), "W_K": ("d_model", "d_k"), "W_V": ("d_model", "d_v"),
    "Q": ("n", "d_k"), "K": ("n", "d_k"), "V": ("n", "d_v"),
    "scores": ("n", "n"), "scaled": ("n", "n"), "weights": ("n", "n"), "output": ("n", "d_v"),
}  # fmt: skip
PAIRED = {"K": 0, "V": 0, "scores": 1, "scaled": 1, "weights": 1}  #: node → which of its sizes counts keys
OTHER = {"E2": "E", "PE2": "PE", "X2": "X"}  #: what the other sequence has of its own → the same of the first
ENTRY = ("E", "PE", "E2", "PE2")  #: what there is only with positions
TRANSLATED = ("cat", "cat_en")  #: prepared examples in whose features there are other words by hand
STAND_IN = ("A", "B", "C")  #: another sequence for one that is too short to make one of


@dataclass(frozen=True, eq=False)
class Flow:
    """One attention, and where its numbers come from."""

    bench: Workbench  # with X as it goes in, by way of its projections: what the cells' arithmetic is read off
    cross: bool
    positions: bool
    tokens: tuple[str, ...]  # that look
    keys: tuple[str, ...]  # that are looked at
    arrays: Mapping[str, Array]  # node → its numbers
    steps: attention.AttentionSteps

    @property
    def nodes(self) -> tuple[str, ...]:
        """What this attention has, in reading order."""
        return tuple(name for name in SIZES if name in self.arrays)

    @property
    def sizes(self) -> dict[str, int]:
        return self.bench.sizes | {"m": len(self.keys)}

    def symbols(self, node: str) -> tuple[str, str]:
        """What a node's two sizes are called."""
        symbols = list(SIZES[node])
        if self.cross and node in PAIRED:
            symbols[PAIRED[node]] = "m"
        return symbols[0], symbols[1]

    def shape(self, node: str) -> tuple[int, int]:
        rows, columns = self.arrays[node].shape
        return rows, columns

    def hidden(self, node: str) -> NDArray[np.bool_] | None:
        """Which of a node's cells the mask hides."""
        mask = self.steps.mask if node in ("scaled", "weights") else None
        return None if mask is None else ~mask

    def limit(self, node: str) -> float:
        """The number at the ends of a node's colours; scores keep theirs when they are scaled, to show by how much."""
        return charts.largest(self.arrays["scores" if node == "scaled" else node])


def of(bench: Workbench) -> Flow:
    """The flow that a workbench and its views ask for. What else is looked at computes nothing anew."""
    looks = ("flow.cross", "flow.positions", "flow.other")
    view = tuple((name, value) for name, value in bench.view if name in looks)
    return _flow(replace(bench, cell=(), view=view, route="input"))


@lru_cache(maxsize=64)
def _flow(bench: Workbench) -> Flow:
    cross, positions = views.get(bench, "flow.cross"), views.get(bench, "flow.positions")
    keys = others(bench) if cross else bench.tokens
    embedded = {"X": bench.array("X")} | ({"X2": embedding(bench, keys)} if cross else {})
    arrays = dict(embedded)
    if positions:
        for name, E in embedded.items():
            PE = attention.sinusoidal_positions(*E.shape)
            arrays |= {name.replace("X", "E"): E, name.replace("X", "PE"): PE, name: with_positions(E, PE)}
        bench = replace(bench, matrices={**bench.matrices, "X": _typed(arrays["X"])})
    arrays |= {name: bench.array(name) for name in ("W_Q", "W_K", "W_V")}
    Q, K, V = attention.project(*(arrays[name] for name in ("X", "W_Q", "W_K", "W_V")), arrays.get("X2"))
    steps = attention.attention_steps(Q, K, V, None if cross else bench.mask_array(), scale=bench.scale)
    arrays |= {"Q": Q, "K": K, "V": V, "scores": steps.scores, "scaled": steps.masked, "weights": steps.weights,
               "output": steps.output}  # fmt: skip
    return Flow(bench, cross, positions, bench.tokens, keys, arrays, steps)


def with_positions(E: Array, PE: Array) -> Array:
    """Embeddings that know where they stand."""
    return E + PE  # (n, d_model)


def _typed(array: Array) -> workbench.Matrix:
    """Numbers as texts that read back as the same numbers."""
    return tuple(tuple(repr(x) for x in row) for row in array.tolist())


def others(bench: Workbench) -> tuple[str, ...]:
    """The other sequence: the reader's, or one prepared to be of another length than the first."""
    chosen: tuple[str, ...] = views.get(bench, "flow.other")
    if chosen:
        return chosen
    if bench.preset in TRANSLATED:
        words = tuple(examples.TRANSLATION)
        return words[1:] if len(words) == len(bench.tokens) else words
    return bench.tokens[:0:-1] if len(bench.tokens) > 2 else STAND_IN


def known(bench: Workbench) -> dict[str, Array]:
    """The tokens whose embedding is known: those of the first sequence, and the words made by hand to go with it."""
    words = examples.TRANSLATION if bench.preset in TRANSLATED else {}
    made = {word: np.array(row, dtype=float) for word, row in words.items()}
    return made | dict(zip(reversed(bench.tokens), reversed(bench.array("X")), strict=True))


def embedding(bench: Workbench, tokens: tuple[str, ...]) -> Array:
    """Rows of the other sequence's X."""
    return examples.embedded(tokens, bench.sizes["d_model"], known(bench))
