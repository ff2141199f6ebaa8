"""The charts of what softmax makes of the scores, and of its gradient, against d_k."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd

from attention.saturation import SCALES, Saturation
from ui.text import Text
from ui.variance_charts import NAMES, coloured, d_k_axis, layered, page, titled, width_of

MEASURES = ("entropy", "dead", "median", "mean")


def saturation_frame(saturation: Saturation) -> pd.DataFrame:
    """Entropy, dead rows and gradients: a row a stop and divisor."""
    records = [
        (NAMES[scale], d_k, *(float(getattr(saturation, name)[s, which]) for name in MEASURES))
        for s, d_k in enumerate(saturation.d_k)
        for which, scale in enumerate(SCALES)
    ]
    return pd.DataFrame.from_records(records, columns=["side", "d", *MEASURES])


@lru_cache(maxsize=16)
def saturation_spec(layout: str, text: Text) -> dict[str, Any]:
    """Three panels: entropy, the share of dead rows, and the gradient's median and mean."""
    columns = {"xl": 3, "wide": 3, "medium": 2}.get(layout, 1)
    width = min(width_of(layout, columns, axis=50), 360)
    panels = [_panel(name, width, text) for name in ("entropy", "dead", "gradient")]
    return page(panels, columns, text("saturation_alt"))


def _panel(name: str, width: int, text: Text) -> dict[str, Any]:
    axis = alt.Axis(format="%", tickCount=5) if name == "dead" else alt.Axis(format=".1f", tickCount=5)
    scale = alt.Scale(domain=[0, 1.8 if name == "gradient" else 1], nice=False)
    layers = []
    for field in ("median", "mean") if name == "gradient" else (name,):
        y = alt.Y(f"{field}:Q", scale=scale, axis=axis, title=None)
        line = alt.Chart().encode(d_k_axis(), y, coloured(SCALES))
        tips = [alt.Tooltip("side:N", title=text("tip_what")), alt.Tooltip("d:Q", title="d_k"),
                alt.Tooltip(f"{field}:Q", format=".3~g", title=text(f"tip_{field}"))]  # fmt: skip
        full = field != "mean"
        layers.append(line.mark_line(strokeDash=[1, 0] if full else [4, 4], strokeWidth=2 if full else 1))
        layers.append(line.mark_point(filled=full, size=26, opacity=1).encode(tooltip=tips))
    return layered(width, 190, *layers, share_colour=True) | titled(f"title_{name}", text)
