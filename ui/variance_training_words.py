"""What the training runs show, in words and in a table: every sentence is chosen by the runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

from attention import training
from ui import training_runs
from ui import variance_training_facts as facts
from ui.tables import table
from ui.text import Text
from ui.training_runs import RATE_AT_FIRST, Series
from ui.variance_charts import number, percent
from ui.variance_training_facts import BANDS, BELOW, LAST, Gradient, Outcome, at, finished, outcome, steps_to_learn

Known = dict[tuple[int, str], Outcome]


def findings(series: Series, hidden: bool, text: Text) -> Iterator[str]:
    """A sentence a finding; before a guess nothing that would answer it: what runs without √d_k do."""
    scales = [scale for scale in training.SCALES if not (hidden and scale == "none")]
    outcomes = {(d_k, scale): outcome(series, d_k, scale) for d_k in training.D_K for scale in scales}
    known = {key: each for key, each in outcomes.items() if each is not None}
    if len(known) < len(outcomes):
        return
    for scale in scales:
        yield _learned(scale, {d_k: known[d_k, scale].learned for d_k in training.D_K}, text)
    if hidden:
        return
    yield from _not_everywhere(known, text)
    largest = training.D_K[-1]
    gradient = facts.gradient(series, largest)
    yield _gradient(gradient, largest, known[largest, "none"], text)
    yield _conclusion(series, gradient, known, text)


def _learned(scale: str, runs: dict[int, tuple[float, ...]], text: Text) -> str:
    """How many runs learn; and which sizes, after how many steps: what most of their seeds do."""
    learned = {d_k: median(steps) for d_k, steps in runs.items() if median(steps) < math.inf}
    said = [text("size_learned", d_k=d_k, steps=f"{steps:g}") for d_k, steps in learned.items()]
    never = [str(d_k) for d_k in runs if d_k not in learned]
    every = [steps for each in runs.values() for steps in each]
    how = "all" if not never else "some" if said else "none"
    return text.sentences([
        text(f"learned_{scale}", runs=len(every), count=sum(steps < math.inf for steps in every), last=LAST,
             level=number(BELOW * training.CHANCE)),
        text(f"sizes_{how}", sizes=text.list(said), never=text.list(never)),
    ])  # fmt: skip


def _not_everywhere(known: Known, text: Text) -> Iterator[str]:
    """Where the article is overstated: sizes at which the model learns without √d_k, as fast as with it or later."""
    steps = {d_k: tuple(median(known[d_k, scale].learned) for scale in ("none", "sqrt")) for d_k in training.D_K}
    learns = {d_k: each for d_k, each in steps.items() if each[0] < math.inf}
    as_fast = {d_k: (bare, scaled) for d_k, (bare, scaled) in learns.items() if bare <= scaled}
    if learns:
        said = [text("size_against", d_k=d_k, bare=_steps(bare, text), scaled=_steps(scaled, text))
                for d_k, (bare, scaled) in (as_fast or learns).items()]  # fmt: skip
        yield text(f"not_everywhere_{'as_fast' if as_fast else 'later'}", sizes=text.list(said))


def _steps(steps: float, text: Text) -> str:
    return text("never") if steps == math.inf else f"{steps:g}"


def _gradient(gradient: Gradient, d_k: int, unscaled: Outcome, text: Text) -> str:
    """What became of the gradient without √d_k: at first against the scaled model, then against its own beginning."""
    values = {"d_k": d_k, "first": LAST, "ratio": median_and_range(gradient.ratios, text),
              "left": percent(gradient.left), "last": training.STEPS + 1 - LAST, "steps": training.STEPS,
              "loss": number(unscaled.end), "entropy": size(gradient.entropy),
              "part": Text("variance", text.lang)("part_softmax")}  # fmt: skip
    said = [f"gradient_{gradient.begins}", f"then_{gradient.ends}", *["and_hard"] * gradient.hard]
    return text.sentences([text(id, **values) for id in said])


def _conclusion(series: Series, gradient: Gradient, known: Known, text: Text) -> str:
    """Whether training stalls for want of √d_k, and whether it does so in the article's way."""
    d_k = training.D_K[-1]
    unscaled, scaled = (known[d_k, scale] for scale in ("none", "sqrt"))
    values = {"d_k": d_k, "rate": said_rate(series.learning_rate),
              "with": size(scaled.end), "without": size(unscaled.end)}  # fmt: skip
    if scaled.kind != "fast":
        more = "falls" if facts.falling(series, d_k, "sqrt") else "stays"
        return text.sentences([text(f"conclude_{scaled.kind}_{unscaled.kind}", **values), text(f"scaled_{more}")])
    said = [text(f"conclude_{unscaled.kind}", **values)]
    if unscaled.kind != "fast":
        begins = {"less": "small", "mixed": "mixed"}.get(gradient.begins, "large")
        said.append(text(f"chain_{begins}_{gradient.ends}"))
    return text.sentences(said)


