"""Measured rows compared: which sentence about them is said, for another seed could contradict a fixed one."""

from __future__ import annotations

from attention.checks import Array
from attention.saturation import Saturation

FLAT = 1.15  #: a figure stays level if its largest value is at most so many times its smallest


def compare(measured: Saturation, what: str, one: tuple[int, str], other: tuple[int, str]) -> str:
    """Whether one estimate is more or less than the other, beyond what the intervals of both leave open.

    what: the name of an estimate. one, other: a d_k and a column. Returns: more, less or same.
    """
    (_, low, high), (_, least, most) = (getattr(measured, what)[measured.at(*each)] for each in (one, other))
    return "more" if low > most else "less" if high < least else "same"


def side(measured: Saturation, what: str, one: tuple[int, str], limit: float) -> str:
    """On which side of a limit an estimate lies with all of its interval: more, less or same."""
    _, low, high = getattr(measured, what)[measured.at(*one)]
    return "more" if low > limit else "less" if high < limit else "same"


def values(measured: Saturation, what: str, column: str, least: int) -> Array:
    """An estimate's values at every stop from d_k = least on."""
    s, c = measured.at(least, column)
    found: Array = getattr(measured, what)[s:, c, 0]
    return found


def level(figures: Array) -> bool:
    """Whether positive numbers stay the same."""
    return bool(figures.max() <= FLAT * figures.min())
