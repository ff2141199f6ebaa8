"""The controls of the data flow: sizes, whose keys and values, positions, and the other sequence."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ui import controls, flow, state, tokens, views
from ui.flow import Flow
from ui.names import escaped
from ui.text import Text
from ui.workbench import MAX_N, Workbench, typed_apart

SIZES = ("n", "d_model", "d_k", "d_v")


def draw(text: Text) -> None:
    """Everything that changes the picture."""
    bench = state.bench()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for name in SIZES:
            controls.size(name, bench, text, width=132)
        with st.container(width="content", gap="xxsmall"):
            for name in ("cross", "positions"):
                value, key = views.get(bench, f"flow.{name}"), f"flow_{name}"
                st.toggle(text(f"label_{name}"), value, key=state.control(key, value), help=text(f"help_{name}"),
                          on_change=state.on_show(key, f"flow.{name}"))
    if views.get(bench, "flow.cross"):
        other(text)


def other(text: Text) -> None:
    """The other sequence, as a sentence to edit, and where its numbers come from."""
    bench = state.bench()
    problem = state.lab()["problems"].get("flow_other")
    shown = problem["typed"] if problem else " ".join(flow.others(bench))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(text("label_other"), shown, key=state.control("flow_other", shown), width=380,
                      on_change=state.callback(_retoken))
        st.markdown(origin(bench, text), width="stretch")
    if problem:
        st.warning(text(f"other_{problem['reason']}", **problem, most=MAX_N, chars=tokens.MAX_CHARS))


def _retoken() -> None:
    if words := controls.typed_tokens("flow_other", "flow_other"):
        prepared = words == flow.others(_prepared(state.bench()))
        state.show("flow.other", () if prepared else words)


def _prepared(bench: Workbench) -> Workbench:
    return replace(bench, view=tuple((name, value) for name, value in bench.view if name != "flow.other"))


def origin(bench: Workbench, text: Text) -> str:
    """Where the rows of the other sequence come from: the reader's X, our hand, or a draw."""
    own, known = set(bench.tokens), flow.known(bench)
    kinds: dict[str, list[str]] = {"own": [], "made": [], "drawn": []}
    for token in dict.fromkeys(flow.others(bench)):
        kinds["own" if token in own else "made" if token in known else "drawn"].append(escaped(token))
    said = [text(f"other_{kind}", tokens=text.list(names)) for kind, names in kinds.items() if names]
    return text.sentences(said)


def route(it: Flow, text: Text) -> None:
    """What this picture makes of Q, K and V that were typed: it begins at X, and says where that differs."""
    bench = state.bench()
    differ = typed_apart(bench)
    if bench.route == "input" or not differ:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.info(text("route_differs", names=text.list(differ)))
        st.button(text("route_input"), key="flow_route", on_click=state.callback(_by_input))


def _by_input() -> None:
    state.commit(replace(state.bench(), route="input"))
