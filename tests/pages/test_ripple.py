"""Compare mode, the pin and the history on the edit page: differences on screen are the core's, and links keep them."""

from dataclasses import replace
from unittest.mock import patch
from urllib.parse import quote

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.reading import ENTRY, assert_well, code, frames, inside, opened, said, stage, typed
from ui import editor, link, names, ripple, shell, stages, state, views
from ui import workbench as w
from ui.text import LANGUAGES, Text

CAT = w.preset("cat")


def lab(app):
    return app.session_state["lab"]


def compare(app, mode):
    return app.button_group(key="pick_compare").set_value(mode).run()


def linked(lang="en", **query):
    """The edit page as a link with these workbenches or codes opens it."""
    app = AppTest.from_file(ENTRY, default_timeout=60)
    app.query_params["lang"] = lang
    for name, value in query.items():
        app.query_params[name] = quote(link.encode(value)) if isinstance(value, w.Workbench) else value
    app.switch_page("pages/edit.py")
    return app.run()


def assert_shows_difference(app, old, new):
    """Every cell of every stage prints now − before; rows of weights say that they add up to 0."""
    assert_well(app)
    frame = frames(app)[-1]
    since = ripple.Since(old, new)
    for s, name in enumerate(stages.NAMES):
        printed = stage(frame, s)
        for (i, j), x in np.ndenumerate(since.delta[name]):
            assert printed.loc[i, j] == ripple.change(float(x)), (name, i, j)
    sums = frame[frame["kind"] == "sum"].sort_values("q")["text"].tolist()
    assert sums == [f"Σ Δ = {ripple.total(row)}" for row in since.delta["weights"]]


