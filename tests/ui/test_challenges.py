"""Challenges: unsolved at the start, any way there counts, near-misses are told apart, the smallest edit is one."""

import re
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import attention
from ui import challenges as c
from ui import challenges_goals as goals
from ui import challenges_words as words
from ui import display, link
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue, fill

CAT = w.preset("cat")
ROWS = CAT.tokens


def start(id):
    return c.begun(CAT, id)


def edited(id, **cells):
    """A challenge's start with cells typed in: Q={(0, 1): "2"}."""
    bench = start(id)
    for name, typed in cells.items():
        bench = w.with_cells(bench, name, typed)
    return bench


def everywhere(id, name, change):
    """A challenge's start with one matrix put through a function."""
    changed = change(start(id).array(name).copy())
    return replace(start(id), matrices={**start(id).matrices, name: w.from_floats(changed, 4)})


def judged(bench):
    verdict = c.judge(bench, ROWS)
    return verdict.solved, [id for id, _ in verdict.says]


def swapped(x, i, j):
    x[[i, j]] = x[[j, i]]
    return x


def only_first(x):
    x[1:] = x[0]
    return x


SOLUTIONS = {
    "most": [
        edited("most", Q={(1, 0): "1"}),
        edited("most", Q={(1, 2): "2.1"}),
        edited("most", K={(0, 0): "0"}),
        edited("most", K={(2, 1): "9"}),
        edited("most", K={(2, 0): "1.13"}),
        w.with_cells(edited("most", K={(0, 0): "-1"}), "V", {(0, 0): "4/2"}),  # which is the 2 that was there
    ],
    "uniform": [
        edited("uniform", Q={(3, 3): "0"}),
        edited("uniform", Q={(0, 0): "0", (0, 1): "0"}),
        everywhere("uniform", "Q", np.zeros_like),
        everywhere("uniform", "K", only_first),  # all keys alike
        edited("uniform", K={(3, 3): "0.03"}),  # even to two decimals
    ],
    "one_hot": [
        edited("one_hot", Q={(3, 3): "9"}),
        edited("one_hot", K={(2, 2): "7"}),
        everywhere("one_hot", "K", lambda x: 20 * x),
        everywhere("one_hot", "Q", lambda x: -9 * x),
    ],
    "only_output": [
        edited("only_output", V={(1, 1): "3"}),
        everywhere("only_output", "V", np.zeros_like),
        w.with_cells(everywhere("only_output", "K", lambda x: x + 1), "V", {(0, 3): "-1"}),  # keys shifted alike
    ],
    "only_keys": [
        edited("only_keys", K={(0, 3): "5"}),
        edited("only_keys", K={(3, 3): "1.99"}),
        everywhere("only_keys", "K", lambda x: x + np.array([0.5, -2, 3, 0])),  # softmax sees only differences
        everywhere("only_keys", "K", lambda x: x + 100),
        edited("only_keys", K={(i, 1): t for i, t in enumerate(("3", "4.5", "3", "3"))}),
        edited("only_keys", K={(0, 3): "5"}, V={(0, 0): "7"}),  # V has no part in the weights
    ],
    "idle_weights": [
        edited("idle_weights", Q={(1, 0): "0"}),
        edited("idle_weights", Q={(1, 1): "-4", (1, 0): "9"}),
        edited("idle_weights", K={(0, 0): "0.5"}),  # the rows of 老鼠 and 的 do not ask in column 1
    ],
}  # fmt: skip

