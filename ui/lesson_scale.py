"""A lesson on √d_k: the scale lab, a link of the chain a question, to be opened before the answer and after it.

The page asks every question itself, and says what came out by its own measurement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import attention
from attention import training
from attention.assumptions import Components, predicted_mean, predicted_variance
from ui import display, predict, views
from ui.lesson_plan import Facts, Part
from ui.text import Text
from ui.variance_guesses import GUESSES
from ui.variance_softmax_words import GIVEN
from ui.workbench import Workbench

LINKS = ("spread", "softmax", "gradient", "training", "divisors", "assumptions")
RHO, AT = 0.9, 64  #: the correlation and the d_k that the last answer is shown on
#: places of sliders, in steps: d_k = 128, all scores × 64, α = ½
DOUBLED, STRETCHED, HALF = 14, 18, 10


def _unanswered(link: str) -> dict[str, object]:
    """The lab as it is at first, on that link; what was guessed at links before it stays."""
    before = [GUESSES.get(each) for each in LINKS[: LINKS.index(link)]]
    lab = {name: view.default for name, view in views.VIEWS.items() if name.startswith("variance.")}
    return {name: value for name, value in lab.items() if name not in before} | {"variance.part": link}


def _part(link: str, minutes: int, facts: Facts, asks: tuple[str, str], **shown: object) -> Part:
    """A part of the lesson. shown: what is shown with the answer, besides the answer."""
    answered = {GUESSES[link]: predict.SKIP} if link in GUESSES else {}
    reveals = _unanswered(link) | answered | {f"variance.{view}": value for view, value in shown.items()}
    return Part(link, "variance", minutes, facts, shows=_unanswered(link), asks=asks, reveals=reveals)


def _words(catalogue: str, *ids: str) -> Facts:
    """What the page calls things."""
    return lambda bench, text: {id: Text(catalogue, text.lang)(id) for id in ids}


def _softmax(bench: Workbench, text: Text) -> Mapping[str, object]:
    return GIVEN


def _stretched(bench: Workbench, text: Text) -> Mapping[str, object]:
    jacobian = attention.softmax_jacobian(bench.steps().weights[bench.token])
    return {"norm": display.short(float(np.linalg.norm(jacobian)))}


def _training(bench: Workbench, text: Text) -> Mapping[str, object]:
    return {"d_k": training.D_K[-1], "steps": training.STEPS}


def _correlated(bench: Workbench, text: Text) -> Mapping[str, object]:
    """What ÷ √d_k leaves of mean and variance."""
    of = Components(rho=RHO)
    mean, variance = predicted_mean(of, AT) / math.sqrt(AT), predicted_variance(of, AT) / AT
    return {"rho": RHO, "d_k": AT, "mean": display.short(mean), "variance": display.short(variance)}


PLAN = (
    _part("spread", 8, _words("variance_spread", "fold_sizes"), ("variance_spread", "ask_doubled"),
          bell_d_k=DOUBLED),
    _part("softmax", 8, _softmax, ("variance_softmax", "asked")),
    _part("gradient", 7, _stretched, ("teach", "ask_gradient"), stretch=STRETCHED),
    _part("training", 8, _training, ("teach", "ask_training")),
    _part("divisors", 8, _words("variance_divisors", "label_divisor", "why_not"), ("variance_divisors", "ask"),
          divided_alpha=HALF),
    _part("assumptions", 6, _correlated, ("teach", "ask_assumptions"), broken="correlated", rho=round(100 * RHO),
          broken_at=AT),
)  # fmt: skip
