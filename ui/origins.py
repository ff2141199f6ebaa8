"""Where a number comes from: what any cell is computed from, read off the trace that the cell itself is drawn from.

How it is printed: `ui.derivation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ui import places, workbench
from ui.places import Place
from ui.workbench import Workbench

Array = NDArray[np.float64]


class Operand(NamedTuple):
    """A cell that another is computed from."""

    place: Place
    value: float


class Line(NamedTuple):
    """One step: of which kind, what goes in, and the value it comes to."""

    kind: str
    place: Place  #: whose value this is, or is on its way to
    value: float
    left: tuple[Operand, ...] = ()
    right: tuple[Operand, ...] = ()
    counts: tuple[bool, ...] = ()  #: which of `left` count: keys that are not masked, heads that are on
    row: tuple[float, ...] = ()  #: the exponentials of `left`
    above: float = 0.0  #: of a fraction
    below: float = 1.0
    open: bool = True  #: whether a number passes: its key is not masked, its head is on


class Derivation(NamedTuple):
    """A cell's value, the steps to it, and the cells one step back, in reading order."""

    place: Place
    value: float
    lines: tuple[Line, ...]
    operands: tuple[Operand, ...]


def derive(bench: Workbench, place: Place) -> Derivation:
    """The arithmetic of a cell that exists.

    >>> found = derive(workbench.preset("cat"), Place("weights", 1, 2))
    >>> [line.kind for line in found.lines]
    ['scores', 'scaled', 'largest', 'powers', 'total', 'share']
    >>> round(found.value, 2), found.operands[0].place
    (0.4, Place(stage='scaled', row=1, column=0, head=-1))
    """
    return _DERIVE[place.stage](bench, place)


def _leaf(bench: Workbench, place: Place) -> Derivation:
    """A number that was typed, prepared or drawn; or that of head 1, where head 2 is its twin."""
    own = place._replace(head=_owner(bench, place.head))
    if place.head < 0:
        value = float(bench.array(place.stage)[place.row, place.column])
    else:
        value = float(getattr(workbench.multi_head(bench), place.stage)[place.head, place.row, place.column])
    copied = (Operand(own, value),) if own != place else ()
    return Derivation(place, value, (Line("given", place, value, copied),), copied)


def _projected(bench: Workbench, place: Place) -> Derivation:
    """Q, K or V: typed, or a row of X times a column of W."""
    if place.head < 0 and bench.route == "direct":
        return _leaf(bench, place)
    name = f"W_{place.stage}"
    if place.head < 0:
        W, made = bench.array(name), bench.qkv()["QKV".index(place.stage)]
    else:
        W = getattr(workbench.multi_head(bench), name)[place.head]
        made = getattr(workbench.head_steps(bench), place.stage)[place.head]
    left = _row(bench.array("X"), "X", place.row, -1)
    right = _column(W, name, place.column, place.head)
    value = float(made[place.row, place.column])
    return Derivation(place, value, (Line("project", place, value, left, right),), left + right)


def _scores(bench: Workbench, place: Place) -> Derivation:
    line = _score(_trace(bench, place.head), place)
    return Derivation(place, line.value, (line,), line.left + line.right)


def _scaled(bench: Workbench, place: Place) -> Derivation:
    it = _trace(bench, place.head)
    lines = _to_scaled(it, place)
    return Derivation(place, lines[-1].value, lines, lines[-1].left)


def _masked(bench: Workbench, place: Place) -> Derivation:
    it = _trace(bench, place.head)
    lines = _to_masked(it, place)
    return Derivation(place, float(it.masked[place.row, place.column]), lines, lines[1].left)


def _weights(bench: Workbench, place: Place) -> Derivation:
    it, (_, i, j, head) = _trace(bench, place.head), place
    row, may = _row(it.masked, "scaled" if it.mask is None else "masked", i, head), _may(it, i)
    value = float(it.weights[i, j])
    if any(may):
        m = float(it.masked[i].max())
        raised = np.exp(it.masked[i] - m)
        powers, total = tuple(raised.tolist()), float(raised.sum())
        rest: tuple[Line, ...] = (
            Line("largest", place, m, row, counts=may),
            Line("powers", place, m, row, counts=may, row=powers),
            Line("total", place, total, row, counts=may, row=powers),
            Line("share", place, value, above=powers[j], below=total, open=may[j]),
        )
    else:
        rest = (Line("empty", place, value),)
    return Derivation(place, value, _to_masked(it, place) + rest, row)


def _output(bench: Workbench, place: Place) -> Derivation:
    it = _trace(bench, place.head)
    left = _row(it.weights, "weights", place.row, place.head)
    right = _column(it.V, "V", place.column, place.head)
    value = float(it.output[place.row, place.column])
    return Derivation(place, value, (Line("output", place, value, left, right),), left + right)


