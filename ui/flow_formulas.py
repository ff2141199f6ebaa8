"""Each node's formula, with the sizes that its matrices have now."""

from __future__ import annotations

from ui import display, theme
from ui.flow import Flow

TEX = {"E": "E", "PE": "PE", "X": "X", "E2": "E'", "PE2": "PE'", "X2": "X'", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V",
       "Q": "Q", "K": "K", "V": "V", "scores": "S", "scaled": r"\tilde S", "weights": "A", "output": "O"}  # fmt: skip


def formula(it: Flow, node: str) -> str:
    """What a node is computed by; empty where nothing is computed."""
    source = "X2" if it.cross else "X"
    made = {
        "PE": _positions(it), "PE2": _positions(it),
        "X": _sum(it, ""), "X2": _sum(it, "2"),
        "Q": _product(it, "Q", _sized(it, "X"), _sized(it, "W_Q")),
        "K": _product(it, "K", _sized(it, source), _sized(it, "W_K")),
        "V": _product(it, "V", _sized(it, source), _sized(it, "W_V")),
        "scores": _product(it, "scores", _sized(it, "Q"), _sized(it, "K", turned=True)),
        "scaled": _scaled(it), "weights": _weights(it),
        "output": _product(it, "output", _sized(it, "weights"), _sized(it, "V")),
    }.get(node, "")  # fmt: skip
    return f"$$\n{made}\n$$" if made else ""


def _sized(it: Flow, node: str, *, turned: bool = False) -> str:
    """A matrix above its sizes, or its transpose."""
    rows, columns = it.shape(node)[::-1] if turned else it.shape(node)
    top = r"^\top" if turned else ""
    return rf"\underset{{{rows} \times {columns}}}{{{symbol(node)}{top}}}"


def symbol(node: str) -> str:
    """A matrix's letter, in its colour."""
    colour = theme.MATH.get(node.removesuffix("2")[-1]) if len(TEX[node]) < 4 and node not in ("E", "PE") else None
    return rf"\textcolor{{{colour}}}{{{TEX[node]}}}" if colour else TEX[node]


def _product(it: Flow, node: str, left: str, right: str) -> str:
    return rf"{_sized(it, node)} = {left}\;{right}"


def _sum(it: Flow, end: str) -> str:
    return f"{_sized(it, f'X{end}')} = {_sized(it, f'E{end}')} + {_sized(it, f'PE{end}')}" if it.positions else ""


def _positions(it: Flow) -> str:
    power = rf"10000^{{2i/{it.sizes['d_model']}}}"
    rows = [rf"PE_{{p,\,2i{more}}} &= \{name} \frac{{p}}{{{power}}}" for more, name in (("", "sin"), ("+1", "cos"))]
    return r"\begin{aligned}" + r" \\ ".join(rows) + r"\end{aligned}"


def _scaled(it: Flow) -> str:
    below = {"sqrt": r"\sqrt{d_k}", "linear": "d_k", "none": "1"}[it.bench.scale]
    mask = f" + {symbol_of_mask(it)}" if it.steps.mask is not None else ""
    number = display.short(it.steps.divisor).replace(display.MINUS, "-").removesuffix(".00")
    divisor = "" if it.bench.scale == "none" else rf",\quad {below} = {number}"
    return rf"{_sized(it, 'scaled')} = \frac{{S}}{{{below}}}{mask}{divisor}"


def symbol_of_mask(it: Flow) -> str:
    rows, columns = it.shape("scaled")
    return rf"\underset{{{rows} \times {columns}}}{{M}}"


def _weights(it: Flow) -> str:
    keys = it.shape("weights")[1]
    return rf"A_{{ij}} = \frac{{e^{{\tilde S_{{ij}}}}}}{{\sum_{{k=1}}^{{{keys}}} e^{{\tilde S_{{ik}}}}}}"
