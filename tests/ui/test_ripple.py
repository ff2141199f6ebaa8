"""What an edit did: differences that add up, and sentences whose numbers are the cells' own."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from ui import challenges, changes, display, ripple
from ui import workbench as w
from ui.names import numbered
from ui.ripple import Since
from ui.text import LANGUAGES, Text

CAT = w.preset("cat")
EN = Text("ripple", "en")
AMOUNT = re.compile(r"(?<!合起来)[(（](?:(?:about|约) )?([+−]\d\.\d+)[)）]")
PRINTED = re.compile(r"[(（](about |约 |≈)?([+−]\d(?:\.\d+)?)(?: together)?[)）]")


def drawn(seed):
    """A workbench with numbers of every size, a scale and perhaps a mask."""
    rng = np.random.default_rng(seed)
    bench = w.with_tokens(CAT, tuple(f"t{i}" for i in range(rng.integers(1, 8))))
    bench = w.resized(bench, d_k=int(rng.integers(1, 7)), d_v=int(rng.integers(1, 7)))
    spread = 10.0 ** rng.integers(-2, 3)
    matrices = {name: w.from_floats(spread * rng.standard_normal(np.shape(m))) for name, m in bench.matrices.items()}
    bench = replace(bench, matrices=matrices, scale=str(rng.choice(w.SCALES)), route=str(rng.choice(w.ROUTES)))
    return w.with_mask(bench, str(rng.choice(["none", "causal"])))


def edited(bench, seed):
    """The same after one to three typed numbers, and now and then another scale or mask."""
    rng = np.random.default_rng(1000 + seed)
    names = w.DIRECT if bench.route == "direct" else w.INPUT
    for _ in range(rng.integers(1, 4)):
        name = str(rng.choice(names))
        i, j = (int(rng.integers(size)) for size in np.shape(bench.matrices[name]))
        bench = w.with_cells(bench, name, {(i, j): w.numbers.text_of(rng.standard_normal() * 3, 2)})
    if rng.random() < 0.3:
        n = len(bench.tokens)
        bench = w.with_allowed(bench, {(int(rng.integers(n)), k): False for k in range(rng.integers(1, n + 1))})
    return replace(bench, scale=str(rng.choice(w.SCALES))) if rng.random() < 0.3 else bench


PAIRS = [(old := drawn(seed), edited(old, seed)) for seed in range(300)]


def told(old, new, lang="en"):
    text = Text("ripple", lang)
    return ripple.story(old, new, text, numbered(new.tokens, text))


def cells(bench, name, **typed):
    return w.with_cells(bench, name, {(int(at[1]), int(at[2])): text for at, text in typed.items()})


# Differences


def test_differences_of_weights_add_up_to_what_rows_gained():
    for old, new in PAIRS:
        before, now, delta = Since(old, new).of("weights")
        np.testing.assert_allclose(delta.sum(axis=1), now.sum(axis=1) - before.sum(axis=1), atol=1e-8)
        for row, a, b in zip(delta, before, now, strict=True):
            if a.any() and b.any():
                assert ripple.total(row) == "0"


def test_differences_are_now_minus_before():
    for old, new in PAIRS:
        since = Since(old, new)
        for name, b in ripple.values(new).items():
            a, delta = ripple.values(old)[name], since.delta[name]
            both = np.isfinite(a) & np.isfinite(b)
            with np.errstate(invalid="ignore"):
                expected = b - a
            np.testing.assert_allclose(delta[both], expected[both], atol=1e-7 * (1 + np.abs(b[both]).max(initial=0)))
            assert (delta[np.isfinite(a) & ~np.isfinite(b)] == -np.inf).all()
            assert (delta[~np.isfinite(a) & np.isfinite(b)] == np.inf).all()
            assert np.isnan(delta[~np.isfinite(a) & ~np.isfinite(b)]).all()


def test_rounding_in_the_last_bits_is_no_difference():
    """All scores of a row shifted alike: softmax gives other last bits, and the same weights."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        keys = w.from_floats(rng.standard_normal((4, 4)))
        bench = replace(CAT, matrices={**CAT.matrices, "K": tuple((*row[:3], "1") for row in keys)})
        shifted = w.with_cells(bench, "Q", {(1, 3): w.numbers.text_of(100 * rng.standard_normal(), 2)})
        since = Since(bench, shifted)
        assert since.delta["scores"].any()
        assert not since.delta["weights"].any()
        assert not since.delta["output"].any()
        assert "softmax sees only their differences" in told(bench, shifted)


