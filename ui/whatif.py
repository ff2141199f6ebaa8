"""A what-if: a number of Q, K or V is moved and all four stages follow in the browser; kept, it is an edit.

`ui.live` computes it in the chart, `ui/components/whatif.js` drives it, and this is where what is kept arrives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

import attention
from ui import components, live, numbers, state, workbench
from ui.text import Text
from ui.workbench import SCALES, Workbench

WORDS = ("invite", "keep", "go", "shut", "open", "heat", "who", "later", "region", "may", "heatHelp", "keepHelp",
         "sliderHelp")  # fmt: skip


def in_browser(bench: Workbench) -> bool:
    """Whether the browser computes what-ifs by itself: Q, K and V are typed, and no larger than it keeps up with."""
    return bench.route == "direct" and live.fits(*(bench.sizes[name] for name in ("n", "d_k", "d_v")))


def strip(
    bench: Workbench, steps: attention.AttentionSteps, rows: Sequence[str], text: Text, *, attempt: bool = False
) -> None:  # fmt: skip
    """The line that names the chosen number and moves it.

    rows: the tokens' names.
    attempt: what is kept is judged; and no switches for scale and mask, which a challenge has of its own.
    """
    here = in_browser(bench)
    own = Text("whatif", text.lang)
    matrices = workbench.DIRECT if bench.route == "direct" else workbench.INPUT
    n, d_k = bench.sizes["n"], bench.sizes["d_k"]
    mask = bench.mask_array()
    dimensions = [str(i + 1) for i in range(bench.sizes["d_model"])]
    words = {id: own(id) for id in WORDS} | {
        "scale": text("label_scale"), "scales": {scale: text(f"scale_{scale}") for scale in SCALES},
        **({id: own(f"{id}_attempt") for id in ("keep", "later")} if attempt else {}),
        "why": "" if here else own(f"why_{'size' if bench.route == 'direct' else 'route'}", most=live.MOST),
    }  # fmt: skip
    components.whatif(
        key="whatif",
        width="stretch",
        on_keep_change=state.callback(_keep),
        data={
            "epoch": state.epoch(), "seen": state.lab()["seen"].get("whatif", 0), "live": here,
            "stamp": live.stamp(steps), "most": live.MOST, "limit": numbers.LIMIT, "words": words,
            "switches": not attempt, "tokens": list(bench.tokens),
            "values": {name: bench.array(name).tolist() for name in matrices},
            "texts": {name: bench.matrices[name] for name in matrices},
            "rows": {name: list(rows) if name in {"X", *workbench.DIRECT} else dimensions for name in matrices}
            | {"Q": list(rows)},
            "mask": ["1" * n] * n if mask is None else ["".join("01"[int(c)] for c in row) for row in mask],
            "scale": bench.scale, "divisors": {"sqrt": d_k**0.5, "none": 1.0, "linear": float(d_k)},
        },
    )  # fmt: skip


def of_kept(name: str) -> Any:
    """A container for what is said of the numbers that were kept: it fades while others are tried (whatif.js)."""
    return st.container(key=f"kept_{name}")


def _keep() -> None:
    """Take over what was tried, as one edit."""
    asked = (st.session_state.get("whatif") or {}).get("keep")
    here = state.lab()
    if not asked or asked["epoch"] != state.epoch() or asked["seq"] <= here["seen"].get("whatif", 0):
        return
    here["seen"] = {**here["seen"], "whatif": asked["seq"]}
    state.commit(kept(state.bench(), asked))


def kept(bench: Workbench, asked: dict[str, Any]) -> Workbench:
    """The workbench with the numbers, the scale and the mask that were tried, as far as it has such cells."""
    for name, row, column, typed in asked["numbers"]:
        cells = bench.matrices.get(name, ())
        if 0 <= row < len(cells) and 0 <= column < len(cells[row]):
            bench = workbench.with_cells(bench, name, {(row, column): numbers.canonical(typed)})
    if asked["scale"] in SCALES:
        bench = replace(bench, scale=asked["scale"])
    mask, n = asked["mask"] or [], len(bench.tokens)
    if len(mask) == n and all(re.fullmatch(f"[01]{{{n}}}", row) for row in mask):
        cells = ((i, j, c == "1") for i, row in enumerate(mask) for j, c in enumerate(row))
        bench = workbench.with_allowed(bench, {(i, j): on for i, j, on in cells})
    return bench
