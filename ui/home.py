"""Home's three doors: walk me through, let me play, I teach."""

from __future__ import annotations

import streamlit as st

from ui import state, walk
from ui.text import Text
from ui.workbench import PATH


def doors(text: Text) -> None:
    """Three buttons under each other, each with a line of what is behind it."""
    done, goes_on = walk.finished(state.bench()), walk.goes_on(state.bench())
    far = text("walk_done", done=len(done), stops=len(PATH)) if done else ""
    how = "walk_all" if len(done) == len(PATH) else "walk_on" if done else "walk_begin"
    stop = text(how, page=text(f"nav_{goes_on}"))
    _door("walk", goes_on, text, primary=True, label=stop, far=far)
    _door("play", "edit", text)
    _door("teach", "teach", text)


def _door(name: str, page: str, text: Text, *, primary: bool = False, label: str = "", far: str = "") -> None:
    kind = "primary" if primary else "secondary"
    walk.step_to(page, text(f"door_{name}", stop=label), f"door_{name}", type=kind, width="stretch")
    st.caption(text.sentences([text(f"behind_{name}"), far]) if far else text(f"behind_{name}"))
