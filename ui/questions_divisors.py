"""What other divisors do, for the answers that compare them: measured on the rows that the page itself draws."""

from __future__ import annotations

import math
from functools import lru_cache

from attention import saturation
from attention.divisors import HEADS
from attention.saturation import Saturation
from ui.display import short
from ui.questions_states import Facts
from ui.variance_measure import ROWS
from ui.workbench import Workbench

AT = (64, 256)  #: vectors grow, so that measuring no further gives the page's very numbers


@lru_cache(maxsize=2)
def _measured(seed: int) -> Saturation:
    return saturation.measure_saturation(ROWS, AT, seed=seed)


def _entropy(found: Saturation, name: str, d_k: int) -> str:
    return short(found.entropy[found.at(d_k, name)][0], 3 if name == "cosine" else 2)


def slower_and_faster(bench: Workbench) -> Facts:
    """Entropies of rows divided by what grows more slowly than √d_k, and by what grows faster."""
    found = _measured(bench.variance_seed)
    names = ("none", "sqrt", "log", "cosine")
    facts: Facts = {f"{name}_{d_k}": _entropy(found, name, d_k) for name in names for d_k in AT}
    return facts | {"rows": f"{found.draws}", "keys": str(found.n_keys), "ratio": short(math.e**2),
                    "fifth": short(found.largest[found.at(AT[0], "fifth")], 3)}  # fmt: skip


def too_much(bench: Workbench) -> Facts:
    """What is left of the scores divided by √d_model and by d_model."""
    found = _measured(bench.variance_seed)
    facts: Facts = {"heads": str(HEADS), "root": short(math.sqrt(HEADS)), "sqrt": _entropy(found, "sqrt", AT[0])}
    for name in ("root_model", "model"):
        facts |= {f"spread_{name}": short(found.spread(AT[0], name)[0], 4),
                  f"entropy_{name}": short(found.entropy[found.at(AT[0], name)][0], 4)}  # fmt: skip
    return facts | {"formula_model": short(math.sqrt(AT[0]) / (HEADS * AT[0]), 4)}
