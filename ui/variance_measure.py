"""Measuring for the variance page: once for everyone who asks the same, while a bar shows how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import BoundedSemaphore

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention import experiment, saturation
from attention.experiment import Spread
from attention.growing import Report
from attention.saturation import Saturation
from ui import state
from ui.text import Text

ROWS = 4000  #: how many rows of weights are measured, whatever the number of pairs

_TURNS = BoundedSemaphore(2)
_MEASURED: set[tuple[object, ...]] = set()  #: what somebody has measured, so that no bar need flash up


# With the seed in the link, and for pairs the number of draws; a bar shows while it is measured.


def spread(text: Text) -> Spread:
    """How q·k of pairs of vectors spreads."""
    bench = state.bench()
    with bar(text, bench.variance_seed, bench.variance_draws) as report:
        return measured_pairs(bench.variance_seed, bench.variance_draws, report)


def rows(text: Text) -> Saturation:
    """Rows of scores, and what softmax makes of them by each divisor: one measurement for two parts."""
    seed = state.bench().variance_seed
    with bar(text, seed) as report:
        return measured_rows(seed, report)


# Resources, of which nobody gets a copy: charts are cached by what they are drawn from.


@st.cache_resource(max_entries=16, show_spinner=False)
def measured_pairs(seed: int, draws: int, _report: Report) -> Spread:
    with turn(_report):
        return experiment.measure_spread(draws, seed=seed, report=_report)


@st.cache_resource(max_entries=16, show_spinner=False)
def measured_rows(seed: int, _report: Report) -> Saturation:
    with turn(_report):
        return saturation.measure_saturation(ROWS, seed=seed, report=_report)


@contextmanager
def turn(report: Report) -> Iterator[None]:
    """So many measurements at a time and no more: one holds up to 100 MB. Whoever has left gives up their place."""
    while not _TURNS.acquire(timeout=0.2):
        report(0.0)
    try:
        yield
    finally:
        _TURNS.release()


@contextmanager
def bar(text: Text, *what: object) -> Iterator[Report]:
    """A progress bar for as long as something is measured; at once where nobody has measured it yet."""
    place = st.empty()
    report = progress(place, text)
    if what not in _MEASURED:
        report(0.0)
    yield report
    _MEASURED.add(what)
    place.empty()


def progress(place: DeltaGenerator, text: Text) -> Report:
    """Show shares as a bar, every 2 %; at once, for whoever waits for somebody else's measurement.

    A cached function records what it draws and draws it again for whoever gets the cached result. The bar is
    drawn in the context from before the call, which the recording does not see. Where the visitor has left, drawing
    raises, and the measurement is given up: the next one begins anew.
    """
    outside, words = copy_context(), Text("variance", text.lang)("progress")
    shown = 0.0

    def report(share: float) -> None:
        nonlocal shown
        if share == 0 or share >= shown + 0.02:
            shown = share
            outside.run(place.progress, min(share, 1.0), words)

    return report