NEAR = {
    "most": [
        (edited("most", K={(2, 0): "1.12"}), ["most_no"]),
        (edited("most", K={(2, 0): "1.125"}), ["most_tie"]),
        (edited("most", K={(2, 0): "2", (0, 0): "1"}), ["most_yes", "too_many"]),
        (edited("most", V={(2, 0): "2"}), ["most_no"]),
    ],
    "uniform": [
        (edited("uniform", Q={(3, 3): "0.02"}), ["uniform_no"]),
        (edited("uniform", Q={(3, 3): "-0.5"}), ["uniform_no"]),
    ],
    "one_hot": [(edited("one_hot", K={(0, 0): "5.43"}), ["one_hot_no"])],
    "only_output": [
        (edited("only_output", V={(0, 0): "2.01"}), ["output_little"]),
        (edited("only_output", Q={(0, 0): "2"}), ["weight_moved"]),
        (edited("only_output", V={(0, 0): "9"}, K={(0, 0): "1.6"}), ["weight_moved"]),
        (everywhere("only_output", "K", lambda x: x + 2), ["nothing_moved"]),
    ],
    "only_keys": [
        (edited("only_keys", K={(0, 0): "1.51"}), ["weight_moved"]),
        (edited("only_keys", K={(0, 3): "5"}, Q={(0, 0): "2"}), ["weight_moved", "queries_touched"]),
        (w.with_cells(everywhere("only_keys", "K", lambda x: 2 * x), "Q", dict(np.ndenumerate(np.array(
            w.from_floats(start("only_keys").array("Q") / 2, 4))))), ["keys_yes", "queries_touched"]),
        (edited("only_keys", V={(0, 0): "5"}), ["weights_same", "keys_untouched"]),
        (edited("only_keys", K={(0, 3): "0.001"}), ["keys_yes", "keys_little"]),
    ],
    "idle_weights": [
        (edited("idle_weights", Q={(1, 0): "1.9"}), ["weights_little"]),
        (edited("idle_weights", Q={(2, 0): "5"}), ["output_moved"]),
        (edited("idle_weights", V={(0, 0): "2.01"}), ["output_moved"]),
        (edited("idle_weights", K={(2, 1): "1"}), ["output_moved"]),
    ],
}  # fmt: skip


def cases(table):
    return [pytest.param(id, each, id=f"{id}-{k}") for id, all_ in table.items() for k, each in enumerate(all_)]


def test_every_challenge_is_there_once():
    assert tuple(c.REGISTRY) == w.CHALLENGES == tuple(SOLUTIONS) == tuple(NEAR)


@pytest.mark.parametrize("id", w.CHALLENGES)
def test_nothing_is_solved_at_the_start(id):
    assert not c.judge(start(id), ROWS).solved
    assert c.misfit(start(id)) is None
    assert c.changed(start(id)) == ()


@pytest.mark.parametrize(("id", "bench"), cases(SOLUTIONS))
def test_any_way_there_counts(id, bench):
    assert c.misfit(bench) is None
    assert c.judge(bench, ROWS).solved, c.judge(bench, ROWS)


@pytest.mark.parametrize(("id", "case"), cases(NEAR))
def test_a_near_miss_is_told_apart(id, case):
    bench, sentences = case
    assert judged(bench) == (False, sentences)


#: The sentences that say that the goal is reached; any other first sentence says that it is not.
REACHED = {"most_yes", "uniform_yes", "one_hot_yes", "output_yes", "keys_yes", "weights_same", "idle_yes"}
#: sentence → what its numbers, as they are printed, have to be like for it to be true
TRUE_OF = {
    "most_yes": lambda weight, other_weight: weight > other_weight,
    "most_no": lambda weight, other_weight: weight < other_weight,
    "uniform_no": lambda low, high, gap, least: low < high and high - low == gap >= least,
    "uniform_no_about": lambda low, high, gap, least: low < high and gap >= least,
    "one_hot_yes": lambda weight, least: weight >= least,
    "one_hot_no": lambda weight, least: weight < least,
    "output_little": lambda most, least: 0 < most < least,
    "weights_little": lambda most, least: 0 < most < least,
    "weight_moved": lambda old, new: old != new,
    "output_moved": lambda old, new: old != new,
    "output_yes": lambda old, new: abs(new - old) >= Decimal(str(goals.LEAST_OUTPUT)),
    "idle_yes": lambda old, new: abs(new - old) >= Decimal(str(goals.LEAST_WEIGHT)),
    "keys_yes": lambda old, new: old != new,
}
CELLS = st.tuples(st.sampled_from(w.DIRECT), st.integers(0, 3), st.integers(0, 3))
NUMBERS = st.one_of(
    st.integers(-300, 300).map(lambda hundredths: f"{hundredths / 100:g}"),
    st.sampled_from(["0", "-0", "0.001", "2.4999999999", "1/3", "9", "1000", "-1000"]),
)


