"""From scratch to production: bytes by formula, measurements that stay, and the running maximum and sum."""

from dataclasses import replace

import numpy as np
import pytest

import attention
from attention import tiled
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import display, production, production_charts, production_steps, views
from ui import production_measure as measuring
from ui import workbench as w
from ui.production_measure import Measured
from ui.text import LANGUAGES, Text, catalogue

CAT = w.preset("cat")
TWINS = w.preset("twins")


@pytest.fixture(autouse=True)
def small_and_forgotten(monkeypatch):
    """Sizes that take no time, and no measurements of another test."""
    monkeypatch.setattr(measuring, "SIZES", (16, 32, 64))
    monkeypatch.setattr(production_charts, "SIZES", (16, 32, 64))
    monkeypatch.setattr(measuring, "ROUNDS", 3)
    measuring.shared.clear()
    yield
    measuring.shared.clear()


def shown(bench, **what):
    for name, value in what.items():
        bench = views.shown(bench, f"production.{name}", value)
    return bench


# What it costs.


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_bytes_on_screen_are_those_of_the_shapes(lang):
    app = opened("production", lang, shown(CAT, n=16384))
    assert_well(app)
    text = said(app)
    assert "16,384" in text
    assert "16384^2" in text
    assert "**1 GiB**" in text  # 16384² · 4 bytes
    assert "3 GiB" in text  # three of them
    assert "8 MiB" in text  # 512 · 2048 · 4 of a block, 16384 · 64 · 4 of output
    assert catalogue("production", lang)["not_yet"] in text
    data = frames(app)[0]
    held = data[data["kind"] == "held"].set_index(["who", "n"])["value"]
    assert held["textbook", 4096] == 3 * 4096**2 * 4
    assert held["tiled", 4096] == (512 * 2048 + 4096 * 64) * 4
    assert set(data["chosen"]) == {16384}


def test_the_slider_and_a_click_on_a_chart_choose_n():
    app = opened("production")
    app.select_slider(key="production_n").set_value(256).run()
    assert_well(app)
    assert views.get(code(app), "production.n") == 256
    assert "256 KiB" in said(app)


def test_the_picture_is_to_scale():
    known = production_charts.frame(4096, Measured(), Text("production", "en")).to_pandas()
    part = known[(known["kind"] == "part") & (known["n"] == 4096)].set_index("who")
    whole, block = part.loc["all"], part.loc["tile"]
    side = whole["x2"] - whole["x"]
    assert (block["x2"] - block["x"]) / side == pytest.approx(tiled.BLOCK[1] / 4096)
    assert (block["y2"] - block["y"]) / side == pytest.approx(tiled.BLOCK[0] / 4096)
    assert part.loc["Q", "x2"] / side == pytest.approx(measuring.D / 4096)


# Measuring.


@pytest.mark.parametrize("lang", LANGUAGES)
def test_measuring_says_what_was_measured_and_everybody_gets_it(lang):
    app = opened("production", lang)
    app.button(key="production_measure").click().run()
    assert_well(app)
    done = measuring.shared()
    assert not measuring.left(done)
    assert measuring.share(done) == 1
    assert all(len(done.seconds[n, who]) == 3 for n in (16, 32, 64) for who in measuring.contenders())
    assert done.holder[0] == ""
    newcomer, called = opened("production", lang), catalogue("production", lang)
    for reader, label in ((app, "measure_again"), (newcomer, "measure_anew")):
        text = said(reader)
        assert reader.button(key="production_measure").label == called[label]
        assert (called["measured_before"] in text) is (reader is newcomer)
        assert production_charts.duration(done.milliseconds(64, "tiled")) in text
        assert production_charts.size(done.peaks[64, "textbook"]) in text
        assert np.__version__ in text
        data = frames(reader)[0]
        times = data[data["kind"] == "time"]
        for who, n, value in times[["who", "n", "value"]].itertuples(index=False):
            assert value == pytest.approx(done.milliseconds(int(n), who))
        assert len(times) == 3 * len(measuring.contenders())
    app.toggle(key="as_tables").set_value(True).run()
    table = app.dataframe[0].value
    assert list(table.iloc[:, 0]) == ["16", "32", "64"]
    assert table.iloc[2, 2] == production_charts.duration(done.milliseconds(64, "tiled"))
    assert table.iloc[2, -2] == production_charts.size(done.peaks[64, "textbook"])