def assert_shows_now(app):
    assert_well(app)
    frame = frames(app)[-1]
    for (i, j), x in np.ndenumerate(code(app).steps().weights):
        assert stage(frame, 2).loc[i, j] == ripple.display.short(x)
    assert frame["old"].isna().all()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_edit_says_what_it_did(lang):
    text = Text("ripple", lang)
    app = opened("edit", lang)
    assert text("cause_raised", place="Q[追, 1]", amount="0.50") not in said(app)
    typed(app, "Q", {"1,0": "2.5"})
    first = ripple.story(CAT, code(app), text, CAT.tokens)
    assert first in said(app)
    app.button_group(key="pick_scale").set_value("none").run()
    assert ripple.story(w.with_cells(CAT, "Q", {(1, 0): "2.5"}), code(app), text, CAT.tokens) in said(app)
    app.button_group(key="pick_token").set_value(3).run()  # whose output is looked at is no edit
    assert text("cause_scale", old="÷ √d_k", new=Text("edit", lang)("scale_none")).strip("，") in said(app)
    app.button(key="undo").click().run()
    app.button(key="undo").click().run()
    assert first in said(app)
    app.button(key="undo").click().run()
    assert first not in said(app)
    assert_well(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_differences_since_the_last_edit(lang):
    app = opened("edit", lang)
    compare(app, "last")
    assert Text("ripple", lang)("none_last") in said(app)
    assert_shows_now(app)
    typed(app, "Q", {"1,0": "2.5"})
    assert Text("ripple", lang)("none_last") not in said(app)
    assert_shows_difference(app, CAT, code(app))
    before = code(app)
    app.button_group(key="pick_mask").set_value("causal").run()
    assert_shows_difference(app, before, code(app))
    frame = frames(app)[-1]
    scaled = frame[(frame["s"] == 1) & frame["k"].eq(2) & frame["q"].eq(0) & frame["kind"].isin(["cell", "masked"])]
    assert scaled["kind"].tolist() == ["masked"]
    assert scaled["text"].tolist() == ["−∞"]
    number = Text("ripple", lang)("tip_masked", old="1.2500", new="−∞")
    assert scaled["tip"].tolist() == [Text("edit", lang)("tip_scaled", row="猫", column="老鼠", number=number)]
    app.button(key="undo").click().run()
    assert_shows_difference(app, CAT, before)
    compare(app, "now")
    assert_shows_now(app)


def test_tooltips_say_from_where_to_where_and_a_drag_starts_at_0():
    app = opened("edit", "en")
    typed(app, "Q", {"1,0": "2.5"})
    compare(app, "last")
    frame = frames(app)[-1]
    since = ripple.Since(CAT, code(app))
    for s, name in enumerate(stages.NAMES):
        old, new, delta = since.of(name)
        cells = frame[(frame["s"] == s) & frame["kind"].eq("cell")]
        for _, cell in cells.iterrows():
            at = cell["q"], cell["k"]
            assert cell["tip"].endswith(f"= {ripple.step(old[at], new[at], delta[at], Text('ripple', 'en'))}")
            assert cell["old"] == new[at]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables_follow_the_mode(lang):
    app = opened("edit", lang)
    typed(app, "Q", {"1,0": "2.5"})
    compare(app, "last")
    app.toggle(key="as_tables").set_value(True).run()
    weights = [m.value for m in app.markdown if m.value.startswith("|")][2]
    row = weights.splitlines()[3].strip("| ").split(" | ")
    delta = ripple.Since(CAT, code(app)).delta["weights"][1]
    assert row == ["**追**", *(ripple.change(x, 4) for x in delta), "0"]


def test_projections_show_differences_too():
    bench = replace(CAT, route="input")
    app = opened("edit", "en", bench)
    typed(app, "W_Q", {"0,0": "9"})
    compare(app, "last")
    frame = frames(app)[0]
    delta = ripple.Since(bench, code(app)).delta["Q"]
    assert delta.any()
    assert stage(frame, 0).to_numpy().tolist() == [[ripple.change(x) for x in row] for row in delta]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_pin_is_compared_with_kept_in_the_address_and_can_be_gone_back_to(lang):
    text = Text("ripple", lang)
    app = opened("edit", lang)
    compare(app, "pinned")
    assert text("none_pinned") in said(app)
    app.button(key="pin").click().run()
    assert text("at_pin") in said(app)
    assert app.button(key="back_to_pin").disabled
    for cell in ("0,0", "0,1", "0,2"):
        typed(app, "K", {cell: "-1.5"})
    assert_shows_difference(app, CAT, code(app))
    assert text("since_pinned", story=ripple.story(CAT, code(app), text, CAT.tokens)) in said(app)
    cells = frames(app)[-1].query("kind == 'cell' and s == 2")
    assert cells["old"].tolist() == CAT.steps().weights.ravel().tolist()
    with inside(app), patch.object(shell, "language", lambda: lang):
        assert shell.here() == {"lang": lang, "s": lab(app)["code"], "b": link.encode(CAT)}
    edited = code(app)
    app.button(key="back_to_pin").click().run()
    assert code(app) == CAT
    app.button(key="undo").click().run()
    assert code(app) == edited
    app.button(key="unpin").click().run()
    assert lab(app)["pin"] is None
    assert_shows_now(app)
    with inside(app), patch.object(shell, "language", lambda: lang):
        assert "b" not in shell.here()


def test_going_back_to_the_pin_leaves_what_is_shown():
    walked = views.shown(CAT, "walk.done", ("lookup", "flow"))
    app = opened("edit", "en", walked)
    app.button(key="pin").click().run()
    assert app.button(key="back_to_pin").disabled
    typed(app, "K", {"0,0": "-1.5"})
    app.button(key="back_to_pin").click().run()
    assert code(app) == walked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_link_brings_its_pin(lang):
    new = w.with_cells(CAT, "Q", {(1, 0): "2.5"})
    app = linked(lang, s=new, b=CAT)
    assert_shows_difference(app, CAT, new)
    assert code(app) == new
    compare(app, "last")  # what came with the link is no edit
    assert Text("ripple", lang)("none_last") in said(app)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("problem", "b"), [
    ("damaged", "1AAAA"), ("damaged", "猫"), ("future", "2" * 20), ("oversized", "1" * 9000),
])  # fmt: skip
def test_a_bad_pin_is_explained_and_the_numbers_are_opened(problem, b, lang):
    new = w.with_cells(CAT, "Q", {(1, 0): "2.5"})
    app = linked(lang, s=new, b=b)
    assert_well(app)
    assert [each.value for each in app.warning] == [Text("common", lang)(f"pin_{problem}")]
    assert code(app) == new
    assert lab(app)["pin"] is None
    assert_shows_now(app)


