"""The reader's workbench in this session: one code, its history, and the controls that look at it.

The state *is* the code in the link (see `ui.link`): a plain string survives hot reloads, compares exactly and costs
nothing to keep a history of. `bench()` decodes it (cached), `commit()` replaces it.

Controls are shown from the workbench, never the other way round: `control()` puts the workbench's value into a
widget's key before the widget is made, and the widget's callback commits a new workbench. So undo, presets, links and
page changes need no special case. The same value is also the widget's default, for the run that the browser never gets
to mount because another follows at once.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import streamlit as st

from ui import link, places, views
from ui.workbench import Workbench, preset, seen_as

DEPTH = 100  #: how many steps can be undone
START = "cat"

_LAB = "lab"
_NOTHING = object()


def lab() -> dict[str, Any]:
    """This session's record: plain values only."""
    here = st.session_state.get(_LAB)
    if here is None:
        here = st.session_state[_LAB] = {
            "session": secrets.token_hex(4), "code": link.encode(preset(START)), "undo": [], "redo": [], "whole": [],
            "forgotten": 0, "epoch": 0, "problems": {}, "seen": {}, "notices": [], "looks": 0, "trail": [], "spot": "",
            "layout": None, "opened": False, "running": False, "interrupted": False, "arrived": False, "pin": None,
            "compare": "now", "steps_shown": 0, "asked": {}, "doors": 0, "door_at": "",
        }  # fmt: skip
    return here


def bench() -> Workbench:
    """The workbench as it is now."""
    return link.decode(lab()["code"])


def epoch() -> str:
    """Names the set of numbers that editors edit; what was typed into another set does not belong here."""
    return f"{lab()['session']}-{lab()['epoch']}"


def notify(id: str, **values: Any) -> None:
    """Have the next run say something, once: a sentence of the common catalogue, with these values."""
    if [id, values] not in lab()["notices"]:
        lab()["notices"] = [*lab()["notices"], [id, values]]


def commit(new: Workbench, *, typed: bool = False, whole: bool = False) -> None:
    """Make `new` the workbench; the one before can be undone.

    `typed` edits leave the editors as they are; other changes of the numbers give them new ones to start from.
    `whole`: what is shown comes with the numbers, and goes back with them.
    """
    here = lab()
    code = link.encode(_with_its_cell(new))
    if code == here["code"]:
        return
    link.decode(code)  # what could not be opened again must not replace what can
    here["arrived"] = here["arrived"] and position() > 0
    here["forgotten"] += len(here["undo"]) == DEPTH
    here["undo"] = [*here["undo"], here["code"]][-DEPTH:]
    here["redo"] = []
    here["whole"] = [step for step in here["whole"] if step < position()] + [position()] * whole
    _show(code, typed)


def look(place: places.Place | None, spot: str = "") -> None:
    """Choose a cell to explain, or none. Looking changes no number: there is nothing to undo.

    spot: the figure in which it was chosen; walking on from there stays there.
    """
    here, before = lab(), bench().cell
    if place is None:
        here["trail"], here["spot"] = [], ""
    elif not _exists(place):
        return
    elif before not in ((), tuple(place)):
        here["trail"] = [*here["trail"], before][-DEPTH:]
    here["spot"] = spot or here["spot"]
    _look(tuple(place or ()))


def show(name: str, value: Any) -> None:
    """Let a page show something else (see `ui.views`). Like looking at a cell, it changes no number."""
    lab()["code"] = link.encode(views.shown(bench(), name, value))


def bring(at: str = "") -> None:
    """Have the page bring an element into view, by its key; the top of the page unless given."""
    lab()["doors"] += 1
    lab()["door_at"] = at


def look_back() -> None:
    """Return to the cell chosen last before this one, of those that still exist."""
    here = lab()
    while here["trail"]:
        *here["trail"], cell = here["trail"]
        if _exists(cell):
            _look(cell)
            break


def can_look_back() -> bool:
    """Whether a cell that was chosen before still exists."""
    return any(map(_exists, lab()["trail"]))


def _exists(cell: Sequence[Any]) -> bool:
    return places.exists(bench(), places.Place(*cell))


def _look(cell: tuple[str | int, ...]) -> None:
    lab()["code"] = link.encode(replace(bench(), cell=cell))
    lab()["looks"] += 1


def _with_its_cell(new: Workbench) -> Workbench:
    """The workbench without a chosen cell that its sizes do not have; the reader is told."""
    place = places.chosen(new)
    if place is None or places.exists(new, place):
        return new
    notify("cell_gone", stage=place.stage, head=place.head, row=place.row + 1, column=place.column + 1)
    return replace(new, cell=())


def undo() -> None:
    go_to(position() - 1)


def redo() -> None:
    go_to(position() + 1)


def path() -> dict[int, str]:
    """The code of every step that can be gone to, oldest first, by number: 0 is where the session began."""
    here = lab()
    return dict(enumerate([*here["undo"], here["code"], *reversed(here["redo"])], here["forgotten"]))


