"""The picture of the data flow: where its nodes stand, what they show, and which have just changed their shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from ui import components, flow, link, pixels, state, theme, views
from ui.flow import Flow
from ui.text import Text
from ui.workbench import Workbench

LARGEST, CELL = 64, 16  #: CSS pixels that the longest side of any node may take; the largest cell

#: node → where it stands: how far along the flow, and which of six lanes across it (from, how many)
SPOTS = {
    "W_Q": (1, 0, 2), "W_K": (1, 2, 2), "W_V": (1, 4, 2), "Q": (2, 0, 2), "K": (2, 2, 2), "V": (2, 4, 2),
    "scores": (3, 0, 4), "scaled": (4, 0, 4), "weights": (5, 0, 4), "output": (6, 0, 6),
}  # fmt: skip
#: Between nodes: what goes into what. Where the other sequence gives keys and values, X2 stands for X.
ARROWS = (
    ("X", "W_Q"), ("X", "W_K"), ("X", "W_V"), ("W_Q", "Q"), ("W_K", "K"), ("W_V", "V"), ("Q", "scores"),
    ("K", "scores"), ("scores", "scaled"), ("scaled", "weights"), ("weights", "output"), ("V", "output"),
)  # fmt: skip


def draw(it: Flow, text: Text) -> None:
    """The picture; a click, tap or Enter on a node opens it. Below it, what the last change did to the shapes."""
    seen = changes(it)
    opened = node(state.bench(), it)
    cell = max(min(CELL, LARGEST // max(size for name in it.nodes for size in it.shape(name))), 1)
    components.flow(
        key="flow", on_open_change=state.callback(_open),
        data={
            "label": text("picture_label"), "opened": opened, "areas": _areas(it), "arrows": _arrows(it),
            "nodes": {name: _node(it, name, cell, seen["was"], text) for name in it.nodes},
        },
    )  # fmt: skip
    st.markdown(said(it, seen, text))


def node(bench: Workbench, it: Flow) -> str:
    """The node that is open, or the one that stands for it where there is none such now."""
    chosen: str = views.get(bench, "flow.node")
    alike = (chosen, flow.OTHER.get(chosen, chosen), "X2" if chosen[-1] == "2" else "X", "X")
    return next(name for name in alike if name in it.arrays)


def _open() -> None:
    chosen = (st.session_state.get("flow") or {}).get("open")
    if chosen in flow.SIZES:
        state.show("flow.node", chosen)


def _node(it: Flow, name: str, cell: int, was: dict[str, tuple[int, int]], text: Text) -> dict[str, Any]:
    rows, columns = it.shape(name)
    shape, before = text("shape", rows=rows, columns=columns), was.get(name)
    said = {"title": title(it, name, text), "shape": shape}
    old = text("shape", rows=before[0], columns=before[1]) if before else ""
    return said | {
        "was": old, "says": text("says_changed" if old else "says", was=old, **said), "hue": hue(name),
        "picture": pixels.heatmap(it.arrays[name], cell, limit=it.limit(name), weights=name == "weights",
                                  hidden=it.hidden(name)),
        "wide": columns * cell, "high": rows * cell,
    }  # fmt: skip


def title(it: Flow, name: str, text: Text) -> str:
    """What stands on a node."""
    if name == "scaled":
        return text(f"title_scaled_{it.bench.scale}") + (text("title_masked") if it.steps.mask is not None else "")
    return text(f"title_{name}_{'cross' if it.cross else 'self'}" if name in ("K", "V") else f"title_{name}")


def hue(name: str) -> str:
    """A node's colour, as the theme calls it: its own, or that of what it projects to."""
    return theme.WORDS.get(name.removesuffix("2")[-1], "gray") if name not in ("E", "PE", "E2", "PE2") else "yellow"


def _areas(it: Flow) -> list[dict[str, Any]]:
    """Where nodes stand; those of an entry stand together, with signs between them."""
    entries = [("", (0, 0, 2) if it.cross else (0, 0, 6))] + ([("2", (0, 2, 4))] if it.cross else [])
    areas = [
        {"nodes": [f"E{end}", "+", f"PE{end}", "=", f"X{end}"] if it.positions else [f"X{end}"], "spot": spot}
        for end, spot in entries
    ]
    return areas + [{"nodes": [name], "spot": spot} for name, spot in SPOTS.items()]


def _arrows(it: Flow) -> list[tuple[str, str]]:
    source = "X2" if it.cross else "X"
    return [(source if to in ("W_K", "W_V") else start, to) for start, to in ARROWS]


def changes(it: Flow) -> dict[str, Any]:
    """What the last change of the numbers did to the shapes, from what this session saw before.

    was: node → the shape it had, if it has another now. now, then: the sizes after and before.
    """
    numbers = link.encode(replace(state.bench(), cell=(), view=it.bench.view))
    shapes = {name: it.shape(name) for name in it.nodes}
    before = st.session_state.get("flow_seen")
    if before is None or before["numbers"] != numbers:
        sizes = it.sizes | {"cross": it.cross}
        then = before or {"shapes": shapes, "now": sizes}
        was = {name: then["shapes"][name] for name in shapes if then["shapes"].get(name, shapes[name]) != shapes[name]}
        before = {"numbers": numbers, "shapes": shapes, "was": was, "now": sizes, "then": then["now"]}
        st.session_state["flow_seen"] = before
    return dict(before)


def said(it: Flow, seen: dict[str, Any], text: Text) -> str:
    """What the last change did to the shapes, in a sentence."""
    if not seen["was"]:
        return text("shapes_idle")
    then, now = seen["then"], seen["now"]
    causes = [text("size_changed", name=name, was=then[name], now=now[name])
              for name in ("n", "d_model", "d_k", "d_v") if then[name] != now[name]]  # fmt: skip
    if then["cross"] != now["cross"]:
        causes.append(text("cross_on" if now["cross"] else "cross_off"))
    elif now["cross"] and then["m"] != now["m"]:
        causes.append(text("size_changed", name="m", was=then["m"], now=now["m"]))
    nodes, rest = [text(f"node_{name}") for name in seen["was"]], len(it.nodes) - len(seen["was"])
    if not rest:
        return text("shapes_all_changed", causes=text.list(causes), all=len(it.nodes))
    return text("shapes_changed", causes=text.list(causes), nodes=text.list(nodes), rest=rest, all=len(it.nodes))
