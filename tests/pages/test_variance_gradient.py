"""The part of the √d_k page on gradients: the numbers of the reader's own row and way are the core's."""

import re
from dataclasses import replace
from itertools import combinations

import altair as alt
import numpy as np
import pytest
from numpy.testing import assert_allclose

import attention
from attention.saturation import DEAD
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import charts, variance_gradient_backward, variance_gradient_charts, views
from ui import variance_gradient_picture as picture
from ui import workbench as w
from ui.display import short
from ui.text import LANGUAGES, Text, catalogue
from ui.variance_gradient import rows_table
from ui.variance_gradient_backward import BY_KEY, STEPS, check, of
from ui.variance_gradient_way import size

SCALES = ("none", "sqrt", "linear")


def here(bench, **shown):
    for name, value in ({"part": "gradient"} | shown).items():
        bench = views.shown(bench, f"variance.{name}", value)
    return bench


CAT = w.preset("cat")
INPUT = replace(w.preset("self"), route="input", scale="linear")
LARGE = w.resized(w.random(tuple(f"t{i}" for i in range(12)), 16, 7, 3), d_model=5)
BENCHES = {
    "cat": CAT,
    "input": INPUT,
    "saturated": w.preset("saturated"),
    "causal": replace(CAT, mask="causal", token=2),
    "one token": w.with_tokens(CAT, ("a",)),
    "apart": w.with_cells(CAT, "Q", {(1, 0): "1/3"}),
    "all masked": w.with_allowed(CAT, {(1, j): False for j in range(4)}),
    "one key": w.with_allowed(CAT, {(1, j): False for j in range(1, 4)}),
    "twins": w.preset("twins"),
    "large": replace(LARGE, mask="causal", token=7),
    "huge": replace(w.with_cells(w.with_cells(CAT, "Q", {(1, 0): "1e6"}), "K", {(2, 0): "1e6"}), scale="none"),
    "marks": w.with_tokens(CAT, ("*a*", "$x$", "|", "|")),
}


def weights(bench, scale):
    steps = attention.attention_steps(*bench.qkv(), bench.mask_array(), scale=scale)
    return steps.weights[bench.token]


@pytest.mark.parametrize("name", BENCHES)
def test_what_is_drawn_is_the_readers_own_row_and_its_backpropagation(name):
    bench = BENCHES[name]
    app = opened("variance", LANGUAGES[len(name) % 2], here(bench))
    assert_well(app)
    assert "<<" not in said(app)
    row, drawn = frames(app)
    holds_the_row_of_each_divisor(row, bench)
    way = holds_the_way_back(bench)
    hints = drawn[drawn["kind"] == "hint"]["text"].tolist()
    limit = max(np.abs(way.gradient(step)).max() for step in way.names) or 1
    for step, hint in zip(way.names, hints, strict=True):
        cells = drawn[drawn["at"].fillna("").str.startswith(f"{step} ")]
        gradient = np.atleast_2d(way.gradient(step))
        assert cells["at"].tolist() == [f"{step} {q} {k}" for q, k in np.ndindex(gradient.shape)]
        assert cells["text"].tolist() == [short(float(x)) for x in gradient.ravel()]
        assert_allclose(cells["v"], gradient.ravel() / limit, atol=1e-12)
        struck = ~way.open if step in BY_KEY else np.zeros(gradient.size, dtype=bool)
        assert (cells["kind"] == "masked").tolist() == struck.tolist()
        assert size(float(np.linalg.norm(gradient))) in hint


def holds_the_row_of_each_divisor(frame, bench):
    """From the distances that are sent, the weights as the browser computes them."""
    n = len(bench.tokens)
    for slot, scale in enumerate(SCALES):
        mine = frame[frame["slot"] == slot].sort_values(["i", "j"])
        powers = np.exp(mine["b"].to_numpy().reshape(n, n))
        p = powers / np.where(total := powers.sum(axis=1, keepdims=True), total, 1)
        assert_allclose(p, np.tile(weights(bench, scale), (n, 1)), atol=1e-12)
        assert_allclose(mine["a"].to_numpy().reshape(n, n), mine["b"].to_numpy().reshape(n, n).T)
        assert (mine["title"].iloc[0][-1] in ")）") == (scale == bench.scale)


