"""The proof trace: the chosen cell's arithmetic, and the ways to choose a cell and to walk back from it.

A cell is chosen by a click or tap on a heatmap, from lists (so by keyboard), by following an operand of another
cell, or by a link.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from ui import charts, components, derivation, places, stages, state
from ui.names import in_sentences
from ui.origins import Derivation, derive
from ui.places import Place
from ui.text import Text
from ui.workbench import Workbench

#: layout → how many terms of a sum fit on a line
ACROSS = {"xl": 8, "wide": 6, "medium": 4, "half": 3, "phone": 2}

Matrix = tuple[str, int]  #: a stage and its head, -1 without heads
NOWHERE: Matrix = ("", -1)


def marks(bench: Workbench) -> Mapping[Place, int]:
    """The chosen cell and the cells that go into it, as charts and editors frame them."""
    place = places.chosen(bench)
    if place is None:
        return {}
    into = derive(bench, place).operands
    return {operand.place: charts.OPERAND for operand in into} | {place: charts.CHOSEN}


def of_one(bench: Workbench) -> list[Matrix]:
    """The matrices of the attention without heads, the last stage first."""
    masked = ("masked",) if bench.mask != "none" else ()
    typed = ("X", "W_Q", "W_K", "W_V") if bench.route == "input" else ()
    return [(stage, -1) for stage in ("weights", "output", "scores", "scaled", *masked, "Q", "K", "V", *typed)]


def of_heads(bench: Workbench) -> list[Matrix]:
    """The matrices of every head, and of all of them together."""
    own = [stage for stage in places.IN_A_HEAD if stage != "masked" or bench.mask != "none"]
    own.sort(key=lambda stage: stage != "weights")
    in_heads = [(stage, head) for head in range(bench.n_heads) for stage in own]
    return in_heads + [(stage, -1) for stage in places.OF_ALL_HEADS]


def under_stages(bench: Workbench, text: Text, layout: str, names: Sequence[str]) -> None:
    """Everything there is to explain, on a page with one figure: `stages.draw`'s, right above."""
    among = of_one(bench)
    invite(bench, text, among)
    panel(bench, text, layout, names, among, {stages.FIGURE: places.NAMES}, stages.FIGURE)


def invite(bench: Workbench, text: Text, among: Sequence[Matrix]) -> None:
    """How to choose a cell, as long as none of these matrices is explained."""
    if not _chosen_among(bench, among):
        _matrix(bench, None, Text("trace", text.lang), among)


