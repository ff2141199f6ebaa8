"""The four stages of attention as one linked picture, and as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import attention
from ui import charts, display, ripple, state
from ui import live as what_if
from ui.charts import Heat
from ui.names import escaped
from ui.places import Place
from ui.ripple import Since
from ui.tables import table
from ui.text import Text, in_both
from ui.workbench import Workbench

NAMES = ("scores", "scaled", "weights", "output")
FIGURE = "stages"  #: what the picture of them is called where nothing else is said
LEAST_END = 0.1  #: the least difference at the dark end of the ramp: the last digits need not shout


def heats(
    steps: attention.AttentionSteps, tokens: Sequence[str], text: Text, marks: Mapping[Place, int] | None = None,
    since: Since | None = None,
) -> list[Heat]:  # fmt: skip
    """① scores ② scaled (and masked) ③ weights ④ output, with the words around them; or how far each has moved."""
    hidden = None if steps.mask is None else ~np.broadcast_to(steps.mask, steps.scores.shape)
    columns = [str(j + 1) for j in range(steps.output.shape[-1])]
    largest = charts.largest(steps.scores)
    shown = dict(zip(NAMES, (steps.scores, steps.masked, steps.weights, steps.output), strict=True))
    now = [
        Heat(
            values=values, title=text(f"stage_{name}", rows=values.shape[0], columns=values.shape[1]),
            hint=text("hint_output" if name == "output" else "hint_pairs"),
            columns=columns if name == "output" else tokens,
            tip=_tip(name, tokens, columns if name == "output" else tokens, text),
            hidden=hidden if name in {"scaled", "weights"} else None,
            weights=name == "weights", limit=charts.largest(values) if name == "output" else largest,
            stage="masked" if name == "scaled" and steps.mask is not None else name, marks=marks or {},
            sums=charts.row_sums(values) if name == "weights" else None,
        )
        for name, values in shown.items()
    ]  # fmt: skip
    return _moved(now, NAMES, since, text)


def _moved(now: list[Heat], names: Sequence[str], since: Since | None, text: Text) -> list[Heat]:
    """The heatmaps as they are, or, if they are compared with something, now − before in every cell."""
    if since is None:
        return now
    ends = {name: max(charts.largest(since.delta[name]), LEAST_END) for name in names}
    if "scores" in ends:
        ends["scores"] = ends["scaled"] = max(ends["scores"], ends["scaled"])
    words = Text("ripple", text.lang)
    return [_difference(heat, name, since, ends[name], words) for heat, name in zip(now, names, strict=True)]


def _difference(heat: Heat, name: str, since: Since, end: float, words: Text) -> Heat:
    old, new, delta = since.of(name)
    return replace(
        heat, values=delta, title=f"Δ {heat.title}", hint=words(since.hint), weights=False, limit=end,
        tip=lambda i, j, _: heat.tip(i, j, ripple.step(old[i, j], new[i, j], delta[i, j], words)),
        show=ripple.change, sums=heat.sums and [f"Σ Δ = {ripple.total(row)}" for row in delta],
        old=since.dragged(name),
    )  # fmt: skip


def draw(
    steps: attention.AttentionSteps, tokens: Sequence[str], text: Text, layout: str, *, key: str = FIGURE,
    since: Since | None = None,
    only: Sequence[str] = NAMES, marks: Mapping[Place, int] | None = None, live: bool = False,
) -> None:  # fmt: skip
    """The stages side by side (stacked on a phone); a row lights up through all of them.

    since: what to compare with; given, every cell shows by how much it has moved.
    marks: the chosen cell and what goes into it; given, a click on a cell chooses it.
    live: all four are drawn anew in the browser while a number is dragged (see `ui.live`).
    """
    drawn = heats(steps, tokens, text, marks, since)
    shown = [heat for name, heat in zip(NAMES, drawn, strict=True) if name in only]
    stamp = what_if.stamp(steps) if live and what_if.fits(*steps.output.shape) else 0
    _linked(tokens, shown, layout, key, _alt("stages_alt", since), choosable=marks is not None, stamp=stamp)


def _linked(
    tokens: Sequence[str], shown: Sequence[Heat], layout: str, key: str, says: str, *, choosable: bool, stamp: int = 0
) -> None:  # fmt: skip
    frame, spec = charts.linked(tokens, shown, layout, state.lab()["looks"], stamp)
    # In both languages and without numbers: a new spec would be drawn anew, and forget the row that was chosen.
    draw_choosable(frame, spec | {"description": says}, key, choosable=choosable)


def draw_choosable(frame: Any, spec: dict[str, Any], key: str, *, choosable: bool = True) -> None:
    """A chart of cells; a click or tap on one of them chooses it, if it has an address."""
    listening: dict[str, Any] = {"on_select": state.callback(lambda: _choose(key)), "selection_mode": ["pick"]}
    st.vega_lite_chart(frame, spec, width="content", key=key, **(listening if choosable else {}))


def _choose(key: str) -> None:
    picked = (st.session_state.get(key) or {}).get("selection", {}).get("pick") or [{}]
    stage, *where = (picked[0].get("at") or " ").split(" ")  # (a second click takes the choice of the row back)
    if stage:
        state.look(Place(stage, *map(int, where)), spot=key)


def draw_projections(
    bench: Workbench, text: Text, layout: str, marks: Mapping[Place, int], since: Since | None = None
) -> None:  # fmt: skip
    """Q, K and V as the input and its projections give them."""
    columns = {name: [str(j + 1) for j in range(bench.sizes["d_v" if name == "V" else "d_k"])] for name in "QKV"}
    now = [
        Heat(
            values=values, title=text(f"stage_{name}", rows=values.shape[0], columns=values.shape[1]),
            hint=text(f"hint_{name}"), columns=columns[name], limit=charts.largest(values),
            tip=_tip(name, bench.tokens, columns[name], text), stage=name, marks=marks,
        )
        for name, values in zip("QKV", bench.qkv(), strict=True)
    ]  # fmt: skip
    shown = _moved(now, tuple("QKV"), since, text)
    _linked(bench.tokens, shown, layout, "projections", _alt("projections_alt", since), choosable=True)


def _alt(id: str, since: Since | None) -> str:
    """What a screen reader says of a chart, of numbers or of differences."""
    return in_both(id, "common" if since is None else "ripple")


def explain(steps: attention.AttentionSteps, tokens: Sequence[str], text: Text) -> None:
    """One line of what to see under the stages, and what a fully masked row means."""
    names = [escaped(token) for token in tokens]
    unseeing(steps.weights, names, text)
    st.markdown(summary(steps, names, text))


def unseeing(weights: NDArray[np.float64], names: Sequence[str], text: Text) -> None:
    """What a row that is masked as a whole comes to, if there is one; names are Markdown."""
    if empty := [name for name, row in zip(names, weights, strict=True) if not row.any()]:
        st.info(text("empty_row", tokens=text.list(empty)))


def mixture(steps: attention.AttentionSteps, tokens: Sequence[str], i: int, text: Text) -> str:
    """A token's new representation as the article writes it: so much of this value, so much of that."""
    weights = zip(steps.weights[i], tokens, strict=True)
    terms = [f"**{display.short(float(w))}** · V({escaped(token)})" for w, token in weights if w]
    output = ", ".join(display.short(float(x)) for x in steps.output[i])
    return text("mixture", token=escaped(tokens[i]), sum=" + ".join(terms) or "0", output=output)


