"""Every divisor side by side: none, √d_k, d_k, a power of d_k, and others that are asked for."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from attention.saturation import ALPHAS, POWERS, Saturation
from ui import (
    predict,
    shell,
    state,
    variance_controls,
    variance_divisors_charts,
    variance_dragged,
    variance_measure,
    views,
    widgets,
)
from ui import variance_divisors_words as words
from ui.text import Text
from ui.variance_charts import evenness, is_wide
from ui.variance_divisors_frame import STOPS, entropy, frame, short_name, sized

GUESS = "variance.guess_alpha"
TRIED, ALPHA = "variance.tried_alpha", "variance.divided_alpha"  #: where α stands before the guess, and after


def draw(text: Text) -> None:
    found = variance_measure.rows(text)
    st.markdown(text("question"))
    with st.container(key="divisors"):  # the doors of questions lead to it
        guess = _ask(found, text)
        other = str(views.get(state.bench(), "variance.divisor"))
        if is_wide(shell.layout()):
            _choose(other, text)
            _draw(found, other, guess, text)
        else:  # on a phone the choice would part what is asked from what is dragged
            _draw(found, other, guess, text)
            _choose(other, text)
    if guess is not None:
        _answer(found, other, text)
    variance_controls.controls(text, draws=False)


def _ask(found: Saturation, text: Text) -> str | None:
    """Where the outlines meet: dragging tells, and is allowed."""
    # Guessed or not, this is one element: if the chart's moved on, its sliders would for a moment be taken for others.
    with st.container(gap="xsmall"):
        with widgets.line():
            answers = predict.answers(list(words.ANSWERS), "alpha", text)
            guess = predict.choice(GUESS, answers, text("ask"), key="guess_alpha", committed=True,
                                   also={answer: {ALPHA: _step(answer)} for answer in answers})
            if guess is not None:
                predict.again(GUESS, text, key="guess_alpha", also={TRIED: _step(predict.SKIP), ALPHA: ""})
        if guess is not None:
            st.markdown(words.verdict(found, guess, text))
    return guess


def _step(answer: str) -> int:
    """Where the slider of α stands as it was guessed, in steps; said outright, it is not left where it was tried."""
    alpha = words.ANSWERS.get(answer, variance_divisors_charts.START_ALPHA)
    return min(range(len(ALPHAS)), key=lambda step: abs(ALPHAS[step] - alpha))


def _choose(other: str, text: Text) -> None:
    """What the last panel divides by."""
    widgets.look("variance.divisor", words.CHOICES, other, text, show=short_name, key="variance_divisor")


def _draw(found: Saturation, other: str, guess: str | None, text: Text) -> None:
    """The panels; after the guess they begin at the α that was guessed, wherever it was dragged before."""
    answered = guess is not None
    spec = variance_divisors_charts.spec(shell.layout(), answered)
    sliders = variance_divisors_charts.sliders(words.ANSWERS.get(guess or predict.SKIP))
    data = frame(found, other, answered, text)
    # In one room before and after: of two that take turns in one place, either may have the last word there.
    with variance_dragged.room("divisors", log2_dk="variance.divided_d_k", alpha=ALPHA if answered else TRIED):
        st.vega_lite_chart(data, spec | sliders, width="content", key="divisors_chart")
    st.caption(text("see", rows=f"{found.draws:,}"))


def _answer(found: Saturation, other: str, text: Text) -> None:
    """What is to be seen, and what speaks against the other divisors."""
    st.markdown(words.seen(found, text))
    st.markdown(words.why_not(other, found, _at(), text))
    _why_not_others(found, other, text)
    with st.expander(text("how_measured"), key="divisors_how", on_change="rerun") as folded:
        if folded.open:
            st.markdown(words.how(found, state.bench().variance_seed, text))
    if st.toggle(text("as_tables"), key="divisors_table"):
        st.caption(text("table_says"))
        st.dataframe(by_d_k(found, other, text), hide_index=True)


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
        st.markdown(words.compared(found, d_k, text))
        rest = (name for name in words.CHOICES if name != other)
        st.markdown("\n\n".join(f"- {words.why_not(name, found, d_k, text)}" for name in rest))


def by_d_k(found: Saturation, other: str, text: Text) -> pd.DataFrame:
    """The spread and the entropy behind the curves, with their intervals."""
    columns = {short_name(name): name for name in ("none", "sqrt", other)}
    columns |= {f"÷ d_k^{alpha:.2f}": power for alpha, power in zip(ALPHAS, POWERS, strict=True)}
    rows = []
    for d_k in STOPS:
        spreads = {head: sized(found.spread(d_k, each)) for head, each in columns.items()}
        even = {head: evenness(entropy(found, d_k, each)) for head, each in columns.items()}
        rows.append({"d_k": d_k, " ": text("table_spread")} | spreads)
        rows.append({"d_k": d_k, " ": text("table_evenness")} | even)
    return pd.DataFrame(rows)
