"""What is measured when an assumption is broken: once for everyone who asks the same.

The pairs are drawn once a seed. What is broken only changes how q·k is put together from them, which takes
milliseconds, so a slider answers at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention import assumptions, divisors, intervals, matching
from attention.assumptions import STOPS, Components, Measured, Sums
from attention.distributions import KS_95, distance, exact_cdf, normal_cdf, signs_cdf
from attention.growing import Report
from attention.matching import Rows
from ui import views
from ui.display import signed
from ui.variance_measure import turn
from ui.workbench import Workbench

Array = NDArray[np.float64]

LAWS = {"uniform": "uniform", "signs": "signs", "heavy": "laplace"}
SLIDERS = {"correlated": ("rho",), "means": ("mean_q", "mean_k"), "variances": ("sd_q", "sd_k"),
           "dependent": ("shared",)}  # fmt: skip
BROKEN = ("none", *SLIDERS, *LAWS)
MOST = 100_000  #: so many pairs at most: a million would keep 200 MB in memory and everyone waiting
ROWS, KEYS = 2000, 8  #: rows in which softmax is looked at, and how many keys they have
IN_ROWS = (16, 64, 256)  #: the d_k at which it is
#: what is broken → the ways it may be in a row of keys, where there is more than one; and how each is put together
WAYS = {"correlated": ("correlated_one", "correlated_all"), "dependent": ("dependent_both", "dependent_q")}
HOW = {"correlated_one": {"matches": "one"}, "dependent_q": {"sharing": "q"}}
BAR, FAR = 4, 6  #: bars a standard deviation, and standard deviations to each side that are compared with a curve
PER = 4  #: points of a curve from one bar to the next


def components(bench: Workbench, broken: str) -> Components:
    """How components are drawn, as the link has it."""
    changed = {name: views.get(bench, f"variance.{name}") / 100 for name in SLIDERS.get(broken, ())}
    return Components(LAWS.get(broken, "normal"), **changed)


def draws(bench: Workbench) -> int:
    return min(bench.variance_draws, MOST)


@dataclass(frozen=True, eq=False)
class Shape:
    """What is expected of the draws at one d_k: where the bars are, and the share each is to hold."""

    curve: str  # which curve is drawn: "exact" | "binomial" | "limit"
    mean: float
    sd: float
    edges: Array  # (b + 1,)  of the bars
    grid: Array  # (m,)       where shares below are compared
    below: Array  # (m,)      the share expected below, by the curve that is drawn
    limit: Array  # (m,)      the same by the normal curve with this mean and variance
    at: Array  # (p,)         middles of bars
    share: Array  # (p,)      what a bar there is to hold
    claim_at: Array  # (c,)
    claim: Array  # (c,)      what it would hold by N(0, d_k)


@lru_cache(maxsize=64)
def shape(of: Components, d_k: int) -> Shape:
    mean, sd = assumptions.predicted_mean(of, d_k), math.sqrt(assumptions.predicted_variance(of, d_k))
    if of.law == "signs":
        half, step = 1.0, 2  # q·k is d_k, d_k − 2, d_k − 4, …: a bar each
        reach = min(math.ceil(4.5 * sd / 2) * 2 + d_k % 2, d_k)
        grid = edges = np.arange(-reach - 1, reach + 2, 2.0)
        below, middle, between = signs_cdf(grid, d_k), (grid[1:] + grid[:-1]) / 2, 1
    else:
        half, step = sd / BAR / 2, BAR * PER
        grid = mean + sd * np.arange(-FAR * step, FAR * step + 1) / step
        reach = int(4.5 * BAR) * PER + PER // 2  # the middle bar is about the mean
        edges = grid[FAR * step - reach : FAR * step + reach + 1 : PER]
        below = exact_cdf(of, d_k, grid) if of.law == "normal" else normal_cdf(grid, mean, sd)
        middle, between = grid[PER // 2 : -PER // 2], PER
    root = math.sqrt(d_k)
    claim_at = root * np.linspace(-4, 4, 97)
    above, under = (normal_cdf(claim_at + side * half, 0, root) for side in (1, -1))
    return Shape(
        curve={"normal": "exact", "signs": "binomial"}.get(of.law, "limit"), mean=mean, sd=sd, edges=edges, grid=grid,
        below=below, limit=normal_cdf(grid, mean, sd), at=middle, share=below[between:] - below[:-between],
        claim_at=claim_at, claim=above - under,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Study:
    """What the draws were, at every stop, and in detail at one."""

    of: Components
    d_k: int
    measured: Measured
    counts: NDArray[np.int64]  # (b,)  draws in each bar of the shape
    distance: float  # from the curve that is drawn
    limit: float  # from the normal curve with the same mean and variance
    beyond: int  # draws more than three predicted standard deviations from the predicted mean
    only: float | None  # what every squared distance from the predicted mean is, if they are all alike

    @property
    def at(self) -> int:
        return STOPS.index(self.d_k)

    @property
    def mean(self) -> Array:
        """Value, low, high."""
        return self.measured.mean[self.at]

    @property
    def variance(self) -> Array:
        """The same; where squared distances do not spread, there is nothing to estimate."""
        return self.measured.variance[self.at] if self.only is None else np.full(3, self.only)


@st.cache_resource(max_entries=3, show_spinner=False)
def sums(seed: int, draws: int, _report: Report) -> Sums:
    with turn(_report):
        return assumptions.draw_sums(draws, seed=seed, report=_report)


@st.cache_resource(max_entries=6, show_spinner=False)
def products(law: str, seed: int, draws: int, _report: Report) -> Array:
    with turn(_report):
        return assumptions.draw_products(law, draws, seed=seed, report=_report)


@st.cache_resource(max_entries=8, show_spinner=False)
def rows(seed: int) -> Rows:
    return matching.draw_rows(ROWS, n_keys=KEYS, seed=seed)


@st.cache_resource(max_entries=32, show_spinner=False)
def matches(seed: int, rho: float) -> Array:
    return matching.match_weights(rows(seed), rho)


@st.cache_resource(max_entries=256, show_spinner=False)
def evenness(of: Components, way: str, seed: int) -> Array:
    """How evenly rows of keys spread their weights after ÷√d_k: value, low and high for each of IN_ROWS."""
    if of.law == "normal":
        scores = matching.row_scores(rows(seed), of, **HOW.get(way, {}))
    else:
        scores = matching.draw_scores(of.law, ROWS, n_keys=KEYS, seed=seed)
    return matching.row_entropy(scores, STOPS)[[STOPS.index(d_k) for d_k in IN_ROWS]]


def in_rows(bench: Workbench, *broken: str) -> dict[str, Array]:
    """The same for every way in which these assumptions can be broken in a row."""
    return {way: evenness(components(bench, each), way, bench.variance_seed)
            for each in broken for way in WAYS.get(each, (each,))}  # fmt: skip


@st.cache_resource(max_entries=64, show_spinner=False)
def study(of: Components, d_k: int, seed: int, draws: int, _report: Report) -> Study:
    if of.law == "normal":
        drawn = assumptions.normal_products(sums(seed, draws, _report), of)
    else:
        drawn = products(of.law, seed, draws, _report)
    sample, expected = drawn[STOPS.index(d_k)], shape(of, d_k)
    squares = (sample - expected.mean) ** 2
    return Study(
        of=of, d_k=d_k, measured=assumptions.measure_products(drawn, STOPS),
        counts=np.histogram(sample, expected.edges)[0],
        distance=distance(sample, expected.grid, expected.below),
        limit=distance(sample, expected.grid, expected.limit),
        beyond=int((squares > 9 * expected.sd**2).sum()),
        only=float(squares[0]) if np.ptp(squares) == 0 else None,
    )  # fmt: skip


def bound(study: Study) -> float:
    """What the distance from the true distribution stays below, 95 times in 100."""
    return KS_95 / math.sqrt(study.measured.draws)


def beyond(study: Study) -> tuple[float, float, float]:
    """The share beyond three standard deviations, and its 95 % interval."""
    n = study.measured.draws
    return study.beyond / n, *intervals.share_interval(study.beyond, n)


def growth(study: Study, what: str, scale: str) -> tuple[Array, Array]:
    """Measured (value, low, high) and predicted size of the mean or of the standard deviation, at every stop."""
    over = np.array([divisors.divisor(scale, d_k) for d_k in STOPS])
    if what == "sd":
        measured = np.sqrt(study.measured.variance.clip(0))
        predicted = np.sqrt([assumptions.predicted_variance(study.of, d_k) for d_k in STOPS])
    else:
        measured = study.measured.mean
        predicted = np.array([assumptions.predicted_mean(study.of, d_k) for d_k in STOPS])
    return measured / over[:, None], predicted / over


def bar_rows(study: Study, shape: Shape) -> list[list[str]]:
    """The numbers behind the bars: from and to, drawn, expected."""
    below = np.interp(shape.edges, shape.grid, shape.below)
    expected = np.diff(below) * study.measured.draws
    ends = zip(shape.edges[:-1], shape.edges[1:], study.counts.tolist(), expected, strict=True)
    return [[signed(f"{a:.4g} – {b:.4g}"), f"{count:,}", f"{e:,.1f}"] for a, b, count, e in ends]
