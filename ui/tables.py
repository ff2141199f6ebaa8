"""Tables in Markdown: numbers to read out, to copy and to compare."""

from __future__ import annotations

from collections.abc import Sequence

RULES = {"l": "---", "r": "---:"}


def table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str = "") -> str:
    """A Markdown table.

    align: l or r for every column; unless given, the first one names its row, and what follows are numbers.

    >>> print(table(["query", "sum"], [["cat", "1.00"]]))
    | query | sum |
    | --- | ---: |
    | cat | 1.00 |
    """
    rule = [RULES[side] for side in align or "l" + "r" * (len(head) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))
