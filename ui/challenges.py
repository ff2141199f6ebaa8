"""Challenges: what to bring about by editing, and what is true of an attempt. No Streamlit inside.

Each has a start of its own and a goal, which is asked of what is computed: whatever brings it about is a solution.
The same goal, asked of many edits at once, finds the smallest one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

import attention
from attention import AttentionSteps, Edit
from ui import challenges_goals as goals
from ui import challenges_words as words
from ui import numbers, workbench
from ui.challenges_words import Attempt, Say
from ui.workbench import CHALLENGES, DIRECT, Cell, Workbench

BASE = "cat"
HINTS = 2  #: hints a challenge

Goal = Callable[[AttentionSteps, AttentionSteps], Any]


@dataclass(frozen=True)
class Challenge:
    """A start (the base with some cells changed), a goal, and how an attempt is spoken about."""

    goal: Goal  #: what holds of (the steps now, the steps at the start); with leading axes, of each
    says: Callable[[Attempt, bool], Say]  #: what is true now; told whether that is the goal
    cells: Mapping[str, Mapping[Cell, str]] = field(default_factory=dict)
    mask: str = "none"
    rule: Callable[[Attempt], Say | None] = lambda attempt: None  #: what the attempt may not do and does
    among: tuple[str, ...] = DIRECT  #: where the smallest edit is looked for


@dataclass(frozen=True)
class Verdict:
    """What an attempt has come to: solved or not, and the sentences that say why."""

    solved: bool
    says: tuple[Say, ...]


REGISTRY = {
    "most": Challenge(goals.most, words.most, rule=words.one_number),
    "uniform": Challenge(
        goals.uniform, words.uniform,
        cells={"Q": {(3, 2): "0", (3, 3): "0.5"}, "K": {(3, 3): "4"}},  # the last query meets one key only
    ),
    "one_hot": Challenge(goals.one_hot, words.one_hot),
    "only_output": Challenge(goals.only_output, words.only_output),
    "only_keys": Challenge(
        goals.same_weights, words.only_keys, rule=words.keys_alone, among=("K",),
        cells={"Q": {(2, 3): "0", (3, 3): "0"}},  # a dimension in which no query asks anything
    ),
    "idle_weights": Challenge(
        goals.idle_weights, words.idle_weights, mask="causal",
        cells={"V": {(1, 0): "2", (1, 1): "0", (1, 2): "0.5", (1, 3): "0"}},  # 追 carries what 猫 carries
    ),
}  # fmt: skip


def begun(bench: Workbench, id: str) -> Workbench:
    """The start of a challenge in place of these numbers; settings that are no numbers stay."""
    challenge = REGISTRY[id]
    start = replace(workbench.opened(bench, BASE), route="direct", mask=challenge.mask, challenge=id)
    for name, cells in challenge.cells.items():
        start = workbench.with_cells(start, name, cells)
    return start


def prepared(bench: Workbench) -> Workbench:
    """What a workbench began as: its challenge's start, else its preset."""
    return begun(bench, bench.challenge) if bench.challenge else workbench.start(bench)


def misfit(bench: Workbench) -> str | None:
    """What about this workbench, numbers apart, is no longer as the challenge needs it; None if it all is."""
    start = begun(bench, bench.challenge)
    if bench.route != start.route:
        return "route"
    if bench.tokens != start.tokens:
        return "tokens"
    if any(bench.sizes[each] != start.sizes[each] for each in ("d_k", "d_v")):
        return "sizes"
    if bench.scale != start.scale:
        return "scale"
    return "mask" if bench.mask != start.mask else None


def changed(bench: Workbench) -> tuple[tuple[str, int, int], ...]:
    """The cells whose number is not the start's: 1/2 in place of 0.5 is no change."""
    start = begun(bench, bench.challenge)
    return tuple(
        (name, int(i), int(j))
        for name in DIRECT
        for i, j in np.argwhere(bench.array(name) != start.array(name))
    )


def judge(bench: Workbench, names: Sequence[str]) -> Verdict:
    """What is true of a workbench that fits its challenge; `names` are the tokens as the reader is shown them."""
    challenge = REGISTRY[bench.challenge]
    start = begun(bench, bench.challenge)
    attempt = Attempt(bench, start, bench.steps(), start.steps(), changed(bench), tuple(names))
    against = challenge.rule(attempt)
    reached = bool(challenge.goal(attempt.now, attempt.before))
    says = (challenge.says(attempt, reached), against)
    return Verdict(reached and against is None, tuple(say for say in says if say is not None))


@lru_cache(maxsize=len(CHALLENGES))
def smallest(id: str) -> Edit:
    """The smallest edit of one number that solves a challenge from its start. Every challenge has one."""
    challenge = REGISTRY[id]
    start = begun(workbench.preset(BASE), id)
    before = start.steps()
    edit = attention.smallest_edit(
        *start.qkv(), lambda now: challenge.goal(now, before), mask=start.mask_array(), scale=start.scale,
        among=challenge.among,
    )  # fmt: skip
    assert edit is not None
    return edit


@lru_cache(maxsize=len(CHALLENGES))
def has_equals(id: str) -> bool:
    """Whether other edits of one number are as small as the smallest: each number is tried as far up and down."""
    challenge, by = REGISTRY[id], smallest(id).size
    start = begun(workbench.preset(BASE), id)
    before = start.steps()
    as_small = (
        workbench.with_cells(start, name, {(i, j): numbers.text_of(to, 2)})
        for name in challenge.among
        for (i, j), x in np.ndenumerate(start.array(name))
        for to in (x + by, x - by)
    )
    return sum(bool(challenge.goal(bench.steps(), before)) for bench in as_small) > 1


def with_smallest(bench: Workbench, id: str) -> Workbench:
    """The start of a challenge with its smallest edit made."""
    edit = smallest(id)
    cell = {(edit.row, edit.column): numbers.text_of(edit.after, 2)}
    return workbench.with_cells(begun(bench, id), edit.matrix, cell)


def is_smallest(bench: Workbench) -> bool:
    """Whether the numbers are the start's with the smallest edit made, however they are spelt."""
    solved = with_smallest(bench, bench.challenge)
    return all(np.array_equal(bench.array(name), solved.array(name)) for name in DIRECT)
