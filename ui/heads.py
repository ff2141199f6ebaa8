"""The controls of the heads page: how many heads, which are on, whose output, and the head a reader types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from ui import editor, heads_charts, state, widgets, workbench
from ui.text import Text
from ui.workbench import HEAD, MAX_HEADS, MAX_SEED, Workbench


def possible(d_model: int) -> list[int]:
    """The numbers of heads that d_model can be shared out to.

    >>> possible(12), possible(5)
    ([1, 2, 3, 4, 6], [1, 5])
    """
    return [h for h in range(1, MAX_HEADS + 1) if d_model % h == 0]


def choose(text: Text) -> None:
    """How many heads, from which seed, and how to make room for eight."""
    bench = state.bench()
    d_model = bench.sizes["d_model"]
    options = possible(d_model)
    words = {"d_model": d_model, "choices": text.list(list(map(str, options)))}
    with widgets.line():
        widgets.pick("n_heads", options, bench.n_heads, text, show=str, change=workbench.with_heads, **words)
        _seed(bench.head_seed, text)
        if MAX_HEADS not in options:
            wider = 8 if d_model < 8 else 16
            _button("widen", partial(workbench.resized, d_model=wider), text, icon=":material/open_in_full:",
                    d_model=d_model, wider=wider)  # fmt: skip
    if MAX_HEADS not in options:
        st.caption(text("divisors", **words))


def switch(text: Text) -> None:
    """Which heads are on: one by one, one alone, all, none."""
    bench = state.bench()
    every = list(range(bench.n_heads))
    on = [head for head in every if head not in bench.heads_off]
    with widgets.line():
        with widgets.group():
            widgets.label("on", text)
            key = state.control("heads_on", on)
            with widgets.wrapping():
                st.pills(
                    text("label_on"), every, selection_mode="multi", default=on, key=key,
                    label_visibility="collapsed", format_func=partial(swatch, text),
                    on_change=state.on_change(key, with_only),
                )  # fmt: skip
        _button("all_on", partial(with_only, on=every), text, type="tertiary", disabled=on == every)
        _button("all_off", partial(with_only, on=[]), text, type="tertiary", disabled=not on)
        if len(every) > 1:
            _solo(every, on[0] if len(on) == 1 else None, text)


def twins(text: Text) -> None:
    """Give head 2 the projections of head 1, and back."""
    bench = state.bench()
    change = partial(workbench.with_twins, twins=not bench.twins)
    _button("twins_undo" if bench.twins else "twins_make", change, text, icon=":material/content_copy:",
            disabled=bench.n_heads < 2)  # fmt: skip


def typed(text: Text) -> None:
    """The one head whose projections are typed: choose it, edit it, forget it."""
    bench = state.bench()
    shown = bench.typed_head if bench.typed_head >= 0 else None
    with widgets.line():
        widgets.pick("typed", range(bench.n_heads), shown, text, show=partial(swatch, text),
                     change=workbench.with_typed_head)
        if shown is not None:
            _button("forget", workbench.without_typed_head, text, icon=":material/close:")
    if shown is None:
        return
    st.caption(text("typed_note", head=shown + 1))
    d_model = bench.sizes["d_model"]
    sizes = dict.fromkeys(HEAD[:3], d_model) | {HEAD[3]: d_model // bench.n_heads}
    editor.matrices({name: [str(i + 1) for i in range(rows)] for name, rows in sizes.items()}, text)


def with_only(bench: Workbench, on: Sequence[int]) -> Workbench:
    """Switch these heads on and all others off."""
    return replace(bench, heads_off=tuple(head for head in range(bench.n_heads) if head not in on))


def swatch(text: Text, head: int) -> str:
    """A head's name behind a square of its colour, as Markdown."""
    return f':color[■]{{foreground="{heads_charts.HUES[head]}"}} {text("head", number=head + 1)}'


def _seed(seed: int, text: Text) -> None:
    with widgets.group():
        widgets.label("seed", text)
        widgets.whole(text("label_seed"), 0, MAX_SEED, seed, text, key="heads_seed", width=130,
                      label_visibility="collapsed", change=lambda bench, seed: replace(bench, head_seed=seed))


def _solo(every: list[int], only: int | None, text: Text) -> None:
    def choose_one() -> None:
        chosen = st.session_state.get("heads_solo")  # None: clicked again, so all of them
        state.commit(with_only(state.bench(), every if chosen is None else [chosen]))

    with widgets.group():
        widgets.label("solo", text)
        key = state.control("heads_solo", only)
        with widgets.wrapping():
            st.segmented_control(
                text("label_solo"), every, default=only, key=key, label_visibility="collapsed",
                format_func=lambda head: str(head + 1), on_change=state.callback(choose_one),
            )  # fmt: skip


def _button(
    name: str, change: Callable[[Workbench], Workbench], text: Text, *, icon: str | None = None,
    type: Any = "secondary", disabled: bool = False, **words: object,
) -> None:  # fmt: skip
    st.button(
        text(name, **words), key=f"heads_{name}", icon=icon, type=type, disabled=disabled,
        help=text(f"help_{name}", **words), on_click=state.callback(lambda: state.commit(change(state.bench()))),
    )  # fmt: skip
