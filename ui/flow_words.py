"""The four steps as a table: what each does, the shapes in symbols, and the shapes as they are."""

from __future__ import annotations

from collections.abc import Sequence

from ui.flow import Flow
from ui.names import escaped
from ui.text import Text

#: step → the two that are multiplied, the first turned where it says so; one alone keeps its shape
STEPS = {"scores": ("Q", "K"), "scaled": ("scores",), "weights": ("scaled",), "output": ("weights", "V")}


def steps_table(it: Flow, text: Text) -> str:
    """A row a step, shapes in symbols and in numbers."""
    rows = [text("steps_head"), "| --- | --- | --- | --- |"]
    for node, operands in STEPS.items():
        title = text(f"step_{node}")
        rows.append(f"| {title} | {text(f'does_{node}')} | {_shapes(it, node, operands, True)} "
                    f"| {_shapes(it, node, operands, False)} |")
    return "\n".join(rows)


def _shapes(it: Flow, node: str, operands: tuple[str, ...], symbols: bool) -> str:
    """n × d_k · d_k × n → n × n, or the same in numbers."""
    taken = [it.symbols(name) if symbols else it.shape(name) for name in operands]
    if node == "scores":
        taken[1] = taken[1][::-1]
    made = it.symbols(node) if symbols else it.shape(node)
    return f"{' · '.join(map(_product, taken))} → **{_product(made)}**"


def _product(shape: Sequence[object]) -> str:
    """Sizes that stay on one line."""
    return escaped(f"{shape[0]}×{shape[1]}")


def steps_note(it: Flow, text: Text) -> str:
    return text("steps_cross" if it.cross else "steps_self", **it.sizes)
