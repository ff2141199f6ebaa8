"""A what-if: a number of Q, K or V is moved and all four stages follow in the browser; kept, it is an edit.

`ui.live` computes it in the chart, `ui/components/whatif.js` drives it, and this is where what is kept arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import attention
from ui import components, editor, live, numbers, state, workbench
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
    d_k = bench.sizes["d_k"]
    dimensions = [str(i + 1) for i in range(bench.sizes["d_model"])]
    words = {id: own(id) for id in WORDS} | {
        "scale": text("label_scale"), "scales": {scale: text(f"scale_{scale}") for scale in SCALES},
        **({id: own(f"{id}_attempt") for id in ("keep", "later")} if attempt else {}),
        "why": "" if here else own(f"why_{'size' if bench.route == 'direct' else 'route'}", most=live.MOST),
    }  # fmt: skip
    components.whatif(
        key="whatif",
        width="stretch",
        on_keep_change=state.callback(lambda: None),  # which takes in what was kept, as for every other control
        data={
            "epoch": state.epoch(), "seen": state.lab()["seen"].get("whatif", 0), "live": here,
            "stamp": live.stamp(steps), "most": live.MOST, "limit": numbers.LIMIT, "words": words,
            "switches": not attempt, "tokens": list(bench.tokens),
            "values": {name: bench.array(name).tolist() for name in matrices}
            | {"mask": _mask(bench).astype(int).tolist()},
            "texts": {name: bench.matrices[name] for name in matrices},
            "rows": {name: list(rows) if name in {"X", *workbench.DIRECT} else dimensions for name in matrices}
            | {"Q": list(rows)},
            "scale": bench.scale, "divisors": {"sqrt": d_k**0.5, "none": 1.0, "linear": float(d_k)},
        },
    )  # fmt: skip


def of_kept(name: str) -> Any:
    """A container for what is said of the numbers that were kept: it fades while others are tried (whatif.js)."""
    return st.container(key=f"kept_{name}")


def _mask(bench: Workbench) -> NDArray[np.bool_]:
    mask, n = bench.mask_array(), len(bench.tokens)
    return np.ones((n, n), dtype=bool) if mask is None else mask


def _keep() -> None:
    """Take over what was tried, as one edit; what was typed into other cells stays as it is, readable or not."""
    asked = (st.session_state.get("whatif") or {}).get("keep")
    here = state.lab()
    if not asked or asked["epoch"] != state.epoch() or asked["seq"] <= here["seen"].get("whatif", 0):
        return
    here["seen"] = {**here["seen"], "whatif": asked["seq"]}
    over = {(name, f"{row},{column}") for name, row, column, _ in asked["numbers"]}
    here["problems"] = {name: {at: problem for at, problem in found.items() if (name, at) not in over}
                        for name, found in here["problems"].items()}  # fmt: skip
    state.commit(kept(state.bench(), asked), typed=True)


state.take_typed[:] = [editor.take_all, _keep]  # what is kept came after what was typed


def kept(bench: Workbench, asked: dict[str, Any]) -> Workbench:
    """The workbench with the numbers, the cells of the mask and the scale that were tried, as far as it has them."""
    mask = _mask(bench).copy()
    for name, row, column, typed in asked["numbers"]:
        cells = mask if name == "mask" else bench.matrices.get(name, ())
        if not (0 <= row < len(cells) and 0 <= column < len(cells[row])):
            continue
        if name == "mask":
            mask[row, column] = typed == "1"
        else:
            bench = workbench.with_cells(bench, name, {(row, column): numbers.canonical(typed)})
    if (mask != _mask(bench)).any():
        bench = workbench.with_allowed(bench, dict(np.ndenumerate(mask)))
    if asked["scale"] in SCALES:
        bench = replace(bench, scale=asked["scale"])
    return bench
