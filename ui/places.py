"""Where a number stands: a stage's cell. What is chosen, linked to and traced is a place."""

from __future__ import annotations

from typing import NamedTuple

from ui.workbench import Workbench

#: What may be chosen where, in the order of the computation. With a head, W_Q … W_O, Q … V and the stages are that
#: head's own; `masked` is ② as the page shows it, `scaled` what it was before the mask.
TYPED = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V")
STAGES = ("scores", "scaled", "masked", "weights", "output")
IN_ONE_HEAD = ("W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", *STAGES)
IN_A_HEAD = (*IN_ONE_HEAD, "contribution")
OF_ALL_HEADS = ("X", "concat", "combined")  #: `combined` is the output of the whole multi-head attention
NAMES = tuple(dict.fromkeys((*TYPED, *STAGES, *IN_A_HEAD, *OF_ALL_HEADS)))


class Place(NamedTuple):
    """A cell, counted from 0: "the weights of head 2, row 1, column 3"; head −1: the attention without heads."""

    stage: str
    row: int
    column: int
    head: int = -1


def shape(bench: Workbench, stage: str, head: int = -1) -> tuple[int, int] | None:
    """The shape of a stage's matrix; None if there is no such stage (or head)."""
    n, d_model, d_k, d_v = (bench.sizes[name] for name in ("n", "d_model", "d_k", "d_v"))
    if head >= 0:
        if head >= bench.n_heads or stage not in IN_A_HEAD:
            return None
        d_k = d_v = d_model // bench.n_heads
    elif stage not in (*TYPED, *STAGES, *OF_ALL_HEADS):
        return None
    shapes = {
        "X": (n, d_model), "W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, d_model),
        "Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "output": (n, d_v),
    } | dict.fromkeys(("concat", "combined", "contribution"), (n, d_model))  # fmt: skip
    return shapes.get(stage, (n, n))


def part(bench: Workbench, column: int) -> tuple[int, int]:
    """Whose output stands in a column of concat: the head, and which of its own columns it is."""
    return divmod(column, bench.sizes["d_model"] // bench.n_heads)


def exists(bench: Workbench, place: Place) -> bool:
    """Whether the workbench has this cell.

    >>> from ui.workbench import preset
    >>> exists(preset("cat"), Place("weights", 3, 3)), exists(preset("cat"), Place("weights", 4, 0))
    (True, False)
    """
    size = shape(bench, place.stage, place.head)
    return size is not None and 0 <= place.row < size[0] and 0 <= place.column < size[1]


def chosen(bench: Workbench) -> Place | None:
    """The chosen cell, if there is one. Where the mask was taken away, ② is just scaled."""
    place = Place(*bench.cell) if bench.cell else None
    return place._replace(stage="scaled") if place and place.stage == "masked" and bench.mask == "none" else place
