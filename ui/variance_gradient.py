"""The reader's own row: how its weights answer to its scores, and how much of a gradient gets back to W_Q."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

import attention
from attention.saturation import DEAD, SCALES
from ui import (
    controls,
    display,
    shell,
    state,
    variance_dragged,
    variance_gradient_charts,
    variance_gradient_way,
    workbench,
)
from ui.names import called, numbered
from ui.tables import table
from ui.text import Text
from ui.variance_charts import NAMES
from ui.workbench import Workbench

Array = NDArray[np.float64]

GROWS = 1.02  #: what ‖J‖ has to grow by, stretched, to be spoken of


def draw(text: Text) -> None:
    bench = state.bench()
    part = Text("variance", text.lang)("part_softmax")
    st.markdown(text("question", whose=_whose(bench, text), part=part))
    controls.token(text)
    _row(bench, text)
    variance_gradient_way.draw(bench, text)
    with st.expander(text("fold"), key="gradient_fold", on_change="rerun") as fold:
        if fold.open:
            st.markdown(text("how", dead=DEAD, part=part))
            for name in ("norm", "entropy"):
                st.markdown(f"{text(f'rows_{name}')}\n\n{rows_table(bench, name, text)}")


def _whose(bench: Workbench, text: Text) -> str:
    """Whose numbers these are: those of the prepared example, unless they were edited."""
    made = workbench.preset(bench.preset, bench.seed)
    prepared = (bench.tokens, bench.matrices) == (made.tokens, made.matrices)
    return text("whose_prepared" if prepared else "whose_edited", d_k=bench.sizes["d_k"])


def _row(bench: Workbench, text: Text) -> None:
    """The chosen row under each divisor, to be stretched in the browser."""
    found = {scale: steps(bench, scale) for scale in SCALES}
    names, layout = numbered(bench.tokens, text), shell.layout()
    alone = variance_gradient_charts.stacked(len(names), layout)
    order = sorted(SCALES, key=lambda scale: scale != bench.scale) if alone else SCALES
    titles = [NAMES[scale] + (text("yours") if scale == bench.scale else "") for scale in order]
    rows = [found[scale].masked[bench.token] for scale in order]
    dead = text("dead_mark") if np.isfinite(rows[0]).sum() > 1 else ""  # the rest never lived
    data = variance_gradient_charts.jacobian_data(rows, names, titles, dead)
    spec = variance_gradient_charts.jacobian_spec(tuple(names), layout)
    with st.container(key="stretched", gap=None):
        variance_dragged.keep("stretched", log2_s="variance.stretch")
        st.vega_lite_chart(data, spec, width="content", key="jacobian")
    root = display.short(found["sqrt"].divisor)
    st.markdown("\n\n".join([text("see_jacobian", root=root), _measured(found[bench.scale], bench, text)]))
    if st.toggle(text("as_tables"), key="jacobian_table"):
        st.dataframe(jacobian_table({scale: found[scale].weights[bench.token] for scale in SCALES}, names, text),
                     hide_index=True)  # fmt: skip


def steps(bench: Workbench, scale: str) -> attention.AttentionSteps:
    """The reader's own numbers under another divisor."""
    return attention.attention_steps(*bench.qkv(), bench.mask_array(), scale=scale)


def norm(p: Array) -> Array:
    """‖J‖ of every row of weights."""
    return np.asarray(np.linalg.norm(attention.softmax_jacobian(p), axis=(-2, -1)))


def _measured(it: attention.AttentionSteps, bench: Workbench, text: Text) -> str:
    """What the reader's own row comes to; which sentence it is, the numbers decide."""
    p, n_open = it.weights[bench.token], int(np.isfinite(it.masked[bench.token]).sum())
    size, token = float(norm(p)), called(bench, text)[bench.token]
    kind = "masked" if not n_open else "single" if n_open == 1 else "dead" if size < DEAD else "alive"
    at = int(p.argmax())
    numbers = {"dead": f"{DEAD:g}", "weight": display.short(float(p[at])), "norm": display.short(size, 3)}
    said = [text(f"row_{kind}", token=token, most=called(bench, text)[at], **numbers)]
    if n_open > 1:
        said += _stretched(it.masked[bench.token], text)
    return text.sentences(said)


def _stretched(scores: Array, text: Text) -> Iterator[str]:
    """What the slider does to the row, stop by stop: whether ‖J‖ grows first, and where, if at all, the row dies."""
    low, high, step = variance_gradient_charts.LOG2
    times = 2.0 ** np.arange(max(low, 0), high + step, step)
    sizes = norm(attention.softmax(np.outer(times, scores))).tolist()
    most = int(np.argmax(sizes))
    if sizes[most] > GROWS * sizes[0]:
        yield text("row_grows", times=f"{times[most]:.3g}", norm=display.short(sizes[most], 3))
    tied = int(np.isclose(scores, scores.max(), rtol=1e-12).sum())
    if tied > 1:
        yield text("row_tied", count=tied, limit=display.short(math.sqrt(tied - 1) / tied, 3))
    elif sizes[-1] >= DEAD:
        yield text("row_survives", times=f"{times[-1]:.3g}", norm=display.short(sizes[-1], 3))
    elif sizes[0] >= DEAD:
        k = next(k for k, size in enumerate(sizes) if size < DEAD)
        yield text("row_dies", times=f"{_dies(scores, *times[k - 1 : k + 1]):.3g}", dead=f"{DEAD:g}")


def _dies(scores: Array, alive: float, dead: float) -> float:
    """From which factor on a row is dead, to six digits, between one that leaves it alive and one that does not."""
    while dead > (1 + 1e-6) * alive:
        middle = (alive + dead) / 2
        alive, dead = (middle, dead) if norm(attention.softmax(middle * scores)) >= DEAD else (alive, middle)
    return dead


def jacobian_table(rows: Mapping[str, Array], names: Sequence[str], text: Text) -> pd.DataFrame:
    """A row of weights and its Jacobian for each divisor; it scrolls on a phone, as Markdown would not."""
    lines = [
        [NAMES[scale], name, *(display.short(float(x), 4) for x in (weight, *entries))]
        for scale, p in rows.items()
        for name, weight, entries in zip(names, p, attention.softmax_jacobian(p), strict=True)
    ]
    columns = [text("table_divisor"), text("table_weight"), "p", *(f"J[·, {name}]" for name in names)]
    return pd.DataFrame(lines, columns=columns)


def rows_table(bench: Workbench, name: str, text: Text) -> str:
    """A measure of every row of weights of the reader's, for each divisor: how it answers, or how spread out it is."""
    measure = {"norm": norm, "entropy": attention.normalized_entropy}[name]
    columns = [measure(steps(bench, scale).weights).tolist() for scale in SCALES]
    names = called(bench, text)
    rows = [[name, *(display.short(column[i], 3) for column in columns)] for i, name in enumerate(names)]
    return table([text("table_query"), *(NAMES[scale] for scale in SCALES)], rows)
