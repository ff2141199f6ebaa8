"""The four stages once more, in Vega's expression language: a what-if is computed and drawn by the browser alone.

Everything a what-if is made of travels in one string, `whatif`, which `ui/components/whatif.js` writes into a hidden
field of the chart: "stamp;Q;K;V;mask;divisor;temperature", matrices row by row, comma between numbers, Q and K padded
with zeros to `MOST` columns. Signals compute each stage once for all records; a record then picks its own number. An
empty string, or one whose stamp is not that of the data, is no what-if: every mark shows what the server sent. So old
and new data can cross on their way without a moment of wrong numbers.

(Row maxima and sums by `joinaggregate` over the records give the same numbers, but each visits all records twice, words
included, at rest as well; unrolled signals cost a tenth.)
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import attention
from ui import display, theme

MOST = 8  #: tokens, and columns of Q, K and V, that a browser repaints at 60 Hz (benchmarks/frames.py)
FIELD = "whatif"  #: the chart's hidden field, by name
STRUCK = frozenset({1, 2})  #: the stages of which cells can be masked
ROUNDING = 1e-9  #: of a number: what the browser's last bits and NumPy's may differ by; see `cells`
STAGES = ("w_scores", "w_scaled", "w_weights", "w_output")


def fits(*sizes: int) -> bool:
    """Whether the browser keeps up with these sizes."""
    return max(sizes) <= MOST


def stamp(steps: attention.AttentionSteps) -> int:
    """Names the numbers on screen: what was asked of others is not answered with these. Never 0."""
    drawn = (steps.scores, steps.masked, steps.output)
    return zlib.crc32(b"".join(matrix.tobytes() for matrix in drawn)) or 1


@lru_cache(maxsize=64)
def params(n: int, d_v: int) -> list[dict[str, Any]]:
    """The what-if, and each stage computed from it: an array a stage, row by row."""
    rows, pairs = range(n), [(q, k) for q in range(n) for k in range(n)]

    matrices = ("w_Q", "w_K", "w_V", "w_mask")

    def row(of: str, q: int) -> list[str]:
        return [f"{of}[{n * q + k}]" for k in rows]

    stages = {
        "w_part": f"split({FIELD} || ';;;;;;', ';')",
        "w_stamp": "+w_part[0]",
        # Texts, because equal texts are the same: what did not change is not computed again.
        **{f"{name}_text": f"w_part[{1 + i}]" for i, name in enumerate(matrices)},
        **{name: f"split({name}_text, ',')" for name in matrices},
        "w_divisor": "w_part[5] * w_part[6]",
        "w_scores": _array(
            _dot((f"w_Q[{MOST * q + c}]", f"w_K[{MOST * k + c}]") for c in range(MOST)) for q, k in pairs
        ),
        "w_scaled": _array(f"w_mask[{i}] === '1' ? w_scores[{i}] / w_divisor : -1 / 0" for i in range(n * n)),
        "w_most": _array(f"max(-1e300,{','.join(row('w_scaled', q))})" for q in rows),  # -1e300: all keys masked
        "w_exp": _array(f"exp(w_scaled[{n * q + k}] - w_most[{q}])" for q, k in pairs),
        "w_total": _array("+".join(row("w_exp", q)) for q in rows),
        "w_weights": _array(f"w_exp[{n * q + k}] / (w_total[{q}] || 1)" for q, k in pairs),
        "w_output": _array(
            _dot((weight, f"w_V[{d_v * k + c}]") for k, weight in enumerate(row("w_weights", q)))
            for q in rows for c in range(d_v)
        ),
        "w_sums": _array(f"round(1e9 * ({'+'.join(row('w_weights', q))})) / 1e9" for q in rows),
        "w_end": "max(-extent(w_scores)[0], extent(w_scores)[1]) || 1",
        "w_end_output": "max(-extent(w_output)[0], extent(w_output)[1]) || 1",
    }  # fmt: skip
    # A field of type hidden: no pointer, no keyboard and no screen reader comes across it.
    field = {"name": FIELD, "value": "", "bind": {"input": "hidden", "name": " "}}
    return [field, *({"name": name, "expr": expression} for name, expression in stages.items())]


def _array(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


def _dot(pairs: Iterable[tuple[str, str]]) -> str:
    return "+".join(f"{a}*{b}" for a, b in pairs)


def cells(s: int, n: int, d_v: int, *, differs: bool = False) -> dict[str, str]:
    """What a stage's cells show, field → expression: their own, or what the what-if makes of it.

    differs: not the numbers but by how much they differ from the `old` one of each record, on the signed ramp as the
    server coloured it, up to each record's `end`.
    """
    at = f"[{(n, n, n, d_v)[s]} * datum.q + datum.k]"
    number = f"{STAGES[s]}{at}"
    if differs:
        by = f"{number} - (isValid(datum.old) ? datum.old : -1 / 0)"
        number = f"abs({by}) < {ROUNDING} * max(1, abs({number})) ? 0 : {by}"
    end = "datum.end" if differs else "w_end_output" if s == 3 else "w_end"
    colour = "datum.live" if s == 2 and not differs else f"clamp(datum.live / {end}, -1, 1)"
    tip = f"slice(datum.tip, 0, lastindexof(datum.tip, '= ') + 2) + {short(4, differs)}"
    steps = _either(number, {"text": short(2, differs), "tip": tip})
    if s in STRUCK:
        steps["live_kind"] = f"datum.live === null ? datum.kind : w_mask{at} === '0' ? 'masked' : 'cell'"
        colour = f"datum.live_kind === 'masked' ? 0 : {colour}"
    return steps | {"live_v": f"datum.live === null ? datum.v : {colour}"}


def kind(s: int) -> str:
    """Whether a cell is struck out; only ② and ③ can be."""
    return "datum.live_kind" if s in STRUCK else "datum.kind"


def sums(*, differs: bool = False) -> dict[str, str]:
    """What stands right of the weights."""
    return {} if differs else _either("w_sums[datum.q]", {"text": f"'Σ = ' + {short(2, False)}"})


def _either(number: str, live: dict[str, str]) -> dict[str, str]:
    """A record's live number, and what is shown of it, written anew only where it is another than before.

    One object, since every expression costs its call a record.
    """
    sent, made = (", ".join(f"{name}: {text}" for name, text in each)
                  for each in (((name, f"datum.{name}") for name in live), live.items()))  # fmt: skip
    return {
        "live": f"datum.stamp === w_stamp ? ({number}) : null",
        "shown": "datum.shown && datum.shown.live === datum.live ? datum.shown"
                 f" : datum.live === null ? {{live: null, {sent}}} : {{live: datum.live, {made}}}",
    }  # fmt: skip


def short(decimals: int, differs: bool) -> str:
    """`display.short` of datum.live. As long as it is not half way between two texts, d3's own rounding will do."""
    size, least = "abs(datum.live)", 10.0**-decimals
    plus = "(datum.live > 0 ? '+' : '') + " if differs else ""
    sign = f"(datum.live < 0 ? '{display.MINUS}' : '{'+' if differs else ''}')"
    half = f"abs({size} * 1e{decimals} % 1 - 0.5) < 1e-6"
    near_one = f"{size} >= {1 - least / 2} && {size} < 1"
    small = f"{near_one} ? '≈' + {sign} + '1' : {half} ? {sign} + {_half_up(size, decimals)}"
    return (
        f"({size} < {least / 2} ? (datum.live === 0 ? '0' : '{display.NEARLY_0}')"
        f" : {size} < 1000 ? ({small} : {plus}format(datum.live, '.{decimals}f'))"
        f" : {size} < 1e300 ? {sign} + replace(format({_half_even(size)}, '.2e'), 'e+', 'e')"
        f" : isNaN(datum.live) ? datum.text : {sign} + '∞')"
    )


