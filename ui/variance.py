"""What the variance page measures, and how it is shown. The mathematics is in `attention.experiment`."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import StopException

import attention
from attention import experiment
from attention.experiment import Saturation, Spread
from ui import display, shell, state, variance_charts
from ui.names import escaped
from ui.state import control, on_change
from ui.tables import table
from ui.text import Text
from ui.variance_charts import number
from ui.workbench import DRAWS, MAX_SEED, Workbench

ROWS = 4000  #: how many rows of weights are measured, whatever the number of pairs
IN_TABLE = (16, 64, 512)  #: the d_k of the small table
DIVISORS = {"none": "1", "sqrt": "√d_k", "linear": "d_k"}
Report = Callable[[float], None]


# Measuring: once for everyone who asks the same.


def measured(text: Text) -> tuple[Spread, Saturation]:
    """The measurements for the seed and number of draws in the link; a bar shows while they are made."""
    bench = state.bench()
    place = st.empty()
    pairs = 2 * bench.variance_draws / (2 * bench.variance_draws + 9 * ROWS)
    report = _progress(place, text)
    spread = _spread(bench.variance_seed, bench.variance_draws, lambda share: report(pairs * share))
    saturation = _saturation(bench.variance_seed, lambda share: report(pairs + (1 - pairs) * share))
    place.empty()
    return spread, saturation


@st.cache_data(max_entries=16, show_spinner=False)
def _spread(seed: int, draws: int, _report: Report) -> Spread:
    return experiment.measure_spread(draws, seed=seed, report=_report)


@st.cache_data(max_entries=16, show_spinner=False)
def _saturation(seed: int, _report: Report) -> Saturation:
    return experiment.measure_saturation(ROWS, seed=seed, report=_report)


def _progress(place: DeltaGenerator, text: Text) -> Report:
    """Show shares as a bar, every 2 %.

    A cached function records what it draws and draws it again for whoever gets the cached result. The bar is
    drawn in the context from before the call, which the recording does not see.
    """
    outside = copy_context()
    shown = -1.0

    def report(share: float) -> None:
        nonlocal shown
        if share >= shown + 0.02:
            shown = share
            try:
                outside.run(place.progress, min(share, 1.0), text("progress"))
            except StopException:  # the visitor has left: finish for the next one
                shown = math.inf

    return report


@dataclass(frozen=True)
class Study:
    """One setting's measurements, the frames behind the charts, and the numbers that sentences mention."""

    spread: Spread
    saturation: Saturation
    frames: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]
    facts: dict[str, str]


def study(text: Text) -> Study:
    """What the link asks for."""
    spread, saturation = measured(text)
    bench = state.bench()
    shown = _shown(bench.variance_seed, bench.variance_draws, text, spread, saturation)
    return Study(spread, saturation, *shown)


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs={Text: lambda text: text.lang})
def _shown(
    seed: int, draws: int, text: Text, _spread: Spread, _saturation: Saturation
) -> tuple[tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame], dict[str, str]]:
    frames = (
        variance_charts.spread_frame(_spread, _saturation, text), variance_charts.variance_frame(_spread),
        variance_charts.saturation_frame(_saturation),
    )  # fmt: skip
    return frames, facts(_spread, _saturation) | {"seed": str(seed)}


# Drawing.


def draw_spread(study: Study, text: Text) -> None:
    spec = variance_charts.spread_spec(shell.layout())
    st.vega_lite_chart(study.frames[0], spec, width="content", key="spread")


def draw_variance(study: Study, text: Text) -> None:
    spec = variance_charts.variance_spec(shell.layout(), text)
    st.vega_lite_chart(study.frames[1], spec, width="content", key="variance")


def draw_saturation(study: Study, text: Text) -> None:
    spec = variance_charts.saturation_spec(shell.layout(), text)
    st.vega_lite_chart(study.frames[2], spec, width="content", key="saturation")