def printed(values):
    texts = {name: str(text) for name, text in values.items() if name not in {"row", "key", "query", "other", "column"}}
    return {name: display.printed(text) for name, text in texts.items()}


@pytest.mark.parametrize("id", w.CHALLENGES)
@settings(max_examples=150, deadline=None)
@given(st.dictionaries(CELLS, NUMBERS, max_size=3), st.sampled_from([-0.01, 0, 0.01]))
@example({}, 0)
@example({("Q", 1, 0): "1e-9"}, 0)
def test_goal_and_sentence_never_disagree_and_no_number_belies_them(id, cells, beside):
    """Of the smallest edit, or a number right beside it, and some random ones on top."""
    edit = c.smallest(id)
    bench = w.with_cells(start(id), edit.matrix, {(edit.row, edit.column): f"{edit.after + beside:.2f}"})
    for (name, i, j), text in cells.items():
        bench = w.with_cells(bench, name, {(i, j): text})
    reached = bool(c.REGISTRY[id].goal(bench.steps(), start(id).steps()))
    verdict = c.judge(bench, ROWS)
    (say, values), *against = verdict.says
    assert (say in REACHED) == reached
    assert verdict.solved == (reached and not against)
    assert TRUE_OF.get(say, lambda **_: True)(**printed(values)), (say, values)


@pytest.mark.parametrize("id", w.CHALLENGES)
def test_the_smallest_edit_solves_it_and_no_nearer_number_does(id):
    edit = c.smallest(id)
    solved = c.with_smallest(CAT, id)
    assert c.changed(solved) == ((edit.matrix, edit.row, edit.column),)
    assert solved.array(edit.matrix)[edit.row, edit.column] == edit.after
    assert c.judge(solved, ROWS).solved
    nearer = edit.after - np.sign(edit.after - edit.before) / 100
    if abs(nearer - edit.before) > 0.005:
        there = w.with_cells(solved, edit.matrix, {(edit.row, edit.column): f"{nearer:.2f}"})
        assert not c.judge(there, ROWS).solved


