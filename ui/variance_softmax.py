"""What softmax makes of scores, and what is left of its gradient, as vectors grow: random rows, and every divisor."""

from __future__ import annotations

import streamlit as st

from attention.saturation import SCALES, Saturation
from ui import shell, state, variance_measure, variance_softmax_charts
from ui.tables import table
from ui.text import Text
from ui.variance_charts import number, percent

IN_TABLE = (16, 64, 512)  #: the d_k of the small table
DIVISORS = {"none": "1", "sqrt": "√d_k", "linear": "d_k"}


def draw(text: Text) -> None:
    place = st.empty()
    saturation = variance_measure.rows(state.bench().variance_seed, variance_measure.progress(place, text))
    place.empty()
    facts = _facts(saturation)
    spec = variance_softmax_charts.saturation_spec(shell.layout(), text)
    st.vega_lite_chart(variance_softmax_charts.saturation_frame(saturation), spec, width="content", key="saturation")
    st.markdown(text("see_saturation"))
    st.markdown(text("dead"))
    st.markdown(saturation_table(saturation, text, IN_TABLE))
    st.markdown(text("mean_lies", **facts))
    st.markdown(text("article", **facts))
    st.caption(text("how_saturation", **facts))
    if st.toggle(text("as_tables"), key="saturation_table"):
        st.markdown(saturation_table(saturation, text))


def _facts(saturation: Saturation) -> dict[str, str]:
    """Every measured number that a sentence may mention: <<median_none_512>> and so on."""
    found = {"rows": f"{saturation.draws:,}", "keys": str(saturation.n_keys), "seed": str(state.bench().variance_seed)}
    for s, d_k in enumerate(saturation.d_k):
        for which, scale in enumerate(SCALES):
            at = f"{scale}_{d_k}"
            found |= {f"entropy_{at}": f"{saturation.entropy[s, which]:.2f}",
                      f"dead_{at}": percent(saturation.dead[s, which]),
                      f"median_{at}": number(saturation.median[s, which]),
                      f"mean_{at}": number(saturation.mean[s, which])}  # fmt: skip
    return found


def saturation_table(saturation: Saturation, text: Text, stops: tuple[int, ...] | None = None) -> str:
    """Entropy, dead rows and gradients: all stops, or those that matter."""
    head = ["d_k", *(text(f"table_{name}") for name in ("entropy", "dead", "median", "mean"))]
    rows = []
    for s, d_k in enumerate(saturation.d_k):
        if stops is not None and d_k not in stops:
            continue
        rows.append([f"**{d_k}**", "", "", "", ""])
        for which, scale in enumerate(SCALES):
            entropy, dead = f"{saturation.entropy[s, which]:.2f}", percent(saturation.dead[s, which])
            gradient = number(saturation.median[s, which]), number(saturation.mean[s, which])
            rows.append([f"÷ {DIVISORS[scale]}", entropy, dead, *gradient])
    return table(head, rows)