def controls(text: Text) -> None:
    """How many pairs, which ones, and others."""
    bench = state.bench()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        key = control("pick_variance_draws", bench.variance_draws)
        st.segmented_control(
            text("draws"), DRAWS, default=bench.variance_draws, required=True, key=key,
            format_func=lambda n: f"{n:,}",
            on_change=on_change(key, lambda bench, draws: replace(bench, variance_draws=draws), DRAWS),
        )  # fmt: skip
        key = control("variance_seed", bench.variance_seed)
        st.number_input(text("seed"), 0, MAX_SEED, bench.variance_seed, 1, key=key, width=130,
                        on_change=on_change(key, lambda bench, seed: replace(bench, variance_seed=seed)))
        st.button(text("again"), icon=":material/casino:", key="draw_again", on_click=state.callback(_draw_again))


def _draw_again() -> None:
    bench = state.bench()
    state.commit(replace(bench, variance_seed=(bench.variance_seed + 1) % (MAX_SEED + 1)))


# Words with numbers in them.


def say(id: str, study: Study, text: Text) -> str:
    """A sentence about the measurements."""
    return text(id, **study.facts)


def facts(spread: Spread, saturation: Saturation) -> dict[str, str]:
    """Every measured number that a sentence may mention: <<median_none_512>>, <<variance_64>> and so on."""
    found = {"draws": f"{spread.draws:,}", "rows": f"{saturation.draws:,}", "keys": str(saturation.n_keys)}
    for s, d_k in enumerate(spread.d_k):
        found |= {f"variance_{d_k}": number(spread.variance[s]), f"few_low_{d_k}": number(spread.few[s, 0]),
                  f"few_high_{d_k}": number(spread.few[s, 1])}  # fmt: skip
    for s, d_k in enumerate(saturation.d_k):
        for which, scale in enumerate(experiment.SCALES):
            at = f"{scale}_{d_k}"
            found |= {f"entropy_{at}": f"{saturation.entropy[s, which]:.2f}",
                      f"dead_{at}": percent(saturation.dead[s, which]),
                      f"median_{at}": number(saturation.median[s, which]),
                      f"mean_{at}": number(saturation.mean[s, which])}  # fmt: skip
    return found


def percent(share: float) -> str:
    """A share; what would round to a false 0 or 100 says so.

    >>> percent(0.0), percent(0.0003), percent(0.334), percent(0.9999)
    ('0%', '<1%', '33%', '>99%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


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


def saturation_table(saturation: Saturation, text: Text, stops: tuple[int, ...] | None = None) -> str:
    """Entropy, dead rows and gradients: all stops, or those that matter."""
    head = ["d_k", *(text(f"table_{name}") for name in ("entropy", "dead", "median", "mean"))]
    rows = []
    for s, d_k in enumerate(saturation.d_k):
        if stops is not None and d_k not in stops:
            continue
        rows.append([f"**{d_k}**", "", "", "", ""])
        for which, scale in enumerate(experiment.SCALES):
            entropy, dead = f"{saturation.entropy[s, which]:.2f}", percent(saturation.dead[s, which])
            gradient = number(saturation.median[s, which]), number(saturation.mean[s, which])
            rows.append([f"÷ {DIVISORS[scale]}", entropy, dead, *gradient])
    return table(head, rows)


def own_words(bench: Workbench, text: Text) -> str:
    """What the reader's own numbers divide by."""
    steps = bench.steps()
    divisor, scale = display.short(steps.divisor), text(f"scale_{bench.scale}")
    words = text("own", d_k=bench.sizes["d_k"], divisor=divisor, scale=scale)
    return words if steps.mask is None else f"{words} {text('own_mask')}"


def own_table(bench: Workbench, text: Text) -> str:
    """How spread out the reader's own rows of weights are, for each divisor."""
    Q, K, V = bench.qkv()
    entropies = []
    for scale in experiment.SCALES:
        steps = attention.attention_steps(Q, K, V, bench.mask_array(), scale=scale)
        entropies.append(attention.normalized_entropy(steps.weights))
    names = map(escaped, bench.tokens)
    rows = [[name, *(f"{each[i]:.2f}" for each in entropies)] for i, name in enumerate(names)]
    return table([text("table_query"), *(f"÷ {each}" for each in DIVISORS.values())], rows)
