"""What a lesson is made of: questions to the class, each with the page and the numbers that answer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ui import views
from ui.text import Text
from ui.workbench import Workbench, preset

Facts = Callable[[Workbench, Text], Mapping[str, object]]
EXAMPLE = {"zh": "cat", "en": "cat_en"}  #: language → the article's example in words that a class can say aloud


@dataclass(frozen=True)
class Part:
    """One question to the class, and the page and numbers that answer it."""

    id: str
    page: str
    minutes: int
    facts: Facts
    change: Callable[[Workbench], Workbench] = lambda bench: bench  # what it makes of the example
    shows: Mapping[str, object] = field(default_factory=dict)
    at: str = ""  # the key of the element to bring into view
    asks: tuple[str, str] | None = None  # where the page itself asks it: the catalogue and the sentence
    reveals: Mapping[str, object] | None = None  # what is shown once it is answered, where that opens as well

    def bench(self, lang: str) -> Workbench:
        """The state to open for a class in that language."""
        return self.change(preset(EXAMPLE[lang]))

    def question(self, facts: Mapping[str, object], text: Text) -> str:
        """The question, in the page's own words if it asks; not in bold, as it would be there."""
        page, id = self.asks or ("teach", f"ask_{self.id}")
        return Text(page, text.lang)(id, **facts).replace("**", "")

    def on(self, page: str, bench: Workbench) -> bool:
        """Whether this page asks it, or this part of a page."""
        here = f"{self.page}.part"
        return page == self.page and (here not in self.shows or views.get(bench, here) == self.shows[here])
