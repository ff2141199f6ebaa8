"""The order page: every number is the core's, in both languages, and the order travels in the link."""

import json
from dataclasses import replace

import altair as alt
import numpy as np
import pytest

import attention
from tests.pages.reading import assert_well, code, frames, opened, said
from ui import display, link, order, order_pictures, order_words, views
from ui import workbench as w
from ui.text import LANGUAGES, Text, catalogue

CAT = w.preset("cat")
TWISTED = (3, 0, 2, 1)
TYPED = w.with_cells(CAT, "Q", {(0, 0): "7"})
ENCODINGS = ("none", "sinusoidal", "rope", "alibi")


def shown(bench, **what):
    for name, value in what.items():
        bench = views.shown(bench, f"order.{name}", value)
    return bench


def trial_of(bench):
    return order.trial(order.setting(bench), order.order_of(bench))


def by_hand(bench, rows, encoding):
    """The output of attention on these rows, from the formulas, and not by the page's own ways."""
    n, d_k = len(rows), bench.sizes["d_k"]
    at = np.arange(n)
    X = bench.array("X")[list(rows)]
    if encoding == "sinusoidal":
        X = X + attention.sinusoidal_positions(n, X.shape[1])
    Q, K, V = (X @ bench.array(name) for name in ("W_Q", "W_K", "W_V"))
    if encoding == "rope":
        theta = 10_000 ** (-2 * np.arange(d_k // 2) / d_k)
        turn = np.exp(1j * at[:, None] * theta)
        Q, K = ((np.ascontiguousarray(M).view(complex) * turn).view(float) for M in (Q, K))
    scores = Q @ K.T / np.sqrt(d_k)
    if encoding == "alibi":
        scores = scores - 0.5 * abs(at[:, None] - at)
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True) @ V


def blocks(frame):
    """The texts of the shuffle test's three heatmaps, and the token that each of their rows is."""
    cells = frame[frame["kind"] == "cell"]
    n = cells["q"].nunique()
    columns = len(cells) // (3 * n)
    return np.array(cells["text"]).reshape(3, n, columns), np.array(cells["q"]).reshape(3, n, columns)[:, :, 0]


@pytest.mark.parametrize(("encoding", "lang"), [
    ("none", "en"), ("none", "zh"), ("sinusoidal", "zh"), ("rope", "en"), ("alibi", "zh"),
])  # fmt: skip
def test_the_shuffle_test_shows_the_outputs_of_the_formulas(encoding, lang):
    app = opened("order", lang, shown(CAT, tokens=TWISTED, encoding=encoding))
    assert_well(app)
    before, after = by_hand(CAT, range(4), encoding), by_hand(CAT, TWISTED, encoding)
    (first, second, third), tokens = blocks(frames(app)[0])
    assert first.tolist() == [[display.short(round(x, 12)) for x in row] for row in before]
    assert second.tolist() == [[display.short(round(x, 12)) for x in row] for row in after]
    assert tokens.tolist() == [[0, 1, 2, 3], list(TWISTED), [0, 1, 2, 3]]
    moved = after[np.argsort(TWISTED)] - before
    residual = np.abs(moved).max()
    if encoding == "none":
        assert residual < 1e-15
        assert all(text in {"0", "≈0"} for row in third for text in row)
        assert catalogue("order", lang)["verdict_blind"].partition("**。" if lang == "zh" else ".**")[0] in said(app)
        assert float(trial_of(code(app)).residual) < 1e-15
    else:
        assert residual > 0.1
        assert third.tolist() == [[display.short(round(x, 12)) for x in row] for row in moved]
        assert f"**{display.short(residual)}**" in said(app)
    words = frames(app)[0].query("kind == 'left'")["text"].tolist()
    for row in np.abs(moved).max(axis=1):
        assert (display.short(row) if row > 0.005 else "0") in words or encoding == "none"


@pytest.mark.parametrize("encoding", ["sinusoidal", "alibi"])
def test_the_four_steps_are_those_of_the_order_on_the_page(encoding):
    bench = shown(CAT, tokens=TWISTED, encoding=encoding)
    app = opened("order", "en", bench)
    frame = frames(app)[1]
    steps = trial_of(bench).after
    np.testing.assert_allclose(steps.output, by_hand(CAT, TWISTED, encoding), atol=1e-12)
    for s, values in enumerate((steps.scores, steps.masked, steps.weights, steps.output)):
        cells = frame[(frame["s"] == s) & (frame["kind"] == "cell")].pivot(index="q", columns="k", values="text")
        assert cells.to_numpy().tolist() == [[display.short(x) for x in row] for row in values.tolist()]
    rows = frame[(frame["s"] == 0) & (frame["kind"] == "row")]["text"].tolist()
    assert rows == [CAT.tokens[i] for i in TWISTED]
    assert ("bias" in "".join(frame[frame["kind"] == "title"]["text"])) == (encoding == "alibi")


def test_the_buttons_change_the_order_and_leave_the_numbers():
    app = opened("order")
    assert app.button(key="order_back").disabled
    app.button(key="order_reverse").click().run()
    assert views.get(code(app), "order.tokens") == (3, 2, 1, 0)
    app.button(key="order_swap").click().run()
    assert sum(a != b for a, b in zip(views.get(code(app), "order.tokens"), (3, 2, 1, 0), strict=True)) == 2
    app.button(key="order_shuffle").click().run()
    assert sorted(views.get(code(app), "order.tokens")) == [0, 1, 2, 3]
    app.button(key="order_back").click().run()
    assert_well(app)
    assert code(app) == CAT
    assert app.button(key="undo").disabled


def test_a_shuffle_is_always_another_order():
    from ui import order_controls

    for n in range(2, 6):
        now = tuple(range(n))
        for _ in range(30):
            then = order_controls.shuffled(now)
            assert sorted(then) == list(range(n))
            assert then != tuple(range(n))
            assert then != now or n == 2
            now = then


@pytest.mark.parametrize(("answer", "encoding", "right"), [
    ("other", "none", False), ("other", "rope", True), ("same", "alibi", True),
])  # fmt: skip
def test_a_guess_reverses_the_sentence_and_is_judged(answer, encoding, right):
    app = opened("order", "en", shown(CAT, encoding=encoding))
    app.button_group(key="order_guess").set_value(answer).run()
    assert_well(app)
    assert views.get(code(app), "order.tokens") == (3, 2, 1, 0)
    assert (catalogue("order", "en")["guess_right"] in said(app)) == right
    assert (catalogue("order", "en")["guess_wrong"] in said(app)) != right


def test_alibi_does_not_notice_a_reversal_but_a_swap():
    reversed_ = opened("order", "en", shown(CAT, tokens=(3, 2, 1, 0), encoding="alibi"))
    assert "Reversed, and ALiBi does not notice" in said(reversed_)
    swapped = opened("order", "en", shown(CAT, tokens=(1, 0, 2, 3), encoding="alibi"))
    assert "Now order counts" in said(swapped)


def test_a_mask_is_left_out_until_it_is_asked_for_and_then_brings_order():
    bench = shown(replace(CAT, mask="causal"), tokens=TWISTED)
    app = opened("order", "en", bench)
    assert "only changed places" in said(app)
    assert catalogue("order", "en")["mask_out"] in said(app)
    app.toggle(key="order.mask").set_value(True).run()
    assert_well(app)
    trial = trial_of(code(app))
    Q, K, V = CAT.qkv()
    rows = list(TWISTED)
    after = attention.attention_steps(Q[rows], K[rows], V[rows], attention.causal_mask(4)).output
    before = attention.attention_steps(Q, K, V, attention.causal_mask(4)).output
    np.testing.assert_allclose(trial.moved, after[np.argsort(rows)] - before, atol=1e-12)
    assert f"The outputs differ**, by up to **{display.short(trial.residual)}**" in said(app)
    assert "your mask does it" in said(app)
    assert catalogue("order", "en")["mask_out"] not in said(app)


def test_typed_queries_have_no_input_before_them():
    assert order.from_input(CAT)
    assert order.from_input(replace(TYPED, route="input"))
    assert not order.from_input(TYPED)
    app = opened("order", "en", shown(TYPED, tokens=TWISTED, encoding="sinusoidal", part="add"))
    assert_well(app)
    assert catalogue("order", "en")["source_QK"] in said(app)
    Q, K, V = (M[list(TWISTED)] for M in TYPED.qkv())
    PE = attention.sinusoidal_positions(4, 4)
    expected = attention.attention_steps(Q + PE, K + PE, V).output
    np.testing.assert_allclose(trial_of(code(app)).after.output, expected, atol=1e-12)
    terms = order.terms(code(app))
    np.testing.assert_allclose(terms.sum, (Q + PE) @ (K + PE).T, atol=1e-12)


@pytest.mark.parametrize(("part", "lang"), [(part, LANGUAGES[i % 2]) for i, part in enumerate(order.PARTS)])
def test_every_part_unfolds_and_says_what_it_shows(part, lang):
    app = opened("order", lang, shown(CAT, part=part, tokens=TWISTED))
    assert_well(app)
    assert "<<" not in said(app)
    for chart in app.get("vega_lite_chart"):
        spec = json.loads(chart.proto.spec)
        assert len(spec["description"]) > 20
        of = alt.ConcatChart if "concat" in spec else alt.LayerChart
        of.from_dict(spec | {"data": {"name": "a"}}, validate=True)


def test_the_code_is_the_cores():
    app = opened("order", "en", shown(CAT, part="code", n=7, d=8))
    expected = attention.sinusoidal_positions(7, 8)
    tips = frames(app)[1].query("kind == 'cell'")["tip"].tolist()
    assert [tip.partition(" = ")[2] for tip in tips] == [display.short(x, 4) for x in expected.ravel()]
    curves = frames(app)[2]
    both = curves[curves["side"] == "sin and cos"]
    theory = [sum(np.cos(d / 10_000 ** (i / 4)) for i in range(4)) for d in range(7)]
    np.testing.assert_allclose(both["low"], theory, atol=1e-12)
    np.testing.assert_allclose(both["high"], theory, atol=1e-12)
    sines = curves[curves["side"] == "sines only"]
    assert (sines["high"] - sines["low"]).iloc[1] > 0.5


def test_two_positions_alone_are_not_called_hard_to_tell_apart():
    """On two, the sines are 0.84 apart; a link from the part about codes can ask for so few."""
    app = opened("order", "en", shown(CAT, part="sines", n=2))
    assert app.slider(key="order.n").value == 3
    assert float(np.sin(2) - np.sin(1)) < 0.07
    assert Text("order", "en")("see_sines", p=1, q=2, apart=display.short(float(np.sin(2) - np.sin(1)))) in said(app)


def test_sines_alone_nearly_collide():
    app = opened("order", "zh", shown(CAT, part="sines", n=20))
    for d in (2, 4, 8, 16, 32):
        code_ = attention.sinusoidal_positions(20, d)
        cells = []
        for of in (code_[:, ::2], code_):
            apart, p, q = min((np.linalg.norm(of[p] - of[q]), p, q) for p in range(20) for q in range(p + 1, 20))
            cells.append(Text("order", "zh")("closest", p=p, q=q, apart=display.enough(apart, (2, 4, 6))))
        assert f"| {d} | {cells[0]} | {cells[1]} |" in said(app)


def test_a_shift_turns_every_code_by_the_same_matrix():
    app = opened("order", "en", shown(CAT, part="turn", p=11, k=6, d=8))
    assert_well(app)
    c, s = display.short(np.cos(6)), display.short(np.sin(6)).replace("−", "-")
    assert rf"{c} & {s} \\" in said(app)
    assert display.residual(order_words.turn_residual(6, 8)) in said(app)
    assert order_words.turn_residual(6, 8) < 1e-12


@pytest.mark.parametrize("bench", [CAT, TYPED, w.preset("self"), w.preset("saturated")])
@pytest.mark.parametrize("shift", [1, 40])
def test_only_sinusoids_make_scores_depend_on_where_a_sentence_starts(bench, shift):
    for encoding in ENCODINGS:
        scores, weights = (np.abs(each).max() for each in order.shift_by(bench, encoding, shift))
        assert (scores > 0.05) == (encoding == "sinusoidal")
        assert (scores < 1e-12) == (encoding != "sinusoidal")
        assert encoding == "sinusoidal" or weights < 1e-12


def test_the_shift_table_and_maps_hold_those_numbers():
    app = opened("order", "zh", shown(CAT, part="shift", s=7))
    for encoding in ENCODINGS:
        cells = [display.residual(np.abs(each).max()) for each in order.shift_by(CAT, encoding, 7)]
        assert f"| {catalogue('order', 'zh')[f'encoding_{encoding}']} | {cells[0]} | {cells[1]} |" in said(app)
    frame = frames(app)[1]
    for s, encoding in enumerate(ENCODINGS[1:]):
        moved = frame[(frame["s"] == s) & (frame["kind"] == "cell")]["text"].tolist()
        assert moved == [display.short(x) for x in order.shift_by(CAT, encoding, 7)[0].ravel()]


def test_the_slope_of_another_head_changes_the_numbers_above():
    app = opened("order", "en", shown(CAT, part="alibi", heads=3, head=3, encoding="alibi", tokens=TWISTED))
    assert order.setting(code(app)).slope == attention.alibi_slopes(3)[2] == 0.25
    assert "1/16, 1/256, 1/4" in said(app)
    frame = frames(app)[1]
    biases = [frame[(frame["s"] == s) & (frame["kind"] == "cell")]["text"].tolist() for s in range(3)]
    assert biases == [[display.short(x) for x in bias.ravel()] for bias in attention.alibi_bias(3, 4)]
    fewer = opened("order", "en", shown(CAT, heads=2, head=9))
    assert_well(fewer)
    assert order.setting(code(fewer)).head == 1


@pytest.mark.parametrize(("d_k", "says"), [(1, "does_rope_none"), (3, "does_rope_odd")])
def test_rope_says_what_it_cannot_turn(d_k, says):
    app = opened("order", "en", shown(w.resized(CAT, d_k=d_k), encoding="rope", part="shift", tokens=TWISTED))
    assert_well(app)
    assert catalogue("order", "en")[says].replace("<<last>>", str(d_k)) in said(app)


@pytest.mark.parametrize("value", [[0, 1, 2, 3], [1, 1], [1, 2], [0, True], list(range(12, -1, -1)), "10", [1.0, 0.0]])
def test_a_link_cannot_hold_what_is_no_order(value):
    bad = replace(CAT, view=(("order.tokens", tuple(value) if isinstance(value, list) else value),))
    with pytest.raises(link.BadLink):
        link.decode(link.encode(bad))


def test_an_order_is_fitted_to_more_and_fewer_tokens():
    longer = shown(w.with_tokens(CAT, tuple("abcdef")), tokens=TWISTED)
    assert order.order_of(longer) == (3, 0, 2, 1, 4, 5)
    assert order.order_of(shown(w.with_tokens(CAT, ("a", "b")), tokens=TWISTED)) == (0, 1)
    assert link.decode(link.encode(longer)) == longer


def test_words_and_orders_travel_as_data():
    """Neither a shuffle nor another language draws the picture anew."""
    apps = [opened("order", "en"), opened("order", "zh", shown(CAT, tokens=TWISTED, encoding="rope"))]
    for chart in (0, 1):
        assert len({app.get("vega_lite_chart")[chart].proto.spec for app in apps}) == 1


@pytest.mark.parametrize("room", [318, 560, 880, 1240])
@pytest.mark.parametrize(("n", "columns"), [(1, 1), (4, 4), (12, 16), (12, 1)])
def test_the_shuffle_test_fits_its_room(room, n, columns):
    width, _ = order_pictures.plan(n, columns, room).size(n, columns)
    assert width <= room


def test_as_tables_every_difference_keeps_its_digits():
    app = opened("order", "en", shown(CAT, tokens=TWISTED))
    app.toggle(key="order_tables").set_value(True).run()
    assert_well(app)
    table = next(m.value for m in app.markdown if m.value.startswith("|") and "e−1" in m.value)
    trial = trial_of(code(app))
    assert display.residual(trial.residual) in table


def test_the_page_offers_what_a_link_can_hold():
    from ui import order_parts

    fits = {name.removeprefix("order."): view.fits for name, view in views.VIEWS.items() if name.startswith("order.")}
    offered = {
        "encoding": order.ENCODINGS, "part": order.PARTS, "d": order_parts.COLUMNS, "n": (2, order.MOST_POSITIONS),
        "p": (0, order.MOST_POSITIONS - 1), "k": (0, order.MOST_POSITIONS - 1), "s": (0, order.MOST_SHIFT),
        "heads": (1, order.MOST_HEADS), "head": (1, order.MOST_HEADS), "pair": (1, w.MAX_D // 2), "mask": (False, True),
        "guess": [f"{encoding} {answer}" for encoding in order.ENCODINGS for answer in ("same", "other")],
    }  # fmt: skip
    for name, values in offered.items():
        assert all(fits[name](value) for value in values), name
    assert set(fits) == {*offered, "tokens"}