def holds_the_way_back(bench):
    """The way, every gradient of it the core's own."""
    way, i = of(bench), bench.token
    Q, K, V = bench.qkv()
    steps = bench.steps()
    d_output = np.zeros_like(steps.output)
    d_output[i] = steps.output[i] - V[way.j]
    dQ, _, _ = attention.attention_gradients(steps, Q, K, V, d_output)
    J = attention.softmax_jacobian(steps.weights[i])
    seen = np.isfinite(steps.masked[i])
    assert way.loss == pytest.approx((d_output[i] ** 2).sum() / 2)
    expected = {"output": d_output[i], "weights": np.where(seen, V @ d_output[i], 0), "scaled": J @ V @ d_output[i],
                "scores": J @ V @ d_output[i] / steps.divisor, "Q": dQ[i],
                "W_Q": np.outer(bench.array("X")[i], dQ[i])}  # fmt: skip
    projected = np.allclose(bench.array("X") @ bench.array("W_Q"), Q, rtol=1e-9, atol=1e-9)
    assert way.names == tuple(STEPS if projected else STEPS[:-1])
    for step in way.names:
        size_of = max(np.abs(expected[step]).max(), np.abs(expected["output"]).max())
        assert_allclose(way.gradient(step), expected[step], rtol=1e-9, atol=1e-12 * size_of)
    return way


@pytest.mark.parametrize("bench", [CAT, INPUT, BENCHES["causal"], BENCHES["large"], BENCHES["saturated"]])
def test_the_loss_does_as_the_way_says(bench):
    """The evidence on the page, for every number: no derivative was taken for it."""
    way = of(bench)
    rows = range(bench.sizes["d_model"] if "W_Q" in way.names else 1)
    for row in rows:
        for column in range(bench.sizes["d_k"]):
            it = check(way, row, column)
            assert it.agrees
            assert it.slope == pytest.approx(it.predicted, rel=1e-4, abs=1e-9 * (1 + way.loss))


def test_a_gradient_that_is_wrong_would_be_told():
    it = check(of(CAT), 1, 2)
    assert it.predicted
    assert not replace(it, predicted=1.01 * it.predicted).agrees
    assert not replace(it, predicted=-it.predicted).agrees


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_says_so_where_slope_and_backpropagation_differ(lang, monkeypatch):
    right = variance_gradient_backward.Way.gradient
    told = {id: catalogue("variance_gradient", lang)[id].split("<<")[0] for id in ("checked_agrees", "checked_differs")}
    assert told["checked_agrees"] in said(opened("variance", lang, here(CAT)))
    monkeypatch.setattr(variance_gradient_backward.Way, "gradient", lambda *args: 1.01 * right(*args))
    off = said(opened("variance", lang, here(CAT)))
    assert told["checked_differs"] in off
    assert told["checked_agrees"] not in off


@pytest.mark.parametrize(("step", "lang"), list(zip(STEPS, 3 * LANGUAGES, strict=True)))
def test_a_chosen_number_shows_what_it_is_made_of(step, lang):
    bench = here(INPUT, way=step, way_column=1, way_row=2, target=3)
    app = opened("variance", lang, bench)
    assert_well(app)
    way = of(bench)
    (formula,) = [m.value for m in app.markdown if r"\partial L" in m.value and "aligned" in m.value]
    gradient = way.gradient(step)
    value = gradient[2, 1] if step == "W_Q" else gradient[1]
    *_, last = formula.partition("$$")[2].partition("\n\\end")[0].split("& ")
    printed = last.removeprefix("= ").removeprefix(r"\approx ").replace(r"\times10^{", "e").strip("}")
    assert float(printed) == pytest.approx(value, rel=5e-3)
    drawn = frames(app)[1]
    assert drawn[drawn["marked"] == charts.CHOSEN]["at"].tolist() == [f"{step} {2 * (step == 'W_Q')} 1"]
    operands = drawn[drawn["marked"] == charts.OPERAND]["at"].str.split(" ").str[0]
    assert set(operands) == set(STEPS[STEPS.index(step) - 1 : STEPS.index(step)])


