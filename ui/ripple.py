"""What an edit did: the difference of every stage, and the one line that says it.

Differences are computed from the two traces. What differs by no more than the last bits in which float64 rounds is
no difference: shifting all scores of a row alike changes no weight, though its last bit may.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ui import changes, display, link, numbers
from ui.changes import Change
from ui.text import Text
from ui.workbench import DIRECT, INPUT, Workbench

Array = NDArray[np.float64]

BITS = 64 * float(np.finfo(float).eps)  #: how much of a sum's terms rounding may cost
MOST_NOISE = 1e-9  #: of a weight; see display.total
MOST_NAMED = 3  #: tokens that are named on either side of a shift
DECIMALS = (2, 3, 4)  #: of the amounts in a story, in the order in which they are tried
SATURATED = 0.995  #: what prints as 1.00

Part = tuple[tuple[int, ...], str]  #: the token named, or the several that are counted; and the amount, as printed


@dataclass(frozen=True)
class Since:
    """Two workbenches that can be compared, and which of them numbers dragged in the browser are compared with."""

    before: Workbench
    now: Workbench
    drag_from: Literal["before", "now"] = "before"
    hint: str = ""  # id of the words that say what is subtracted

    def of(self, stage: str) -> tuple[Array, Array, Array]:
        """A stage before, now, and the difference."""
        return self._sides["before"][stage], self._sides["now"][stage], self.delta[stage]

    def dragged(self, stage: str) -> Array:
        """What a stage is compared with while a number is dragged."""
        return self._sides[self.drag_from][stage]

    @cached_property
    def delta(self) -> Mapping[str, Array]:
        """The difference of every stage: ±∞ where a key was masked or unmasked, NaN where it is masked still."""
        noise = _noise(self.before), _noise(self.now)
        return {
            name: _difference(self._sides["before"][name], now, *(each[name] for each in noise))
            for name, now in self._sides["now"].items()
        }

    @cached_property
    def _sides(self) -> Mapping[str, Mapping[str, Array]]:
        return {"before": values(self.before), "now": values(self.now)}


def values(bench: Workbench) -> dict[str, Array]:
    """What is computed from a workbench, by stage; `scaled` is ② as the page shows it, masked."""
    steps = bench.steps()
    stages = {"scores": steps.scores, "scaled": steps.masked, "weights": steps.weights, "output": steps.output}
    return dict(zip(DIRECT, bench.qkv(), strict=True)) | stages


def unlike(old: Workbench, new: Workbench) -> str | None:
    """Why two workbenches cannot be compared cell by cell: "tokens" or "sizes"; None: they can."""
    if old.tokens != new.tokens:
        return "tokens"
    shown = ("d_v", "d_k") if new.route == "input" else ("d_v",)
    return "sizes" if any(old.sizes[name] != new.sizes[name] for name in shown) else None


def _noise(bench: Workbench) -> dict[str, Array]:
    """How far rounding may carry each number: BITS of what was summed up, passed on from stage to stage."""
    Q, K, V = (np.abs(each) for each in bench.qkv())
    if bench.route == "input":
        X, *W = (np.abs(bench.array(name)) for name in INPUT)
        own = [BITS * X @ each for each in W]
    else:
        own = [0 * each for each in (Q, K, V)]
    scores = BITS * Q @ K.T
    scaled = scores / bench.steps().divisor
    weights = np.minimum(BITS + scaled.max(axis=1, keepdims=True), MOST_NOISE) + 0 * scores
    output = weights @ V
    return {"Q": own[0], "K": own[1], "V": own[2], "scores": scores, "scaled": scaled, "weights": weights,
            "output": output}  # fmt: skip


def _difference(old: Array, new: Array, *noise: Array) -> Array:
    if old.shape != new.shape:
        return np.full(new.shape, np.nan)  # Q and K of other sizes are not shown; see `unlike`
    with np.errstate(invalid="ignore"):
        delta = new - old
    return np.where(np.abs(delta) <= np.maximum(*noise), 0.0, delta)


def change(x: float, decimals: int = 2) -> str:
    """A difference as a cell prints it.

    >>> change(0.123), change(-0.5), change(0.0), change(0.001), change(0.999), change(-math.inf), change(math.nan)
    ('+0.12', '−0.50', '0', '≈0', '≈+1', '−∞', '–')
    """
    if math.isnan(x):
        return "–"
    text = display.short(x, decimals)
    if x <= 0 or text == display.NEARLY_0:
        return text
    return text.replace("≈", "≈+") if text[0] == "≈" else f"+{text}"


def total(row: Array, decimals: int = 2) -> str:
    """The sum of a row of differences, free of the last bits that float64 adds to it."""
    return change(round(float(row.sum()), 9), decimals)


def step(old: float, new: float, delta: float, text: Text, decimals: int = 4) -> str:
    """From one number to the other, for a tooltip: 0.3100 → 0.4300 (+0.1200); ≈ where rounding hides a last digit."""
    a, b, d = display.short(old, decimals), display.short(new, decimals), change(delta, decimals)
    if not math.isfinite(delta):
        how = "still_masked" if math.isnan(delta) else "unmasked" if delta > 0 else "masked"
        return text(f"tip_{how}", old=a, new=b)
    if not any(mark in f"{a}{b}{d}" for mark in "≈e") and display.printed(b) - display.printed(a) != display.printed(d):
        d = f"≈{d}"
    return f"{a} → {b} ({d})"


# The story


@lru_cache(maxsize=512)
def told(old: str, new: str, lang: str, names: tuple[str, ...]) -> str:
    """The story from one code to another; "" where no number or switch of the attention differs."""
    return story(link.decode(old), link.decode(new), Text("ripple", lang), names)


def story(old: Workbench, new: Workbench, text: Text, names: Sequence[str]) -> str:
    """What was changed and what that did, in a sentence; `names` are the tokens as they can be shown."""
    found = [each for each in changes.between(old, new) if each.of_numbers]
    if not found:
        return ""
    why_not = unlike(old, new)
    if why_not:
        return text(f"unlike_{why_not}", what=changes.described(found, names, text))
    return text("story", cause=_cause(found, text, names), effect=_effect(Since(old, new), found, text, names))


def _cause(found: Sequence[Change], text: Text, names: Sequence[str]) -> str:
    if len(found) > 1:
        return text("cause_many", count=len(found))
    each = found[0]
    words = {"old": changes.option(each, each.old, text), "new": changes.option(each, each.new, text)}
    if each.what == "number":
        a, b = numbers.value(each.old), numbers.value(each.new)
        how = "respelt" if a == b else "raised" if b > a else "lowered"
        return text(f"cause_{how}", place=changes.place(each, names), amount=amount(each.old, each.new), **words)
    if each.what == "mask_cell":
        how = "shown" if each.new == "1" else "hidden"
        return text(f"cause_{how}", query=names[each.row], key=names[each.column])
    if each.what == "mask_part":
        return text("cause_mask_part", **words | {"name": Text("masks", text.lang)(f"part_{each.name}")})
    if each.what == "opened":
        return text("cause_opened", title=changes.title(each.new, text))
    return text(f"cause_{each.what}", name=each.name, **words)


def amount(old: str, new: str) -> str:
    """By how much a typed number changed: every digit, at least two decimals.

    >>> amount("0.5", "1"), amount("0.1", "0.129"), amount("1000000", "-5"), amount("0", "1/3"), amount("0", "1e-9")
    ('0.50', '0.029', '1000005', '0.33', '1e−9')
    """
    if "/" in old + new:
        return size(abs(numbers.value(new) - numbers.value(old)))
    by = abs(Decimal(new) - Decimal(old)).normalize()
    if by and not -9 < by.adjusted() < 9:
        return _scientific(float(by))
    padded = by if by >= 1000 or -int(by.as_tuple().exponent) > 2 else by.quantize(Decimal("0.01"))
    return f"{padded:f}"


def size(x: float) -> str:
    """A positive amount, with as many decimals as it takes not to be 0.

    >>> size(0.125), size(0.00123), size(1e-7)
    ('0.13', '0.0012', '1e−7')
    """
    return display.enough(x) or _scientific(x)


def _scientific(x: float) -> str:
    mantissa, _, exponent = f"{x:.1e}".partition("e")
    return display.signed(f"{mantissa.removesuffix('.0')}e{int(exponent)}")


def _effect(since: Since, found: Sequence[Change], text: Text, names: Sequence[str]) -> str:
    delta = since.delta
    if delta["weights"].any():
        return _moved(since, text, names)
    if delta["output"].any():
        return _output_moved(delta["output"], text, names)
    if _differs(delta["scores"]) or _differs(delta["scaled"]):
        return _only_scores(since, text, names)
    return text("did_nothing") + _why_nothing(since, found, text, names)


def _differs(delta: Array) -> bool:
    return bool((delta[~np.isnan(delta)] != 0).any())


def _moved(since: Since, text: Text, names: Sequence[str]) -> str:
    """The row whose weights moved most, and how many others did."""
    before, now, delta = since.of("weights")
    moves = np.maximum(np.where(delta > 0, delta, 0).sum(axis=1), np.where(delta < 0, -delta, 0).sum(axis=1))
    q = int(moves.argmax())
    if not now[q].any():
        said = text("did_empty", row=names[q])
    elif not before[q].any():
        said = text("did_fill", row=names[q], gains=_listed(_balanced(now[q], text)[1], text, names))
    else:
        said = _shifted(delta[q], names[q], text, names) + _saturated(since, q, text, names)
    return said + _others(moves, q, text)


def _shifted(row: Array, name: str, text: Text, names: Sequence[str]) -> str:
    """Whose attention went from whom to whom."""
    losses, gains = _balanced(row, text)
    if not losses or not gains:
        return text("did_trace", row=name)
    (losers, lost), (gainers, gained) = losses[0], gains[0]
    moved = gained.removeprefix("+")
    if len(losses) == len(gains) == len(losers) == len(gainers) == 1 and lost == f"{display.MINUS}{moved}":
        return text("did_move", amount=moved, row=name, loser=names[losers[0]], gainer=names[gainers[0]])
    return text("did_shift", row=name, losses=_listed(losses, text, names), gains=_listed(gains, text, names))


def _balanced(row: Array, text: Text) -> tuple[list[Part], list[Part]]:
    """Losses and gains with as few decimals as it takes for them to add up as printed: to 0, or to 1 for a new row.

    If none do, each is said to be rounded; if all are too small to be seen, there are none.
    """
    for decimals in DECIMALS:
        losses, gains = _parts(row, -1, decimals), _parts(row, 1, decimals)
        if gains and sum(display.printed(amount) for _, amount in losses + gains) == round(row.sum()):
            return losses, gains
    return _about(losses, text), _about(gains, text)


def _about(parts: Sequence[Part], text: Text) -> list[Part]:
    return [(keys, text("about", amount=amount.strip("≈"))) for keys, amount in parts]


def _parts(row: Array, sign: int, decimals: int) -> list[Part]:
    """Who lost (sign −1) or gained attention, most first; traces are counted together or not at all."""
    there = [int(k) for k in np.argsort(-sign * row, kind="stable") if sign * row[k] > 0]
    seen = [k for k in there if display.enough(row[k], (decimals,))]
    named = seen if len(seen) <= MOST_NAMED else seen[: MOST_NAMED - 1]
    parts: list[Part] = [((k,), change(row[k], decimals)) for k in named]
    rest = tuple(k for k in there if k not in named)
    together = change(float(row[list(rest)].sum()), decimals)
    return [*parts, (rest, together)] if rest and together != display.NEARLY_0 else parts


def _listed(parts: Sequence[Part], text: Text, names: Sequence[str]) -> str:
    said = [
        text("part", token=names[keys[0]], amount=amount) if len(keys) == 1
        else text("part_rest", count=len(keys), amount=amount)
        for keys, amount in parts
    ]  # fmt: skip
    return text("part_and").join([p for p in (text("part_comma").join(said[:-1]), said[-1]) if p])


def _saturated(since: Since, q: int, text: Text, names: Sequence[str]) -> str:
    before, now, _ = since.of("weights")
    choices = np.isfinite(since.of("scaled")[1][q]).sum()
    if now[q].max() < SATURATED or before[q].max() >= SATURATED or choices < 2:
        return ""
    return text("and_saturated", row=names[q], key=names[int(now[q].argmax())], weight=display.short(now[q].max()))


def _others(moves: Array, main: int, text: Text, what: str = "and") -> str:
    """How many other rows changed, and whether by less; `what` names the sentences that say it."""
    others = [float(x) for q, x in enumerate(moves) if x > 0 and q != main]
    if not others:
        return ""
    how = "less" if max(others) < moves[main] * (1 - 1e-9) else "too"
    return text(f"{what}_{'one' if len(others) == 1 else 'many'}_{how}", count=len(others))


def _output_moved(delta: Array, text: Text, names: Sequence[str]) -> str:
    q, k = (int(x) for x in np.unravel_index(np.abs(delta).argmax(), delta.shape))
    by = display.enough(float(delta[q, k]), show=change)
    said = text("did_output" if by else "did_output_trace", row=names[q], component=k + 1, amount=by)
    return said + _others(np.abs(delta).max(axis=1), q, text)


def _only_scores(since: Since, text: Text, names: Sequence[str]) -> str:
    """Why scores changed and no weight did: shifted alike, out of sight, or too far apart to matter."""
    _, now, scaled = since.of("scaled")
    weights = since.of("weights")[1]
    visible = np.isfinite(now) & np.isfinite(scaled)
    seen = [(q, scaled[q][visible[q]]) for q in range(len(scaled)) if _differs(scaled[q][visible[q]])]
    if not seen:
        return text("did_hidden")
    if all(np.ptp(row) <= MOST_NOISE * max(1.0, np.abs(row).max()) for _, row in seen):
        q, row = max(seen, key=lambda pair: float(np.abs(pair[1]).max()))
        by = display.enough(float(row[0]), show=change) or display.NEARLY_0
        moves = np.array([np.abs(scaled[i][visible[i]]).max(initial=0.0) for i in range(len(scaled))])
        return text("did_even", row=names[q], amount=by, others=_others(moves, q, text, "even"))
    full = all(weights[q].max() > 1 - MOST_NOISE for q, _ in seen)
    return text("did_saturated" if full else "did_too_little")


def _why_nothing(since: Since, found: Sequence[Change], text: Text, names: Sequence[str]) -> str:
    """Why a single number changed nothing at all, where that can be told."""
    each, bench = found[0], since.now
    if len(found) > 1 or each.what != "number" or numbers.value(each.old) == numbers.value(each.new):
        return ""
    if each.name not in (DIRECT if bench.route == "direct" else INPUT):
        return text(f"because_{bench.route}")
    partner = {"Q": "K", "K": "Q"}.get(each.name)
    if partner and not bench.array(partner)[:, each.column].any():
        return text(f"because_no_{partner}", dimension=each.column + 1)
    if each.name == "V" and not since.of("weights")[1][:, each.row].any():
        return text("because_no_weight", token=names[each.row])
    return ""
