"""Changes of the workbench: each returns a new one, and only what was changed changes."""

from dataclasses import replace

import numpy as np
import pytest

import attention
from ui import workbench as w


def test_presets_are_the_examples_to_the_digit():
    for name in w.PRESETS:
        bench, example = w.preset(name), attention.examples.get(name)
        for each in w.SHAPES:
            np.testing.assert_array_equal(bench.array(each), getattr(example, each), err_msg=f"{name}.{each}")
        assert (bench.tokens, bench.token) == (example.tokens, example.asks)
        assert bench.scale == example.scale


def test_both_ways_in_give_the_same_numbers_for_the_article():
    bench = w.preset("cat")
    for direct, derived in zip(bench.qkv(), replace(bench, route="input").qkv(), strict=True):
        np.testing.assert_allclose(direct, derived, atol=1e-12)
    assert [f"{x:.2f}" for x in bench.steps().weights[1]] == ["0.45", "0.10", "0.40", "0.05"]


def test_a_typed_cell_changes_that_cell_alone():
    old = w.preset("cat")
    new = w.with_cells(old, "K", {(2, 1): "1/3"})
    assert new.array("K")[2, 1] == 1 / 3
    assert np.sum(new.array("K") != old.array("K")) == 1
    assert {name for name in w.SHAPES if new.matrices[name] != old.matrices[name]} == {"K"}


def test_new_cells_are_zero_and_change_no_score():
    old = w.preset("cat")
    wider = w.resized(old, d_k=7, d_v=5, d_model=6)
    assert wider.sizes == {"n": 4, "d_k": 7, "d_v": 5, "d_model": 6}
    np.testing.assert_array_equal(wider.steps().scores, old.steps().scores)
    for direct, derived in zip(wider.qkv(), replace(wider, route="input").qkv(), strict=True):
        np.testing.assert_allclose(direct, derived, atol=1e-12)
    assert w.resized(wider, d_k=4, d_v=4, d_model=4) == old


def test_tokens_keep_their_rows_and_their_mask():
    old = w.with_allowed(w.preset("cat"), {(1, 2): False})
    new = w.with_tokens(old, ("大", "猫", "追", "老鼠", "的"))
    np.testing.assert_array_equal(new.array("Q")[1:], old.array("Q"))
    np.testing.assert_array_equal(new.array("X")[0], 0)
    expected = np.ones((5, 5), bool)
    expected[2, 3] = False
    np.testing.assert_array_equal(new.mask_array(), expected)


def test_masks():
    bench = w.preset("cat")
    assert bench.mask_array() is None
    np.testing.assert_array_equal(replace(bench, mask="causal").mask_array(), np.tri(4, dtype=bool))
    np.testing.assert_array_equal(replace(bench, mask="own").mask_array(), np.ones((4, 4), bool))


def test_arrays_are_shared_and_so_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        w.preset("cat").array("Q")[0, 0] = 9


def test_widening_x_forgets_a_typed_head_that_no_longer_fits():
    bench = w.preset("cat")
    typed = replace(
        bench, n_heads=2, typed_head=1, heads_off=(1,),
        matrices={**bench.matrices, **dict.fromkeys(w.HEAD[:3], (("1", "2"),) * 4), "H_O": (("1",) * 4,) * 2},
    )  # fmt: skip
    wider = w.resized(typed, d_model=5)
    assert wider.typed_head == -1
    assert wider.n_heads == 1
    assert wider.heads_off == ()
    assert not set(w.HEAD) & set(wider.matrices)
