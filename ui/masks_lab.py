"""What experiments on masks share: one at a time, a guess before each answer, and heatmaps of what was computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from ui import charts, display, masks, predict, state, widgets
from ui.charts import Heat
from ui.places import Place
from ui.text import Text, in_both
from ui.workbench import Workbench

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LABS = ("after", "fill", "polarity", "empty", "padding", "append")
#: what can be guessed before the answer is shown
GUESSES = {
    "after": ("one", "less", "more"), "fill": ("none", "less", "more"), "polarity": ("none", "part", "all"),
    "empty": ("zero", "uniform", "nan"), "padding": ("yes", "no"), "append": ("none", "last", "all"),
}  # fmt: skip
NOISE = 1e-12  #: what last bits may make of 0


def choose(text: Text) -> str:
    """Which experiment is looked at; travels in the link."""
    return widgets.part("masks.lab", LABS, text("labs"), lambda name: text(f"lab_{name}"), key="masks_lab")


def committed(name: str, text: Text, truth: str) -> bool:
    """Ask for a guess; once there is one, say whether it was right. The answer is what was computed, `truth`."""
    words = predict.answers(GUESSES[name], name, text)
    guess = predict.choice(f"masks.guess_{name}", words, text(f"ask_{name}"), key=f"guess_{name}")
    if guess not in (None, predict.SKIP):
        st.markdown(text("guessed_right" if guess == truth else "guessed_wrong", answer=words[truth]))
    return guess is not None


def forbids(bench: Workbench, text: Text) -> bool:
    """Whether the mask forbids anything; if not, say how to change that, a click away."""
    if not masks.allowed(bench).all():
        return True
    st.info(text("forbids_nothing"))
    if len(bench.tokens) > 1:
        st.button(text("switch_causal"), key="switch_causal", icon=":material/signal_cellular_alt:",
                  on_click=state.callback(lambda: state.commit(masks.with_part(state.bench(), "mask_causal", True))))
    return False


def draw(name: str, tokens: Sequence[str], heats: Sequence[Heat], layout: str) -> None:
    """Heatmaps that share their rows."""
    frame, spec = charts.linked(tokens, heats, layout)
    st.vega_lite_chart(frame, spec | {"description": in_both(f"alt_{name}", "masks")}, width="content",
                       key=f"masks_{name}")


def weights(
    title: str, values: Array, tokens: Sequence[str], text: Text, *, hidden: Mask | None = None,
    framed: Mask | None = None, sums: Sequence[str] | None = None, rows: Sequence[str] | None = None,
) -> Heat:  # fmt: skip
    """Weights: hidden ones struck; framed ones are those a mask forbids, whatever became of them."""
    return Heat(
        values=values, title=title, hint=text("hint_pairs"), columns=tokens, weights=True, hidden=hidden,
        tip=_tip("tip_weights", rows or tokens, tokens, text), sums=sums or charts.row_sums(values), **_framed(framed),
    )  # fmt: skip


def scores(
    title: str, values: Array, tokens: Sequence[str], text: Text, limit: float, framed: Mask,
    show: Callable[[float, int], str] = display.short,
) -> Heat:  # fmt: skip
    return Heat(values=values, title=title, hint=text("hint_pairs"), columns=tokens, limit=limit, show=show,
                tip=_tip("tip_scaled", tokens, tokens, text), **_framed(framed))


def outputs(
    title: str, values: Array, tokens: Sequence[str], text: Text, limit: float, tip: str = "tip_output",
    show: Callable[[float, int], str] = display.short,
) -> Heat:  # fmt: skip
    columns = [str(j + 1) for j in range(values.shape[1])]
    return Heat(values=values, title=title, hint=text("hint_output"), columns=columns, limit=limit, show=show,
                tip=_tip(tip, tokens, columns, text))


def _framed(mask: Mask | None) -> dict[str, object]:
    if mask is None:
        return {}
    cells = zip(*mask.nonzero(), strict=True)
    return {"stage": "weights", "marks": {Place("weights", int(i), int(j)): charts.OPERAND for i, j in cells}}


def _tip(id: str, rows: Sequence[str], columns: Sequence[str], text: Text) -> Callable[[int, int, str], str]:
    template = text.template(id)
    return lambda i, j, number: template(row=rows[i], column=columns[j], number=number)


def moved(before: Array, after: Array) -> Mask:
    """Which rows differ by more than rounding, which grows with the numbers."""
    return np.abs(after - before).max(axis=-1) > NOISE * max(charts.largest(before, after), 1.0)


def listed(which: Mask, said: Sequence[str], text: Text) -> str:
    """Tokens in a sentence."""
    return text.list([text("quoted", token=name) for name, chosen in zip(said, which, strict=True) if chosen])
