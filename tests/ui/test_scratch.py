"""The evidence for diagnosing broken variants, and scripts that check themselves."""

import math
from dataclasses import replace

import numpy as np
import pytest

import attention
from attention import by_line, variants
from tests.pages.test_every_page import AWKWARD
from ui import scratch, scratch_cases, scratch_scripts, scratch_words, views
from ui import scratch_evidence as evidence
from ui import workbench as w
from ui.scratch_evidence import NAMES, RIGHT
from ui.text import LANGUAGES, Text

CAT = w.preset("cat")
EN = Text("scratch", "en")
STATES = {**AWKWARD, **{name: w.preset(name) for name in w.PRESETS}}
ODD = w.random(tuple("abcde"), 3, 2, seed=4)  # n, d_k and d_v all different
SIZES = {
    "causal": replace(ODD, mask="causal"),
    "none, unscaled": replace(ODD, scale="none"),
    "linear": replace(ODD, scale="linear", mask="causal"),
    "one empty row": w.with_allowed(ODD, {(1, j): False for j in range(5)}),
    "from X": replace(ODD, route="input"),
    "huge": AWKWARD["huge"],
    "thirds": w.with_cells(CAT, "Q", {(0, 0): "1/3"}),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("variant", NAMES)
def test_a_variant_can_be_told_from_the_right_code_and_from_every_other(state, variant):
    it = evidence.evidence(STATES[state], variant)
    for name in (RIGHT, *NAMES):
        harmless = name == "unstable" and variant != "unstable"  # it looks right until exp overflows
        if name != variant and not harmless:
            assert evidence.differs(it.seen[variant], it.seen[name]) is not None, name


@pytest.mark.parametrize("state", STATES)
def test_the_right_one_is_what_the_core_says(state):
    for variant in NAMES:
        it = evidence.evidence(STATES[state], variant)
        Q, K, V = it.bench.qkv()
        steps = attention.attention_steps(Q * it.times, K, V, it.mask, empty_rows="nan")
        np.testing.assert_allclose(it.right.weights, steps.weights, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(it.right.output, steps.output, rtol=1e-9, atol=1e-9)
        assert it.own == (it.bench.matrices == STATES[state].matrices and it.bench.tokens == STATES[state].tokens)


def test_the_readers_own_numbers_are_used_wherever_they_tell():
    own = evidence.evidence(CAT, "late_mask")
    assert (own.own, own.own_mask, own.times) == (True, False, 1.0)
    causal = evidence.evidence(replace(CAT, mask="causal"), "late_mask")
    assert (causal.own, causal.own_mask) == (True, True)
    large = evidence.evidence(CAT, "unstable")
    assert large.times == 1000
    assert large.largest >= evidence.LARGE
    enough = evidence.evidence(w.with_cells(CAT, "Q", {(0, 0): "1e5"}), "unstable")
    assert (enough.own, enough.times) == (True, 1.0)


def test_where_they_hide_a_mistake_it_is_said_which():
    it = evidence.evidence(w.preset("uniform"), "unscaled")
    assert not it.own
    assert len(it.because) == 2
    assert all(each in (RIGHT, *NAMES) for each in it.because)
    own = evidence._made(replace(w.preset("uniform"), mask="causal"), large=False, own=True, own_mask=False)
    assert evidence.differs(*(own.seen[each] for each in it.because)) is None


def test_K_T_is_refused_or_silent_as_the_sizes_are():
    assert evidence.evidence(CAT, "transposed").seen["transposed"].error == ""
    it = evidence.evidence(ODD, "transposed")
    assert it.seen["transposed"].error.startswith("ValueError: matmul")
    silent = evidence.evidence(w.resized(ODD, d_k=5), "transposed")
    assert silent.seen["transposed"].error == ""
    assert silent.seen["transposed"].alone == 0


CLAIMS = {
    "wrong_axis": lambda it, seen: np.allclose(seen.weights.sum(axis=0), 1),
    "inverted_mask": lambda it, seen: not np.nan_to_num(seen.weights[it.mask]).any(),
    "late_mask": lambda it, seen: (seen.weights.sum(axis=1)[(~it.mask).any(axis=1)] < 1).all(),
    "unscaled": lambda it, seen: _sharper(seen.weights, it.right.weights),
    "overscaled": lambda it, seen: _sharper(it.right.weights, seen.weights),
    "transposed": lambda it, seen: seen.alone == 0,
    "unstable": lambda it, seen: np.allclose(seen.weights, it.right.weights),
}


def _sharper(one, other):
    return (one.max(axis=1) >= other.max(axis=1) - 1e-12).all()


@pytest.mark.parametrize("variant", NAMES)
def test_what_is_said_of_each_mistake_holds(variant):
    for bench in (CAT, w.preset("random", 3), replace(ODD, mask="causal")):
        it = evidence.evidence(bench, "late_mask")
        assert CLAIMS[variant](it, it.seen[variant]) or it.seen[variant].error


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("variant", NAMES)
def test_feedback_names_the_cell_where_a_wrong_answer_differs_most(variant, lang):
    text = Text("scratch", lang)
    for answer in set(NAMES) - {variant}:
        it = evidence.evidence(CAT, variant)
        said = scratch_cases.not_that(it, variant, answer, "A", text)
        assert text(f"bug_{answer}") in said
        assert text(f"does_{answer}") in said
        gap = np.nan_to_num(np.abs(it.seen[answer].weights - it.seen[variant].weights), nan=np.inf)
        gap[np.isnan(it.seen[answer].weights) & np.isnan(it.seen[variant].weights)] = 0
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        for seen in (it.seen[answer], it.seen[variant]):
            number = "NaN" if math.isnan(seen.weights[i, j]) else scratch_cases.display.short(seen.weights[i, j])
            assert f"**{number}**" in said
        assert f"{CAT.tokens[i]}" in said


def test_the_order_follows_the_seed_alone():
    orders = {evidence.order(seed) for seed in range(40)}
    assert len(orders) > 30
    assert {tuple(sorted(each)) for each in orders} == {tuple(sorted(NAMES))}
    assert {order[0] for order in orders} == set(NAMES)
    assert evidence.order(0) != NAMES


def test_a_diff_is_made_of_the_real_sources():
    for name in NAMES:
        lines = evidence.diff(name).splitlines()
        removed, added = ([line[1:] for line in lines if line[:1] == sign] for sign in "-+")
        assert removed
        wrong = [*by_line.listing(variants.VARIANTS[name]).values()]
        wrong += by_line.listing(variants.softmax_without_max).values() if name == "unstable" else []
        right = [*by_line.listing(attention.attention).values(), *by_line.listing(attention.softmax).values()]
        assert set(added) <= set(wrong)
        assert set(removed) <= set(right)
        assert not set(removed) & set(wrong) or name in ("late_mask", "unstable")


def test_views_know_the_variants():
    for name in ("scratch.solved", "scratch.shown"):
        assert views.VIEWS[name].fits(NAMES)
    assert views.VIEWS["scratch.function"].fits(scratch.FUNCTIONS[1])


def test_every_line_of_the_running_functions_has_its_sentence():
    for function in scratch.FUNCTIONS:
        for ran in scratch.run(replace(CAT, mask="causal"), function).ran:
            assert ran.source in scratch_words.SAYS


@pytest.mark.parametrize("state", STATES | SIZES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sentence_can_be_said_of_every_line(state, lang):
    bench, text = (STATES | SIZES)[state], Text("scratch", lang)
    for function in scratch.FUNCTIONS:
        it = scratch.run(bench, function)
        for at in range(len(it.ran)):
            assert scratch_words.line(it, at, bench, text)
            assert scratch.heats(it, at, bench, text, {})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_row_without_keys_is_not_said_to_add_up_to_1(lang):
    text = Text("scratch", lang)
    for state, token, both in (("all masked", 1, False), ("one empty row", 1, False), ("one empty row", 0, True)):
        bench = replace((STATES | SIZES)[state], token=token)
        it = scratch.run(bench, "attention")
        said = scratch_words.line(it, len(it.ran) - 2, bench, text)
        empty = [t for t, row in zip(bench.tokens, bench.mask_array(), strict=True) if not row.any()]
        assert text("say_empty", empty=text.list(empty)) in said
        assert said.startswith("③") == both


@pytest.mark.parametrize("state", SIZES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_numpy_script_runs_and_checks_itself(state, lang, capsys):
    script = scratch_scripts.numpy_script(SIZES[state], Text("scratch", lang))
    names = {}
    exec(compile(script, "script.py", "exec"), names)
    np.testing.assert_allclose(
        names["output"], attention.attention(*SIZES[state].qkv(), SIZES[state].mask_array()), rtol=1e-12
    )
    assert capsys.readouterr().out
    with pytest.raises(AssertionError):
        exec(script.replace("softmax(scores, axis=-1)", "softmax(scores, axis=-1) + 0.01"), {})


def test_nothing_a_reader_typed_as_text_gets_into_a_script():
    bench = w.with_tokens(CAT, ('"""', "import", "'", "#"))
    for make in (scratch_scripts.numpy_script, scratch_scripts.torch_script):
        assert make(bench, EN) == make(w.with_tokens(bench, tuple("abcd")), EN)


@pytest.mark.torch
@pytest.mark.parametrize("state", SIZES)
def test_pytorch_gives_what_is_on_screen(state):
    import torch  # noqa: F401  # missing PyTorch is a failure here, not a skip

    it = scratch_scripts.checked(SIZES[state], EN)
    assert it.error == ""
    assert it.difference <= scratch_scripts.tolerance(SIZES[state])
    wrong = scratch_scripts.torch_script(SIZES[state], EN).replace("scale=", "scale=1.1 * ")
    if state != "huge":  # there, scores of 1e12 leave nothing to the weights but 0 and 1
        assert scratch_scripts.tolerance(SIZES[state]) == 1e-9
        assert "AssertionError" in scratch_scripts._run(wrong, "").error


def test_without_pytorch_there_is_the_script_alone(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert scratch_scripts.checked(CAT, EN) is None
    compile(scratch_scripts.torch_script(CAT, EN), "script.py", "exec")


def test_a_script_that_fails_is_reported(monkeypatch):
    it = scratch_scripts._run("difference = 0.5\nassert difference <= 1e-9", "2.0")
    assert (it.version, it.difference) == ("2.0", 0.5)
    assert it.error.startswith("AssertionError")
