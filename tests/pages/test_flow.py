"""The data flow: every shape and number of it is the core's, in self- and in cross-attention."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import streamlit as st

import attention
from attention import examples
from tests.pages.reading import assert_well, code, frames, inside, opened, said, stage, typed
from tests.ui.test_pixels import assert_coloured
from ui import display, flow, flow_asked, flow_open, state, views
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue

ROOT = Path(__file__).parents[2]
CAT = w.preset("cat")


def shown(bench: w.Workbench, **asked: Any) -> w.Workbench:
    for name, value in asked.items():
        bench = views.shown(bench, f"flow.{name}", value)
    return bench


ODD = w.with_cells(w.resized(w.with_tokens(CAT, ("猫", "b", "猫")), d_model=5, d_k=2, d_v=6), "W_V", {(0, 5): "2/3"})
CASES = {
    "self": CAT,
    "positions, masked": shown(replace(ODD, mask="causal", scale="linear"), positions=True),
    "cross": shown(replace(ODD, mask="causal"), cross=True),
    "cross, positions, own words": shown(ODD, cross=True, positions=True, other=("b", "x", "cat", "x", "b", "猫", "y")),
    "typed route": w.with_cells(CAT, "Q", {(0, 0): "9"}),
    "one token": shown(w.resized(w.with_tokens(CAT, ("a",)), d_k=1, d_v=1, d_model=1), cross=True),
}  # fmt: skip


def waves(n: int, d_model: int) -> np.ndarray:
    """The positional encoding, number by number."""
    angle = [[p / 10000 ** (2 * (j // 2) / d_model) for j in range(d_model)] for p in range(n)]
    return np.array([[math.cos(a) if j % 2 else math.sin(a) for j, a in enumerate(row)] for row in angle])


def expected(bench: w.Workbench) -> dict[str, np.ndarray]:
    """All tensors, from the numbers in the link and the core."""
    number = {"2/3": 2 / 3}
    M = {name: np.array([[number.get(c) or float(c) for c in row] for row in bench.matrices[name]]) for name in w.INPUT}
    X, made = M.pop("X"), {}
    cross, positions, other = (views.get(bench, f"flow.{name}") for name in ("cross", "positions", "other"))
    S = X
    if cross:
        tokens = other or (tuple(examples.TRANSLATION) if len(bench.tokens) != 5 else None)
        first = {token: X[bench.tokens.index(token)] for token in bench.tokens}
        S = examples.embedded(tokens, X.shape[1], dict(examples.TRANSLATION) | first)
    if positions:
        made |= {"E": X, "PE": waves(*X.shape)}
        X = X + made["PE"]
        if cross:
            made |= {"E2": S, "PE2": waves(*S.shape)}
            S = S + made["PE2"]
        else:
            S = X
    Q, K, V = X @ M["W_Q"], S @ M["W_K"], S @ M["W_V"]
    steps = attention.attention_steps(Q, K, V, None if cross else bench.mask_array(), scale=bench.scale)
    return made | M | ({"X2": S} if cross else {}) | {
        "X": X, "Q": Q, "K": K, "V": V, "scores": steps.scores, "scaled": steps.masked, "weights": steps.weights,
        "output": steps.output,
    }  # fmt: skip


def component(app: Any, name: str) -> dict[str, Any]:
    protos = [element.proto for element in app.get("bidi_component")]
    return json.loads(next(p.json for p in protos if p.component_name == f"attention_lab_{name}"))


def clicked(app: Any, name: str) -> Any:
    """Open a node as the picture does."""
    with inside(app):
        state.show("flow.node", name)
    return app.run()


def changed(app: Any) -> dict[str, str]:
    """The nodes marked as changed, with the shape they had."""
    return {name: node["was"] for name, node in component(app, "flow")["nodes"].items() if node["was"]}


@pytest.mark.parametrize("bench", CASES.values(), ids=CASES)
def test_the_picture_has_the_shapes_and_numbers_of_the_core(bench):
    app = opened("flow", "en", bench)
    assert_well(app)
    picture, arrays = component(app, "flow"), expected(bench)
    assert set(picture["nodes"]) == set(arrays)
    standing = [name for area in picture["areas"] for name in area["nodes"] if name in arrays]
    assert sorted(standing) == sorted(arrays)
    assert {end for arrow in picture["arrows"] for end in arrow} <= set(arrays)
    for name, values in arrays.items():
        node, (rows, columns) = picture["nodes"][name], values.shape
        assert node["shape"] == f"{rows} × {columns}"
        assert node["wide"] * rows == node["high"] * columns  # square cells
        limit = float(np.abs(arrays["scores" if name == "scaled" else name]).max())
        hidden = name == "weights" and bench.mask == "causal" and not views.get(bench, "flow.cross")
        values = np.where(bench.mask_array(), values, -np.inf) if hidden else values
        assert_coloured(node["picture"], values, limit, weights=name == "weights")
    cells = {node["wide"] / arrays[name].shape[1] for name, node in picture["nodes"].items()}
    assert len(cells) == 1  # one cell size in the whole picture


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("case", ["positions, masked", "cross, positions, own words"])
def test_every_node_opens_on_its_numbers_formula_and_line(case, lang):
    bench, text = CASES[case], Text("flow", lang)
    app, arrays = opened("flow", lang, bench), expected(bench)
    for name, values in arrays.items():
        clicked(app, name)
        assert_well(app)
        assert component(app, "flow")["opened"] == name
        if name in ("E", "W_Q", "W_K", "W_V"):
            assert component(app, "grid")["cells"] == [list(row) for row in code(app).matrices[name.replace("E", "X")]]
            assert text("code_none") in said(app)
            continue
        numbers = stage(frames(app)[0], 0).to_numpy()
        assert numbers.tolist() == [[display.short(x) for x in row] for row in values.tolist()]
        if name != "E2":
            assert any("$$" in each.value for each in app.markdown), name
        assert_code(component(app, "code"), name, said(app))


MADE_BY = {"PE": "np.where", "X": "E + PE", "Q": "X @ W_Q", "K": "S @ W_K", "V": "S @ W_V", "scores": "Q @ K",
           "scaled": "np.where(mask, scaled, -np.inf)", "weights": "softmax(masked", "output": "weights @ V",
           "E2": "numbers[: len(row)]"}  # fmt: skip


def assert_code(shown: dict[str, Any], node: str, prose: str) -> None:
    """What is shown is what stands in the file, and the marked line makes the node."""
    file = next(file for file in ("attention/dot_product.py", "attention/projections.py", "attention/positions.py",
                                  "attention/examples.py", "ui/flow.py") if f"`{file}`" in prose)  # fmt: skip
    source = (ROOT / file).read_text(encoding="utf-8").splitlines()
    assert all(source[line["number"] - 1] == line["text"] for line in shown["lines"])
    marked = [line["text"] for line in shown["lines"] if line["state"] == "now"]
    assert MADE_BY[node if node == "E2" else node.removesuffix("2")] in marked[-1]
    names = list(flow.SIZES)
    assert node in [names[line["step"]] for line in shown["lines"] if line["step"] >= 0]


def test_another_line_of_the_code_opens_what_is_made_there():
    app = opened("flow", "en", CAT)
    line = next(line for line in component(app, "code")["lines"] if "weights =" in line["text"])
    with inside(app), patch.object(st, "session_state", {"flow_code": {"step": line["step"]}}):
        flow_open._go_to_line()
    assert component(app.run(), "flow")["opened"] == "weights"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_changed_size_marks_the_nodes_that_have_it_and_says_so(lang):
    app, text = opened("flow", lang, CAT), Text("flow", lang)
    assert not changed(app)
    assert text("shapes_idle") in said(app)
    app.number_input(key="size_d_v").set_value(2).run()
    assert_well(app)
    assert code(app).sizes["d_v"] == 2
    assert changed(app) == {"W_V": "4 × 4", "V": "4 × 4", "output": "4 × 4"}
    cause = text("size_changed", name="d_v", was=4, now=2)
    assert text("shapes_changed", causes=cause, nodes=text.list(["W_V", "V", "④"]), rest=8, all=11) in said(app)

    clicked(app, "V")  # looking changes no shape: what has changed stays marked
    assert set(changed(app)) == {"W_V", "V", "output"}
    app.number_input(key="size_d_k").set_value(3).run()
    assert set(changed(app)) == {"W_Q", "W_K", "Q", "K"}
    app.number_input(key="size_n").set_value(6).run()
    assert set(changed(app)) == {"X", "Q", "K", "V", "scores", "scaled", "weights", "output"}
    app.number_input(key="size_d_model").set_value(5).run()
    assert set(changed(app)) == {"X", "W_Q", "W_K", "W_V"}
    app.button(key="undo").click().run()
    assert changed(app) == {"X": "6 × 5", "W_Q": "5 × 3", "W_K": "5 × 3", "W_V": "5 × 2"}
    typed(app, "W_Q", {"0,0": "7"})
    assert not changed(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_switch_takes_keys_and_values_from_another_sequence(lang):
    app, text = opened("flow", lang, replace(CAT, mask="causal")), Text("flow", lang)
    app.toggle(key="flow_cross").set_value(True).run()
    assert_well(app)
    assert views.get(code(app), "flow.cross") is True
    assert set(changed(app)) == {"K", "V", "scores", "scaled", "weights"}
    assert text("cross_on") in said(app)
    assert text("steps_cross", n=4, m=5) in said(app)
    assert text("other_made", tokens=text.list(list(examples.TRANSLATION))) in said(app)
    clicked(app, "scaled")
    assert text("no_mask_in_cross", n=4, m=5) in said(app)

    Q, K, V = (CAT.array("X") @ CAT.array(name) for name in ("W_Q", "W_K", "W_V"))
    words = examples.embedded(("老鼠", "dog"), 4, {"老鼠": CAT.array("X")[2]})
    app.text_input(key="flow_other").set_value("老鼠 dog").run()
    assert_well(app)
    assert views.get(code(app), "flow.other") == ("老鼠", "dog")
    steps = attention.attention_steps(Q, words @ CAT.array("W_K"), words @ CAT.array("W_V"))
    clicked(app, "output")
    numbers = stage(frames(app)[0], 0).to_numpy()
    assert numbers.tolist() == [[display.short(x) for x in row] for row in steps.output.tolist()]
    for id, token in (("own", "老鼠"), ("drawn", "dog")):
        assert text(f"other_{id}", tokens=token) in said(app)
    again = opened("flow", lang, code=app.session_state["lab"]["code"])
    assert component(again, "flow")["nodes"]["scores"]["shape"] == "4 × 2"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("bad", "id"), [("", "empty"), ("a " * 13, "too_many"), ("x" * 13 + " y", "too_long")])
def test_a_bad_other_sequence_is_explained_and_the_last_good_one_stays(bad, id, lang):
    app = opened("flow", lang, shown(CAT, cross=True))
    app.text_input(key="flow_other").set_value(bad).run()
    assert_well(app)
    begins = catalogue("flow", lang)[f"other_{id}"].split("<<")[0]
    assert any(each.value.startswith(begins) for each in app.warning)
    assert app.text_input(key="flow_other").value == bad.strip() or app.text_input(key="flow_other").value == bad
    assert component(app, "flow")["nodes"]["scores"]["shape"] == "4 × 5"
    app.text_input(key="flow_other").set_value("the cat chases a mouse").run()
    assert not app.warning
    assert views.get(code(app), "flow.other") == ()  # the prepared one needs no room in the link


@pytest.mark.parametrize("bench", [CAT, w.preset("self"), w.preset("lookup"), w.with_tokens(CAT, tuple("abcde")),
                                   w.with_tokens(w.preset("lookup"), ("a", "b"))])  # fmt: skip
def test_the_prepared_other_sequence_is_of_another_length(bench):
    it = flow.of(shown(bench, cross=True))
    assert len(it.keys) != len(it.tokens)


def test_every_step_stands_in_the_table_in_symbols_and_in_numbers():
    app = opened("flow", "en", CASES["cross"])
    table = next(each.value for each in app.markdown if each.value.startswith("| step"))
    table = table.replace("\\", "").replace("\u2060", "")
    rows = [[cell.strip() for cell in line.split("|")[3:5]] for line in table.splitlines()[2:]]
    assert rows == [
        ["n×d_k · d_k×m → **n×m**", "3×2 · 2×5 → **3×5**"], ["n×m → **n×m**", "3×5 → **3×5**"],
        ["n×m → **n×m**", "3×5 → **3×5**"], ["n×m · m×d_v → **n×d_v**", "3×5 · 5×6 → **3×6**"],
    ]  # fmt: skip


@pytest.mark.parametrize("lang", LANGUAGES)
def test_typed_queries_are_said_to_be_bypassed(lang):
    names = catalogue("flow", lang)["route_differs"].replace("<<names>>", "Q")
    assert not opened("flow", lang, CAT).info
    app = opened("flow", lang, CASES["typed route"])
    assert names in [each.value for each in app.info]
    app.button(key="flow_route").click().run()
    assert code(app).route == "input"
    assert not app.info


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_matrix_for_all_makes_scores_symmetric(lang):
    app = opened("flow", lang, shown(w.resized(CAT, d_v=3), ask="tied"))
    assert_well(app)
    S = CAT.array("X") @ CAT.array("W_Q") @ (CAT.array("X") @ CAT.array("W_K")).T
    gap = max(abs(S[i, j] - S[j, i]) for i in range(4) for j in range(4))
    assert f"**{display.short(gap)}**" in said(app)
    app.button(key="flow_do_tied").click().run()
    assert_well(app)
    M = code(app).matrices
    assert M["W_Q"] == M["W_K"] == M["W_V"]
    assert [each.value for each in app.success] == [catalogue("flow", lang)["tied_done"]]
    assert said(app).count("**0**") == 2
    app.button(key="undo").click().run()
    assert code(app).matrices == w.resized(CAT, d_v=3).matrices


@pytest.mark.parametrize("cross", [False, True])
def test_one_merged_matrix_gives_the_same_scores(cross):
    bench = shown(w.resized(CAT, d_k=2, d_model=6), ask="merged", cross=cross)
    app = opened("flow", "en", bench)
    assert_well(app)
    assert "**2**, at most" in said(app)
    assert "2 \\cdot 6 \\cdot 2 = 24$, one square matrix $6^2 = 36$" in said(app)
    assert "65,536 instead of 262,144" in said(app)


def test_d_v_is_free():
    app = opened("flow", "en", shown(CAT, ask="sizes"))
    app.button(key="flow_do_sizes").click().run()
    assert code(app).sizes["d_v"] == 5
    assert set(changed(app)) == {"W_V", "V", "output"}
    app.button(key="flow_do_sizes").click().run()
    assert code(app).sizes["d_v"] == 4
    with inside(app), patch.object(st, "session_state", {"flow_ask": None}):  # the pill was pressed once more
        flow_asked._ask()
    assert_well(app.run())
    assert views.get(code(app), "flow.ask") == ""
    assert not [button for button in app.button if button.key == "flow_do_sizes"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_cell_explains_itself_where_its_arithmetic_is_that_of_the_picture(lang):
    masked = replace(CAT, mask="causal", cell=("masked", 1, 0, -1))
    app = opened("flow", lang, shown(masked, positions=True, node="scaled"))
    S = expected(shown(masked, positions=True))["scaled"]
    title = next(each.value for each in app.markdown if each.value.startswith("**②"))
    assert f"= {display.short(float(S[1, 0]))}**" in title
    # the same cell with another sequence is no cell of the 4 × 4 scores that the arithmetic would be of
    app.toggle(key="flow_cross").set_value(True).run()
    assert_well(app)
    assert not any(each.value.startswith("**②") for each in app.markdown)
    app = opened("flow", lang, shown(replace(CAT, cell=("X", 3, 1, -1)), positions=True, node="X"))
    E, PE = CAT.array("X")[3, 1], waves(4, 4)[3, 1]
    numbers = {"E": display.short(E, 4), "PE": display.short(PE, 4), "X": display.short(E + PE, 4)}
    assert Text("flow", lang)("entry_sum", row=4, column=2, **numbers) in said(app)


def test_a_node_that_is_gone_gives_way_to_the_one_like_it():
    for node, views_, stands in (("PE2", {}, "X"), ("E2", {"cross": True}, "X2"), ("E2", {"positions": True}, "E"),
                                 ("X2", {"positions": True}, "X"), ("PE", {}, "X")):  # fmt: skip
        app = opened("flow", "en", shown(CAT, node=node, **views_))
        assert_well(app)
        assert component(app, "flow")["opened"] == stands
