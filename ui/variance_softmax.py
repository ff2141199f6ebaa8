"""What softmax makes of scores, and what is left of its gradient, as vectors grow: random rows, and every divisor."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from attention.saturation import SCALES, Saturation
from ui import predict, shell, state, variance_controls, variance_dragged, variance_measure, views
from ui import variance_softmax_charts as figures
from ui import variance_softmax_frame as frames
from ui import variance_softmax_words as words
from ui.text import Text
from ui.variance_charts import NAMED, NAMES, is_wide

GUESS, SHOWN = "variance.guess_dead", "variance.shown_divisors"


def draw(text: Text) -> None:
    measured = variance_measure.rows(text)
    guess = predict.given(GUESS)
    if guess is None:
        _ask(measured, text)
    else:
        _answer(measured, guess, text)
    variance_controls.controls(text, draws=False)


def _ask(measured: Saturation, text: Text) -> None:
    """What a dead row is, the question, and rows of shorter vectors to guess from."""
    layout = shell.layout()
    said, seen = st.columns((5, 4), gap="medium") if is_wide(layout) else (st.container(), st.container())
    with said:
        st.markdown(text("claim"))
        st.markdown(text("what_is_dead", **words.two_rows(measured)))
        predict.share(GUESS, text("ask", **words.GIVEN), text, key="guess_dead")
    with seen:
        with variance_dragged.room("softmax_open", log2_dk="variance.open_d_k"):
            data = frames.frame(measured, None, None, text)
            st.vega_lite_chart(data, figures.open_spec(layout), width="content", key="softmax_open")
        st.caption(text("see_rows", rows=frames.ROWS, **words.GIVEN))


def _answer(measured: Saturation, guess: int | str, text: Text) -> None:
    facts = words.facts(measured, state.bench().variance_seed)
    said = f"{text('asked', **words.GIVEN)} {words.verdict(measured, guess, text)}"
    st.markdown(f"{said}\n\n{text('dead_is', few=frames.ROWS, **words.GIVEN)}")
    shown: tuple[str, ...] = views.get(state.bench(), SHOWN)
    data = frames.frame(measured, shown, guess if isinstance(guess, int) else None, text)
    spec = figures.spec(shell.layout(), 4 if len(shown) < 4 else len(NAMED) + 1)
    with variance_dragged.room("softmax", log2_dk="variance.dead_d_k", alpha="variance.dead_alpha"):
        st.vega_lite_chart(data, spec, width="content", key="softmax")
    st.caption(text("see_panels", rows=frames.ROWS))
    st.markdown("\n".join(f"- {sentence}" for sentence in words.findings(measured, text, facts)))
    predict.again(GUESS, text, key="guess_dead")
    _details(measured, shown, text, facts)


def _details(measured: Saturation, shown: tuple[str, ...], text: Text, facts: dict[str, str]) -> None:
    """Other divisors, how it was measured, and why the mean rises; folded, so not even sent."""
    with st.expander(text("others"), shown != SCALES, key="softmax_others", on_change="rerun") as folded:
        if folded.open:
            _choose(shown, text)
    with st.expander(text("details"), key="softmax_details", on_change="rerun") as folded:
        if folded.open:
            st.markdown("\n\n".join(text(id, **facts) for id in ("how", "why_limit", "why_mean")))
    if st.toggle(text("as_tables"), key="softmax_table"):
        st.dataframe(numbers(measured, shown, text), hide_index=True)


def _choose(shown: tuple[str, ...], text: Text) -> None:
    """Which divisors are drawn besides d_k^α, which always is."""

    def change() -> None:
        chosen = st.session_state.get("softmax_shown") or []
        state.show(SHOWN, tuple(name for name in NAMED if name in chosen))

    st.pills(
        text("shown"), NAMED, default=list(shown), selection_mode="multi", format_func=NAMES.__getitem__,
        key=state.control("softmax_shown", list(shown)), on_change=state.callback(change), label_visibility="collapsed",
    )  # fmt: skip


def numbers(measured: Saturation, shown: tuple[str, ...], text: Text) -> pd.DataFrame:
    """Every stop and divisor that is drawn, as a table."""
    head = ["d_k", text("head_what"), *(text(f"head_{name}") for name in frames.COLUMNS_OF_TEXT)]
    rows = []
    for name in shown:
        for d_k in measured.d_k:
            if name != "log" or d_k > 1:
                said = frames.cells(measured, d_k, name)
                rows.append([d_k, NAMES[name], *(said[column] for column in frames.COLUMNS_OF_TEXT)])
    return pd.DataFrame(rows, columns=head)
