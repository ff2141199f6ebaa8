"""Every printed line is true: parsed back from its KaTeX and computed again, by a reader who knows only arithmetic."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from ui import formulas, numbers, places, workbench
from ui.derivation import blocks, folds, label, tip, title
from ui.origins import derive, spelling
from ui.places import Place
from ui.text import LANGUAGES, Text, catalogue, linked
from ui.workbench import Workbench

EN = Text("edit", "en")
HOSTILE = ("$x$", r"\frac{", "}%#&_^~", "a`b'c\"", "--", "[x](y)", "<b>", "Ａ：😀", "e\u0301x\u0338≠∑", "123456789012")


# What the formulas say, read by their KaTeX alone


class Chain(NamedTuple):
    """left = a ≈ b …: what stands between the signs, and the signs."""

    parts: tuple[str, ...]
    signs: tuple[str, ...]  # signs[k] stands before parts[k + 1]


def chains(block: str) -> list[Chain]:
    """The chains of a displayed formula; a row that begins with neither a sign nor a space begins a new one."""
    body = block.removeprefix("$$\n\\begin{aligned}\n").removesuffix("\n\\end{aligned}\n$$")
    assert body != block
    found: list[str] = []
    for printed in body.split(" \\\\\n"):
        row = plain(printed.removeprefix("& "))
        assert not re.search(r"[0-9.][eE]", row), "a power of ten as computers write it"
        if found and row.lstrip().startswith(("=", r"\approx", r"\quad")):
            found[-1] += row.replace(r"\quad", "")
        else:
            found.append(row)
    return [Chain(*(tuple(re.split(r"=|\\approx|\\longrightarrow", row)), tuple(
        re.findall(r"=|\\approx|\\longrightarrow", row)))) for row in found]  # fmt: skip


def plain(tex: str) -> str:
    """Without colours, and with words as a single ?."""
    tex = re.sub(r"\\text\{(?:[^{}\\]|\\[{}%#&_()]|\\text\w+\{\}|\{.\})*\}", "?", tex)
    while (start := tex.find(r"\textcolor{#")) >= 0:
        inner = tex.index("{", tex.index("}", start))
        end = closing(tex, inner)
        tex = tex[:start] + tex[inner + 1 : end] + tex[end + 1 :]
    return tex.replace("{}+", "+").replace(r"{}\times", r"\times").replace(r"\;", "").replace(formulas.STRUT, "")


def closing(tex: str, start: int) -> int:
    depth = 0
    for k in range(start, len(tex)):
        depth += {"{": 1, "}": -1}.get(tex[k], 0)
        if not depth:
            return k
    raise AssertionError(tex)


def is_number(tex: str) -> bool:
    """Whether a part holds numbers alone: no symbols but those of arithmetic."""
    return not re.search(r"[a-zA-Z?]", re.sub(r"\\(frac|tfrac|sqrt|max|times|cancel|infty)|e\^", "", tex))


def terms(tex: str) -> list[Fraction]:
    """The values of the terms of a sum; what is crossed out does not count."""
    tex = re.sub(r"\\times10\^\{(-?\d+)\}", r"e\1", tex)
    tex = re.sub(r"\\cancel\{[^{}]*\}", "0", tex)
    return [value(term) for term in re.split(r"(?<![e({,])\+", tex)]


def value(tex: str) -> Fraction:
    code = tex.replace(r"\times ", "*").replace(r"\infty", "INF").replace(r"\sqrt", "root").replace(r"\max", "most")
    for name in (r"\tfrac", r"\frac"):
        while (start := code.find(name)) >= 0:
            middle = closing(code, start + len(name))
            end = closing(code, middle + 1)
            above, below = code[start + len(name) + 1 : middle], code[middle + 2 : end]
            code = f"{code[:start]}(({above})/({below})){code[end + 1 :]}"
    code = code.replace("e^{", "power{").replace("{", "(").replace("}", ")")
    code = re.sub(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?", lambda match: f"N('{match[0]}')", code)
    return eval(compiled(code.strip()), {"__builtins__": {}}, NAMES)


@cache
def compiled(code: str):
    return compile(code, code, "eval")


class Infinity(Fraction):
    def __neg__(self):
        return Fraction(-(10**40))  # a power of e that is 0, and smaller than any number here


NAMES = {
    "N": Fraction, "INF": Infinity(0), "root": lambda x: Fraction(math.sqrt(x)), "most": lambda *xs: max(xs),
    "power": lambda x: Fraction(math.exp(max(float(x), -1e300))),
}  # fmt: skip


def unit(literal: str) -> float:
    """The unit of the last digit of a printed number; two decimals for a plain 0."""
    mantissa, _, power = literal.strip(" ()-").partition(r"\times10^")
    decimals = len(mantissa.partition(".")[2]) if "." in mantissa or mantissa != "0" else 2
    return 10.0 ** (int(power.strip("{}")) - decimals if power else -decimals)


def claims_nothing(chain: Chain) -> bool:
    """Whether this is the one general formula, or what a mask makes of a number."""
    return r"\longrightarrow" in chain.signs or chain.parts == ("u_k ", " e^{z_k-m}")


def numeric(chain: Chain) -> Iterator[tuple[str, list[Fraction], tuple[str, ...]]]:
    """The parts that are numbers, with their terms and the signs that follow."""
    for k, part in enumerate(chain.parts):
        if is_number(part):
            yield part, terms(part), chain.signs[k:]


# Benches of all kinds


def bench_of(seed: int, *, extreme: bool = False) -> Workbench:
    """A bench with sizes that differ, numbers of all spellings, and every switch somewhere."""
    draw = random.Random(seed)
    heads = draw.choice([1, 2, 3, 4])
    n, d_k, d_v, d_model = draw.sample(range(1, 12), 3) + [heads * draw.choice([1, 2, 3, 4])]
    bench = workbench.random(tuple("甲乙丙丁戊己庚辛壬癸子丑"[:n]), d_k, d_v, seed)
    bench = workbench.with_heads(workbench.resized(bench, d_model=d_model), heads)
    for name in workbench.SHAPES:
        rows, columns = np.shape(bench.matrices[name])
        cells = {(i, j): spelled(draw, extreme) for i in range(rows) for j in range(columns)}
        bench = workbench.with_cells(bench, name, cells)
    if draw.random() < 0.5:
        bench = workbench.with_typed_head(bench, draw.randrange(heads))
    if heads > 1 and draw.random() < 0.3:
        bench = workbench.with_twins(bench, True)
    allowed = ["".join(draw.choice("01") if draw.random() < 0.8 else "0" for _ in range(n)) for _ in range(n)]
    if n > 1:
        allowed[draw.randrange(n)] = "0" * n
    return replace(
        bench, route=draw.choice(workbench.ROUTES), scale=draw.choice(workbench.SCALES), allowed=tuple(allowed),
        mask=draw.choice(workbench.MASKS), heads_off=tuple(h for h in range(heads) if draw.random() < 0.3),
    )  # fmt: skip


def spelled(draw: random.Random, extreme: bool) -> str:
    kinds = [
        lambda: f"{draw.gauss(0, 1):.2f}", lambda: f"{draw.gauss(0, 1):.3f}", lambda: f"{draw.gauss(0, 1):.12f}",
        lambda: str(draw.randrange(-3, 4)), lambda: "1/3", lambda: "-2/7", lambda: "0",
    ]  # fmt: skip
    if extreme:
        kinds += [lambda: "1000000", lambda: "-1000000", lambda: f"{draw.gauss(0, 1e5):.3f}", lambda: "1e-9",
                  lambda: "999999.9999"]  # fmt: skip
    return numbers.canonical(draw.choice(kinds)())


def some_places(bench: Workbench, draw: random.Random, count: int) -> Iterator[Place]:
    """Cells of every stage there is, here and there."""
    everywhere = [
        (stage, head) for head in range(-1, bench.n_heads) for stage in places.NAMES if places.shape(bench, stage, head)
    ]
    for _ in range(count):
        stage, head = draw.choice(everywhere)
        rows, columns = places.shape(bench, stage, head)
        yield Place(stage, draw.randrange(rows), draw.randrange(columns), head)


def shown_value(bench: Workbench, place: Place) -> float:
    """What the page shows in that cell, looked up the way the page does."""
    stage, i, j, head = place
    if stage in ("concat", "combined", "contribution"):
        steps = workbench.head_steps(bench)
        array = {"concat": steps.concat, "combined": steps.output, "contribution": steps.contributions[head]}[stage]
    elif head >= 0:
        source = workbench.multi_head(bench) if stage[:2] == "W_" else workbench.head_steps(bench)
        array = getattr(source.heads if stage in places.STAGES else source, stage)[head]
    elif stage in places.STAGES:
        array = getattr(bench.steps(), stage)
    else:
        array = dict(zip("QKV", bench.qkv(), strict=True)).get(stage)
        array = bench.array(stage) if array is None else array
    return float(array[i, j])


CASES = [(seed, extreme) for extreme in (False, True) for seed in range(20)]


@pytest.mark.parametrize(("seed", "extreme"), CASES)
def test_every_line_computed_again_gives_the_number_on_screen(seed, extreme):
    bench = bench_of(seed, extreme=extreme)
    for place in some_places(bench, random.Random(seed), 50):
        found = derive(bench, place)
        on_screen = shown_value(bench, place)
        assert found.value == on_screen
        assert found.place == place
        formulas_only = blocks(found, bench, EN, across=4, full=True, exact=True)[1::2]
        last = [c for block in formulas_only for c in chains(block)][-1]
        assert value(re.sub(r"\\times10\^\{(-?\d+)\}", r"e\1", last.parts[-1])) == as_fraction(on_screen), place
        for block in formulas_only:
            for chain in chains(block):
                check_exact(chain)


def check_exact(chain: Chain) -> None:
    if claims_nothing(chain):
        return
    *before, (_, end, _) = numeric(chain)
    assert len(end) == 1
    for part, each, _ in before:
        size = float(sum(map(abs, each)))
        assert abs(float(sum(each) - end[0])) <= 1e-9 * abs(float(end[0])) + 1e-14 * size, (part, chain)


def as_fraction(x: float) -> Fraction:
    return Fraction(-(10**40)) if math.isinf(x) else Fraction(repr(x))


@pytest.mark.parametrize(("seed", "extreme"), CASES)
def test_no_sign_of_equality_lies_at_the_digits_it_stands_between(seed, extreme):
    bench = bench_of(seed + 1000, extreme=extreme)
    for place in some_places(bench, random.Random(seed), 50):
        for block in blocks(derive(bench, place), bench, EN, across=2, full=True)[1::2]:
            assert not re.search(r"nan|inf(?!ty)|≈|(?<!-)\\infty", block), block
            for chain in chains(block):
                check_shown(chain)


def check_shown(chain: Chain) -> None:
    """Each part that = connects with the result comes to it, rounded; each product is that of its factors."""
    if claims_nothing(chain):
        return
    found = list(numeric(chain))
    end, (result,), _ = found[-1]
    for k, (part, each, signs) in enumerate(found[:-1]):
        slack = 2e-15 * float(sum(map(abs, each)))
        near = 0.500001 if r"\approx" not in signs else 6
        assert abs(float(sum(each) - result)) <= near * unit(end) + slack, (part, chain)
        if len(each) > 1 and k + 2 < len(found) and signs[0] == "=":
            then, products, _ = found[k + 1]
            for x, y, text in zip(each, products, re.split(r"\+", then), strict=True):
                assert abs(float(x - y)) <= 0.500001 * unit(text) + 2e-15 * abs(float(x)), (text, chain)


def test_equality_is_what_is_printed_as_a_rule():
    """≈ is for the few lines that no digits help."""
    signs = []
    for seed in range(20):
        bench = bench_of(seed)
        for place in some_places(bench, random.Random(seed), 40):
            found = derive(bench, place)
            if found.lines[0].kind != "given":
                signs += [sign for block in blocks(found, bench, EN, across=4)[1::2]
                          for chain in chains(block) for sign in chain.signs]  # fmt: skip
    assert signs.count(r"\approx") < 0.02 * len(signs)


def test_a_third_three_times_gets_the_digit_it_needs():
    bench = workbench.resized(workbench.random(("a",), 3, 1, 0), d_k=3)
    for name, text in (("Q", "1/3"), ("K", "1")):
        bench = workbench.with_cells(bench, name, {(0, j): text for j in range(3)})
    block = blocks(derive(bench, Place("scores", 0, 0)), bench, EN, across=8)[1]
    assert chains(block)[0].parts[-2:] == (" 0.333+0.333+0.333", " 1.00")
    assert set(chains(block)[0].signs) == {"="}


def test_rounding_errors_are_not_passed_off_as_sums():
    cat = workbench.preset("cat")
    bench = workbench.with_cells(cat, "Q", {(0, j): x for j, x in enumerate(("0.1", "0.2", "-0.3", "0"))})
    bench = workbench.with_cells(bench, "K", {(0, j): "1" for j in range(4)})
    block = blocks(derive(bench, Place("scores", 0, 0)), bench, EN, across=8)[1]
    assert re.search(r"0\.10\+0\.20\+\(-0\.30\)\+0 ?\\approx \d\.\d\d\\times10\^\{-17\}", "".join(
        part + sign for chain in chains(block) for part, sign in zip(chain.parts, (*chain.signs, ""), strict=True)
    ))  # fmt: skip


# Walking back


@pytest.mark.parametrize("seed", range(8))
def test_following_the_operands_ends_at_what_was_typed_or_drawn(seed):
    bench = bench_of(seed)
    for place in some_places(bench, random.Random(seed), 12):
        reached, seen = [derive(bench, place)], set()
        for _ in range(12):
            ends = [each for each in reached if not each.operands]
            assert {each.place.stage for each in ends} <= {*places.TYPED, "W_O"}
            following = {operand for each in reached for operand in each.operands} - seen
            seen |= following
            reached = [derive(bench, operand.place) for operand in following]
            assert all(places.exists(bench, each.place) for each in reached)
            assert {(each.place, each.value) for each in reached} == following
        assert not reached


def test_operands_are_the_cells_one_step_back_in_reading_order():
    bench = replace(workbench.preset("cat"), mask="causal", route="input")
    stages = {
        Place("Q", 1, 2): [*(Place("X", 1, c) for c in range(4)), *(Place("W_Q", c, 2) for c in range(4))],
        Place("scores", 1, 2): [*(Place("Q", 1, c) for c in range(4)), *(Place("K", 2, c) for c in range(4))],
        Place("masked", 1, 2): [Place("scores", 1, 2)],
        Place("weights", 1, 2): [Place("masked", 1, c) for c in range(4)],
        Place("output", 1, 2): [*(Place("weights", 1, c) for c in range(4)), *(Place("V", c, 2) for c in range(4))],
        Place("contribution", 1, 2, 1): [
            *(Place("output", 1, c, 1) for c in range(2)), *(Place("W_O", c, 2, 1) for c in range(2))
        ],
        Place("concat", 1, 2): [Place("output", 1, 0, 1)],
        Place("combined", 1, 2): [Place("contribution", 1, 2, h) for h in range(2)],
        Place("W_Q", 1, 2): [],
    }  # fmt: skip
    for place, expected in stages.items():
        assert [operand.place for operand in derive(bench, place).operands] == expected


def test_a_twin_leads_to_head_1_and_from_there_to_what_was_typed():
    bench = workbench.with_twins(workbench.with_typed_head(workbench.preset("cat"), 0), True)
    (back,) = derive(bench, Place("W_K", 1, 1, 1)).operands
    assert back.place == Place("W_K", 1, 1, 0)
    assert spelling(bench, back.place) == bench.matrices["H_K"][1][1]


# Words


def ids_of(bench: Workbench, place: Place) -> str:
    return " ".join(blocks(derive(bench, place), bench, EN, across=4)[::2])


def sentence(id: str) -> str:
    """The first words of a sentence, up to its first placeholder."""
    return linked(catalogue("trace", "en")[id].split("<<")[0], "en")


def test_each_situation_is_explained():
    cat = workbench.preset("cat")
    closed = replace(cat, mask="own", allowed=("1111", "0000", "1010", "1111"))
    heads = replace(cat, heads_off=(1,))
    far = workbench.with_cells(cat, "Q", {(1, 1): "1000000"})
    zero = workbench.with_cells(cat, "Q", {(0, 0): "0.1", (0, 1): "0.2", (0, 2): "-0.3", (0, 3): "0"})
    zero = workbench.with_cells(zero, "K", {(0, j): "1" for j in range(4)})
    cases = {
        "step_cancels": (zero, Place("scores", 0, 0)),
        "origin_input": (cat, Place("Q", 1, 1)), "origin_drawn": (cat, Place("W_O", 0, 0, 1)),
        "origin_typed_head": (workbench.with_typed_head(cat, 1), Place("W_Q", 0, 0, 1)),
        "origin_twin": (replace(cat, twins=True), Place("W_V", 0, 0, 1)),
        "step_project": (replace(cat, route="input"), Place("V", 0, 0)), "step_scores": (cat, Place("scores", 0, 0)),
        "step_scaled_sqrt": (cat, Place("scaled", 0, 0)),
        "step_scaled_none": (replace(cat, scale="none"), Place("masked", 0, 0)),
        "step_scaled_linear": (replace(cat, scale="linear"), Place("weights", 0, 0)),
        "step_masked_open": (closed, Place("masked", 2, 0)), "step_masked_closed": (closed, Place("masked", 2, 1)),
        "step_powers_masked": (closed, Place("weights", 2, 0)), "step_share_masked": (closed, Place("weights", 2, 1)),
        "step_largest": (cat, Place("weights", 0, 0)), "step_powers": (cat, Place("weights", 0, 0)),
        "step_total": (cat, Place("weights", 0, 0)), "step_share": (cat, Place("weights", 0, 0)),
        "step_powers_underflow": (far, Place("weights", 1, 0)), "step_empty": (closed, Place("weights", 1, 0)),
        "step_output": (cat, Place("output", 0, 0)), "step_contribution": (cat, Place("contribution", 0, 0, 0)),
        "step_concat_on": (heads, Place("concat", 0, 1)), "step_concat_off": (heads, Place("concat", 0, 2)),
        "step_combined": (cat, Place("combined", 0, 0)), "step_combined_off": (heads, Place("combined", 0, 0)),
        "step_combined_none": (replace(cat, heads_off=(0, 1)), Place("combined", 0, 0)),
        "folded": (workbench.resized(cat, d_k=16), Place("scores", 0, 0)),
    }  # fmt: skip
    for id, (bench, place) in cases.items():
        assert sentence(id) in ids_of(bench, place), id
    said = {id for id in catalogue("trace", "en") if id.startswith(("origin_", "step_", "folded"))}
    assert said == set(cases), "a sentence nobody says, or one that this test forgot"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_place_has_a_name_and_a_sentence_in_both_languages(lang):
    text = Text("heads", lang)
    bench = replace(bench_of(3), tokens=HOSTILE[: len(bench_of(3).tokens)])
    names = [f"row{i}" for i in range(len(bench.tokens))]
    labels = set()
    for head in range(-1, bench.n_heads):
        for stage in places.NAMES:
            if places.shape(bench, stage, head):
                place = Place(stage, 0, 0, head)
                labels.add(label(place, bench, text, names=names))
                said = title(derive(bench, place), bench, text, names=names)
                assert "<<" not in said
                assert "=" in said or stage == "contribution"
                if stage[:2] != "W_":
                    assert names[0] in said
                for block in blocks(derive(bench, place), bench, text, across=2):
                    assert "<<" not in block
    everything = [s for h in range(-1, bench.n_heads) for s in places.NAMES if places.shape(bench, s, h)]
    assert len(labels) == len(everything)


def test_names_of_places():
    cat = workbench.preset("cat")
    twice = replace(cat, tokens=("的", "a", "的", "b"))
    assert label(Place("weights", 0, 2), twice, EN) == "③ 1 的→3 的"
    assert label(Place("output", 1, 0), cat, EN) == "④ 追[1]"
    assert label(Place("output", 1, 0), cat, EN, names=["x", "追 chase", "y", "z"]) == "④ 追 chase[1]"
    assert label(Place("W_Q", 0, 1, 0), cat, EN) == "head 1 · W_Q[1, 2]"
    assert label(Place("contribution", 1, 0, 1), cat, EN) == "head 2 adds to 追[1]"
    assert label(Place("scaled", 1, 0), replace(cat, mask="causal"), EN) == "② 追·猫, before the mask"
    assert tip(Place("concat", 1, 2), "7", cat, EN) == "concat: 追, component 3, from head 2 = 7"
    assert tip(Place("concat", 1, 1), "7", cat, Text("edit", "zh")) == "concat：追，第 2 维，来自头 1 = 7"
    assert title(derive(cat, Place("masked", 1, 0, 1)), cat, Text("heads", "zh")).startswith("头 2 · ② 追（查询）对")


def test_drawn_numbers_are_not_called_exact():
    cat = workbench.preset("cat")
    formula = blocks(derive(cat, Place("W_O", 0, 0, 1)), cat, EN, across=2)[1]
    assert r"\approx" in formula
    assert r"\approx" not in blocks(derive(cat, Place("W_O", 0, 0, 1)), cat, EN, across=2, exact=True)[1]
    typed = workbench.with_cells(cat, "Q", {(0, 0): "1/3", (0, 1): "0.129"})
    assert r"= \frac{1}{3} \approx 0.33" in blocks(derive(typed, Place("Q", 0, 0)), typed, EN, across=2)[1]
    assert r"= 0.129" in blocks(derive(typed, Place("Q", 0, 1)), typed, EN, across=2)[1]
    score = blocks(derive(typed, Place("scores", 0, 0)), typed, EN, across=2)[1]
    assert r"\tfrac{1}{3}" in score
    assert "{0.129}" in score


# Folding, rows and tokens


def test_long_rows_fold_and_keep_what_matters():
    bench = workbench.resized(workbench.random(tuple("甲乙丙丁戊己庚辛壬癸子丑"), 16, 4, 5), d_k=16)
    bench = workbench.with_cells(bench, "Q", {(2, 9): "50"})
    found = derive(bench, Place("weights", 2, 7))
    assert folds(found)
    short, full = (blocks(found, bench, EN, across=4, full=full) for full in (False, True))
    assert r"\cdots" in short[1]
    assert "q_{10}" in short[1], "the largest product"
    assert "The dots stand for 11 more terms." in short[0]
    assert "{辛}" in "".join(short), "the key that the weight is about"
    assert r"\vdots" in "".join(short)
    assert not re.search(r"\\[cv]dots|The dots", "".join(full))
    assert len(short) == len(full)
    assert max(map(len, short)) < max(map(len, full))
    assert folds(derive(bench, Place("scores", 0, 0)))
    assert folds(derive(bench, Place("scaled", 0, 0))), "the score is its first step"
    assert not folds(derive(workbench.preset("cat"), Place("weights", 1, 2)))
    assert not folds(derive(bench, Place("Q", 0, 0)))


def test_shown_terms_hide_at_least_two():
    for count in range(1, 17):
        for important in ([], [0], [count - 1], [count // 2], [count // 2, count // 3]):
            kept = formulas.shown(count, important)
            there = [k for k in kept if k >= 0]
            assert there == sorted(set(there))
            assert {0, count - 1, *important} <= set(there)
            for before, after in zip([-1, *there], there, strict=False):
                assert after - before == 1 or after - before > 2


@pytest.mark.parametrize("across", [2, 4, 8])
def test_a_row_holds_no_more_terms_than_fit(across):
    for seed in range(6):
        bench = bench_of(seed, extreme=True)
        for place in some_places(bench, random.Random(seed), 30):
            for block in blocks(derive(bench, place), bench, EN, across=across, full=True)[1::2]:
                for printed in plain(block).split("\n"):
                    assert len(re.findall(r"\\times ", printed)) <= across
                    assert len(re.findall(r"\+", printed)) <= 2 * across


def test_hostile_tokens_stay_inside_their_braces():
    bench = replace(workbench.random(tuple("abcdefghij"), 2, 2, 1), tokens=HOSTILE, mask="causal")
    for stage in places.STAGES:
        said = blocks(derive(bench, Place(stage, 9, 1)), bench, EN, across=2, full=True)
        for sentence, formula in zip(said[::2], said[1::2], strict=True):
            assert sentence.count("$") % 2 == 0
            assert formula.count("$") == 4
            for tex in [formula, *sentence.split("$")[1::2]]:
                bare = re.sub(r"\\[\\{}%#&_]", "", tex.replace(r" \\" + "\n", "\n"))
                assert bare.count("{") == bare.count("}")
                assert not re.search(r"(?<!\\)[%~]|(?<!color\{)(?<!\\)#|\u0338", bare), tex
    assert formulas.names(("abcdefgh1", "abcdefgh2"))[0].tex == r"\text{1 abc…}"
    assert [piece.tex for piece in formulas.names(("超长的词元", "超长词元", "abcdefghij"))] == [
        r"\text{超长的…}", r"\text{超长词元}", r"\text{abcdef…}"
    ]  # fmt: skip
    assert formulas.names(("的", "a", "的"))[2].tex == r"\text{3 的}"


def test_numbers_are_printed_as_a_reader_expects():
    shown = {
        0.0: "0", 0.125: "0.13", -0.5: "-0.50", 0.999: "0.999", 0.9999999: "1.00", -1234.5: "-1234.50",
        4e-5: r"4.00\times10^{-5}", 1.234e12: r"1.23\times10^{12}", 1e-320: r"1.00\times10^{-320}",
        -math.inf: r"-\infty",
    }  # fmt: skip
    for x, tex in shown.items():
        assert formulas.number(x).tex == tex
    assert formulas.number(1 / 3, formulas.EXACT).tex == "0.3333333333333333"
    assert formulas.number(-5e-300, formulas.EXACT).tex == r"-5\times10^{-300}"
    assert formulas.number(1e22, formulas.EXACT).tex == r"1\times10^{22}"
