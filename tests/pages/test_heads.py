"""The heads page: every number drawn is the core's; switches, twins, typing and links do what they say."""

from dataclasses import replace

import numpy as np
import pytest

import attention
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import charts, editor, heads_figures, heads_words
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue

CAT = w.preset("cat")
WIDE = w.resized(CAT, d_model=8)
TWELVE = tuple("abcdefghijkl")
EIGHT = replace(WIDE, n_heads=8, heads_off=(1, 4), token=2)
MAPS, CONTRIBUTIONS, MOVEMENT, CONCAT, SIMILARITY = range(5)

CASES = {
    "one head": replace(CAT, n_heads=1),
    "two": CAT,
    "four, causal, unscaled": replace(WIDE, n_heads=4, mask="causal", scale="none", heads_off=(2,)),
    "eight": EIGHT,
    "twins": replace(WIDE, n_heads=4, twins=True),
    "typed": w.with_cells(w.with_typed_head(w.with_heads(WIDE, 2), 1), "H_Q", {(0, 0): "4", (2, 1): "-3"}),
    "own mask": w.with_allowed(replace(WIDE, n_heads=2), {(0, 0): False, (2, 3): False}),
    "all off": replace(CAT, heads_off=(0, 1)),
}  # fmt: skip
AWKWARD = {
    "one token": w.with_tokens(CAT, ("猫",)),
    "d_model 1": replace(w.resized(CAT, d_model=1), n_heads=1),
    "d_model 5": w.with_heads(w.resized(CAT, d_model=5), 5),
    "widest": replace(w.with_heads(w.with_tokens(w.resized(CAT, d_model=16), TWELVE), 8), mask="causal"),
    "huge": w.with_cells(CAT, "X", {(0, 0): "1000000", (1, 1): "-1000000", (3, 2): "1000000"}),
    "tiny": w.with_cells(CAT, "X", {(0, 0): "1e-300"}),
    "all zero": w.with_cells(CAT, "X", {(i, j): "0" for i in range(4) for j in range(4)}),
    "all masked": w.with_allowed(CAT, {(i, j): False for i in range(4) for j in range(4)}),
    "markdown": w.with_tokens(CAT, ("**b**", "$x$", ":red[a]", "|a|")),
    "duplicates": w.with_tokens(CAT, ("the", "the", "猫", "猫")),
}  # fmt: skip


def core(bench):
    """The heads, built here from the link's numbers alone."""
    X = np.array([[float(cell) for cell in row] for row in bench.matrices["X"]])
    drawn = attention.MultiHead.random(X.shape[1], bench.n_heads, seed=bench.head_seed)
    W = [np.array(each) for each in (drawn.W_Q, drawn.W_K, drawn.W_V, drawn.W_O)]
    for each, name in zip(W, w.HEAD, strict=True):
        if bench.typed_head >= 0:
            each[bench.typed_head] = bench.array(name)
        if bench.twins:
            each[1] = each[0]
    on = [head not in bench.heads_off for head in range(bench.n_heads)]
    return attention.MultiHead(*W).steps(X, bench.mask_array(), heads_on=on, scale=bench.scale)


def cells(frame):
    """The matrices of a board, one below the other, as the values of its cells in drawing order."""
    drawn = frame[frame["kind"].isin(["cell", "masked"])]
    return drawn["value"].to_numpy(dtype=float), (drawn["kind"] == "masked").to_numpy()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("bench", CASES.values(), ids=CASES)
