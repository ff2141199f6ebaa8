"""Everything a reader reads, in both languages: one TOML file a page and language.

TOML literal strings hold Markdown and LaTeX without escapes. A placeholder is written <<name>>, because
braces belong to LaTeX. [[id]] or [[id|words shown]] links a term to the glossary, in Markdown only: labels of widgets
and words in charts show no links.
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
TERM = re.compile(r"\[\[(\w+)(?:\|(.+?))?\]\](?!\])")  #: [[id]] or [[id|words shown]]: a term of the glossary


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


@cache
def terms() -> tuple[str, ...]:
    """The ids of the glossary's terms, in its order."""
    names = (id for id in catalogue("glossary", LANGUAGES[0]) if id.startswith("name_"))
    return tuple(name.removeprefix("name_") for name in names)


def linked(template: str, lang: str) -> str:
    """Turn [[id]] and [[id|words shown]] into links to the glossary, with the meaning as their title.

    The title shows at the mouse, and at a click or tap (ui/components/terms.js). The address is relative, so it holds
    on every page and under any base path.

    >>> linked("its [[key]]", "en")  # doctest: +ELLIPSIS
    'its [key](glossary?lang=en&term=key "What a token can be found by: ...")'
    """
    glossary = catalogue("glossary", lang)

    def link(match: re.Match[str]) -> str:
        id, words = match[1], match[2] or glossary[f"name_{match[1]}"]
        return f'[{words}](glossary?lang={lang}&term={id} "{glossary[f"says_{id}"]}")'

    return TERM.sub(link, template)


@cache
def _linked_catalogue(page: str, lang: str) -> dict[str, str]:
    return {id: linked(template, lang) for id, template in catalogue(page, lang).items()}


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
        own = _linked_catalogue(self.page, self.lang)
        return own[id] if id in own else _linked_catalogue("common", self.lang)[id]

    def list(self, items: list[str]) -> str:
        """Join names the way the language does."""
        return ("、" if self.lang == "zh" else ", ").join(items)

    def names(self, tokens: list[str]) -> str:
        """Tokens in a sentence: 「猫」「老鼠」, or cat and mouse."""
        return "".join(f"「{token}」" for token in tokens) if self.lang == "zh" else " and ".join(tokens)

    def sentences(self, clauses: list[str]) -> str:
        """Sentences one after another; Chinese needs no space between them."""
        return ("" if self.lang == "zh" else " ").join(clauses)
