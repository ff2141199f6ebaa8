"""The controls that change the workbench, shared by the pages that show them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from ui import state, tokens, widgets, workbench
from ui.names import called, escaped
from ui.state import control, on_change
from ui.text import Text
from ui.workbench import MASKS, MAX_D, MAX_N, MAX_SEED, PRESETS, ROUTES, SCALES, Workbench


def prepared(text: Text) -> None:
    """What to start from, which tokens, how large."""
    bench = state.bench()
    preset, words, sizes = st.columns([0.3, 0.52, 0.18], vertical_alignment="bottom")
    with preset:
        choice("preset", PRESETS, text, change=workbench.opened, show=_preset_titles(text.lang))
    with words:
        sentence(text)
    with sizes:
        _sizes(bench, text)
    if bench.preset == "random":
        widgets.whole(text("seed"), 0, MAX_SEED, bench.seed, text, key="seed", width=160,
                      change=lambda bench, seed: workbench.opened(bench, "random", seed))


def _sizes(bench: Workbench, text: Text) -> None:
    """The sizes; drawn only while they are looked at."""
    with st.popover(text("sizes"), key="sizes", on_change="rerun", width="stretch") as popover:
        if not popover.open:
            return
        for name in ("n", "d_k", "d_v", "d_model"):
            size(name, bench, text)
        st.caption(text("sizes_note"))


def size(name: str, bench: Workbench, text: Text, **how: Any) -> None:
    """One of the sizes."""
    most = MAX_N if name == "n" else MAX_D
    widgets.whole(text(f"size_{name}"), 1, most, bench.sizes[name], text, key=f"size_{name}",
                  change=partial(_resize, name), **how)


def about(text: Text) -> None:
    """What the prepared numbers were made to show, and what their columns stand for."""
    bench = state.bench()
    start = workbench.start(bench)
    example = workbench.example(bench.preset)
    note = example.note[text.lang]
    if bench.tokens != start.tokens:
        st.caption(text("about_tokens"))
    elif (bench.matrices, bench.scale, bench.mask) != (start.matrices, start.scale, start.mask):
        st.caption(f"{text('about_changed')} {note}")
    else:
        st.caption(note)
    if example.features and bench.sizes == start.sizes:
        st.caption(text("features", names=text.list(list(example.features[text.lang]))))


#: switch → its options, and what choosing one of them does
SWITCHES: dict[str, tuple[tuple[str, ...], widgets.Change]] = {
    "route": (ROUTES, lambda bench, route: replace(bench, route=route)),
    "scale": (SCALES, lambda bench, scale: replace(bench, scale=scale)),
    "mask": (MASKS, workbench.with_mask),
}


def switches(text: Text, *names: str) -> None:
    """Way in, scale and mask, or some of them."""
    with widgets.line():
        for name in names or SWITCHES:
            _switch(name, *SWITCHES[name], text)


def _switch(name: str, options: tuple[str, ...], change: widgets.Change, text: Text) -> None:
    value = getattr(state.bench(), name)
    widgets.pick(name, options, value, text, show=lambda option: text(f"{name}_{option}"), change=change)


def token(text: Text) -> None:
    """Whose output is looked at."""
    names = called(state.bench(), text)
    with widgets.line():
        widgets.pick(
            "token", range(len(names)), state.bench().token, text, show=lambda i: names[i],
            change=lambda bench, i: replace(bench, token=min(i, len(bench.tokens) - 1)),
        )  # fmt: skip


#: prepared example → the same one in the words of the other language
IN_OTHER_WORDS = {"cat": "cat_en", "cat_en": "cat"}


def in_own_words(text: Text) -> None:
    """Where an untouched example is in the words of another language: a click gives the same one in the reader's."""
    bench = state.bench()
    other = IN_OTHER_WORDS.get(bench.preset)
    foreign = text.lang in workbench.example(bench.preset).gloss
    if other and foreign and replace(bench, token=0) == replace(workbench.start(bench), token=0):
        st.button(text("in_own_words"), key="in_own_words", type="tertiary", icon=":material/translate:",
                  on_click=state.callback(lambda: state.commit(workbench.opened(state.bench(), other))))


def reopen(text: Text) -> None:
    """A way on where a token may attend to nothing, which leaves a page little to show."""
    mask = state.bench().mask_array()
    if mask is not None and not mask.any(axis=1).all():
        st.button(text("reopen"), key="reopen", icon=":material/visibility:", on_click=state.callback(
            lambda: state.commit(workbench.with_mask(state.bench(), "none"))))


def choice(name: str, options: tuple[str, ...], text: Text, *, change: Any, show: Any) -> None:
    """One of several values of a workbench field, in a list."""
    value = getattr(state.bench(), name)
    # Its own key a language: after a switch Streamlit 1.67 goes on showing the label it had.
    key = control(f"pick_{name}_{text.lang}", value)
    st.selectbox(text(f"label_{name}"), options, options.index(value), key=key, format_func=show,
                 on_change=on_change(key, change, options))


def sentence(text: Text) -> None:
    """The tokens, as a sentence: edit it to add, remove or rename."""
    problem = state.lab()["problems"].get("tokens")
    shown = problem["typed"] if problem else " ".join(state.bench().tokens)
    st.text_input(text("sentence"), shown, key=control("sentence", shown), help=text("help_sentence"),
                  on_change=state.callback(_retoken))
    if problem:
        st.warning(text(f"sentence_{problem['reason']}", **problem, most=MAX_N, chars=tokens.MAX_CHARS))


def _retoken() -> None:
    if words := typed_tokens("sentence", "tokens"):
        state.commit(workbench.with_tokens(state.bench(), words))


def typed_tokens(key: str, name: str) -> tuple[str, ...] | None:
    """The tokens typed into a field; where they cannot be used none, and why not is kept under this name."""
    typed = st.session_state.get(key)
    if typed is None:
        return None
    words = tokens.split(typed)
    problem, others = _problem_with(words), {k: v for k, v in state.lab()["problems"].items() if k != name}
    state.lab()["problems"] = others | ({name: {**problem, "typed": typed}} if problem else {})
    return None if problem else tuple(words)


def _problem_with(words: list[str]) -> dict[str, object] | None:
    """Why these cannot be the tokens of a sentence."""
    if not words:
        return {"reason": "empty"}
    if len(words) > MAX_N:
        return {"reason": "too_many", "count": len(words)}
    long = next((word for word in words if len(word) > tokens.MAX_CHARS), None)
    return {"reason": "too_long", "word": escaped(long[:40])} if long else None


def _resize(name: str, bench: Workbench, size: int) -> Workbench:
    if name != "n":
        return workbench.resized(bench, **{name: size})
    added = tuple(str(i + 1) for i in range(len(bench.tokens), size))
    return workbench.with_tokens(bench, (*bench.tokens[:size], *added))


def _preset_titles(lang: str) -> Any:
    return lambda name: workbench.example(name).title[lang]
