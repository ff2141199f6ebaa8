"""What the charts of the divisors are drawn from: a frame in which every number and word is a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from attention.checks import Array
from attention.divisors import divisor
from attention.experiment import EDGES
from attention.saturation import POWERS, Saturation
from ui import display
from ui.text import Text
from ui.variance_charts import NAMES, Record, estimate, evenness, frame_of

STOPS = tuple(2**n for n in range(2, 13))  #: the d_k that are compared, of those that are measured
ROWS = 3  #: how many queries' scores are shown
SIDES = ("none", "sqrt", "power", "other")  #: the panels
OPEN = ("power", "none", "other")  #: and while the question is open
WIDTH = float(EDGES[1] - EDGES[0])
OUTLINED = (4, 16, 64, 256, 1024, 4096)  #: the d_k whose outlines stay in every panel
FIELDS = ("kind", "side", "who", "d", "i", "a", "y", "other", "low", "high", "text")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@lru_cache(maxsize=32)
def frame(found: Saturation, other: str, answered: bool, text: Text) -> Any:
    """Histograms, scores, curves and words. `other` is the divisor of the last panel.

    answered: until the guess there are neither the panel of √d_k nor curves.
    side: a panel. who: the divisor that gives a mark its colour. i: which of POWERS. y: a number as q·k has it;
    other: the same as `other` makes it.
    """
    rows = [*_bars(found, other), *_scores(found, other), *_words(found, other, SIDES if answered else OPEN, text)]
    if answered:
        rows += [*_curves(found, other), *_headings(other, text)]
    return frame_of(rows, FIELDS)


def _row(kind: str, side: str | None = None, who: str | None = None, **values: Any) -> Record:
    return {"kind": kind, "side": side, "who": who, **values}


def _bars(found: Saturation, other: str) -> Iterator[Record]:
    """Where each bar begins, as q·k ÷ √d_k and as the other has it, and its share of the scores."""
    total = found.draws * found.n_keys
    for d_k in STOPS:
        s = found.d_k.index(d_k)
        others = found.cosine_counts[s] if other == "cosine" else found.counts[s]
        for a, count, count_other in zip(EDGES[:-1], found.counts[s], others, strict=True):
            yield _row("bar", who=other, d=d_k, a=float(a), y=count / total, other=count_other / total,
                       low=stretch(other, d_k))  # fmt: skip


def stretch(name: str, d_k: int) -> float:
    """How many units of a divided score one unit of a histogram is."""
    return 1 / d_k**0.5 if name == "cosine" else d_k**0.5 / divisor(name, d_k)


def _scores(found: Saturation, other: str) -> Iterator[Record]:
    """The scores of three queries: q·k, and as the other divides it."""
    for d_k in STOPS:
        s = found.d_k.index(d_k)
        scores = found.scores[s, :ROWS]
        others = found.cosines[s, :ROWS] if other == "cosine" else scores / divisor(other, d_k)
        for row, key in np.ndindex(others.shape):
            at = float(row * (others.shape[1] + 1) + key)
            yield _row("score", d=d_k, i=row, a=at, y=float(scores[row, key]), other=float(others[row, key]))


def _curves(found: Saturation, other: str) -> Iterator[Record]:
    """Standard deviation and entropy against d_k; of the powers every one that was measured."""
    for d_k in STOPS:
        yield _curve("power_spread", "power", found.spread(d_k, "none"), d_k)
        for i, power in enumerate(POWERS):
            yield _curve("power_entropy", "power", entropy(found, d_k, power), d_k, i)
        for name in ("none", "sqrt", other):
            yield _curve("spread", name, found.spread(d_k, name), d_k)
            yield _curve("entropy", name, entropy(found, d_k, name), d_k)


def _curve(kind: str, who: str, estimate: Array, d_k: int, i: int | None = None) -> Record:
    y, low, high = map(float, estimate)
    return _row(kind, who=who, d=d_k, i=i, y=y, low=low, high=high)


def entropy(found: Saturation, d_k: int, column: str) -> Array:
    """Mean entropy of a row and its 95 % interval: (3,)."""
    return np.asarray(found.entropy[found.at(d_k, column)])


def _words(found: Saturation, other: str, sides: Sequence[str], text: Text) -> Iterator[Record]:
    """What each panel divides by, and what comes of it at every d_k and, for the power, every α."""
    for side in sides:
        name = other if side == "other" else side
        yield _row("title", side, name, text=None if side == "power" else NAMES[name])
        for d_k in STOPS:
            for i, column in enumerate(POWERS) if side == "power" else [(None, name)]:
                said = text("spread_word", spread=sized(found.spread(d_k, column)))
                yield _row("spread_word", side, name, d=d_k, i=i, text=said)
                said = text("entropy_word", entropy=evenness(entropy(found, d_k, column)))
                yield _row("entropy_word", side, name, d=d_k, i=i, text=said)
    for d_k in STOPS:
        yield _row("stop", d=d_k, text=f"d_k = {d_k}")
    yield _row("weights_word", text=text("weights_word", rows=ROWS, keys=found.n_keys))


def _headings(other: str, text: Text) -> Iterator[Record]:
    """What the curves are, and which is which."""
    for side in SIDES:
        name = other if side == "other" else side
        yield _row("key", side, name, text=short_name(name), a=float(SIDES.index(side)))
    yield _row("heading", "spread", text=text("title_spread"))
    yield _row("heading", "entropy", text=text("title_evenness"))


def short_name(name: str) -> str:
    """What the scores are divided by.

    >>> short_name("linear"), short_name("cosine"), short_name("none")
    ('÷ d_k', 'cos(q, k)', 'q·k')
    """
    return NAMES[name].replace("q·k ÷", "÷")


def digits(x: float, figures: int = 3) -> str:
    """A number of any size in so many figures.

    >>> digits(63.641), digits(0.998), digits(0.0156), digits(5.58e-17), digits(2.0**30), digits(0.0)
    ('63.6', '0.998', '0.0156', '5.58·10⁻¹⁷', '1.07·10⁹', '0')
    """
    if x and not 1e-3 <= abs(x) < 1e3:
        mantissa, _, exponent = f"{x:.{figures - 1}e}".partition("e")
        return display.signed(mantissa) + "·10" + str(int(exponent)).translate(_SUPERSCRIPT)
    return display.signed(f"{x:#.{figures}g}".rstrip(".")) if x else "0"


def sized(estimate_: Array) -> str:
    """A standard deviation and its 95 % interval; one that is tiny or huge in three figures.

    >>> sized(np.array([7.93, 7.86, 8.0])), sized(np.array([5.58e-17, 5.5e-17, 5.6e-17]))
    ('7.930 (7.860 – 8.000)', '5.58·10⁻¹⁷')
    """
    return estimate(*estimate_) if 1e-3 <= estimate_[0] < 1e3 else digits(estimate_[0])
