"""The numbers behind the pictures of what softmax makes of random rows: curves of every divisor, and a dozen rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from attention.saturation import ALPHAS, POWERS, Saturation
from ui.text import Text
from ui.variance_charts import NAMES, Record, estimate, estimated_share, evenness, frame_of, number

ROWS = 12  #: how many rows of weights are shown
KEYS = 8  #: how many weights each of them has
ASKED = 512  #: the d_k that is asked about
HALVES = tuple(n / 2 for n in range(25))  #: the exponents the slider stops at; 2^0.5 rounds to d_k = 1 as well
OPEN = tuple(n for n in HALVES if n <= 6)  #: and while the question is open
MEASURES = ("entropy", "dead", "median", "mean")
TOLD = ("dead", "entropy", "median")  #: what is printed below the chart
COLUMNS_OF_TEXT = ("entropy", "dead", "median", "band", "mean", "few")
SCORES = tuple(f"s{key}" for key in range(KEYS))
FIELDS = (
    "kind", "n", "d", "side", "a", "i", "text",
    *(f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")), "q5", "q25", "q75", "q95",
    "tip", *(f"t_{name}" for name in TOLD), *SCORES,
)  # fmt: skip


@lru_cache(maxsize=48)
def frame(measured: Saturation, drawn: tuple[str, ...] | None, guess: int | None, text: Text) -> Any:
    """All that is drawn.

    drawn: the divisors besides d_k^α; None while the question is open: then no curve is there to be found, and no row
    of vectors longer than those of OPEN. guess: the share in percent, if there is one.
    """
    records = [*_words(text, drawn is not None), *_rows(measured, OPEN if drawn is None else HALVES, text)]
    if drawn is not None:
        records += _curves(measured, drawn, text)
    if guess is not None:
        above = int(guess / 100 > measured.dead[measured.at(ASKED, "none")][0])
        records.append({"kind": "guess", "d": ASKED, "dead": guess / 100, "i": above, "text": text("your_guess")})
    return frame_of(records, FIELDS)


def _words(text: Text, answered: bool) -> Iterator[Record]:
    """Titles: data, so that another language redraws nothing."""
    for name in ("rows", *(("entropy", "dead", "gradient") if answered else ())):
        yield {"kind": f"title_{name}", "text": text(f"title_{name}", rows=ROWS)}
    yield {"kind": "count", "text": text("count_dead", rows=ROWS)}
    if answered:
        for name in TOLD:
            yield {"kind": f"head_{name}", "text": text(f"head_{name}")}


def _rows(measured: Saturation, exponents: Sequence[float], text: Text) -> Iterator[Record]:
    """The scores of the first rows: the browser divides them and takes softmax."""
    dead = text("mark_dead")
    for n in exponents:
        s = measured.d_k.index(round(2**n))
        for i, scores in enumerate(measured.scores[s, :ROWS].tolist()):
            keys = dict(zip(SCORES, scores, strict=True))
            yield {"kind": "row", "n": n, "d": measured.d_k[s], "i": i, "text": dead, **keys}


def _curves(measured: Saturation, drawn: Sequence[str], text: Text) -> Iterator[Record]:
    """A record a stop and divisor: those drawn, and every α that the slider may choose."""
    sides = [(column, "power", step) for step, column in enumerate(POWERS)]
    sides += [(name, name, None) for name in drawn]  # drawn last, so on top where they meet
    for column, name, step in sides:
        i = len(drawn) if step is not None else drawn.index(column)
        what = NAMES[name] if step is None else NAMES[name].replace("α", f"{ALPHAS[step]:.2f}")
        for d_k in measured.d_k:
            if not math.isnan(measured.largest[measured.at(d_k, column)]):  # ln 1 divides nothing
                said = cells(measured, d_k, column)
                yield {
                    "kind": "curve", "n": _exponent(d_k), "d": d_k, "side": NAMES[name], "a": step, "i": i,
                    "tip": text("tip", what=what, d_k=d_k, **said), **{f"t_{name}": said[name] for name in TOLD},
                    **_figures(measured, d_k, column),
                }  # fmt: skip


def _figures(measured: Saturation, d_k: int, column: str) -> Record:
    """What is drawn of a stop and divisor."""
    at = measured.at(d_k, column)
    found = dict(zip(("q5", "q25", "q75", "q95"), measured.quantiles[at].tolist(), strict=True))
    for what in MEASURES:
        found[what], found[f"{what}_low"], found[f"{what}_high"] = getattr(measured, what)[at].tolist()
    return found


def _exponent(d_k: int) -> float:
    return round(2 * math.log2(d_k)) / 2


def cells(measured: Saturation, d_k: int, column: str) -> dict[str, str]:
    """What a reader is told of a stop and divisor; intervals of 95 % in brackets."""
    at = measured.at(d_k, column)
    q5, _, _, q95 = measured.quantiles[at]
    few = measured.few[at]
    return {
        "entropy": evenness(measured.entropy[at]), "dead": estimated_share(*measured.dead[at]),
        "median": estimate(*measured.median[at]), "mean": estimate(*measured.mean[at]),
        "band": f"{number(q5)} – {number(q95)}",
        "few": "" if math.isnan(few) else estimated_share(few, *measured.few_within[at]),
    }  # fmt: skip