def test_nothing_differs_from_itself():
    for old, _ in PAIRS[:50]:
        assert all(not np.nan_to_num(delta).any() for delta in Since(old, old).delta.values())
        assert told(old, old) == ""


def test_a_tooltip_adds_up_or_says_that_it_is_rounded():
    rng = np.random.default_rng(0)
    for a, b in rng.standard_normal((2000, 2)):
        old, _, new, by = re.fullmatch(r"(\S+) (→) (\S+) \((\S+)\)", ripple.step(a, b, b - a, EN)).groups()
        if "≈" not in old + new + by:
            assert round(number(new) - number(old), 9) == number(by)
        assert number(by.replace("≈", "")) == pytest.approx(b - a, abs=0.0000501)
    assert ripple.step(-math.inf, 2.5, math.inf, EN) == "−∞ → 2.5000 (no longer masked)"
    assert ripple.step(2.5, -math.inf, -math.inf, EN) == "2.5000 → −∞ (masked now)"
    assert ripple.step(-math.inf, -math.inf, math.nan, EN) == "−∞ (masked before and now)"


def number(text):
    return float(text.replace("−", "-").replace("+", "").replace("≈", ""))


# The story

#: What a story says if no weight changed, and only then.
STILL = {
    "en": ("changed no weight", "no weight changed", "no weight and no output", "but no weight", "any weight to move",
           "changed nothing at all"),
    "zh": ("没有改变任何权重", "权重一个也没变", "权重和输出都没变", "权重一个也没动", "什么也没有改变"),
}  # fmt: skip


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_number_of_a_story_is_a_cells(lang):
    """Amounts in brackets are differences as cells print them; nothing is said to have moved by 0."""
    for old, new in PAIRS:
        story = told(old, new, lang)
        since = Since(old, new)
        printed = {ripple.change(float(x), d) for x in since.delta["weights"].ravel() for d in (2, 3, 4)}
        filled = {ripple.change(float(x), d) for x in since.of("weights")[1].ravel() for d in (2, 3, 4)}
        assert set(AMOUNT.findall(story)) <= printed | filled
        assert not re.search(r"(?<![\d.])[+−]?0\.00(?!\d)", story)
        assert "<<" not in story
        assert "nan" not in story.lower()
        assert since.delta["weights"].any() != any(words in story for words in STILL[lang]), story


@pytest.mark.parametrize("lang", LANGUAGES)
def test_losses_and_gains_add_up_as_printed_or_are_said_to_be_rounded(lang):
    added_up = 0
    for old, new in PAIRS:
        story = told(old, new, lang)
        found = PRINTED.findall(story)
        if found and not any(rounded for rounded, _ in found):
            added_up += 1
            total = sum(display.printed(amount) for _, amount in found)
            assert total == ("something to attend to again" in story or "又有得看了" in story), story
    assert added_up > 50


def test_traces_that_are_only_seen_together_are_counted():
    """As many tokens as give one a hundredth, none of which gives as much alone."""
    bench = w.with_tokens(CAT, tuple("abcdefgh"))
    bench = replace(bench, matrices={name: w.from_floats(np.zeros((8, 4))) for name in bench.matrices})
    new = cells(cells(bench, "Q", _00="1"), "K", _00="0.1")
    assert "moved a’s attention from 7 others (−0.01 together) to a (+0.01)" in told(bench, new)


def test_the_row_that_is_named_moved_most():
    for old, new in PAIRS:
        delta = Since(old, new).delta["weights"]
        others = int((np.abs(delta).sum(axis=1) > 0).sum()) - 1
        story = told(old, new)
        if others > 0:
            most = new.tokens[int(np.maximum(delta.clip(0).sum(1), (-delta).clip(0).sum(1)).argmax())]
            assert f"{most}’s attention" in story or f" {most} " in story
            assert ("one other row" if others == 1 else f"{others} other rows") in story


