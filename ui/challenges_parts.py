"""The parts of the challenges page. What has been solved, and which hints are open, belongs to the session alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import streamlit as st

from ui import challenges, display, state, widgets, workbench
from ui.challenges import HINTS
from ui.challenges_goals import KEY, QUERY
from ui.names import called
from ui.text import Text
from ui.workbench import CHALLENGES

DONE = ":material/check_circle:"
SOME_ROW = ("uniform", "one_hot")  #: challenges whose goal is about any one row


def choose(text: Text) -> None:
    """The challenges side by side, and the way back to all of them."""
    with widgets.line():
        widgets.pick(
            "challenge", CHALLENGES, state.bench().challenge, text, show=lambda id: _option(id, text),
            change=challenges.begun,
        )  # fmt: skip
        st.button(text("all"), icon=":material/apps:", key="all_challenges", type="tertiary",
                  on_click=state.callback(_leave))


def overview(text: Text) -> None:
    """Every challenge as a card to open it by."""
    st.caption(text("overview"))
    names = called(workbench.preset(challenges.BASE), text)
    for first in range(0, len(CHALLENGES), 3):
        for id, column in zip(CHALLENGES[first : first + 3], st.columns(3), strict=False):
            with column.container(border=True, height="stretch"):
                st.markdown(f"**{_option(id, text)}**")
                st.markdown(text(f"goal_{id}", query=names[QUERY], key=names[KEY]))
                st.button(text("try"), key=f"try_{id}", on_click=state.callback(_begin), args=(id,))


def start_again(reason: str, text: Text) -> None:
    """Say why an attempt cannot be judged, and offer the way back."""
    st.warning(text("misfit", reason=text(f"misfit_{reason}")), icon=":material/restart_alt:")
    _again_button(text)


def goal(it: challenges.Verdict, names: list[str], text: Text) -> None:
    """What is asked for, and what was asked about it: hints one at a time, the smallest edit, the start."""
    id, record = state.bench().challenge, _record()
    hints, revealed = record["hints"].get(id, 0), _revealed()
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(_about("goal", names, text), width="stretch")
        with widgets.group():
            st.button(text("hint"), icon=":material/lightbulb:", key="hint", type="tertiary",
                      on_click=state.callback(_open_hint), disabled=hints >= HINTS)
            st.button(text("give_up"), icon=":material/visibility:", key="give_up", type="tertiary",
                      on_click=state.callback(_reveal), disabled=it.solved or revealed)
            _again_button(text, type="tertiary")
    for number in range(1, hints + 1):
        st.markdown(f"**{text('hint_number', number=number)}** · {_about('hint', names, text, f'_{number}')}")
    if revealed:
        with widgets.line():
            st.markdown(_smallest(names, text), width="content")
            _see_button(text)


def remember(it: challenges.Verdict) -> None:
    """Keep for the session what the reader has solved; the edit that the page itself has shown does not count."""
    record, bench = _record(), state.bench()
    id = bench.challenge
    copied = _revealed() and challenges.is_smallest(bench)
    if it.solved and id not in record["solved"] and not copied:
        record["solved"] = [*record["solved"], id]


def say(it: challenges.Verdict, names: list[str], text: Text) -> None:
    """What is true now, and the smallest edit once it is no secret any more.

    This stands below the editors, so that none of them moves while it is typed in.
    """
    said = text.sentences([text(id, **values) for id, values in it.says])
    if not it.solved:
        st.info(said, icon=":material/search:")
        return
    said = text.sentences([text("solved"), said])
    if _revealed():  # and stands above already
        st.success(said, icon=DONE)
        return
    with widgets.line():
        st.success(f"{said}  \n{_smallest(names, text)}", icon=DONE)
        _see_button(text)


def why(it: challenges.Verdict, names: list[str], text: Text) -> None:
    """Why the smallest edit does it. This stands below the stages, so that verdict and weights are seen at once."""
    if it.solved or _revealed():
        st.markdown(_about("why", names, text))


def _smallest(names: list[str], text: Text) -> str:
    """The smallest edit, or one of several; and where the goal is about any one row, which row it is."""
    id = state.bench().challenge
    edit = challenges.smallest(id)
    said = text(
        "one_of_the_smallest" if challenges.has_equals(id) else "smallest", matrix=edit.matrix, row=names[edit.row],
        column=edit.column + 1, before=display.exact(edit.before), after=display.exact(edit.after),
    )  # fmt: skip
    if id not in SOME_ROW:
        return said
    (_, true), *_ = challenges.judge(challenges.with_smallest(state.bench(), id), names).says
    return text.sentences([said, text(f"then_{id}", row=true["row"])])


def _see_button(text: Text) -> None:
    st.button(text("see"), icon=":material/play_arrow:", key="see_smallest", type="tertiary",
              on_click=state.callback(_see), disabled=challenges.is_smallest(state.bench()))


def _again_button(text: Text, type: Literal["secondary", "tertiary"] = "secondary") -> None:
    bench = state.bench()
    st.button(text("again"), icon=":material/restart_alt:", key="start_over", type=type,
              on_click=state.callback(_again), disabled=bench == challenges.begun(bench, bench.challenge))


def _about(kind: str, names: list[str], text: Text, ending: str = "") -> str:
    return text(f"{kind}_{state.bench().challenge}{ending}", query=names[QUERY], key=names[KEY])


def _option(id: str, text: Text) -> str:
    name = text(f"name_{id}")
    if id in _record()["solved"]:
        return text("option_solved", name=name)
    return text("option", number=CHALLENGES.index(id) + 1, name=name)


# What the buttons do


def _begin(id: str) -> None:
    state.commit(challenges.begun(state.bench(), id))


def _again() -> None:
    _begin(state.bench().challenge)


def _leave() -> None:
    """Back to all challenges; the numbers stay."""
    state.commit(replace(state.bench(), challenge=""))


def _see() -> None:
    state.commit(challenges.with_smallest(state.bench(), state.bench().challenge))


def _open_hint() -> None:
    hints = _record()["hints"]
    id = state.bench().challenge
    hints[id] = min(hints.get(id, 0) + 1, HINTS)


def _reveal() -> None:
    record = _record()
    record["revealed"] = [*record["revealed"], state.bench().challenge]


def _revealed() -> bool:
    """Whether the smallest edit of this challenge was asked for."""
    return state.bench().challenge in _record()["revealed"]


def _record() -> dict[str, Any]:
    """Of this session: the challenges solved, how many hints are open in each, the ones whose edit was asked for."""
    record: dict[str, Any] = state.lab().setdefault("challenges", {"solved": [], "hints": {}, "revealed": []})
    return record
