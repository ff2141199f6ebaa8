"""The masks page: what it says is what the core computes, in both languages, on ordinary and on awkward numbers."""

from dataclasses import replace

import numpy as np
import pytest

import attention
from tests.pages.reading import assert_well, code, frames, opened, said, stage
from tests.pages.test_every_page import AWKWARD
from ui import display, link, masks, masks_lab, masks_ways, names, predict, views
from ui import workbench as w
from ui.text import LANGUAGES, Text

CAT = w.preset("cat")
CAUSAL = masks.with_part(CAT, "mask_causal", True)
OWN = w.with_allowed(masks.with_part(CAUSAL, "mask_length", 3), {(2, 0): False})
EMPTY = masks.without_keys(CAUSAL, 1)


def looking(bench, lab, guess=predict.SKIP, **shows):
    for name, value in {"lab": lab, f"guess_{lab}": guess, **shows}.items():
        bench = views.shown(bench, f"masks.{name}", value)
    return bench


def printed(values, decimals=2):
    return [[display.short(float(x), decimals) for x in row] for row in values]


def cells(frame, s):
    return stage(frame, s).to_numpy().tolist()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_switches_and_cells_are_the_readers_mask_everywhere(lang):
    app = opened("masks", lang)
    app.toggle(key="on_mask_causal").set_value(True).run()
    assert code(app).mask == "causal"
    app.toggle(key="on_mask_length").set_value(True).run()
    app.number_input(key="number_mask_length").set_value(2).run()
    app.toggle(key="on_mask_window").set_value(True).run()
    assert_well(app)
    bench = code(app)
    expected = attention.combine_masks(
        attention.causal_mask(4), attention.padding_mask(2, 4), attention.sliding_window_mask(4, 2)
    )
    np.testing.assert_array_equal(bench.mask_array(), np.broadcast_to(expected, (4, 4)))
    parts, figure = frames(app)[:2]
    text = Text("masks", lang)
    assert parts[parts["kind"] == "title"]["text"].tolist() == [text(f"part_{name}") for name in w.mask_parts(bench)]
    assert cells(figure, 2) == printed(bench.steps().weights)
    app.button(key="undo").click().run()
    assert not app.toggle(key="on_mask_window").value
    app.button(key="mask_clear").click().run()
    assert code(app).mask == "none"
    assert [app.toggle(key=f"on_{name}").value for name in ("mask_causal", "mask_length", "mask_window")] == [False] * 3


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_answer_before_a_guess_and_the_answer_is_computed(lang):
    text = Text("masks", lang)
    app = opened("masks", lang, views.shown(CAUSAL, "masks.lab", "after"))
    assert len(frames(app)) == 2
    app.button_group(key="guess_after").set_value("one").run()
    assert len(frames(app)) == 3
    assert text("guessed_wrong", answer=text("after_less")) in said(app)
    app.button_group(key="guess_after").set_value("less").run()
    assert text("guessed_right", answer=text("after_less")) in said(app)
    assert views.get(code(app), "masks.guess_after") == "less"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_masked_after_softmax(lang):
    app = opened("masks", lang, looking(OWN, "after"))
    assert_well(app)
    figure = frames(app)[-1]
    after = attention.masked_after_steps(*OWN.qkv(), OWN.mask_array())
    for s, values in enumerate((OWN.steps().weights, OWN.steps().output, after.weights, after.output)):
        assert cells(figure, s) == printed(values)
    row = int(after.weights.sum(axis=1).argmin())
    assert f"**{display.short(float(after.weights[row].sum()), 3)}**" in said(app)


def test_the_example_of_1_2_5_is_one_click_away():
    app = opened("masks", "en", looking(CAT, "after"))
    app.button(key="open_125").click().run()
    assert_well(app)
    assert "**0.064**" in said(app)
    assert "0.936" in said(app)
    app.button(key="undo").click().run()
    assert code(app).tokens == CAT.tokens


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("fill", masks_ways.FILLS)
def test_what_a_fill_value_leaks(fill, lang):
    app = opened("masks", lang, looking(EMPTY if fill == "1e9" else OWN, "fill", fill=fill))
    assert_well(app)
    bench, figure, number = code(app), frames(app)[-1], masks_ways.FILLS[fill]
    mask = bench.mask_array()
    scores = np.where(mask, bench.steps().scaled, number)
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
    assert cells(figure, 1) == printed(weights)
    assert cells(figure, 2) == printed(weights @ bench.qkv()[2])
    leak = [float(row[~allowed].sum()) for row, allowed in zip(weights, mask, strict=True)]
    sums = figure[(figure["s"] == 1) & (figure["kind"] == "sum")]["text"].tolist()
    assert sums == [Text("masks", lang)("leak_sum", leak=display.short(x)) for x in leak]
    if fill == "1e9":
        assert leak == [0.0, 1.0, 0.0, 0.0]  # nothing, but for the row without keys, where it is uniform


