"""Every page, in both languages, on ordinary and on awkward numbers."""

from dataclasses import replace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages.reading import ENTRY, assert_well, opened, said
from ui import link, shell
from ui import workbench as w
from ui.text import LANGUAGES, catalogue

CAT = w.preset("cat")
AWKWARD = {
    "one token": w.with_tokens(CAT, ("猫",)),
    "one of everything": w.resized(w.with_tokens(CAT, ("a",)), d_k=1, d_v=1, d_model=1),
    "duplicates": w.with_tokens(CAT, ("the", "the", "猫", "猫")),
    "markdown": w.with_tokens(CAT, ("**b**", "$x$", "<i>", "|a|")),
    "widest": w.resized(w.with_tokens(CAT, tuple("abcdefghijkl")), d_k=16, d_v=16, d_model=16),
    "all masked": w.with_allowed(CAT, {(i, j): False for i in range(4) for j in range(4)}),
    "causal, unscaled": replace(CAT, mask="causal", scale="none"),
    "huge": w.with_cells(w.with_cells(CAT, "Q", {(0, 0): "1000000"}), "K", {(1, 0): "-1000000"}),
    "from X": replace(w.with_cells(CAT, "X", {(0, 0): "1/3"}), route="input", mask="own"),
}  # fmt: skip


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("page", shell.PAGES)
def test_a_first_visit(page, lang):
    app = opened(page, lang)
    assert_well(app)
    assert f"### {catalogue(page, lang)['title']}" in [m.value for m in app.markdown]
    assert app.session_state["lang"] == lang


@pytest.mark.parametrize("bench", AWKWARD.values(), ids=AWKWARD)
@pytest.mark.parametrize("page", shell.PAGES)
def test_awkward_numbers(page, bench):
    app = opened(page, "zh" if bench.preset == "cat" and bench.mask == "own" else "en", bench)
    assert_well(app)
    assert link.decode(app.session_state["lab"]["code"]) == bench
    assert "nan" not in said(app).lower().split()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_preset_opens_on_every_page(lang):
    for name in w.PRESETS:
        for page in shell.PAGES:
            app = opened(page, lang, bench := w.preset(name, seed=3 if name == "random" else 0))
            assert_well(app)
            assert link.decode(app.session_state["lab"]["code"]) == bench


@pytest.mark.parametrize("page", shell.PAGES)
def test_the_language_picker_keeps_every_number(page):
    bench = w.with_cells(replace(CAT, scale="linear"), "K", {(1, 1): "1/3"})
    app = opened(page, "en", bench)
    app.button_group(key="language_picker").set_value("zh").run()
    assert_well(app)
    assert f"### {catalogue(page, 'zh')['title']}" in [m.value for m in app.markdown]
    assert link.decode(app.session_state["lab"]["code"]) == bench


@pytest.mark.parametrize("locale", ["zh-CN", "zh-TW", "en-US", "fr-FR", ""])
def test_the_first_visit_follows_the_browser(locale, monkeypatch):
    monkeypatch.setattr(type(st.context), "locale", property(lambda _: locale))  # newer AppTests have .context
    app = AppTest.from_file(ENTRY, default_timeout=60)
    app.run()
    assert app.session_state["lang"] == ("zh" if locale.startswith("zh") else "en")


GOOD = link.encode(w.with_cells(CAT, "V", {(0, 0): "9"}))
BAD = {
    "damaged": [GOOD[:-3], GOOD[:10] + "AAAA" + GOOD[14:], "", "<script>", "1", "%00", "猫"],
    "future": ["2" + GOOD[1:]],
    "oversized": ["1" * 30_000],
}  # fmt: skip


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("problem", "code"), [(p, code) for p, codes in BAD.items() for code in codes if code],
                         ids=lambda part: part[:16])
def test_a_bad_link_is_explained_and_changes_nothing(problem, code, lang):
    app = opened("edit", lang, code=code)
    assert_well(app)
    assert catalogue("common", lang)[f"link_{problem}"] in [each.value for each in app.warning]
    assert link.decode(app.session_state["lab"]["code"]) == CAT


def test_a_failing_page_apologises_in_the_readers_language(monkeypatch):
    from ui import stages

    def fail(*args, **kwargs):
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(stages, "heats", fail)
    for lang in LANGUAGES:
        app = opened("edit", lang)
        assert not app.exception
        assert [e.value for e in app.error] == [catalogue("common", lang)["failed"]]
        assert "a bug of ours" not in said(app)
