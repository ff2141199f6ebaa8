"""How formulas are printed: numbers, names and sums as KaTeX, in rows that fit the page.

How many digits they get: `ui.arithmetic`.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from ui import numbers

EXACT = 17  #: digits that print a float64 in full
PLAIN = 1e5  #: from here on numbers are written with a power of ten
SHORT = 7  #: a typed number of so many characters is printed as it was typed
NAME = 8.4  #: room for a token in a formula, in digits: six letters or three Chinese characters, and …
NEAR_ONE = 6  #: digits that are tried to tell a number from 1
MOST = 6  #: terms that are never folded

#: Widths in pixels, at the 1.21 × 16 px of KaTeX in the page.
EM, DIGIT, MINUS, BINARY, PAREN = 19.4, 9.7, 15.1, 23.7, 7.6
SMALL = 0.7  #: of the size, for what stands in an index or exponent
TERM = 156  #: room for a term and its sign; two of them on a phone, which has 318

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\textdollar{}", "%": r"\%", "#": r"\#", "&": r"\&",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "-": "{-}", "'": "{'}", "`": "{`}",
    "\U0001d6a4": "i",
}  # fmt: skip


class Piece(NamedTuple):
    """A part of a formula: its KaTeX, how wide it prints, the number it shows, and the unit of its last digit."""

    tex: str
    px: float
    value: float = 0.0
    unit: float = 0.0

    def tinted(self, colour: str | None) -> Piece:
        return self._replace(tex=rf"\textcolor{{{colour}}}{{{self.tex}}}") if colour else self

    def guarded(self) -> Piece:
        """In parentheses where a sign or a power of ten would be misread."""
        if self.tex[0] != "-" and "times" not in self.tex:
            return self
        return self._replace(tex=f"({self.tex})", px=self.px + 2 * PAREN)

    def signed(self) -> Piece:
        """In parentheses where it would follow a plus sign with a minus sign."""
        return self.guarded() if self.tex[0] == "-" else self


class Page(NamedTuple):
    """How much fits on a row, and how much is to be shown."""

    across: int
    full: bool = False
    exact: bool = False

    @property
    def room(self) -> float:
        return self.across * TERM

    def number(self, x: float, digits: int = 2) -> Piece:
        """A number to so many decimals, or with every digit if those are to be shown."""
        return number(x, EXACT if self.exact else digits)


STRUT = r"\rule[-1em]{0pt}{3em}"
DOTS = Piece(r"\cdots", 1.2 * EM)
PLUS, COMMA, EQUALS = Piece("{}+", BINARY), Piece(r",\;", 0.6 * EM), Piece("= ", BINARY)


@lru_cache(maxsize=8192)
def number(x: float, digits: int = 2) -> Piece:
    """A number to so many decimals, rounded as cells are; large and tiny ones with a power of ten.

    >>> [number(x).tex for x in (0.125, -2.0, 0.0, 0.999, 4e-5, -1234567.0)]
    ['0.13', '-2.00', '0', '0.999', '4.00\\\\times10^{-5}', '-1.23\\\\times10^{6}']
    """
    if x == 0:
        return Piece("0", DIGIT, 0.0, 10.0**-digits)
    if math.isinf(x):
        return Piece(r"-\infty", MINUS + EM, x)
    if digits == EXACT:
        text = repr(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)
    else:
        text = _rounded(x, digits)
    mantissa, _, power = text.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if digits > 4 and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    px = sum(_WIDTHS.get(c, DIGIT) for c in mantissa)
    if not power:
        return Piece(mantissa, px, float(text), 10.0**-decimals)
    px += BINARY + 2 * DIGIT + SMALL * DIGIT * len(power)
    return Piece(rf"{mantissa}\times10^{{{int(power)}}}", px, float(text), 10.0 ** (int(power) - decimals))


_WIDTHS = {"-": MINUS, ".": 0.28 * EM}


def _rounded(x: float, digits: int) -> str:
    if not 0.5 * 10.0**-digits <= abs(x) < PLAIN:
        return f"{Decimal(repr(x)):.{digits}e}"  # a float would print digits that it does not have
    text = _decimal(x, digits)
    if abs(x) < 1 == abs(float(text)):  # 0.999 is not 1
        longer = (_decimal(x, more) for more in range(digits + 1, NEAR_ONE + 1))
        text = next((each for each in longer if abs(float(each)) != 1), text)
    return text


def _decimal(x: float, digits: int) -> str:
    return f"{Decimal(repr(x)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


@lru_cache(maxsize=4096)
def written(text: str, digits: int = 2) -> Piece:
    """A typed number as it was typed where that is short, else rounded.

    >>> [written(t).tex for t in ("0.129", "-2", "-1/3", "0.123456789")]
    ['0.129', '-2', '-\\\\tfrac{1}{3}', '0.12']
    """
    x = numbers.value(text)
    above, _, below = text.lstrip("-").partition("/")
    if digits == EXACT or "e" in text or max(len(above), len(below)) > SHORT or abs(x) >= PLAIN * 100:
        return number(x, digits)
    minus = "-" if text[0] == "-" else ""
    if not below:
        return Piece(text, sum(_WIDTHS.get(c, DIGIT) for c in text), x)
    if not (above.isdecimal() and below.isdecimal() and len(above + below) < 6):
        return number(x, digits)
    px = SMALL * DIGIT * max(len(above), len(below)) + 5 + MINUS * len(minus)
    return Piece(rf"{minus}\tfrac{{{above}}}{{{below}}}", px, x)


def as_typed(text: str) -> Piece:
    """A typed number to the letter, however long."""
    above, slash, below = text.partition("/")
    return fraction(_spelled(above), _spelled(below)) if slash else _spelled(text)


def _spelled(text: str) -> Piece:
    mantissa, _, power = text.partition("e")
    px = sum(_WIDTHS.get(c, DIGIT) for c in mantissa) + (60 if power else 0)
    return Piece(rf"{mantissa}\times10^{{{int(power)}}}" if power else mantissa, px)


@lru_cache(maxsize=256)
def names(tokens: tuple[str, ...]) -> tuple[Piece, ...]:
    """Tokens as indices: short, to the letter, and with their place where two would look alike."""
    short = [_clipped(token, NAME) for token in tokens]
    twice = {t for t in short if short.count(t) > 1}
    numbered = [f"{i + 1} {_clipped(token, NAME - 3)}" for i, token in enumerate(tokens)]
    return tuple(_name(each if t in twice else t) for t, each in zip(short, numbered, strict=True))


def _clipped(token: str, room: float) -> str:
    """The beginning of a token that is too long for an index."""
    if sum(map(_width, token)) <= room:
        return token
    ends = accumulate(map(_width, token), initial=_width("…"))
    return token[: sum(end <= room for end in ends) - 1] + "…"


def _name(text: str) -> Piece:
    return Piece(rf"\text{{{escaped(text)}}}", SMALL * DIGIT * sum(map(_width, text)))


def _width(character: str) -> float:
    """In digits."""
    wide = unicodedata.east_asian_width(character) in "WF"
    return 2.0 if wide else 2.4 if character == "…" else 1.7 if character in "#%&@~<>+=mwMW—" else 1.0


def escaped(text: str) -> str:
    """A token for use inside \\text{…}, to the letter.

    An accent that stands alone would stop KaTeX, so it is left out. `$` must not appear at all: it would end a formula
    in a sentence.

    >>> print(escaped("50%_{$}≠"))
    50\\%\\_\\{\\textdollar{}\\}\\(≠\\)
    """
    return "".join(map(_escaped, unicodedata.normalize("NFC", text)))


def _escaped(character: str) -> str:
    if "\u0300" <= character <= "\u036f":
        return ""
    if "\u2030" <= character < "\u2c00":  # ∑ and its kin are no text to KaTeX
        return rf"\({character}\)"
    return _SPECIAL.get(character, character)


def symbol(letter: str, *index: Piece, between: str = ",") -> Piece:
    """A letter with its indices."""
    px = 11 + sum(each.px for each in index) + 5 * (len(index) - 1)
    if between != ",":
        px += 9 * (len(index) - 1)
    return Piece(f"{letter}_{{{between.join(each.tex for each in index)}}}", px)


@lru_cache(maxsize=64)
def counted(k: int) -> Piece:
    """An index, counted from 1."""
    return Piece(str(k + 1), SMALL * DIGIT * len(str(k + 1)))


def fraction(above: Piece, below: Piece) -> Piece:
    return Piece(rf"\frac{{{above.tex}}}{{{below.tex}}}", max(above.px, below.px) + 5)


def product(a: Piece, b: Piece) -> Piece:
    return Piece(rf"{a.tex}\times {b.tex}", a.px + b.px + BINARY, a.value * b.value)


# Folding and rows


def shown(count: int, important: Sequence[int] = ()) -> list[int]:
    """Which of so many terms are shown when the middle is folded; −1 stands for a gap.

    >>> shown(6), shown(12, [7]), shown(7, [4])
    ([0, 1, 2, 3, 4, 5], [0, 1, 2, -1, 7, -1, 11], [0, 1, 2, 3, 4, 5, 6])
    """
    if count <= MOST:
        return list(range(count))
    kept: list[int] = []
    for k in sorted({0, 1, 2, count - 1, *important}):
        if kept and k - kept[-1] == 2:
            kept.append(k - 1)
        elif kept and k - kept[-1] > 2:
            kept.append(-1)
        kept.append(k)
    return kept


def row(terms: Sequence[Piece], page: Page, *, lead: Piece = EQUALS, glue: Piece = PLUS) -> list[str]:
    """Terms one after another, on as many rows as they need; of plain numbers twice as many fit."""
    wide = any(r"\times " in term.tex or r"\," in term.tex for term in terms)
    most = page.across if wide else 2 * page.across
    before, after = ("", glue.tex) if glue is COMMA else (glue.tex, "")
    rows, line, here, count = [], lead.tex, lead.px, 0
    for term in terms:
        if count and (count == most or here + glue.px + term.px > page.room):
            rows.append(line + after)
            line, here, count = rf"\quad {before}", EM + glue.px, 0
        elif count:
            line, here = line + glue.tex, here + glue.px
        *broken, tex = _broken(term, page.room - here)
        for each in broken:
            rows.append(line + each)
            line, here = r"\quad {}", EM
        line, here, count = line + tex, here + term.px, count + 1
    return [*rows, line]


def _broken(term: Piece, room: float) -> list[str]:
    """A product too wide for a row, over two of them."""
    left, times, right = term.tex.partition(r"\times ")
    return [left, times + right] if term.px > room and times else [term.tex]


def chain(left: Piece, steps: Sequence[tuple[str, Piece]], page: Page) -> list[str]:
    """left = step = step …, broken before a sign where the row is full."""
    rows, line, here = [], left.tex, left.px
    for sign, piece in steps:
        if here + BINARY + piece.px > page.room:
            rows.append(line)
            line, here = "", 0.0
        line, here = f"{line} {sign} {piece.tex}", here + BINARY + piece.px
    return [*rows, line]


def display(rows: Sequence[str]) -> str:
    """Rows as one displayed formula, its fences on lines of their own.

    Streamlit cuts off what stands out above a formula (`overflow-y: hidden`); a strut gives fractions room.
    """
    body = " \\\\\n& ".join(STRUT + each if r"\frac" in each else each for each in rows)
    return f"$$\n\\begin{{aligned}}\n& {body}\n\\end{{aligned}}\n$$"
