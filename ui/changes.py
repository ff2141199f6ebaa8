"""What differs between two workbenches: the numbers and switches a reader changed, and a short name for each.

The chosen cell is not among them: looking is no edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from ui import challenges, display, link, workbench
from ui.names import escaped
from ui.text import Text
from ui.workbench import HEAD, SHAPES, Workbench

MOST_NAMED = 2  #: numbers that are named one by one
MOST_SENTENCE = 36  #: characters of a sentence that are shown

#: Fields that are settings of one page each, and that page.
ELSEWHERE = {
    "n_heads": "heads", "head_seed": "heads", "heads_off": "heads", "twins": "heads", "typed_head": "heads",
    "variance_seed": "variance", "variance_draws": "variance", "challenge": "challenges",
}  # fmt: skip


PARTS = ("mask_causal", "mask_length", "mask_window")


class Change(NamedTuple):
    """One difference. `what` names its kind; `name` is a matrix, a size or a page; texts as they are kept."""

    what: str  # opened reset tokens size number mask_cell mask_part mask scale route token page
    name: str
    row: int
    column: int
    old: str
    new: str

    @property
    def of_numbers(self) -> bool:
        """Whether what is computed from the tokens may follow: whose output is looked at is no matter of numbers."""
        return self.what not in {"token", "page"}


def between(old: Workbench, new: Workbench) -> tuple[Change, ...]:
    """Everything that differs; numbers that came with other tokens or a prepared example are not counted one by one."""
    begun = bool(new.challenge) and new.challenge != old.challenge and _as_prepared(new)
    if begun or (old.preset, old.seed) != (new.preset, new.seed):
        return (_of("opened", "", _origin(old), _origin(new)),)
    found = [*_sizes(old, new), *_numbers(old, new), *_mask(old, new), *_switches(old, new)]
    if old.tokens != new.tokens:
        found = [_of("tokens", "", " ".join(old.tokens), " ".join(new.tokens)), *_switches(old, new)]
    if sum(change.of_numbers for change in found) > 1 and _as_prepared(new):
        found = [_of("reset", ""), *(change for change in found if not change.of_numbers)]
    return tuple(found)


@lru_cache(maxsize=4096)
def between_codes(old: str, new: str) -> tuple[Change, ...]:
    """The differences of two workbenches, by their codes."""
    return between(link.decode(old), link.decode(new))


def _of(what: str, name: str, old: str = "", new: str = "", row: int = -1, column: int = -1) -> Change:
    return Change(what, name, row, column, old, new)


def _as_prepared(bench: Workbench) -> bool:
    return replace(challenges.prepared(bench), token=bench.token, cell=bench.cell) == bench


def _origin(bench: Workbench) -> str:
    """What was opened, for `title`."""
    return f"{bench.preset} {bench.seed} {bench.challenge}"


def _sizes(old: Workbench, new: Workbench) -> Iterator[Change]:
    for name in ("d_k", "d_v", "d_model"):
        if old.sizes[name] != new.sizes[name]:
            yield _of("size", name, str(old.sizes[name]), str(new.sizes[name]))


def _numbers(old: Workbench, new: Workbench) -> Iterator[Change]:
    for name in SHAPES:
        before, after = old.matrices[name], new.matrices[name]
        if before == after or (len(before), len(before[0])) != (len(after), len(after[0])):
            continue
        for i, (row, other) in enumerate(zip(before, after, strict=True)):
            for j, (a, b) in enumerate(zip(row, other, strict=True)):
                if a != b:
                    yield _of("number", name, a, b, i, j)


def _mask(old: Workbench, new: Workbench) -> Iterator[Change]:
    if old.mask != new.mask:
        yield _of("mask", "", old.mask, new.mask)
    elif new.mask == "own" and len(old.tokens) == len(new.tokens):
        for part in PARTS:
            a, b = (int(getattr(bench, part)) for bench in (old, new))
            if a != b:
                yield _of("mask_part", part, str(a), str(b))
        if (workbench.hand(old) == workbench.hand(new)).all():
            return  # what the parts hide or show needs no word more
        before, after = workbench.own_mask(old), workbench.own_mask(new)
        for i, j in zip(*(before != after).nonzero(), strict=True):
            yield _of("mask_cell", "", "01"[int(before[i, j])], "01"[int(after[i, j])], int(i), int(j))


def _switches(old: Workbench, new: Workbench) -> Iterator[Change]:
    for what in ("scale", "route"):
        if getattr(old, what) != getattr(new, what):
            yield _of(what, "", getattr(old, what), getattr(new, what))
    if old.token != new.token:
        yield _of("token", "", old.tokens[old.token], new.tokens[new.token])
    pages = {page: 0 for name, page in ELSEWHERE.items() if getattr(old, name) != getattr(new, name)}
    if any(old.matrices.get(name) != new.matrices.get(name) for name in HEAD):
        pages["heads"] = 0
    for page in pages:
        yield _of("page", page)


def place(change: Change, names: Sequence[str]) -> str:
    """A typed number's place: Q[追, 2]; the rows of W_Q, W_K and W_V are dimensions."""
    row = str(change.row + 1) if change.name.startswith("W_") else names[change.row]
    return f"{change.name}[{row}, {change.column + 1}]"


