"""Both languages are complete, say the same placeholders, and are typeset right."""

import ast
import re
from pathlib import Path

import pytest

from attention.variants import VARIANTS
from ui import lesson, shell
from ui.questions import QUESTIONS
from ui.text import LANGUAGES, PLACEHOLDER, catalogue
from ui.workbench import CHALLENGES, PATH

ROOT = Path(__file__).parents[2]
FILES = sorted({path.name.split(".")[0] for path in (ROOT / "ui" / "text").glob("*.toml")})
SENTENCES = [
    (page, lang, id, text) for page in FILES for lang in LANGUAGES for id, text in catalogue(page, lang).items()
]
CODE = sorted([*(ROOT / "pages").glob("*.py"), *(ROOT / "ui").glob("*.py"), ROOT / "streamlit_app.py"])

#: Bold next to full-width punctuation prints asterisks (commonmark-spec #650); so it does next to a link's bracket.
BROKEN_BOLD = re.compile(r"[，。：；！？、）】》」”]\*\*(?=\w)|(?<=\w)\*\*[（【《「“\[]")


def test_every_page_has_both_catalogues():
    assert {*shell.PAGES, "common"} <= set(FILES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_is_called_the_same_in_the_navigation_and_at_its_top(lang):
    """Home asks its question instead: the name of the whole is above the navigation."""
    called = {page: catalogue(page, lang)["title"] for page in shell.PAGES if page != "home"}
    assert called == {page: catalogue("common", lang)[f"nav_{page}"] for page in called}


@pytest.mark.parametrize(("lang", "readme"), [("en", "README.md"), ("zh", "README.zh.md")])
def test_the_readmes_call_pages_what_the_app_calls_them(lang, readme):
    said, common = (ROOT / readme).read_text(encoding="utf-8"), catalogue("common", lang)
    stops = re.findall(r"^\| (.+?) \|", said, re.MULTILINE)[1 : len(PATH) + 1]
    assert stops == [common[f"nav_{page}"] for page in PATH]
    assert all(common[f"nav_{page}"] in said for page in ("challenges", "glossary"))


@pytest.mark.parametrize("page", FILES)
def test_both_languages_have_the_same_sentences_and_placeholders(page):
    zh, en = (catalogue(page, lang) for lang in LANGUAGES)
    assert list(zh) == list(en)
    for id in zh:
        assert set(PLACEHOLDER.findall(zh[id])) == set(PLACEHOLDER.findall(en[id])), id


@pytest.mark.parametrize(("page", "lang", "id", "text"), SENTENCES, ids=lambda part: str(part)[:24])
def test_a_sentence_is_typeset_right(page, lang, id, text):
    assert text.strip(), id
    assert text.count("**") % 2 == 0
    assert not re.search(r"<(?!<)(?!\w+>>)[a-z/]+[^>]*>", text), "no HTML"
    if lang == "zh":
        prose = re.sub(r"\$[^$]*\$|`[^`]*`|\(https?:[^)]*\)", "", text)
        assert not BROKEN_BOLD.search(prose)
        assert not re.search(r"[\u4e00-\u9fff][,;:!?]", prose), "full-width punctuation"
        assert not re.search(r"您", prose), "one form of address"
    else:
        assert not re.search(r"[，。：；！？、]", text)


def test_no_page_says_anything_that_is_not_in_a_catalogue():
    """A literal that a visitor could read: an argument with letters in it of a call on `st` or a container."""
    shown = {"markdown", "caption", "write", "title", "header", "subheader", "text", "info", "warning", "error",
             "success", "button", "toggle", "checkbox", "selectbox", "slider", "number_input", "text_input", "radio",
             "pills", "segmented_control", "popover", "expander", "page_link", "metric", "latex", "badge"}  # fmt: skip
    for path in CODE:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in shown:
                said = [*call.args, *(k.value for k in call.keywords if k.arg in {"label", "help", "body"})]
                if call.func.attr == "page_link":
                    said = said[1:]
                for argument in said:
                    literal = argument.value if isinstance(argument, ast.Constant) else None
                    assert not (isinstance(literal, str) and re.search(r"[A-Za-z\u4e00-\u9fff]", literal)), (
                        path.name, call.lineno, literal
                    )  # fmt: skip


def test_every_id_that_code_asks_for_exists():
    common = catalogue("common", "en")
    for path in CODE:
        page = path.stem if path.stem in FILES else None
        known = {**common, **(catalogue(page, "en") if page else {})}
        if path.parent.name == "ui":
            known = {id: "" for name in FILES for id in catalogue(name, "en")}
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "text" and call.args:
                first = call.args[0]
                if isinstance(first, ast.Constant):
                    assert first.value in known, (path.name, call.lineno, first.value)


@pytest.mark.parametrize(
    ("page", "id", "count", "zh", "en"),
    [
        ("home", "behind_walk", len(PATH), "九站", "Nine stops"),
        ("home", "behind_teach", len(lesson.PLANS), "两堂", "Two lessons"),
        *(("teach", f"plan_{plan}", sum(part.minutes for part in parts), "45 分钟", "45 minutes")
          for plan, parts in lesson.PLANS.items()),
        ("teach", "after", len(QUESTIONS), "26 个", "26 of them"),
        ("teach", "after", len(CHALLENGES), "六道", "six tasks"),
        ("scratch", "cases_intro", len(VARIANTS), "七个", "Seven functions"),
    ],
)
def test_counts_in_words_are_right(page, id, count, zh, en):
    words = {2: ("两", "two"), 6: ("六", "six"), 7: ("七", "seven"), 9: ("九", "nine")}.get(count, (f"{count}",) * 2)
    for lang, word, said in zip(LANGUAGES, words, (zh, en), strict=True):
        assert word in said.lower()
        assert said in catalogue(page, lang)[id]


def test_what_pages_say_alike_is_in_the_common_catalogue():
    said: dict[tuple[str, ...], list[str]] = {}
    for page in FILES:
        for id, words in catalogue(page, "en").items():
            said.setdefault((id, words, catalogue(page, "zh")[id]), []).append(page)
    assert {key[0]: pages for key, pages in said.items() if len(pages) > 1} == {}


def test_every_sentence_is_used():
    """By its id, by an f-string that can make it, or by words that can be joined to it: few dead ones slip through."""
    literals, patterns = set(), set()
    for path in [*(ROOT / "ui").rglob("*.py"), *CODE]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literals.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in node.values]
                patterns.add("".join(parts))
    made = re.compile("|".join(each for each in patterns if re.search("[a-z]{2}", each.replace(r"\w+", "·"))))
    unused = {
        (page, id) for page in FILES for id in catalogue(page, "en")
        if id not in literals and not made.fullmatch(id) and not literals.issuperset(id.split("_"))
    }  # fmt: skip
    assert unused == set()
