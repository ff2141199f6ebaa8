"""How q·k spreads as vectors grow: a guess, a bell with a slider, its variance against d_k, how many pairs it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
import pandas as pd
import streamlit as st

from attention import growing, small_experiments
from attention.experiment import Spread
from ui import display, predict, shell, state, variance_controls, variance_dragged, variance_measure
from ui import variance_spread_charts as pictures
from ui import variance_spread_sizes as sizes
from ui.tables import table
from ui.text import Text
from ui.variance_charts import estimate, estimated, number

GUESS = "variance.guess_doubled"
USUAL, FEW = 0.95, 0.85  #: of the intervals, so many hold what they estimate; where fewer than FEW do, it is said why


def draw(text: Text) -> None:
    spread = variance_measure.spread(text)
    if predict.given(GUESS) is None:
        st.markdown(text("set_up"))
    guess = _asked(text)
    if guess is None:
        st.vega_lite_chart(pictures.first_frame(spread, text), pictures.first_spec(shell.layout()), width="content",
                           key="first")  # fmt: skip
        st.markdown(text("see_first"))
        variance_controls.controls(text)
        if st.toggle(text("as_tables"), key="first_table"):
            st.dataframe(counts_table(spread, text, [pictures.FIRST]), hide_index=True)
        return
    st.markdown(verdict(spread, guess, text))
    frame, spec = pictures.frame(spread, text, guess), pictures.spec(shell.layout())
    with variance_dragged.room("spread", log2_dk="variance.bell_d_k"):
        st.vega_lite_chart(frame, spec, width="content", key="spread")
    st.markdown(seen(spread, text))
    variance_controls.controls(text)
    if st.toggle(text("as_tables"), key="spread_table"):
        st.markdown(estimates_table(spread, text))
        st.dataframe(counts_table(spread, text, spread.d_k), hide_index=True)
    _fold("why", text, lambda: st.markdown(text("why")))
    _fold("how", text, lambda: st.markdown(text("how", **facts(spread))))
    sizes.draw(spread, text)


def _asked(text: Text) -> str | None:
    """The guess, which stays as it is, and beside it the way to another."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        guess = predict.choice(GUESS, _answers(text), text("ask_doubled"), key="guess_doubled", committed=True)
        if guess is not None:
            predict.again(GUESS, text, key="guess_doubled")
    return guess


def _fold(name: str, text: Text, inside: Callable[[], object]) -> None:
    """What is folded is not even sent."""
    with st.expander(text(f"fold_{name}"), key=f"spread_{name}", on_change="rerun") as folded:
        if folded.open:
            inside()


def _answers(text: Text) -> dict[str, str]:
    return predict.answers(list(pictures.GUESSES), "doubled", text)


# What was measured decides what is said.


def truth(spread: Spread) -> str:
    """The answer that comes closest to what the doubling was measured to do."""
    doublings = np.log2(spread.doubling[0])
    return min(pictures.GUESSES, key=lambda name: float(abs(pictures.GUESSES[name][0] - doublings)))


def verdict(spread: Spread, guess: str, text: Text) -> str:
    """Whether the guess was right, by what the doubling was measured to do, and whether the interval agrees."""
    answers, answer = _answers(text), truth(spread)
    said = "doubled_shown" if guess == predict.SKIP else "doubled_right" if guess == answer else "doubled_wrong"
    words = [text(said, guess=answers[guess], answer=answers[answer], **_factor(spread))]
    if said == "doubled_wrong" and answer == "double":
        words.append(text(f"not_{guess}"))
    _, low, high = spread.doubling
    if not low <= 2 ** pictures.GUESSES[answer][0] <= high:
        words.append(text("doubled_off", answer=answers[answer]))
    return text.sentences(words)


def _factor(spread: Spread) -> dict[str, str]:
    """By what the doubling of d_k multiplied the variance, with its interval."""
    said = dict(zip(("factor", "low", "high"), estimated(*spread.doubling), strict=True))
    return said | {"wider": number(sqrt(spread.doubling[0]), 2)}


def seen(spread: Spread, text: Text) -> str:
    """What to see; where many intervals miss, that they do so together: it would look as if they were wrong."""
    found = facts(spread)
    few = int(found["held"]) < FEW * len(spread.d_k)
    return "\n\n".join([text("see_spread", **found), text(f"held_{'few' if few else 'most'}", **found)])


def facts(spread: Spread) -> dict[str, str]:
    """The measured numbers that sentences mention."""
    d_k = np.array(spread.d_k)
    held = np.count_nonzero((spread.low <= d_k) & (d_k <= spread.high))
    every, low, high = estimated(*(2**power for power in spread.power))
    return {
        "draws": f"{spread.draws:,}", "seed": str(state.bench().variance_seed), "stops": str(len(d_k)),
        "first": str(pictures.FIRST), "literal": str(growing.LITERAL),
        "held": str(held), "usual": str(round(USUAL * len(d_k))),
        "every": every, "every_low": low, "every_high": high, **_factor(spread),
        "repeats": f"{small_experiments.REPEATS:,}", "most": f"{small_experiments.MOST:,}",
        "least": str(small_experiments.LEAST),
    }  # fmt: skip


# Tables: for screen readers, for copying, and for whoever prefers digits.


def counts_table(spread: Spread, text: Text, stops: Sequence[int]) -> pd.DataFrame:
    """How many draws fell into each bar, a column a d_k."""
    between = zip(spread.edges[:-1], spread.edges[1:], strict=True)
    bars = [display.signed(f"{a:.2f} – {b:.2f}") for a, b in between]
    columns = {f"d_k = {d_k}": [*counts, outside] for d_k, counts, outside in
               zip(spread.d_k, spread.counts.tolist(), spread.outside.tolist(), strict=True)
               if d_k in stops}  # fmt: skip
    return pd.DataFrame({text("table_bar"): [*bars, text("table_outside")], **columns})


def estimates_table(spread: Spread, text: Text) -> str:
    """Mean, variance and standard deviation, each with its 95 % interval."""
    head = ["d_k", *(text(f"table_{name}") for name in ("mean", "variance", "deviation", "ratio"))]
    rows = []
    measured = zip(spread.mean, spread.mean_error, spread.variance, spread.low, spread.high, strict=True)
    for d_k, (mean, error, *variance) in zip(spread.d_k, measured, strict=True):
        cells = [estimate(mean, mean - error, mean + error), estimate(*variance)]
        cells += [estimate(*np.sqrt(variance)), estimate(*(x / d_k for x in variance))]
        rows.append([str(d_k), *cells])
    return table(head, rows)