def test_what_becomes_of_minus_1e9_is_measured():
    app = opened("masks", "en", looking(CAUSAL, "fill"))
    assert "| `float64` | −1e9 | every weight 0.25 |" in said(app)
    assert "| `float32` | −1e9 | every weight 0.25 |" in said(app)
    assert "| `float16` | −∞ | every weight NaN |" in said(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_wrong_way_round_the_future_leaks(lang):
    app = opened("masks", lang, looking(CAUSAL, "polarity"))
    assert_well(app)
    figure = frames(app)[-1]
    flipped = attention.attention_steps(*CAT.qkv(), ~np.tri(4, dtype=bool)).weights
    assert cells(figure, 1) == printed(flipped)
    sums = figure[(figure["s"] == 1) & (figure["kind"] == "sum")]["text"].tolist()
    assert sums == ["→ 1.00", "→ 1.00", "→ 1.00", "→ 0"]


def test_the_future_leaks_only_where_the_mask_hid_it():
    padded = masks.with_part(CAT, "mask_length", 1)
    start = Text("masks", "en")("see_future", rows="").split(":")[0]
    assert start in said(opened("masks", "en", looking(CAUSAL, "polarity")))
    assert start in said(opened("masks", "en", looking(padded, "polarity")))  # its keys behind the first are padding
    past = w.with_allowed(CAT, {(3, 0): False})
    assert start not in said(opened("masks", "en", looking(past, "polarity")))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_row_without_keys_three_ways(lang):
    app = opened("masks", lang, looking(replace(CAUSAL, token=1), "empty"))
    app.button(key="make_empty").click().run()
    assert_well(app)
    text, rows = Text("masks", lang), [names.called(code(app), Text("masks", lang))[1]]
    assert text("see_empty", rows=text("quoted", token=rows[0]), lost=4, of=4) in said(app)
    assert not code(app).mask_array()[1].any()
    weights, after = frames(app)[-2:]
    for s, policy in enumerate(("nan", "zero", "uniform")):
        steps = attention.attention_steps(*CAT.qkv(), code(app).mask_array(), empty_rows=policy)
        assert cells(weights, s) == printed(steps.weights)
        assert cells(after, s) == printed(steps.weights @ steps.output)
    assert cells(after, 0) == [["NaN"] * 4] * 4  # 0 × NaN is NaN


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_row_without_keys_is_explained_once_it_was_guessed_at(lang):
    asked, told = (opened("masks", lang, looking(EMPTY, "empty", guess)) for guess in ("", predict.SKIP))
    assert "NaN" not in "".join(info.value for info in asked.info)
    assert "NaN" in "".join(info.value for info in told.info)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_padding_hides_keys(lang):
    bench = masks.with_part(CAT, "mask_length", 3)
    app = opened("masks", lang, looking(bench, "padding"))
    assert_well(app)
    keys = np.arange(4) < np.full((4, 1), 3)
    for s, mask in enumerate((keys, keys & keys.T, keys.T)):
        assert cells(frames(app)[-1], s) == printed(attention.attention_steps(*CAT.qkv(), mask).weights)
    text = Text("masks", lang)
    assert text("see_padding", moved="0", pads=text("quoted", token=names.called(bench, text)[3])) in said(app)


def test_scores_that_leave_padding_nothing_are_not_called_a_leak():
    """Padding that scores thousands below the others; and a row of scores that −1e9 is not below."""
    text, far = Text("masks", "en"), w.with_cells(CAT, "K", {(3, j): "-1e4" for j in range(4)})
    far = w.with_cells(far, "Q", {(i, j): "1" for i in range(4) for j in range(4)})
    app = opened("masks", "en", looking(masks.with_part(far, "mask_length", 3), "padding"))
    assert text("see_padding_hidden") in said(app)
    deep = w.with_cells(CAT, "Q", {(1, j): "-1e6" for j in range(4)})
    deep = w.with_cells(deep, "K", {(i, j): "1e4" for i in range(4) for j in range(4)})
    for bench, told, not_told in ((CAUSAL, "apart", "deep"), (replace(deep, mask="causal"), "deep", "apart")):
        app = opened("masks", "en", looking(bench, "fill"))
        assert text(f"see_fill_{told}") in said(app)
        assert text(f"see_fill_{not_told}") not in said(app)


def test_what_rounding_does_to_large_numbers_is_no_change():
    x = np.array([[3e9, 1.0], [0.1, 0.2]])
    assert masks_lab.moved(x, x + [[1e-6, 0], [0, 0.5]]).tolist() == [False, True]
    assert masks_lab.moved(x / 1e9, x / 1e9 + [[1e-6, 0], [0, 0]]).tolist() == [True, False]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_token_more_changes_no_earlier_row_under_the_causal_mask(lang):
    app = opened("masks", lang, looking(CAT, "append", append=2))
    assert_well(app)
    figure = frames(app)[-1]
    Q, K, V = (np.vstack([matrix, matrix[2]]) for matrix in CAT.qkv())
    change = attention.attention(Q, K, V)[:4] - attention.attention(*CAT.qkv())
    assert cells(figure, 1) == [*printed(change), ["–"] * 4]
    assert cells(figure, 3) == [["0"] * 4] * 4 + [["–"] * 4]
    # 1² + … + 5² = 55 and 1 + … + 5 = 15 pairs, 4 + 4 multiplications each
    assert "440" in said(app)
    assert "120" in said(app)


@pytest.mark.parametrize("lab", masks_lab.LABS)
def test_awkward_numbers_in_every_experiment(lab):
    names = ("one of everything", "markdown", "widest", "all masked", "from X")
    deep = {name: AWKWARD[name] for name in names}
    deep |= {"huge, causal": replace(AWKWARD["huge"], mask="causal"), "empty": EMPTY}
    app = opened("masks", "en")
    for name, bench in deep.items():
        app.session_state["lab"]["code"] = link.encode(looking(bench, lab))
        app.run()
        assert not app.exception, name
        assert not app.error, name
