"""One number of the way from the loss to W_Q, with the numbers put in that it is made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ui import arithmetic, formulas, theme
from ui.arithmetic import Try, Value, sign
from ui.formulas import DOTS, EQUALS, Page, Piece, counted, row
from ui.origins import spelling
from ui.places import Place
from ui.variance_gradient_backward import BY_KEY, Way

#: step → the letter of its numbers
LETTERS = {"output": "o", "weights": "a", "scaled": "z", "scores": "s", "Q": "q", "W_Q": "w"}
SIGNIFICANT = (3, 4, 5, 6)  #: digits that are tried until what is printed adds up


def arithmetic_of(way: Way, name: str, at: int, column: int, page: Page) -> str:
    """A displayed formula: ∂L/∂ of this number = its terms = its value.

    at: the row of W_Q; not used of the others, which are one row.
    """
    lead = _lead(_symbol(way, name, at, column))
    return _MAKE[name](way, at, column, lead, page)


def _symbol(way: Way, name: str, at: int, column: int) -> Piece:
    index = formulas.names(way.bench.tokens)[column] if name in BY_KEY else counted(column)
    letter = LETTERS[name]
    made = formulas.symbol(letter, counted(at), index) if name == "W_Q" else formulas.symbol(letter, index)
    made = made.tinted(theme.MATH.get(name))
    return Piece(rf"\frac{{\partial L}}{{\partial {made.tex}}}", max(made.px + 12, 28))


def _lead(piece: Piece) -> Piece:
    return Piece(f"{piece.tex} = ", piece.px + formulas.BINARY)


def _output(way: Way, at: int, column: int, lead: Piece, page: Page) -> str:
    """How far the output is from the target."""
    here, there = float(way.steps.output[way.i, column]), float(way.target[column])
    value = float(way.gradient("output")[column])
    end = _digits(value)

    def attempt(digits: int) -> Try:
        first, second = _digits(here, digits), _digits(-there, digits)
        off = arithmetic.off(first.value + second.value, end, abs(here) + abs(there))
        return Try(([first, second],), (arithmetic.close(off),), off)

    made = _settled(attempt)
    return _rows(row([made.parts[0][0], made.parts[0][1].signed()], page, lead=lead), made, end)


def _weights(way: Way, at: int, column: int, lead: Piece, page: Page) -> str:
    """What this key's value would do to the output, against what the loss says of each component."""
    if not way.open[column]:
        return formulas.display([f"{lead.tex} 0"])
    left = _computed(way.gradient("output").tolist())
    right = _given(way, "V", [(column, c) for c in range(len(left))])
    return _products(left, right, float(way.gradient("weights")[column]), lead, page, (None, theme.MATH["V"]))


def _scaled(way: Way, at: int, column: int, lead: Piece, page: Page) -> str:
    """This score's row of J against the gradients of all weights."""
    left, right = way.jacobian[column].tolist(), way.gradient("weights").tolist()
    value = float(way.gradient("scaled")[column])
    return _products(_computed(left), _computed(right), value, lead, page, (theme.CHOSEN, None))


def _scores(way: Way, at: int, column: int, lead: Piece, page: Page) -> str:
    above, value = float(way.gradient("scaled")[column]), float(way.gradient("scores")[column])
    end, below = _digits(value), way.steps.divisor

    def attempt(digits: int) -> Try:
        over, under = _digits(above, digits), _printed((below, f"{below:.0f}" if below == int(below) else None), digits)
        off = arithmetic.off(over.value / under.value, end, abs(value))
        return Try(([over, under],), (arithmetic.close(off),), off)

    made = _settled(attempt)
    return _rows([lead.tex + formulas.fraction(*made.parts[0]).tex], made, end)


def _query(way: Way, at: int, column: int, lead: Piece, page: Page) -> str:
    """Every score's gradient, times this component of its key."""
    left = _computed(way.gradient("scores").tolist())
    right = _given(way, "K", [(k, column) for k in range(len(left))])
    return _products(left, right, float(way.gradient("Q")[column]), lead, page, (None, theme.MATH["K"]))


