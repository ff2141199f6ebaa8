"""Arithmetic as printed: as many digits as it takes for no "=" to lie.

A line such as 0.33 × 1.25 + … = 0.62 is checked with the numbers it prints. Where they would not come to the result as
printed, what goes in gets more digits; where no digits help, the sign is ≈.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from itertools import compress
from typing import NamedTuple

from ui.formulas import EXACT, MINUS, SMALL, Page, Piece, number, written

Value = tuple[float, str | None]  #: a number, and its text if it was typed

#: Digits of what goes in, and of products in between; results keep two. In the order in which they are tried.
LEVELS = ((2, 2), (3, 2), (4, 2), (3, 3), (4, 3), (4, 4))
SINGLE = ((2, 2), (3, 3), (4, 4))  #: where there is nothing in between
DEEP = ((6, 4), (8, 5), (10, 6), (12, 8), (14, 10), (16, 12))  #: for sums of large numbers that all but cancel
BITS = 1e-15  #: of the size of the terms: what float64 may lose in a sum
FAIR = 5  #: units that ≈ may be off without a look at DEEP


class Try(NamedTuple):
    """A formula at some digits: its parts, which of its signs hold, and by how many units the worst is off."""

    parts: tuple[list[Piece], ...]
    holds: tuple[bool, ...]
    off: float


def settled(attempt: Callable[[int, int], Try], page: Page, levels: Sequence[tuple[int, int]]) -> Try:
    """The formula with the fewest digits at which every sign holds; if there is none, with as many as make sense.

    Of a single level there is no choice.
    """
    if page.exact:
        made = attempt(EXACT, EXACT)
        return made._replace(holds=(True,) * len(made.holds))
    for level in levels:
        made = attempt(*level)
        if all(made.holds):
            return made
    if made.off <= FAIR or len(levels) == 1:
        return made
    deep = [attempt(*level) for level in DEEP]
    return next((made for made in deep if all(made.holds)), min(deep, key=lambda made: made.off))


def sign(holds: bool) -> str:
    return "=" if holds else r"\approx"


def off(printed: float, shown: Piece, size: float) -> float:
    """By how many units of its last digit a number differs from what was printed before it.

    Half a unit is what rounding may do. The last bits of float64, of terms of that `size`, do not count.
    """
    difference = abs(printed - shown.value) - BITS * size
    return difference / max(shown.unit, sys.float_info.min) if difference > 0 else 0.0  # a unit may round to 0


def close(units: float) -> bool:
    return units <= 0.5 + 1e-7


def printed(value: Value, digits: int) -> Piece:
    x, text = value
    return number(x, digits) if text is None else written(text, digits)


def cancels(total: float, terms: Sequence[float]) -> bool:
    """Whether a sum is nothing but the last bits of float64; no digits would show where it comes from."""
    return total != 0 and abs(total) < BITS * sum(map(abs, terms))


def products(left: Sequence[Value], right: Sequence[Value], total: float, page: Page) -> Try:
    """Σ left × right = total: parts are left, right, products, [total]; signs before products and total."""
    end = page.number(total)
    values = [a[0] * b[0] for a, b in zip(left, right, strict=True)]
    residue = cancels(total, values)

    def attempt(inputs: int, between: int) -> Try:
        factors = [printed(a, inputs) for a in left], [printed(b, inputs) for b in right]
        terms = [number(x, between) for x in values]
        rough = [a.value * b.value for a, b in zip(*factors, strict=True)]
        size = sum(map(abs, rough))
        each = max(off(x, term, abs(x)) for x, term in zip(rough, terms, strict=True)) if len(terms) > 1 else 0.0
        sums = [rough] if len(terms) == 1 else [rough, [term.value for term in terms]]
        both = max(off(math.fsum(each), end, size) for each in sums)
        return Try((*factors, terms, [end]), (close(each), close(both) and not residue), max(each, both))

    return settled(attempt, page, LEVELS[:1] if residue else LEVELS)


def addition(values: Sequence[float], counts: Sequence[bool], total: float, page: Page) -> Try:
    """Σ values = total, of those that count: parts are the values and [total]; the sign before the total."""
    end = page.number(total)
    residue = cancels(total, list(compress(values, counts)))

    def attempt(inputs: int, _: int) -> Try:
        terms = [number(x, inputs) for x in values]
        counted = [term.value for term in compress(terms, counts)]
        units = off(math.fsum(counted), end, sum(map(abs, counted)))
        return Try((terms, [end]), (close(units) and not residue,), units)

    return settled(attempt, page, LEVELS[:1] if residue else SINGLE)


def quotient(above: float, below: float, value: float, page: Page) -> Try:
    """above / below = value: parts are [above, below, value]; the sign before the value."""
    end = page.number(value)
    whole = below == int(below) and not page.exact

    def attempt(inputs: int, _: int) -> Try:
        a, b = number(above, inputs), written(repr(int(below))) if whole else number(below, inputs)
        units = max(off(a.value / d, end, abs(a.value / d)) for d in (b.value, below))
        return Try(([a, b, end],), (close(units),), units)

    return settled(attempt, page, SINGLE)


def power(z: float, m: float, value: float, page: Page) -> Try:
    """e^(z − m) = value: parts are [power, value]; the sign before the value. A power too small for float64 is ≈ 0."""
    end = page.number(value)

    def attempt(inputs: int, _: int) -> Try:
        up, down = number(z, inputs), number(m, inputs).signed()
        x = math.exp(min(up.value - down.value, 700.0))
        units = off(x, end, x) if value else (0.0 if x < 1e-300 else math.inf)
        body = Piece(f"e^{{{up.tex}-{down.tex}}}", 8 + SMALL * (up.px + down.px + MINUS))
        return Try(([body, end],), (close(units),), units)

    made = settled(attempt, page, SINGLE)
    return made if value or page.exact else made._replace(holds=(False,))