def test_the_table_has_every_norm_of_every_divisor():
    app = opened("variance", "en", here(INPUT))
    (table,) = [told for m in app.markdown if (told := m.value.replace("\u00a0", " ")).startswith("| norm of |")]
    lines = {line.split(" | ")[0].strip("| "): line for line in table.splitlines()[2:]}
    for step in STEPS:
        line = lines[catalogue("variance_gradient", "en")[f"title_{step}"]]
        for scale in SCALES:
            assert size(of(INPUT, scale).norm(step)) in line
    factors = [of(INPUT, scale).passed for scale in SCALES]
    assert " | ".join(f"× {size(factor)}" for factor in factors) in lines["through $J$"]
    assert max(factors) <= 0.5
    assert "÷ 1.00 | ÷ 1.73 | ÷ 3.00" in lines["the division"]


@pytest.mark.parametrize(("name", "kind", "row"), [
    ("cat", "alive", "alive"), ("saturated", "lost", "alive"), ("one token", "single", "single"),
    ("one key", "single", "single"), ("all masked", "masked", "masked"), ("huge", "lost", "dead"),
])  # fmt: skip
def test_the_numbers_choose_the_sentence(name, kind, row):
    bench = BENCHES[name]
    assert of(bench).kind == kind
    app = opened("variance", "en", here(bench))
    for id in (f"lost_{kind}", f"row_{row}"):
        start = catalogue("variance_gradient", "en")[id].split("<<")
        longest = max((part.split(">>")[-1] for part in start), key=len)
        assert longest in said(app), id


def test_the_evidence_is_of_the_number_that_matters_most_or_was_chosen():
    end = of(CAT).gradient("W_Q")
    for bench, at in ((CAT, np.unravel_index(np.abs(end).argmax(), end.shape)),
                      (here(CAT, way="W_Q", way_row=3, way_column=1), (3, 1))):  # fmt: skip
        it = check(of(CAT), *map(int, at))
        app = opened("variance", "en", here(bench))
        start = f"with W_Q[{at[0] + 1}, {at[1] + 1}] moved up and down by 0.0001, the loss is {it.up:.10g} and"
        assert start in said(app)


def test_a_division_that_costs_more_is_told_from_saturation():
    assert of(replace(LARGE, scale="linear")).kind == "divided"
    assert of(here(CAT, target=1)).j == 1
    same = w.with_cells(CAT, "V", {(i, j): "1" for i in range(4) for j in range(4)})
    assert of(same).kind == "idle"


def stretched(bench, times):
    steps = attention.attention_steps(*bench.qkv(), bench.mask_array(), scale=bench.scale)
    p = attention.softmax(times * steps.masked[bench.token])
    return float(np.linalg.norm(np.diag(p) - np.outer(p, p)))


def test_what_the_slider_leads_to_is_measured():
    """× 1, √2, 2 … 64: whether the row answers more at first, and from where on it is dead."""
    stops = [2 ** (k / 2) for k in range(13)]
    sizes = [stretched(CAT, s) for s in stops]
    text = said(opened("variance", "en", here(CAT)))
    assert max(sizes) > 1.02 * sizes[0]
    assert f"× {stops[int(np.argmax(sizes))]:.3g} gives {short(max(sizes), 3)}" in text
    dies = next(s for s, size in zip(stops, sizes, strict=True) if size < DEAD)
    at = float(re.search(r"From × ([\d.]+) on it is dead", text)[1])
    assert dies / 2**0.5 < at < dies  # between two places of the slider
    assert stretched(CAT, at * 1.002) < DEAD < stretched(CAT, at * 0.998)
    close = w.with_cells(CAT, "Q", {(1, c): f"{x / 100:.6f}" for c, x in enumerate(CAT.array("Q")[1])})
    assert stretched(close, 64) > DEAD
    assert "Even × 64 does not kill it" in said(opened("variance", "en", here(close)))


def test_ties_outlive_every_stretch():
    assert stretched(BENCHES["twins"], 1e6) > DEAD
    limit = short(stretched(BENCHES["twins"], 1e6), 3)
    assert f"goes to {limit}, not to 0" in said(opened("variance", "en", here(BENCHES["twins"])))


