"""A dozen random rows of weights: the browser divides scores by d_k^α and takes softmax while d_k and α are dragged.

Beside each row stands how strongly it answers to its scores, ‖J‖; the dead ones are framed.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from attention.saturation import DEAD
from ui import theme
from ui.charts import INK
from ui.variance_charts import layered, of_kind, placed
from ui.variance_softmax_frame import KEYS, ROWS, SCORES

SIDE = 66  #: pixels beside the rows, for what is said of each

_DOWN = alt.Scale(domain=[0, ROWS], reverse=True, nice=False)


def dozen(cell: tuple[int, int], larger: float = 1.0) -> dict[str, Any]:
    """The rows at the chosen d_k and α, a cell so wide and high, and words so much larger than on a laptop."""
    wide, high = cell
    # The words beside the rows are inside the plot: it does not grow when they do, and nothing is cut off.
    picture = layered(
        KEYS * wide + round(SIDE * larger), ROWS * high, _cells(wide), _frames(wide),
        *_norms(wide, min(round(11 * larger), high - 2)), *_titles(larger),
        checked=False,
    )  # fmt: skip
    which = [{"filter": "datum.kind === 'row' || datum.kind === 'count' || datum.kind === 'title_rows'"},
             {"filter": "datum.kind !== 'row' || datum.n === log2_dk"}]  # fmt: skip
    return picture | {"transform": [*which, *({"calculate": e, "as": name} for name, e in _steps().items())]}


def _steps() -> dict[str, str]:
    """Softmax of the divided scores, and from its weights ‖J‖: Σp² − 2Σp³ + (Σp²)² is its square."""
    keys = range(KEYS)
    return {
        "by": "pow(datum.d, alpha)", "most": f"max({', '.join(f'datum.{score}' for score in SCORES)})",
        **{f"e{k}": f"exp((datum.s{k} - datum.most) / datum.by)" for k in keys},
        "total": " + ".join(f"datum.e{k}" for k in keys),
        **{f"p{k}": f"datum.e{k} / datum.total" for k in keys},
        "squares": " + ".join(f"pow(datum.p{k}, 2)" for k in keys),
        "cubes": " + ".join(f"pow(datum.p{k}, 3)" for k in keys),
        "norm": "sqrt(max(0, datum.squares - 2 * datum.cubes + pow(datum.squares, 2)))",
        "dead": f"datum.norm < {DEAD} ? 1 : 0", "ink": "1",
        "said": "datum.norm < 0.0005 ? '<0.001' : format(datum.norm, datum.norm < 0.1 ? '.3f' : '.2f')",
    }  # fmt: skip


def _down(field: str) -> alt.Y:
    return alt.Y(f"{field}:Q", scale=_DOWN, axis=None)


def _cells(wide: int) -> alt.Chart:
    """The weights."""
    across = alt.Scale(domain=[0, KEYS], range=[0, KEYS * wide], nice=False)
    ramp = alt.Scale(domain=[0, 1], range=list(theme.WEIGHTS), interpolate="rgb")
    return of_kind("row").transform_fold([f"p{k}" for k in range(KEYS)], as_=["key", "p"]).transform_calculate(
        at="+slice(datum.key, 1)", at2="+slice(datum.key, 1) + 1", top="datum.i + 0.06", bottom="datum.i + 0.94"
    ).mark_rect(stroke=theme.MASKED_STROKE, strokeWidth=0.7).encode(
        alt.X("at:Q", scale=across, axis=None), alt.X2("at2:Q"), _down("top"), alt.Y2("bottom:Q"),
        alt.Color("p:Q", scale=ramp, legend=None),
        tooltip=[alt.Tooltip("p:Q", format=".4f", title="softmax"), alt.Tooltip("norm:Q", format=".4f", title="‖J‖")],
    )  # fmt: skip


def _frames(wide: int) -> alt.Chart:
    """Around the dead ones."""
    return of_kind("row").transform_filter("datum.dead === 1").transform_calculate(
        top="datum.i", bottom="datum.i + 1"
    ).mark_rect(filled=False, stroke=theme.CHOSEN, strokeWidth=1.5, tooltip=None).encode(
        alt.XValue(-2), alt.X2Value(KEYS * wide + 1), _down("top"), alt.Y2("bottom:Q")
    )  # fmt: skip


def _norms(wide: int, size: int) -> list[alt.Chart]:
    """How strongly each row answers, and which no longer does."""
    rows = of_kind("row").transform_calculate(middle="datum.i + 0.5", both="datum.said + ' ' + datum.text")
    return [
        rows.transform_filter(f"datum.dead === {dead}").mark_text(
            align="left", fontSize=size, fontWeight=weight
        ).encode(alt.Text(f"{field}:N"), alt.XValue(KEYS * wide + 4), _down("middle"), INK)
        for dead, field, weight in ((0, "said", "normal"), (1, "both", "bold"))
    ]  # fmt: skip


def _titles(larger: float) -> list[alt.Chart]:
    """What is shown, at which d_k, and how many rows are dead."""
    count = alt.Chart().transform_filter("datum.kind !== 'title_rows'").transform_calculate(
        own="datum.kind === 'count' ? datum.text : ''"
    ).transform_aggregate(dead="sum(dead)", d="max(d)", own="max(own)").transform_calculate(
        says="replace(replace(datum.own, '@', datum.d), '#', datum.dead)"
    )
    size = round(13 * larger)
    return [placed(of_kind("title_rows"), 0, -12 - round(17 * larger), fontSize=size, fontWeight="bold"),
            placed(count, 0, -12, "says", fontSize=size)]  # fmt: skip
