"""Each node's formula, with the sizes that its matrices have now."""

from __future__ import annotations

from ui import display, formulas, theme
from ui.flow import Flow

TEX = {"E": "E", "PE": "PE", "X": "X", "E2": "E'", "PE2": "PE'", "X2": "X'", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V",
       "Q": "Q", "K": "K", "V": "V", "scores": "S", "scaled": "Z", "weights": "A", "output": "O"}  # fmt: skip


#: node → what is multiplied; K and V are made of whatever is looked at
FACTORS = {"Q": ("X", "W_Q"), "K": ("source", "W_K"), "V": ("source", "W_V"), "scores": ("Q", "K"),
           "output": ("weights", "V")}  # fmt: skip


def formula(it: Flow, node: str) -> str:
    """What a node is computed by; empty where nothing is computed."""
    made = _made(it, node)
    strut = formulas.STRUT if r"\frac" in made else ""  # or Streamlit cuts off what stands out
    return f"$$\n{strut}{made}\n$$" if made else ""


def _made(it: Flow, node: str) -> str:
    if node in FACTORS:
        left, right = FACTORS[node]
        source = "X2" if it.cross else "X"
        turned = node == "scores"
        return rf"{_sized(it, node)} = {_sized(it, left.replace('source', source))}\;{_sized(it, right, turned=turned)}"
    if node in ("PE", "PE2"):
        return _positions(it)
    if node in ("X", "X2") and it.positions:
        E, PE = node.replace("X", "E"), node.replace("X", "PE")
        return f"{_sized(it, node)} = {_sized(it, E)} + {_sized(it, PE)}"
    return {"scaled": _scaled, "weights": _weights}[node](it) if node in ("scaled", "weights") else ""


def _sized(it: Flow, node: str, *, turned: bool = False) -> str:
    """A matrix above its sizes, or its transpose."""
    rows, columns = it.shape(node)[::-1] if turned else it.shape(node)
    top = r"^\top" if turned else ""
    return rf"\underset{{{rows} \times {columns}}}{{{symbol(node)}{top}}}"


def symbol(node: str) -> str:
    """A matrix's letter, in its colour."""
    colour = theme.MATH.get(node.removesuffix("2")[-1]) if len(TEX[node]) < 4 and node not in ("E", "PE") else None
    return rf"\textcolor{{{colour}}}{{{TEX[node]}}}" if colour else TEX[node]


def _positions(it: Flow) -> str:
    power = rf"10000^{{2i/{it.sizes['d_model']}}}"
    rows = [rf"PE_{{p,\,2i{more}}} &= \{name} \frac{{p}}{{{power}}}" for more, name in (("", "sin"), ("+1", "cos"))]
    return r"\begin{aligned}" + r" \\[1.4em] ".join(rows) + r"\end{aligned}"


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
    return rf"a_{{ij}} = \frac{{e^{{z_{{ij}}}}}}{{\sum_{{k=1}}^{{{keys}}} e^{{z_{{ik}}}}}}"
