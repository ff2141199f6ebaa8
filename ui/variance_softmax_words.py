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
from ui.variance_charts import estimate, number, percent
from ui.variance_compare import compare, level, side, values
from ui.variance_softmax_frame import ASKED, OPEN, cells

LOW = 16  #: the d_k at which the article's sentence is put to the test besides ASKED
SHOWN = round(2 ** OPEN[-1])  #: the d_k of the two rows that tell what dead means
NUDGE = 0.1  #: by how much a score is raised there
NEAR = 5  #: a guess is close if it is within so many points

#: what sentences and descriptions call by name
GIVEN = {"asked": f"{ASKED}", "low": f"{LOW}", "shown": f"{SHOWN}", "limit": f"{DEAD:g}", "nudge": f"{NUDGE:g}"}


def verdict(measured: Saturation, guess: int | str, text: Text) -> str:
    """The guess against the measurement, which is right only to within its interval."""
    dead, low, high = 100 * measured.dead[measured.at(ASKED, "none")]
    value, _, within = cells(measured, ASKED, "none")["dead"].partition(" ")
    said = {"share": value, "within": within.strip("()"), "guess": f"{guess}%", "rows": f"{measured.draws:,}"}
    if guess == SKIP:
        return text("verdict_skip", **said)
    off = float(guess) - dead
    how = "right" if low <= float(guess) <= high else "near" if abs(off) <= NEAR else "more" if off < 0 else "fewer"
    return text(f"verdict_{how}", **said)


def findings(measured: Saturation, text: Text, facts: dict[str, str]) -> list[str]:
    """Where the article's sentence holds, where it is overstated, why the mean misleads, what other divisors do."""
    most = side(measured, "dead", (ASKED, "none"), 0.5)
    flat = all(level(values(measured, what, "sqrt", LOW)) for what in ("entropy", "median"))
    return [
        text.sentences([text(f"high_{most}", **facts), text(f"low_{_typical(measured)}", **facts)]),
        text(f"mean_{_mean(measured)}", **facts),
        text.sentences([
            text(f"sqrt_{'flat' if flat else 'bent'}", **facts),
            text(f"linear_{'flattens' if _flattens(measured) else 'keeps'}", **facts),
        ]),
    ]  # fmt: skip


def _typical(measured: Saturation) -> str:
    """Whether the undivided typical gradient at LOW is larger than the divided one, while few rows are dead."""
    found = compare(measured, "median", (LOW, "none"), (LOW, "sqrt"))
    few = side(measured, "dead", (LOW, "none"), 0.5) == "less"
    return "few" if found == "more" and few else found


def _mean(measured: Saturation) -> str:
    """What becomes of the undivided mean gradient from LOW to ASKED, and why."""
    ends = (ASKED, "none"), (LOW, "none")
    if (compare(measured, "mean", *ends), compare(measured, "median", *ends)) != ("more", "less"):
        return "agrees"
    (few, _), (_, few_before) = (measured.few_within[measured.at(*end)] for end in ends)
    return "hides" if few > few_before and side(measured, "dead", ends[0], 0.5) == "more" else "parts"


def _flattens(measured: Saturation) -> bool:
    """Whether by d_k, at ASKED, hardly a row is dead, weights are more even and gradients smaller than by √d_k."""
    linear, root = (ASKED, "linear"), (ASKED, "sqrt")
    return (side(measured, "dead", linear, 0.01), compare(measured, "entropy", linear, root),
            compare(measured, "median", linear, root)) == ("less", "more", "less")  # fmt: skip


def facts(measured: Saturation, seed: int) -> dict[str, str]:
    """Every measured number that a sentence may mention: <<median_none_high>> is that of ASKED, and so on."""
    found = {"rows": f"{measured.draws:,}", "keys": str(measured.n_keys), "seed": str(seed), **GIVEN}
    for (where, d_k), column in product((("low", LOW), ("high", ASKED)), SCALES):
        for what, said in cells(measured, d_k, column).items():
            found |= {f"{what}_{column}_{where}": said, f"plain_{what}_{column}_{where}": said.partition(" (")[0]}
        found[f"q95_{column}_{where}"] = number(measured.quantiles[measured.at(d_k, column)][3])
    found |= {f"below_{i}": percent(value, 1) for i, value in enumerate(measured.below[measured.at(ASKED, "none")])}
    found |= {f"limit_{i}": f"{limit:g}" for i, limit in enumerate(LIMITS)}
    found |= {"last": f"{measured.d_k[-1]}", "tie": number(math.sqrt(ASKED) / 2)}
    for what in ("entropy", "median"):
        later = values(measured, what, "sqrt", LOW)
        found |= {f"{what}_least": number(later.min(), 3), f"{what}_most": number(later.max(), 3)}
    linear = measured.at(ASKED, "linear")
    found["largest"] = estimate(measured.largest[linear], *measured.largest_within[linear])
    return found | {"root": f"{math.sqrt(LOW):g}", "even": number(1 / measured.n_keys, 3)}


def two_rows(measured: Saturation) -> dict[str, str]:
    """A row that is alive and one that is dead, and what a nudge of a score does to each: at SHOWN, undivided."""
    scores = measured.scores[measured.d_k.index(SHOWN)]
    norms = np.linalg.norm(softmax_jacobian(softmax(scores)), axis=(1, 2))
    found = dict(GIVEN)
    for name, row in (("alive", int(np.argmax(norms >= DEAD))), ("dead", int(np.argmax(norms < DEAD)))):
        found |= {f"weights_{name}": _largest(softmax(scores[row])), f"norm_{name}": number(norms[row], 3),
                  f"moved_{name}": number(_moved(scores[row]), 4)}  # fmt: skip
    return found


def _largest(p: Array) -> str:
    return ", ".join(f"{weight:.3f}" for weight in np.sort(p)[::-1][:3]) + " …"


def _moved(scores: Array) -> float:
    """How far any weight moves when the second largest score is raised a little."""
    raised = scores.copy()
    raised[np.argsort(scores)[-2]] += NUDGE
    return float(np.abs(softmax(raised) - softmax(scores)).max())
