"""The lessons on the teacher's page: questions, each with its states to open and its answer, folded."""

from __future__ import annotations

import streamlit as st

from ui import lesson, shell, training_runs, widgets
from ui.doors import door
from ui.lesson_plan import Part
from ui.text import Text


def choose(text: Text) -> str:
    """Which lesson; travels in the link."""
    plans = list(lesson.PLANS)
    return widgets.part("teach.plan", plans, text("plans"), lambda plan: text(f"plan_{plan}"), key="teach_plan")


def draw(plan: str, text: Text) -> None:
    """Every part of the plan: minutes, question, buttons that open its states, and the answer."""
    parts = zip(lesson.PLANS[plan], lesson.said(plan, text.lang), lesson.spans(plan), strict=True)
    for number, (part, (question, answer), (start, end)) in enumerate(parts, 1):
        with st.container(border=True):
            words, buttons = st.columns([0.62, 0.38], vertical_alignment="center")
            words.markdown(f"**{_head(part, start, end, text)}**　{question}")
            with buttons.container(horizontal=True):
                _doors(part, {"teach.plan": plan, "teach.part": number}, text)
                with st.popover(text("answer" if part.reveals is None else "expect")):
                    st.markdown(answer)


def _head(part: Part, start: int, end: int, text: Text) -> str:
    """When it is due, and in a lesson on a single page, on which part of it."""
    minutes = text("minutes", start=start, end=end)
    if part.reveals is None:
        return minutes
    return f"{minutes} · {Text(part.page, text.lang)(f'part_{part.id}')}"


def _doors(part: Part, lesson: dict[str, object], text: Text) -> None:
    """The state that the question is about, and where it opens as well, the one that answers it."""
    states = {"open": (text("open", page=text(f"nav_{part.page}")), shell.ICONS[part.page], part.shows)}
    if part.reveals is not None:
        states = {"open": (text("ask"), ":material/help:", part.shows),
                  "reveal": (text("reveal"), ":material/lightbulb:", part.reveals)}  # fmt: skip
    for name, (label, icon, shows) in states.items():
        door(label, part.page, f"{name}_{part.id}", part.bench(text.lang), {**shows, **lesson}, at=part.at, icon=icon)


def before(plan: str, text: Text) -> None:
    """What is to be done before the class, and how far it is."""
    if plan != "scale":
        return
    number, part = next((n, part) for n, part in enumerate(lesson.PLANS[plan], 1) if part.id == "training")
    runs = training_runs.shared().find("adam", part.bench(text.lang).variance_seed)
    done = "none" if runs is None or not runs.share else "all" if runs.next is None else "some"
    share = f"{0 if runs is None else min(int(100 * runs.share), 99)}%"  # 100 % would be all
    train = Text("variance_training", text.lang)("start")
    st.markdown(text("before", number=number, train=train, trained=text(f"trained_{done}", share=share)))
