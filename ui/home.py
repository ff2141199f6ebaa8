"""Home's three doors: walk me through, let me play, I teach."""

from __future__ import annotations

import streamlit as st

from ui import shell, state, walk
from ui.text import Text
from ui.workbench import PATH


def doors(text: Text) -> None:
    """Side by side, below each other on a phone."""
    for draw, column in zip((_walk, _play, _teach), st.columns(3), strict=True):
        with column.container(border=True, height="stretch", gap="small"):
            draw(text)


def _walk(text: Text) -> None:
    done, goes_on = walk.finished(state.bench()), walk.goes_on(state.bench())
    st.markdown(text("door_walk"))
    walk.step_to(goes_on, text("walk_on" if done else "walk_begin", page=text(f"nav_{goes_on}")), "door_walk")
    st.progress(len(done) / len(PATH), text("walk_done", done=len(done), stops=len(PATH)))


def _play(text: Text) -> None:
    st.markdown(text("door_play"))
    _links(text, "edit", "challenges")


def _teach(text: Text) -> None:
    st.markdown(text("door_teach"))
    _links(text, "teach", "glossary")


def _links(text: Text, *pages: str) -> None:
    for page in pages:
        st.page_link(f"pages/{page}.py", label=text(f"nav_{page}"), icon=shell.ICONS[page])