def _half_up(size: str, decimals: int) -> str:
    """Half up in the shortest digits that read back as the same number, as with a pencil."""
    digits = f"toString({size})"
    cut = f"indexof({digits}, '.') + {1 + decimals}"
    up = f"slice({digits}, {cut}, {cut} + 1) >= '5' ? {10.0**-decimals} : 0"
    return f"format(+slice({digits}, 0, {cut}) + ({up}), '.{decimals}f')"


def _half_even(size: str) -> str:
    """Where two decimals of 1.23e4 lie equally near, Python takes the even one."""
    tenth = f"pow(10, floor(log({size}) / LN10) - 2)"
    return f"({size} / {tenth} % 1 === 0.5 ? 2 * round({size} / {tenth} / 2) * {tenth} : {size})"


@lru_cache(maxsize=2)
def light(weights: bool) -> str:
    """Whether white ink is the one to read on the cell's colour: the ramp's dark ends, as steps 0 … 255."""
    light = [theme.light_ink(theme.WEIGHTS if weights else theme.SIGNED, step / 255) for step in range(256)]
    high = 255 - light[::-1].index(False)
    if weights:
        return f"datum.live_v > {(high + 0.5) / 255}"
    low = light.index(False)
    return f"(datum.live_v < {2 * (low - 0.5) / 255 - 1} || datum.live_v > {2 * (high + 0.5) / 255 - 1})"
