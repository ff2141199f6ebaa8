"""The open node: its numbers, its formula, its place in the code, and the arithmetic of any cell of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from ui import charts, components, controls, display, editor, flow, flow_code, places, shell, stages, state, trace
from ui.charts import Heat
from ui.flow import Flow
from ui.flow_formulas import formula
from ui.flow_picture import title
from ui.names import in_sentences, with_meaning
from ui.text import Text, in_both
from ui.workbench import Workbench

HEAT = "flow_heat"  #: what the open node's heatmap is called
TYPED = {"E": "X", "X": "X", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V"}  #: nodes a reader types → the matrix typed


def draw(it: Flow, node: str, text: Text) -> None:
    """Everything about one node."""
    bench = replace(it.bench, cell=state.bench().cell)
    among = _traceable(it, bench)
    marks = trace.marks(bench) if _chosen(bench, among) else {}
    with st.container(border=True, key="flow_open"):
        left, right = st.columns([0.5, 0.5])
        with left:
            _head(it, node, text)
            if node in TYPED and not (node == "X" and it.positions):
                editor.matrices({TYPED[node]: _rows(it, node, text)}, text, marks=marks)
            else:
                _heat(it, node, text, marks)
                if _stage(it, node):
                    trace.invite(bench, text, among)
                elif it.cross and node in places.NAMES:
                    st.caption(text("no_trace_in_cross"))
        with right:
            st.markdown("\n\n".join(filter(None, (_says(it, node, text), formula(it, node)))))
            if node == "scaled":
                _settings(it, text)
            _code(it, node, text)
        if node in ("scaled", "weights", "output"):
            stages.unseeing(it.steps.weights, in_sentences(it.tokens, text), text)
        if not _entry_sum(it, bench, text):
            trace.panel(bench, text, shell.layout(), with_meaning(bench, text), among, {HEAT: places.NAMES}, HEAT)


def _head(it: Flow, node: str, text: Text) -> None:
    """What is open, and the nodes before and after it a tap away: a phone has no arrow keys."""
    st.markdown(text("open_title", title=title(it, node, text), **_sizes(it, node)))
    nodes = list(it.nodes)
    at = nodes.index(node)
    with st.container(horizontal=True, gap="small"):
        for name, to in (("before", at - 1), ("after", at + 1)):
            if 0 <= to < len(nodes):
                st.button(text(f"to_{name}", node=text(f"node_{nodes[to]}")), key=f"flow_{name}",
                          on_click=state.callback(lambda to=to: state.show("flow.node", nodes[to])))


def _sizes(it: Flow, node: str) -> dict[str, object]:
    """A node's sizes, by symbol and by number."""
    (one, other), (rows, columns) = it.symbols(node), it.shape(node)
    return {"one": one, "other": other, "rows": rows, "columns": columns}


def _says(it: Flow, node: str, text: Text) -> str:
    """What a node is, in a sentence or two."""
    kind = "X" if node == "X2" else node.removesuffix("2")
    if kind == "X":
        kind = "X_positions" if it.positions else "X"
    if kind in ("E", "X") and node[-1] == "2":
        kind = f"{kind}_other"
    if kind in ("K", "V", "scores") and it.cross:
        kind = f"{kind}_cross"
    if kind == "scaled":
        kind = f"scaled_{it.bench.scale}"
    said = text(f"what_{kind}", **it.sizes, divisor=display.short(it.steps.divisor))
    if node == "scaled" and it.steps.mask is not None:
        said = text.sentences([said, text("what_masked", hidden=int((~it.steps.mask).sum()))])
    return said


def _settings(it: Flow, text: Text) -> None:
    """The divisor, and the mask where there can be one."""
    controls.switches(text, "scale", *(() if it.cross else ("mask",)))
    if it.cross and it.bench.mask != "none":
        st.caption(text("no_mask_in_cross", **it.sizes))


def _code(it: Flow, node: str, text: Text) -> None:
    """The function that made it, its line marked; another line opens the node that is made there."""
    file, lines = flow_code.of(it, node)
    if not file:
        st.caption(text("code_none"))
        return
    others = {line.node for line in lines} - {"", node}
    st.caption(text.sentences([text("code_place", file=file), *([text("code_lines")] if others else [])]))
    nodes = list(flow.SIZES)
    components.code(
        key="flow_code", on_step_change=state.callback(_go_to_line), width="stretch",
        data={"label": text("code_label", file=file), "lines": [
            {"number": line.number, "text": line.text, "state": "now" if line.node == node else "",
             "step": nodes.index(line.node) if line.node in it.arrays else -1,
             "note": text(f"node_{line.node}") if line.node in it.arrays else ""}
            for line in lines
        ]},
    )  # fmt: skip


