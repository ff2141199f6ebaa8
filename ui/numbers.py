"""A number as a person types it, read to the digit.

What is typed is kept as text, so that `1/3` stays `1/3` and 0.129 is never rounded on its way through a link.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

LIMIT = 1_000_000
MAX_CHARS = 32

_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
_NUMBER = re.compile(rf"({_DECIMAL})(?:/({_DECIMAL}))?")
#: What a Chinese keyboard types, and every dash that gets pasted for a minus sign. (Unicode's own NFKC would also
#: turn 3² into 32.)
_LOOKALIKES = {0xFF01 + k: 0x21 + k for k in range(94)} | dict.fromkeys(map(ord, "−–—﹣"), "-")
_LOOKALIKES |= {ord("。"): ".", ord("⁄"): "/", ord("∕"): "/"}


class NotANumber(ValueError):
    """What was typed is not a number the lab can use; `reason` is the id of the sentence that says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def canonical(typed: object) -> str:
    """Return the one spelling under which a typed number is kept; a fraction stays a fraction.

    >>> [canonical(s) for s in (".07", "-.5", "1e-3", "１．５", "0。5", "1/3", " −2,".strip(","))]
    ['0.07', '-0.5', '0.001', '1.5', '0.5', '1/3', '-2']
    >>> canonical("abc")
    Traceback (most recent call last):
    ...
    ui.numbers.NotANumber: not_a_number
    """
    if not isinstance(typed, str) or not typed.strip():
        raise NotANumber("empty")
    if len(typed) > MAX_CHARS:
        raise NotANumber("too_long")
    text = re.sub(r"\s*/\s*", "/", typed.strip().translate(_LOOKALIKES))
    match = _NUMBER.fullmatch(text)
    if not match:
        raise NotANumber("not_a_number")
    above, below = (_plain(Decimal(part)) if part else None for part in match.groups())
    if below is not None and Decimal(below) == 0:
        raise NotANumber("divides_by_zero")
    _check_range(above, below)
    return above if below is None else f"{above}/{below}"


def value(text: str) -> float:
    """The float64 a canonical text stands for.

    >>> value("1/3") == 1 / 3
    True
    """
    above, _, below = text.partition("/")
    return float(above) / float(below) if below else float(above)


def text_of(number: float, decimals: int) -> str:
    """The canonical text of a number rounded to a few decimals.

    >>> text_of(-0.30000000000000004, 2), text_of(-0.001, 2)
    ('-0.3', '0')
    """
    return _plain(Decimal(f"{number:.{decimals}f}"))


@lru_cache(maxsize=4096)
def _plain(number: Decimal) -> str:
    if number == 0:
        return "0"
    text = format(number.normalize(), "f")
    return text if len(text) <= 24 else str(number.normalize()).replace("E", "e")


def _check_range(above: str, below: str | None) -> None:
    divisor = float(below) if below is not None else 1.0
    if not divisor or not abs(float(above) / divisor) <= LIMIT:
        raise NotANumber("too_large")
    if not float(above) / divisor and Decimal(above) != 0:
        raise NotANumber("too_small")
