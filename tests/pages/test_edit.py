"""The edit page: numbers on screen are the core's, controls change what they say, nothing typed is lost."""

from dataclasses import replace

import numpy as np
import pytest

import attention
from tests.pages.reading import assert_well, code, frames, opened, said, stage, typed
from ui import display
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue

CAT = w.preset("cat")


def drawn(seed, **fields):
    rng = np.random.default_rng(seed)
    bench = w.with_tokens(CAT, tuple(f"t{i}" for i in range(rng.integers(1, 8))))
    bench = w.resized(bench, d_k=int(rng.integers(1, 7)), d_v=int(rng.integers(1, 7)), d_model=int(rng.integers(1, 7)))
    matrices = {name: w.from_floats(2 * rng.standard_normal(np.shape(m))) for name, m in bench.matrices.items()}
    return replace(bench, matrices=matrices, **fields)


CASES = [
    CAT,
    drawn(1, scale="none"),
    drawn(2, scale="linear", mask="causal"),
    drawn(3, route="input"),
    drawn(4, route="input", mask="causal", scale="none"),
    w.with_allowed(drawn(5), {(0, 0): False}),
]


def expected(bench):
    """The four stages, computed here from the texts alone."""
    def matrix(name):
        return np.array([[float(cell) for cell in row] for row in bench.matrices[name]])

    if bench.route == "direct":
        Q, K, V = matrix("Q"), matrix("K"), matrix("V")
    else:
        Q, K, V = (matrix("X") @ matrix(name) for name in ("W_Q", "W_K", "W_V"))
    n = len(bench.tokens)
    mask = {"none": np.ones((n, n), bool), "causal": np.tri(n, dtype=bool)}.get(
        bench.mask, np.array([[c == "1" for c in row] for row in bench.allowed])
    )
    steps = attention.attention_steps(Q, K, V, mask, scale=bench.scale)
    return [steps.scores, steps.masked, steps.weights, steps.output]


@pytest.mark.parametrize("bench", CASES)
def test_the_four_stages_on_screen_are_the_cores(bench):
    app = opened("edit", "en", bench)
    assert_well(app)
    frame = frames(app)[-1]
    for s, values in enumerate(expected(bench)):
        printed = stage(frame, s)
        assert printed.shape == values.shape
        for (i, j), x in np.ndenumerate(values):
            assert printed.loc[i, j] == display.short(x), (s, i, j)
    sums = frame[frame["kind"] == "sum"].sort_values("q")["text"].tolist()
    assert sums == ["Σ = 1.00" if row.any() else "Σ = 0" for row in expected(bench)[2]]


def test_q_k_v_follow_from_the_input():
    bench = drawn(6, route="input")
    frame = frames(opened("edit", "zh", bench))[0]
    for s, name in enumerate(("W_Q", "W_K", "W_V")):
        values = bench.array("X") @ bench.array(name)
        assert stage(frame, s).to_numpy().tolist() == [[display.short(x) for x in row] for row in values]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables_say_the_same(lang):
    app = opened("edit", lang)
    app.toggle(key="as_tables").set_value(True).run()
    tables = [m.value for m in app.markdown if m.value.startswith("|")]
    assert len(tables) == 4
    weights = [line.strip("| ").split(" | ") for line in tables[2].splitlines()[2:]]
    steps = CAT.steps()
    for i, cells in enumerate(weights):
        assert cells[1:5] == [display.short(x, 4) for x in steps.weights[i]]
        assert cells[5] == "1.0000"


def test_switches_change_what_they_say_and_can_be_undone():
    app = opened("edit", "en")
    app.button_group(key="pick_scale").set_value("none").run()
    assert code(app) == replace(CAT, scale="none")
    app.button_group(key="pick_mask").set_value("causal").run()
    app.button_group(key="pick_route").set_value("input").run()
    assert code(app) == replace(CAT, scale="none", mask="causal", route="input")
    for _ in range(3):
        app.button(key="undo").click().run()
    assert code(app) == CAT
    assert app.button(key="undo").disabled
    app.button(key="redo").click().run()
    assert code(app) == replace(CAT, scale="none")
    app.button(key="reset").click().run()
    assert code(app) == CAT
    assert app.button(key="reset").disabled


