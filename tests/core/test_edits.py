"""The smallest edit: it reaches the goal, nothing smaller does, and it says so when there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import Edit, InputError, attention_steps, causal_mask, edits, examples, smallest_edit

CAT = examples.get("cat")
Q, K, V = CAT.Q, CAT.K, CAT.V
SEEDS = st.integers(0, 10**6)


def wins(i, j):
    """Query i attends to key j more than to any other."""
    def goal(steps):
        row = steps.weights[..., i, :]
        return row[..., j] > np.delete(row, j, axis=-1).max(axis=-1, initial=0)

    return goal


def sharp(steps):
    return steps.weights.max(axis=(-1, -2)) >= 0.9


def large(steps):
    return np.abs(steps.output).max(axis=(-1, -2)) >= 3


def applied(inputs, edit):
    changed = {name: np.array(x, dtype=float) for name, x in zip("QKV", inputs, strict=True)}
    assert changed[edit.matrix][edit.row, edit.column] == edit.before
    changed[edit.matrix][edit.row, edit.column] = edit.after
    return tuple(changed.values())


def brute_force(inputs, goal, limit, **options):
    """The least |Δ| of any two-decimal number in any cell, found one attention at a time."""
    least = np.inf
    for which, matrix in enumerate(inputs):
        for at, before in np.ndenumerate(matrix):
            for after in np.arange(round(100 * (before - limit)), round(100 * (before + limit)) + 1) / 100:
                if abs(after - before) < least and after != before:
                    changed = list(inputs)
                    changed[which] = matrix.copy()
                    changed[which][at] = after
                    if goal(attention_steps(*changed, **options)):
                        least = abs(after - before)
    return least


def drawn(seed, decimals):
    rng = np.random.default_rng(seed)
    n_q, n_k, d_k, d_v = rng.integers(1, 4, 4)
    return tuple(np.round(rng.normal(0, 2, size), decimals) for size in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from([1, 2, 5]), st.sampled_from([sharp, large, wins(0, 0), wins(0, -1)]),
       st.sampled_from(["sqrt", "none", 0.3]))
def test_it_reaches_the_goal_with_a_number_that_can_be_typed(seed, decimals, goal, scale):
    inputs = drawn(seed, decimals)
    edit = smallest_edit(*inputs, goal, scale=scale)
    if edit is not None:
        assert goal(attention_steps(*applied(inputs, edit), scale=scale))
        assert edit.after == float(f"{edit.after:.2f}")
        assert 0 < edit.size <= 20.005


@settings(max_examples=12, deadline=None)
@given(SEEDS, st.sampled_from([2, 3]), st.sampled_from([sharp, large, wins(0, -1)]))
def test_no_smaller_one_does(seed, decimals, goal):
    inputs = drawn(seed, decimals)
    edit = smallest_edit(*inputs, goal, limit=1)
    least = brute_force(inputs, goal, 1)
    assert (np.inf if edit is None else edit.size) == pytest.approx(least, abs=1e-9)


def test_the_mask_and_the_scale_are_those_of_the_attention():
    mask = causal_mask(4)
    edit = smallest_edit(Q, K, V, sharp, mask=mask[[1, 1, 2, 3]], scale="none")
    assert sharp(attention_steps(*applied((Q, K, V), edit), mask[[1, 1, 2, 3]], scale="none"))
    assert edit.size == pytest.approx(brute_force((Q, K, V), sharp, 1, mask=mask[[1, 1, 2, 3]], scale="none"))
    assert smallest_edit(Q, K, V, wins(0, 1), mask=mask) is None  # no number brings back what is masked


def test_what_no_single_number_can_do_has_no_edit():
    assert smallest_edit(Q, K, V, lambda steps: steps.weights.max(axis=(-1, -2)) > 1) is None
    assert smallest_edit(Q, K, V, wins(1, 2), among=["V"]) is None  # values have no part in the weights
    assert smallest_edit(Q, K, V, sharp, limit=1) is None  # it takes more than that


@pytest.mark.parametrize("among", ["Q", "K", ("K", "Q")])
def test_only_the_matrices_asked_for_change(among):
    edit = smallest_edit(Q, K, V, wins(1, 2), among=among)
    assert edit.matrix in among
    assert wins(1, 2)(attention_steps(*applied((Q, K, V), edit)))


def test_of_equals_the_first_is_taken_and_upwards_comes_first():
    assert smallest_edit(Q, K, V, lambda steps: True) == Edit("Q", 0, 0, 2.5, 2.51)
    assert smallest_edit(Q, K, V, lambda steps: True, among=("V", "K")) == Edit("V", 0, 0, 2.0, 2.01)


def test_a_number_of_more_decimals_may_become_the_nearest_one_of_two():
    edit = smallest_edit([[1 / 3]], [[1.0]], [[1.0]], lambda steps: True, among=("Q",))
    assert (edit.before, edit.after) == (1 / 3, 0.33)


def test_the_articles_query_comes_to_prefer_the_mouse():
    edit = smallest_edit(Q, K, V, wins(1, 2))
    assert edit == Edit("K", 0, 0, 1.5, 1.37)


def test_however_many_numbers_are_tried_few_are_computed_at_once():
    rng = np.random.default_rng(0)
    together = []

    def goal(steps):
        together.append(len(steps.output))
        return np.zeros(len(steps.output), dtype=bool)

    n, d = 12, 16
    assert smallest_edit(*np.round(rng.normal(size=(3, n, d)), 2), goal, among=("Q", "V"), limit=1) is None
    assert max(together) == edits.AT_ONCE
    assert sum(together) == 2 * n * d * 200  # and each exactly once


@pytest.mark.parametrize(("ring", "at_once"), [(1, 1000), (32, 5), (7, 3)])
def test_what_is_found_does_not_depend_on_how_many_are_tried_together(ring, at_once, monkeypatch):
    found = [smallest_edit(*drawn(seed, 2), sharp, limit=1) for seed in range(12)]
    assert len({edit is None for edit in found}) == 2
    monkeypatch.setattr(edits, "RING", ring)
    monkeypatch.setattr(edits, "AT_ONCE", at_once)
    assert [smallest_edit(*drawn(seed, 2), sharp, limit=1) for seed in range(12)] == found


def test_a_goal_that_only_holds_among_many_is_not_reached():
    assert smallest_edit(Q, K, V, lambda steps: np.full(steps.weights.shape[:-2], steps.weights.ndim > 2),
                         among=("Q",), limit=1) is None  # fmt: skip


def test_arguments_stay_as_they_are():
    copies = Q.copy(), K.copy(), V.copy()
    smallest_edit(Q, K, V, wins(1, 2))
    for x, copy in zip((Q, K, V), copies, strict=True):
        np.testing.assert_array_equal(x, copy)


REFUSALS = {
    "no matrices": ({"among": ()}, "among", "at least one", "none"),
    "another matrix": ({"among": ("Q", "W")}, "among", "'K'", "'W'"),
    "no limit": ({"limit": 0}, "limit", "at least 1", "0"),
    "a broken limit": ({"limit": 1.5}, "limit", "whole number", "1.5"),
    "a mask of numbers": ({"mask": np.ones((4, 4))}, "mask", "booleans", "float64"),
    "a scale": ({"scale": "cube"}, "scale", "'sqrt'", "cube"),
    "leading axes": ({"Q": np.ones((1, 4, 4))}, "Q", "without leading axes", "(1, 4, 4)"),
    "leading axes of V": ({"V": np.ones((2, 4, 4))}, "V", "without leading axes", "(2, 4, 4)"),
    "sizes": ({"K": np.ones((4, 3))}, "K", "columns as Q: 4", "3"),
    "no answer": ({"goal": lambda steps: steps.weights}, "goal", "one a candidate", "float64"),
    "an answer a row": ({"goal": lambda steps: steps.weights[..., 0] > 0}, "goal", "one a candidate", "4)"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "argument", "expected", "got"), REFUSALS.values(), ids=REFUSALS)
def test_what_it_refuses(change, argument, expected, got):
    with pytest.raises(InputError) as refusal:
        smallest_edit(**({"Q": Q, "K": K, "V": V, "goal": sharp} | change))
    assert refusal.value.argument == argument
    assert expected in refusal.value.expected
    assert got in str(refusal.value.got)
