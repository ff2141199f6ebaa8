"""The scratch page: the source on screen is what runs, answers are judged by numbers, scripts carry the state."""

from __future__ import annotations

import inspect
import json
import sys
import types
from dataclasses import replace

import numpy as np
import pytest

import attention
from tests.pages.reading import assert_well, code, frames, opened, said, stage
from ui import display, scratch, scratch_cases, scratch_evidence, scratch_scripts, views
from ui import workbench as w
from ui.scratch_evidence import NAMES
from ui.text import LANGUAGES, Text

CAT = w.preset("cat")
ODD = replace(w.random(tuple("abcde"), 3, 2, seed=4), mask="causal")


def printed(x):
    return [[display.short(float(value)) for value in row] for row in x]


def listing(app):
    """The lines of the listing, as the component is given them."""
    [component] = [each for each in app.get("bidi_component") if "scratch_code" in each.proto.id]
    return json.loads(component.proto.json)["lines"]


def press(app, key):
    app.button(key=key).click().run()
    assert_well(app)
    return app


@pytest.mark.parametrize(("bench", "lang"), [(CAT, "zh"), (ODD, "en")], ids=["cat", "odd"])
def test_stepping_shows_what_the_core_computes(bench, lang):
    app = opened("scratch", lang, bench)
    steps, lines = bench.steps(), scratch.run(bench, "attention").ran
    shown = {}
    for at, line in enumerate(lines):
        assert views.get(code(app), "scratch.line") == at
        frame = frames(app)[0]
        shown[line.source] = stage(frame, frame["s"].max()).to_numpy().tolist()  # the last one is what the line made
        if at + 1 < len(lines):
            press(app, "scratch_next_line")
    assert app.button(key="scratch_next_line").disabled
    assert shown["scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])"] == printed(steps.scaled)
    assert shown.get("scores = np.where(mask, scores, -np.inf)", printed(steps.masked)) == printed(steps.masked)
    assert shown["weights = softmax(scores, axis=-1)"] == printed(steps.weights)
    assert shown["return weights @ V"] == printed(steps.output)


def test_the_link_carries_the_line_and_the_function():
    masked = replace(CAT, mask="causal")
    bench = views.shown(views.shown(masked, "scratch.function", "softmax"), "scratch.line", 3)
    app = opened("scratch", "zh", bench)
    frame = frames(app)[0]
    x = masked.steps().masked
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    assert stage(frame, frame["s"].max()).to_numpy().tolist() == printed(powers)
    assert code(app) == bench
    app.button_group(key="scratch_function").set_value("attention").run()
    assert (views.get(code(app), "scratch.function"), views.get(code(app), "scratch.line")) == ("attention", 0)


def test_a_line_beyond_the_run_is_its_last_one():
    bench = views.shown(CAT, "scratch.line", 40)
    app = opened("scratch", "en", bench)
    assert_well(app)
    assert app.button(key="scratch_next_line").disabled


def other_attention(Q, K, V, mask=None):
    twice = 2 * V
    return twice  # noqa: RET504


def test_the_source_shown_is_that_of_the_function_that_runs(monkeypatch):
    """Another function in its place: other lines, and other numbers."""
    lines = [each["text"] for each in listing(opened("scratch", "en", CAT)) if each["number"] != "⋯"]
    source = inspect.getsource(attention.attention).splitlines()
    assert lines == [line for line in source if line in lines]
    monkeypatch.setattr(attention, "attention", other_attention)
    app = opened("scratch", "en", views.shown(CAT, "scratch.line", 1))
    assert [each["text"] for each in listing(app)] == inspect.getsource(other_attention).splitlines()
    frame = frames(app)[0]
    assert stage(frame, frame["s"].max()).to_numpy().tolist() == printed(2 * CAT.array("V"))


def test_a_line_that_does_not_run_is_said_so():
    app = opened("scratch", "en", views.shown(CAT, "scratch.line", 5))
    [skipped] = [each for each in listing(app) if each["state"] == "skipped"]
    assert "np.where" in skipped["text"]
    assert skipped["note"] == Text("scratch", "en")("not_run")
    masked = listing(opened("scratch", "en", views.shown(replace(CAT, mask="causal"), "scratch.line", 6)))
    assert not [each for each in masked if each["state"] == "skipped"]


def test_cells_can_be_traced_where_the_trace_explains_the_same_number():
    at_weights = views.shown(replace(CAT, cell=("weights", 1, 0, -1)), "scratch.line", 4)
    app = opened("scratch", "en", at_weights)
    addresses = set(frames(app)[0]["at"].dropna())
    assert {"weights 1 0 -1", "scaled 1 0 -1"} <= addresses
    assert any("0.45" in each.value and each.value.startswith("**③") for each in app.markdown)
    unscaled = replace(at_weights, scale="none", cell=())
    app = opened("scratch", "en", unscaled)
    assert not set(frames(app)[0]["at"].dropna())
    text = Text("scratch", "en")
    assert text("always_sqrt", scale=text("scale_none")) in [each.value for each in app.info]


