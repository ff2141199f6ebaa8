"""The code in the address: exact, compact, and safe to open whatever it holds."""

import base64
import json
import string
import time
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui import link, numbers
from ui import workbench as w

CELLS = st.one_of(
    st.decimals(-999, 999, allow_nan=False, allow_infinity=False, places=2).map(str),
    st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-200).map(repr),
    st.sampled_from(["1/3", "-2/7", "1e-9", "1000000", "-1000000", "0.000001", "0.0000001"]),
).map(numbers.canonical)


@st.composite
def benches(draw):
    bench = w.preset(draw(st.sampled_from(w.PRESETS)), draw(st.integers(0, w.MAX_SEED)))
    tokens = draw(st.lists(st.sampled_from(["猫", "the", "the", "é", "🙂", "a-b"]), min_size=1, max_size=12))
    bench = w.with_tokens(bench, tuple(tokens))
    sizes = {name: draw(st.integers(1, 16)) for name in ("d_k", "d_v", "d_model")}
    bench = w.resized(bench, **sizes)
    for name in w.SHAPES:
        rows, columns = np.shape(bench.matrices[name])
        cells = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
        bench = w.with_cells(bench, name, draw(st.dictionaries(cells, CELLS, max_size=6)))
    if draw(st.booleans()):
        bench = w.with_allowed(bench, {(0, 0): False})
    d_model = bench.sizes["d_model"]
    n_heads = draw(st.sampled_from([h for h in range(1, 9) if d_model % h == 0]))
    off = draw(st.sets(st.integers(0, n_heads - 1)))
    return replace(
        bench, n_heads=n_heads, heads_off=tuple(sorted(off)), head_seed=draw(st.integers(0, w.MAX_SEED)),
        route=draw(st.sampled_from(w.ROUTES)), scale=draw(st.sampled_from(w.SCALES)), twins=draw(st.booleans()),
        token=draw(st.integers(0, len(tokens) - 1)),
    )  # fmt: skip


@given(benches())
@settings(max_examples=150)
def test_a_round_trip_keeps_every_digit(bench):
    assert link.decode(link.encode(bench)) == bench


@pytest.mark.parametrize("name", w.PRESETS)
def test_presets_are_short_codes(name):
    bench = w.preset(name, 7 if name == "random" else 0)
    assert link.decode(link.encode(bench)) == bench
    assert len(link.encode(bench)) < 50


@given(st.integers(1, 12), st.integers(1, 16), st.integers(1, 16), st.integers(0, w.MAX_SEED))
def test_random_numbers_of_any_size_round_trip(n, d_k, d_v, seed):
    bench = w.random(tuple("abcdefghijkl"[:n]), d_k, d_v, seed)
    assert link.decode(link.encode(bench)) == bench
    assert w.start(bench) == bench


def drawn(n, d, decimals, seed=0):
    rng = np.random.default_rng(seed)
    bench = w.with_tokens(w.preset("cat"), tuple(f"词{i}" for i in range(n)))
    bench = w.resized(bench, d_k=d, d_v=d, d_model=d)
    matrices = {
        name: w.from_floats(3 * rng.standard_normal(np.shape(matrix)), decimals)
        for name, matrix in bench.matrices.items()
    }
    return replace(bench, matrices=matrices, route="input", mask="causal")


@pytest.mark.parametrize(
    ("n", "d", "decimals", "most"), [(4, 4, 2, 2000), (4, 4, 6, 2000), (12, 16, 2, 6000), (12, 16, 4, 6000)]
)
def test_codes_are_compact(n, d, decimals, most):
    assert len(link.encode(drawn(n, d, decimals))) <= most


def test_four_by_four_is_compact_even_with_every_digit_a_float_has():
    rng = np.random.default_rng(1)
    bench = w.preset("cat")
    matrices = {
        name: tuple(tuple(numbers.canonical(repr(x)) for x in row) for row in rng.standard_normal(np.shape(m)).tolist())
        for name, m in bench.matrices.items()
    }
    assert len(link.encode(replace(bench, matrices=matrices))) <= 2000


def test_codes_need_no_escaping():
    assert set(link.encode(drawn(5, 3, 3))) <= set(string.ascii_letters + string.digits + "-_")


def reason(code):
    with pytest.raises(link.BadLink) as refusal:
        link.decode(code)
    return refusal.value.reason


def opened(code):
    """The workbench of a code, or the reason why there is none."""
    try:
        return link.decode(code)
    except link.BadLink as refusal:
        return refusal.reason


def packed(header, planes=b"", version="1"):
    body = zlib.compress(json.dumps(header).encode() + b"\n" + planes, 9, -15)
    return version + base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")


