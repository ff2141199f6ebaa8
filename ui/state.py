"""The reader's workbench in this session: one code, its history, and the controls that look at it.

The state *is* the code in the link (see `ui.link`): a plain string survives hot reloads, compares exactly and costs
nothing to keep a history of. `bench()` decodes it (cached), `commit()` replaces it.

Controls are shown from the workbench, never the other way round: `control()` puts the workbench's value into a
widget's key before the widget is made, and the widget's callback commits a new workbench. So undo, presets, links and
page changes need no special case. The same value is also the widget's default, for the run that the browser never gets
to mount because another follows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ui import link
from ui.workbench import Workbench, preset

DEPTH = 100  #: how many steps can be undone
START = "cat"

_LAB = "lab"


def lab() -> dict[str, Any]:
    """This session's record: plain values only."""
    if _LAB not in st.session_state:
        code = link.encode(preset(START))
        st.session_state[_LAB] = {
            "code": code, "undo": [], "redo": [], "epoch": 0, "mine": [code], "asked": None,
            "problems": {}, "seen": {}, "notice": None, "layout": None,
            "running": False, "interrupted": False,
        }  # fmt: skip
    return st.session_state[_LAB]  # type: ignore[no-any-return]


def bench() -> Workbench:
    """The workbench as it is now."""
    return link.decode(lab()["code"])


def commit(new: Workbench, *, typed: bool = False) -> None:
    """Make `new` the workbench; the one before can be undone.

    `typed` edits leave the editors as they are; any other change gives them new numbers to start from.
    """
    here = lab()
    code = link.encode(new)
    if code == here["code"]:
        return
    link.decode(code)  # what could not be opened again must not replace what can
    here["undo"] = [*here["undo"], here["code"]][-DEPTH:]
    here["redo"] = []
    _show(code, fresh=not typed)


def undo() -> None:
    _step("undo", "redo")


def redo() -> None:
    _step("redo", "undo")


def _step(source: str, target: str) -> None:
    here = lab()
    if here[source]:
        here[target] = [*here[target], here["code"]]
        code = here[source][-1]
        here[source] = here[source][:-1]
        _show(code, fresh=True)


def _show(code: str, *, fresh: bool) -> None:
    here = lab()
    here["code"] = code
    here["mine"] = [*here["mine"][-DEPTH:], code]
    if fresh:
        here["epoch"] += 1
        here["problems"] = {}
        here["seen"] = {}


def adopt(code: str | None) -> str | None:
    """Open a code found in the address; returns the id of what is wrong with it, if anything is.

    A code this session has shown itself is not news: it comes from Back or from an address that lags behind, and
    the numbers on screen win (the address is then corrected).
    """
    here = lab()
    if not code or code == here["asked"] or code in here["mine"]:
        return None
    here["asked"] = code
    try:
        opened = link.decode(code)
    except link.BadLink as error:
        return error.reason
    commit(opened)
    return None


def control(key: str, value: object) -> str:
    """Let the widget `key` show `value`; returns the key.

    Setting a value sends it to the browser, where it would overwrite what is just being typed: so it is set only when
    it differs, or when the last run was cut short and its messages may have been dropped.
    """
    if lab()["interrupted"] or key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return key


def run_begins() -> None:
    here = lab()
    here["interrupted"], here["running"] = here["running"], True


def run_ends() -> None:
    lab()["running"] = False


def on_change(
    key: str, change: Callable[[Workbench, Any], Workbench], among: Sequence[Any] = ()
) -> Callable[[], None]:
    """A widget callback that commits what `change` makes of the workbench and the widget's value.

    A deselected choice (None) changes nothing, and neither does a value not `among` the options: a select box
    answers with the label it shows, which just after a change of language may be one of the language before.
    The next run shows the workbench's own value again.
    """

    def callback() -> None:
        chosen = st.session_state.get(key)
        if chosen is not None and (not among or chosen in among):
            commit(change(bench(), chosen))

    return callback