UNOFFERED = cells(CAT, "K", _01="0", _11="0", _21="0", _31="0")
UNASKED = cells(CAT, "Q", _03="0", _13="0", _23="0", _33="0")
UNSEEN = w.with_allowed(CAT, {(i, 3): False for i in range(4)})
ONE_KEY = w.with_allowed(CAT, {(i, k): k == (i > 1) for i in range(4) for k in range(4)})
ONLY_TWO = w.with_allowed(CAT, {(1, 1): False, (1, 3): False})


@pytest.mark.parametrize(
    ("old", "new", "en", "zh"),
    [
        (ONLY_TWO, cells(ONLY_TWO, "Q", _12="2"),
         "Raising Q[追, 3] by 0.50 moved 0.03 of 追’s attention from 猫 to 老鼠.",
         "把 Q[追, 3] 调高 0.50，使「追」把 0.03 的注意力从「猫」移到了「老鼠」。"),
        (CAT, cells(CAT, "Q", _10="2.5"),
         "Raising Q[追, 1] by 0.50 moved 追’s attention "
         "from 追 (−0.024), 的 (−0.012) and 老鼠 (−0.011) to 猫 (+0.047).",
         "把 Q[追, 1] 调高 0.50，使「追」的注意力"
         "从「追」（−0.024）、「的」（−0.012）、「老鼠」（−0.011）移到了「猫」（+0.047）。"),
        (CAT, cells(CAT, "Q", _10="1.999"),
         "Lowering Q[追, 1] by 0.001 moved 0.0001 of 追’s attention from 猫 to 追.",
         "把 Q[追, 1] 调低 0.001，使「追」把 0.0001 的注意力从「猫」移到了「追」。"),
        (CAT, cells(CAT, "Q", _10="1.999999"), "moved less than 0.0001 of 追’s attention.", "不到 0.0001。"),
        (CAT, cells(CAT, "Q", _11="1000000"), "追 now looks at 追 alone (1.00), softmax is saturated there.",
         "「追」现在只看「追」（1.00），softmax 在这里饱和了。"),
        (cells(CAT, "Q", _11="1000000"), cells(CAT, "Q", _11="999999"),
         "changed scores, but no weight: softmax is saturated", "softmax 已经饱和"),
        (CAT, cells(CAT, "V", _10="2.5"),
         "Raising V[追, 1] by 2.50 changed no weight; the output of 猫 moved by +0.72 in component 1; "
         "3 other rows changed, by less.",
         "没有改变任何权重；「猫」的输出第 1 维变了 +0.72；另有 3 行也变了，但变得少些。"),
        (CAT, cells(CAT, "V", _10="0.000001"), "the output of 猫 moved by less than 0.0001 in component 1",
         "不到 0.0001"),
        (UNOFFERED, cells(UNOFFERED, "Q", _11="7"), "Raising Q[追, 2] by 6.00 changed nothing at all: "
         "no key has anything in dimension 2.",
         "把 Q[追, 2] 调高 6.00，什么也没有改变：没有哪个键在第 2 维上有内容。"),
        (UNASKED, cells(UNASKED, "K", _13="5"),
         "no query asks for anything in dimension 4.", "没有哪个查询要找第 4 维的内容。"),
        (UNSEEN, cells(UNSEEN, "V", _31="9"), "changed nothing at all: nobody gives 的 any weight.",
         "谁也没有给「的」一点权重。"),
        (UNSEEN, cells(UNSEEN, "K", _31="9"), "changed only scores that no weight comes from",
         "只改变了被掩码挡住的分数"),
        (ONE_KEY, cells(ONE_KEY, "K", _00="3"),
         "moved all scores that 猫 can see (②) by the same +1.88 (those of one other row too, by less), "
         "and softmax sees only their differences: no weight changed.",
         "使「猫」看得见的分数（②）全都变了同样的 +1.88（另有 1 行也这样，但变得少些）；"
         "softmax 只看分数之差，所以权重一个也没变。"),
        (CAT, cells(CAT, "X", _00="9"), "Q, K and V are typed", "现在从 Q、K、V 改起"),
        (replace(CAT, route="input"), cells(replace(CAT, route="input"), "Q", _00="9"), "come from X",
         "现在从输入 X 和 W 改起"),
        (CAT, cells(CAT, "Q", _11="1/1"), "Writing Q[追, 2] as 1/1 instead of 1 changed nothing at all.",
         "把 Q[追, 2] 从 1 改写成 1/1，什么也没有改变。"),
        (CAT, replace(CAT, scale="none"), "Changing the scale from “÷ √d_k” to “none” moved",
         "把缩放从「÷ √d_k」换成「不缩放」，使"),
        (CAT, replace(CAT, mask="causal"), "Changing the mask from “none” to “causal” moved",
         "把掩码从「无」换成「因果」，使"),
        (CAT, replace(CAT, route="input"),
         "Changing the way in from “Q, K, V” to “X and W’s” changed nothing at all.",
         "什么也没有改变。"),
        (CAT, w.resized(CAT, d_k=6), "Changing d_k from 4 to 6 moved", "把 d_k 从 4 改成 6，使"),
        (ONLY_TWO, w.with_allowed(ONLY_TWO, {(1, 0): False}),
         "Hiding 猫 from 追 moved 0.53 of 追’s attention from 猫 to 老鼠.",
         "不让「追」看「猫」，使「追」把 0.53 的注意力从「猫」移到了「老鼠」。"),
        (ONLY_TWO, w.with_allowed(ONLY_TWO, {(1, 1): True}), "Letting 追 see 追 moved 追’s attention",
         "让「追」能看「追」，使"),
        (CAT, w.with_allowed(CAT, {(1, j): False for j in range(4)}),
         "left 追 nothing to attend to: all its weights are 0 now.", "使「追」谁也看不到了：它的权重现在全是 0。"),
        (w.with_allowed(CAT, {(1, j): False for j in range(4)}), w.with_allowed(CAT, {(1, 0): False}),
         "gave 追 something to attend to again:", "又有得看了："),
        (CAT, challenges.begun(CAT, "uniform"), "Opening “All alike” moved", "打开「一视同仁」，使"),
        (CAT, cells(cells(CAT, "Q", _00="9", _11="8"), "K", _00="3"), "Your 3 changes moved", "你的 3 处改动，使"),
        (cells(CAT, "Q", _00="9", _11="8"), CAT, "Going back to the prepared numbers moved", "回到准备好的数，使"),
        (CAT, w.with_tokens(CAT, ("a", "b")), "stand for other tokens now (tokens: 猫 追 老鼠 的 → a b)",
         "代表的词元变了"),
        (CAT, w.preset("twins"), "(opened: Two dogs that look alike)", "（打开：两只分不开的狗）"),
        (CAT, w.resized(CAT, d_v=6), "other sizes now (d_v: 4 → 6)", "尺寸变了（d_v：4 → 6）"),
        (w.random(CAT.tokens, 4, 4, 1), w.random(CAT.tokens, 4, 4, 2), "Opening “Random numbers, seed 2” moved",
         "打开「随机数，种子 2」，使"),
        (CAT, replace(CAT, token=3, n_heads=4, cell=("scores", 0, 0, -1)), "", ""),
    ],
)  # fmt: skip
def test_stories(old, new, en, zh):
    assert en in told(old, new)
    assert bool(en) == bool(told(old, new))
    assert zh in told(old, new, "zh")


