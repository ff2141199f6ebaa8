"""What is said of a broken assumption: tables, and what was measured.

A sentence is chosen by the measurement: another seed may call for another one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from attention.assumptions import STOPS, Components, predicted_mean, predicted_variance
from attention.intervals import standard_errors
from attention.saturation import SCALES
from ui import variance_charts
from ui.display import signed
from ui.tables import table
from ui.text import Text
from ui.variance_assumptions_measure import IN_ROWS, Array, Shape, Study, bar_rows, beyond, bound, growth
from ui.variance_charts import thousandths, with_interval

LEAST = 5e-5  #: a smaller share would be printed as 0
NORMAL_TAIL = math.erfc(3 / math.sqrt(2))  #: beyond three standard deviations of a normal distribution
GROWS = 1.25  #: from d_k = 16 to 256: more than this is said to grow; in proportion to √d_k it would be 4
FALLS = 1.6  #: and less than this part of it, to fall; in proportion to 1/√d_k it would be 4
SLIGHTLY = 1.05  #: less than this is said to stay, more to change slightly
SATURATES = 0.03  #: how much evenness rows may lose from d_k = 16 to 256 before softmax is said to notice
STUCK = 0.01  #: a weight that answers its score by less than this is said to be stuck


def number(x: float, decimals: int | None = None) -> str:
    """As on the whole page, or with so many decimals; with a real minus sign.

    >>> number(-57.61), number(0.0), number(57.328, 2), number(-0.001, 2)
    ('−57.6', '0', '57.33', '0.00')
    """
    if x == 0:
        return "0"
    return signed(variance_charts.number(x) if decimals is None else f"{round(x, decimals) or 0.0:,.{decimals}f}")


def decimals(interval: Array) -> int:
    """How many decimals an estimate deserves: those that leave its interval two digits.

    >>> import numpy as np
    >>> decimals(np.array([57.33, 57.12, 57.54])), decimals(np.array([1e6, 9e5, 1.1e6]))
    (2, 0)
    """
    half = float(interval[2] - interval[1]) / 2
    return min(max(1 - math.floor(math.log10(half)), 0), 6) if half > 0 else 2


def between(interval: Array) -> str:
    """The ends of an interval.

    >>> import numpy as np
    >>> between(np.array([0.0, -0.2, 0.2]))
    '−0.20 – 0.20'
    """
    places = decimals(interval)
    return f"{number(interval[1], places)} – {number(interval[2], places)}"


def told(interval: Array) -> str:
    """An estimate and its interval.

    >>> import numpy as np
    >>> told(np.array([57.33, 57.12, 57.54]))
    '57.33 (57.12 – 57.54)'
    """
    places = decimals(interval)
    return with_interval(*(number(x, places) for x in interval))


def summary(study: Study, text: Text) -> str:
    """Mean and variance: predicted, measured with its 95 % interval, and what the claim says."""
    rows = []
    for name, value, measured, claim in parts(study):
        places = decimals(measured)
        exact = name == "variance" and study.only is not None
        at = text("exactly", value=number(measured[0], places)) if exact else told(measured)
        rows.append([text(f"row_{name}"), f"**{number(value, places)}**", at, number(claim, 0)])
    return table(["", *(text(f"table_{name}") for name in ("predicted", "measured", "claim"))], rows)


def parts(study: Study) -> tuple[tuple[str, float, Array, float], ...]:
    """Mean and variance: as predicted, as measured (value, low, high), and as claimed."""
    of, d_k = study.of, study.d_k
    return (
        ("mean", predicted_mean(of, d_k), study.mean, 0.0),
        ("variance", predicted_variance(of, d_k), study.variance, float(d_k)),
    )


def inside(value: float, interval: Array) -> bool:
    return bool(interval[1] <= value <= interval[2])


def missed(study: Study) -> dict[str, float]:
    """By how many standard errors the measured mean and variance are off the predicted, where the interval misses."""
    return {name: standard_errors(predicted, measured)
            for name, predicted, measured, _ in parts(study) if not inside(predicted, measured)}  # fmt: skip


def verdict(study: Study, text: Text) -> list[str]:
    """Whether the formula holds for these draws, and what is left of the claim.

    Where the formula agrees with the claim, a measurement that lies elsewhere is a matter of chance, not of the claim.
    """
    both = parts(study)
    off = [text("missed", what=text(f"row_{name}"), errors=f"{by:.1f}") for name, by in missed(study).items()]
    fits = "formula_fits" if study.only is None else "formula_exact"
    variance = number(study.variance[0], 0)
    said = [text("formula_misses", what=text.list(off)) if off else text(fits, value=variance)]
    differ = {name: not inside(claim, measured) for name, predicted, measured, claim in both if predicted != claim}
    if not differ:
        said.append(text("claim_left"))
    elif not any(differ.values()):
        said.append(text("claim_undecided"))
    if differ.get("mean"):
        said.append(text("claim_mean", roots=told(study.mean / math.sqrt(study.d_k))))
    if differ.get("variance"):
        said.append(text("claim_variance", times=told(study.variance / study.d_k)))
    return said


def curves(study: Study, shape: Shape, text: Text) -> list[str]:
    """Which curve is drawn and whether the draws follow it; whether whole curve and tails are told from a normal one.

    A curve that misses where mean or variance miss as well is no second surprise.
    """
    fits = study.distance < bound(study)
    if shape.curve == "limit":
        whole = "limit_fits" if fits else "limit_misses"
    else:
        whole = "exact_fits" if fits else "exact_misses_too" if missed(study) else "exact_misses"
    said = [text(f"see_{shape.curve}"), text(whole, d_k=study.d_k)]
    same = study.limit < bound(study)
    if shape.curve != "limit":
        said.append(text("normal_same" if same else "normal_differs"))
    at, low, high = beyond(study)
    alike = low <= NORMAL_TAIL <= high
    tail = f"tail_{'alike' if same else 'silent'}" if alike else f"tail_{'apart' if same else 'too'}"
    within = share(at) if high < LEAST else text("with_interval", value=share(at), low=share(low), high=share(high))
    return [*said, text(tail, beyond=within, normal=share(NORMAL_TAIL))]


def curve_numbers(study: Study, shape: Shape, text: Text) -> list[str]:
    """The numbers by which the draws were said to follow a curve or not.

    Steps are compared between the steps: on them a continuous curve is off by half of each.
    """
    facts = {"distance": share(study.distance), "bound": share(bound(study)), "limit": share(study.limit)}
    said = [text("distance_steps" if shape.curve == "binomial" else "distance_curve", **facts)]
    return said if shape.curve == "limit" else [*said, text("distance_normal", **facts)]


def share(x: float) -> str:
    """A small share of the draws.

    >>> share(0.0027), share(0.0), share(0.132), share(2e-6)
    ('0.27%', '0%', '13.20%', '<0.01%')
    """
    return "<0.01%" if 0 < x < LEAST else f"{x:.2%}" if x else "0%"


def left(study: Study, text: Text) -> list[str]:
    """What ÷√d_k and ÷d_k leave, from d_k = 16 to 256."""
    said = []
    for scale in ("sqrt", "linear"):
        for what in ("sd", "mean"):
            measured, predicted = growth(study, what, scale)
            if predicted.any():
                at_16, at_256 = (told(measured[STOPS.index(d_k)]) for d_k in (16, 256))
                said.append(text(f"left_{scale}", what=text(f"row_{what}"), at_16=at_16, at_256=at_256,
                                 trend=text(f"trend_{trend(measured)}")))  # fmt: skip
    return said


def trend(measured: Array) -> str:
    """How a size went on from d_k = 16 to 256: "grows", "rises" or "sinks" slightly, "stays", "falls"; or "unclear".

    It is unclear where it may as well be 0.

    measured: value, low and high, a row a stop.
    """
    before, after = (measured[STOPS.index(d_k)] for d_k in (16, 256))
    if inside(0, before) or inside(0, after):
        return "unclear"
    ratio = abs(after[0] / before[0])
    if not 1 / FALLS <= ratio <= GROWS:
        return "grows" if ratio > 1 else "falls"
    if 1 / SLIGHTLY <= ratio <= SLIGHTLY or overlap(before, after):
        return "stays"
    return "rises" if ratio > 1 else "sinks"


def overlap(one: Array, other: Array) -> bool:
    """Whether two intervals have something in common: value, low, high each."""
    return bool(one[1] <= other[2] and other[1] <= one[2])


def reason(broken: str, study: Study) -> str:
    """Which sentence explains what is left, told by what the formulas predict and by what was measured.

    "none" where nothing is broken, a slider at its neutral place included; what is broken, where its reason shows;
    else "even" where mean and variance are the claim's all the same, "factor" where only a constant factor is left of
    it, and "little" where it takes more of it, or a larger d_k, to show.
    """
    of = study.of
    if of == Components():
        return "none"
    if of.law != "normal" or grows(study):
        return broken
    if all(predicted_mean(of, d_k) == 0 and math.isclose(predicted_variance(of, d_k), d_k) for d_k in STOPS):
        return "even"
    if broken == "variances":
        return broken
    return "little" if predicted_mean(of, 1) or of.shared else "factor"


def grows(study: Study) -> bool:
    """Whether after ÷√d_k mean or standard deviation still go on growing; a mean that should be 0 does not count."""
    left = (growth(study, what, "sqrt") for what in ("mean", "sd"))
    return any(predicted.any() and trend(measured) == "grows" for measured, predicted in left)


def rows_table(found: Mapping[str, Array], text: Text, *, narrow: bool = False) -> str:
    """How evenly softmax spreads rows of keys, for every way of breaking something, with 95 % intervals.

    narrow: a list, where a table has no room.
    """
    if narrow:
        lines = [f"**{text(f'broken_{way}')}**\\\n{' → '.join(map(thousandths, each))}" for way, each in found.items()]
        return "\n".join(f"- {line}" for line in [f"$d_k$ = {' → '.join(map(str, IN_ROWS))}", *lines])
    head = [text("table_broken"), *(f"d_k\u00a0=\u00a0{d_k}" for d_k in IN_ROWS)]
    return table(head, [[text(f"broken_{way}"), *map(thousandths, each)] for way, each in found.items()])


def noticed(found: Array) -> str:
    """What softmax makes of a growing d_k, from the first to the last: it "saturates", stays "level", or "flattens"."""
    before, after = found[0], found[-1]
    if abs(after[0] - before[0]) <= SATURATES or overlap(before, after):
        return "level"
    return "flattens" if after[0] > before[0] else "saturates"


def shifted(found: Array, none: Array) -> bool:
    """Whether at every d_k weights are spread otherwise than with nothing broken."""
    return all(abs(each[0] - other[0]) > SATURATES and not overlap(each, other)
               for each, other in zip(found, none, strict=True))  # fmt: skip


def judged(found: Mapping[str, Array], text: Text, none: Array | None = None) -> list[str]:
    """Which of the ways softmax does notice, which is dangerous, and which it does not.

    none: evenness with nothing broken, if that is not among what is found.
    """
    none = found["none"] if none is None else none
    by: dict[str, list[str]] = {verdict: [] for verdict in ("saturates", "level", "shifted", "flattens")}
    for way, each in found.items():
        verdict, name = noticed(each), text("row_nothing" if way == "none" else f"broken_{way}")
        if verdict == "level" and shifted(each, none):
            verdict, name = "shifted", text("row_name", name=name, value=_middle(each))
        by[verdict].append(name)
    said = [text(f"row_{verdict}", names=text.list(names), none=_middle(none))
            for verdict, names in by.items() if names]  # fmt: skip
    return said if by["saturates"] or len(found) == 1 else [*said, text("row_none")]


def _middle(found: Array) -> str:
    """An evenness in short, at a d_k between the first and the last."""
    return f"{found[len(found) // 2][0]:.2f}"


def stuck(found: Array, text: Text) -> list[str]:
    """Why a weight near 1, or near 0, is a danger; if at the largest d_k it is one.

    found: as `match_weights` returns them. The mean of p(1 − p) is at most m(1 − m), m the mean of p.
    """
    m = float(found[-1, SCALES.index("sqrt"), 0])
    answer = m * (1 - m)
    if answer >= STUCK:
        return []
    at_most = "0.001" if answer < 0.001 else f"{math.ceil(answer * 1000) / 1000:.3f}"
    return [text("match_stuck" if m > 0.5 else "match_lost", answer=at_most)]


def growth_table(study: Study, text: Text) -> str:
    head = ["d_k", *(text(f"table_{name}") for name in ("growth_mean", "interval", "growth_sd", "interval"))]
    mean, sd = (growth(study, what, "none")[0] for what in ("mean", "sd"))
    return table(head, [[str(d_k), number(mean[s, 0]), between(mean[s]), number(sd[s, 0]), between(sd[s])]
                        for s, d_k in enumerate(STOPS)])  # fmt: skip


def histogram_table(study: Study, shape: Shape, text: Text) -> str:
    return table(["q·k", text("table_drawn"), text("table_expected")], bar_rows(study, shape))


def match_table(found: Array, text: Text) -> str:
    rows = [[str(d_k), *map(thousandths, found[s])] for s, d_k in enumerate(STOPS)]
    return table(["d_k", "q·k", "÷ √d_k", "÷ d_k"], rows)
