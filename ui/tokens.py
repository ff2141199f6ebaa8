"""From a sentence to tokens, and from old rows to new ones."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

MAX_TOKENS = 12
MAX_CHARS = 12

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u3040-\u30ff"
_PIECE = re.compile(rf"[{_HAN}]|[^\s{_HAN}]+")


def split(sentence: str) -> list[str]:
    """Split at spaces where there are any; otherwise Chinese by character, anything else as it stands.

    >>> split("猫 追 老鼠 的"), split("猫追老鼠的"), split("the cat sat"), split("用GPT写诗")
    (['猫', '追', '老鼠', '的'], ['猫', '追', '老', '鼠', '的'], ['the', 'cat', 'sat'], ['用', 'GPT', '写', '诗'])
    """
    visible = "".join(" " if _is_space(c) else c for c in sentence if _is_shown(c)).strip()
    return visible.split() if " " in visible else _PIECE.findall(visible)


def are(words: tuple[object, ...]) -> bool:
    """Whether these could be the tokens of a sentence.

    >>> are(("猫", "追")), are(("a b",)), are(())
    (True, False, False)
    """
    return 1 <= len(words) <= MAX_TOKENS and all(
        isinstance(word, str) and len(word) <= MAX_CHARS and split(f"{word} x") == [word, "x"] for word in words
    )


def kept_rows(old: tuple[str, ...], new: tuple[str, ...]) -> list[int | None]:
    """For each new token, the old row whose numbers it keeps; None for a token that was not there.

    Renaming in place keeps the row; inserting or removing shifts the rest with it.

    >>> kept_rows(("a", "b", "c"), ("a", "x", "c", "d"))
    [0, 1, 2, None]
    >>> kept_rows(("a", "b", "c"), ("a", "c"))
    [0, 2]
    """
    rows: list[int | None] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "delete":
            rows += [i1 + k if i1 + k < i2 else None for k in range(j2 - j1)]
    return rows


def _is_space(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) == "Zs"


def _is_shown(character: str) -> bool:
    return _is_space(character) or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
