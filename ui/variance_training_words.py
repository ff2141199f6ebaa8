"""What the training runs show, in words and in a table: every sentence is chosen by the runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from attention import training
from ui.tables import table
from ui.text import Text
from ui.training_runs import Series
from ui.variance_charts import number, percent
from ui.variance_training_charts import BANDS, LAST

BELOW = 0.25  #: of the loss of guessing: where a model counts as having learned
OVER = 5  #: steps over which the loss must be below that on average
LARGEST = training.D_K[-1]
HARD = 0.05  #: entropy below which each query looks at one key
FIRST = LAST  #: the loss at the beginning is that of so many steps


@dataclass(frozen=True)
class Outcome:
    """Where the runs of one d_k and divisor have got to, a number a finished seed."""

    ends: tuple[float, ...]
    learned: tuple[float, ...]  # after how many steps; infinite where the run never did

    @property
    def end(self) -> float:
        return median(self.ends)

    @property
    def kind(self) -> str:
        """Which answer to the question this is."""
        return answer(self.end)

    @property
    def agreeing(self) -> int:
        """How many seeds say the same as their median."""
        return sum(answer(end) == self.kind for end in self.ends)


def answer(loss: float) -> str:
    """What a loss at the last step amounts to.

    >>> [answer(share * training.CHANCE) for share in (0.05, 0.5, 1.1)]
    ['fast', 'slower', 'stalls']
    """
    return next(name for name, (_, high) in BANDS.items() if loss <= high * training.CHANCE)


def at(curve: Sequence[float], step: int) -> float:
    """The mean of ten steps, up to this one."""
    return float(np.mean(curve[step - LAST : step]))


def steps_to_learn(loss: Sequence[float]) -> float:
    """The first step at which the mean loss of five steps is below a quarter of that of guessing.

    >>> steps_to_learn([2.0] * 20 + [0.1] * 20), steps_to_learn([2.0] * 40)
    (24, inf)
    """
    sums = np.convolve(loss, np.ones(OVER), "valid")
    below = np.flatnonzero(sums < OVER * BELOW * training.CHANCE)
    return int(below[0]) + OVER if len(below) else math.inf


def outcome(series: Series, d_k: int, scale: str) -> Outcome | None:
    """What the finished runs of this d_k and divisor came to; None while there is none."""
    curves = finished(series, d_k, scale, "loss")
    if not curves:
        return None
    return Outcome(tuple(at(each, training.STEPS) for each in curves), tuple(map(steps_to_learn, curves)))


def finished(series: Series, d_k: int, scale: str, measure: str) -> list[list[float]]:
    settings = (training.Setting(d_k, scale, series.optimizer, seed) for seed in series.seeds)
    return [series.done[each][measure].tolist() for each in settings if each in series.done]


def findings(series: Series, hidden: bool, text: Text) -> Iterator[str]:
    """A sentence a finding; the largest d_k is not mentioned while it waits for a guess."""
    sizes = [d_k for d_k in training.D_K if not (hidden and d_k == LARGEST)]
    outcomes = {(d_k, scale): outcome(series, d_k, scale) for d_k in sizes for scale in training.SCALES}
    known = {key: each for key, each in outcomes.items() if each is not None}
    if len(known) < len(outcomes):
        return
    for scale in training.SCALES:
        yield _learned(scale, {d_k: known[d_k, scale].learned for d_k in sizes}, text)
    yield _gradient(series, sizes[-1], known[sizes[-1], "none"], text)
    if not hidden:
        yield _conclusion(known[LARGEST, "none"], known[LARGEST, "sqrt"], text)


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
    ratio = first / typical("sqrt", "gradient", FIRST)
    begins = "more" if ratio > 1.25 else "less" if ratio < 0.8 else "same"
    ends = "learned" if unscaled.kind == "fast" else "gone" if end < 0.1 * first else "left"
    values = {"d_k": d_k, "first": FIRST, "ratio": number(ratio), "left": percent(end / first),
              "last": training.STEPS + 1 - LAST, "steps": training.STEPS, "loss": number(unscaled.end),
              "entropy": number(typical("none", "entropy", training.STEPS))}  # fmt: skip
    said = [f"gradient_{begins}", f"then_{ends}"]
    if ends == "gone" and typical("none", "entropy", training.STEPS) < HARD:
        said.append("and_hard")
    return text.sentences([text(id, **values) for id in said])


def _conclusion(unscaled: Outcome, scaled: Outcome, text: Text) -> str:
    """Whether training stalls for want of √d_k."""
    if scaled.kind != "fast":
        return text("conclude_neither", d_k=LARGEST, scaled=number(scaled.end), unscaled=number(unscaled.end))
    return text(f"conclude_{unscaled.kind}", d_k=LARGEST)


def verdict(series: Series, guess: str, optimizer: str, text: Text) -> str:
    """The answer to the question, and whether the guess was right."""
    found = outcome(series, LARGEST, "none")
    if found is None:
        return text("guess_waits" if guess in BANDS else "answer_waits", d_k=LARGEST)
    seeds = len(found.ends)
    agree = text("agree_one") if seeds == 1 else text("agree_more", agreeing=found.agreeing, seeds=seeds)
    truth = text("answer", d_k=LARGEST, optimizer=optimizer, loss=spread(found.ends), steps=training.STEPS,
                 of=percent(found.end / training.CHANCE), what=text(f"is_{found.kind}"), agree=agree)  # fmt: skip
    if guess not in BANDS:
        return truth
    return text.sentences([text("right" if guess == found.kind else "wrong", guess=text(f"guess_{guess}")), truth])


def spread(values: Sequence[float]) -> str:
    """The median of the seeds, and the least and the most of them.

    >>> spread([0.02, 0.49, 0.03]), spread([0.02]), spread([20, math.inf, 31]), spread([math.inf] * 2)
    ('0.030 (0.020 … 0.49)', '0.020', '31 (20 … –)', '–')
    """
    middle, low, high = (_said(each) for each in (median(values), min(values), max(values)))
    return middle if low == high else f"{middle} ({low} … {high})"


def _said(value: float) -> str:
    return "–" if value == math.inf else str(value) if isinstance(value, int) else number(value)


def results(series: Series, measure: str, hidden: bool, text: Text) -> str:
    """What is looked at after 10, 50 and 100 steps, and how many it took to learn: a line a d_k and divisor."""
    stops = (LAST, training.STEPS // 2, training.STEPS)
    head = ["d_k", "÷", *(text("table_at", what=text(f"measure_{measure}"), step=step) for step in stops),
            text("table_learned", level=number(BELOW * training.CHANCE))]  # fmt: skip
    lines = []
    for d_k in training.D_K:
        for scale, divisor in (("sqrt", "√d_k"), ("none", "1")):
            curves = [] if hidden and d_k == LARGEST else finished(series, d_k, scale, measure)
            cells = [spread([at(each, step) for each in curves]) if curves else "" for step in stops]
            loss = finished(series, d_k, scale, "loss") if curves else []
            lines.append([str(d_k), divisor, *cells, spread([steps_to_learn(each) for each in loss]) if loss else ""])
    return table(head, lines)