def test_controls_show_the_workbench_after_undo():
    app = opened("edit", "en")
    app.selectbox(key="pick_preset_en").select("twins").run()
    assert code(app) == w.preset("twins")
    assert app.text_input(key="sentence").value == "狗 追 狗"
    app.button(key="undo").click().run()
    assert app.selectbox(key="pick_preset_en").value == "cat"
    assert app.text_input(key="sentence").value == "猫 追 老鼠 的"
    assert sizes_open(app).number_input(key="size_n").value == 4


def test_random_follows_its_seed():
    app = opened("edit", "en")
    app.selectbox(key="pick_preset_en").select("random").run()
    assert code(app) == w.random(CAT.tokens, 4, 4, 0)
    app.number_input(key="seed").set_value(7).run()
    assert code(app) == w.random(CAT.tokens, 4, 4, 7)
    assert code(app).matrices["Q"] == w.preset("random", 7).matrices["Q"]
    assert code(app).matrices["Q"] != w.preset("random", 0).matrices["Q"]
    app.text_input(key="sentence").set_value("一 二 三").run()
    app.number_input(key="seed").set_value(8).run()
    assert code(app) == w.random(("一", "二", "三"), 4, 4, 8)
    assert app.button(key="reset").disabled


def sizes_open(app):
    """Open the sizes; they are drawn only then. (AppTest of Streamlit 1.62 closes them at each run.)"""
    app.session_state["sizes"] = True
    app.run()
    app.session_state["sizes"] = True
    return app


def test_sizes():
    app = opened("edit", "en")
    sizes_open(app).number_input(key="size_d_v").set_value(6).run()
    sizes_open(app).number_input(key="size_n").set_value(6).run()
    assert_well(app)
    assert code(app).sizes == {"n": 6, "d_k": 4, "d_v": 6, "d_model": 4}
    assert code(app).tokens == ("猫", "追", "老鼠", "的", "5", "6")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_size_that_does_not_fit_is_refused_where_it_was_typed(lang):
    app, text = opened("edit", lang), Text("edit", lang)
    for size in (w.MAX_D + 1, 0, 2.5):
        sizes_open(app).number_input(key="size_d_v").set_value(size).run()
        assert_well(app)
        refused = text("whole_refused", label=text("size_d_v"), low=1, high=w.MAX_D, typed=f"{size:g}", value=4)
        assert f":red[{refused}]" in said(sizes_open(app))
        assert code(app) == CAT
        assert app.number_input(key="size_d_v").value == 4
    for size in (1, w.MAX_D):  # the ends themselves fit
        sizes_open(app).number_input(key="size_d_v").set_value(size).run()
        assert ":red[" not in said(sizes_open(app))
        assert code(app).sizes["d_v"] == size
    app.number_input(key="size_d_v").set_value(3).run()
    assert ":red[" not in said(sizes_open(app))
    assert code(app).sizes["d_v"] == 3


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sentence_that_does_not_fit_is_explained_and_kept(lang):
    app = opened("edit", lang)
    for text, reason, values in [
        ("   ", "empty", {}),
        (" ".join("abcdefghijklm"), "too_many", {"count": 13}),
        ("猫 " + "长" * 13, "too_long", {"word": "长" * 13}),
    ]:
        app.text_input(key="sentence").set_value(text).run()
        assert_well(app)
        wanted = catalogue("edit", lang)[f"sentence_{reason}"]
        assert wanted.split("<<")[0] in said(app)
        assert all(str(value) in said(app) for value in values.values())
        assert app.text_input(key="sentence").value == text
        assert code(app) == CAT
    app.text_input(key="sentence").set_value("猫 吃 老鼠 的").run()
    assert code(app) == w.with_tokens(CAT, ("猫", "吃", "老鼠", "的"))
    assert not app.warning


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_cannot_be_read_is_explained_and_the_rest_is_used(lang):
    app = opened("edit", lang)
    typed(app, "Q", {"0,0": ".07", "1,2": "abc", "2,1": "1/3", "3,3": "1e999", "0,1": "", "1,1": "2/0"})
    assert_well(app)
    bench = code(app)
    assert bench.matrices["Q"][0][0] == "0.07"
    assert bench.matrices["Q"][2][1] == "1/3"
    assert bench.matrices["Q"][1][2] == CAT.matrices["Q"][1][2]
    assert bench.matrices["Q"][3][3] == CAT.matrices["Q"][3][3]
    assert len(app.warning) == 1
    *sentences, more = app.warning[0].value.split("\n\n")
    assert more == catalogue("common", lang)["more_problems"].replace("<<count>>", "1")
    for token, column, shown, kept in [("追", 3, "abc", "1.5"), ("的", 4, "1e999", "1"), ("猫", 2, "", "2")]:
        assert any(token in s and str(column) in s and shown in s and kept in s and "Q" in s for s in sentences)
    typed(app, "Q", {"1,2": "3", "3,3": "4", "0,1": "5"})
    assert code(app).matrices["Q"][1][2] == "3"
    assert "2/0" in app.warning[0].value
    app.button_group(key="pick_scale").set_value("none").run()
    assert "2/0" in app.warning[0].value  # other controls do not make it forgotten
    typed(app, "Q", {"1,1": "2"})
    assert not app.warning


