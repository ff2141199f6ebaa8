"""What is said of a line that has just run, in the reader's numbers. No Streamlit inside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import attention
from attention import by_line
from attention.by_line import Function, Ran, Run
from ui import display
from ui.names import in_sentences
from ui.text import Text
from ui.workbench import Workbench

#: a statement → the id of the sentence about it. One that is not here is a line we have not met.
SAYS = {
    "def attention": "say_call",
    "Q, K, V, mask = attention_inputs(Q, K, V, mask)": "say_checks",
    "scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])": "say_scores",
    "if mask is not None:": "say_if",
    "scores = np.where(mask, scores, -np.inf)": "say_fill",
    "weights = softmax(scores, axis=-1)": "say_weights",
    "return weights @ V": "say_output",
    "def softmax": "say_softmax",
    "x = scores_array(x, axis)": "say_copy",
    "with np.errstate(invalid='ignore', over='ignore'):": "say_quiet",
    "powers = np.exp(x - x.max(axis=axis, keepdims=True))": "say_powers",
    "total = powers.sum(axis=axis, keepdims=True)": "say_total",
    "return powers / total": "say_shares",
}

FROM_SOFTMAX_ON = ("say_weights", "say_output", "say_powers", "say_total", "say_shares")
CHECKS = ("attention_inputs", "scores_array")  #: what refuses bad input, and computes nothing


def line(it: Run, at: int, bench: Workbench, text: Text) -> str:
    """What the line just run did, with one number of the reader's worked out."""
    ran = it.ran[at]
    id = SAYS.get(ran.source, "say_other")
    if id == "say_if":
        id = "say_if_true" if ran.value else "say_if_false"
    return text.sentences([text(each, **_values(it, at, bench, text)) for each in _and_of_empty_rows(id, bench)])


def _and_of_empty_rows(id: str, bench: Workbench) -> list[str]:
    """From softmax on, a query whose keys are all hidden has NaN: in its place, or beside what is said of another."""
    mask = bench.mask_array()
    if id not in FROM_SOFTMAX_ON or mask is None or mask.any(axis=1).all():
        return [id]
    return [id, "say_empty"] if mask[bench.token].any() else ["say_empty"]


def _values(it: Run, at: int, bench: Workbench, text: Text) -> Mapping[str, object]:
    """Every number that a sentence may ask for, of the token the reader looks at and the key it attends to most."""
    names = in_sentences(bench.tokens, text)
    known = {**it.ran[at].known, "return": it.ran[at].value}
    i = bench.token
    Q, K, _ = bench.qkv()
    dots = Q[i] @ K.T
    mask = bench.mask_array()
    seen = np.flatnonzero(mask[i]) if mask is not None and mask[i].any() else np.arange(len(dots))
    j = int(seen[dots[seen].argmax()])
    values: dict[str, object] = {
        "query": names[i], "key": names[j], "tokens": len(names), "d_k": Q.shape[1],
        "dot": display.short(float(dots[j])), "root": display.short(float(np.sqrt(Q.shape[1]))),
        "score": display.short(float(dots[j] / np.sqrt(Q.shape[1]))),
        "empty": text.list([] if mask is None else [n for n, row in zip(names, mask, strict=True) if not row.any()]),
        "hidden": 0 if mask is None else int((~mask).sum()),
    }  # fmt: skip
    for name in ("weights", "x", "powers", "total", "return"):
        x = known.get(name)
        if isinstance(x, np.ndarray) and x.ndim == 2:
            values[name] = display.short(float(x[i, min(j, x.shape[1] - 1)]))
    x = known.get("x")
    if isinstance(x, np.ndarray) and x.ndim == 2:
        values["largest"] = display.short(float(x[i].max()))
    if isinstance(it.result, np.ndarray):
        values["sum"] = _vector(it.result[i])
    return values


def _vector(row: NDArray[Any]) -> str:
    return ", ".join(display.short(float(x)) for x in row)


def made(ran: Ran) -> str:
    """What a line made, in a few characters: shapes, or how a condition came out."""
    if isinstance(ran.value, bool):
        return str(ran.value)
    arrays = {name: x for name, x in {**ran.sets, "→": ran.value}.items() if isinstance(x, np.ndarray)}
    shapes = {name: " × ".join(map(str, x.shape)) for name, x in arrays.items()}
    if arrays and set(arrays) <= set(ran.reads) and all(np.array_equal(x, ran.reads[n]) for n, x in arrays.items()):
        return "✓"  # the same as before: checked
    if len(shapes) > 1:  # the line names them, in this order
        return " · ".join(shape.replace(" ", "") for shape in shapes.values())
    return " ".join(part for each in shapes.items() for part in each)


def plain_source() -> dict[Function, str]:
    """Both functions down to what they compute: no checks, types, comments or docstrings."""
    return {each: _plain(each) for each in (attention.softmax, attention.attention)}


@lru_cache(maxsize=16)
def _plain(function: Function) -> str:
    return by_line.bare(function, without=CHECKS.__contains__)
