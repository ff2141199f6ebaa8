"""Rows of numbers for the picture of ribbons: written out, and as strips of coloured cells."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ui import display, theme

Row = NDArray[np.float64]
Cell = tuple[str, str, int]  #: the number, the colour of its cell, whether white ink is the one to read on it


def vector(row: Row, most: int = 8) -> str:
    """A vector in a sentence; a long one is cut.

    >>> vector(np.array([0.5, 0, -1])), vector(np.zeros(5), most=4)
    ('(0.50, 0, −1.00)', '(0, 0, 0, 0, …)')
    """
    return f"({', '.join([*short(row[:most]), *(['…'] if len(row) > most else [])])})"


def short(row: Row) -> list[str]:
    """Each number as `ui.display` writes it."""
    return [display.short(float(x)) for x in row]


def largest(values: Row) -> float:
    """The value at the ends of a signed ramp; 1 where all are 0."""
    return float(np.abs(values).max()) or 1.0


def strip(row: Row, limit: float) -> list[Cell]:
    """A row of cells, coloured from −limit to limit."""
    return [(display.short(float(x)), *_paint(round(127.5 * (1 + x / limit)))) for x in row]


@lru_cache(maxsize=256)
def _paint(step: int) -> tuple[str, int]:
    """The colour of step 0 … 255 of the signed ramp, and whether white ink is the one to read on it."""
    at = step / 255
    red, green, blue = (round(255 * part) for part in theme.ramp(theme.SIGNED, at))
    return f"#{red:02x}{green:02x}{blue:02x}", int(theme.light_ink(theme.SIGNED, at))