def test_a_block_that_is_too_large_says_what_was_used():
    app = opened("edit", "en")
    typed(app, "V", {"3,3": "5"}, {"row": 3, "column": 3, "rows": 2, "columns": 3, "height": 1, "width": 1})
    assert code(app).matrices["V"][3][3] == "5"
    assert "2 rows and 3 columns" in app.warning[0].value
    assert "column 4" in app.warning[0].value


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_row_with_nothing_left_is_explained(lang):
    bench = w.with_allowed(CAT, {(1, j): False for j in range(4)})
    app = opened("edit", lang, bench)
    assert_well(app)
    wanted = catalogue("common", lang)["empty_row"].replace("<<tokens>>", {"zh": "追", "en": "追 chase"}[lang])
    assert [each.value for each in app.info] == [wanted]
    frame = frames(app)[-1]
    assert set(stage(frame, 2).loc[1]) == {"0"}
    assert set(stage(frame, 3).loc[1]) == {"0"}
    assert "NaN" not in set(frame["text"])


def test_a_tokens_output_is_written_as_the_article_writes_it():
    app = opened("edit", "zh")
    mixed = "**0.45** · V(猫) + **0.10** · V(追) + **0.40** · V(老鼠) + **0.05** · V(的) = (1.10, 0.23, 1.02, 0.10)"
    assert f"新的「追」= {mixed}" in said(app)
    app.button_group(key="pick_token").set_value(3).run()
    assert code(app) == replace(CAT, token=3)
    weights = CAT.steps().weights[3]
    terms = [f"**{w:.2f}** · V({token})" for w, token in zip(weights, CAT.tokens, strict=True)]
    assert "新的「的」= " + " + ".join(terms) in said(app)


def test_equal_weights_are_called_equal():
    assert said(opened("edit", "en", w.preset("uniform"))).count("attends equally to all it may see (0.25 each)") == 4
    assert "「追」最关注「1 狗」「3 狗」" in said(opened("edit", "zh", w.preset("twins")))


def test_the_example_is_described_as_long_as_it_is_the_example():
    note = attention.examples.get("cat").note["en"]
    assert note in [each.value for each in opened("edit", "en").caption]
    changed = [each.value for each in opened("edit", "en", w.with_cells(CAT, "Q", {(0, 0): "9"})).caption]
    assert f"{catalogue('edit', 'en')['about_changed']} {note}" in changed
    renamed = [each.value for each in opened("edit", "en", w.with_tokens(CAT, ("a", "b"))).caption]
    assert catalogue("edit", "en")["about_tokens"] in renamed
    assert not any(note in each for each in renamed)


def test_ones_own_mask_begins_as_the_causal_one():
    app = opened("edit", "en", replace(CAT, mask="causal"))
    app.button_group(key="pick_mask").set_value("own").run()
    np.testing.assert_array_equal(code(app).mask_array(), np.tri(4, dtype=bool))
