"""What the training runs show, in words and in a table: every sentence is chosen by the runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

from attention import training
from ui.tables import table
from ui.text import Text
from ui.training_runs import Series
from ui.variance_charts import number, percent
from ui.variance_training_facts import BANDS, BELOW, LAST, Outcome, at, finished, outcome, steps_to_learn

HARD = 0.05  #: entropy below which each query looks at one key
FIRST = LAST  #: the loss at the beginning is that of so many steps


def findings(series: Series, hidden: bool, text: Text) -> Iterator[str]:
    """A sentence a finding; the largest d_k is not mentioned while it waits for a guess."""
    sizes = training.D_K[:-1] if hidden else training.D_K
    outcomes = {(d_k, scale): outcome(series, d_k, scale) for d_k in sizes for scale in training.SCALES}
    known = {key: each for key, each in outcomes.items() if each is not None}
    if len(known) < len(outcomes):
        return
    for scale in training.SCALES:
        yield _learned(scale, {d_k: known[d_k, scale].learned for d_k in sizes}, text)
    yield _gradient(series, sizes[-1], known[sizes[-1], "none"], text)
    if not hidden:
        yield _conclusion(sizes[-1], known[sizes[-1], "none"], known[sizes[-1], "sqrt"], text)


def _learned(scale: str, runs: dict[int, tuple[float, ...]], text: Text) -> str:
    """Which sizes learn, and after how many steps: what most of their seeds do; and how many seeds do not."""
    learned = {d_k: median(steps) for d_k, steps in runs.items() if median(steps) < math.inf}
    said = [text("size_learned", d_k=d_k, steps=f"{steps:g}") for d_k, steps in learned.items()]
    never = [str(d_k) for d_k in runs if d_k not in learned]
    how = "all" if not never else "some" if said else "none"
    sentences = [text(f"learned_{how}_{scale}", sizes=text.list(said), never=text.list(never),
                      level=number(BELOW * training.CHANCE), steps=training.STEPS)]  # fmt: skip
    of_those = [steps for d_k in learned for steps in runs[d_k]]
    if math.inf in of_those:
        sentences.append(text("not_all", count=of_those.count(math.inf), runs=len(of_those)))
    return text.sentences(sentences)


def _gradient(series: Series, d_k: int, unscaled: Outcome, text: Text) -> str:
    """What became of the gradient without √d_k: at first against the scaled model, then against its own beginning."""

    def typical(scale: str, measure: str, step: int) -> float:
        return median(at(curve, step) for curve in finished(series, d_k, scale, measure))

    first, end = (typical("none", "gradient", step) for step in (FIRST, training.STEPS))
    begun = ([at(curve, FIRST) for curve in finished(series, d_k, scale, "gradient")] for scale in ("none", "sqrt"))
    ratios = [bare / scaled for bare, scaled in zip(*begun, strict=False)]  # of runs that begin alike
    begins = {_begins(ratio) for ratio in ratios}
    begin = "mixed" if {"more", "less"} <= begins else _begins(median(ratios))
    ends = "learned" if unscaled.kind == "fast" else "gone" if end < 0.1 * first else "left"
    values = {"d_k": d_k, "first": FIRST, "ratio": median_and_range(ratios, text), "left": percent(end / first),
              "last": training.STEPS + 1 - LAST, "steps": training.STEPS, "loss": number(unscaled.end),
              "entropy": number(typical("none", "entropy", training.STEPS))}  # fmt: skip
    said = [f"gradient_{begin}", f"then_{ends}"]
    if ends == "gone" and typical("none", "entropy", training.STEPS) < HARD:
        said.append("and_hard")
    return text.sentences([text(id, **values) for id in said])


def _begins(ratio: float) -> str:
    return "more" if ratio > 1.25 else "less" if ratio < 0.8 else "same"


def _conclusion(d_k: int, unscaled: Outcome, scaled: Outcome, text: Text) -> str:
    """Whether training stalls for want of √d_k."""
    if scaled.kind != "fast":
        return text("conclude_neither", d_k=d_k, scaled=number(scaled.end), unscaled=number(unscaled.end))
    return text(f"conclude_{unscaled.kind}", d_k=d_k)


def verdict(series: Series, guess: str, optimizer: str, text: Text) -> str:
    """The answer to the question, and whether the guess was right."""
    largest = training.D_K[-1]
    found = outcome(series, largest, "none")
    if found is None:
        return text("guess_waits" if guess in BANDS else "answer_waits", d_k=largest)
    seeds = len(found.ends)
    agree = text("agree_one") if seeds == 1 else text("agree_more", agreeing=found.agreeing, seeds=seeds)
    truth = text(
        "answer", d_k=largest, optimizer=optimizer, steps=training.STEPS, loss=median_and_range(found.ends, text),
        of=percent(found.end / training.CHANCE), what=text(f"is_{found.kind}"), agree=agree,
    )  # fmt: skip
    if guess not in BANDS:
        return truth
    return text.sentences([text("right" if guess == found.kind else "wrong", guess=text(f"guess_{guess}")), truth])


def median_and_range(values: Sequence[float], text: Text) -> str:
    """The median of the seeds, and the least and the most of them; what is infinite never came.

    >>> text = Text("variance_training", "en")
    >>> [median_and_range(each, text) for each in ([0.02, 0.49, 0.03], [0.02], [20, math.inf, 31], [math.inf] * 2)]
    ['0.030 (0.020 … 0.49)', '0.020', '31 (20 … never)', 'never']
    """

    def said(value: float) -> str:
        return text("never") if value == math.inf else f"{value:g}" if isinstance(value, int) else number(value)

    middle, low, high = map(said, (median(values), min(values), max(values)))
    return middle if low == high else text("median_and_range", median=middle, least=low, most=high)


def results(series: Series, measure: str, hidden: bool, text: Text) -> str:
    """What is looked at after 10, 50 and 100 steps, and how many it took to learn: a line a d_k and divisor."""
    stops = (LAST, training.STEPS // 2, training.STEPS)
    head = ["d_k", "÷", *(text("table_at", what=text(f"measure_{measure}"), step=step) for step in stops),
            text("table_learned", level=number(BELOW * training.CHANCE))]  # fmt: skip
    lines = []
    for d_k in training.D_K:
        for scale, divisor in (("sqrt", "√d_k"), ("none", "1")):
            curves = [] if hidden and d_k == training.D_K[-1] else finished(series, d_k, scale, measure)
            cells = [median_and_range([at(each, step) for each in curves], text) if curves else "" for step in stops]
            learned = [steps_to_learn(each) for each in finished(series, d_k, scale, "loss")] if curves else []
            lines.append([str(d_k), divisor, *cells, median_and_range(learned, text) if learned else ""])
    return table(head, lines)
