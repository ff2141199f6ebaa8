"""What is said of divisors: every number is measured, and so is which sentence is said."""

from __future__ import annotations

import math

import numpy as np

from attention.checks import Array
from attention.divisors import HEADS, divisor
from attention.intervals import standard_errors
from attention.saturation import ALPHAS, POWERS, SCALES, Saturation
from ui.predict import SKIP
from ui.tables import table
from ui.text import Text
from ui.variance_charts import NAMED, estimated_share, evenness, number, thousandths
from ui.variance_compare import compare, level, side
from ui.variance_divisors_frame import OUTLINED, STOPS, digits, entropy, short_name, sized

CHOICES = tuple(name for name in NAMED if name not in {"none", "sqrt"})  #: what the last panel can divide by
ENDS = {"first": f"{STOPS[0]}", "last": f"{STOPS[-1]}"}
ANSWERS = {"0": 0.0, "quarter": 0.25, "half": 0.5, "most": 0.75, "1": 1.0}  #: what can be guessed: α


def _spreads(found: Saturation, column: str) -> Array:
    """How wide the outlines are."""
    return np.array([found.spread(d_k, column)[0] for d_k in OUTLINED])


def _entropies(found: Saturation, column: str) -> Array:
    """A row's mean entropy, for every d_k that can be dragged to."""
    return np.array([entropy(found, d_k, column)[0] for d_k in STOPS])


def verdict(found: Saturation, guess: str, text: Text) -> str:
    """The guess against the α by which the outlines are most alike in width."""
    apart = [float(np.ptp(np.log(_spreads(found, power)))) for power in POWERS]
    best = ALPHAS[int(np.argmin(apart))]
    how = "skip" if guess == SKIP else "right" if ANSWERS[guess] == best else "wrong"
    said = {alpha: text(f"alpha_{name}") for name, alpha in ANSWERS.items()}
    return text(f"verdict_{how}", guess=said.get(ANSWERS.get(guess, 0.0)), best=said.get(best, f"{best:g}"))


def seen(found: Saturation, text: Text) -> str:
    """What the panels show, by what was measured."""
    first, last = STOPS[0], STOPS[-1]
    said = ENDS | {"best": f"{most_alike(found):g}", "powers": f"{len(POWERS)}"}
    said |= {f"{name}_{where}": _roughly(found, d_k, name)
             for name in SCALES for where, d_k in (("first", first), ("last", last))}  # fmt: skip
    said |= {"dead": estimated_share(*found.dead[found.at(last, "linear")])}
    same = level(_spreads(found, "sqrt")) and level(_entropies(found, "sqrt"))
    pointed = found.counts[found.d_k.index(first)].max() > found.counts[found.d_k.index(last)].max()
    off = missed(found)
    said |= {"missed": ", ".join(map(str, off)), "errors": f"{max(off.values(), default=0):.1f}"}
    clauses = [f"root_{'level' if same else 'bent'}",
               *([f"root_missed_{'one' if len(off) == 1 else 'some'}"] if same and off else []),
               *(["root_pointed"] if same and pointed else []),
               f"none_{compare(found, 'entropy', (last, 'none'), (first, 'none'))}", f"linear_{_linear(found)}",
               "powers", "intervals"]  # fmt: skip
    return text.sentences([text(clause, **said) for clause in clauses])


def most_alike(found: Saturation) -> float:
    """The α by which d_k changes entropy least."""
    return ALPHAS[int(np.argmin([float(np.ptp(_entropies(found, power))) for power in POWERS]))]


def missed(found: Saturation) -> dict[int, float]:
    """By how many standard errors the variance divided by √d_k is off 1, at each d_k whose interval misses 1."""
    squares = {d_k: found.spread(d_k, "sqrt") ** 2 for d_k in STOPS}
    return {d_k: standard_errors(1, square) for d_k, square in squares.items() if not square[1] <= 1 <= square[2]}


def _linear(found: Saturation) -> str:
    """What becomes of entropy divided by d_k; flat, if it rises while no more than one row in a hundred is dead."""
    last = STOPS[-1], "linear"
    moves = compare(found, "entropy", last, (STOPS[0], "linear"))
    return "flat" if moves == "more" and side(found, "dead", last, 0.01) == "less" else moves


def _roughly(found: Saturation, d_k: int, name: str) -> str:
    return evenness(entropy(found, d_k, name)).partition(" ")[0]


# Why not another divisor: the numbers that answer it.


def why_not(name: str, found: Saturation, d_k: int, text: Text) -> str:
    """What a divisor does to the scores at this d_k, and why that is not wanted."""
    n, at = found.n_keys, found.at(d_k, name)
    return text(
        f"why_{name}", d_k=d_k, keys=n, even=number(1 / n, 3), top=_top(found, d_k, name),
        spread=_plain(found, d_k, name), spread_linear=_plain(found, d_k, "linear"),
        dead=estimated_share(*found.dead[at]),
        entropy=_roughly(found, d_k, name), entropy_sqrt=_roughly(found, d_k, "sqrt"),
        divisor="" if name == "cosine" else _divisor(divisor(name, d_k)), root=digits(math.sqrt(d_k)), heads=HEADS,
        too_much=digits(math.sqrt(HEADS)), most=f"{math.e**2 / (math.e**2 + n - 1):.0%}", ratio=f"{math.e**2:.2f}",
    )  # fmt: skip


def _plain(found: Saturation, d_k: int, name: str) -> str:
    return digits(found.spread(d_k, name)[0])


def compared(found: Saturation, d_k: int, text: Text) -> str:
    """All divisors at one d_k."""
    head = [text(f"table_{name}") for name in ("divisor", "spread", "evenness", "top")]
    rows = []
    for name in ("none", "sqrt", *CHOICES):
        equals = "" if name in {"none", "cosine"} else f" = {_divisor(divisor(name, d_k))}"
        even, top = evenness(entropy(found, d_k, name)), _top(found, d_k, name)
        rows.append([short_name(name) + equals, sized(found.spread(d_k, name)), even, top])
    return table(head, rows)


def _top(found: Saturation, d_k: int, name: str) -> str:
    """The mean of the largest weight of a row, with its interval."""
    at = found.at(d_k, name)
    return thousandths((found.largest[at], *found.largest_within[at]))


def _divisor(x: float) -> str:
    return f"{x:,.0f}" if x == round(x) and x < 1e6 else digits(x)


def how(found: Saturation, seed: int, text: Text) -> str:
    """How it was measured."""
    return text("how", rows=f"{found.draws:,}", keys=found.n_keys, seed=seed, powers=len(POWERS), heads=HEADS,
                scores=f"{found.draws * found.n_keys:,}", **ENDS)  # fmt: skip