def rates(tried: Sequence[Series], text: Text) -> Iterator[str]:
    """Whether another rate rescues what has no √d_k: of those that were run, where each has ended, on how many seeds.

    While seeds are missing at one of them, the judgement is one so far.
    """
    d_k = training.D_K[-1]
    both = {each: [outcome(each, d_k, scale) for scale in training.SCALES] for each in tried}
    known = {each: [found for found in both[each] if found] for each in tried if all(both[each])}
    rescued = [said_rate(each.learning_rate) for each, (_, bare) in known.items() if bare.kind != "stalls"]
    if len(known) == 1 and not rescued:
        yield text("rates_one", rate=said_rate(next(iter(known)).learning_rate))
    if len(known) > 1:
        seeds = {each: min(len(found.ends) for found in ends) for each, ends in known.items()}
        said = [text("rate_ends", rate=said_rate(each.learning_rate), scaled=size(scaled.end), unscaled=size(bare.end),
                     seeds=seeds[each]) for each, (scaled, bare) in known.items()]  # fmt: skip
        done = all(count == len(each.seeds) for each, count in seeds.items())
        judged = f"rates_{'rescue' if rescued else 'none'}{'' if done else '_so_far'}"
        yield text.sentences([text("rates_run", d_k=d_k, rates=text.list(said), all=training_runs.SEEDS),
                              text(judged, rates=text.list(rescued))])  # fmt: skip


def said_rate(x: float) -> str:
    """A learning rate, in full.

    >>> said_rate(0.0003), said_rate(1.0)
    ('0.0003', '1')
    """
    return f"{x:g}"


def given(optimizer: str) -> str:
    """The rate that the page begins with, and that the question is about."""
    return said_rate(training.RATES[optimizer][RATE_AT_FIRST])


def verdict(series: Series, guess: str, text: Text) -> str:
    """The answer to the question, and whether the guess was right; at another rate, that it was not about that."""
    largest, elsewhere = training.D_K[-1], not series.at_first
    found = outcome(series, largest, "none")
    if found is None:
        return text("guess_waits" if guess in BANDS and not elsewhere else "answer_waits", d_k=largest)
    seeds = len(found.ends)
    agree = text("agree_one") if seeds == 1 else text("agree_more", agreeing=found.agreeing, seeds=seeds)
    judged = "right" if guess == found.kind else "wrong" if guess in BANDS else "shown"
    if elsewhere:
        judged = "elsewhere" if guess in BANDS else "shown_elsewhere"
    return text(
        judged, guess=text(f"guess_{guess}") if guess in BANDS else "", d_k=largest, given=given(series.optimizer),
        rate=said_rate(series.learning_rate),
        answer=text("answer", what=text(f"is_{found.kind}"), agree=agree, last=LAST,
                    loss=median_and_range(found.ends, text), of=percent(found.end / training.CHANCE)),
    )  # fmt: skip


def median_and_range(values: Sequence[float], text: Text, id: str = "median_and_range") -> str:
    r"""The median of the seeds, and the least and the most of them; what is infinite never came.

    id: "short_range" where what stands in brackets is said once for all

    >>> text = Text("variance_training", "en")
    >>> [median_and_range(each, text) for each in ([0.02, 0.49, 0.03], [0.02], [20, math.inf, 31], [math.inf] * 2)]
    ['0.030 (3 seeds: 0.020 to 0.49)', '0.020', '31 (3 seeds: 20 to never)', 'never']
    >>> median_and_range([0.0, 0.0004, 0.002], text, "short_range").replace("\u00a0", " ")  # a line on a phone
    '<0.001 (0 … 0.002)'
    """

    def said(value: float) -> str:
        return _steps(value, text) if value == math.inf or isinstance(value, int) else size(value)

    middle, low, high = map(said, (median(values), min(values), max(values)))
    return middle if low == high else text(id, median=middle, least=low, most=high, seeds=len(values))


def size(x: float) -> str:
    """A number; one of less than a thousandth says so, beside others that are not.

    >>> size(0.0), size(0.0007), size(0.012), size(2.054), size(-7.5)
    ('0', '<0.001', '0.012', '2.05', '−7.50')
    """
    return "0" if x == 0 else "<0.001" if 0 < x < 0.001 else number(x)


def results(series: Series, measure: str, hidden: bool, text: Text) -> str:
    """What is looked at in the first, the middle and the last ten steps, and how many it took to learn.

    A line a d_k and divisor; before a guess none without √d_k.
    """
    stops = (LAST, training.STEPS // 2, training.STEPS)
    head = ["d_k", "÷", *(text("table_at", first=step + 1 - LAST, step=step) for step in stops), text("table_learned")]
    lines = []
    for d_k in training.D_K:
        for scale, divisor in (("sqrt", "√d_k"), ("none", "1"))[: 1 if hidden else 2]:
            curves = finished(series, d_k, scale, measure)
            found = [[at(each, step) for each in curves] for step in stops]
            found.append([steps_to_learn(each) for each in finished(series, d_k, scale, "loss")])
            cells = [median_and_range(each, text, "short_range") if each else "" for each in found]
            lines.append([str(d_k), divisor, *cells])
    about = text("table_of", what=text(f"measure_{measure}"), last=LAST, level=number(BELOW * training.CHANCE))
    return f"{about}\n\n{table(head, lines)}"
