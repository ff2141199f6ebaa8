"""What pages show besides the numbers: which step, which node, how far along the walk.

A view is part of the link, but choosing one is no edit: undo changes numbers and leaves what is looked at. A workbench
holds those that differ from their defaults, as sorted pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from ui.text import terms
from ui.workbench import PATH, Workbench


@dataclass(frozen=True)
class View:
    """What is shown at first, and whether another value may come from a link."""

    default: Any
    fits: Callable[[Any], bool]


def one_of(*options: Any) -> View:
    """One of these, the first at first."""
    return View(options[0], lambda value: any(type(value) is type(o) and value == o for o in options))


def whole(low: int, high: int, default: int | None = None) -> View:
    """A whole number. Where the numbers on the bench allow fewer, the page goes to the nearest."""
    return View(low if default is None else default, lambda value: type(value) is int and low <= value <= high)


def some_of(*options: str) -> View:
    """Any of these, in their order; none at first."""
    return View((), lambda value: isinstance(value, tuple) and value == tuple(o for o in options if o in value))


#: name → view; the part before the dot is the page's name.
VIEWS: dict[str, View] = {
    "glossary.question": whole(0, 26),
    "glossary.term": one_of("", *terms()),
    "lookup.kind": one_of("hard", "graded", "real"),
    "lookup.step": whole(0, 5),
    "lookup.sharp": whole(0, 20),
    "walk.done": some_of(*PATH),
}


def get(bench: Workbench, name: str) -> Any:
    """What is shown.

    >>> from ui.workbench import preset
    >>> get(preset("cat"), "walk.done")
    ()
    """
    return dict(bench.view).get(name, VIEWS[name].default)


def shown(bench: Workbench, name: str, value: Any) -> Workbench:
    """The workbench with another view of it; ValueError if there is no such view.

    >>> from ui.workbench import preset
    >>> shown(preset("cat"), "walk.done", ("lookup",)).view
    (('walk.done', ('lookup',)),)
    """
    if not VIEWS[name].fits(value):
        raise ValueError(f"{name} cannot show {value!r}")
    views = dict(bench.view) | {name: value}
    return replace(bench, view=tuple(sorted((n, v) for n, v in views.items() if v != VIEWS[n].default)))


def fit(view: Iterable[Any]) -> bool:
    """Whether these pairs, from a link, are as `shown` makes them."""
    pairs = [pair for pair in view if isinstance(pair, tuple) and len(pair) == 2 and pair[0] in VIEWS]
    names = [name for name, _ in pairs]
    good = all(VIEWS[name].fits(value) and value != VIEWS[name].default for name, value in pairs)
    return good and tuple(pairs) == tuple(view) and names == sorted(set(names))
