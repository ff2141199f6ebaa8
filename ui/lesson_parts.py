"""The lesson on the teacher's page: its questions, each with its state to open and its answer, folded."""

from __future__ import annotations

import streamlit as st

from ui import lesson, shell
from ui.doors import door
from ui.text import Text


def draw(text: Text) -> None:
    """Every part of the plan: minutes, question, a button that opens the state, and the answer."""
    parts = zip(lesson.PLAN, lesson.said(text.lang), lesson.spans(), strict=True)
    for number, (part, (question, answer), (start, end)) in enumerate(parts, 1):
        with st.container(border=True):
            words, buttons = st.columns([0.62, 0.38], vertical_alignment="center")
            words.markdown(f"**{text('minutes', start=start, end=end)}**　{question}")
            with buttons.container(horizontal=True):
                door(
                    text("open", page=text(f"nav_{part.page}")), part.page, f"open_{part.id}", part.bench(text.lang),
                    {**part.shows, "teach.part": number}, at=part.at, icon=shell.ICONS[part.page],
                )  # fmt: skip
                with st.popover(text("answer")):
                    st.markdown(answer)