def described(found: Sequence[Change], names: Sequence[str], text: Text) -> str:
    """What a step changed, in a few words; `names` are the tokens as they can be shown."""
    numbers = [change for change in found if change.what == "number"]
    cells = [change for change in found if change.what == "mask_cell"]
    rest = [change for change in found if change.what not in {"number", "mask_cell"}]
    said = [_said(change, names, text) for change in rest]
    said += [_said(change, names, text) for change in numbers] if len(numbers) <= MOST_NAMED else [text(
        "step_numbers", count=len(numbers), matrices=text.list(list(dict.fromkeys(c.name for c in numbers)))
    )]  # fmt: skip
    said += [_said(change, names, text) for change in cells] if len(cells) <= MOST_NAMED else [
        text("step_mask_cells", count=len(cells))
    ]  # fmt: skip
    return text("step_and").join(said) or text("step_other")


def _said(change: Change, names: Sequence[str], text: Text) -> str:
    words = {"old": option(change, change.old, text), "new": option(change, change.new, text), "name": change.name}
    if change.what == "number":
        words["name"] = place(change, names)
    elif change.what == "mask_cell":
        return text(f"step_mask_cell_{change.new}", query=names[change.row], key=names[change.column])
    elif change.what == "mask_part":
        words["name"] = Text("masks", text.lang)(f"part_{change.name}")
    elif change.what == "page":
        words["name"] = Text(change.name, text.lang)("title")
    elif change.what == "opened":
        words["name"] = title(change.new, text)
    return text(f"step_{change.what}", **words)


def option(change: Change, value: str, text: Text) -> str:
    """A value as Markdown writes it: a switch by its label, a number with a real minus sign, tokens to the letter."""
    if change.what in {"scale", "mask", "route"}:
        return Text("edit", text.lang)(f"{change.what}_{value}")
    if change.what == "mask_part" and (value == "0" or change.name == "mask_causal"):
        return Text("masks", text.lang)("off" if value == "0" else "on")
    if change.what in {"token", "tokens"}:
        return escaped(value if len(value) <= MOST_SENTENCE else f"{value[:MOST_SENTENCE]}…")
    return display.signed(value)


def title(opened: str, text: Text) -> str:
    """A challenge or a prepared example by its name; random numbers by their seed as well."""
    name, seed, challenge = opened.split(" ")
    if challenge:
        return Text("challenges", text.lang)(f"name_{challenge}")
    shown = workbench.example(name).title[text.lang]
    return text("seeded", title=shown, seed=seed) if name == "random" else shown
