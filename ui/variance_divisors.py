"""Every divisor side by side: none, √d_k, d_k, a power of d_k, and others that are asked for."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from attention.divisors import HEADS, divisor
from attention.saturation import ALPHAS, POWERS, SCALES, Saturation
from ui import display, shell, state, variance_controls, variance_divisors_charts, variance_measure, views, widgets
from ui.tables import table
from ui.text import Text
from ui.variance_charts import NAMED
from ui.variance_divisors_frame import STOPS, digits, entropy, even, frame, plus_minus, short_name

CHOICES = tuple(name for name in NAMED if name not in {"none", "sqrt"})  #: what the last panel can divide by


def draw(text: Text) -> None:
    st.markdown(text("question"))
    with st.container(key="divisors"):  # the doors of questions lead to it
        other = _choose(text)
        found = variance_measure.rows(text)
        spec = variance_divisors_charts.spec(shell.layout())
        st.vega_lite_chart(frame(found, other, text), spec, width="content", key="divisors_chart")
    st.markdown(seen(found, text))
    st.markdown(why_not(other, found, _at(), text))
    variance_controls.controls(text, draws=False)
    _why_not_others(found, other, text)
    _how(found, text)
    if st.toggle(text("as_tables"), key="divisors_table"):
        st.caption(text("table_says"))
        st.dataframe(by_d_k(found, other, text), hide_index=True)


def _choose(text: Text) -> str:
    """What the last panel divides by."""
    other = str(views.get(state.bench(), "variance.divisor"))
    widgets.look("variance.divisor", CHOICES, other, text, show=short_name, key="variance_divisor")
    return other


def seen(found: Saturation, text: Text) -> str:
    """What the panels show, by what was measured."""
    ranges = [float(np.ptp([found.entropy[found.at(d_k, power)][0] for d_k in STOPS])) for power in POWERS]
    level, first, last = ALPHAS[int(np.argmin(ranges))], STOPS[0], STOPS[-1]
    values = {f"{name}_{where}": even(found.entropy[found.at(d_k, name)][0], 2)
              for name in SCALES for where, d_k in (("first", first), ("last", last))}  # fmt: skip
    return text("see", level=f"{level:g}", first=first, last=last, **values)


# Why not another divisor: the numbers that answer it.


def _at() -> int:
    """The d_k whose numbers the sentences give; at first the one that the panels show at first."""
    return int(views.get(state.bench(), "variance.divisor_at"))


def _why_not_others(found: Saturation, other: str, text: Text) -> None:
    """All divisors in a table, and the answers that are not given above."""
    with st.expander(text("why_not"), key="divisors_why_not", on_change="rerun", icon=":material/help:") as folded:
        if not folded.open:
            return
        d_k = _at()
        key = state.control("variance_divisor_at", d_k)
        st.select_slider(text("at_d_k"), STOPS, d_k, key=key, width=420,
                         on_change=state.on_show(key, "variance.divisor_at", list(STOPS)))
        st.markdown(compared(found, d_k, text))
        st.markdown("\n\n".join(f"- {why_not(name, found, d_k, text)}" for name in CHOICES if name != other))


def why_not(name: str, found: Saturation, d_k: int, text: Text) -> str:
    """What a divisor does to the scores at this d_k, and why that is not wanted."""
    n, top = found.n_keys, found.largest[found.at(d_k, name)]
    return text(
        f"why_{name}", d_k=d_k, keys=n, even=digits(1 / n), top=display.short(top, 3),
        spread=digits(found.spread(d_k, name)[0]), spread_linear=digits(found.spread(d_k, "linear")[0]),
        entropy=even(found.entropy[found.at(d_k, name)][0]), entropy_sqrt=even(found.entropy[found.at(d_k, "sqrt")][0]),
        divisor="" if name == "cosine" else _divisor(divisor(name, d_k)), root=digits(math.sqrt(d_k)), heads=HEADS,
        too_much=digits(math.sqrt(HEADS)), most=f"{math.e**2 / (math.e**2 + n - 1):.0%}", ratio=f"{math.e**2:.2f}",
    )  # fmt: skip


def compared(found: Saturation, d_k: int, text: Text) -> str:
    """All divisors at one d_k."""
    head = [text(f"table_{name}") for name in ("divisor", "spread", "evenness", "top")]
    rows = []
    for name in ("none", "sqrt", *CHOICES):
        number = "" if name in {"none", "cosine"} else f" = {_divisor(divisor(name, d_k))}"
        evenness = plus_minus(entropy(found, d_k, name), bounded=True)
        top = display.short(found.largest[found.at(d_k, name)], 3)
        rows.append([short_name(name) + number, plus_minus(found.spread(d_k, name)), evenness, top])
    return table(head, rows)


def _divisor(x: float) -> str:
    return f"{x:,.0f}" if x == round(x) and x < 1e6 else digits(x)


def _how(found: Saturation, text: Text) -> None:
    with st.expander(text("how_measured"), key="divisors_how", on_change="rerun") as folded:
        if folded.open:
            st.markdown(text("how", rows=f"{found.draws:,}", keys=found.n_keys, seed=state.bench().variance_seed,
                             scores=f"{found.draws * found.n_keys:,}", first=STOPS[0], last=STOPS[-1]))


def by_d_k(found: Saturation, other: str, text: Text) -> pd.DataFrame:
    """The spread and the entropy behind the curves, with their intervals."""
    columns = {short_name(name): name for name in ("none", "sqrt", other)}
    columns |= {f"÷ d_k^{alpha:.2f}": power for alpha, power in zip(ALPHAS, POWERS, strict=True)}
    rows = []
    for d_k in STOPS:
        spreads = {head: plus_minus(found.spread(d_k, each)) for head, each in columns.items()}
        evenness = {head: plus_minus(entropy(found, d_k, each), bounded=True) for head, each in columns.items()}
        rows.append({"d_k": d_k, " ": text("table_spread")} | spreads)
        rows.append({"d_k": d_k, " ": text("table_evenness")} | evenness)
    return pd.DataFrame(rows)