def test_another_language_row_or_divisor_keeps_the_slider():
    """The spec is the same, so the browser puts new data into the chart that it has."""
    apps = [opened("variance", "en", here(CAT)), opened("variance", "zh", here(replace(CAT, token=3, scale="none")))]
    one, other = (app.get("vega_lite_chart")[0].proto.spec for app in apps)
    assert one == other


def test_what_was_tried_can_be_made_real_and_undone():
    app = opened("variance", "en", views.shown(here(CAT), "variance.stretch", 18))
    app.button(key="way_sharpen").click().run()
    assert_well(app)
    assert views.get(code(app), "variance.stretch") == 6, "where the slider says t = 0"
    assert_allclose(code(app).array("Q"), 64 * CAT.array("Q"))
    assert_allclose(code(app).array("W_Q"), 64 * CAT.array("W_Q"))
    assert_allclose(code(app).steps().scores, 64 * CAT.steps().scores)
    assert of(code(app)).names == STEPS
    app.button(key="undo").click().run()
    assert code(app).matrices == CAT.matrices
    assert variance_gradient_backward.sharpened(of(BENCHES["huge"])) is None
    assert_allclose(variance_gradient_backward.sharpened(of(INPUT)).steps().scores, 8 * INPUT.steps().scores)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_link_gets_a_verdict_and_larger_scores_are_measured(lang):
    text = Text("variance_gradient", lang)
    told = said(opened("variance", lang, here(CAT)))
    part = Text("variance", lang)("part_softmax")
    assert text("question", part=part, whose=text("whose_prepared", d_k=4)) in told  # where random rows are measured
    assert text("see_jacobian", root="2.00") in told
    assert text("verdict_alive", d_k=4, end="W_Q") in told
    for times, kind in ((8, "same"), (64, "less")):  # more than × 1, at first
        larger = of(variance_gradient_backward.sharpened(of(CAT), times))
        assert [larger.passed < of(CAT).passed, larger.norm("W_Q") < of(CAT).norm("W_Q")] == [kind == "less"] * 2
        numbers = {"passed": size(larger.passed), "last": size(larger.norm("W_Q"))}
        assert text(f"larger_{kind}", times=times, end="W_Q", **numbers) in told
    app = opened("variance", lang, here(CAT))
    app.button(key="way_sharpen").click().run()
    assert of(code(app)).kind == "lost"
    assert text("verdict_lost", end="W_Q", d_k=4) in said(app)
    assert text("larger_same", times=8, end="W_Q", passed="", last="").split("8")[0] not in said(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_whose_numbers_they_are_is_said(lang):
    edited = w.with_cells(CAT, "Q", {(1, 0): "7"})
    for bench, id, other in ((CAT, "whose_prepared", "whose_edited"), (edited, "whose_edited", "whose_prepared")):
        told = said(opened("variance", lang, here(bench)))
        starts = {name: catalogue("variance_gradient", lang)[name].split("<<")[0] for name in (id, other)}
        assert starts[id] in told
        assert starts[other] not in told


def test_a_nudge_that_float64_cannot_resolve_is_told():
    """Huge numbers allow no nudge, a saturated row no slope that it would show; neither is called evidence."""
    X = {(i, j): "1e6" for i in range(4) for j in range(CAT.sizes["d_model"])}
    W = {(i, j): f"{1e6 - 7 * i - j}" for i in range(CAT.sizes["d_model"]) for j in range(4)}
    vast = replace(w.with_cells(w.with_cells(w.with_cells(CAT, "X", X), "W_Q", W), "W_K", W), route="input")
    assert check(of(vast), 0, 0).kind == "small"
    told = catalogue("variance_gradient", "en")["checked_small"].split("<<")[0]
    assert told in said(opened("variance", "en", here(vast)))
    far = of(variance_gradient_backward.sharpened(of(INPUT), 64))
    it = check(far, *map(int, np.unravel_index(np.abs(far.gradient("W_Q")).argmax(), (5, 3))))
    assert it.predicted != 0
    assert (it.kind, it.up) == ("blind", it.down)
    assert check(of(CAT), 1, 2).kind == "agrees"


def test_a_q_that_was_typed_apart_ends_the_way_and_there_is_a_way_on():
    apart = w.with_cells(CAT, "Q", {(1, 0): "7"})
    assert variance_gradient_backward.larger(of(apart)) == ["Q"]
    app = opened("variance", "en", here(apart, way="W_Q"))
    assert_well(app)
    assert not frames(app)[1]["at"].str.startswith("W_Q").any()
    app.button(key="way_input").click().run()
    assert_well(app)
    assert code(app).route == "input"
    assert frames(app)[1]["at"].str.startswith("W_Q").any()
    assert not [button for button in app.button if button.key == "way_input"]


def test_choices_travel_in_the_link():
    app = opened("variance", "en", here(CAT))
    app.segmented_control(key="way_target").set_value(3).run()
    app.segmented_control(key="way_name").set_value("Q").run()
    app.selectbox(key="way_column_number_en").set_value(2).run()
    assert_well(app)
    assert {name: views.get(code(app), f"variance.{name}") for name in ("target", "way", "way_column")} == {
        "target": 3, "way": "Q", "way_column": 2
    }  # fmt: skip
    assert code(app).matrices == CAT.matrices


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_tables_say_it_in_numbers(lang):
    bench = replace(CAT, mask="causal")
    app = opened("variance", lang, here(bench))
    app.toggle(key="jacobian_table").set_value(True).run()
    assert_well(app)
    lines = app.dataframe[0].value.to_numpy()
    expected = [(p[i], *row) for p in (weights(bench, scale) for scale in SCALES)
                for i, row in enumerate(attention.softmax_jacobian(p))]  # fmt: skip
    assert lines[:, 2:].tolist() == [[short(float(x), 4) for x in row] for row in expected]
    for chart in app.get("vega_lite_chart"):
        assert '"description"' in chart.proto.spec


def test_every_row_of_the_readers_is_measured():
    for name, measure in (("norm", lambda p: np.linalg.norm(np.diag(p) - np.outer(p, p))),
                          ("entropy", lambda p: float(attention.normalized_entropy(p)))):  # fmt: skip
        table = rows_table(CAT, name, Text("variance_gradient", "en")).splitlines()[2:]
        for i, line in enumerate(table):
            rows = [weights(replace(CAT, token=i), scale) for scale in SCALES]
            assert " | ".join(short(float(measure(p)), 3) for p in rows) in line


WAYS = [((1, 4),) * 5 + ((4, 4),), ((1, 1),) * 5, ((1, 7), (1, 12), (1, 12), (1, 12), (1, 16), (5, 16))]


@pytest.mark.parametrize(("n", "layout"), [(4, "wide"), (12, "phone")])
def test_the_specs_are_vega_lite(n, layout):
    jacobian = variance_gradient_charts.jacobian_spec(tuple("abcdefghijkl"[:n]), layout)
    for spec in (jacobian, picture.way_spec(WAYS[n // 6], layout)):
        alt.ConcatChart.from_dict({**spec, "data": {"name": "a"}}, validate=True)


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
def test_the_specs_fit_every_layout(layout):
    for n in (1, 5, 12):
        spec = variance_gradient_charts.jacobian_spec(tuple(map(str, range(n))), layout)
        assert spec["columns"] * (spec["concat"][0]["width"] + charts.LABELS) <= charts.ROOM[layout][0]
    for shapes in WAYS:
        assert picture.plan(shapes, layout).width <= charts.ROOM[layout][0]


@pytest.mark.parametrize("layout", ["xl", "wide", "medium", "phone"])
@pytest.mark.parametrize("shapes", WAYS)
def test_no_heatmap_is_drawn_over_another(shapes, layout):
    where = picture.plan(shapes, layout)
    boxes = [(x, y, x + columns * where.cell, y + rows * where.cell)
             for (x, y), (rows, columns) in zip(where.corners, shapes, strict=True)]  # fmt: skip
    for (left, top, right, bottom), (x, y, right_2, bottom_2) in combinations(boxes, 2):
        beside = right + charts.LABELS <= x or right_2 + charts.LABELS <= left
        assert beside or bottom + 46 <= y or bottom_2 + 46 <= top
