"""What was seen in the scale lab: a line for each link that was tested, of what was measured; none for the others."""

from __future__ import annotations

import math
from collections.abc import Callable

from attention import training
from attention.saturation import POWERS, Saturation
from ui import predict, state, training_runs, variance_measure, views
from ui import variance_assumptions_measure as assumptions
from ui import variance_assumptions_words as assumptions_words
from ui import variance_divisors_words as divisors_words
from ui import variance_softmax_words as softmax_words
from ui import variance_spread as spread_words
from ui.text import Text
from ui.variance_compare import compare
from ui.variance_guesses import GUESSES
from ui.variance_softmax_frame import ASKED
from ui.variance_softmax_words import LOW
from ui.variance_training_facts import outcome

#: parts that show what another one asks for
ANSWERED_BY = {"gradient": "softmax"}


def tested(part: str) -> bool:
    """Whether a part may say what came out: after the guess that it would answer."""
    view = GUESSES.get(ANSWERED_BY.get(part, part))
    return view is None or predict.given(view) is not None


def said(text: Text) -> str:
    """The lines, numbered as the parts are; and which parts are still to be tested.

    text: the page's catalogue
    """
    names = {part: text(f"part_{part}") for part in LINES}
    found = {part: line(text) if tested(part) else "" for part, line in LINES.items()}
    lines = [f"- **{names[part]}**{text('saw_gap')}{line}" for part, line in found.items() if line]
    rest = [names[part] for part, line in found.items() if not line]
    return "\n".join(lines + [""] + [text("saw_rest", parts=text.list(rest))] * bool(rest))


def _spread(text: Text) -> str:
    measured = variance_measure.spread(text)
    _, low, high = measured.power
    return text(f"saw_spread_{'holds' if low <= 1 <= high else 'off'}", **spread_words.facts(measured))


def _softmax(text: Text) -> str:
    measured = variance_measure.rows(text)
    _, low, _ = measured.dead[measured.at(ASKED, "none")]
    _, _, high = measured.dead[measured.at(LOW, "none")]
    return _of_rows(f"saw_softmax_{'more' if low > high else 'same'}", measured, text)


def _gradient(text: Text) -> str:
    measured, ends = variance_measure.rows(text), ((ASKED, "none"), (LOW, "none"))
    apart = [compare(measured, what, *ends) for what in ("median", "mean")] == ["less", "more"]
    return _of_rows(f"saw_gradient_{'apart' if apart else 'both'}", measured, text)


def _of_rows(id: str, measured: Saturation, text: Text) -> str:
    return text(id, **softmax_words.facts(measured, state.bench().variance_seed))


def _training(text: Text) -> str:
    """Of the rate with the most finished runs; nothing where not every size has been trained both ways."""
    bench = state.bench()
    optimizer = views.get(bench, "variance.optimizer")
    begun = training_runs.shared().begun(optimizer, bench.variance_seed)
    series = max(begun, key=lambda each: len(each.done), default=None)
    found = {(d_k, scale): series and outcome(series, d_k, scale) for scale in training.SCALES for d_k in training.D_K}
    learned = {key: [steps < math.inf for steps in each.learned] for key, each in found.items() if each}
    if series is None or len(learned) < len(found):
        return ""
    runs = {scale: [ok for d_k in training.D_K for ok in learned[d_k, scale]] for scale in training.SCALES}
    bare = [str(d_k) for d_k in training.D_K if any(learned[d_k, "none"])]
    return text(
        f"saw_training_{'some' if bare else 'none'}", sizes=text.list(bare), rate=f"{series.learning_rate:g}",
        optimizer=Text("variance_training", text.lang)(f"optimizer_{optimizer}"),
        scaled=sum(runs["sqrt"]), scaled_of=len(runs["sqrt"]), bare=sum(runs["none"]), bare_of=len(runs["none"]),
    )  # fmt: skip


def _divisors(text: Text) -> str:
    measured = variance_measure.rows(text)
    best, half = (f"{alpha:g}" for alpha in (divisors_words.most_alike(measured), 0.5))
    powers = {"best": best, "half": half, "powers": len(POWERS), **divisors_words.ENDS}
    return text(f"saw_divisors_{'half' if best == half else 'other'}", **powers)


def _assumptions(text: Text) -> str:
    """What is dangerous, if anything is."""
    found = assumptions.in_rows(state.bench(), *assumptions.BROKEN)
    said = assumptions_words.judged(found, Text("variance_assumptions", text.lang))
    return said[0] if "saturates" in map(assumptions_words.noticed, found.values()) else said[-1]


LINES: dict[str, Callable[[Text], str]] = {
    "spread": _spread, "softmax": _softmax, "gradient": _gradient, "training": _training,
    "divisors": _divisors, "assumptions": _assumptions,
}  # fmt: skip
