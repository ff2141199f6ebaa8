"""One token looks things up: ribbons as thick as its weights, in steps that can be played, stepped and scrubbed.

The component (components/ribbons.js) draws what it is sent and computes nothing but positions: every number and word
of every frame is made by `ui.ribbons_story` from the workbench's own trace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

import attention
from ui import components, ribbons_story, state, views
from ui.names import with_meaning
from ui.places import Place
from ui.ribbons_story import Asked
from ui.text import Text
from ui.workbench import Workbench

STRIDE = {"graded": 4}  #: frames that a button or key goes on by
WORDS = ("play", "pause", "back", "forward", "slider", "keys", "hint", "hint_touch")
PACE = {"hard": (800, 2200), "graded": (140, 0), "real": (800, 2600)}  #: ms for a move, and of rest after it


def draw(
    bench: Workbench, text: Text, *, key: str, kind: str = "real", view: str = "", compact: bool = False,
    steps: attention.AttentionSteps | None = None, onward: tuple[str, Callable[[], None]] | None = None,
) -> None:  # fmt: skip
    """The look-up of the token that asks, `bench.token`.

    kind: "hard" (the best match takes all), "graded" (from there to the weights) or "real" (scores to output).
    view: where the position is kept, so that it is in the link (see `ui.views`); without one it begins at the end.
    compact: smaller, without the numbers of q, k and v; for a page on which it is not alone.
    onward: what comes after the last frame: what it is called, and how to get there.
    """
    words = Text("ribbons", text.lang)
    it = Asked(bench, steps or bench.steps(), bench.token, with_meaning(bench, text), words)
    frames = ribbons_story.frames(it, kind)
    at = min(views.get(bench, view), len(frames) - 1) if view else len(frames) - 1
    move, rest = PACE[kind]
    story = f"{kind} {len(bench.tokens)}"
    components.ribbons(
        key=key, width="stretch",
        on_went_change=state.callback(lambda: _took(key, "went", lambda at: state.show(view, at), story)),
        on_ask_change=state.callback(lambda: _took(key, "ask", _ask)),
        on_look_change=state.callback(lambda: _took(key, "look", lambda j: _look(j, key))),
        on_onward_change=state.callback(lambda: _took(key, "onward", lambda _: onward and onward[1](), story)),
        data={
            "session": state.lab()["session"], "seen": _seen(key), "story": story, "at": at,
            "keeps": bool(view),
            "compact": compact, "asker": bench.token, "names": it.names, "hidden": it.hidden.astype(int).tolist(),
            "frames": frames, "parts": ribbons_story.parts(it, kind), "move": move, "rest": rest,
            "stride": STRIDE.get(kind, 1), "onward": onward[0] if onward else "",
            "heads": [words(f"head_{head}") for head in ribbons_story.HEADS[kind]],
            "words": {id: words(id) for id in WORDS} | {
                "region": words("region", token=it.token), "new": words("new", token=it.token), "newly": words("newly"),
                "ask": [words("ask", token=name) for name in it.names], "look": "" if compact else words("look"),
                "share": words("share", number="{}") if kind == "graded" else "",
            },
            **ribbons_story.cards(it),
        },
    )  # fmt: skip


def _seen(key: str) -> int:
    """The number of the last message of this picture that was taken in."""
    return int(state.lab()["seen"].get(key, 0))


def _took(key: str, name: str, use: Callable[[int], Any], story: str = "") -> None:
    """Use what the picture says, once, and only if it says so of this story, where one is given.

    A place in the story before may arrive when the page has gone on to the next.
    """
    said = (st.session_state.get(key) or {}).get(name)
    if said and said["seq"] > _seen(key):
        state.lab()["seen"] = {**state.lab()["seen"], key: said["seq"]}
        if story in ("", said["story"]):
            use(int(said["value"]))


def _look(key: int, figure: str) -> None:
    """Explain a weight with all its arithmetic (see `ui.trace`)."""
    state.look(Place("weights", state.bench().token, key), spot=figure)


def _ask(token: int) -> None:
    bench = state.bench()
    if 0 <= token < len(bench.tokens):
        state.commit(replace(bench, token=token))