def test_whatever_is_wrong_with_a_link_is_said_and_said_once():
    app = linked(s="1AAAA", b="2" * 20)
    text = Text("common", "en")
    assert [each.value for each in app.warning] == [text("pin_future"), text("link_damaged")]
    assert not app.run().warning
    gone = replace(w.resized(CAT, d_v=6), cell=("output", 1, 5, -1))
    app = linked(s=gone, b="1AAAA")
    with inside(app):
        state.commit(w.resized(code(app), d_v=4))
        state.notify("change_failed")
    place = text("cell_gone", stage=Text("trace", "en")("name_output"), row=2, column=6)
    assert [each.value for each in app.run().warning] == [place, text("change_failed")]
    assert not app.run().warning


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("pinned", "why"), [
    (w.with_tokens(CAT, ("a", "b")), "not_tokens"), (w.preset("twins"), "not_tokens"),
    (w.resized(CAT, d_v=2), "not_sizes"),
])  # fmt: skip
def test_a_pin_that_cannot_be_compared_is_said_to_be_one(pinned, why, lang):
    app = linked(lang, s=w.with_cells(CAT, "Q", {(1, 0): "2.5"}), b=pinned)
    assert Text("ripple", lang)(why) in said(app)
    assert_shows_now(app)


def test_a_pin_too_long_for_the_link_stays_in_the_session():
    rng = np.random.default_rng(0)
    bench = w.resized(w.with_tokens(CAT, tuple("abcdefghijkl")), d_k=16, d_v=16, d_model=16)
    many = {name: w.from_floats(rng.standard_normal(np.shape(m)), 5) for name, m in bench.matrices.items()}
    bench = replace(bench, matrices=many)
    assert len(link.encode(bench)) < link.MAX_CODE
    app = opened("edit", "en", bench)
    app.button(key="pin").click().run()
    assert Text("ripple", "en")("pin_too_long") in said(app)
    with inside(app), patch.object(shell, "language", lambda: "en"):
        assert set(shell.here()) == {"lang", "s"}
    typed(app, "Q", {"0,0": "1"})
    assert_shows_difference(app, bench, code(app))


def history(app):
    """Open the history; it is drawn only then. (AppTest of Streamlit 1.62 closes it at each run.)"""
    app.session_state["history"] = True
    app.run()
    app.session_state["history"] = True
    return {b.key: b for b in app.button if b.key.startswith(("step_", "history"))}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_history_goes_anywhere(lang):
    text = Text("ripple", lang)
    app = opened("edit", lang)
    assert not any(b.key.startswith("step_") for b in app.button)
    states = [code(app)]
    for k in range(3):
        typed(app, "V", {f"{k},0": "7"})
        states.append(code(app))
    steps = history(app)
    assert list(steps) == ["step_3", "step_2", "step_1", "step_0"]
    assert steps["step_3"].label == text("history_now", step=text("step_number", name="V[老鼠, 1]", old="0.5", new="7"))
    assert steps["step_3"].disabled
    assert steps["step_0"].label == text("history_start")
    for to in (0, 2, 1, 3):
        history(app)[f"step_{to}"].click().run()
        assert_well(app)
        assert code(app) == states[to]
        assert (len(lab(app)["undo"]), len(lab(app)["redo"])) == (to, 3 - to)
    history(app)["step_1"].click().run()
    app.button(key="redo").click().run()
    assert code(app) == states[2]
    typed(app, "V", {"3,3": "8"})
    assert list(history(app)) == ["step_3", "step_2", "step_1", "step_0"]


