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

#: function → how the lines begin that make a node, and which node it is
PROJECT = (attention.project, {"Q =": "Q", "K =": "K", "V =": "V"})
TRACE = (dot_product.trace, {"scores =": "scores", "scaled =": "scaled", "masked =": "scaled", "weights =": "weights",
                             "return": "output"})  # fmt: skip


class Line(NamedTuple):
    """A line of a function: its number in the file, what stands there, and the node it makes ("" if none)."""

    number: int
    text: str
    node: str


def of(it: Flow, node: str) -> tuple[str, tuple[Line, ...]]:
    """The file and the lines of the function that made a node; none where its numbers are typed."""
    if node in ("Q", "K", "V"):
        return _lines(*PROJECT)
    if node in ("scores", "scaled", "weights", "output"):
        return _lines(*TRACE)
    if node in ("PE", "PE2"):
        return _lines(attention.sinusoidal_positions, {"return": node})
    if node in ("X", "X2") and it.positions:
        return _lines(flow.with_positions, {"return": node})
    return _lines(examples.embedded, {"row[": node}) if node in ("E2", "X2") else ("", ())


def _lines(function: Callable[..., Any], makes: dict[str, str]) -> tuple[str, tuple[Line, ...]]:
    file, lines = _source(function)
    nodes = ((i, text, [makes[start] for start in makes if text.strip().startswith(start)]) for i, text in lines)
    return file, tuple(Line(i, text, node[0] if node else "") for i, text, node in nodes)


@cache
def _source(function: Callable[..., Any]) -> tuple[str, tuple[tuple[int, str], ...]]:
    """A function's file, and its lines without the docstring, numbered as in the file."""
    source, first = inspect.getsourcelines(function)
    lines = textwrap.dedent("".join(source)).splitlines()
    docstring = ast.parse("\n".join(lines)).body[0].body[0]  # type: ignore[attr-defined]
    said = range(docstring.lineno - 1, docstring.end_lineno)
    file = Path(inspect.getfile(function)).relative_to(ROOT).as_posix()
    return file, tuple((first + i, text) for i, text in enumerate(lines) if i not in said)
