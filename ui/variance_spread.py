"""How q·k spreads as vectors grow: histograms with a slider, and the variance against d_k."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from attention.experiment import Spread
from attention.saturation import Saturation
from ui import display, shell, state, variance_controls, variance_measure, variance_spread_charts
from ui.tables import table
from ui.text import Text
from ui.variance_charts import number


def draw(text: Text) -> None:
    spread, saturation = _measured(text)
    facts = _facts(spread, saturation)
    frame = variance_spread_charts.spread_frame(spread, saturation, text)
    st.vega_lite_chart(frame, variance_spread_charts.spread_spec(shell.layout()), width="content", key="spread")
    st.markdown(text("see_spread"))
    variance_controls.controls(text)
    st.caption(text("how_spread", **facts))
    if st.toggle(text("as_tables"), key="spread_table"):
        st.dataframe(counts_table(spread, text), hide_index=True)
    st.markdown(text("heading_variance"))
    st.markdown(text("why_variance"))
    spec = variance_spread_charts.variance_spec(shell.layout(), text)
    st.vega_lite_chart(variance_spread_charts.variance_frame(spread), spec, width="content", key="variance")
    st.markdown(text("see_variance", **facts))
    st.caption(text("how_variance"))
    if st.toggle(text("as_tables"), key="variance_table"):
        st.markdown(variance_table(spread, text))


def _measured(text: Text) -> tuple[Spread, Saturation]:
    """The measurements for the seed and number of draws in the link; a bar shows while they are made."""
    bench, place = state.bench(), st.empty()
    report = variance_measure.progress(place, text)
    spread = variance_measure.spread(bench.variance_seed, bench.variance_draws, lambda share: report(share / 2))
    rows = variance_measure.rows(bench.variance_seed, lambda share: report(0.5 + share / 2))
    place.empty()
    return spread, rows


def _facts(spread: Spread, saturation: Saturation) -> dict[str, str]:
    """Every measured number that a sentence may mention: <<variance_64>> and so on."""
    found = {"draws": f"{spread.draws:,}", "rows": f"{saturation.draws:,}", "seed": str(state.bench().variance_seed)}
    for s, d_k in enumerate(spread.d_k):
        found[f"variance_{d_k}"] = number(spread.variance[s])
    return found


# Tables: for screen readers, for copying, and for whoever prefers digits.


def counts_table(spread: Spread, text: Text) -> pd.DataFrame:
    """How many draws fell into each bar, a column a d_k."""
    between = zip(spread.edges[:-1], spread.edges[1:], strict=True)
    bars = [display.signed(f"{a:.2f} … {b:.2f}") for a, b in between]
    columns = {f"d_k = {d_k}": [*counts, outside] for d_k, counts, outside in
               zip(spread.d_k, spread.counts.tolist(), spread.outside.tolist(), strict=True)}  # fmt: skip
    return pd.DataFrame({text("table_bar"): [*bars, text("table_outside")], **columns})


def variance_table(spread: Spread, text: Text) -> str:
    head = ["d_k", *(text(f"table_{name}") for name in ("variance", "interval", "scaled", "interval"))]
    rows = []
    for d_k, *measured in zip(spread.d_k, spread.variance, spread.low, spread.high, strict=True):
        cells = [str(d_k)]
        for over in (1, d_k):
            variance, low, high = (x / over for x in measured)
            cells += [number(variance), f"{number(low)} – {number(high)}"]
        rows.append(cells)
    return table(head, rows)
