"""What the picture of ribbons tells, frame by frame: every number and every word of it, from the trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import attention
from ui import display
from ui.ribbons_cells import Row, largest, short, strip, vector
from ui.text import Text
from ui.workbench import Workbench

KINDS = ("hard", "graded", "real")
SOFTEST = 20  #: the frame of the graded look-up at which the temperature is 1
MOST = 4  #: so many numbers are read out in a sentence, so many products of a score written out
PLAIN_POWERS = 20.0  #: exponents up to which exp(x) itself is a number to look at
HEADS = {
    "hard": ("question", "labels", "contents", "result"), "graded": ("question", "labels", "contents", "result"),
    "real": ("query", "keys", "values", "output"),
}  # fmt: skip

Frame = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Asked:
    """One token's look-up: its row of the trace."""

    bench: Workbench
    steps: attention.AttentionSteps
    i: int
    names: Sequence[str]
    say: Text  # of the catalogue "ribbons"

    @property
    def token(self) -> str:
        return self.names[self.i]

    @property
    def scores(self) -> Row:
        return self.steps.scores[self.i]

    @property
    def masked(self) -> Row:
        return self.steps.masked[self.i]

    @property
    def weights(self) -> Row:
        return self.steps.weights[self.i]

    @property
    def hidden(self) -> NDArray[np.bool_]:
        return np.isneginf(self.masked)

    def at(self, temperature: float) -> Row:
        """The weights at another temperature; all 0 where every key is masked, as in the trace."""
        if self.hidden.all():
            return np.zeros_like(self.masked)
        return attention.tempered_softmax(self.masked, temperature)


def frames(it: Asked, kind: str) -> list[Frame]:
    """The frames of one kind of look-up.

    A frame: its name; `say`, the sentence; `sum`, the mixture; `chips`, what stands at each key; `reach`, whether the
    query has gone out; `thin`, whether its lines are drawn without weights; `on`, how visible each is; `left` and
    `right`, how thick the ribbons are (shares of 1); `flow`, whether values have come; `out`, the cells of what they
    add up to; `upto`, how many parts of the explanation are known; `shut`, whether the mask has been applied.
    """
    return {"hard": _hard, "graded": _graded, "real": _real}[kind](it)


def _frame(it: Asked, name: str, say: str, **more: Any) -> Frame:
    n = len(it.names)
    empty = {"sum": "", "chips": [""] * n, "reach": 1, "thin": 0, "on": [1] * n, "left": [0] * n, "right": [0] * n,
             "flow": 0, "out": None, "upto": 9, "shut": 0}  # fmt: skip
    return empty | {"name": name, "say": say} | more


def _hard(it: Asked) -> list[Frame]:
    text, weights = it.say, it.at(0.0)
    best, none = np.flatnonzero(weights), not weights.any()
    which = "_none" if none else "_tie" if len(best) > 1 else ""
    words: dict[str, Any] = {"token": it.token, "best": text.list([it.names[j] for j in best])}
    words["output"] = vector(weights @ _values(it))
    words["score"] = "" if none else display.short(float(it.scores[best[0]]))
    rest = np.where((weights > 0) | it.hidden, -np.inf, it.scores)
    second = int(rest.argmax())
    if not which and np.isfinite(rest[second]):
        fetched = text("hard_2_second", **words | {
            "second": it.names[second], "score": display.short(float(rest[second]))
        })  # fmt: skip
    else:
        fetched = text(f"hard_2{which}", **words)
    lines = [1 if w else 0.25 for w in weights]
    even = len(best) > 1 and len(best) == np.count_nonzero(~it.hidden)
    matched = text("hard_1_even" if even else f"hard_1{which}", **words)
    return [
        _frame(it, text("name_hard_0"), text("hard_0", count=len(it.names), **words), reach=0, thin=1, upto=1),
        _frame(it, text("name_hard_1"), matched, thin=1, on=lines, shut=1, upto=3,
               chips=["✓" if w else "✕" for w in weights]),
        _mixed(it, weights, text("name_hard_2"), fetched),
    ]  # fmt: skip


def _graded(it: Asked) -> list[Frame]:
    return [_softened(it, k / SOFTEST) for k in range(SOFTEST + 1)]


def _softened(it: Asked, temperature: float) -> Frame:
    weights = it.at(temperature)
    which = "_none" if not weights.any() else {0.0: "_0", 1.0: "_1"}.get(temperature, "")
    t = display.short(temperature)
    said = it.say(f"graded{which}", temperature=t, list=_listed(it, weights), total=display.total(weights))
    return _mixed(it, weights, it.say("name_graded", temperature=t), said)


def _mixed(it: Asked, weights: Row, name: str, say: str, **more: Any) -> Frame:
    """A frame in which everything has arrived."""
    shares = _thick(weights)
    return _frame(it, name, say, **{
        "chips": short(weights), "left": shares, "right": shares, "on": _seen(weights), "flow": 1, "shut": 1,
        "out": strip(weights @ _values(it), largest(_values(it))), "sum": mixture(it, weights),
    } | more)  # fmt: skip


