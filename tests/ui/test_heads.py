"""What the heads page rests on: similarity, the workbench's heads, colours, room, and sums that add up."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import attention
from ui import heads, heads_bars, heads_charts, heads_words, link, theme
from ui import workbench as w
from ui.text import LANGUAGES, Text

CAT = w.preset("cat")
WIDE = w.resized(CAT, d_model=8)

#: linear RGB as people with each kind of colour vision see it (Machado, Oliveira and Fernandes, 2009)
VISION = {
    "usual": np.eye(3),
    "protanopia": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.052]],
    "deuteranopia": [[0.3673, 0.8606, -0.228], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
}  # fmt: skip


def lab(colour, vision):
    """CIELAB of a colour as that vision sees it."""
    c = np.array(theme.rgb(colour))
    linear = np.clip(vision @ np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4), 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = (to_xyz @ linear) / [0.9505, 1, 1.089]
    fx, fy, fz = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("vision", VISION)
def test_the_colours_of_any_two_heads_can_be_told_apart(vision):
    seen = [lab(hue, np.array(VISION[vision])) for hue in heads_charts.HUES]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 15


def test_the_colours_of_heads_stand_out_on_both_backgrounds_and_can_be_written_on():
    for hue, ink in zip(heads_charts.HUES, heads_bars.INKS, strict=True):
        for background in ("#ffffff", "#14161d"):
            assert theme.contrast(theme.rgb(hue), theme.rgb(background)) >= 3, hue
        assert theme.contrast(theme.rgb(hue), theme.rgb(ink)) >= 4.2, hue
    assert len(heads_charts.HUES) == w.MAX_HEADS
    assert not set(heads_charts.HUES) & {"#0072b2", "#d55e00", "#009e73"}  # those of Q, K and V


def weights(*shape, seed=0):
    return attention.softmax(np.random.default_rng(seed).standard_normal(shape) * 2)


def test_similarity_is_one_with_itself_symmetric_and_between_0_and_1():
    s = attention.head_similarity(weights(2, 5, 3, 4))
    assert s.shape == (2, 5, 5)
    assert (np.diagonal(s, axis1=-2, axis2=-1) == 1).all()
    assert (s == s.swapaxes(-1, -2)).all()
    assert ((s >= 0) & (s <= 1)).all()


def test_similarity_is_what_its_formula_says():
    p = weights(2, 3, 5)

    def bits(x):
        return -sum(v * np.log2(v) for v in x if v)

    by_hand = np.mean([
        1 - np.sqrt(bits((a + b) / 2) - (bits(a) + bits(b)) / 2) for a, b in zip(p[0], p[1], strict=True)
    ])  # fmt: skip
    assert attention.head_similarity(p)[0, 1] == pytest.approx(by_hand, rel=1e-12)


def test_similarity_leaves_out_queries_that_see_nothing():
    p = weights(2, 3, 4)
    q = p.copy()
    q[:, 1] = 0
    assert attention.head_similarity(q)[0, 1] == pytest.approx(attention.head_similarity(p[:, [0, 2]])[0, 1])
    assert np.isnan(attention.head_similarity(np.zeros((2, 3, 4)))).all()


@pytest.mark.parametrize("bad", [[[0.5, 0.5]], [[[2.0, 0.0]]], "x"])
def test_similarity_refuses_what_are_not_weights_of_heads(bad):
    with pytest.raises(attention.InputError):
        attention.head_similarity(bad)


def test_divergence_refuses_rows_that_do_not_fit():
    with pytest.raises(attention.InputError):
        attention.js_divergence([0.5, 0.5], [1.0])
    with pytest.raises(attention.InputError):
        attention.js_divergence(np.full((2, 2), 0.5), np.full((3, 2), 0.5))


def test_heads_are_the_cores_own():
    bench = replace(WIDE, n_heads=4, head_seed=7)
    mine, core = w.multi_head(bench), attention.MultiHead.random(8, 4, seed=7)
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        assert (getattr(mine, name) == getattr(core, name)).all()


def test_twins_share_all_four_projections_and_nobody_else_does():
    bench = w.with_twins(replace(WIDE, n_heads=4), True)
    own, copied = w.multi_head(replace(bench, twins=False)), w.multi_head(bench)
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        W, V = getattr(copied, name), getattr(own, name)
        assert (W[1] == W[0]).all()
        assert (W[[0, 2, 3]] == V[[0, 2, 3]]).all()
    assert w.with_twins(bench, False) == replace(WIDE, n_heads=4)


def test_a_typed_head_starts_from_its_numbers_and_is_used_to_the_letter():
    bench = w.with_typed_head(replace(WIDE, n_heads=2), 1)
    drawn = attention.MultiHead.random(8, 2, seed=0)
    assert (w.multi_head(bench).W_Q[1] == drawn.W_Q[1].round(2)).all()
    assert (w.multi_head(bench).W_Q[0] == drawn.W_Q[0]).all()
    typed = w.with_cells(bench, "H_O", {(0, 0): "1/3"})
    assert w.multi_head(typed).W_O[1, 0, 0] == 1 / 3
    assert link.decode(link.encode(typed)) == typed
    assert w.without_typed_head(typed) == replace(WIDE, n_heads=2)


def test_twins_and_the_typed_head_never_hide_each_other():
    typed = w.with_typed_head(replace(WIDE, n_heads=2), 1)
    assert w.with_twins(typed, True).typed_head == -1
    assert not w.with_typed_head(w.with_twins(replace(WIDE, n_heads=2), True), 1).twins
    first = w.with_twins(w.with_typed_head(replace(WIDE, n_heads=2), 0), True)
    assert (w.multi_head(first).W_Q[1] == first.array("H_Q")).all()


@pytest.mark.parametrize("d_model", range(1, 17))
def test_every_number_of_heads_that_is_offered_can_be_linked_to(d_model):
    bench = w.with_twins(replace(w.resized(CAT, d_model=d_model), heads_off=(0,)), True)
    for h in heads.possible(d_model):
        chosen = w.with_heads(bench, h)
        assert link.decode(link.encode(chosen)) == chosen
        assert heads_words.ledger(chosen).heads.n_parameters == 4 * d_model**2
    assert (8 in heads.possible(d_model)) == (d_model in (8, 16))


def test_moving_is_exactly_nothing_while_every_head_is_on():
    it = heads_words.ledger(replace(WIDE, n_heads=8))
    assert (it.moved == 0).all()
    off = heads_words.ledger(replace(WIDE, n_heads=8, heads_off=(2, 5)))
    lost = off.steps.contributions[[2, 5]].sum(axis=0)
    np.testing.assert_allclose(off.moved, np.linalg.norm(lost, axis=-1), rtol=1e-12)
    none = heads_words.ledger(replace(CAT, heads_off=(0, 1)))
    assert (none.steps.output == 0).all()
    assert (none.moved == none.length).all()


def test_stacks_end_where_the_sums_of_each_sign_are():
    parts = np.random.default_rng(1).standard_normal((5, 7))
    on = np.array([True, False, True, True, False])
    start, end = heads_bars.stacked(parts, on)
    np.testing.assert_allclose((end - start)[on], parts[on], atol=1e-12)
    assert (end == start)[~on].all()
    ends = np.concatenate([start, end])
    np.testing.assert_allclose(ends.max(axis=0), np.maximum(parts[on], 0).sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(ends.min(axis=0), np.minimum(parts[on], 0).sum(axis=0), atol=1e-12)


@pytest.mark.parametrize("room", [1240, 880, 560, 500, 360, 318])
@pytest.mark.parametrize("n", [1, 2, 4, 7, 12])
@pytest.mark.parametrize("h", [1, 2, 3, 4, 8])
def test_maps_never_run_over_the_page(room, n, h):
    plan = heads_charts.arrange(n, n, h, room)
    assert plan.size[0] <= room
    assert plan.across * plan.down >= h
    assert plan.cell >= heads_charts.LEAST


def test_eight_heads_of_four_tokens_fit_the_first_screen():
    plan = heads_charts.arrange(4, 4, 8, 880)
    assert (plan.across, plan.down) == (4, 2)
    assert plan.size[1] <= 420


def test_specs_depend_on_shapes_alone():
    frames = []
    for bench in (replace(WIDE, n_heads=4), replace(WIDE, n_heads=4, heads_off=(1,), head_seed=5, token=3)):
        it = heads_words.ledger(bench)
        parts, tips = it.steps.contributions[:, bench.token], dict.fromkeys(("bar", "full", "output"), str)
        tips = dict.fromkeys(tips, lambda **words: str(words))
        frames.append((
            heads_bars.contributions(parts, it.steps.heads_on, it.steps.output[bench.token], tips, 500, bench.token)[1],
            heads_bars.movement(it.tokens, it.moved, it.length, [""] * 4, 360)[1],
        ))  # fmt: skip
    assert frames[0] == frames[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sum_says_equal_only_if_the_printed_numbers_add_up(lang):
    text = Text("heads", lang)
    for seed in range(40):
        bench = replace(WIDE, n_heads=4, head_seed=seed, heads_off=(1,))
        it = heads_words.ledger(bench)
        said = heads_words.addition(it, text)
        j = int(np.abs(it.steps.contributions[:, bench.token]).sum(axis=0).argmax())
        parts = it.steps.contributions[[0, 2, 3], bench.token, j].round(2)
        adds_up = abs(parts.sum() - it.steps.output[bench.token, j].round(2)) < 1e-9
        assert ("approx" in said) != adds_up
        assert said.count("cancel") == 1
