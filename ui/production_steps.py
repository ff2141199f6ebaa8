"""Softmax over blocks of keys, step by step: one query of the reader's, a running maximum, sum and mixture."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

import attention
from attention.tiled import Running
from ui import charts, display, formulas, shell, state, theme, views, widgets
from ui.charts import INK
from ui.names import escaped
from ui.production_charts import COLOURS
from ui.tables import table
from ui.text import Text, in_both
from ui.workbench import Workbench

BLOCKS = (1, 2, 3, 4)
COMPONENTS = 3  #: of a vector in a formula; the table has all of them
BARS = 150  #: pixels of height


@dataclass(frozen=True)
class Story:
    """One query's way through its keys."""

    taken: int  # blocks so far
    row: int  # the query
    runs: list[Running]  # what all queries remember after each block
    scores: list[float]  # ② one a key, −∞ where masked
    gap: float  # the largest difference of the last output to ④

    @property
    def now(self) -> Running | None:
        return self.runs[self.taken - 1] if self.taken else None

    @property
    def ended(self) -> bool:
        return self.taken == len(self.runs)

    def rescaled(self) -> list[int]:
        """The queries for which a larger maximum turns up in a later block."""
        some = [row for seen in self.runs[1:] for row, factor in enumerate(seen.rescale[:, 0]) if 0 < factor < 1]
        return sorted(set(some))

    def heights(self, taken: int) -> list[float]:
        """e^(score − m) of every key met, with the m of that moment: as it was taken in, then rescaled again and again.

        Nobody keeps these; they are what ℓ is the sum of.
        """
        met: list[float] = []
        for seen in self.runs[:taken]:
            met = [height * seen.rescale[self.row, 0] for height in met] + seen.powers[self.row].tolist()
        return met


def story(bench: Workbench) -> Story:
    """The query that the reader has chosen, in blocks of as many keys as they have chosen."""
    row, steps = bench.token, bench.steps()
    block = views.get(bench, "production.block")
    runs = attention.tiled_steps(*bench.qkv(), bench.mask_array(), block=block, scale=bench.scale)
    gap = float(np.abs(runs[-1].output[row] - steps.output[row]).max())
    taken = min(views.get(bench, "production.step"), len(runs))
    return Story(taken, row, runs, steps.masked[row].tolist(), gap)


# Controls.


def controls(it: Story, text: Text) -> None:
    """How many keys a block has, and the way back and forth."""
    with widgets.line():
        block = views.get(state.bench(), "production.block")
        widgets.look("production.block", BLOCKS, block, text, show=str, key="production_block")
        with widgets.group():
            _go(text("before"), "before", ":material/chevron_left:", it.taken - 1, it.taken > 0)
            st.markdown(text("at_block", taken=it.taken, blocks=len(it.runs)), width="content")
            _go(text("next"), "next", ":material/chevron_right:", it.taken + 1, not it.ended, "primary")
        _go(text("first"), "first", ":material/first_page:", 0, it.taken > 0, "tertiary")
        late = it.rescaled()
        if late and it.row not in late:
            st.button(text("late"), key="production_late", type="tertiary", icon=":material/trending_up:",
                      on_click=state.callback(lambda: state.commit(replace(state.bench(), token=late[0]))))


def _go(label: str, key: str, icon: str, to: int, possible: bool, kind: Any = "secondary") -> None:
    st.button(label, icon=icon, key=f"production_{key}", disabled=not possible, type=kind,
              on_click=state.callback(lambda: state.show("production.step", to)))


# The bars.


def draw(it: Story, names: Sequence[str], text: Text) -> None:
    data = pd.DataFrame.from_records(list(_records(it, names, text)), columns=["kind", "k", "value", "text", "end"])
    st.vega_lite_chart(data.assign(ink=1), _spec(len(names), shell.half()), key="production_bars", width="content")


def _records(it: Story, names: Sequence[str], text: Text) -> Iterator[tuple[Any, ...]]:
    yield "title", None, None, text("title_bars"), None
    if it.now:
        yield "block", float(it.now.keys.start), None, None, float(it.now.keys.stop)
    now, before = it.heights(it.taken), it.heights(max(it.taken - 1, 0))
    for k, (name, score) in enumerate(zip(names, it.scores, strict=True)):
        yield "name", float(k), None, name, None
        yield "score", float(k), None, display.short(score), None
        if k < len(before) and before[k] != now[k]:
            yield "ghost", float(k), before[k], None, None
        if k < len(now):
            yield "bar", float(k), now[k], display.short(now[k]), None