@pytest.mark.parametrize("edits", [3, state.DEPTH + 2])
def test_a_step_is_the_one_it_says_whatever_was_typed_just_before(edits, monkeypatch):
    """What was typed arrives with the click, and is committed first: one more step, perhaps one fewer at the start."""
    app = opened("edit", "en")
    for k in range(edits):
        with inside(app):
            editor.type_into("V", {"0,0": f"{k}.5"})
    steps = history(app.run())
    to = edits - 1
    assert steps[f"step_{to}"].label == f"V[猫, 1]: {to - 2}.5 → {to - 1}.5"
    monkeypatch.setattr(state, "take_typed", [lambda: editor.type_into("K", {"0,0": "9"})])
    steps[f"step_{to}"].click().run()
    assert_well(app)
    assert code(app) == w.with_cells(CAT, "V", {(0, 0): f"{to - 1}.5"})
    monkeypatch.undo()
    app.button(key="redo").click().run()
    app.button(key="redo").click().run()
    assert code(app).matrices["K"][0][0] == "9"


def test_a_long_history_shows_its_last_steps_first():
    app = opened("edit", "en", w.with_cells(CAT, "Q", {(0, 0): "8"}))
    for k in range(25):
        with inside(app):
            editor.type_into("Q", {"0,0": f"{k}"})
    steps = history(app.run())
    assert list(steps) == [f"step_{i}" for i in range(26, 6, -1)] + ["history_earlier"]
    steps["history_earlier"].click().run()
    steps = history(app)
    assert list(steps) == [f"step_{i}" for i in range(26, -1, -1)]
    assert steps["step_1"].label == Text("ripple", "en")("history_arrived")
    steps["step_1"].click().run()
    assert code(app).matrices["Q"][0][0] == "8"


def test_steps_that_are_not_kept_are_not_called_the_beginning():
    app = opened("edit", "en", w.with_cells(CAT, "Q", {(0, 0): "8"}))
    text = Text("ripple", "en")

    def edit(count):
        for k in range(count):
            with inside(app):
                editor.type_into("V", {"0,0": f"{len(lab(app)['undo']) + k}.5"})

    edit(state.DEPTH - 1)  # with the link, as many as are kept
    lab(app)["steps_shown"] = state.DEPTH
    app.run()
    assert history(app)["step_0"].label == text("history_start")
    edit(3)
    app.run()
    steps = history(app)
    assert list(steps) == [f"step_{i}" for i in range(state.DEPTH + 3, 2, -1)]
    oldest = list(steps.values())[-1]
    assert oldest.label == text("history_forgotten")
    kept = lab(app)["undo"][0]
    oldest.click().run()
    assert_well(app)
    assert lab(app)["code"] == kept
    assert app.button(key="undo").disabled


def test_awkward_tokens_are_shown_to_the_letter():
    app = opened("edit", "en", w.with_tokens(CAT, ("**b**", "$x$", "[a](b)", "[a](b)")))
    typed(app, "V", {"0,0": "7", "2,0": "3"})
    compare(app, "last")
    assert_well(app)
    assert any("3 \\[" in b.label for b in history(app).values())
    app.button_group(key="pick_token").set_value(0).run()
    with inside(app):
        state.commit(w.with_tokens(code(app), ("-", "$y$")))
    steps = history(app.run())
    text = Text("ripple", "en")
    tokens = {"old": names.escaped("**b** $x$ [a](b) [a](b)"), "new": names.escaped("- $y$")}
    token = {"old": names.escaped("$x$"), "new": names.escaped("**b**")}
    assert steps["step_4"].label == text("history_now", step=text("step_tokens", **tokens))
    assert steps["step_3"].label == text("step_token", **token)
    assert text("unlike_tokens", what=text("step_tokens", **tokens)) in said(app)
