"""The walk through the whole article: its pages in order, and how a page ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ui import questions, shell, state, views
from ui.text import Text
from ui.workbench import PATH, Workbench


def end(
    text: Text, page: str, *elsewhere: str, asked: Sequence[int] | None = None, seen: bool = True,
    saw: Callable[[], str] | None = None,
) -> None:  # fmt: skip
    """How a page of the walk ends: what is asked there, what was learned, the next page, and others that are near.

    asked: the numbers of the questions, where not all of the page's fit what it shows now. seen: whether all that was
    to be learned could be seen by now; until then the way on within the page is the one that stands out. saw: what it
    was, where it was measured and asking costs something; the catalogue's words unless given.
    """
    questions.met(text, page, questions.on(page) if asked is None else asked)
    done, at = finished(state.bench()), PATH.index(page)
    if seen:
        _saw(text, saw)
    with st.container(horizontal=True, vertical_alignment="center"):
        follows = after(page)
        step_to(follows, text("walk_next", page=text(f"nav_{follows}")), "walk_next", finish=page,
                type="primary" if seen else "secondary")  # fmt: skip
        for other in elsewhere:
            st.page_link(f"pages/{other}.py", label=text(f"nav_{other}"), icon=shell.ICONS[other])
    st.caption(text("walk_at", stop=at + 1, stops=len(PATH), done=len(done)))


def _saw(text: Text, saw: Callable[[], str] | None) -> None:
    """What was learned; folded, since it answers what the page asks, and not made before it is asked for."""
    if saw is None:
        with st.expander(text("heading_saw")):
            st.markdown(text("saw"))
        return
    with st.expander(text("heading_measured"), key="saw", on_change="rerun", icon=":material/flag:") as folded:
        if folded.open:
            st.markdown(saw())


def after(page: str) -> str:
    """The page that follows; after the last one, what is left to try.

    >>> after("lookup"), after(PATH[-1])
    ('flow', 'challenges')
    """
    return dict(zip(PATH, (*PATH[1:], "challenges"), strict=True))[page]


def finished(bench: Workbench) -> tuple[str, ...]:
    """The pages whose end was reached and left by going on."""
    return tuple(views.get(bench, "walk.done"))


def goes_on(bench: Workbench) -> str:
    """Where the walk goes on: the first page not finished, and after the last one what is left to try.

    >>> from ui.workbench import preset
    >>> goes_on(preset("cat"))
    'lookup'
    """
    done = finished(bench)
    return next((page for page in PATH if page not in done), after(PATH[-1]))


def step_to(page: str, label: str, key: str, *, finish: str = "", **how: Any) -> None:
    """A button to another page, which marks a page of the walk as finished."""

    def mark() -> None:
        if finish:
            done = finished(state.bench())
            state.show("walk.done", tuple(each for each in PATH if each in done or each == finish))

    how = {"type": "primary", "icon": shell.ICONS[page]} | how
    if st.button(label, key=key, on_click=state.callback(mark), **how):
        shell.go(page)