def panel(
    bench: Workbench, text: Text, layout: str, names: Sequence[str], among: Sequence[Matrix],
    spots: Mapping[str, Collection[str]], spot: str,
) -> None:  # fmt: skip
    """The chosen cell's arithmetic, if it is in one of these matrices and belongs under this figure.

    names: what the tokens are called in the lists. spots: figure → the stages it shows, for a cell that was not chosen
    in a figure of this page.
    """
    place = _chosen_among(bench, among)
    if place is None or spot != _spot(place, spots):
        return
    text = Text("trace", text.lang)
    with st.container(border=True, key="trace"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _matrix(bench, place, text, among)
            _index("row", bench, place, text, names)
            _index("column", bench, place, text, names)
            _buttons(text)
        _arithmetic(derive(bench, place), bench, text, layout)


def _spot(place: Place, spots: Mapping[str, Collection[str]]) -> str:
    """The figure under which a cell is explained."""
    spot = state.lab()["spot"]
    return spot if spot in spots else next(name for name, stages in spots.items() if place.stage in stages)


def _chosen_among(bench: Workbench, among: Sequence[Matrix]) -> Place | None:
    place = places.chosen(bench)
    return place if place and (place.stage, place.head) in among else None


def _arithmetic(it: Derivation, bench: Workbench, text: Text, layout: str) -> None:
    """Line by line; the cells that each number came from; and how much of it is shown."""
    full, exact = (bool(st.session_state.get(key)) for key in ("trace_full", "trace_exact"))
    said = derivation.blocks(it, bench, text, across=ACROSS[layout], full=full, exact=exact)
    names = in_sentences(bench.tokens, text)
    st.markdown("\n\n".join([f"**{derivation.title(it, bench, text, names=names)}**", *said]))
    if it.operands:
        _walk([operand.place for operand in it.operands], bench, text, names)
    with st.container(horizontal=True, vertical_alignment="center"):
        if derivation.folds(it):
            st.toggle(text("full"), key="trace_full")
        st.toggle(text("exact"), key="trace_exact")
        st.caption(text("rounding_exact" if exact else "rounding"))


def _walk(to: Sequence[Place], bench: Workbench, text: Text, names: Sequence[str]) -> None:
    """The cells that went in, to go on to. Pills are read as Markdown."""
    key = state.control("trace_operands", None)
    st.pills(
        text("operands"), list(to), key=key, on_change=_looks(key, lambda place: Place(*place), to),
        format_func=lambda place: derivation.label(Place(*place), bench, text, names=names),
    )  # fmt: skip


def _matrix(bench: Workbench, place: Place | None, text: Text, among: Sequence[Matrix]) -> None:
    """Which matrix the cell is in."""
    options = [NOWHERE, *among]
    value = NOWHERE if place is None else (place.stage, place.head)
    key = state.control(f"trace_matrix_{text.lang}", value)

    def nearest(option: Sequence[object]) -> Place | None:
        stage, head = str(option[0]), int(str(option[1]))
        return _clipped(bench, stage, head, place or Place(stage, bench.token, 0)) if stage else None

    st.selectbox(
        text("matrix" if place else "invitation"), options, options.index(value), key=key,
        label_visibility="collapsed" if place else "visible", width=220 if place else 480,
        format_func=lambda option: matrix_name(option, text), on_change=_looks(key, nearest, options),
    )  # fmt: skip


def matrix_name(option: Matrix, text: Text) -> str:
    """What a matrix is called, with its head."""
    stage, head = option
    name = text(f"name_{stage}") if stage else text("no_cell")
    return name if head < 0 else text("in_head", head=head + 1, rest=name)


def _clipped(bench: Workbench, stage: str, head: int, near: Place) -> Place:
    """The cell of another matrix that stands nearest to this one's place."""
    rows, columns = places.shape(bench, stage, head) or (1, 1)
    return Place(stage, min(near.row, rows - 1), min(near.column, columns - 1), head)


def _index(axis: str, bench: Workbench, place: Place, text: Text, names: Sequence[str]) -> None:
    """Which row or column of it."""
    options = _names_along(axis, bench, place, text, names)
    value = getattr(place, axis)
    # Its own key for each set of names: where only the names change, Streamlit 1.67 goes on showing the old one.
    key = state.control(f"trace_{axis}_{_kind(axis, place)}_{text.lang}", value)
    st.selectbox(
        text(axis), range(len(options)), value, key=key, label_visibility="collapsed", width=150,
        format_func=options.__getitem__,
        on_change=_looks(key, lambda i: place._replace(**{axis: int(i)}), range(len(options))),
    )  # fmt: skip


def _names_along(axis: str, bench: Workbench, place: Place, text: Text, names: Sequence[str]) -> list[str]:
    """Tokens, or numbers of rows and columns."""
    size = (places.shape(bench, place.stage, place.head) or (0, 0))[axis == "column"]
    kind = _kind(axis, place)
    if kind == "token":
        return list(names)
    return [text(kind, key=names[i]) if kind == "to_key" else text(kind, number=i + 1) for i in range(size)]


def _kind(axis: str, place: Place) -> str:
    """What rows or columns of a matrix are called."""
    if axis == "row":
        return "nth_row" if place.stage[:2] == "W_" else "token"
    return "to_key" if place.stage in places.STAGES[:-1] else "nth_column"


def _buttons(text: Text) -> None:
    st.button(text("back"), icon=":material/arrow_back:", key="trace_back", type="tertiary",
              disabled=not state.can_look_back(), on_click=state.callback(state.look_back))
    st.button(text("close"), icon=":material/close:", key="trace_close", type="tertiary",
              on_click=state.callback(lambda: state.look(None)))
    components.follow(key="trace_follow", data={"looks": state.lab()["looks"]}, width="content")


def _looks(key: str, to: Callable[..., Place | None], among: Sequence[object]) -> Callable[[], None]:
    """A widget callback that chooses the cell that the widget's value stands for.

    A value not `among` the options changes nothing: where the options have changed, a select box answers with the label
    it shows, which is none of them.
    """

    def choose() -> None:
        value = st.session_state.get(key)
        if value is not None and value in among:
            state.look(to(value))

    return state.callback(choose)
