"""What is said of random rows: every number is measured, and so is which sentence is said."""

from __future__ import annotations

import math

import numpy as np

from attention.checks import Array
from attention.saturation import COLUMNS, DEAD, LIMITS, Saturation
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
    s, c = measured.d_k.index(ASKED), COLUMNS.index("none")
    dead, (low, high) = 100 * measured.dead[s, c], 100 * measured.interval["dead"][s, c]
    value, _, within = cells(measured, s, "none")["dead"].partition(" ")
    said = {"share": value, "within": within.strip("()"), "guess": f"{guess}%", "rows": f"{measured.draws:,}"}
    if guess == SKIP:
        return text("verdict_skip", **said)
    off = float(guess) - dead
    how = "right" if low <= float(guess) <= high else "near" if abs(off) <= NEAR else "more" if off < 0 else "fewer"
    return text(f"verdict_{how}", **said)


def findings(measured: Saturation, text: Text, facts: dict[str, str]) -> list[str]:
    """Where the article's sentence holds, where it is overstated, why the mean misleads, what other divisors do."""
    at, low = measured.d_k.index(ASKED), measured.d_k.index(LOW)
    most = _side(measured, "dead", at, "none", 0.5)
    typical = compare(measured, "median", (low, "none"), (low, "sqrt"))
    mean = compare(measured, "mean", (at, "none"), (low, "none"))
    median = compare(measured, "median", (at, "none"), (low, "none"))
    hides = "hides" if mean == "more" and median == "less" else "agrees"
    flat = "flat" if level(measured, "sqrt") else "bent"
    flattened = compare(measured, "median", (at, "linear"), (at, "sqrt")) == "less"
    even = compare(measured, "entropy", (at, "linear"), (at, "sqrt")) == "more"
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
        measured.interval[what][s, COLUMNS.index(column)].tolist() for s, column in (one, other)
    )
    return "more" if low > most else "less" if high < least else "same"


def _side(measured: Saturation, what: str, s: int, column: str, limit: float) -> str:
    low, high = measured.interval[what][s, COLUMNS.index(column)]
    return "more" if low > limit else "less" if high < limit else "same"


def level(measured: Saturation, column: str) -> bool:
    """Whether entropy and median gradient stay the same from LOW on."""
    later = slice(measured.d_k.index(LOW), None)
    figures = (each[later, COLUMNS.index(column)] for each in (measured.entropy, measured.median))
    return all(each.max() <= FLAT * each.min() for each in figures)


def facts(measured: Saturation, seed: int) -> dict[str, str]:
    """Every measured number that a sentence may mention: <<median_none_512>> and so on."""
    found = {"rows": f"{measured.draws:,}", "keys": str(measured.n_keys), "seed": str(seed)}
    for s, d_k in enumerate(measured.d_k):
        if d_k in {LOW, SHOWN, ASKED, measured.d_k[-1]}:
            for column in ("none", "sqrt", "linear"):
                found |= {f"{what}_{column}_{d_k}": said for what, said in cells(measured, s, column).items()}
                found |= {f"plain_{what}_{column}_{d_k}": said.partition(" (")[0]
                          for what, said in cells(measured, s, column).items()}  # fmt: skip
                found[f"q95_{column}_{d_k}"] = digits(measured.quantiles[s, COLUMNS.index(column), 3])
    at, none = measured.d_k.index(ASKED), COLUMNS.index("none")
    found |= {f"below_{i}": share(value) for i, value in enumerate(measured.below[at, none])}
    found |= {f"limit_{i}": f"{limit:g}" for i, limit in enumerate(LIMITS)} | {"limit": f"{DEAD:g}"}
    found["tie"] = digits(math.sqrt(ASKED) / 2)
    later = slice(measured.d_k.index(LOW), None)
    for what in ("entropy", "median"):
        values = getattr(measured, what)[later, COLUMNS.index("sqrt")]
        found |= {f"{what}_least": digits(values.min()), f"{what}_most": digits(values.max())}
    sqrt, linear = COLUMNS.index("sqrt"), COLUMNS.index("linear")
    return found | {"times": f"{measured.median[at, sqrt] / measured.median[at, linear]:.0f}"}


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
