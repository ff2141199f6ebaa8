"""The way from the loss back to W_Q, a step after another, on the reader's own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from attention.saturation import SCALES
from ui import charts, controls, display, formulas, shell, state, trace, variance_gradient_chain, views, widgets
from ui import variance_gradient_formulas as put_in
from ui.charts import CHOSEN, OPERAND, Heat
from ui.names import called, numbered
from ui.places import Place
from ui.tables import table
from ui.text import Text, in_both
from ui.variance_charts import NAMES
from ui.variance_gradient_chain import STEPS, Chain
from ui.workbench import Workbench

#: what a step's chosen number is made of: the step before it
BEFORE = dict(zip(STEPS[1:], STEPS, strict=False))


def draw(bench: Workbench, text: Text) -> None:
    names = called(bench, text)
    chain = variance_gradient_chain.of(bench)
    st.markdown(text("heading_chain"))
    with widgets.line():
        widgets.look("variance.target", range(len(names)), chain.j, text, show=lambda j: names[j], key="chain_target")
        controls.switches(text, "scale")
    st.markdown(text("loss", token=names[chain.i], target=names[chain.j], loss=size(chain.loss)))
    _picture(chain, text)
    st.markdown(_where(chain, names, text))
    _step(chain, names, text)
    st.markdown(norms_table(chain, text))
    _changes(chain, text)


def size(x: float) -> str:
    """A gradient: two decimals, or as many as a small one needs.

    >>> size(0.123), size(4.2e-9), size(0.0), size(-0.0012)
    ('0.12', '4.2e−9', '0', '−0.0012')
    """
    if x and abs(x) < 1e-4:
        return display.signed(f"{x:.1e}".replace("e-0", "e-"))
    return display.enough(x) or display.short(x)


def _picture(chain: Chain, text: Text) -> None:
    """The steps as heatmaps of one colour scale: what gets lost grows pale."""
    name, row, column = chosen(chain)
    limit = charts.largest(*(chain.gradient(each) for each in chain.names))
    marks = _marks(chain, name, row, column)
    rows = [numbered(chain.bench.tokens, text)[chain.i]]
    here = {each: _heat(chain, each, limit, marks, text) for each in chain.names}
    # Q may have many columns, W_Q many rows: neither is to spread the others.
    _linked(rows, [here[each] for each in STEPS[:4]], "chain", text)
    _linked(rows, [here["Q"]], "chain_Q", text)
    if last := here.get("W_Q"):
        _linked([str(r + 1) for r in range(len(last.values))], [last], "chain_W_Q", text)


def _linked(rows: Sequence[str], heats: Sequence[Heat], key: str, text: Text) -> None:
    frame, spec = charts.linked(rows, heats, shell.layout(), state.lab()["looks"])
    # No list of rows to light up: which number is meant is chosen from the lists below.
    params = [{k: v for k, v in param.items() if k != "bind"} for param in spec["params"]]
    own = {"description": in_both("chain_alt", "variance_gradient"), "params": params}
    st.vega_lite_chart(frame, spec | own, width="content", key=key, selection_mode=["pick"],
                       on_select=state.callback(lambda: _choose(key)))  # fmt: skip


def _choose(key: str) -> None:
    """A click on a number of the chain: that is the one to explain."""
    picked = (st.session_state.get(key) or {}).get("selection", {}).get("pick") or [{}]
    name, *where = (picked[0].get("at") or " ").split(" ")
    if name in STEPS:
        row, column, _ = map(int, where)
        _show(name, row if name == "W_Q" else None, column)


def _show(name: str, row: int | None, column: int) -> None:
    state.show("variance.chain", name)
    state.show("variance.chain_column", column)
    if row is not None:
        state.show("variance.chain_row", row)
    state.lab()["looks"] += 1


def chosen(chain: Chain) -> tuple[str, int, int]:
    """Which number explains itself: its step, row (of W_Q, else 0) and column, the nearest there is."""
    asked = views.get(chain.bench, "variance.chain")
    name = asked if asked in chain.names else chain.names[-1]
    rows, columns = np.atleast_2d(chain.gradient(name)).shape
    row, column = (views.get(chain.bench, f"variance.chain_{axis}") for axis in ("row", "column"))
    return name, min(row, rows - 1), min(column, columns - 1)


def _marks(chain: Chain, name: str, row: int, column: int) -> dict[Place, int]:
    """The chosen number, and those of the step before that go into it."""
    marks = {}
    if name in BEFORE:
        before = BEFORE[name]
        among = [column] if name in ("scores", "W_Q") else range(len(chain.gradient(before)))
        marks = {Place(before, 0, k): OPERAND for k in among}
    return marks | {Place(name, row, column): CHOSEN}


def _heat(chain: Chain, name: str, limit: float, marks: dict[Place, int], text: Text) -> Heat:
    values = np.atleast_2d(chain.gradient(name))
    by_key = name in put_in.BY_KEY
    columns = numbered(chain.bench.tokens, text) if by_key else [str(c + 1) for c in range(values.shape[1])]
    hidden = ~chain.open[None, :] if by_key else None
    tip = text.template("tip")
    return Heat(
        values=values, title=text(f"title_{name}"), columns=columns, hidden=hidden, limit=limit, stage=name,
        hint=text("norm_is", norm=size(chain.norm(name))), marks=marks,
        show=lambda x, decimals: display.short(x) if decimals == 2 else size(x),
        tip=lambda r, c, number: tip(step=text(f"title_{name}"), column=columns[c], number=number),
    )  # fmt: skip


def _where(chain: Chain, names: Sequence[str], text: Text) -> str:
    """Where most of the gradient stays; the numbers decide what is said."""
    last, numbers = chain.names[-1], {"passed": size(chain.passed), "divided": size(1 / chain.steps.divisor)}
    whole = text("see_chain", first=size(chain.norm("output")), last=size(chain.norm(last)), end=last)
    weight = display.short(float(chain.p.max()))
    return text.sentences([whole, text(f"lost_{chain.kind}", token=names[chain.i], weight=weight, **numbers)])


def norms_table(own: Chain, text: Text) -> str:
    """How long the gradient is after each step, for each divisor, and by what two of the steps multiply it."""
    bench = own.bench
    chains = {scale: own if scale == bench.scale else variance_gradient_chain.of(bench, scale) for scale in SCALES}
    heads = [f"**{NAMES[scale]}**{text('yours')}" if scale == bench.scale else NAMES[scale] for scale in SCALES]
    rows = []
    for name in own.names:
        cells = [size(chain.norm(name)) for chain in chains.values()]
        if name == "scaled":
            cells = [f"{cell} (× {size(chain.passed)})" for cell, chain in zip(cells, chains.values(), strict=True)]
        if name == "scores":
            cells = [f"{cell} (÷ {display.short(chain.steps.divisor)})" for cell, chain in
                     zip(cells, chains.values(), strict=True)]  # fmt: skip
        rows.append([text(f"title_{name}"), *cells])
    return table([text("table_norm"), *heads], rows)


def _changes(chain: Chain, text: Text) -> None:
    """What was only tried with the slider, done to the numbers; and the way on to W_Q, where Q was typed apart."""
    sharper, names = variance_gradient_chain.sharpened(chain), variance_gradient_chain.larger(chain)
    with widgets.line():
        st.button(
            text("sharpen", matrix=text.list(names)), key="chain_sharpen", icon=":material/zoom_in:",
            disabled=sharper is None, on_click=state.callback(lambda: sharper and state.commit(sharper)),
        )  # fmt: skip
        if "W_Q" not in chain.names:
            st.button(
                text("to_input"), key="chain_input", icon=":material/arrow_forward:", help=text("to_input_note"),
                on_click=state.callback(lambda: state.commit(replace(state.bench(), route="input"))),
            )  # fmt: skip
    st.caption(text("sharpen_note"))


def _step(chain: Chain, names: Sequence[str], text: Text) -> None:
    """One number of the chain, with the numbers it is made of; and the same number found without any derivative."""
    name, row, column = chosen(chain)
    with st.container(border=True, key="chain_step"):
        with widgets.wrapping():
            st.segmented_control(
                text("steps"), chain.names, default=name, required=True, key=state.control("chain_name", name),
                format_func=lambda each: text(f"title_{each}"), label_visibility="collapsed",
                on_change=state.on_show("chain_name", "variance.chain", chain.names),
            )  # fmt: skip
        with widgets.line():
            if name == "W_Q":
                _index("row", len(chain.gradient(name)), row, [], text)
            by_key = name in put_in.BY_KEY
            _index("column", np.atleast_2d(chain.gradient(name)).shape[1], column, names if by_key else [], text)
        page = formulas.Page(trace.ACROSS[shell.layout()])
        st.markdown("\n\n".join([
            text(f"step_{name}", target=names[chain.j], divisor=display.short(chain.steps.divisor)),
            put_in.arithmetic_of(chain, name, row, column, page),
        ]))  # fmt: skip
        st.markdown(_checked(chain, text))


def _index(axis: str, count: int, value: int, names: Sequence[str], text: Text) -> None:
    """Which number of the step, from a list: by keyboard as well."""
    words = Text("trace", text.lang)
    # Its own key for each set of names: where only the names change, Streamlit 1.67 goes on showing the old one.
    key = state.control(f"chain_{axis}_{'key' if names else 'number'}_{text.lang}", value)
    st.selectbox(
        words(axis), range(count), value, key=key, label_visibility="collapsed", width=160,
        format_func=lambda k: names[k] if names else words(f"nth_{axis}", number=k + 1),
        on_change=state.on_show(key, f"variance.chain_{axis}", range(count)),
    )  # fmt: skip


def _checked(chain: Chain, text: Text) -> str:
    """The evidence: a number of W_Q (or Q) moved up and down, and what the loss did.

    The chosen number if it is one of these, else the one that matters most.
    """
    name, row, column = chosen(chain)
    if name != chain.names[-1]:
        end = np.abs(np.atleast_2d(chain.gradient(chain.names[-1])))
        row, column = map(int, np.unravel_index(end.argmax(), end.shape))
    it = variance_gradient_chain.check(chain, row, column)
    number = {"nudge": f"{it.nudge:.0e}".replace("e-0", "e-") if it.nudge < 1e-4 else f"{it.nudge:.4f}"}
    # Enough digits for a reader to divide the difference of the losses by twice the nudge.
    digits = {"up": 10, "down": 10, "slope": 5, "predicted": 5}
    long = {name: display.signed(f"{getattr(it, name):.{most}g}".replace("e-0", "e-")) for name, most in digits.items()}
    place = f"{it.name}[{it.row + 1}, {it.column + 1}]"
    return text("checked" if it.agrees else "checked_off", place=place, **number, **long)