def test_what_was_measured_stays_after_a_stop_and_the_rest_follows():
    done = measuring.shared()
    measuring.MOMENT, moment = 0.0, measuring.MOMENT
    try:
        for _ in range(4):
            measuring.measure(done)
    finally:
        measuring.MOMENT = moment
    before = {key: value[:1] for key, value in done.seconds.items()}
    assert 0 < measuring.share(done) < 1
    app = opened("production")
    app.button(key="production_measure").click().run()
    assert not measuring.left(done)
    assert all(done.seconds[key][:1] == value for key, value in before.items())


def test_one_visitor_at_a_time_until_they_have_gone():
    done = measuring.shared()
    assert done.turn_of("somebody")
    app = opened("production")
    assert not any(button.key == "production_measure" for button in app.button)
    assert done.holder[0] == "somebody"
    done.holder = ("somebody", done.holder[1] - measuring.PATIENCE - 1)
    app = opened("production")
    assert done.holder[0] == "somebody"  # looking takes nobody's turn
    app.button(key="production_measure").click().run()
    assert not measuring.left(done)


def test_a_slow_machine_is_not_asked_for_more(monkeypatch):
    monkeypatch.setattr(measuring, "TOO_LONG", 1e-9)
    app = opened("production")
    app.button(key="production_measure").click().run()
    done = measuring.shared()
    assert {n for n, _ in done.seconds} == {16}
    assert all(len(taken) == 1 for taken in done.seconds.values())
    assert Text("production", "en")("found_capped", n="16", seconds="1e-09") in said(app)


@pytest.mark.parametrize(("whole", "by_blocks", "id", "ratio"), [
    (90, 30, "found_faster", "3"), (30, 90, "found_slower", "3"), (30, 29, "found_same", ""),
])  # fmt: skip
@pytest.mark.parametrize("lang", LANGUAGES)
def test_sentences_follow_the_numbers(whole, by_blocks, id, ratio, lang, monkeypatch):
    monkeypatch.setattr(tiled, "BLOCK", (32, 48))
    done, text = Measured(), Text("production", lang)
    done.seconds = {(16, "textbook"): (0.001,) * 3, (16, "tiled"): (0.002,) * 3,
                    (64, "textbook"): (whole / 1000,) * 3, (64, "tiled"): (by_blocks / 1000,) * 3}  # fmt: skip
    findings = list(production.findings(done, text))
    assert findings[0] == text(id, n="64", whole=f"{whole} ms", tiled=f"{by_blocks} ms", ratio=ratio)
    assert findings[1] == (text("cross_never") if id == "found_slower" else text("cross_from", n="64"))
    monkeypatch.setattr(tiled, "BLOCK", (64, 96))  # one block is the whole matrix
    assert next(production.findings(done, text)) == text("found_small", n="64", whole=f"{whole} ms",
                                                         tiled=f"{by_blocks} ms")  # fmt: skip