def answer(app, case, choice):
    app.radio(key=f"scratch_choice_{case}").set_value(choice)
    [commit] = [each for each in app.button if each.label == Text("scratch", app.session_state["lang"])("commit")]
    commit.click().run()
    assert_well(app)
    return app


@pytest.mark.parametrize("lang", LANGUAGES)
def test_diagnosing(lang):
    """No code before an answer; a wrong one gets numbers; the right one the diff; the link keeps what was found."""
    text = Text("scratch", lang)
    app = opened("scratch", lang, CAT)
    variant = scratch_evidence.order(0)[0]
    it = scratch_evidence.evidence(CAT, variant)
    pictures = frames(app)[1]
    assert stage(pictures, 0).to_numpy().tolist() == printed(it.right.weights)
    assert stage(pictures, 1).to_numpy().tolist() == printed(it.seen[variant].weights)
    assert stage(pictures, 3).to_numpy().tolist() == printed(it.seen[variant].output)
    diff = scratch_evidence.diff(variant)
    assert diff not in [each.value for each in app.code]
    assert not [each for each in app.button if each.key == "scratch_show_me"]

    wrong = next(name for name in NAMES if name != variant)
    answer(app, 0, wrong)
    assert scratch_cases.not_that(it, variant, wrong, "A", text) in said(app)
    assert diff not in [each.value for each in app.code]
    assert views.get(code(app), "scratch.solved") == ()

    answer(app, 0, variant)
    assert diff in [each.value for each in app.code]
    assert text(f"why_{variant}") in "".join(each.value for each in app.success)
    assert views.get(code(app), "scratch.solved") == (variant,)
    press(app, "scratch_next_case")
    assert views.get(code(app), "scratch.case") == 1
    assert diff not in [each.value for each in app.code]
    again = opened("scratch", lang, code(app))
    assert text("found", found=1, cases=7) in [each.value for each in again.caption]


def test_giving_up_shows_the_code_and_does_not_count():
    variant = scratch_evidence.order(0)[2]
    wrong = next(name for name in NAMES if name != variant)
    bench = views.shown(views.shown(CAT, "scratch.case", 2), "scratch.answer", wrong)
    app = press(opened("scratch", "en", bench), "scratch_show_me")
    assert scratch_evidence.diff(variant) in [each.value for each in app.code]
    assert views.get(code(app), "scratch.solved") == ()
    assert views.get(code(app), "scratch.shown") == (variant,)
    press(app, "scratch_again")
    assert views.get(code(app), "scratch.shown") == ()
    assert views.get(code(app), "scratch.seed") > 0


def test_K_T_that_was_refused_can_be_made_silent():
    bench = views.shown(views.shown(ODD, "scratch.case", scratch_evidence.order(0).index("transposed")),
                        "scratch.solved", ("transposed",))  # fmt: skip
    app = opened("scratch", "zh", bench)
    it = scratch_evidence.evidence(ODD, "transposed")
    assert it.seen["transposed"].error in [each.value for each in app.code]
    press(app, "scratch_make_silent")
    assert code(app).sizes["d_k"] == code(app).sizes["n"] == 5
    assert len(frames(app)[1]["s"].unique()) == 4
    press(app, "undo")
    assert code(app).sizes["d_k"] == 3


def test_badges_light_up_where_sums_are_1():
    it = scratch_evidence.evidence(CAT, "wrong_axis")
    seen = it.seen["wrong_axis"].weights
    assert scratch_cases.sums(seen, 0) == " ".join([":primary-badge[1.00]"] * 4)
    rows = scratch_cases.sums(seen, 1).split()
    assert rows == [f":gray-badge[{display.short(float(x))}]" for x in seen.sum(axis=1)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_pytorch_it_says_so(lang, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    app = opened("scratch", lang, ODD)
    assert Text("scratch", lang)("no_torch") in [each.value for each in app.info]
    for make in (scratch_scripts.numpy_script, scratch_scripts.torch_script):
        assert make(ODD, Text("scratch", lang)) in [each.value for each in app.code]


class Tensor(np.ndarray):
    def abs(self):
        return np.abs(self)


def test_with_pytorch_the_equality_is_checked(monkeypatch):
    """A stand-in with the operation's own contract; the real one: pytest -m torch."""

    def operation(Q, K, V, attn_mask=None, scale=None):
        scores = np.where(attn_mask, Q @ K.T * scale, -np.inf)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True) @ V * wrong

    torch, nn = types.ModuleType("torch"), types.ModuleType("torch.nn")
    nn.functional = types.ModuleType("torch.nn.functional")
    nn.functional.scaled_dot_product_attention = operation
    vars(torch).update(nn=nn, float64=float, tensor=lambda x, dtype=bool: np.array(x, dtype).view(Tensor),
                       __version__="9.9")  # fmt: skip
    for module in (torch, nn, nn.functional):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    scratch_scripts._run.cache_clear()
    wrong = 1.0
    app = opened("scratch", "en", ODD)
    assert any("9.9" in each.value for each in app.success)
    scratch_scripts._run.cache_clear()
    wrong = 1.01
    app = opened("scratch", "en", ODD)
    assert any("AssertionError" in each.value for each in app.warning)
    scratch_scripts._run.cache_clear()
