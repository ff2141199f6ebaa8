"""The parts of a mask as small pictures: mask = one ∧ another ∧ …. A constant spec and a tidy frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ui import charts, theme
from ui.text import Text

CELL = 24  #: pixels, where there is room
SMALL = 12  #: the least cell beside the mask itself; smaller ones go below it, where there is more room
LEAST = 6
LEGIBLE = 14  #: the least cell that holds a mark
GAP = 1.6  #: cells between two parts: room for the sign
TITLE = 24  #: pixels above the cells


def parts(
    named: Mapping[str, NDArray[np.bool_]], tokens: Sequence[str], text: Text, layout: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Each part by its name, with a sign in front: = for the first, ∧ for the others."""
    n = len(tokens)
    records = []
    for p, (name, part) in enumerate(named.items()):
        left = p * _pitch(n) + GAP
        records.append(("title", left, 0.0, name, ""))
        records.append(("sign", left - GAP / 2, n / 2, "∧" if p else "=", ""))
        for (i, j), may in np.ndenumerate(part):
            tip = text("tip_may" if may else "tip_may_not", part=name, row=tokens[i], column=tokens[j])
            records.append(("may" if may else "not", left + j, float(i), "✓" if may else "✕", tip))
    frame = pd.DataFrame(records, columns=["kind", "x", "y", "text", "tip"]).assign(ink=1)
    return charts.fresh(frame), _spec(n, len(named), layout)


def _pitch(n: int) -> float:
    """Cells from one part to the next: the name of a small one needs room as well."""
    return max(n, 3) + GAP


@lru_cache(maxsize=128)
def _spec(n: int, count: int, layout: str) -> dict[str, Any]:
    wide = count * _pitch(n)
    room, mask = charts.ROOM[layout][0], 130 + 35 * n
    beside = (room - mask) / wide
    cell = int(min(max(beside if beside >= SMALL else room / wide, LEAST), CELL))
    base = alt.Chart(width=wide * cell, height=n * cell + TITLE)
    scale = alt.Scale(domain=[0, wide], range=[0, wide * cell], nice=False)
    down = alt.Scale(domain=[0, n], range=[TITLE, n * cell + TITLE], nice=False)
    at = {"x": alt.X("x:Q", scale=scale, axis=None), "y": alt.Y("y:Q", scale=down, axis=None)}

    def only(*kinds: str) -> alt.Chart:
        return base.transform_filter(alt.FieldOneOfPredicate("kind", list(kinds)))

    side = cell * 0.92
    square = only("may", "not").mark_rect(
        width=side, height=side, xOffset=cell / 2, yOffset=cell / 2, cornerRadius=2, stroke=theme.MASKED,
    ).encode(
        **at, tooltip=alt.Tooltip("tip:N"), description=alt.Description("tip:N"),
        color=alt.when("datum.kind === 'not'").then(alt.value(theme.MASKED)).otherwise(alt.value(theme.PAPER)),
    )  # fmt: skip
    struck = only("not").mark_point(
        shape="M-.5,.5L.5,-.5", size=(cell * 0.8) ** 2, stroke=theme.MASKED_STROKE, strokeWidth=1.2, filled=False,
        xOffset=cell / 2, yOffset=cell / 2,
    ).encode(**at)  # fmt: skip
    marks = [only("may", "not").mark_text(
        fontSize=max(8, round(cell * 0.5)), color=theme.INK, xOffset=cell / 2, yOffset=cell / 2, aria=False,
    ).encode(**at, text="text:N")] if cell >= LEGIBLE else []  # fmt: skip
    ink = {"color": charts.INK, "text": "text:N"}
    title = only("title").mark_text(align="left", baseline="bottom", fontSize=13, fontWeight="bold", yOffset=-6).encode(
        **at, **ink
    )
    sign = only("sign").mark_text(fontSize=18).encode(**at, **ink)
    chart = alt.layer(square, struck, *marks, title, sign).configure_view(stroke=None)
    return charts.without_data(chart)
