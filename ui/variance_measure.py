"""Measuring for the variance page: once for everyone who asks the same, while a bar shows how far it is."""

from __future__ import annotations

import math
from contextvars import copy_context

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import StopException

from attention import experiment, saturation
from attention.experiment import Report, Spread
from attention.saturation import Saturation
from ui import state
from ui.text import Text

ROWS = 4000  #: how many rows of weights are measured, whatever the number of pairs


# With the seed in the link, and for pairs the number of draws; a bar shows while it is measured.


def spread(text: Text) -> Spread:
    """How q·k of pairs of vectors spreads."""
    bench, place = state.bench(), st.empty()
    found = measured_pairs(bench.variance_seed, bench.variance_draws, progress(place, text))
    place.empty()
    return found


def rows(text: Text) -> Saturation:
    """Rows of scores, and what softmax makes of them by each divisor: one measurement for two parts."""
    place = st.empty()
    found = measured_rows(state.bench().variance_seed, progress(place, text))
    place.empty()
    return found


# Resources, of which nobody gets a copy: charts are cached by what they are drawn from.


@st.cache_resource(max_entries=16, show_spinner=False)
def measured_pairs(seed: int, draws: int, _report: Report) -> Spread:
    return experiment.measure_spread(draws, seed=seed, report=_report)


@st.cache_resource(max_entries=16, show_spinner=False)
def measured_rows(seed: int, _report: Report) -> Saturation:
    return saturation.measure_saturation(ROWS, seed=seed, report=_report)


def progress(place: DeltaGenerator, text: Text) -> Report:
    """Show shares as a bar, every 2 %.

    A cached function records what it draws and draws it again for whoever gets the cached result. The bar is
    drawn in the context from before the call, which the recording does not see.
    """
    outside, words = copy_context(), Text("variance", text.lang)("progress")
    shown = -1.0

    def report(share: float) -> None:
        nonlocal shown
        if share >= shown + 0.02:
            shown = share
            try:
                outside.run(place.progress, min(share, 1.0), words)
            except StopException:  # the visitor has left: finish for the next one
                shown = math.inf

    return report
