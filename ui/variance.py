"""The scale lab: the article's chain of claims about √d_k, and a page part to test each link of it."""

from __future__ import annotations

from itertools import pairwise

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import (
    questions,
    state,
    variance_assumptions,
    variance_divisors,
    variance_gradient,
    variance_softmax,
    variance_spread,
    variance_training,
    widgets,
)
from ui.text import Text
from ui.variance_saw import tested

#: the links of the chain, in its order: scores spread, softmax saturates, gradients vanish, training stalls; √d_k
#: repairs it; and what all of that assumes
PARTS = {
    "spread": variance_spread.draw, "softmax": variance_softmax.draw, "gradient": variance_gradient.draw,
    "training": variance_training.draw, "divisors": variance_divisors.draw, "assumptions": variance_assumptions.draw,
}  # fmt: skip
*_, LAST = PARTS

_SHOWN = "variance_shown"  #: the part that the browser shows


def choose(text: Text) -> str:
    """Which link is tested; travels in the link."""
    names = list(PARTS)
    return widgets.part("variance.part", names, text("parts"), lambda name: text(f"part_{name}"), key="variance_part")


def room(part: str) -> DeltaGenerator:
    """Where a part is drawn. Another one is cleared away first: it would stay, faded, until this one has measured."""
    before, st.session_state[_SHOWN] = st.session_state.get(_SHOWN), part
    return st.container() if before in (None, part) else st.empty().container()


def draw(part: str, text: Text) -> None:
    """A part, in sentences of its own."""
    PARTS[part](Text(f"variance_{part}", text.lang))


def asked(part: str) -> tuple[int, ...]:
    """The numbers of the questions that are asked about a part; none before the guess that they would answer."""
    if not tested(part):
        return ()
    return tuple(n for n in questions.on("variance") if questions.QUESTIONS[n].shows["variance.part"] == part)


def is_last(part: str) -> bool:
    return part == LAST


def onward(part: str, text: Text) -> None:
    """The way to the next part."""
    following = dict(pairwise(PARTS)).get(part)
    if following:
        st.button(text("onward", part=text(f"part_{following}")), icon=":material/link:", key="variance_onward",
                  type="primary", on_click=state.callback(lambda: _go_on(following)))


def _go_on(part: str) -> None:
    state.show("variance.part", part)
    state.bring()
