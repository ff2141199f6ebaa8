"""The glossary is complete, and every link to it leads to a term and stands where links are shown."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from ui.text import LANGUAGES, TERM, Text, catalogue, linked, terms

ROOT = Path(__file__).parents[2]
PAGES = sorted({path.name.split(".")[0] for path in (ROOT / "ui" / "text").glob("*.toml")})
CODE = sorted([*(ROOT / "pages").glob("*.py"), *(ROOT / "ui").glob("*.py")])

#: Streamlit calls whose words show no links: labels, tooltips that close before one is reached, words in charts.
PLAIN = {"button", "toggle", "checkbox", "selectbox", "slider", "select_slider", "number_input", "text_input", "radio",
         "pills", "segmented_control", "popover", "expander", "tabs", "page_link", "metric", "latex", "badge",
         "download_button", "link_button", "vega_lite_chart", "progress", "dataframe"}  # fmt: skip
#: Names of sentences that go to such places through other functions.
PLAIN_ID = re.compile(r"title|(label|help|tip|axis|hint|name|nav|option|table|column|caption|open)_|.*_alt")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_term_is_named_and_explained_in_plain_words(lang):
    """Plain, because the meaning is also the title of a link, where no Markdown is read."""
    glossary = catalogue("glossary", lang)
    assert len(terms()) >= 40
    assert len({glossary[f"name_{id}"] for id in terms()}) == len(terms())
    for id in terms():
        assert 20 <= len(glossary[f"says_{id}"]) <= 240, id
        assert not re.search(r'["$*`\[\]<>\\]|:\w+:', glossary[f"says_{id}"]), id


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_links_terms_that_exist_and_none_more_than_twice(page, lang):
    sentences = catalogue(page, lang)
    ids = [match[1] for sentence in sentences.values() for match in TERM.finditer(sentence)]
    assert set(ids) <= set(terms())
    assert max(Counter(ids).values(), default=0) <= 2
    for id, sentence in sentences.items():
        assert "[[" not in TERM.sub("", sentence), f"{id}: a link that is not read as one"
        assert not (PLAIN_ID.match(id) and TERM.search(sentence)), f"{id}: shows no links"


def test_no_link_stands_where_none_is_shown():
    wrong = []
    for path in CODE:
        pages = [path.stem] if path.stem in PAGES else PAGES
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in PLAIN:
                asked = [each.args[0].value for each in ast.walk(call) if isinstance(each, ast.Call)
                         and isinstance(each.func, ast.Name) and each.func.id in {"text", "in_both"}
                         and each.args and isinstance(each.args[0], ast.Constant)]  # fmt: skip
                wrong += [(path.name, id) for id in asked for page in pages for lang in LANGUAGES
                          if TERM.search(catalogue(page, lang).get(id, ""))]  # fmt: skip
    assert not wrong


def test_a_link_shows_the_words_asked_for_and_the_meaning():
    for lang, name in (("zh", "查询"), ("en", "query")):
        says = catalogue("glossary", lang)["says_query"]
        assert linked("[[query]]", lang) == f'[{name}](glossary?lang={lang}&term=query "{says}")'
        assert linked("a [[query|q u]] b", lang).startswith(f"a [q u](glossary?lang={lang}&term=query ")


def test_what_a_reader_typed_is_never_made_a_link():
    assert "[[key]]" in Text("common", "en")("numbered", number=1, token="[[key]]")