@pytest.mark.parametrize("id", w.CHALLENGES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_whatever_can_be_said_has_a_sentence_with_those_numbers(id, lang):
    sentences = catalogue("challenges", lang)
    for bench in [start(id), *SOLUTIONS[id], *(bench for bench, _ in NEAR[id])]:
        for say, values in c.judge(bench, ROWS).says:
            said = fill(sentences[say], values)
            assert "<<" not in said
            both = Text("challenges", lang).sentences([sentences["solved"], said])
            for bold, after in re.findall(r"\*\*(.+?)\*\*(.?)", both):
                assert bold[-1].isalnum() or not after.isalnum()  # else Markdown shows the asterisks
            assert not any("≈0" in str(value) for value in values.values())


@pytest.mark.parametrize(("id", "bench"), cases(SOLUTIONS))
def test_an_attempt_travels_in_a_link(id, bench):
    opened = link.decode(link.encode(bench))
    assert opened == bench
    assert opened.challenge == id
    assert c.judge(opened, ROWS) == c.judge(bench, ROWS)


@pytest.mark.parametrize("challenge", ["nothing", 3, ["most"], None])
def test_a_link_to_a_challenge_that_does_not_exist_is_refused(challenge):
    with pytest.raises(link.BadLink):
        link.decode(link.encode(replace(CAT, challenge=challenge)))


@pytest.mark.parametrize(("change", "reason"), [
    (lambda bench: replace(bench, route="input"), "route"),
    (lambda bench: replace(bench, scale="none"), "scale"),
    (lambda bench: replace(bench, mask="own"), "mask"),
    (lambda bench: w.with_tokens(bench, bench.tokens[:2]), "tokens"),
    (lambda bench: w.with_tokens(bench, ("a", *bench.tokens[1:])), "tokens"),
    (lambda bench: w.resized(bench, d_k=1), "sizes"),
    (lambda bench: w.resized(bench, d_v=9), "sizes"),
])  # fmt: skip
@pytest.mark.parametrize("id", w.CHALLENGES)
def test_what_does_not_fit_any_more_is_named(change, reason, id):
    assert c.misfit(change(start(id))) == reason
    assert c.misfit(w.resized(start(id), d_model=7)) is None  # X has no part in it


def test_another_preset_leaves_the_challenge_and_reset_returns_to_its_start():
    bench = edited("uniform", Q={(0, 0): "7"})
    assert w.opened(bench, "twins").challenge == ""
    assert c.prepared(bench) == start("uniform")
    assert c.prepared(w.with_cells(CAT, "Q", {(0, 0): "7"})) == CAT


def test_beginning_keeps_settings_that_are_no_numbers():
    bench = replace(CAT, route="input", variance_seed=7, scale="none", mask="causal")
    assert c.begun(bench, "most") == replace(start("most"), variance_seed=7)


def test_the_starts_are_what_the_hints_say():
    """Hints name columns and rows; these are the facts they rest on."""
    Q, K = CAT.array("Q"), CAT.array("K")
    assert set(np.flatnonzero(K[0] != K[2])) == {0, 2}
    assert Q[1].argmax() == 0
    assert Q[1, 0] > 0
    assert np.count_nonzero(start("uniform").array("Q")[3]) == 1
    for i in range(4):  # a row of zeros is even, whichever it is
        assert judged(edited("uniform", Q={(i, j): "0" for j in range(4)})) == (True, ["uniform_yes"])
    assert not start("only_keys").array("Q")[:, 3].any()
    V = start("idle_weights").array("V")
    np.testing.assert_array_equal(V[0], V[1])
    np.testing.assert_array_equal(start("idle_weights").mask_array(), attention.causal_mask(4))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_goals_state_the_bounds_that_are_checked(lang):
    bounds = {"uniform": goals.EVEN, "one_hot": goals.SHARP, "only_output": goals.LEAST_OUTPUT,
              "idle_weights": goals.LEAST_WEIGHT}  # fmt: skip
    for id, bound in bounds.items():
        assert f"{bound:g}" in catalogue("challenges", lang)[f"goal_{id}"]


def test_a_smallest_edit_that_is_not_the_only_one_is_known():
    assert [id for id in w.CHALLENGES if not c.has_equals(id)] == ["uniform", "one_hot"]
    assert c.smallest("most").after == 1.37  # 0.13 down, and another key's number 0.13 up does it too
    assert judged(edited("most", K={(2, 0): "1.13"})) == (True, ["most_yes"])


def test_the_smallest_edit_is_known_however_it_is_spelt():
    assert c.is_smallest(edited("most", K={(0, 0): "137/100"}))
    assert not c.is_smallest(edited("most", K={(0, 0): "1.36"}))
    assert not c.is_smallest(start("most"))


@given(st.floats(0.001, 0.5), st.floats(0.002, 0.499))
@example(0.17446, 0.30395)
def test_a_gap_is_what_one_gets_by_subtracting(low, gap):
    texts = words.subtracted(low, low + gap, goals.EVEN)
    assume(texts is not None)
    small, large, between = map(display.printed, texts)
    assert large - small == between
    assert (float(between) >= goals.EVEN) == (low + gap - low >= goals.EVEN)


@pytest.mark.parametrize(("lang", "about"), [("en", "from 0.33 to 0.67. The gap of about 0.33"),
                                             ("zh", "从 0.33 到 0.67，相差约 0.33")])  # fmt: skip
def test_a_gap_that_no_decimals_give_is_about_that(lang, about):
    bench = start("uniform")
    attempt = c.Attempt(bench, bench, *2 * [replace(bench.steps(), weights=np.array([[1 / 3, 2 / 3]]))], (), ROWS)
    say, values = words.uniform(attempt, False)
    assert about in Text("challenges", lang)(say, **values)


def test_a_key_that_changed_too_little_is_not_shown_to_have_changed_enough():
    (_, values), (against, _) = c.judge(edited("only_keys", K={(3, 3): "1.991"}), ROWS).says
    assert against == "keys_little"
    assert display.printed(values["old"]) - display.printed(values["new"]) < Decimal(str(goals.LEAST_KEY))


def test_a_number_is_never_shown_on_the_wrong_side():
    sharp = edited("one_hot", K={(0, 0): "5.43"})
    weight = sharp.steps().weights.max()
    ((_, values),) = c.judge(sharp, ROWS).says
    assert weight < 0.99
    assert 0.98 < float(values["weight"]) < 0.99
