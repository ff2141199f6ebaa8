"""Numbers as a reader sees them: two decimals, a real minus sign, and no rounding that lies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from numpy.typing import NDArray

MINUS = "\u2212"
NEARLY_0 = "≈0"  #: what rounds to 0 and is not


def short(x: float, decimals: int = 2) -> str:
    """A number for a cell, rounded as with a pencil; what would round to a false 0 or 1 says so with ≈.

    >>> short(-0.5), short(0.0), short(0.004), short(0.999), short(12345.6), short(2.125), short(-math.inf)
    ('−0.50', '0', '≈0', '≈1', '1.23e4', '2.13', '−∞')
    """
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return f"{MINUS}∞" if x < 0 else "∞"
    if x == 0:
        return "0"
    if abs(x) >= 1000:
        return signed(f"{x:.2e}".replace("e+0", "e").replace("e+", "e"))
    text = str(Decimal(repr(float(x))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    if float(text) == 0:
        return NEARLY_0
    if abs(float(text)) == 1 and abs(x) < 1 and text != f"{x}":
        return f"≈{MINUS}1" if x < 0 else "≈1"
    return signed(text)


def enough(x: float, decimals: Sequence[int] = (2, 4), show: Callable[[float, int], str] = short) -> str | None:
    """A number with as many decimals as it takes not to be ≈0; None if none of these do.

    >>> enough(0.125), enough(0.00123), enough(1e-7)
    ('0.13', '0.0012', None)
    """
    return next((text for d in decimals if (text := show(x, d)) != NEARLY_0), None)


def residual(x: float) -> str:
    """A difference of which the size matters: 0 only if it is, and no digits that mean nothing.

    >>> residual(0.0), residual(2.220446e-16), residual(0.1234), residual(12345.6)
    ('0', '2.2e−16', '0.12', '1.23e4')
    """
    return short(x) if x == 0 or x >= 0.005 else signed(f"{x:.1e}".replace("e-0", "e-"))


def total(row: NDArray[np.float64], decimals: int = 2) -> str:
    """The sum of a row of weights, free of the last bits that float64 adds to it.

    >>> total(np.array([0.7, 0.2, 0.1])), total(np.zeros(3))
    ('1.00', '0')
    """
    return short(round(float(row.sum()), 9), decimals)


def exact(x: float) -> str:
    """Every digit that matters: the shortest text that reads back as the same float64.

    >>> exact(1 / 3), exact(-2.0)
    ('0.3333333333333333', '−2')
    """
    if not math.isfinite(x):
        return short(x)
    return signed(repr(int(x)) if x == int(x) and abs(x) < 1e15 else repr(float(x)))


def printed(text: str) -> Decimal:
    """What a reader calculates with who is shown this text.

    >>> printed("−0.50"), printed("+0.11"), printed("≈1")
    (Decimal('-0.50'), Decimal('0.11'), Decimal('1'))
    """
    return Decimal(text.strip("≈").replace(MINUS, "-"))


def signed(text: str) -> str:
    return text.replace("-", MINUS)
