"""What tokens are called: told apart where they repeat, with what they mean, and to the letter where Markdown reads."""

from __future__ import annotations

from collections.abc import Sequence

from ui import workbench
from ui.text import Text
from ui.workbench import Workbench

MARKS = frozenset("\\`*_{}[]<>()#+-=.!|~$:/@&")  #: what Markdown might read


def numbered(tokens: Sequence[str], text: Text) -> list[str]:
    """Tokens with their place in front where they repeat.

    >>> numbered(("the", "cat", "the"), Text("edit", "en"))
    ['1 the', 'cat', '3 the']
    """
    return [text("numbered", token=t, number=i + 1) if tokens.count(t) > 1 else t for i, t in enumerate(tokens)]


def with_meaning(bench: Workbench, text: Text) -> list[str]:
    """The same, with what a token means where a prepared sentence is in another language.

    >>> with_meaning(workbench.preset("twins"), Text("edit", "en"))
    ['1 狗 dog', '追 chase', '3 狗 dog']
    """
    example = workbench.example(bench.preset)
    meaning = dict(zip(example.tokens, example.gloss.get(text.lang, ()), strict=False))
    return numbered([
        text("gloss", token=t, meaning=meaning[t]) if meaning.get(t, t) != t else t for t in bench.tokens
    ], text)  # fmt: skip


def called(bench: Workbench, text: Text) -> tuple[str, ...]:
    """The same as Markdown.

    >>> called(workbench.preset("twins"), Text("edit", "en"))[1]
    '追 chase'
    """
    return tuple(map(escaped, with_meaning(bench, text)))


def in_sentences(tokens: Sequence[str], text: Text) -> tuple[str, ...]:
    """Numbered tokens as Markdown.

    >>> print(*in_sentences(("*", "a", "a"), Text("edit", "en")))
    \\*\u2060 2 a 3 a
    """
    return tuple(map(escaped, numbered(tokens, text)))


def escaped(token: str) -> str:
    """A token as Markdown that shows it to the letter: no emphasis, no arrows out of ->, no links.

    The word joiner behind a mark cannot be seen; without it Streamlit still links www.a.b and a@b.c.
    """
    return "".join(f"\\{c}\u2060" if c in MARKS else c for c in token)