def _contribution(bench: Workbench, place: Place) -> Derivation:
    all_heads = workbench.head_steps(bench)
    left = _row(all_heads.heads.output[place.head], "output", place.row, place.head)
    right = _column(workbench.multi_head(bench).W_O[place.head], "W_O", place.column, place.head)
    value = float(all_heads.contributions[place.head, place.row, place.column])
    return Derivation(place, value, (Line("contribution", place, value, left, right),), left + right)


def _concat(bench: Workbench, place: Place) -> Derivation:
    """A copy of one head's output, 0 where that head is off."""
    all_heads = workbench.head_steps(bench)
    head, column = places.part(bench, place.column)
    origin = Place("output", place.row, column, head)
    left = (Operand(origin, float(all_heads.heads.output[head, place.row, column])),)
    value = float(all_heads.concat[place.row, place.column])
    line = Line("concat", place, value, left, open=bool(all_heads.heads_on[head]))
    return Derivation(place, value, (line,), left)


def _combined(bench: Workbench, place: Place) -> Derivation:
    all_heads = workbench.head_steps(bench)
    parts = all_heads.contributions[:, place.row, place.column].tolist()
    left = tuple(Operand(Place("contribution", place.row, place.column, h), x) for h, x in enumerate(parts))
    value = float(all_heads.output[place.row, place.column])
    line = Line("combined", place, value, left, counts=tuple(all_heads.heads_on.tolist()))
    return Derivation(place, value, (line,), left)


_DERIVE: dict[str, Callable[[Workbench, Place], Derivation]] = {
    **dict.fromkeys(("X", "W_Q", "W_K", "W_V", "W_O"), _leaf),
    **dict.fromkeys(("Q", "K", "V"), _projected),
    "scores": _scores, "scaled": _scaled, "masked": _masked, "weights": _weights, "output": _output,
    "contribution": _contribution, "concat": _concat, "combined": _combined,
}  # fmt: skip


class _Trace(NamedTuple):
    """One attention, of a head or without heads."""

    Q: Array
    K: Array
    V: Array
    scores: Array
    scaled: Array
    masked: Array
    weights: Array
    output: Array
    mask: NDArray[np.bool_] | None
    divisor: float


_STEPS = ("scores", "scaled", "masked", "weights", "output")


def _trace(bench: Workbench, head: int) -> _Trace:
    if head < 0:
        steps = bench.steps()
        return _Trace(*bench.qkv(), *(getattr(steps, name) for name in _STEPS), steps.mask, steps.divisor)
    it = workbench.head_steps(bench)
    steps, mask = it.heads, it.heads.mask
    own = (array[head] for array in (it.Q, it.K, it.V, *(getattr(steps, name) for name in _STEPS)))
    return _Trace(*own, None if mask is None else mask[head], steps.divisor)


def _score(it: _Trace, place: Place) -> Line:
    _, i, j, head = place
    left, right = _row(it.Q, "Q", i, head), _row(it.K, "K", j, head)
    return Line("scores", place, float(it.scores[i, j]), left, right)


def _to_scaled(it: _Trace, place: Place) -> tuple[Line, ...]:
    """The score and its division, on the way to a later stage of the same cell."""
    score = _score(it, place)
    before = (Operand(place._replace(stage="scores"), score.value),)
    value = float(it.scaled[place.row, place.column])
    return score, Line("scaled", place, value, before, above=score.value, below=it.divisor)


def _to_masked(it: _Trace, place: Place) -> tuple[Line, ...]:
    """The same and the mask, where there is one."""
    lines = _to_scaled(it, place)
    if it.mask is None:
        return lines
    _, i, j, _ = place
    before = (Operand(place._replace(stage="scaled"), lines[-1].value),)
    return (*lines, Line("masked", place, float(it.masked[i, j]), before, open=bool(it.mask[i, j])))


def _may(it: _Trace, i: int) -> tuple[bool, ...]:
    return (True,) * len(it.scores) if it.mask is None else tuple(it.mask[i].tolist())


def _row(array: Array, stage: str, i: int, head: int) -> tuple[Operand, ...]:
    return tuple(Operand(Place(stage, i, j, head), x) for j, x in enumerate(array[i].tolist()))


def _column(array: Array, stage: str, j: int, head: int) -> tuple[Operand, ...]:
    return tuple(Operand(Place(stage, i, j, head), x) for i, x in enumerate(array[:, j].tolist()))


def _owner(bench: Workbench, head: int) -> int:
    """The head whose projections these are: a twin has those of head 1."""
    return 0 if bench.twins and head == 1 else head


def spelling(bench: Workbench, place: Place) -> str | None:
    """A number as it was typed; None where the number is drawn or computed."""
    head = _owner(bench, place.head)
    if head >= 0:
        name = f"H_{place.stage[-1]}" if head == bench.typed_head and place.stage[:2] == "W_" else ""
    else:
        name = place.stage if bench.route == "direct" or place.stage not in ("Q", "K", "V") else ""
    return bench.matrices[name][place.row][place.column] if name in bench.matrices else None