def tables(
    steps: attention.AttentionSteps, tokens: Sequence[str], text: Text, since: Since | None = None
) -> None:  # fmt: skip
    """The same numbers as tables: for screen readers, for copying, and for whoever prefers digits."""
    for heat in heats(steps, tokens, text, since=since):
        st.markdown(f"**{heat.title}**")
        st.markdown(markdown_table(heat, tokens))


def markdown_table(heat: Heat, tokens: Sequence[str]) -> str:
    """One matrix as a Markdown table, a query a row; the weights, and their differences, carry their sum."""
    head = ["", *map(escaped, heat.columns), *(["Σ"] if heat.sums else [])]
    lines = []
    for i, token in enumerate(tokens):
        cells = [heat.show(x, 4) for x in heat.values[i]]
        if heat.hidden is not None:
            cells = [f"~~{c}~~" if h else c for c, h in zip(cells, heat.hidden[i], strict=True)]
        total = [heat.show(round(float(heat.values[i].sum()), 9), 4)] if heat.sums else []
        lines.append([f"**{escaped(token)}**", *cells, *total])
    return table(head, lines)


def summary(steps: attention.AttentionSteps, tokens: Sequence[str], text: Text) -> str:
    """What the weights say, a clause a query: whom it attends to most."""
    clauses = [_clause(row, token, tokens, text) for row, token in zip(steps.weights, tokens, strict=True)]
    return text.sentences(clauses)


def _clause(row: NDArray[np.float64], token: str, tokens: Sequence[str], text: Text) -> str:
    if not row.any():
        return text("summary_nothing", token=token)
    weight = display.short(float(row.max()))
    best = [each for each, w in zip(tokens, row, strict=True) if np.isclose(w, row.max(), rtol=1e-9)]
    if len(best) > 1 and len(best) == np.count_nonzero(row):
        return text("summary_even", token=token, weight=weight)
    return text("summary_row", token=token, most=text.names(best), weight=weight)


def _tip(name: str, rows: Sequence[str], columns: Sequence[str], text: Text) -> Callable[[int, int, str], str]:
    template = text.template(f"tip_{name}")
    return lambda i, j, number: template(row=rows[i], column=columns[j], number=number)