# Step by step.


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("bench", [
    replace(CAT, token=2), replace(CAT, token=1, mask="causal"), replace(TWINS, token=0, scale="none"),
    replace(w.resized(w.preset("self"), d_v=5), route="input", token=3),
], ids=["rises", "causal", "unscaled", "from X"])  # fmt: skip
@pytest.mark.parametrize("block", [1, 3])
def test_the_numbers_on_screen_are_the_cores(bench, block, lang):
    steps = attention.tiled_steps(*bench.qkv(), bench.mask_array(), block=block, scale=bench.scale)
    app = opened("production", lang, shown(bench, block=block, step=len(steps)))
    assert_well(app)
    i = bench.token

    def printed(numbers):
        return ", ".join(display.short(round(x, 12)) for x in numbers)

    rows = [line.split(" | ") for line in said(app).splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert len(rows) == len(steps)
    for row, seen in zip(rows, steps, strict=True):
        assert row[2:5] == [printed(x[i]) for x in (seen.maximum, seen.rescale, seen.total)]
        assert row[5] == f"({printed(seen.gathered[i])})"
        assert row[6].rstrip(" |") == f"({printed(seen.output[i])})"
    assert printed(bench.steps().output[i]) in app.success[0].value


def test_bars_are_the_powers_under_the_maximum_of_the_moment():
    bench = shown(replace(CAT, token=2), step=2)  # the maximum rises in the second block
    data = frames(opened("production", bench=bench))[1]
    scores = bench.steps().masked[2]
    bars, ghosts = (data[data["kind"] == kind]["value"].to_numpy() for kind in ("bar", "ghost"))
    np.testing.assert_allclose(bars, np.exp(scores - scores.max()))
    np.testing.assert_allclose(ghosts, np.exp(scores[:2] - scores[:2].max()))
    frame = frames(opened("production", bench=replace(bench, token=1)))[1]
    assert "ghost" not in set(frame["kind"])  # there it is the first key


def test_the_stepper_goes_to_the_end_and_the_link_keeps_the_step():
    app = opened("production", bench=replace(CAT, token=2))
    assert not app.success
    app.button(key="production_next").click().run()
    assert views.get(code(app), "production.step") == 2
    assert app.button(key="production_next").disabled
    assert len(app.success) == 1
    again = opened("production", bench=code(app))
    assert len(again.success) == 1
    again.button(key="production_first").click().run()
    assert catalogue("production", "en")["start"].strip() in said(again)
    assert again.button(key="production_before").disabled
    app.button_group(key="production_block").set_value(4).run()  # fewer blocks: the last of them is shown
    assert views.get(code(app), "production.block") == 4
    assert len(app.success) == 1


def test_a_query_whose_maximum_comes_late_is_offered_and_can_be_undone():
    app = opened("production")
    app.button(key="production_late").click().run()
    assert code(app).token == 2
    assert not any(button.key == "production_late" for button in app.button)
    app.button(key="undo").click().run()
    assert code(app).token == CAT.token


def test_a_query_that_sees_nothing_ends_at_0():
    bench = w.with_allowed(CAT, {(1, j): False for j in range(4)})
    app = opened("production", bench=shown(bench, step=2))
    assert_well(app)
    assert catalogue("production", "en")["moral_masked"] in said(app)
    assert "(0, 0, 0, 0)" in app.success[0].value


def test_every_digit_is_shown_on_request():
    app = opened("production", bench=shown(replace(CAT, token=2), step=2))
    app.toggle(key="production_exact").set_value(True).run()
    assert_well(app)
    total = attention.tiled_steps(*CAT.qkv(), block=2)[-1].total[2, 0]
    assert display.exact(total) in said(app)


def test_the_code_shown_is_the_code_that_runs():
    app = opened("production")
    app.toggle(key="production_code").set_value(True).run()
    assert "seen.maximum, scores.max(axis=-1, keepdims=True)" in app.code[0].value


def test_a_story_of_one_key():
    bench = w.with_tokens(CAT, ("猫",))
    it = production_steps.story(bench)
    assert it.ended
    assert it.gap == 0
    assert it.heights(1) == [1.0]


def test_a_page_speaks_from_what_was_known_when_it_began():
    done = measuring.Measured({(128, "tiled"): (1.0,)}, {(128, "tiled"): 5}, ("me", 1.0))
    then = done.now()
    done.seconds[128, "tiled"] = (1.0, 2.0)
    done.forget()
    assert then == measuring.Measured({(128, "tiled"): (1.0,)}, {(128, "tiled"): 5}, ("me", 1.0))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_where_there_is_pytorch_it_is_measured_too(lang, monkeypatch):
    """Blocks in NumPy stand in for it here; `test_the_fused_call_is_attention` has the real one."""
    monkeypatch.setattr(measuring, "has_torch", lambda: True)
    monkeypatch.setattr(measuring, "_fused", lambda *arguments: lambda: tiled.tiled_attention(*arguments))
    app = opened("production", lang)
    app.button(key="production_measure").click().run()
    assert_well(app)
    done, text = measuring.shared(), Text("production", lang)
    whole, by_blocks, fused = (done.milliseconds(64, who) for who in measuring.WHO)
    three = production_charts.three
    assert text("found_torch", n="64", torch=production_charts.duration(fused), whole=three(whole / fused),
                tiled=three(by_blocks / fused)) in said(app)  # fmt: skip
    assert text("no_torch") not in said(app)
    data = frames(app)[0]
    times = data[(data["kind"] == "time") & (data["who"] == "torch")]
    assert times["value"].tolist() == pytest.approx([done.milliseconds(n, "torch") for n in (16, 32, 64)])


@pytest.mark.torch
def test_the_fused_call_is_attention():
    Q, K, V = measuring._arguments(128)
    there = measuring._ready(128, "torch")()[0, 0].numpy()
    np.testing.assert_allclose(there, tiled.tiled_attention(Q, K, V), atol=2e-6)
