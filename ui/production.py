"""The production page: what attention costs by formula, and what it was measured to cost here."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from attention import tiled
from ui import production_charts as charts
from ui import production_measure as measuring
from ui import shell, state, views
from ui.production_charts import STOPS, duration, size
from ui.production_measure import D, Measured
from ui.text import Text

_MEASURING = "production_measuring"  #: whether this visitor wants measurements to go on
_CHART = "production_costs"


def costs(text: Text) -> None:
    """An n to choose, the button that measures, and the picture of both."""
    done, chosen = measuring.shared().now(), views.get(state.bench(), "production.n")
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        key = state.control("production_n", chosen)
        st.select_slider(
            text("label_n"), STOPS, chosen, key=key, width=420, format_func=lambda n: f"{n:,}",
            on_change=state.on_show(key, "production.n", STOPS),
        )  # fmt: skip
        _button(done, text)
    with st.container():  # always there, or what follows would move and be drawn anew
        if _is_measuring():
            st.progress(measuring.share(done), text("progress", share=f"{measuring.share(done):.0%}"))
        elif _found_measured(done):
            st.caption(text("measured_before"))
    st.vega_lite_chart(
        charts.frame(chosen, done, text), charts.spec(shell.layout()), key=_CHART, width="content",
        on_select=state.callback(_pick), selection_mode=["pick"],
    )  # fmt: skip
    st.markdown(by_formula(chosen, text))


def _pick() -> None:
    picked = (st.session_state.get(_CHART) or {}).get("selection", {}).get("pick") or [{}]
    if picked[0].get("n") in STOPS:
        state.show("production.n", int(picked[0]["n"]))


def by_formula(n: int, text: Text) -> str:
    """What both ways hold and move at this n."""
    whole, by_blocks = tiled.textbook_traffic(n, D), tiled.tiled_traffic(n, D)
    rows, keys = (min(length, n) for length in tiled.BLOCK)
    return text(
        "by_formula", n=f"{n:,}", bare=n, matrix=size(tiled.matrix_bytes(n)), matrices=tiled.HELD,
        held=size(charts.held(n, "textbook")), rows=f"{rows:,}", keys=f"{keys:,}", tiled=size(charts.held(n, "tiled")),
        passes=tiled.PASSES, moved=size(whole), moved_tiled=size(by_blocks), ratio=charts.three(whole / by_blocks), d=D,
    )  # fmt: skip


# Measuring.


def _button(done: Measured, text: Text) -> None:
    """Measure, stop, go on, or again: whatever there is to do."""
    with st.container(width="content"):
        _what_to_do(done, text)


def _what_to_do(done: Measured, text: Text) -> None:
    if _is_measuring():
        st.button(text("stop"), icon=":material/stop:", key="production_stop", on_click=state.callback(_stop))
    elif done.taken(_session()):
        st.button(text("look"), icon=":material/refresh:", key="production_look", help=text("someone_measures"))
    else:
        share = measuring.share(done)
        again = "measure_anew" if _found_measured(done) else "measure_again"
        label = "measure" if share == 0 else "measure_on" if share < 1 else again
        st.button(text(label), icon=":material/timer:", key="production_measure", type="primary",
                  help=text("help_measure"), on_click=state.callback(_start))


def _session() -> str:
    return str(state.lab()["session"])


def _is_measuring() -> bool:
    return bool(st.session_state.get(_MEASURING))


def _found_measured(done: Measured) -> bool:
    """Whether there are measurements, and none of this visit's."""
    return measuring.share(done) > 0 and _MEASURING not in st.session_state


def _start() -> None:
    done = measuring.shared()
    if done.turn_of(_session()):
        if not measuring.left(done):
            done.forget()
        st.session_state[_MEASURING] = True


def _stop() -> None:
    st.session_state[_MEASURING] = False
    measuring.shared().release(_session())


def go_on() -> None:
    """The very end of the page: measure for a moment, then have the page drawn anew with what is known now."""
    if not _is_measuring():
        return
    done = measuring.shared()
    if done.turn_of(_session()) and measuring.left(done):
        measuring.measure(done)
    else:
        _stop()
    state.run_ends()
    st.rerun()


# What was measured, in words.


def results(text: Text) -> None:
    """What was measured, and on which machine."""
    done = measuring.shared().now()
    said = list(findings(done, text))
    if not said:
        st.info(text("not_yet"))
        return
    st.markdown("\n".join(f"- {sentence}" for sentence in said))
    st.caption(text("machine", **measuring.machine(), rounds=measuring.ROUNDS, d=D))
    if st.toggle(text("as_tables"), key="as_tables"):
        st.dataframe(table(done, text), hide_index=True)


def findings(done: Measured, text: Text) -> Iterator[str]:
    """A sentence a finding, computed from the measurements."""
    both = [n for n in measuring.SIZES if all(done.milliseconds(n, who) is not None for who in measuring.WHO[:2])]
    if not both:
        return
    n = both[-1]
    whole, by_blocks = (done.milliseconds(n, who) or 0.0 for who in measuring.WHO[:2])
    verdict = "small" if n <= min(tiled.BLOCK) else _verdict(whole, by_blocks)  # small: one block is all there is
    yield text(f"found_{verdict}", n=f"{n:,}", whole=duration(whole), tiled=duration(by_blocks),
               ratio=charts.three(max(whole, by_blocks) / min(whole, by_blocks)))  # fmt: skip
    yield _crossing(done, both, text)
    fused = done.milliseconds(n, "torch")
    if fused is not None:
        yield text("found_torch", n=f"{n:,}", torch=duration(fused), whole=charts.three(whole / fused),
                   tiled=charts.three(by_blocks / fused))  # fmt: skip
    elif not measuring.has_torch():
        yield text("no_torch")
    if (n, "tiled") in done.peaks and (n, "textbook") in done.peaks:
        yield text("found_peak", n=f"{n:,}", whole=size(done.peaks[n, "textbook"]), tiled=size(done.peaks[n, "tiled"]))
    if done.stopped_at() is not None:
        yield text("found_capped", n=f"{done.stopped_at():,}", seconds=f"{measuring.TOO_LONG:g}")


def _verdict(whole: float, by_blocks: float) -> str:
    """Whether blocks made it faster, by more than a clock can be trusted."""
    return "faster" if whole > 1.1 * by_blocks else "slower" if by_blocks > 1.1 * whole else "same"


def _crossing(done: Measured, sizes: list[int], text: Text) -> str:
    """From which n on blocks are faster, whatever the size."""
    lost = [n for n in sizes if (done.milliseconds(n, "tiled") or 0) >= (done.milliseconds(n, "textbook") or 0)]
    if not lost:
        return text("cross_always")
    if lost[-1] == sizes[-1]:
        return text("cross_never")
    return text("cross_from", n=f"{sizes[sizes.index(lost[-1]) + 1]:,}")


def table(done: Measured, text: Text) -> pd.DataFrame:
    """Every measurement, an n a row."""
    who = measuring.contenders()
    head = [text("column_n"), *(text("column_time", who=text(f"who_{w}")) for w in who),
            *(text("column_peak", who=text(f"who_{w}")) for w in who[:2])]  # fmt: skip
    lines = []
    for n in measuring.SIZES:
        times = [done.milliseconds(n, w) for w in who]
        peaks = [done.peaks.get((n, w)) for w in who[:2]]
        shown = ["–" if t is None else duration(t) for t in times] + ["–" if p is None else size(p) for p in peaks]
        lines.append([f"{n:,}", *shown])
    return pd.DataFrame(lines, columns=head)