def _real(it: Asked) -> list[Frame]:
    text, weights, scaled = it.say, it.weights, [display.short(float(x)) for x in it.masked]
    names = [text(f"name_real_{step}") for step in range(6)]
    none = "" if weights.any() else "_none"
    hidden = text.list([name for name, hides in zip(it.names, it.hidden, strict=True) if hides])
    output = vector(it.steps.output[it.i])
    flowing = _listed(it, weights, lambda token, number: text("flowing", token=token, weight=number))
    shares = _thick(weights)
    arrived = {"chips": short(weights), "left": shares, "on": _seen(weights), "shut": 1}
    return [
        _frame(it, names[0], text("real_0", token=it.token, vector=vector(_queries(it)[it.i])), reach=0, thin=1,
               upto=1),
        _frame(it, names[1], text("real_1", list=_listed(it, it.scores)), chips=short(it.scores), thin=1, upto=2),
        _frame(it, names[2], text("real_2_masked" if hidden else "real_2", divisor=_divisor(it), hidden=hidden),
               chips=scaled, thin=1, on=[0.2 if hides else 1 for hides in it.hidden], shut=1, upto=3),
        _frame(it, names[3], text(f"real_3{none}", list=_listed(it, weights), total=display.total(weights)),
               upto=4, **arrived),
        _frame(it, names[4], text(f"real_4{none}", list=flowing), right=shares, flow=1, **arrived),
        _mixed(it, weights, names[5], text("real_5", token=it.token, output=output)),
    ]  # fmt: skip


def parts(it: Asked, kind: str) -> list[list[str]]:
    """What explains each key's ribbon, part by part as the frames make it known."""
    return [_explained(it, kind, j) for j in range(len(it.names))]


def _explained(it: Asked, kind: str, j: int) -> list[str]:
    text, score = it.say, display.short(float(it.scores[j]))
    Q, K, V = it.bench.qkv()
    key = text("part_key", vector=vector(K[j]))
    product = text("part_score", terms=_terms(Q[it.i], K[j]), score=score)
    if kind == "hard":
        weight = float(it.at(0.0)[j])
        told = "part_hidden" if it.hidden[j] else "part_taken" if weight else "part_left"
        return [key, product, text(told, weight=display.short(weight))]
    weight = float(it.weights[j])
    scaled = text("part_scaled", score=score, divisor=display.short(it.steps.divisor),
                  scaled=display.short(float(it.steps.scaled[it.i, j])))  # fmt: skip
    scaled = text("part_masked") if it.hidden[j] else scaled
    if kind == "graded":
        return [scaled]
    value = text("part_value", weight=display.short(weight), vector=vector(V[j]), product=vector(weight * V[j]))
    return [key, product, scaled, text("part_nothing") if it.hidden[j] else _share(it, j), value]


def _share(it: Asked, j: int) -> str:
    """How softmax made a weight: with plain powers where those can be looked at, else below the largest score."""
    largest = float(it.masked.max())
    shift = 0.0 if np.abs(it.masked[~it.hidden]).max() <= PLAIN_POWERS else largest
    powers = np.exp(it.masked - shift)
    return it.say(
        "part_shifted" if shift else "part_weight", scaled=display.short(float(it.masked[j])),
        largest=display.short(largest), power=display.short(float(powers[j])),
        total=display.short(float(powers.sum())), weight=display.short(float(it.weights[j])),
    )  # fmt: skip


def mixture(it: Asked, weights: Row) -> str:
    """The article's line: the new token, the largest share first; "nearly", where a share is next to 0 or 1."""
    order = sorted(np.flatnonzero(weights).tolist(), key=lambda j: -weights[j])
    shown = {it.names[j]: display.short(float(weights[j])) for j in order}
    terms = [it.say("term", weight=weight.lstrip("≈"), token=token) for token, weight in shown.items()
             if weight != display.NEARLY_0]  # fmt: skip
    nearly = any(weight.startswith("≈") for weight in shown.values())
    return it.say("sum_nearly" if nearly else "sum", token=it.token, terms=" + ".join(terms) or "0")


def cards(it: Asked) -> dict[str, Any]:
    """The asking query, the keys and the values as strips of cells."""
    Q, K, V = it.bench.qkv()
    return {
        "query": strip(Q[it.i], largest(Q)), "keys": [strip(row, largest(K)) for row in K],
        "values": [strip(row, largest(V)) for row in V],
    }  # fmt: skip


def _terms(q: Row, k: Row) -> str:
    """The products that a score is the sum of; of a long one, the first."""
    terms = [f"{_factor(x)}·{_factor(y)}" for x, y in zip(q[:MOST].tolist(), k[:MOST].tolist(), strict=True)]
    return " + ".join([*terms, *(["…"] if len(q) > MOST else [])])


def _factor(x: float) -> str:
    return f"({display.short(x)})" if x < 0 else display.short(x)


def _divisor(it: Asked) -> str:
    number = display.short(it.steps.divisor)
    return it.say(f"divisor_{it.bench.scale}", d_k=it.bench.sizes["d_k"], number=number)


def _listed(it: Asked, numbers: Row, item: Callable[[str, str], str] | None = None) -> str:
    """Tokens with their numbers, the largest first; weights of 0 are left out."""
    item = item or (lambda token, number: it.say("item", token=token, number=number))
    order = sorted(range(len(numbers)), key=lambda j: -numbers[j])
    said = [item(it.names[j], display.short(float(numbers[j]))) for j in order[:MOST]]
    listed = it.say.list(said)
    return it.say("more", list=listed, count=len(order) - MOST) if len(order) > MOST else listed


def _queries(it: Asked) -> Row:
    return it.bench.qkv()[0]


def _values(it: Asked) -> Row:
    return it.bench.qkv()[2]


def _thick(weights: Row) -> list[float]:
    return [round(float(w), 4) for w in weights]


def _seen(weights: Row) -> list[int]:
    return [int(w > 0) for w in weights]
