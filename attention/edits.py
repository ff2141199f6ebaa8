"""The smallest change of one number with which something becomes true: what a person would have to type."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import Array, InputError, Mask, attention_inputs, one_of, whole_number
from attention.dot_product import AttentionSteps, attention_steps

MATRICES = ("Q", "K", "V")
UNITS = 100  # numbers of two decimals are whole hundredths
FIRST_RING = 16  # hundredths on either side that are tried first; each further ring is twice as wide

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
            if _holds(goal, _edited(inputs, edit), mask, scale, 1).all():  # alone, as it will be computed
                return edit
    return None


def _rings(most: int) -> Iterator[Array]:
    """Offsets in hundredths, from the inside out: 0, ±1 … ±15, ±16 … ±31, ±32 … ±63, and so on up to ±most."""
    low, high = 0, FIRST_RING
    while low <= most:
        near = np.arange(low, min(high, most + 1), dtype=np.float64)
        yield np.stack([near, -near], axis=-1).ravel()
        low, high = high, 2 * high


def _hits(
    inputs: dict[str, Array], name: str, ring: Array, goal: Goal, mask: Mask | None, scale: str | float
) -> Iterator[Edit]:
    """The edits of one matrix within a ring that reach the goal, a row of the matrix at a time."""
    matrix = inputs[name]
    rows, columns = matrix.shape
    for i in range(rows):
        numbers = (np.round(matrix[i] * UNITS)[:, None] + ring) / UNITS  # (columns, ring)
        candidates = np.broadcast_to(matrix, (columns, len(ring), rows, columns)).copy()
        for j in range(columns):
            candidates[j, :, i, j] = numbers[j]
        candidates = candidates.reshape(-1, rows, columns)
        holds = _holds(goal, inputs | {name: candidates}, mask, scale, len(candidates)).reshape(columns, len(ring))
        for j, k in zip(*np.nonzero(holds & (numbers != matrix[i][:, None])), strict=True):
            yield Edit(name, i, int(j), float(matrix[i, j]), float(numbers[j, k]) + 0.0)  # + 0.0: −0 is 0


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
