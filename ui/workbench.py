"""The one set of numbers that every page looks at from its own side.

A `Workbench` is a value: every change returns a new one. Matrices hold the texts a person typed (see
`ui.numbers`); `array` turns them into float64 for the mathematics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import attention
from attention import examples
from ui import numbers, tokens

Matrix = tuple[tuple[str, ...], ...]
Cell = tuple[int, int]

MAX_N = tokens.MAX_TOKENS
MAX_D = 16
MAX_HEADS = 8
MAX_SEED = 9999

ROUTES = ("direct", "input")
SCALES = ("sqrt", "none", "linear")
MASKS = ("none", "causal", "own")
DRAWS = (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)  # how many pairs the variance page measures
PRESETS = ("cat", "cat_en", "lookup", "uniform", "twins", "self", "saturated", "random")
PATH = ("lookup", "flow", "edit", "variance", "masks", "order", "heads", "scratch", "production")  # see ui.walk
CHALLENGES = ("most", "uniform", "one_hot", "only_output", "only_keys", "idle_weights")  # see ui.challenges

#: matrix → the names of its two sizes. Head matrices are those of the one head a reader typed.
SHAPES = {
    "X": ("n", "d_model"), "W_Q": ("d_model", "d_k"), "W_K": ("d_model", "d_k"), "W_V": ("d_model", "d_v"),
    "Q": ("n", "d_k"), "K": ("n", "d_k"), "V": ("n", "d_v"),
}  # fmt: skip
DIRECT = ("Q", "K", "V")
INPUT = ("X", "W_Q", "W_K", "W_V")
HEAD = ("H_Q", "H_K", "H_V", "H_O")


@dataclass(frozen=True)
class Workbench:
    """Tokens, matrices and switches; sizes follow from the matrices."""

    preset: str
    seed: int
    tokens: tuple[str, ...]
    matrices: Mapping[str, Matrix] = field(hash=False)
    scale: str = "sqrt"
    mask: str = "none"
    allowed: tuple[str, ...] = ()  # what the reader's own mask allows by hand, a row of "1" and "0" a query
    mask_causal: bool = False  # what it combines that with; see `own_mask` and `ui.masks`
    mask_length: int = 0  # how many tokens are no padding; 0: nothing is padding
    mask_window: int = 0  # keys nearer than this; 0: keys at any distance
    route: str = "direct"
    n_heads: int = 2
    head_seed: int = 0
    heads_off: tuple[int, ...] = ()
    twins: bool = False  # head 2 is given head 1's projections
    typed_head: int = -1  # the head whose projections were typed; -1: none
    token: int = 1  # the token whose output the heads page explains
    cell: tuple[str | int, ...] = ()  # the cell that explains itself, as (stage, row, column, head); see ui.places
    variance_seed: int = 0
    variance_draws: int = DRAWS[0]
    challenge: str = ""  # the challenge that is being tried
    view: tuple[tuple[str, Any], ...] = ()  # what pages show besides the numbers; see ui.views

    @property
    def sizes(self) -> dict[str, int]:
        X, Q, V = (self.matrices[name] for name in ("X", "Q", "V"))
        return {"n": len(self.tokens), "d_model": len(X[0]), "d_k": len(Q[0]), "d_v": len(V[0])}

    def array(self, name: str) -> NDArray[np.float64]:
        """A matrix as float64 (read-only: it is shared)."""
        return _array(self.matrices[name])

    def qkv(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Q, K and V as the chosen way in gives them: typed directly, or X times its projections."""
        if self.route == "input":
            return self.projected()
        Q, K, V = (self.array(name) for name in DIRECT)
        return Q, K, V

    def projected(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Q, K and V as X times its projections gives them, whatever the way in."""
        return attention.project(*(self.array(name) for name in INPUT))

    def mask_array(self) -> NDArray[np.bool_] | None:
        """The mask, True = may attend; None where every query may attend to every key."""
        n = len(self.tokens)
        if self.mask == "none":
            return None
        return attention.causal_mask(n) if self.mask == "causal" else own_mask(self)

    def steps(self) -> attention.AttentionSteps:
        """The trace that every number on screen comes from."""
        return attention.attention_steps(*self.qkv(), self.mask_array(), scale=self.scale)


def typed_apart(bench: Workbench) -> list[str]:
    """Those of Q, K and V that, as they were typed, are not what X and its projections come to (but for rounding).

    >>> typed_apart(preset("cat")), typed_apart(with_cells(preset("cat"), "K", {(0, 0): "1.500001"}))
    ([], ['K'])
    """
    pairs = zip(DIRECT, bench.projected(), strict=True)
    return [name for name, made in pairs if not np.allclose(bench.array(name), made, rtol=1e-9, atol=1e-9)]


def own_mask(bench: Workbench) -> NDArray[np.bool_]:
    """The reader's own mask: what was clicked (all True before the first click), and every part switched on.

    Read-only: it is shared.
    """
    n = len(bench.tokens)
    return _own_mask(n, bench.allowed, bench.mask_causal, bench.mask_length, bench.mask_window)


def hand(bench: Workbench) -> NDArray[np.bool_]:
    """What the reader clicked alone."""
    return _hand(len(bench.tokens), bench.allowed)


def mask_parts(bench: Workbench) -> dict[str, NDArray[np.bool_]]:
    """The parts of the reader's own mask that are switched on, by the field that says so."""
    return _parts(len(bench.tokens), bench.mask_causal, bench.mask_length, bench.mask_window)


@lru_cache(maxsize=256)
def _own_mask(n: int, allowed: tuple[str, ...], *parts: int) -> NDArray[np.bool_]:
    combined = attention.combine_masks(_hand(n, allowed), *_parts(n, *parts).values())
    assert combined is not None
    combined.flags.writeable = False
    return combined


def _hand(n: int, allowed: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.array([[c == "1" for c in row] for row in allowed or ("1" * n,) * n])


def _parts(n: int, causal: int, length: int, window: int) -> dict[str, NDArray[np.bool_]]:
    on = {}
    if causal:
        on["mask_causal"] = attention.causal_mask(n)
    if length:
        on["mask_length"] = np.broadcast_to(attention.padding_mask(length, n), (n, n))
    if window:
        on["mask_window"] = attention.sliding_window_mask(n, window)
    return on


@lru_cache(maxsize=256)
def _array(matrix: Matrix) -> NDArray[np.float64]:
    array = np.array([[numbers.value(cell) for cell in row] for row in matrix])
    array.flags.writeable = False
    return array


#: A prepared example by name; making one costs more than a page should pay at each rerun. Not to be written to.
example = lru_cache(maxsize=16)(examples.get)


@lru_cache(maxsize=64)
def preset(name: str, seed: int = 0) -> Workbench:
    """A prepared state, from `attention.examples`."""
    made = examples.get(name, seed=seed)
    mask = None if made.mask is None else tuple("".join("01"[int(c)] for c in row) for row in made.mask)
    return without_typed_head(Workbench(
        preset=name, seed=seed, tokens=made.tokens, matrices=_matrices(made), scale=str(made.scale),
        mask="own" if mask else "none", allowed=mask or (), token=made.asks,
    ))  # fmt: skip


def random(tokens: tuple[str, ...], d_k: int, d_v: int, seed: int) -> Workbench:
    """Random numbers for tokens and sizes of the reader's own."""
    made = examples.random(len(tokens), d_k, d_v, seed=seed)
    drawn = replace(preset("random", seed), tokens=tokens, matrices=_matrices(made))
    return without_typed_head(replace(drawn, token=min(drawn.token, len(tokens) - 1)))


def opened(bench: Workbench, name: str, seed: int = 0) -> Workbench:
    """Prepared numbers in place of these. Random ones keep tokens and sizes; settings that are no numbers stay."""
    sizes = bench.sizes
    new = random(bench.tokens, sizes["d_k"], sizes["d_v"], seed) if name == "random" else preset(name, seed)
    return replace(
        seen_as(new, bench), route=bench.route, variance_seed=bench.variance_seed, variance_draws=bench.variance_draws
    )


def seen_as(new: Workbench, bench: Workbench) -> Workbench:
    """Other numbers, looked at as these are: the same cell, the same views."""
    return replace(new, cell=bench.cell, view=bench.view)


def start(bench: Workbench) -> Workbench:
    """The prepared numbers that a workbench began as."""
    return opened(bench, bench.preset, bench.seed)


def _matrices(made: examples.Example) -> dict[str, Matrix]:
    return {name: from_floats(getattr(made, name)) for name in SHAPES}


def from_floats(array: NDArray[np.float64], decimals: int = 2) -> Matrix:
    return tuple(tuple(numbers.text_of(x, decimals) for x in row) for row in np.asarray(array))


def with_cells(bench: Workbench, name: str, cells: Mapping[Cell, str]) -> Workbench:
    """Put canonical texts into cells of one matrix."""
    rows = [list(row) for row in bench.matrices[name]]
    for (i, j), text in cells.items():
        rows[i][j] = text
    return replace(bench, matrices={**bench.matrices, name: tuple(map(tuple, rows))})


def with_mask(bench: Workbench, mask: str) -> Workbench:
    """Another kind of mask; the reader's own one begins as the causal one if that was on."""
    if mask == "own" and bench.mask == "causal" and not bench.allowed and not mask_parts(bench):
        return replace(bench, mask="own", mask_causal=True)
    return replace(bench, mask=mask)


def with_allowed(bench: Workbench, cells: Mapping[Cell, bool]) -> Workbench:
    """Click cells of the mask on and off.

    A part that forbids what is clicked on gives way: it becomes drawn by hand, and its switch goes off.
    """
    if bench.mask != "own":
        bench = replace(bench, allowed=(), mask_causal=bench.mask == "causal", mask_length=0, mask_window=0)
    now = own_mask(bench)
    cells = {cell: on for cell, on in cells.items() if on != now[cell]}
    mask, wanted = hand(bench), [cell for cell, on in cells.items() if on]
    for name, part in mask_parts(bench).items():
        if not all(part[cell] for cell in wanted):
            mask &= part
            bench = replace(bench, **{name: type(getattr(bench, name))()})
    for cell, on in cells.items():
        mask[cell] = on
    return replace(bench, mask="own", allowed=tuple("".join("01"[int(c)] for c in row) for row in mask))


def resized(bench: Workbench, **sizes: int) -> Workbench:
    """Change d_k, d_v or d_model; new cells are 0, which changes no score until they are edited."""
    wanted = bench.sizes | sizes
    matrices = dict(bench.matrices)
    for name, (rows, columns) in SHAPES.items():
        matrices[name] = _reshaped(matrices[name], range(wanted[rows]), wanted[columns])
    changed = replace(bench, matrices=matrices)
    return without_typed_head(changed) if "d_model" in sizes else changed


def with_tokens(bench: Workbench, new: tuple[str, ...]) -> Workbench:
    """Add, remove or rename tokens: a kept token keeps its row of X, Q, K and V, a new one starts at 0."""
    kept = tokens.kept_rows(bench.tokens, new)
    matrices = dict(bench.matrices)
    for name, (rows, columns) in SHAPES.items():
        if rows == "n":
            matrices[name] = _reshaped(matrices[name], kept, bench.sizes[columns])
    old, n = hand(bench), len(new)
    allowed = tuple(
        "".join("1" if i is None or j is None or old[i, j] else "0" for j in kept) for i in kept
    )
    return replace(
        bench, tokens=new, matrices=matrices, allowed=allowed if bench.allowed else (),
        mask_length=min(bench.mask_length, n), mask_window=min(bench.mask_window, n), token=min(bench.token, n - 1),
    )  # fmt: skip


def _reshaped(matrix: Matrix, rows: list[int | None] | range, columns: int) -> Matrix:
    def cell(i: int | None, j: int) -> str:
        inside = i is not None and i < len(matrix) and j < len(matrix[i])
        return matrix[i][j] if inside else "0"

    return tuple(tuple(cell(i, j) for j in range(columns)) for i in rows)


def without_typed_head(bench: Workbench) -> Workbench:
    """Forget the typed head, whose matrices fit only one number of heads and one d_model."""
    matrices = {name: matrix for name, matrix in bench.matrices.items() if name not in HEAD}
    d_model = bench.sizes["d_model"]
    n_heads = bench.n_heads if d_model % bench.n_heads == 0 else 1
    off = tuple(h for h in bench.heads_off if h < n_heads)
    return replace(bench, matrices=matrices, typed_head=-1, n_heads=n_heads, heads_off=off)


def with_heads(bench: Workbench, n_heads: int) -> Workbench:
    """Another number of heads: other projections, all of them random and switched on."""
    fresh = replace(without_typed_head(bench), n_heads=n_heads, heads_off=())
    return replace(fresh, twins=bench.twins and n_heads > 1)


def with_twins(bench: Workbench, twins: bool) -> Workbench:
    """Give head 2 the projections of head 1, or its own back. What was typed into head 2 gives way."""
    return replace(without_typed_head(bench) if twins and bench.typed_head == 1 else bench, twins=twins)


def with_typed_head(bench: Workbench, head: int) -> Workbench:
    """Make one head the typed one, starting from the numbers it has, rounded to two decimals."""
    if head >= bench.n_heads:
        return bench
    heads = multi_head(bench)
    own = {name: from_floats(W[head]) for name, W in zip(HEAD, _projections(heads), strict=True)}
    twins = bench.twins and head != 1
    return replace(bench, matrices={**bench.matrices, **own}, typed_head=head, twins=twins)


def multi_head(bench: Workbench) -> attention.MultiHead:
    """The projections of every head: random, but for the head that was typed and the one that is a copy."""
    drawn = _drawn(bench.sizes["d_model"], bench.n_heads, bench.head_seed)
    if bench.typed_head < 0 and not bench.twins:
        return drawn
    changed = [W.copy() for W in _projections(drawn)]
    for name, W in zip(HEAD, changed, strict=True):
        if bench.typed_head >= 0:
            W[bench.typed_head] = bench.array(name)
        if bench.twins:
            W[1:2] = W[0]
    return attention.MultiHead(*changed)


def head_steps(bench: Workbench) -> attention.MultiHeadSteps:
    """The trace of all heads: X through their projections, under the workbench's mask and scale."""
    on = np.array([head not in bench.heads_off for head in range(bench.n_heads)])
    X, mask = bench.array("X"), bench.mask_array()
    return multi_head(bench).steps(X, mask, heads_on=on, scale=bench.scale)


def _projections(heads: attention.MultiHead) -> tuple[NDArray[np.float64], ...]:
    return heads.W_Q, heads.W_K, heads.W_V, heads.W_O


@lru_cache(maxsize=64)
def _drawn(d_model: int, n_heads: int, seed: int) -> attention.MultiHead:
    return attention.MultiHead.random(d_model, n_heads, seed=seed)
