"""The numbers behind the pictures of what softmax makes of random rows: curves of every divisor, and a dozen rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import streamlit as st

from attention.saturation import ALPHAS, POWERS, Saturation
from ui.text import Text
from ui.variance_charts import NAMES, Record, frame_of, percent

ROWS = 12  #: how many rows of weights are shown
ASKED = 512  #: the d_k that is asked about
HALVES = tuple(n / 2 for n in range(25))  #: the exponents the slider stops at; 2^0.5 rounds to d_k = 1 as well
MEASURES = ("entropy", "dead", "median", "mean")
COLUMNS_OF_TEXT = ("entropy", "dead", "median", "band", "mean", "few")
FIELDS = (
    "kind", "n", "d", "side", "a", "i", "text",
    *(f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")), "q5", "q25", "q75", "q95",
    "tip", *(f"t_{name}" for name in COLUMNS_OF_TEXT),
    *(f"s{key}" for key in range(8)),
)  # fmt: skip

@st.cache_resource(max_entries=48, show_spinner=False)
def frame(seed: int, lang: str, drawn: tuple[str, ...] | None, guess: int | None, _measured: Saturation) -> Any:
    """All that is drawn.

    drawn: the divisors besides d_k^α; None while the question is open: then no curve is there to be found, and no row
    of vectors longer than 64. guess: the share in percent, if there is one.
    """
    text = Text("variance_softmax", lang)
    records = [*_words(text, drawn is not None), *_rows(_measured, HALVES if drawn is not None else HALVES[:13], text)]
    if drawn is not None:
        records += _curves(_measured, drawn, text)
    if guess is not None:
        measured = _measured.dead[_measured.at(ASKED, "none")][0]
        above = int(guess / 100 > measured)
        records.append({"kind": "guess", "d": ASKED, "dead": guess / 100, "i": above, "text": text("your_guess")})
    return frame_of(records, FIELDS)


def _words(text: Text, answered: bool) -> Iterator[Record]:
    """Titles: data, so that another language redraws nothing."""
    for name in ("rows", *(("entropy", "dead", "gradient") if answered else ())):
        yield {"kind": f"title_{name}", "text": text(f"title_{name}")}
    yield {"kind": "count", "text": text("count_dead", rows=ROWS)}
    if answered:
        for name in COLUMNS_OF_TEXT:
            yield {"kind": f"head_{name}", "text": text(f"head_{name}")}


def _rows(measured: Saturation, exponents: Sequence[float], text: Text) -> Iterator[Record]:
    """The scores of the first rows: the browser divides them and takes softmax."""
    dead = text("mark_dead")
    for n in exponents:
        s = measured.d_k.index(round(2**n))
        for i, scores in enumerate(measured.scores[s, :ROWS].tolist()):
            keys = {f"s{key}": score for key, score in enumerate(scores)}
            yield {"kind": "row", "n": n, "d": measured.d_k[s], "i": i, "text": dead, **keys}


def _curves(measured: Saturation, drawn: Sequence[str], text: Text) -> Iterator[Record]:
    """A record a stop and divisor: those drawn, and every α that the slider may choose."""
    sides = [(column, "power", step) for step, column in enumerate(POWERS)]
    sides += [(name, name, None) for name in drawn]  # drawn last, so on top where they meet
    for column, name, step in sides:
        i = len(drawn) if step is not None else drawn.index(column)
        for d_k in measured.d_k:
            at = measured.at(d_k, column)
            if math.isnan(measured.entropy[at][0]):
                continue  # ln 1 divides nothing
            record: Record = {"kind": "curve", "n": _exponent(d_k), "d": d_k, "side": NAMES[name], "a": step, "i": i}
            for what in MEASURES:
                value, low, high = getattr(measured, what)[at].tolist()
                record |= {what: value, f"{what}_low": low, f"{what}_high": high}
            quantiles = dict(zip(("q5", "q25", "q75", "q95"), measured.quantiles[at].tolist(), strict=True))
            said = cells(measured, d_k, column)
            what = NAMES[name] if step is None else NAMES[name].replace("α", f"{ALPHAS[step]:.2f}")
            record["tip"] = text("tip", what=what, d_k=d_k, **said)
            yield record | quantiles | {f"t_{name}": words for name, words in said.items()}


def _exponent(d_k: int) -> float:
    return round(2 * math.log2(d_k)) / 2


def cells(measured: Saturation, d_k: int, column: str) -> dict[str, str]:
    """What a reader is told of a stop and divisor; intervals of 95 % in brackets."""
    at = measured.at(d_k, column)

    def within(what: str) -> str:
        value, low, high = getattr(measured, what)[at]
        if what == "dead":
            return f"{share(value)} ({share(low)} – {share(high)})"
        return f"{digits(value)} ({digits(low)} – {digits(high)})"

    q5, _, _, q95 = measured.quantiles[at]
    shown = {what: within(what) for what in MEASURES}
    few = measured.few[at]
    return {**shown, "band": f"{digits(q5)} – {digits(q95)}", "few": "" if math.isnan(few) else f"{few:.1%}"}


def share(x: float) -> str:
    """As `percent`, and what is below 1 % with a decimal.

    >>> share(0.0), share(0.00096), share(0.7095)
    ('0%', '0.1%', '71%')
    """
    return f"{x:.1%}" if 0.0005 <= x < 0.01 else percent(x)


def digits(x: float) -> str:
    """Three digits that matter, never an exponent.

    >>> digits(1.3009), digits(0.01462), digits(0.00197), digits(2e-11), digits(11.313)
    ('1.30', '0.0146', '0.00197', '≈0', '11.3')
    """
    if x == 0 or abs(x) < 5e-4:
        return "0" if x == 0 else "≈0"
    return f"{x:,.{max(2 - math.floor(math.log10(abs(x))), 0)}f}"
