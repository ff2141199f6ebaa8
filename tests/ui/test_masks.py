"""The reader's mask and its parts: the mask is their conjunction, and no switch says what the cells deny."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui import changes, link, masks, masks_lab, masks_ways, predict, ripple, views
from ui import workbench as w
from ui.names import in_sentences
from ui.text import LANGUAGES, Text

CAT = w.preset("cat")
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("mask_causal"), st.booleans()),
        st.tuples(st.sampled_from(["mask_length", "mask_window"]), st.integers(0, 5)),
        st.tuples(st.just("cell"), st.tuples(st.integers(0, 4), st.integers(0, 4))),
        st.tuples(st.just("mask"), st.sampled_from(w.MASKS)),
    ), max_size=8,
)  # fmt: skip


def test_every_guess_and_experiment_travels_in_the_link():
    for name, options in masks_lab.GUESSES.items():
        assert all(views.VIEWS[f"masks.guess_{name}"].fits(option) for option in (*options, predict.SKIP))
    assert all(views.VIEWS["masks.lab"].fits(lab) for lab in masks_lab.LABS)
    assert all(views.VIEWS["masks.fill"].fits(fill) for fill in masks_ways.FILLS)


def allows(name, value, i, j):
    """One cell of a part, from its definition."""
    return {"mask_causal": j <= i, "mask_length": j < value, "mask_window": abs(i - j) < value}[name]


@given(EDITS)
@settings(max_examples=60, deadline=None)
def test_a_click_turns_its_cell_and_no_other_and_switches_never_lie(edits):
    bench = w.with_tokens(CAT, tuple("abcde"))
    for what, value in edits:
        before = masks.allowed(bench)
        if what == "cell":
            bench = w.with_allowed(bench, {value: not before[value]})
            expected = before.copy()
            expected[value] = not expected[value]
            np.testing.assert_array_equal(masks.allowed(bench), expected)
        elif what == "mask":
            bench = w.with_mask(bench, value)
        else:
            bench = masks.with_part(bench, what, value)
            assert getattr(masks.own(bench), what) == value
        shown = masks.own(bench)
        np.testing.assert_array_equal(masks.allowed(shown), masks.allowed(bench))
        on = {name: getattr(shown, name) for name in changes.PARTS if getattr(shown, name)}
        hand = w.hand(shown)
        for (i, j), may in np.ndenumerate(masks.allowed(bench)):
            assert may == (hand[i, j] and all(allows(name, size, i, j) for name, size in on.items()))
        assert link.decode(link.encode(bench)) == bench


def test_switching_a_part_off_brings_back_what_it_hid_and_keeps_the_drawing():
    drawn = w.with_allowed(CAT, {(3, 0): False})
    causal = masks.with_part(drawn, "mask_causal", True)
    assert masks.allowed(causal).sum() == 9
    assert masks.with_part(causal, "mask_causal", False) == drawn
    assert masks.unmasked(causal) == CAT


def test_the_plainest_name_of_a_mask():
    assert masks.with_part(CAT, "mask_causal", True) == replace(CAT, mask="causal")
    assert masks.with_part(replace(CAT, mask="causal"), "mask_causal", False) == CAT
    both = masks.with_part(replace(CAT, mask="causal"), "mask_window", 2)
    assert (both.mask, both.mask_causal, both.mask_window, both.allowed) == ("own", True, 2, ())


def test_tokens_come_and_go_under_the_parts():
    bench = masks.with_part(masks.with_part(CAT, "mask_length", 4), "mask_window", 4)
    longer = w.with_tokens(bench, (*CAT.tokens, "new"))
    assert not masks.allowed(longer)[:, 4].any()  # a token behind the real ones is padding
    shorter = w.with_tokens(bench, CAT.tokens[:2])
    assert (shorter.mask_length, shorter.mask_window) == (2, 2)
    assert link.decode(link.encode(shorter)) == shorter


@pytest.mark.parametrize("bad", [
    {"mask_length": 5}, {"mask_window": -1}, {"mask_length": True}, {"mask_causal": 1}, {"mask_window": "2"},
])  # fmt: skip
def test_a_link_with_an_impossible_part_is_refused(bad):
    with pytest.raises(link.BadLink):
        link.decode(link.encode(replace(CAT, mask="own", **bad)))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_history_and_story_name_the_part_that_changed(lang):
    text, names = Text("ripple", lang), in_sentences(CAT.tokens, Text("edit", lang))
    old = masks.with_part(masks.with_part(CAT, "mask_causal", True), "mask_length", 4)
    new = masks.with_part(old, "mask_length", 3)
    found = changes.between(old, new)
    assert [(each.what, each.name, each.old, each.new) for each in found] == [("mask_part", "mask_length", "4", "3")]
    part = Text("masks", lang)("part_mask_length")
    assert part in changes.described(found, names, text)
    assert part in ripple.story(old, new, text, names)
    off = changes.described(changes.between(old, masks.with_part(old, "mask_causal", False)), names, text)
    assert Text("masks", lang)("off") in off


def test_the_example_of_1_2_5_has_those_scores():
    bench = masks.one_two_five(w.preset("lookup"))
    np.testing.assert_array_equal(bench.steps().scaled, [[1, 2, 5]] * 3)
    np.testing.assert_array_equal(masks.allowed(bench), [[True, True, False]] * 3)
    assert link.decode(link.encode(bench)) == bench
