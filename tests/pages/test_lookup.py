"""The look-up page: what the picture is sent is what the core computes, in both languages."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.reading import assert_well, code, opened, said
from ui import display, lookup, names, ribbons_story, views
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue
from ui.workbench import Workbench

CAT = w.preset("cat")
TIE = w.with_cells(CAT, "K", {(2, j): cell for j, cell in enumerate(CAT.matrices["K"][0])})  # 老鼠's key is 猫's
BENCHES = {
    "cat": CAT,
    "the last asks": replace(CAT, token=3),
    "causal, unscaled": replace(CAT, mask="causal", scale="none", token=0),
    "all masked": w.with_allowed(CAT, {(1, j): False for j in range(4)}),
    "a tie": TIE,
    "from X": replace(CAT, route="input", scale="linear"),
    "wide": replace(w.random(tuple("abcdefghijkl"), 16, 7, 5), token=11),
    "huge": w.with_cells(w.with_cells(CAT, "Q", {(1, 0): "1000000"}), "K", {(0, 0): "-1000000"}),
    "one": w.with_tokens(CAT, ("a",)),
}  # fmt: skip


def at(bench: Workbench, kind: str, step: int = 0) -> Workbench:
    shown = views.shown(bench, "lookup.kind", kind)
    return views.shown(shown, "lookup.sharp" if kind == "graded" else "lookup.step", step)


def sent(app: AppTest) -> Any:
    """What the picture of ribbons is sent."""
    protos = [element.proto for element in app.get("bidi_component")]
    return json.loads(next(p.json for p in protos if p.component_name == "attention_lab_ribbons"))


def short(row: Any) -> list[str]:
    return [display.short(float(x)) for x in row]


def softmax_at(row: Any, temperature: float) -> Any:
    """The weights of a masked row at a temperature, by the formula of the textbook; the best share all at 0."""
    open_ = np.isfinite(row)
    powers = np.zeros_like(row)
    if temperature == 0:
        powers[open_] = row[open_] == row[open_].max(initial=-np.inf)
    else:
        powers[open_] = np.exp((row[open_] - row[open_].max(initial=-np.inf)) / temperature)
    return powers / max(powers.sum(), 1e-300)


def assert_mixed(frame: Any, weights: Any, values: Any) -> None:
    """A frame in which everything has arrived: shares, ribbons, the sum and the output."""
    assert frame["chips"] == short(weights)
    np.testing.assert_allclose(frame["left"], weights, atol=1e-4)
    assert frame["left"] == frame["right"]
    assert [text for text, *_ in frame["out"]] == short(weights @ values)
    factors = [term.split("·")[0].strip() for term in re.split("[=≈] ", frame["sum"], maxsplit=1)[1].split(" + ")]
    shares = short(sorted(weights[weights > 0], reverse=True)) or ["0"]
    assert factors == [share.strip("≈") for share in shares if share != "≈0"]
    assert ("≈ " in frame["sum"]) == any("≈" in share for share in shares)


@pytest.mark.parametrize("bench", BENCHES.values(), ids=BENCHES)
def test_the_steps_are_those_of_the_trace(bench):
    lang = LANGUAGES[len(bench.tokens) % 2]
    app = opened("lookup", lang, at(bench, "real", 3))
    assert_well(app)
    data, steps, i = sent(app), bench.steps(), bench.token
    ask, scores, scaled, weights, flow, end = data["frames"]
    assert data["at"] == 3
    assert (ask["reach"], ask["out"], scores["reach"], weights["flow"], flow["flow"]) == (0, None, 1, 0, 1)
    assert scores["chips"] == short(steps.scores[i])
    assert scaled["chips"] == short(steps.masked[i])
    assert weights["chips"] == flow["chips"] == short(steps.weights[i])
    np.testing.assert_allclose(weights["left"], steps.weights[i], atol=1e-4)
    assert_mixed(end, steps.weights[i], bench.qkv()[2])
    assert [text for text, *_ in data["query"]] == short(bench.qkv()[0][i])
    assert [[text for text, *_ in row] for row in data["keys"]] == [short(row) for row in bench.qkv()[1]]
    assert data["hidden"] == np.isneginf(steps.masked[i]).astype(int).tolist()
    for j, parts in enumerate(data["parts"]):
        assert parts[1].endswith(f" = {display.short(float(steps.scores[i, j]))}")
        if steps.weights[i, j]:
            assert parts[3].endswith(f" = {display.short(float(steps.weights[i, j]))}")


@pytest.mark.parametrize("bench", BENCHES.values(), ids=BENCHES)
def test_the_hard_one_is_where_the_soft_one_comes_from(bench):
    V, row = bench.qkv()[2], bench.steps().masked[bench.token]
    hard = ribbons_story.frames(asked(bench), "hard")
    assert_mixed(hard[-1], softmax_at(row, 0), V)
    assert hard[1]["chips"] == ["✓" if x else "✕" for x in softmax_at(row, 0)]
    soft = ribbons_story.frames(asked(bench), "graded")
    for k, frame in enumerate(soft):
        assert_mixed(frame, softmax_at(row, k / 20), V)
    assert soft[0]["left"] == hard[-1]["left"]
    assert_mixed(soft[-1], bench.steps().weights[bench.token], V)


def asked(bench: Workbench, lang: str = "en") -> ribbons_story.Asked:
    text = Text("ribbons", lang)
    return ribbons_story.Asked(bench, bench.steps(), bench.token, names.with_meaning(bench, text), text)


def test_sentences_of_the_article():
    frames = ribbons_story.frames(asked(CAT, "zh"), "real")
    assert frames[-1]["sum"] == "新的「追」= 0.45·猫 + 0.40·老鼠 + 0.10·追 + 0.05·的"
    assert frames[1]["say"] == "每个键用分数 q·k 来回答：猫 4.50、老鼠 4.25、追 1.50、的 0。"
    hard = ribbons_story.frames(asked(CAT), "hard")
    assert hard[-1]["say"].endswith("老鼠 mouse came next with 4.25 and counts for nothing.")
    assert "equal parts of 猫 cat, 老鼠 mouse" in ribbons_story.frames(asked(TIE), "hard")[-1]["say"]
    assert "empty hands" in ribbons_story.frames(asked(BENCHES["all masked"]), "hard")[-1]["say"]
    nothing = ribbons_story.frames(asked(lookup.tried(CAT, "nothing")), "hard")
    assert nothing[1]["say"].startswith("No label stands out: all have score 0.")
    parts = ribbons_story.parts(asked(CAT), "real")[2]
    assert parts[1] == "① q·k = 2.00·1.00 + 1.00·0 + 1.50·1.50 + 0·0 = 4.25"
    assert parts[3] == "③ exp(2.13) ÷ sum = 8.37 ÷ 20.98 = 0.40"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_from_one_kind_to_the_next(lang):
    app = opened("lookup", lang, at(CAT, "hard", 5))
    assert sent(app)["at"] == 2, "the nearest there is"
    words = catalogue("lookup", lang)
    assert sent(app)["onward"] == words["onward_graded"]
    app.button_group(key="lookup_kind").set_value("graded").run()
    assert_well(app)
    assert code(app) == at(CAT, "graded", 0)
    assert len(sent(app)["frames"]) == 21
    app.button_group(key="lookup_kind").set_value("real").run()
    assert code(app) == at(CAT, "real", 0)
    assert sent(app)["onward"] == ""
    app.button_group(key="pick_token").set_value(3).run()
    assert code(app) == replace(at(CAT, "real", 0), token=3)
    assert sent(app)["asker"] == 3


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_states_to_try(lang):
    app = opened("lookup", lang)
    words = catalogue("lookup", lang)

    def click(name: str) -> Workbench:
        app.button(key=f"try_{name}").click().run()
        assert_well(app)
        return code(app)

    def told(id: str, **values: str) -> bool:
        return any(Text("lookup", lang)(id, **values) in each.value for each in app.info)

    assert not app.info
    last = click("last")
    assert (last.token, sent(app)["at"], sent(app)["asker"]) == (3, 5, 3)
    causal = click("causal")
    assert (causal.mask, causal.token, sent(app)["at"]) == ("causal", 1, 2)
    assert sent(app)["frames"][2]["chips"][3] == "−∞"
    assert told("told_masked", token="追")
    app.button_group(key="pick_token").set_value(1).run()
    nothing = click("nothing")
    assert nothing.mask == "none", "each try starts from the reader's own numbers"
    assert nothing.matrices["Q"][nothing.token] == ("0",) * 4
    assert set(sent(app)["frames"][3]["chips"]) == {"0.25"}
    assert told("told_even", token=nothing.tokens[nothing.token], weight="0.25")
    empty = click("empty")
    assert empty.matrices["Q"] == CAT.matrices["Q"]
    assert empty.matrices["V"][0] == ("0",) * 4
    assert (empty.steps().weights == CAT.steps().weights).all()
    assert told("told_empty", token="猫", weight="0.45")
    assert len(app.info) == 1
    assert words["label_tries"] in said(app)
    app.button(key="undo").click().run()
    assert click("causal").matrices["Q"] == CAT.matrices["Q"], "also after undo"
    ten = w.with_cells(code(app), "Q", {(0, 0): "10"})
    assert lookup.begun(ten) == ten, "what the reader changed since stays"


@pytest.mark.parametrize(("name", "matrix"), [("nothing", "W_Q"), ("empty", "W_V")])
def test_the_same_where_numbers_come_from_the_input(name, matrix):
    bench = lookup.tried(replace(CAT, route="input"), name)
    assert {cell for row in bench.matrices[matrix] for cell in row} == {"0"}
    app = opened("lookup", "en", bench)
    assert_well(app)
    assert len(app.info) == 1


def test_equal_values_make_weights_idle():
    equal = at(w.with_cells(CAT, "V", {(i, j): str(j) for i in range(4) for j in range(4)}), "real", 5)
    text = Text("lookup", "en")
    assert lookup.seen(equal, equal.steps(), [], text) == text("told_equal")
    assert lookup.seen(views.shown(equal, "lookup.step", 3), equal.steps(), [], text) == "", "not before they flow"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_ribbon_is_called_the_thickest_that_is_not(lang):
    text, even = Text("lookup", lang), lookup.tried(CAT, "nothing")
    even = at(w.with_cells(even, "V", {(2, j): "0" for j in range(4)}), "real", 5)
    seen = lookup.seen(even, even.steps(), [], text).split("\n\n")
    assert seen == [
        text("told_even", token="追", weight="0.25"),
        text("told_empty_tie", tokens=text.names(["老鼠"]), weight="0.25"),
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_how_it_ends_is_told_once_it_is_looked_up_for_real(lang):
    note = w.example("cat").note[lang]
    assert "0.45" in note
    for kind in ribbons_story.KINDS:
        assert (note in said(opened("lookup", lang, at(CAT, kind)))) == (kind == "real")


def test_the_table_has_the_whole_look_up():
    app = opened("lookup", "en", at(CAT, "hard"))
    app.toggle(key="as_tables").set_value(True).run()
    table = next(m.value for m in app.markdown if m.value.startswith("| key |"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    steps = CAT.steps()
    for j, row in enumerate(rows):
        numbers = [steps.scores[1, j], steps.masked[1, j], steps.weights[1, j], float(j == 0)]
        assert row[1:5] == [display.short(float(x), 4) for x in numbers]
    assert "0.45** · V(猫" in said(app)


def small() -> None:
    from ui import ribbons, state
    from ui.text import Text

    ribbons.draw(state.bench(), Text("home", "zh"), key="small", compact=True)


def test_a_small_picture_begins_at_the_end_and_keeps_no_place():
    app = AppTest.from_function(small).run()
    assert_well(app)
    data = sent(app)
    assert (data["compact"], data["at"], data["keeps"], data["words"]["look"]) == (True, 5, False, "")
    assert data["frames"][5]["sum"] == "新的「追」= 0.45·猫 + 0.40·老鼠 + 0.10·追 + 0.05·的"
