"""A cell explains itself: a sentence and a formula for each step, with the real numbers.

`derive` (from `ui.origins`) says what a cell is computed from; here it becomes Markdown. `ui.arithmetic` sees to the
digits, `ui.formulas` to the KaTeX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ui import arithmetic, display, formulas, places, theme
from ui.arithmetic import sign
from ui.formulas import COMMA, DOTS, Page, Piece, counted, row, shown, symbol
from ui.names import numbered
from ui.origins import Derivation, Line, Operand, spelling
from ui.places import OF_ALL_HEADS, Place
from ui.text import Text
from ui.workbench import Workbench

#: stage → the letter of its cells in formulas
LETTERS = {"X": "x", "Q": "q", "K": "k", "V": "v", "scores": "s", "scaled": "z", "masked": "z", "weights": "a",
           "output": "o", "concat": r"\mathrm{concat}", "combined": "y"}  # fmt: skip
PAIRS = ("scores", "scaled", "masked", "weights")
ROW_WISE = ("scores", "project", "output", "contribution")  #: the steps that are sums of products


def blocks(
    derivation: Derivation, bench: Workbench, text: Text, *, across: int, full: bool = False, exact: bool = False
) -> list[str]:
    """Markdown paragraphs, to be joined with blank lines: what each step does, and the step as a formula.

    across: how many terms fit on a row, 2 on a phone. full: fold nothing. exact: every digit of every number.

    >>> from ui import workbench
    >>> from ui.origins import derive
    >>> print(blocks(derive(workbench.preset("cat"), Place("Q", 1, 0)), workbench.preset("cat"), Text("edit", "en"),
    ...              across=2)[1])
    $$
    \\begin{aligned}
    & \\textcolor{#2f7fd1}{q_{\\text{追},1}} = 2
    \\end{aligned}
    $$
    """
    it = _Printer(bench, formulas.names(bench.tokens), Text("trace", text.lang), Page(across, full, exact))
    return [block for line in derivation.lines for block in _PRINT[line.kind](line, it)]


def folds(derivation: Derivation) -> bool:
    """Whether something is folded unless `full` is asked for."""
    return any(-1 in _kept(line) for line in derivation.lines)


def label(place: Place, bench: Workbench, text: Text, *, names: Sequence[str] | None = None) -> str:
    """A cell's name for a button: `③ 追→老鼠`. `names`: what the rows are called, if not by their tokens.

    >>> from ui import workbench
    >>> label(Place("Q", 1, 1), workbench.preset("cat"), Text("edit", "en"))
    'Q[追, 2]'
    >>> label(Place("weights", 1, 2, 1), workbench.preset("cat"), Text("edit", "zh"))
    '头 2 · ③ 追→老鼠'
    """
    words = Text("trace", text.lang)
    family = "masked" if place.stage == "scaled" and bench.mask == "none" else _family(place)
    return _in_head(words(f"label_{family}", **_words(place, bench, words, names)), place, words)


def title(derivation: Derivation, bench: Workbench, text: Text, *, names: Sequence[str] | None = None) -> str:
    """What stands above the arithmetic.

    `names` are put in as they are: for Markdown they have to be escaped.
    """
    return tip(derivation.place, display.short(derivation.value), bench, text, names=names)


def tip(place: Place, number: str, bench: Workbench, text: Text, *, names: Sequence[str] | None = None) -> str:
    """A sentence that says which number this is, and how large.

    >>> from ui import workbench
    >>> tip(Place("weights", 1, 2), "0.40", workbench.preset("cat"), Text("edit", "en"))
    '③ weight that 追 gives to 老鼠 = 0.40'
    """
    words = Text("trace", text.lang)
    values = _words(place, bench, words, names)
    return _in_head(words(f"tip_{_family(place)}", number=number, **values), place, words)


def _family(place: Place) -> str:
    return "W" if place.stage[:2] == "W_" else place.stage


def _words(place: Place, bench: Workbench, words: Text, names: Sequence[str] | None) -> dict[str, object]:
    """What the names of places are made of."""
    names = names or numbered(bench.tokens, words)
    i, j = place.row, place.column
    of_matrix = place.stage[:2] == "W_"
    head = places.part(bench, j)[0] if place.stage == "concat" else place.head
    return {
        "matrix": place.stage, "head": head + 1,
        "row": i + 1 if of_matrix else names[i], "column": names[j] if place.stage in PAIRS else j + 1,
    }  # fmt: skip


def _in_head(said: str, place: Place, words: Text) -> str:
    """The same with the number of its head in front."""
    alone = place.head < 0 or place.stage in (*OF_ALL_HEADS, "contribution")
    return said if alone else words("in_head", head=place.head + 1, rest=said)


# Printing


@dataclass(frozen=True)
class _Printer:
    """What printing a line needs besides the line."""

    bench: Workbench
    names: tuple[Piece, ...]
    words: Text
    page: Page

    def symbol(self, place: Place) -> Piece:
        """A cell's symbol, in the hue of its matrix."""
        stage, i, j, head = place
        if stage[:2] == "W_":
            return symbol("w", counted(i), counted(j))
        if stage == "contribution":
            return symbol(f"c^{{({head + 1})}}", self.names[i], counted(j))
        if stage in PAIRS:
            between = r"\to " if stage == "weights" else ","
            return symbol(LETTERS[stage], self.names[i], self.names[j], between=between)
        return symbol(LETTERS[stage], self.names[i], counted(j)).tinted(theme.MATH.get(stage))

    def vector(self, stage: str, i: int) -> Piece:
        """A token's whole row of X, Q, K or V."""
        return symbol(LETTERS[stage], self.names[i]).tinted(theme.MATH[stage])

    def picked(self, terms: Sequence[Piece], line: Line) -> list[Piece]:
        """The terms that are shown, dots for the rest."""
        kept = range(len(terms)) if self.page.full else _kept(line)
        return [terms[k] if k >= 0 else DOTS for k in kept]

    def said(self, id: str, line: Line, **values: object) -> str:
        """The sentence of a step, how many terms it hides, and what cancels."""
        sentences = [self.words(id, **values)]
        kept = [] if self.page.full else _kept(line)
        if -1 in kept:
            sentences.append(self.words("folded", count=_terms(line) - sum(k >= 0 for k in kept)))
        if line.kind in (*ROW_WISE, "combined") and arithmetic.cancels(line.value, _summed(line)):
            sentences.append(self.words("step_cancels"))
        return self.words.sentences(sentences)


def _terms(line: Line) -> int:
    """How many terms a step has that could be folded."""
    if line.kind == "largest":
        return sum(line.counts)
    return len(line.left) if line.kind in (*ROW_WISE, "powers", "total", "combined") else 0


def _kept(line: Line) -> list[int]:
    """Which terms are shown when the middle is folded: always the weightiest, and the key that it is about."""
    count = _terms(line)
    if count <= formulas.MOST:
        return list(range(count))
    if line.kind in ROW_WISE:
        sizes = list(map(abs, _summed(line)))
        return shown(count, [sizes.index(max(sizes))])
    if line.kind == "combined":
        return shown(count)
    j = line.place.column
    if line.kind == "largest":
        seen = [k for k, counts in enumerate(line.counts) if counts]
        top = next(n for n, k in enumerate(seen) if line.left[k].value == line.value)
        return shown(count, [top, seen.index(j)] if j in seen else [top])
    return shown(count, [line.row.index(max(line.row)), j])


def _summed(line: Line) -> list[float]:
    """The terms that a step adds up."""
    if line.kind == "combined":
        return [o.value for o, on in zip(line.left, line.counts, strict=True) if on]
    return [a.value * b.value for a, b in zip(line.left, line.right, strict=True)]


def _inline(piece: Piece) -> str:
    return f"${piece.tex}$"


def _name(piece: Piece) -> str:
    """A token in a sentence, as large as the sentence: KaTeX prints 1.21 times as large."""
    return rf"$\footnotesize {piece.tex}$"


def _products(line: Line, it: _Printer, rows: list[str], lead: Piece, terms: list[Piece]) -> str:
    """Symbols, the numbers in their place, the products, the sum."""
    left, right = ([(o.value, spelling(it.bench, o.place)) for o in side] for side in (line.left, line.right))
    made = arithmetic.products(left, right, line.value, it.page)
    *factors, products, (total,) = made.parts
    hues = [theme.MATH.get(side[0].place.stage) for side in (line.left, line.right)]
    tinted = [[each.guarded().tinted(hue) for each in side] for side, hue in zip(factors, hues, strict=True)]
    numbers = [formulas.product(a, b) for a, b in zip(*tinted, strict=True)]
    rows = [*rows, *row(it.picked(terms, line), it.page, lead=lead), *row(it.picked(numbers, line), it.page)]
    if len(products) > 1:
        between = formulas.EQUALS._replace(tex=f"{sign(made.holds[0])} ")
        rows += row(it.picked(_summands(products), line), it.page, lead=between)
    return formulas.display([*rows, f"{sign(made.holds[1])} {total.tex}"])


def _summands(terms: Sequence[Piece]) -> list[Piece]:
    """Negative numbers in parentheses, but for the first."""
    return [term.signed() if k else term for k, term in enumerate(terms)]


def _lead(piece: Piece) -> Piece:
    return Piece(f"{piece.tex} = ", piece.px + formulas.BINARY)


def _pairs(line: Line, left: Callable[[Operand, int], Piece], right: Callable[[Operand, int], Piece]) -> list[Piece]:
    """Symbols of a sum of products."""
    sides = zip(line.left, line.right, strict=True)
    both = [(left(a, k), right(b, k)) for k, (a, b) in enumerate(sides)]
    return [Piece(rf"{a.tex}\,{b.tex}", a.px + b.px + 4) for a, b in both]


def _project(line: Line, it: _Printer) -> list[str]:
    stage, i, j, _ = line.place
    x = theme.MATH["X"]
    terms = _pairs(line, lambda _, k: symbol("x", counted(k)).tinted(x), lambda b, _: it.symbol(b.place))
    said = it.said("step_project", line, x=_inline(it.vector("X", i)), matrix=f"W_{stage}", column=j + 1)
    return [said, _products(line, it, [], _lead(it.symbol(line.place)), terms)]


def _scores(line: Line, it: _Printer) -> list[str]:
    _, i, j, _ = line.place
    q, k = it.vector("Q", i), it.vector("K", j)
    blue, orange = theme.MATH["Q"], theme.MATH["K"]
    terms = _pairs(line, lambda _, n: symbol("q", counted(n)).tinted(blue),
                   lambda _, n: symbol("k", counted(n)).tinted(orange))  # fmt: skip
    dot = Piece(rf"{q.tex}\cdot {k.tex}", q.px + k.px + formulas.BINARY)
    first = formulas.chain(it.symbol(line.place._replace(stage="scores")), [("=", dot)], it.page)
    said = it.said("step_scores", line, q=_inline(q), k=_inline(k))
    return [said, _products(line, it, first, formulas.EQUALS, terms)]


def _scaled(line: Line, it: _Printer) -> list[str]:
    scale, d_k = it.bench.scale, _d_k(it.bench, line.place.head)
    z, s = it.symbol(line.place._replace(stage="scaled")), it.symbol(line.left[0].place)
    if scale == "none":
        steps = [("=", s), ("=", it.page.number(line.value))]
    else:
        root = scale == "sqrt"
        made = arithmetic.quotient(line.above, line.below, line.value, it.page)
        above, below, value = made.parts[0]
        steps = [("=", formulas.fraction(s, _under(root, "d_k"))), ("=", formulas.fraction(above, below))]
        if root:
            steps.insert(1, ("=", formulas.fraction(above, _under(root, str(d_k)))))
        steps.append((sign(made.holds[0]), value))
    return [it.words(f"step_scaled_{scale}", d_k=d_k), formulas.display(formulas.chain(z, steps, it.page))]


def _under(root: bool, tex: str) -> Piece:
    return Piece(rf"\sqrt{{{tex}}}" if root else tex, 36)


def _d_k(bench: Workbench, head: int) -> int:
    return bench.sizes["d_k"] if head < 0 else bench.sizes["d_model"] // bench.n_heads


def _masked(line: Line, it: _Printer) -> list[str]:
    names = {"query": _name(it.names[line.place.row]), "key": _name(it.names[line.place.column])}
    before, after = it.page.number(line.left[0].value), it.page.number(line.value)
    said = it.words("step_masked_open" if line.open else "step_masked_closed", **names)
    return [said, formulas.display([rf"{before.tex} \;\longrightarrow\; {after.tex}"])]


def _largest(line: Line, it: _Printer) -> list[str]:
    numbers = [it.page.number(o.value) for o, may in zip(line.left, line.counts, strict=True) if may]
    *rows, last = row(it.picked(numbers, line), it.page, lead=Piece(r"m = \max(", 90), glue=COMMA)
    said = it.said("step_largest", line, query=_name(it.names[line.place.row]))
    return [said, formulas.display([*rows, f"{last})", f"= {it.page.number(line.value).tex}"])]


def _powers(line: Line, it: _Printer) -> list[str]:
    """A row a key, since each is a formula of its own."""
    rows = [_power(line, it, k) for k in range(len(line.row))]
    kept = range(len(rows)) if it.page.full else _kept(line)
    printed = [each for k in kept for each in (rows[k] if k >= 0 else [r"\quad\vdots"])]
    said = [it.said("step_powers", line)]
    if not all(line.counts):
        said.append(it.words("step_powers_masked"))
    if any(may and not x for x, may in zip(line.row, line.counts, strict=True)):
        said.append(it.words("step_powers_underflow"))
    return [it.words.sentences(said), formulas.display(["u_k = e^{z_k-m}", *printed])]


def _power(line: Line, it: _Printer, k: int) -> list[str]:
    u = symbol("u", it.names[k])
    if not line.counts[k]:
        return formulas.chain(u, [("=", Piece(r"e^{-\infty}", 40)), ("=", it.page.number(0.0))], it.page)
    m = max(o.value for o in line.left)
    made = arithmetic.power(line.left[k].value, m, line.row[k], it.page)
    body, value = made.parts[0]
    return formulas.chain(u, [("=", body), (sign(made.holds[0]), value)], it.page)


def _total(line: Line, it: _Printer) -> list[str]:
    made = arithmetic.addition(line.row, line.counts, line.value, it.page)
    terms, (total,) = made.parts
    rows = row(it.picked(terms, line), it.page, lead=Piece("S = ", 2 * formulas.BINARY))
    return [it.said("step_total", line), formulas.display([*rows, f"{sign(made.holds[0])} {total.tex}"])]


def _share(line: Line, it: _Printer) -> list[str]:
    made = arithmetic.quotient(line.above, line.below, line.value, it.page)
    above, below, value = made.parts[0]
    general = formulas.fraction(symbol("u", it.names[line.place.column]), Piece("S", 13))
    steps = [("=", general), ("=", formulas.fraction(above, below)), (sign(made.holds[0]), value)]
    said = it.words("step_share" if line.open else "step_share_masked", key=_name(it.names[line.place.column]))
    return [said, formulas.display(formulas.chain(it.symbol(line.place), steps, it.page))]


def _empty(line: Line, it: _Printer) -> list[str]:
    value = formulas.chain(it.symbol(line.place), [("=", it.page.number(0.0))], it.page)
    return [it.words("step_empty", query=_name(it.names[line.place.row])), formulas.display(value)]


def _output(line: Line, it: _Printer) -> list[str]:
    _, i, j, _ = line.place
    terms = _pairs(line, lambda _, k: symbol("a", it.names[k]), lambda b, _: it.symbol(b.place))
    said = it.said("step_output", line, query=_name(it.names[i]), column=j + 1)
    return [said, _products(line, it, [], _lead(it.symbol(line.place)), terms)]


def _contribution(line: Line, it: _Printer) -> list[str]:
    _, i, j, head = line.place
    terms = _pairs(line, lambda _, k: symbol("o", counted(k)), lambda b, _: it.symbol(b.place))
    said = it.said("step_contribution", line, token=_name(it.names[i]), head=head + 1, column=j + 1)
    return [said, _products(line, it, [], _lead(it.symbol(line.place)), terms)]


def _concat(line: Line, it: _Printer) -> list[str]:
    (origin,) = line.left
    steps = [("=", it.page.number(line.value))]
    if line.open:
        steps.insert(0, ("=", it.symbol(origin.place)))
    values = {"head": origin.place.head + 1, "column": origin.place.column + 1, "number": display.short(origin.value)}
    said = it.words("step_concat_on" if line.open else "step_concat_off", **values)
    return [said, formulas.display(formulas.chain(it.symbol(line.place), steps, it.page))]


def _combined(line: Line, it: _Printer) -> list[str]:
    made = arithmetic.addition([o.value for o in line.left], line.counts, line.value, it.page)
    terms, (total,) = made.parts
    heads = [symbol(f"c^{{({h + 1})}}", it.names[line.place.row], counted(line.place.column))
             for h in range(len(line.left))]  # fmt: skip
    rows = [
        each for pieces, lead in ((heads, _lead(it.symbol(line.place))), (_summands(terms), formulas.EQUALS))
        for each in row(it.picked(_struck(pieces, line.counts), line), it.page, lead=lead)
    ]  # fmt: skip
    id = "step_combined" if all(line.counts) else "step_combined_off" if any(line.counts) else "step_combined_none"
    return [it.said(id, line), formulas.display([*rows, f"{sign(made.holds[0])} {total.tex}"])]


def _struck(terms: Sequence[Piece], counts: Sequence[bool]) -> list[Piece]:
    """What does not count is crossed out."""
    return [
        term if on else term._replace(tex=rf"\cancel{{{term.tex}}}") for term, on in zip(terms, counts, strict=True)
    ]


def _given(line: Line, it: _Printer) -> list[str]:
    """A number that is not computed: as it was typed, or as it was drawn, and where it is from."""
    spelt = spelling(it.bench, line.place)
    value = it.page.number(line.value, 2 if spelt else 4)
    steps = [(sign(it.page.exact or value.value == line.value), value)]
    if spelt and "/" in spelt:
        steps.insert(0, ("=", formulas.as_typed(spelt)))
    elif spelt and not it.page.exact:
        steps = [("=", formulas.as_typed(spelt))]
    said = it.words(f"origin_{_origin(line, spelt)}", seed=it.bench.head_seed, head=line.place.head + 1)
    return [said, formulas.display(formulas.chain(it.symbol(line.place), steps, it.page))]


def _origin(line: Line, spelt: str | None) -> str:
    """Whose number it is: the reader's, or that of a head: copied, typed or drawn. Who typed it last is not known."""
    if line.place.head < 0:
        return "input"
    return "twin" if line.left else "drawn" if spelt is None else "typed_head"


_PRINT: dict[str, Callable[[Line, _Printer], list[str]]] = {
    "given": _given, "project": _project, "scores": _scores, "scaled": _scaled, "masked": _masked,
    "largest": _largest, "powers": _powers, "total": _total, "share": _share, "empty": _empty, "output": _output,
    "contribution": _contribution, "concat": _concat, "combined": _combined,
}  # fmt: skip
