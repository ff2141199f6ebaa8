"""A lesson of 45 minutes: what to ask the class, the exact state to show it on, and what the class will see."""

from __future__ import annotations

from functools import cache
from itertools import accumulate, pairwise

from ui import lesson_whole, views
from ui.text import Text
from ui.workbench import Workbench

PLAN = lesson_whole.PLAN


@cache
def said(lang: str) -> list[tuple[str, str]]:
    """Each part's question and answer. (Prepared numbers: the same for everyone.)"""
    text, pairs = Text("teach", lang), []
    for part in PLAN:
        facts = part.facts(part.bench(lang), text)
        pairs.append((part.question(facts, text), text(f"see_{part.id}", **facts)))
    return pairs


def spans() -> list[tuple[int, int]]:
    """From which minute to which each part goes.

    >>> spans()[:2]
    [(0, 6), (6, 14)]
    """
    ends = list(accumulate(part.minutes for part in PLAN))
    return list(pairwise([0, *ends]))


def asked(page: str, bench: Workbench, lang: str) -> str:
    """The question of the lesson that this page was opened for, counted from 1; "" if it was opened for none.

    Where the page itself asks it, one question on the screen is enough.
    """
    number = views.get(bench, "teach.part")
    if not number or not PLAN[number - 1].on(page, bench):
        return ""
    text, counted = Text("teach", lang), {"number": number, "of": len(PLAN)}
    if PLAN[number - 1].asks:
        return text("asked_below", **counted)
    return text("asked", question=said(lang)[number - 1][0], **counted)
