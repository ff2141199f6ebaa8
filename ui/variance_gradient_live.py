"""What the browser computes while a row of scores is stretched, as expressions of Vega's.

`s` is the slider's factor; a record has the distances `a` and `b` of two scores from the largest of their row.
"""

from __future__ import annotations

from typing import Any

from attention.saturation import DEAD
from ui import live
from ui.charts import LEGIBLE


def steps(cell: int) -> list[dict[str, Any]]:
    """From the distances to the weights, to the entries and to what is said of them: once for all rows."""
    tips = {
        "tip": f"'J[' + datum.name_i + ', ' + datum.name_j + '] = ' + {_shown('live', 4)}",
        "tip_p": f"datum.i === datum.j ? 'p(' + datum.name_j + ') = ' + {_shown('p_i', 4)} : ''",
    }
    numbers = {"shown": _shown("live", 2), "shown_p": f"datum.i === datum.j ? {_shown('p_i', 2)} : ''"}
    dead = f"(datum.size < {DEAD} ? datum.dead : '')"
    return [
        *_calculated(power_i="exp(s * datum.a)", power_j="exp(s * datum.b)"),
        _summed("power_j", "total", ["slot", "i"]),
        *_calculated(
            p_i="datum.power_i / (datum.total || 1)", p_j="datum.power_j / (datum.total || 1)",
            live="datum.i === datum.j ? datum.p_i - datum.p_i * datum.p_i : -datum.p_i * datum.p_j",
            square="datum.live * datum.live", ink="1", **tips, **(numbers if cell >= LEGIBLE else {}),
        ),
        _summed("square", "squares", ["slot"]),
        *_calculated(size="sqrt(datum.squares)"),
        *_calculated(norm=f"datum.i + datum.j === 0 ? '‖J‖ = ' + {_shown('size', 3)} + {dead} : ''"),
    ]  # fmt: skip


def _calculated(**steps: str) -> list[dict[str, Any]]:
    return [{"calculate": how, "as": name} for name, how in steps.items()]


def _summed(field: str, name: str, by: list[str]) -> dict[str, Any]:
    return {"joinaggregate": [{"op": "sum", "field": field, "as": name}], "groupby": by}


def _shown(field: str, decimals: int) -> str:
    """A number as `display.short` shows it."""
    return live.short(decimals, False).replace("datum.live", f"datum.{field}")


def _power(x: str) -> str:
    """A tiny number as 2.0·10⁻⁴²; as `variance_gradient_picture.size` shows it."""
    made = f"format({x}, '.1e')"
    raised = f"split({made}, 'e')[1]"
    for plain, small in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True):
        raised = f"join(split({raised}, '{plain}'), '{small}')"
    return f"split({made}, 'e')[0] + '·10' + {raised}"


def arithmetic() -> str:
    """The chosen entry with the numbers put in; 1 − p as a number, since 1 − 1.00 would say 0."""
    p, other, entry = (
        f"(abs({x}) > 0 && abs({x}) < 1e-3 ? {_power(x)} : format({x}, '.3~g'))"
        for x in ("datum.p_i", "(datum.i === datum.j ? 1 - datum.p_i : datum.p_j)", "datum.live")
    )
    i, j = (f"truncate(datum.name_{axis}, 6)" for axis in "ij")  # or the digits after long names would be cut
    name, sign = f"'J[' + {i} + ', ' + {j} + '] ≈ '", "(datum.i === datum.j ? '' : '−')"
    return f"{name} + {sign} + {p} + ' · ' + {other} + ' ≈ ' + {entry}"
