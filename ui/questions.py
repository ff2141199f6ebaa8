"""The 26 questions that learners ask again and again: where each arises, and the numbers that answer it.

The words are in ui/text/questions.*.toml. A question's button opens a page in a state in which its answer can be seen;
every number that an answer gives is computed from that state (`ui.questions_states`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import streamlit as st

from ui import components, scratch_evidence, shell, state
from ui import questions_divisors as divisors
from ui import questions_states as states
from ui.doors import door
from ui.questions_states import Facts
from ui.text import Text
from ui.workbench import Workbench


@dataclass(frozen=True)
class Question:
    """Where a question is met, the numbers that answer it, and where they open."""

    page: str  # the page it is met on
    bench: Callable[[], Workbench]
    facts: Callable[[Workbench], Facts] = lambda bench: {}
    opens: str = ""  # the page that shows the answer, where that is another
    shows: Mapping[str, Any] = field(default_factory=dict)  # what that page shows; see ui.views
    at: str = ""  # the key of the element there that shows it; the top of the page unless given

    @property
    def door(self) -> str:
        return self.opens or self.page


def _lab(name: str, **more: Any) -> dict[str, Any]:
    """An experiment of the masks page, its answer shown."""
    views = {f"masks.{view}": value for view, value in more.items()}
    return {"masks.lab": name, f"masks.guess_{name}": "skip"} | views


def _case(variant: str) -> dict[str, Any]:
    """A broken function of the page that runs the source, its mistake shown."""
    return {"scratch.seed": 0, "scratch.case": scratch_evidence.order(0).index(variant), "scratch.shown": (variant,)}


def _node(name: str, asked: str) -> dict[str, Any]:
    """An open node of the data flow, and what is asked below it."""
    return {"flow.node": name, "flow.ask": asked, "flow.cross": False, "flow.positions": False}


QUESTIONS: dict[int, Question] = {
    1: Question("lookup", states.article, states.sharpened, shows={"lookup.kind": "graded", "lookup.sharp": 1}),
    2: Question("flow", states.tied, states.symmetric, shows=_node("scores", "tied"), at="flow_ask"),
    3: Question("flow", states.thin, states.merged, shows=_node("scores", "merged"), at="flow_ask"),
    4: Question("variance", states.article, divisors.slower_and_faster,
                shows={"variance.part": "divisors", "variance.divisor": "log",
                       "variance.guess_alpha": "skip"}, at="divisors"),
    5: Question("variance", states.article, states.tiny_samples, at="spread_sizes",
                shows={"variance.part": "spread", "variance.guess_doubled": "skip", "variance.sizes": True}),
    6: Question("variance", states.article, states.correlated, at="variance_broken",
                shows={"variance.part": "assumptions", "variance.broken": "correlated", "variance.rho": 90,
                       "variance.broken_at": 64}),
    7: Question("variance", states.article, divisors.too_much,
                shows={"variance.part": "divisors", "variance.divisor": "root_model",
                       "variance.guess_alpha": "skip"}, at="divisors"),
    8: Question("scratch", states.causal, states.columns_softmaxed, shows=_case("wrong_axis"), at="scratch_case"),
    9: Question("edit", states.causal, states.column_sums),
    10: Question("edit", states.random, states.negative),
    11: Question("scratch", states.causal, shows=_case("transposed"), at="scratch_case"),
    12: Question("masks", states.one_two_five, states.after_softmax, shows=_lab("after"), at="masks_lab"),
    13: Question("masks", states.one_two_five, states.fills, shows=_lab("fill", fill="tiny"), at="masks_lab"),
    14: Question("masks", states.causal, shows=_lab("polarity"), at="masks_lab"),
    15: Question("masks", states.nothing_left, states.even, shows=_lab("empty"), at="masks_lab"),
    16: Question("masks", states.padded, states.leak_to_padding, shows=_lab("padding"), at="masks_lab"),
    17: Question("masks", states.nothing_left, states.even, shows=_lab("fill", fill="1e9"), at="masks_lab"),
    18: Question("masks", states.causal, states.appended, shows=_lab("append", append=0), at="masks_lab"),
    19: Question("heads", states.twins, at="heads_twins_undo"),
    20: Question("heads", states.two_heads, states.of_a_head, at="heads_forget"),
    21: Question("heads", states.four_heads, states.parameters),
    22: Question("heads", states.silenced, states.of_a_head, at="heads_contributions"),
    23: Question("flow", states.other_shapes, states.shapes, shows=_node("output", "sizes")),
    24: Question("order", states.article, states.reversed_,
                 shows={"order.tokens": (3, 2, 1, 0), "order.encoding": "none", "order.mask": False}),
    25: Question("edit", states.worthless, states.largest_share),
    26: Question("edit", states.stuck, states.huddled),
}  # fmt: skip


def on(page: str) -> tuple[int, ...]:
    """The numbers of the questions that are met on a page.

    >>> on("heads"), on("production")
    ((19, 20, 21, 22), ())
    """
    return tuple(number for number, question in QUESTIONS.items() if question.page == page)


def met(text: Text, page: str, numbers: Sequence[int]) -> None:
    """The questions that arise on this page, folded; what is folded is not even sent.

    Whoever came by a door is led to the place it is about.
    """
    here = state.lab()
    if here["doors"] and here["door_at"]:
        components.top(key="top", data={"doors": here["doors"], "at": here["door_at"]})
    if numbers:
        fold(numbers, Text("questions", text.lang)("often", count=len(numbers)), f"met_{page}", text)


def fold(numbers: Iterable[int], label: str, key: str, text: Text) -> None:
    """Questions in a fold with this label."""
    with st.expander(label, key=key, on_change="rerun", icon=":material/help:") as folded:
        if folded.open:
            for number in numbers:
                entry(number, key, text)


def entry(number: int, key: str, text: Text) -> None:
    """A question, its answer, and the button that opens the state to see it in."""
    text, question = Text("questions", text.lang), QUESTIONS[number]
    said = {name: text.list(fact) if isinstance(fact, list) else fact for name, fact in facts(number).items()}
    st.markdown("\n\n".join([
        text("asked", number=number, ask=text(f"ask_{number}")), text(f"answer_{number}", **said),
        f":small[{text('source', source=text(f'source_{number}'))}]",
    ]))  # fmt: skip
    door(text(f"open_{number}"), question.door, f"{key}_{number}", question.bench(), question.shows,
         at=question.at, icon=shell.ICONS[question.door])  # fmt: skip


@lru_cache(maxsize=32)
def facts(number: int) -> Facts:
    """The numbers that an answer gives, as it prints them."""
    return QUESTIONS[number].facts(QUESTIONS[number].bench())
