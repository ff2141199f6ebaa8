"""The way from the loss back to W_Q, a step after another, on the reader's own numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from attention.saturation import SCALES
from ui import (
    controls,
    display,
    formulas,
    shell,
    state,
    trace,
    variance_dragged,
    variance_gradient_backward,
    views,
    widgets,
)
from ui import variance_gradient_formulas as put_in
from ui import variance_gradient_picture as picture
from ui.charts import CHOSEN, OPERAND
from ui.names import called, numbered
from ui.places import Place
from ui.tables import table
from ui.text import Text
from ui.variance_charts import NAMES
from ui.variance_gradient_backward import BY_KEY, NUDGE, SHARPER, STEPS, Way
from ui.variance_gradient_charts import UNSTRETCHED
from ui.variance_gradient_picture import size
from ui.workbench import Workbench

#: what a step's chosen number is made of: the step before it
BEFORE = dict(zip(STEPS[1:], STEPS, strict=False))


def draw(bench: Workbench, text: Text) -> None:
    names = called(bench, text)
    way = variance_gradient_backward.of(bench)
    st.markdown(text("heading_way"))
    with widgets.line():
        widgets.look("variance.target", range(len(names)), way.j, text, show=lambda j: names[j], key="way_target")
        controls.switches(text, "scale")
    st.markdown(text("loss", token=names[way.i], target=names[way.j], loss=size(way.loss)))
    _picture(way, text)
    sharper = variance_gradient_backward.sharper(way)
    st.markdown(_where(way, names, text) + "\n\n" + _verdict(way, sharper, text))
    _changes(way, sharper, text)
    _step(way, names, text)
    st.markdown(norms_table(way, text))


def _picture(way: Way, text: Text) -> None:
    """The steps as heatmaps of one colour scale: what gets lost grows pale."""
    tokens, layout = numbered(way.bench.tokens, text), shell.layout()
    data = picture.way_data(way, tokens, _marks(way, *chosen(way)), layout, text, state.lab()["looks"])
    st.vega_lite_chart(data, picture.way_spec(picture.shapes(way), layout), width="content", key="way",
                       selection_mode=["pick"], on_select=state.callback(_choose))  # fmt: skip


def _choose() -> None:
    """A click on a number of the way: that is the one to explain."""
    picked = (st.session_state.get("way") or {}).get("selection", {}).get("pick") or [{}]
    name, *where = (picked[0].get("at") or " ").split(" ")
    if name in STEPS:
        row, column = map(int, where)
        _show(name, row if name == "W_Q" else None, column)


def _show(name: str, row: int | None, column: int) -> None:
    state.show("variance.way", name)
    state.show("variance.way_column", column)
    if row is not None:
        state.show("variance.way_row", row)
    state.lab()["looks"] += 1


def chosen(way: Way) -> tuple[str, int, int]:
    """Which number explains itself: its step, row (of W_Q, else 0) and column, the nearest there is."""
    asked = views.get(way.bench, "variance.way")
    name = asked if asked in way.names else way.names[-1]
    rows, columns = np.atleast_2d(way.gradient(name)).shape
    row, column = (views.get(way.bench, f"variance.way_{axis}") for axis in ("row", "column"))
    return name, min(row, rows - 1), min(column, columns - 1)


def _marks(way: Way, name: str, row: int, column: int) -> dict[Place, int]:
    """The chosen number, and those of the step before that go into it."""
    marks = {}
    if name in BEFORE:
        before = BEFORE[name]
        among = [column] if name in ("scores", "W_Q") else range(len(way.gradient(before)))
        marks = {Place(before, 0, k): OPERAND for k in among}
    return marks | {Place(name, row, column): CHOSEN}


def _where(way: Way, names: Sequence[str], text: Text) -> str:
    """Where most of the gradient stays; the numbers decide what is said."""
    last, numbers = way.names[-1], {"passed": size(way.passed), "divided": size(1 / way.steps.divisor)}
    whole = text("see_way", first=size(way.norm("output")), last=size(way.norm(last)), end=last)
    weight = display.short(float(way.p.max()))
    return text.sentences([whole, text(f"lost_{way.kind}", token=names[way.i], weight=weight, **numbers)])


def _verdict(way: Way, sharper: Mapping[int, Way], text: Text) -> str:
    """Whether gradients vanish on this row, and if not, whether they do with larger scores."""
    if way.kind not in ("alive", "divided", "lost"):
        return ""
    end, numbers = way.names[-1], {"d_k": way.bench.sizes["d_k"], "end": way.names[-1]}
    said = [text("verdict_lost" if way.kind == "lost" else "verdict_alive", **numbers)]
    if way.kind != "lost":
        said += [text(f"larger_{_compared(way, larger)}", times=times, passed=size(larger.passed),
                      last=size(larger.norm(end)), **numbers) for times, larger in sharper.items()]  # fmt: skip
    return text.sentences(said)


def _compared(way: Way, larger: Way) -> str:
    """Whether less gets through the softmax and to the end than before, as far as what is said of them shows it."""
    pairs = (way.passed, larger.passed), (way.norm(way.names[-1]), larger.norm(way.names[-1]))
    fell = {after < before and size(after) != size(before) for before, after in pairs}
    return "apart" if len(fell) > 1 else "less" if True in fell else "same"


def _times(sharper: Mapping[int, Way]) -> int:
    """By how much to enlarge the scores: so that the row dies, if that is enough; else as much as may be."""
    dead = (times for times, way in sharper.items() if way.kind == "lost")
    return next(dead, max(sharper, default=SHARPER[0]))


def norms_table(own: Way, text: Text) -> str:
    """How long the gradient is after each step, for each divisor; between them, by what two of the steps multiply it.

    The reader's own divisor is in bold; where there is room, it says why.
    """
    bench = own.bench
    ways = {scale: own if scale == bench.scale else variance_gradient_backward.of(bench, scale) for scale in SCALES}
    narrow = shell.layout() == "phone"
    names = {scale: NAMES[scale].removeprefix("q·k " if narrow else "") for scale in SCALES}
    mine = "" if narrow else text("yours")
    heads = [f"**{name}**{mine}" if scale == bench.scale else name for scale, name in names.items()]
    rows = []
    for name in own.names:
        if name == "scaled":
            rows.append([text("factor_J"), *(f"× {size(way.passed)}" for way in ways.values())])
        if name == "scores":
            rows.append([text("factor_divisor"), *(f"÷ {display.short(way.steps.divisor)}" for way in ways.values())])
        rows.append([text(f"title_{name}"), *(size(way.norm(name)) for way in ways.values())])
    lines = [[cell.replace(" ", "\u00a0") for cell in row] for row in ([text("table_norm"), *heads], *rows)]
    return table(lines[0], lines[1:])


def _changes(way: Way, sharper: Mapping[int, Way], text: Text) -> None:
    """What was only tried with the slider, done to the numbers; and the way on to W_Q, where Q was typed apart."""
    times, names = _times(sharper), variance_gradient_backward.larger(way)
    large = variance_gradient_backward.sharpened(way, times)

    def enlarge() -> None:
        if large:
            state.commit(large)
            variance_dragged.put("stretched", "variance.stretch", UNSTRETCHED)  # or they would look enlarged twice

    with widgets.line():
        st.button(
            text("sharpen", matrix=text.list(names), times=times), key="way_sharpen", icon=":material/zoom_in:",
            disabled=large is None, on_click=state.callback(enlarge),
        )  # fmt: skip
        if "W_Q" not in way.names:
            st.button(
                text("to_input"), key="way_input", icon=":material/arrow_forward:", help=text("to_input_note"),
                on_click=state.callback(lambda: state.commit(replace(state.bench(), route="input"))),
            )  # fmt: skip
    st.caption(text("sharpen_note"))


def _step(way: Way, names: Sequence[str], text: Text) -> None:
    """One number of the way, with the numbers it is made of; and the same number found without any derivative."""
    name, row, column = chosen(way)
    with st.container(border=True, key="way_step"):
        with widgets.wrapping():
            st.segmented_control(
                text("steps"), way.names, default=name, required=True, key=state.control("way_name", name),
                format_func=lambda each: text(f"title_{each}"), label_visibility="collapsed",
                on_change=state.on_show("way_name", "variance.way", way.names),
            )  # fmt: skip
        with widgets.line():
            if name == "W_Q":
                _index("row", len(way.gradient(name)), row, [], text)
            by_key = name in BY_KEY
            _index("column", np.atleast_2d(way.gradient(name)).shape[1], column, names if by_key else [], text)
        page = formulas.Page(trace.ACROSS[shell.layout()])
        st.markdown("\n\n".join([
            text(f"step_{name}", target=names[way.j], divisor=display.short(way.steps.divisor)),
            put_in.arithmetic_of(way, name, row, column, page),
            _checked(way, text),
        ]))  # fmt: skip


def _index(axis: str, count: int, value: int, names: Sequence[str], text: Text) -> None:
    """Which number of the step, from a list: by keyboard as well."""
    words = Text("trace", text.lang)
    # Its own key for each set of names: where only the names change, Streamlit 1.67 goes on showing the old one.
    key = state.control(f"way_{axis}_{'key' if names else 'number'}_{text.lang}", value)
    st.selectbox(
        words(axis), range(count), value, key=key, label_visibility="collapsed", width=160,
        format_func=lambda k: names[k] if names else words(f"nth_{axis}", number=k + 1),
        on_change=state.on_show(key, f"variance.way_{axis}", range(count)),
    )  # fmt: skip


def _checked(way: Way, text: Text) -> str:
    """The evidence: a number of W_Q (or Q) moved up and down, and what the loss did.

    The chosen number if it is one of these, else the one that matters most.
    """
    name, row, column = chosen(way)
    if name != way.names[-1]:
        end = np.abs(np.atleast_2d(way.gradient(way.names[-1])))
        row, column = map(int, np.unravel_index(end.argmax(), end.shape))
    it = variance_gradient_backward.check(way, row, column)
    number = {"nudge": size(it.nudge) if it.nudge < NUDGE else f"{it.nudge:.4f}", "grain": size(it.grain)}
    # Enough digits for a reader to divide the difference of the losses by twice the nudge.
    digits = {"up": 10, "down": 10, "slope": 5, "predicted": 5}
    long = {name: _long(getattr(it, name), most) for name, most in digits.items()}
    place = f"{it.name}[{it.row + 1}, {it.column + 1}]"
    return text(f"checked_{it.kind}", place=place, **number, **long)


def _long(x: float, digits: int) -> str:
    """A number with so many digits; a tiny or huge one as a power of ten."""
    return display.signed(f"{x:.{digits}g}") if not x or 1e-4 <= abs(x) < 10.0**digits else picture.power(x, digits)
