"""What is said of random rows: every number is measured, and so is which sentence is said."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from attention.checks import Array
from attention.saturation import DEAD, LIMITS, SCALES, Saturation
from attention.softmax import softmax, softmax_jacobian
from ui.predict import SKIP
from ui.text import Text
from ui.variance_softmax_frame import ASKED, cells, digits, share

LOW = 16  #: the d_k at which the article's sentence is put to the test besides ASKED
SHOWN = 64  #: the d_k of the two rows that tell what dead means
NUDGE = 0.1  #: by how much a score is raised there
NEAR = 5  #: a guess is close if it is within so many points
FLAT = 1.15  #: a figure stays level if its largest value is at most so many times its smallest


def verdict(measured: Saturation, guess: int | str, text: Text) -> str:
    """The guess against the measurement, which is right only to within its interval."""
    at = measured.at(ASKED, "none")
    dead, low, high = 100 * measured.dead[at]
    value, _, within = cells(measured, ASKED, "none")["dead"].partition(" ")
    said = {"share": value, "within": within.strip("()"), "guess": f"{guess}%", "rows": f"{measured.draws:,}"}
    if guess == SKIP:
        return text("verdict_skip", **said)
    off = float(guess) - dead
    how = "right" if low <= float(guess) <= high else "near" if abs(off) <= NEAR else "more" if off < 0 else "fewer"
    return text(f"verdict_{how}", **said)


def findings(measured: Saturation, text: Text, facts: dict[str, str]) -> list[str]:
    """Where the article's sentence holds, where it is overstated, why the mean misleads, what other divisors do."""
    most = _side(measured, "dead", (ASKED, "none"), 0.5)
    typical = compare(measured, "median", (LOW, "none"), (LOW, "sqrt"))
    mean = compare(measured, "mean", (ASKED, "none"), (LOW, "none"))
    median = compare(measured, "median", (ASKED, "none"), (LOW, "none"))
    hides = "hides" if mean == "more" and median == "less" else "agrees"
    flat = "flat" if level(measured, "sqrt") else "bent"
    flattened = compare(measured, "median", (ASKED, "linear"), (ASKED, "sqrt")) == "less"
    even = compare(measured, "entropy", (ASKED, "linear"), (ASKED, "sqrt")) == "more"
    return [
        text.sentences([text(f"at_512_{most}", **facts), text(f"at_16_{typical}", **facts)]),
        text(f"mean_{hides}", **facts),
        text.sentences([
            text(f"sqrt_{flat}", **facts), text(f"linear_{'flattens' if flattened and even else 'keeps'}", **facts)
        ]),
    ]  # fmt: skip


def compare(measured: Saturation, what: str, one: tuple[int, str], other: tuple[int, str]) -> str:
    """Whether one estimate is more or less than the other, beyond what the intervals of both leave open."""
    (low, high), (least, most) = (
        getattr(measured, what)[measured.at(*each)][1:].tolist() for each in (one, other)
    )
    return "more" if low > most else "less" if high < least else "same"


def _side(measured: Saturation, what: str, one: tuple[int, str], limit: float) -> str:
    _, low, high = getattr(measured, what)[measured.at(*one)]
    return "more" if low > limit else "less" if high < limit else "same"


def level(measured: Saturation, column: str) -> bool:
    """Whether entropy and median gradient stay the same from LOW on."""
    figures = (_later(measured, what, column) for what in ("entropy", "median"))
    return all(each.max() <= FLAT * each.min() for each in figures)


def _later(measured: Saturation, what: str, column: str) -> Array:
    """A figure at every stop from LOW on."""
    s, c = measured.at(LOW, column)
    figures: Array = getattr(measured, what)[s:, c, 0]
    return figures


def facts(measured: Saturation, seed: int) -> dict[str, str]:
    """Every measured number that a sentence may mention: <<median_none_512>> and so on."""
    found = {"rows": f"{measured.draws:,}", "keys": str(measured.n_keys), "seed": str(seed)}
    for d_k, column in product((LOW, SHOWN, ASKED, measured.d_k[-1]), SCALES):
        for what, said in cells(measured, d_k, column).items():
            found |= {f"{what}_{column}_{d_k}": said, f"plain_{what}_{column}_{d_k}": said.partition(" (")[0]}
        found[f"q95_{column}_{d_k}"] = digits(measured.quantiles[measured.at(d_k, column)][3])
    found |= {f"below_{i}": share(value) for i, value in enumerate(measured.below[measured.at(ASKED, "none")])}
    found |= {f"limit_{i}": f"{limit:g}" for i, limit in enumerate(LIMITS)} | {"limit": f"{DEAD:g}"}
    found["tie"] = digits(math.sqrt(ASKED) / 2)
    for what in ("entropy", "median"):
        values = _later(measured, what, "sqrt")
        found |= {f"{what}_least": digits(values.min()), f"{what}_most": digits(values.max())}
    sqrt, linear = (measured.median[measured.at(ASKED, column)][0] for column in ("sqrt", "linear"))
    return found | {"times": f"{sqrt / linear:.0f}"}


def two_rows(measured: Saturation) -> dict[str, str]:
    """A row that is alive and one that is dead, and what a nudge of a score does to each: at SHOWN, undivided."""
    scores = measured.scores[measured.d_k.index(SHOWN)]
    norms = np.linalg.norm(softmax_jacobian(softmax(scores)), axis=(1, 2))
    found = {"nudge": f"{NUDGE}", "d_k": str(SHOWN), "limit": f"{DEAD}"}
    for name, row in (("alive", int(np.argmax(norms >= DEAD))), ("dead", int(np.argmax(norms < DEAD)))):
        found |= {f"weights_{name}": _largest(softmax(scores[row])), f"norm_{name}": digits(norms[row]),
                  f"moved_{name}": digits(_moved(scores[row]))}  # fmt: skip
    return found


def _largest(p: Array) -> str:
    return ", ".join(f"{weight:.3f}" for weight in np.sort(p)[::-1][:3]) + " …"


def _moved(scores: Array) -> float:
    """How far any weight moves when the second largest score is raised a little."""
    raised = scores.copy()
    raised[np.argsort(scores)[-2]] += NUDGE
    return float(np.abs(softmax(raised) - softmax(scores)).max())