def test_a_truncated_or_altered_code_is_noticed_wherever_it_is():
    code = link.encode(drawn(3, 2, 2))
    for k in range(len(code)):
        assert reason(code[:k]) == "damaged"
        other = "A" if code[k] != "A" else "B"
        altered = code[:k] + other + code[k + 1 :]
        assert opened(altered) in ("damaged", link.decode(code))  # the last character has bits without meaning


def test_future_and_oversized_codes_are_called_that():
    assert reason("2" + link.encode(w.preset("cat"))[1:]) == "future"
    assert reason("1" * (link.MAX_READ + 1)) == "oversized"


def test_a_bomb_is_not_unpacked():
    bomb = packed({"p": "cat", "s": 0, "tokens": ["a"] * 2_000_000})
    assert len(bomb) < link.MAX_READ
    start = time.process_time()
    assert reason(bomb) == "oversized"
    assert time.process_time() - start < 0.1


GOOD = {"p": "cat", "s": 0}
HOSTILE = [
    {}, [], None, 3, "x", {"p": "cat"}, {"s": 0},
    {"p": "../x", "s": 0}, {"p": "cat", "s": -1}, {"p": "cat", "s": True},
    {"p": ["cat"], "s": 0}, {**GOOD, "x": 1}, {**GOOD, "preset": "cat"}, {**GOOD, "matrices": {}},
    {**GOOD, "tokens": []}, {**GOOD, "tokens": ["a"] * 4 + ["b"]}, {**GOOD, "tokens": "abcd"},
    {**GOOD, "tokens": ["a", "b", "c", ""]}, {**GOOD, "tokens": ["a", "b", "c", "d d"]},
    {**GOOD, "tokens": ["a", "b", "c", "d" * 99]}, {**GOOD, "tokens": ["a", "b", "c", 4]},
    {**GOOD, "tokens": ["a", "b", "c", "\u202e"]}, {**GOOD, "tokens": ["a", "b", "c", "x\u0000"]},
    {**GOOD, "scale": "cube"}, {**GOOD, "scale": ["sqrt"]}, {**GOOD, "mask": 1}, {**GOOD, "route": None},
    {**GOOD, "allowed": ["1111"]}, {**GOOD, "allowed": ["11"] * 4}, {**GOOD, "allowed": ["11x1"] * 4},
    {**GOOD, "allowed": 5}, {**GOOD, "n_heads": 3}, {**GOOD, "n_heads": 0}, {**GOOD, "n_heads": 2.0},
    {**GOOD, "heads_off": [7]}, {**GOOD, "heads_off": [1, 0]}, {**GOOD, "heads_off": [0, 0]}, {**GOOD, "twins": 1},
    {**GOOD, "token": 4}, {**GOOD, "typed_head": 1}, {**GOOD, "head_seed": 10**9},
    {**GOOD, "Q": [4, 4, 0, 1]}, {**GOOD, "Q": [4, 4, 0, 2.0, {}]}, {**GOOD, "Q": [0, 4, 0, 1, {}]},
    {**GOOD, "Q": [10**9, 10**9, 0, 1, {}]}, {**GOOD, "Q": [1, 1, 0, 1, {"0": "nan"}]},
    {**GOOD, "Q": [1, 1, 0, 1, {"0": "1e999"}]}, {**GOOD, "Q": [1, 1, 0, 1, {"5": "1"}]},
    {**GOOD, "Q": [1, 1, 0, 1, []]},
    {**GOOD, "Q": [1, 1, -3, 1, {}]}, {**GOOD, "H_Q": [1, 1, 0, 1, {}]},
]  # fmt: skip


@pytest.mark.parametrize("header", HOSTILE, ids=lambda header: json.dumps(header)[:60])
def test_a_well_formed_code_with_nonsense_inside_is_refused(header):
    for planes in (b"", b"\x02", b"\xff" * 16):
        assert reason(packed(header, planes)) in {"damaged", "oversized"}


@given(st.text(max_size=300))
def test_any_text_is_opened_or_refused(code):
    assert isinstance(opened(code), w.Workbench) or opened(code) in {"damaged", "oversized", "future"}


@given(st.binary(max_size=400))
def test_any_bytes_behind_a_good_checksum_are_opened_or_refused(body):
    code = "1" + base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")
    assert isinstance(opened(code), w.Workbench) or opened(code) in {"damaged", "oversized"}


def test_opening_the_largest_state_is_quick():
    """(Of the processor's time: the tests have to share it with others.)"""
    code = link.encode(drawn(12, 16, 2, seed=3))
    took = []
    for _ in range(3):
        link.decode.cache_clear()
        start = time.process_time()
        link.decode(code)
        took.append(time.process_time() - start)
    assert min(took) < 0.2
