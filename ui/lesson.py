"""Lessons of 45 minutes: what to ask the class, the exact state to show it on, and what the class will see."""

from __future__ import annotations

from functools import cache
from itertools import accumulate, pairwise

from ui import lesson_scale, lesson_whole, views
from ui.text import Text
from ui.workbench import Workbench

#: the first is the one that the teacher's page begins with
PLANS = {"whole": lesson_whole.PLAN, "scale": lesson_scale.PLAN}


@cache
def said(plan: str, lang: str) -> list[tuple[str, str]]:
    """Each part's question and answer. (Prepared numbers: the same for everyone.)"""
    text, pairs = Text("teach", lang), []
    for part in PLANS[plan]:
        facts = part.facts(part.bench(lang), text)
        pairs.append((part.question(facts, text), text(f"see_{part.id}", **facts)))
    return pairs


def spans(plan: str) -> list[tuple[int, int]]:
    """From which minute to which each part goes.

    >>> spans("whole")[:2]
    [(0, 6), (6, 14)]
    """
    ends = list(accumulate(part.minutes for part in PLANS[plan]))
    return list(pairwise([0, *ends]))


def asked(page: str, bench: Workbench, lang: str) -> str:
    """The question of the lesson that this page answers, counted from 1; "" if it was opened for none.

    Where the page itself asks it, one question on the screen is enough. The lesson goes on with the parts of its page.
    """
    plan, number = views.get(bench, "teach.plan"), views.get(bench, "teach.part")
    parts = PLANS[plan]
    if not 0 < number <= len(parts) or parts[number - 1].page != page:
        return ""
    here = [n for n, part in enumerate(parts, 1) if part.on(page, bench)]
    if not here:
        return ""
    number = number if number in here else here[0]
    text, counted = Text("teach", lang), {"number": number, "of": len(parts)}
    if parts[number - 1].asks:
        return text("asked_below", **counted)
    return text("asked", question=said(plan, lang)[number - 1][0], **counted)
