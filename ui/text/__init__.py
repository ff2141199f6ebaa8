"""Everything a reader reads, in both languages: one TOML file a page and language.

TOML literal strings hold Markdown and LaTeX without escapes. A placeholder is written <<name>>, because
braces belong to LaTeX.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("zh", "en")
PLACEHOLDER = re.compile(r"<<(\w+)>>")


@cache
def catalogue(page: str, lang: str) -> dict[str, str]:
    """The sentences of one page in one language, by id."""
    path = Path(__file__).with_name(f"{page}.{lang}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def fill(template: str, values: Mapping[str, object]) -> str:
    """Put values into placeholders.

    >>> fill("<<a>> of <<b>>", {"a": 1, "b": "x"})
    '1 of x'
    """
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), template)


def in_both(id: str, page: str = "common") -> str:
    """A sentence in every language at once: for what stays the same when the language is switched."""
    return " / ".join(catalogue(page, lang)[id] for lang in LANGUAGES)


@dataclass(frozen=True)
class Text:
    """One page's sentences in the reader's language, with the shared ones behind them: `t("title")`."""

    page: str
    lang: str

    def __call__(self, id: str, **values: object) -> str:
        return fill(self._template(id), values)

    def template(self, id: str) -> Callable[..., str]:
        """The sentence as a function of its placeholders, looked up once."""
        template = self._template(id)
        return lambda **values: fill(template, values)

    def _template(self, id: str) -> str:
        own = catalogue(self.page, self.lang)
        return own[id] if id in own else catalogue("common", self.lang)[id]

    def list(self, items: list[str]) -> str:
        """Join names the way the language does."""
        return ("、" if self.lang == "zh" else ", ").join(items)

    def names(self, tokens: list[str]) -> str:
        """Tokens in a sentence: 「猫」「老鼠」, or cat and mouse."""
        return "".join(f"「{token}」" for token in tokens) if self.lang == "zh" else " and ".join(tokens)

    def sentences(self, clauses: list[str]) -> str:
        """Sentences one after another; Chinese needs no space between them."""
        return ("" if self.lang == "zh" else " ").join(clauses)
