"""A node's place in the code: the source of the very function that made it, read from the running module."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import attention
from attention import dot_product, examples
from ui import flow
from ui.flow import Flow

ROOT = Path(__file__).parent.parent
HERE, ELSEWHERE = "▶ ", "  "


class Excerpt(NamedTuple):
    """A function without its docstring, the lines that matter marked; and where it stands."""

    code: str
    file: str
    line: int  # the first one marked, counted in its file


def of(it: Flow, node: str) -> Excerpt | None:
    """Where a node's numbers are made; None where they are typed."""
    found = _place(it, node)
    return found and _excerpt(*found)


def _place(it: Flow, node: str) -> tuple[Callable[..., Any], tuple[str, ...]] | None:
    """The function, and the beginnings of the lines in it."""
    made: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
        **{name: (attention.project, (f"{name} =",)) for name in "QKV"},
        "scores": (dot_product.trace, ("scores =",)),
        "scaled": (dot_product.trace, ("scaled =",) if it.steps.mask is None else ("scaled =", "masked =")),
        "weights": (dot_product.trace, ("weights =",)),
        "output": (dot_product.trace, ("return",)),
        **dict.fromkeys(("PE", "PE2"), (attention.sinusoidal_positions, ("return",))),
        "E2": (examples.embedded, ("row[",)),
    }  # fmt: skip
    entry = (flow.with_positions, ("return",)) if it.positions else None
    return made.get(node) or (entry or made["E2"] if node == "X2" else entry if node == "X" else None)


@cache
def _excerpt(function: Callable[..., Any], marked: tuple[str, ...]) -> Excerpt:
    source, first = inspect.getsourcelines(function)
    lines = textwrap.dedent("".join(source)).splitlines()
    docstring = ast.parse("\n".join(lines)).body[0].body[0]  # type: ignore[attr-defined]
    shown = [(i, line) for i, line in enumerate(lines) if not docstring.lineno <= i + 1 <= docstring.end_lineno]
    here = [i for i, line in shown if line.strip().startswith(marked)]
    code = "\n".join((HERE if i in here else ELSEWHERE) + line for i, line in shown)
    file = Path(inspect.getfile(function)).relative_to(ROOT).as_posix()
    return Excerpt(code, file, first + here[0])