def position() -> int:
    """The number of the present step."""
    return len(lab()["undo"]) + int(lab()["forgotten"])


def go_to(step: int) -> None:
    """Go to a step of the history, or as near to it as that still reaches."""
    here, codes = lab(), list(path().values())
    at = min(max(step - here["forgotten"], 0), len(codes) - 1)
    if at != len(here["undo"]):
        then = _seen_as_now(link.decode(codes[at]), at + int(here["forgotten"]))
        here["undo"], here["redo"] = codes[:at], codes[:at:-1]
        _show(link.encode(_with_its_cell(then)), typed=False)


def _seen_as_now(then: Workbench, step: int) -> Workbench:
    """Another step of the history with what is looked at now, unless that came with a step in between."""
    now = bench()
    low, high = sorted((step, position()))
    if any(low < each <= high for each in lab()["whole"]):
        return views.shown(then, "walk.done", views.get(now, "walk.done"))
    return seen_as(then, now)


def pin(bench: Workbench | None) -> None:
    """Pin numbers to compare with, or none."""
    lab()["pin"] = None if bench is None else link.encode(replace(bench, cell=(), view=()))
    lab()["compare"] = "now" if bench is None else "pinned"


def _show(code: str, typed: bool) -> None:
    here = lab()
    old, new = link.decode(here["code"]), link.decode(code)
    here["code"] = code
    if not typed and (old.tokens, old.matrices, old.allowed) != (new.tokens, new.matrices, new.allowed):
        here["epoch"] += 1
        here["problems"] = {}


def adopt(code: str | None, pinned: str | None = None) -> None:
    """Open the codes in the address a session begins with; say so if they cannot be opened.

    Later in a session the numbers on screen win, and the address is corrected: an older code in it comes from Back.
    """
    here = lab()
    first, here["opened"] = not here["opened"], True
    if first:
        for what, asked, use in (("pin", pinned, pin), ("link", code, commit)):
            try:
                if asked and len(asked) > link.MAX_CODE:
                    raise link.BadLink("oversized")
                if asked:
                    use(link.decode(asked))
            except link.BadLink as error:
                notify(f"{what}_{error.reason}")
        here["arrived"] = bool(here["undo"])
    _show_asked()


def _show_asked() -> None:
    """Show what an address asks for in plain words (see `views.ASKED`), once: from then on it is in the code."""
    asked = {name: st.query_params[name] for name in views.ASKED if name in st.query_params}
    if asked != lab()["asked"]:
        lab()["asked"] = asked
        for name, text in asked.items():
            value = int(text) if text.isdecimal() and len(text) < 10 else text  # Python refuses very long ones
            if views.VIEWS[views.ASKED[name]].fits(value):
                show(views.ASKED[name], value)


#: Takes in what was typed but not yet committed; set by ui.editor, which knows how to read it.
take_typed: list[Callable[[], None]] = []


def callback(change: Callable[..., None]) -> Callable[..., None]:
    """A widget callback under the net: what was typed elsewhere comes first, and no error reaches the visitor.

    A tap on a button and the number typed just before it arrive together, the button's callback first.
    """

    @wraps(change)
    def safe(*args: Any) -> None:
        try:
            for take in take_typed:
                take()
            change(*args)
        except Exception:
            logging.getLogger(__name__).exception("a change could not be made")
            notify("change_failed")

    return safe


def control(key: str, value: object) -> str:
    """Let the widget `key` show `value`; returns the key.

    Setting a value sends it to the browser, where it would overwrite what is just being typed: so it is set only when
    it differs, or when the last run was cut short and its messages may have been dropped.
    """
    if lab()["interrupted"] or st.session_state.get(key, _NOTHING) != value:
        st.session_state[key] = value
    return key


def run_begins() -> None:
    here = lab()
    here["interrupted"], here["running"] = here["running"], True


def run_ends() -> None:
    lab()["running"] = False


def on_show(key: str, name: str, among: Sequence[Any] = ()) -> Callable[[], None]:
    """A widget callback that shows what the widget's value says; otherwise as `on_change`."""

    def choose() -> None:
        chosen = st.session_state.get(key)
        if chosen is not None and (not among or chosen in among):
            show(name, chosen)

    return callback(choose)


def on_change(
    key: str, change: Callable[[Workbench, Any], Workbench], among: Sequence[Any] = ()
) -> Callable[[], None]:
    """A widget callback that commits what `change` makes of the workbench and the widget's value.

    A deselected choice (None) changes nothing, and neither does a value not `among` the options: a select box
    answers with the label it shows, which just after a change of language may be one of the language before.
    The next run shows the workbench's own value again.
    """

    def choose() -> None:
        chosen = st.session_state.get(key)
        if chosen is not None and (not among or chosen in among):
            commit(change(bench(), chosen))

    return callback(choose)