def test_several_lose_and_only_some_are_named():
    bench = w.with_tokens(CAT, tuple("abcdefgh"))
    bench = replace(bench, matrices={**bench.matrices, "K": tuple((str(-i), "0", "0", "0") for i in range(8))})
    new = cells(bench, "Q", _00="1")
    delta = Since(bench, new).delta["weights"][0]
    first, second, *rest = (k for k in np.argsort(-delta) if delta[k] > 0)
    named = ", ".join(f"{bench.tokens[k]} ({ripple.change(delta[k])})" for k in (first, second))
    assert f"{named} and {len(rest)} others ({ripple.change(delta[rest].sum())} together)" in told(bench, new)


def test_repeated_tokens_are_told_apart():
    twins = w.preset("twins")
    assert "1 狗" in told(twins, cells(twins, "K", _00="5"), "zh")


# Changes


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (cells(CAT, "Q", _11="-0.5"), "Q[追, 2]: 1 → −0.5"),
        (cells(CAT, "W_K", _23="9"), "W_K[3, 4]: 2 → 9"),
        (cells(CAT, "Q", _11="5", _12="6"), "Q[追, 2]: 1 → 5; Q[追, 3]: 1.5 → 6"),
        (cells(cells(CAT, "Q", _11="5", _12="6"), "K", _00="7"), "3 numbers in Q, K"),
        (replace(CAT, scale="none", mask="causal"), "mask: none → causal; scale: ÷ √d_k → none"),
        (replace(CAT, route="input"), "way in: Q, K, V → X and W’s"),
        (replace(CAT, token=2), "whose output: 追 → 老鼠"),
        (replace(CAT, n_heads=4), "a setting of “Multi-head attention”"),
        (w.resized(CAT, d_k=5, d_v=6), "d_k: 4 → 5; d_v: 4 → 6"),
        (w.preset("saturated"), "opened: Saturation"),
        (w.random(CAT.tokens, 4, 4, 7), "opened: Random numbers, seed 7"),
        (w.with_tokens(CAT, ("a", "b")), "tokens: 猫 追 老鼠 的 → a b"),
        (w.with_tokens(CAT, tuple("长" * 12 for _ in range(12))),
         "tokens: 猫 追 老鼠 的 → " + ("长" * 12 + " ") * 2 + "长" * 10 + "…"),
    ],
)  # fmt: skip
def test_a_step_in_a_few_words(new, said):
    found = changes.between(CAT, new)
    old = next((c.old for c in found if c.name == "W_K"), None)
    assert changes.described(found, CAT.tokens, EN) == (said.replace("2 → 9", f"{old} → 9") if old else said)