def _go_to_line() -> None:
    step = (st.session_state.get("flow_code") or {}).get("step")
    if isinstance(step, int) and 0 <= step < len(flow.SIZES):
        state.show("flow.node", list(flow.SIZES)[step])


def _heat(it: Flow, node: str, text: Text, marks: Mapping[places.Place, int]) -> None:
    """The node's numbers; a click on one chooses it where its arithmetic can be shown."""
    values, columns = it.arrays[node], _columns(it, node)
    stage = _stage(it, node)
    heat = Heat(
        values=values, columns=columns, limit=it.limit(node), hint="",
        title=text("hint_pairs" if node in ("scores", "scaled", "weights") else "hint_columns",
                   columns=it.symbols(node)[1]),
        tip=_tip(it, node, columns, text), hidden=it.hidden(node), weights=node == "weights", stage=stage,
        marks=marks if stage else {},
        sums=charts.row_sums(values) if node == "weights" else None,
    )  # fmt: skip
    frame, spec = charts.linked(_rows(it, node, text), [heat], shell.half(), state.lab()["looks"])
    stages.draw_choosable(frame, spec | {"description": in_both("heat_alt", "flow")}, HEAT, choosable=bool(stage))


def _rows(it: Flow, node: str, text: Text) -> Sequence[str]:
    """What a node's rows are called."""
    symbol = it.symbols(node)[0]
    if symbol == "n" and node not in ("E2", "PE2", "X2"):
        return with_meaning(it.bench, text)
    return it.keys if symbol == "m" else [str(i + 1) for i in range(it.shape(node)[0])]


def _columns(it: Flow, node: str) -> Sequence[str]:
    return it.keys if node in ("scores", "scaled", "weights") else [str(j + 1) for j in range(it.shape(node)[1])]


def _tip(it: Flow, node: str, columns: Sequence[str], text: Text) -> Callable[[int, int, str], str]:
    rows = it.keys if it.symbols(node)[0] == "m" else it.tokens
    if node in ("scores", "scaled", "weights", "output"):
        template = text.template(f"tip_{node}")
        return lambda i, j, number: template(row=rows[i], column=columns[j], number=number)
    template = partial(text.template("tip_cell"), node=text(f"node_{node}"))
    return lambda i, j, number: template(row=rows[i], column=columns[j], number=number)


def _stage(it: Flow, node: str) -> str:
    """What a node's cells are called in `ui.places`; none where their arithmetic cannot be shown."""
    if node == "scaled":
        node = "masked" if it.steps.mask is not None else "scaled"
    if it.cross and node not in ("X", "Q") or node not in places.NAMES:
        return ""
    return node


def _traceable(it: Flow, bench: Workbench) -> list[trace.Matrix]:
    """The matrices whose cells can explain themselves: with another sequence, only what is made of the first."""
    every = trace.of_one(bench)
    return [matrix for matrix in every if not it.cross or matrix[0] in ("Q", "X", "W_Q")]


def _chosen(bench: Workbench, among: Sequence[trace.Matrix]) -> places.Place | None:
    place = places.chosen(bench)
    return place if place and (place.stage, place.head) in among and places.exists(bench, place) else None


def _entry_sum(it: Flow, bench: Workbench, text: Text) -> bool:
    """The chosen cell of X, where that is a sum: what it is made of."""
    place = _chosen(bench, [("X", -1)])
    if place is None or not it.positions:
        return False
    E, PE, X = (float(it.arrays[name][place.row, place.column]) for name in ("E", "PE", "X"))
    numbers = {name: display.short(x, 4) for name, x in (("E", E), ("PE", PE), ("X", X))}
    with st.container(border=True, key="trace"), st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(text("entry_sum", row=place.row + 1, column=place.column + 1, **numbers))
        for name, icon in (("back", ":material/arrow_back:"), ("close", ":material/close:")):
            change = state.look_back if name == "back" else partial(state.look, None)
            st.button(Text("trace", text.lang)(name), icon=icon, key=f"trace_{name}", type="tertiary",
                      on_click=state.callback(change), disabled=name == "back" and not state.can_look_back())
        components.follow(key="trace_follow", data={"looks": state.lab()["looks"]}, width="content")
    return True