def _projection(way: Way, at: int, column: int, lead: Piece, page: Page) -> str:
    """This component of the token, times the gradient of what it is projected to."""
    left, right = _given(way, "X", [(way.i, at)]), _computed([float(way.gradient("Q")[column])])
    value = float(way.gradient("W_Q")[at, column])
    return _products(left, right, value, lead, page, (theme.MATH["X"], theme.MATH["Q"]))


def _computed(numbers: Sequence[float]) -> list[Value]:
    return [(x, None) for x in numbers]


def _given(way: Way, matrix: str, at: Sequence[tuple[int, int]]) -> list[Value]:
    """Numbers of a matrix, as they were typed if they were."""
    bench = way.bench
    made = dict(zip("QKV", bench.qkv(), strict=True)).get(matrix)
    values = bench.array(matrix) if made is None else made
    return [(float(values[i, j]), spelling(bench, Place(matrix, i, j))) for i, j in at]


def _products(
    left: Sequence[Value], right: Sequence[Value], total: float, lead: Piece, page: Page,
    hues: tuple[str | None, str | None],
) -> str:  # fmt: skip
    """The numbers multiplied, the products, the sum."""
    values = [a[0] * b[0] for a, b in zip(left, right, strict=True)]
    end = _digits(total)

    def attempt(digits: int) -> Try:
        factors = [[_printed(each, digits) for each in side] for side in (left, right)]
        products = [_digits(x, digits) for x in values]
        rough = [a.value * b.value for a, b in zip(*factors, strict=True)]
        sums = [rough] if len(rough) == 1 else [rough, [each.value for each in products]]
        worst = max(arithmetic.off(math.fsum(each), end, sum(map(abs, rough))) for each in sums)
        return Try((*factors, products), (arithmetic.close(worst),), worst)

    made = _settled(attempt)
    *factors, products = made.parts
    tinted = [[each.guarded().tinted(hue) for each in side] for side, hue in zip(factors, hues, strict=True)]
    numbers = [formulas.product(a, b) for a, b in zip(*tinted, strict=True)]
    kept = formulas.shown(len(values), [max(range(len(values)), key=lambda k: abs(values[k]))])

    def picked(terms: Sequence[Piece]) -> list[Piece]:
        return [terms[k] if k >= 0 else DOTS for k in kept]

    rows = row(picked(numbers), page, lead=lead)
    if len(products) > 1:
        between = EQUALS._replace(tex=f"{sign(made.holds[0])} ")
        rows += row(picked([each.signed() if k else each for k, each in enumerate(products)]), page, lead=between)
    return _rows(rows, made, end)


def _settled(attempt: Callable[[int], Try]) -> Try:
    """The formula with the fewest significant digits at which its signs hold; a gradient may be of any size."""
    tries = map(attempt, SIGNIFICANT)
    return next((made for made in tries if all(made.holds)), attempt(SIGNIFICANT[-1]))


def _digits(x: float, significant: int = SIGNIFICANT[0]) -> Piece:
    """A number with so many significant digits; a tiny or huge one with a power of ten."""
    if not 1e-4 <= abs(x) < formulas.PLAIN:
        return formulas.number(x, significant - 1)
    return formulas.number(x, max(significant - 1 - math.floor(math.log10(abs(x))), 0))


def _printed(value: Value, significant: int) -> Piece:
    x, text = value
    return _digits(x, significant) if text is None else formulas.written(text, significant)


def _rows(rows: Sequence[str], made: Try, total: Piece) -> str:
    return formulas.display([*rows, f"{sign(made.holds[-1])} {total.tex}"])


_MAKE = {"output": _output, "weights": _weights, "scaled": _scaled, "scores": _scores, "Q": _query, "W_Q": _projection}