def test_steps_of_ones_own_mask():
    causal = w.with_allowed(CAT, {})
    one = w.with_allowed(causal, {(1, 0): False})
    three = w.with_allowed(causal, {(0, k): False for k in range(3)})
    assert changes.described(changes.between(causal, one), CAT.tokens, EN) == "mask: 追 may not attend to 猫"
    assert changes.described(changes.between(one, causal), CAT.tokens, EN) == "mask: 追 may attend to 猫"
    assert changes.described(changes.between(causal, three), CAT.tokens, EN) == "mask: 3 cells"


BEGUN = challenges.begun(replace(CAT, token=3), "uniform")
TRIED = cells(cells(BEGUN, "Q", _00="7", _01="7"), "K", _00="7")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (CAT, BEGUN, "opened: All alike"),
        (w.preset("twins"), replace(BEGUN, token=0, cell=("scores", 0, 0, -1)), "opened: All alike"),
        (TRIED, challenges.begun(TRIED, "only_keys"), "opened: An idle key"),
        (BEGUN, TRIED, "3 numbers in Q, K"),
        (TRIED, BEGUN, "back to the prepared numbers"),
        (TRIED, replace(BEGUN, token=0), "back to the prepared numbers; whose output: 追 → 猫"),
        (BEGUN, replace(BEGUN, challenge=""), "a setting of “Challenges”"),
        (TRIED, w.preset("twins"), "opened: Two dogs that look alike"),
    ],
)
def test_steps_into_and_out_of_a_challenge(old, new, said):
    assert changes.described(changes.between(old, new), CAT.tokens, EN) == said


def test_looking_is_no_change():
    assert changes.between(CAT, replace(CAT, cell=("scores", 0, 0, -1))) == ()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_random_step_can_be_described(lang):
    text = Text("ripple", lang)
    for old, new in PAIRS:
        found = changes.between(old, new)
        said = changes.described(found, new.tokens, text)
        assert "<<" not in said
        assert not re.search(r"-\d", said), "a hyphen is no minus sign"
        assert bool(found) == (old != new)
    assert changes.described((), (), text) == text("step_other")