@lru_cache(maxsize=64)
def _spec(n: int, layout: str) -> dict[str, Any]:
    """Bars of keys met so far, with the outline of what they were before this block."""
    width = min(charts.ROOM[layout][0] - 60, 76 * n)
    x = alt.X("at:Q", scale=alt.Scale(domain=[0, n], nice=False), axis=None)
    ends = alt.X("k:Q", scale=alt.Scale(domain=[0, n], nice=False), axis=None)
    y = alt.Y("value:Q", scale=alt.Scale(domain=[0, 1.12], nice=False), title=None,
              axis=alt.Axis(values=[0, 0.5, 1], format=".1f"))  # fmt: skip
    bar = min(34, 0.7 * width / n)

    def of(kind: str) -> alt.Chart:
        return alt.Chart().transform_filter(f"datum.kind === '{kind}'").transform_calculate(at="datum.k + 0.5")

    def words(kind: str, at_y: float, **mark: Any) -> alt.Chart:
        return of(kind).mark_text(text={"expr": "datum.text"}, limit=width / n, **mark).encode(x, alt.YValue(at_y), INK)

    layers = [
        of("block").mark_rect(color=COLOURS["tiled"], opacity=0.16).encode(ends, alt.X2("end:Q")),
        of("bar").mark_bar(color=theme.WEIGHTS[3], size=bar).encode(x, y),
        of("ghost").mark_bar(filled=False, stroke=theme.CHOSEN, strokeDash=[3, 3], size=bar).encode(x, y),
        of("bar").mark_text(text={"expr": "datum.text"}, dy=-7, fontSize=11, limit=width / n).encode(x, y, INK),
        words("name", BARS + 14, fontSize=13), words("score", BARS + 32, fontSize=11),
        of("title").mark_text(text={"expr": "datum.text"}, align="left", fontSize=13, fontWeight="bold")
        .encode(alt.XValue(-24), alt.YValue(-12), INK),
    ]  # fmt: skip
    chart = alt.layer(*layers).properties(width=width, height=BARS).resolve_scale(color="independent")
    # A row of one: a single view would be fitted to its height, words included.
    row = alt.concat(chart).configure(view={"stroke": None})
    return charts.without_data(row) | {"description": in_both("bars_alt", "production")}


# The arithmetic.


def arithmetic(it: Story, values: Any, text: Text, *, exact: bool, narrow: bool) -> str:
    """What the block that was taken in last did to m, ℓ and o. narrow: a term a line."""
    if it.now is None:
        return text("start")
    now, m, total, gathered = it.now, *_before(it)
    digits = formulas.EXACT if exact else 2

    def number(x: float) -> str:
        return formulas.number(x, digits).tex

    def vector(x: Any) -> str:
        most = 1 if exact else COMPONENTS
        shown = [number(float(c)) for c in x[:most]]
        return "(" + r",\,".join(shown + [r"\dots"] * (len(x) > most)) + ")"

    def added(terms: Iterable[str], result: str) -> str:
        terms = list(terms)
        if narrow or exact:
            return r" \\ &\quad + ".join(terms) + rf" \\ &= {result}"
        return " + ".join(terms) + f" = {result}"

    new, factor, total_now = (x[it.row].item() for x in (now.maximum, now.rescale, now.total))
    base = formulas.number(0.0 if math.isinf(new) else new, digits).guarded().tex
    scores = (r",\," if not exact else r",\, \\ &\quad\ ").join(number(s) for s in it.scores[now.keys])
    powers = now.powers[it.row].tolist()
    mixed = [f"{number(p)}\\,{vector(v)}" for p, v in zip(powers, values[now.keys], strict=True)]
    old = f"{number(factor)}\\,{vector(gathered)}"
    lines = [
        rf"m' &= \max({number(m)},\;{scores}) = {number(new)}",
        rf"r &= e^{{\,{number(m)}-{base}}} = {number(factor)}",
        r"\ell' &= " + added([rf"{number(factor)}\cdot {number(total)}", *map(number, powers)], number(total_now)),
        rf"o' &= {old} \\ &\quad + " + r" \\ &\quad + ".join(mixed) + rf" \\ &= {vector(now.gathered[it.row])}",
    ]  # fmt: skip
    said = "$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$"
    return f"{text('see_block', block=it.taken)}\n\n{said}\n\n{text(_moral(m, new))}"


def _before(it: Story) -> tuple[float, float, Any]:
    """m, ℓ and o before the last block."""
    if it.taken < 2:
        return -math.inf, 0.0, np.zeros_like(it.runs[0].gathered[it.row])
    then = it.runs[it.taken - 2]
    return then.maximum[it.row].item(), then.total[it.row].item(), then.gathered[it.row]


def _moral(before: float, after: float) -> str:
    """What there is to learn from this block."""
    if math.isinf(after):
        return "moral_masked"
    if math.isinf(before):
        return "moral_first"
    return "moral_risen" if after > before else "moral_stayed"


def _printed(exact: bool) -> Callable[[float], str]:
    """How a number is printed: exactly, or free of the last bits in which a sum by blocks differs."""
    return display.exact if exact else lambda x: display.short(round(x, 12))


def ledger(it: Story, names: Sequence[str], text: Text, *, exact: bool, narrow: bool) -> str:
    """What was remembered after each block, as a table; narrow: as a list."""
    show, head = _printed(exact), ("block", "keys", "m", "r", "l", "o", "so_far")
    rows = []
    for b, seen in enumerate(it.runs[: it.taken]):
        vectors = ["(" + ", ".join(show(float(x)) for x in v[it.row]) + ")" for v in (seen.gathered, seen.output)]
        plain = [show(x[it.row].item()) for x in (seen.maximum, seen.rescale, seen.total)]
        rows.append([str(b + 1), text.list([escaped(name) for name in names[seen.keys]]), *plain, *vectors])
    if narrow:
        return "\n".join(text("ledger_line", **dict(zip(head, row, strict=True))) for row in rows)
    return table([text(f"ledger_{each}") for each in head], rows, "rlrrrll")


def ending(it: Story, name: str, text: Text, *, exact: bool) -> str:
    """At the end: the same as ④."""
    show = _printed(exact)
    output = ", ".join(show(float(x)) for x in it.runs[-1].output[it.row])
    empty = not it.runs[-1].total[it.row].item()
    return text("end_empty" if empty else "end", token=escaped(name), output=output, gap=display.residual(it.gap))
