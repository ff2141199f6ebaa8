"""Formulas of broken assumptions, with the reader's numbers put in: those of what is broken, and the general one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attention.assumptions import Components, predicted_mean, predicted_variance
from ui.variance_assumptions_words import number

NUMBERS = ("rho", "mean_q", "mean_k", "sd_q", "sd_k", "shared")
#: what is broken → the mean in symbols, and with the numbers put in; then the variance
MEAN = {
    "correlated": r"&= d_k\,\rho = {d} \cdot {rho}",
    "means": r"&= d_k\,\mu_q\mu_k \\ &= {d} \cdot {mean_q} \cdot {mean_k}",
}
VARIANCE = {
    "correlated": r"&= d_k\,(1+\rho^2) \\ &= {d}\,(1 + {rho}^2)",
    "means": r"&= d_k\,(1+\mu_q^2+\mu_k^2) \\ &= {d}\,(1 + {mean_q}^2 + {mean_k}^2) \\ &",
    "variances": r"&= d_k\,\sigma_q^2\,\sigma_k^2 \\ &= {d} \cdot {sd_q}^2 \cdot {sd_k}^2",
    "dependent": r"&= d_k\,(1+(d_k-1)\,r^2) \\ &= {d}\,(1 + {rest} \cdot {shared}^2)",
}
ALIKE_MEAN = r"&= d_k\,\mathbb E[q_i]\,\mathbb E[k_i]"
ALIKE_VARIANCE = r"&= d_k\,\mathbb E[q_i^2]\,\mathbb E[k_i^2] \\ &= {d} \cdot 1 \cdot 1"
EQUAL = re.compile(r"[ \\&]*= ")  #: an equals sign, and the new line it may have
PLACE = re.compile(r"{([a-z]\w*)}")
#: mean and variance whatever is broken: in symbols, and with the numbers put in; S and T are Σ Cᵢⱼ and Σ Cᵢⱼ²
GENERAL = r"""\mathbb E[q\cdot k] &= d_k\,(\rho\,\sigma_q\sigma_k + \mu_q\mu_k) \\
&= {d}\,({rho} \cdot {sd_q} \cdot {sd_k} + {mean_q} \cdot {mean_k}) \\
&= {mean} \\[1ex]
\mathrm{Var}(q\cdot k) &= \sigma_q^2\,\sigma_k^2\,(1+\rho^2)\,T \\
&\;\; + (\mu_q^2\sigma_k^2 + \mu_k^2\sigma_q^2 \\
&\;\; + 2\rho\,\mu_q\mu_k\,\sigma_q\sigma_k)\,S \\
&= {sd_q}^2 \cdot {sd_k}^2\,(1 + {rho}^2) \cdot {t} \\
&\;\; + ({mean_q}^2 \cdot {sd_k}^2 + {mean_k}^2 \cdot {sd_q}^2 \\
&\;\; + 2 \cdot {rho} \cdot {mean_q} \cdot {mean_k} \\
&\;\;\;\; \cdot {sd_q} \cdot {sd_k}) \cdot {s} \\
&= {variance} \\[1ex]
T &= d_k\,(1+(d_k-1)\,r^2) \\
&= {d}\,(1 + {rest} \cdot {shared}^2) = {t} \\
S &= d_k\,(1+(d_k-1)\,r) \\
&= {d}\,(1 + {rest} \cdot {shared}) = {s}"""


def formula(broken: str, of: Components, d_k: int, *, narrow: bool = False) -> str:
    """Mean and variance as KaTeX, the reader's numbers put in; narrow: a line for each = sign."""
    put = _put(of, d_k, ".2f")
    ways = (
        (r"\mathbb E[q\cdot k]", MEAN.get(broken, ALIKE_MEAN), predicted_mean(of, d_k)),
        (r"\mathrm{Var}(q\cdot k)", VARIANCE.get(broken, ALIKE_VARIANCE), predicted_variance(of, d_k)),
    )
    lines = [f"{name} {filled(way, put)} = {_value(value)}" for name, way, value in ways]
    if narrow:
        lines = ["& " + EQUAL.sub(r" \\\\ &\\quad = ", line) for line in lines]
    return _aligned(" \\\\\n".join(lines))


def filled(way: str, put: Mapping[str, str]) -> str:
    """Numbers in the place of names in braces, which no LaTeX here has.

    >>> filled("{d} + {rho}", {"d": "64", "rho": "0.90"})
    '64 + 0.90'
    """
    return PLACE.sub(lambda match: put[match[1]], way)


def general(of: Components, d_k: int) -> str:
    """The general formula for mean and variance, with these numbers put in, in as few digits as they have."""
    t, s = (f"{d_k * (1 + (d_k - 1) * r):g}" for r in (of.shared**2, of.shared))
    found = {"mean": _value(predicted_mean(of, d_k)), "variance": _value(predicted_variance(of, d_k)), "t": t, "s": s}
    return _aligned(filled(GENERAL, _put(of, d_k, "g") | found))


def _aligned(lines: str) -> str:
    return "$$\n\\begin{aligned}\n" + lines + "\n\\end{aligned}\n$$"


def _value(x: float) -> str:
    """A number of which the commas are none between things."""
    return number(x).replace(",", "{,}")


def _put(of: Components, d_k: int, spec: str) -> dict[str, str]:
    """Numbers by their names in a formula; negative ones in brackets."""
    put = {name: format(getattr(of, name), spec) for name in NUMBERS}
    put = {name: f"({text})" if text.startswith("-") else text for name, text in put.items()}
    return put | {"d": str(d_k), "rest": str(d_k - 1)}
