"""What pages show besides the numbers: which step, which node, how far along the walk.

A view is part of the link, but choosing one is no edit: undo changes numbers and leaves what is looked at. A workbench
holds those that differ from their defaults, as sorted pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from attention import variants
from ui import tokens
from ui.text import terms
from ui.workbench import MAX_D, MAX_N, MAX_SEED, PATH, Workbench


@dataclass(frozen=True)
class View:
    """What is shown at first, and whether another value may come from a link."""

    default: Any
    fits: Callable[[Any], bool]
    ends: tuple[int, int] | None = None  # of a whole number: the least and the most that fit


def one_of(*options: Any) -> View:
    """One of these, the first at first."""
    return View(options[0], lambda value: any(type(value) is type(o) and value == o for o in options))


def whole(low: int, high: int, default: int | None = None) -> View:
    """A whole number. Where the numbers on the bench allow fewer, the page goes to the nearest."""
    first = low if default is None else default
    return View(first, lambda value: type(value) is int and low <= value <= high, (low, high))


def hundredths(low: float, high: float, default: float) -> View:
    """A number of two decimals, in the link as a whole number of hundredths.

    >>> hundredths(0.25, 3, 2).ends
    (25, 300)
    """
    least, most, first = (round(100 * x) for x in (low, high, default))
    return whole(least, most, first)


def steps(most: int) -> View:
    """So many steps of a slider from its low end; none of them at first: it stands where its chart puts it."""
    return one_of("", *range(most + 1))


def some_of(*options: str) -> View:
    """Any of these, in their order; none at first."""
    return View((), lambda value: isinstance(value, tuple) and value == tuple(o for o in options if o in value))


def words() -> View:
    """Tokens of another sequence; none at first: the page has prepared some."""
    return View((), lambda value: value == () or isinstance(value, tuple) and tokens.are(value))


def order(most: int) -> View:
    """Whole numbers from 0 on, up to so many of them, in another order than their own; none at first: their own."""

    def fits(value: Any) -> bool:
        if not isinstance(value, tuple) or len(value) > most or any(type(each) is not int for each in value):
            return False
        return value == () or sorted(value) == list(range(len(value))) != list(value)

    return View((), fits)


#: name → view; the part before the dot is the page's name.
VIEWS: dict[str, View] = {
    "flow.ask": one_of("", "sizes", "tied", "merged"),
    "flow.cross": one_of(False, True),
    "flow.node": one_of("scores", "E", "PE", "X", "E2", "PE2", "X2", "W_Q", "W_K", "W_V", "Q", "K", "V", "scaled",
                        "weights", "output"),
    "flow.other": words(),
    "flow.positions": one_of(False, True),
    "glossary.question": whole(0, 26),
    "glossary.term": one_of("", *terms()),
    "lookup.kind": one_of("hard", "graded", "real"),
    "lookup.step": whole(0, 5),
    "lookup.sharp": whole(0, 20),
    "scratch.answer": one_of("", *variants.VARIANTS),
    "scratch.case": whole(0, len(variants.VARIANTS) - 1),
    "scratch.function": one_of("attention", "softmax"),
    "scratch.line": whole(0, 40),
    "scratch.seed": whole(0, MAX_SEED),
    "scratch.shown": some_of(*variants.VARIANTS),
    "scratch.solved": some_of(*variants.VARIANTS),
    "masks.append": whole(0, MAX_N - 1),
    "masks.fill": one_of("zero", "tiny", "e", "1e9", "inf"),
    "masks.guess_after": one_of("", "one", "less", "more", "skip"),
    "masks.guess_append": one_of("", "none", "last", "all", "skip"),
    "masks.guess_empty": one_of("", "zero", "uniform", "nan", "skip"),
    "masks.guess_fill": one_of("", "none", "less", "more", "skip"),
    "masks.guess_padding": one_of("", "yes", "no", "skip"),
    "masks.guess_polarity": one_of("", "none", "part", "all", "skip"),
    "masks.lab": one_of("after", "fill", "polarity", "empty", "padding", "append"),
    "order.d": one_of(16, 2, 4, 8, 32),
    "order.encoding": one_of("none", "sinusoidal", "rope", "alibi"),
    "order.guess": one_of("", *(f"{of} {what}" for of in ("none", "sinusoidal", "rope", "alibi")
                                for what in ("same", "other"))),
    "order.head": whole(1, 16),
    "order.heads": whole(1, 16, 8),
    "order.k": whole(0, 63, 5),
    "order.mask": one_of(False, True),
    "order.n": whole(2, 64, 32),
    "order.p": whole(0, 63, 3),
    "order.pair": whole(1, 8),
    "order.part": one_of("inside", "code", "sines", "turn", "add", "shift", "alibi"),
    "order.s": whole(0, 64, 10),
    "order.tokens": order(MAX_N),
    "production.n": one_of(4096, *(2**k for k in range(6, 17) if k != 12)),
    "production.block": whole(1, 4, 2),
    "production.step": whole(0, MAX_N, 1),
    "variance.broken": one_of("none", "correlated", "means", "variances", "dependent", "uniform", "signs", "heavy"),
    "variance.broken_at": one_of(64, 1, 4, 16, 256),
    "variance.bell_d_k": steps(24),
    "variance.dead_alpha": steps(20),
    "variance.dead_d_k": steps(24),
    "variance.divisor": one_of("linear", "cosine", "root_model", "model", "log", "fifth"),
    "variance.divisor_at": one_of(64, *(2**k for k in range(2, 13) if k != 6)),
    "variance.divided_alpha": steps(20),
    "variance.divided_d_k": steps(10),
    "variance.open_d_k": steps(12),
    "variance.stretch": steps(18),
    "variance.tried_alpha": steps(20),
    "variance.way": one_of("scaled", "output", "weights", "scores", "Q", "W_Q"),
    "variance.way_column": whole(0, MAX_D - 1),
    "variance.way_row": whole(0, MAX_D - 1),
    "variance.shown_divisors": View(
        ("none", "sqrt", "linear"),
        some_of("none", "sqrt", "linear", "log", "fifth", "root_model", "model", "cosine").fits,
    ),
    "variance.guess_doubled": one_of("", "same", "root", "double", "square", "skip"),
    "variance.guess_alpha": one_of("", "0", "quarter", "half", "most", "1", "skip"),
    "variance.guess_dead": one_of("", *range(101), "skip"),
    "variance.guess_trains": one_of("", "fast", "slower", "stalls", "skip"),
    "variance.mean_q": hundredths(-2, 2, 0.5),
    "variance.mean_k": hundredths(-2, 2, 0.5),
    "variance.rho": hundredths(-1, 1, 0.9),
    "variance.sd_q": hundredths(0.25, 3, 2),
    "variance.sd_k": hundredths(0.25, 3, 1),
    "variance.shared": hundredths(0, 1, 0.3),
    "variance.sizes": one_of(False, True),
    "variance.optimizer": one_of("adam", "sgd"),
    "variance.rate": whole(0, 4, 2),
    "variance.part": one_of("spread", "softmax", "gradient", "training", "divisors", "assumptions"),
    "variance.measure": one_of("loss", "gradient", "entropy", "accuracy", "match"),
    "variance.target": whole(-1, MAX_N - 1),
    "walk.done": some_of(*PATH),
    "teach.part": whole(0, 7),
    "teach.plan": one_of("whole", "scale"),
}

#: parameter of an address → the view it asks for: `glossary?term=query`, `glossary?question=12`
ASKED = {"term": "glossary.term", "question": "glossary.question"}


def get(bench: Workbench, name: str) -> Any:
    """What is shown.

    >>> from ui.workbench import preset
    >>> get(preset("cat"), "walk.done")
    ()
    """
    return dict(bench.view).get(name, VIEWS[name].default)


def shown(bench: Workbench, name: str, value: Any) -> Workbench:
    """The workbench with another view of it; ValueError if there is no such view.

    >>> from ui.workbench import preset
    >>> shown(preset("cat"), "walk.done", ("lookup",)).view
    (('walk.done', ('lookup',)),)
    """
    if not VIEWS[name].fits(value):
        raise ValueError(f"{name} cannot show {value!r}")
    views = dict(bench.view) | {name: value}
    return replace(bench, view=tuple(sorted((n, v) for n, v in views.items() if v != VIEWS[n].default)))


def fit(view: Iterable[Any]) -> bool:
    """Whether these pairs, from a link, are as `shown` makes them."""
    pairs = [pair for pair in view if isinstance(pair, tuple) and len(pair) == 2 and pair[0] in VIEWS]
    names = [name for name, _ in pairs]
    good = all(VIEWS[name].fits(value) and value != VIEWS[name].default for name, value in pairs)
    return good and tuple(pairs) == tuple(view) and names == sorted(set(names))
