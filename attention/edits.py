"""The smallest change of one number with which something becomes true: what a person would have to type."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, Mask, attention_inputs, one_of, whole_number
from attention.dot_product import AttentionSteps, attention_steps

MATRICES = ("Q", "K", "V")
UNITS = 100  # numbers of two decimals are whole hundredths
RING = 32  # hundredths by which the search goes outwards at a time
AT_ONCE = 4096  # candidates that are computed together: what bounds the memory

#: What has to become true: of the steps of many candidates at once, one on the leading axis, to a boolean for each.
#: (Where nothing differs between the candidates there is no such axis, and one boolean answers for all.)
Goal = Callable[[AttentionSteps], ArrayLike]


@dataclass(frozen=True)
class Edit:
    """One entry of Q, K or V and another number for it."""

    matrix: str
    row: int
    column: int
    before: float
    after: float

    @property
    def size(self) -> float:
        """|Δ|: how far the number moves."""
        return abs(self.after - self.before)


def smallest_edit(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    goal: Goal,
    *,
    mask: ArrayLike | None = None,
    scale: str | float = "sqrt",
    among: Sequence[str] = MATRICES,
    limit: int = 20,
) -> Edit | None:
    """Find the single entry of Q, K or V that has to move least for the goal to hold.

    minimise |x − M[i, j]| over M in among, i, j and x = …, −0.01, 0, 0.01, … with goal(steps with M[i, j] = x)

    Every number of two decimals is tried, from the nearest outwards, so nothing smaller that can be typed is
    missed, and the goal holds for the very number returned.

    Source: none; an exhaustive search.

    Cost: an attention for every number that is tried, so 200 · limit a cell where no edit does it. For n = d = 4 that
    is about 0.2 s, for Q alone of 12 × 16 about 6 s. At most AT_ONCE are computed together: below 100 MB.

    Q: (n_q, d_k). K: (n_k, d_k). V: (n_k, d_v).
    goal: is given AttentionSteps, and answers whether it holds. The steps are those of many candidates at once, one
        a leading axis, wherever the candidates differ: so it looks at the last two axes (`weights[..., 1, :]`)
        and answers with booleans of the leading ones.
    mask, scale: as for attention_steps.
    among: the matrices that may change.
    limit: how far an entry may move, a whole number.
    Returns: Edit; None where no edit within the limit reaches the goal. Of equally small ones the first, in the order
        of among, rows and columns, and upwards before downwards.
    Raises: InputError if attention_steps would, Q, K or V has leading axes, among is empty or names another matrix,
        the limit is not a whole number from 1, or the goal does not answer with one boolean a candidate.

    >>> second_wins = lambda steps: steps.weights[..., 0, 1] > steps.weights[..., 0, 0]
    >>> smallest_edit(Q=[[2.0]], K=[[1.0], [0.5]], V=[[0.0], [0.0]], goal=second_wins)
    Edit(matrix='K', row=0, column=0, before=1.0, after=0.49)
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    inputs = {"Q": _without_batch("Q", Q), "K": _without_batch("K", K), "V": _without_batch("V", V)}
    if not among:
        raise InputError("choice", "among", "at least one of 'Q', 'K', 'V'", "none")
    names = [one_of("among", name, MATRICES) for name in among]
    for ring in _rings(UNITS * whole_number("limit", limit)):
        found = [edit for name in names for edit in _hits(inputs, name, ring, goal, mask, scale)]
        for edit in sorted(found, key=lambda edit: round(edit.size, 9)):  # sorting keeps the order of equal ones
            # Once more alone, as it will be computed: among many, sums may end in another last digit, and a goal may
            # have measured a tolerance by all of them.
            if _holds(goal, _edited(inputs, edit), mask, scale, 1).all():
                return edit
    return None


def _rings(most: int) -> Iterator[Array]:
    """Offsets in hundredths, from the inside out: 0, ±1 … ±31, then ±32 … ±63, and so on up to ±most."""
    for low in range(0, most + 1, RING):
        near = np.arange(low, min(low + RING, most + 1), dtype=np.float64)
        yield np.stack([near, -near], axis=-1).ravel()


def _hits(
    inputs: dict[str, Array], name: str, ring: Array, goal: Goal, mask: Mask | None, scale: str | float
) -> Iterator[Edit]:
    """The edits of one matrix within a ring that reach the goal."""
    matrix = inputs[name]
    numbers = (np.round(matrix * UNITS)[..., None] + ring) / UNITS + 0.0  # (rows, columns, ring); + 0.0: −0 is 0
    tried = np.argwhere(numbers != matrix[..., None])
    for start in range(0, len(tried), AT_ONCE):
        i, j, k = tried[start : start + AT_ONCE].T
        after = numbers[i, j, k]
        candidates = np.repeat(matrix[None], len(after), axis=0)
        candidates[np.arange(len(after)), i, j] = after
        for hit in np.flatnonzero(_holds(goal, inputs | {name: candidates}, mask, scale, len(after))):
            yield Edit(name, int(i[hit]), int(j[hit]), float(matrix[i[hit], j[hit]]), float(after[hit]))


def _holds(goal: Goal, inputs: dict[str, Array], mask: Mask | None, scale: str | float, count: int) -> Mask:
    steps = attention_steps(inputs["Q"], inputs["K"], inputs["V"], mask, scale=scale)
    answer = np.asarray(goal(steps))
    if answer.dtype != bool or answer.shape not in {(), (1,), (count,)}:
        got = f"{answer.dtype.name} of shape {answer.shape}"
        raise InputError("shape", "goal", f"booleans, one a candidate: shape ({count},)", got)
    return np.broadcast_to(answer, (count,))


def _edited(inputs: dict[str, Array], edit: Edit) -> dict[str, Array]:
    changed = inputs[edit.matrix].copy()
    changed[edit.row, edit.column] = edit.after
    return inputs | {edit.matrix: changed}


def _without_batch(name: str, x: Array) -> Array:
    if x.ndim != 2:
        raise InputError("axes", name, "an array (n, d) without leading axes", f"shape {x.shape}")
    return x