def test_every_number_drawn_is_the_cores(bench, lang):
    app = opened("heads", lang, bench)
    assert_well(app)
    steps, shown = core(bench), frames(app)
    n, on = len(bench.tokens), steps.heads_on

    # a panel is drawn column by column
    values, masked = cells(shown[MAPS])
    expected = steps.heads.weights.swapaxes(-1, -2).reshape(-1)
    np.testing.assert_array_equal(values[~masked], expected[~masked])
    if steps.heads.mask is not None:
        np.testing.assert_array_equal(masked, ~steps.heads.mask.swapaxes(-1, -2).reshape(-1))

    bars = shown[CONTRIBUTIONS]
    parts = bars[bars["kind"] == "bar"].pivot(index="head", columns="dim", values="value").to_numpy()
    np.testing.assert_array_equal(parts.reshape(-1), steps.contributions[on, bench.token].reshape(-1))
    outputs = bars[bars["kind"] == "output"]["value"].to_numpy()
    np.testing.assert_array_equal(outputs, steps.output[bench.token])
    if on.any():
        np.testing.assert_allclose(parts.sum(axis=0), outputs, atol=1e-12)

    full = steps.contributions.sum(axis=0)
    moved = shown[MOVEMENT][shown[MOVEMENT]["kind"] == "moved"]["value"].to_numpy()
    np.testing.assert_allclose(moved, np.linalg.norm(steps.output - full, axis=-1), rtol=1e-12)

    values, masked = cells(shown[CONCAT])
    off = np.repeat(~on, n * steps.concat.shape[1] // len(on))
    np.testing.assert_array_equal(masked, np.concatenate([off, np.zeros(steps.output.size, bool)]))
    expected = np.concatenate([steps.concat.T.reshape(-1), steps.output.T.reshape(-1)])
    np.testing.assert_array_equal(values[~masked], expected[~masked])

    if bench.n_heads > 1:
        values, _ = cells(shown[SIMILARITY])
        expected = attention.head_similarity(steps.heads.weights)
        np.testing.assert_array_equal(values, expected.T.reshape(-1))
    else:
        assert len(shown) == SIMILARITY


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("bench", AWKWARD.values(), ids=AWKWARD)
def test_awkward_numbers_give_a_sensible_page(bench, lang):
    app = opened("heads", lang, bench)
    assert_well(app)
    assert code(app) == bench
    app.toggle(key="as_tables").set_value(True).run()
    assert_well(app)
    assert "nan" not in "\n".join(each.value for each in app.markdown).lower()
    for frame in frames(app):
        numbers = frame.select_dtypes("number").to_numpy(dtype=float)
        assert np.isfinite(numbers[~np.isnan(numbers)]).all()


def test_heads_are_switched_one_by_one():
    app = opened("heads", "en", replace(WIDE, n_heads=4))
    app.button_group(key="heads_on").set_value([0, 3, 1]).run()
    assert_well(app)
    assert code(app).heads_off == (2,)
    struck = frames(app)[MAPS]
    assert (struck["kind"] == "strike").sum() == 1
    assert catalogue("heads", "en")["mark_off"] in " ".join(struck[struck["kind"] == "title"]["text"])
    assert set(struck[struck["kind"] == "cell"]["opacity"]) == {1, 0.3}
    app.button(key="undo").click().run()
    assert code(app).heads_off == ()


def test_solo_all_on_and_all_off():
    app = opened("heads", "en", replace(WIDE, n_heads=4))
    app.button_group(key="heads_solo").set_value(2).run()
    assert code(app).heads_off == (0, 1, 3)
    assert app.button_group(key="heads_on").value == [2]
    app.button_group(key="heads_on").set_value([0, 2]).run()
    assert app.button_group(key="heads_solo").value is None
    app.button(key="heads_all_off").click().run()
    assert_well(app)
    assert code(app).heads_off == (0, 1, 2, 3)
    assert Text("heads", "en")("status_none") in said(app)
    assert (frames(app)[CONTRIBUTIONS].query("kind == 'output'")["value"] == 0).all()
    app.button(key="heads_all_on").click().run()
    assert code(app).heads_off == ()
    assert app.button(key="heads_all_on").disabled


@pytest.mark.parametrize("lang", LANGUAGES)
def test_twins_are_equal_to_the_last_digit(lang):
    app = opened("heads", lang, replace(WIDE, n_heads=4))
    app.button(key="heads_twins_make").click().run()
    assert_well(app)
    assert code(app).twins
    assert catalogue("heads", lang)["twins_same"] in [each.value for each in app.success]
    values, _ = cells(frames(app)[MAPS])
    one, two = values.reshape(4, -1)[:2]
    assert (one == two).all()
    similarity, _ = cells(frames(app)[SIMILARITY])
    assert similarity.reshape(4, 4)[0, 1] == 1
    bars = frames(app)[CONTRIBUTIONS].query("kind == 'bar'")
    assert (bars.query("head == 0")["value"].to_numpy() == bars.query("head == 1")["value"].to_numpy()).all()
    app.button(key="heads_twins_undo").click().run()
    assert not code(app).twins


def test_only_divisors_are_offered_and_x_can_be_widened():
    app = opened("heads", "en", CAT)
    assert app.button_group(key="pick_n_heads").options == ["1", "2", "4"]
    assert "h can be 1, 2, 4" in said(app)
    app.button(key="heads_widen").click().run()
    assert code(app).sizes["d_model"] == 8
    assert app.button_group(key="pick_n_heads").options == ["1", "2", "4", "8"]
    assert not [button for button in app.button if button.key == "heads_widen"]
    app.button_group(key="pick_n_heads").set_value(8).run()
    assert_well(app)
    assert code(app).n_heads == 8
    assert "8 \\times 4 \\times 8 \\times 1 = 256" in said(app)


def test_a_head_can_be_typed_and_forgotten():
    app = opened("heads", "en", replace(WIDE, n_heads=4))
    app.button_group(key="pick_typed").set_value(2).run()
    assert_well(app)
    assert code(app).typed_head == 2
    drawn = attention.MultiHead.random(8, 4, seed=0).W_Q[2]
    np.testing.assert_array_equal(code(app).array("H_Q"), drawn.round(2))
    titles = frames(app)[MAPS].query("kind == 'title'")["text"].tolist()
    assert titles[2] == f"head 3 · {catalogue('heads', 'en')['mark_typed']}"
    app.button(key="heads_forget").click().run()
    assert code(app) == replace(WIDE, n_heads=4)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_cannot_be_read_in_a_typed_head_is_said(lang, monkeypatch):
    bench = w.with_typed_head(replace(WIDE, n_heads=4), 0)
    problems = {"H_V": {"1,0": {"reason": "not_a_number", "typed": "abc"}}}
    app = opened("heads", lang, bench)
    app.session_state["lab"]["problems"] = problems
    app.run()
    assert_well(app)
    assert any("`abc`" in each.value and editor.label("H_V") in each.value for each in app.warning)


def test_the_token_the_seed_and_the_rest_are_in_the_link():
    app = opened("heads", "en", replace(WIDE, n_heads=4))
    app.button_group(key="pick_token").set_value(3).run()
    app.number_input(key="heads_seed").set_value(11).run()
    app.button_group(key="heads_on").set_value([1]).run()
    assert_well(app)
    again = opened("heads", "zh", code=app.session_state["lab"]["code"])
    assert_well(again)
    assert code(again) == replace(WIDE, n_heads=4, token=3, head_seed=11, heads_off=(0, 2, 3))
    assert again.button_group(key="heads_on").value == [1]
    assert again.button_group(key="pick_token").value == 3
    assert again.number_input(key="heads_seed").value == 11


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_mask_is_said_and_an_unseeing_token_is_explained(lang):
    app = opened("heads", lang, w.with_allowed(CAT, {(1, j): False for j in range(4)}))
    assert catalogue("common", lang)["mask_own"] in said(app)
    assert "追" in app.info[0].value


def test_the_chart_of_the_maps_is_kept_while_only_numbers_change():
    app = opened("heads", "en", replace(WIDE, n_heads=4))
    before = [chart.proto.spec for chart in app.get("vega_lite_chart")]
    app.button_group(key="heads_on").set_value([0, 1]).run()
    app.button_group(key="language_picker").set_value("zh").run()
    app.button_group(key="pick_token").set_value(0).run()
    assert [chart.proto.spec for chart in app.get("vega_lite_chart")] == before


def test_looking_at_a_cell_draws_frames_and_computes_nothing_anew():
    app = opened("heads", "en", replace(WIDE, n_heads=4))
    heads_figures._figure.cache_clear()
    app.selectbox(key="trace_matrix_en").select(("concat", -1)).run()
    made = heads_figures._figure.cache_info().misses, heads_words.ledger.cache_info().misses
    for stage, head in (("weights", 2), ("combined", -1)):
        app.selectbox(key="trace_matrix_en").select((stage, head)).run()
        assert_well(app)
        marked = [frame[frame["marked"] == charts.CHOSEN]["at"].tolist() for frame in (frames(app)[i] for i in (0, 3))]
        assert [f"{stage} 1 0 {head}"] in marked
    assert (heads_figures._figure.cache_info().misses, heads_words.ledger.cache_info().misses) == made


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables_hold_what_the_figures_show(lang):
    app = opened("heads", lang, EIGHT)
    app.toggle(key="as_tables").set_value(True).run()
    assert_well(app)
    tables = [each.value for each in app.markdown if each.value.startswith("| ")]
    assert len(tables) == 8 + 1 + 2 + 1 + 1
    assert tables[8].count("~~") == 2 * 2 * 8  # two silenced heads, eight dimensions
