"""A workbench as a short code for an address, and back.

`1` + base64url( CRC-32 of the rest, then deflate( JSON header, newline, number bytes )). The header holds only
what differs from the preset. A matrix of decimals travels as integers, byte plane by byte plane, which deflate
packs to little more than a byte a number; what does not fit that form (1/3, 0.12345678) travels as text.

Everything is checked on the way in, and nothing is applied unless all of it is right.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from dataclasses import fields, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ui import numbers, places, tokens, views
from ui.workbench import (
    CHALLENGES,
    DRAWS,
    HEAD,
    MASKS,
    MAX_D,
    MAX_HEADS,
    MAX_N,
    MAX_SEED,
    PRESETS,
    ROUTES,
    SCALES,
    SHAPES,
    Matrix,
    Workbench,
    preset,
)

VERSION = "1"
MAX_CODE = 6_000  #: what an address is allowed to carry
MAX_READ = 120_000  #: what is looked at at all
MAX_BYTES = 262_144  #: what a code may unpack to
MAX_PLACES = 6  #: decimals that travel as integers

_PLAIN = {"scale": SCALES, "mask": MASKS, "route": ROUTES}


class BadLink(ValueError):
    """A code that cannot be opened; `reason`: damaged, oversized or future."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def encode(bench: Workbench) -> str:
    """The code of a workbench.

    >>> encode(preset("cat"))[0], decode(encode(preset("cat"))) == preset("cat")
    ('1', True)
    """
    base = preset(bench.preset, bench.seed)
    header: dict[str, Any] = {"p": bench.preset, "s": bench.seed}
    for each in fields(Workbench):
        mine = getattr(bench, each.name)
        if each.name not in {"preset", "seed", "matrices"} and mine != getattr(base, each.name):
            header[each.name] = mine
    planes = b""
    for name, matrix in sorted(bench.matrices.items()):
        if matrix != base.matrices.get(name):
            header[name], packed = _pack(matrix)
            planes += packed
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    body = zlib.compress(text.encode() + b"\n" + planes, 9, -15)
    return VERSION + base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")


@lru_cache(maxsize=512)
def decode(code: str) -> Workbench:
    """The workbench of a code; `BadLink` where it cannot be opened, whatever it holds."""
    try:
        header, planes = _unpack(code)
        return _restore(header, planes)
    except BadLink:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, ArithmeticError) as error:
        raise BadLink("damaged") from error


def _unpack(code: str) -> tuple[dict[str, Any], bytes]:
    if len(code) > MAX_READ:
        raise BadLink("oversized")
    if code[:1].isdecimal() and code[:1] > VERSION:
        raise BadLink("future")
    if code[:1] != VERSION or not re.fullmatch(r"[A-Za-z0-9_-]+", code):
        raise BadLink("damaged")
    try:
        raw = base64.urlsafe_b64decode(code[1:] + "=" * (-len(code[1:]) % 4))
        if zlib.crc32(raw[4:]).to_bytes(4, "big") != raw[:4]:
            raise BadLink("damaged")
        inflate = zlib.decompressobj(-15)
        plain = inflate.decompress(raw[4:], MAX_BYTES)
    except (binascii.Error, zlib.error) as error:
        raise BadLink("damaged") from error
    if inflate.unconsumed_tail:
        raise BadLink("oversized")
    text, _, planes = plain.partition(b"\n")
    return json.loads(text), planes


def _restore(header: dict[str, Any], planes: bytes) -> Workbench:
    _require(header["p"] in PRESETS and _whole(header["s"], 0, MAX_SEED))
    base = preset(header["p"], header["s"])
    known = {each.name for each in fields(Workbench)} - {"preset", "seed", "matrices"}
    _require(set(header) <= known | {"p", "s"} | set(SHAPES) | set(HEAD))
    matrices = dict(base.matrices)
    for name in sorted(set(header) & (set(SHAPES) | set(HEAD))):
        matrices[name], planes = _unpacked(header[name], planes)
    _require(not planes)
    rest = {name: _tupled(header[name]) for name in known & set(header)}
    bench = replace(base, matrices=matrices, **rest)
    _check(bench)
    return bench


def _pack(matrix: Matrix) -> tuple[list[Any], bytes]:
    """[rows, columns, decimals, bytes a number, {cell: text}] and the planes."""
    cells = [cell for row in matrix for cell in row]
    places = [_places(cell) for cell in cells]
    decimals = max((p for p in places if p is not None), default=0)
    odd = {str(k): cell for k, (cell, p) in enumerate(zip(cells, places, strict=True)) if p is None}
    whole = [0 if p is None else int(Decimal(cell).scaleb(decimals)) for cell, p in zip(cells, places, strict=True)]
    zigzag = [2 * m if m >= 0 else -2 * m - 1 for m in whole]
    width = max((z.bit_length() + 7) // 8 for z in zigzag) or 1
    packed = bytes(z >> 8 * k & 255 for k in range(width) for z in zigzag)
    return [len(matrix), len(matrix[0]), decimals, width, odd], packed


def _unpacked(form: list[Any], planes: bytes) -> tuple[Matrix, bytes]:
    rows, columns, decimals, width, odd = form
    _require(all(map(_whole, (rows, columns, decimals, width), (1, 1, 0, 1), (16, 16, MAX_PLACES, 6))))
    size = rows * columns
    _require(len(planes) >= size * width and set(odd) <= {str(k) for k in range(size)})
    cells = []
    for k in range(size):
        z = sum(planes[b * size + k] << 8 * b for b in range(width))
        whole = z // 2 if z % 2 == 0 else -(z + 1) // 2
        cells.append(numbers.canonical(odd.get(str(k)) or str(Decimal(whole).scaleb(-decimals))))
    matrix = tuple(tuple(cells[i * columns : (i + 1) * columns]) for i in range(rows))
    return matrix, planes[size * width :]


def _places(cell: str) -> int | None:
    """How many decimals a text has, None where it does not travel as an integer."""
    if "/" in cell or "e" in cell:
        return None
    count = len(cell.partition(".")[2])
    return count if count <= MAX_PLACES else None


def _check(bench: Workbench) -> None:
    """Hold a restored workbench to every bound that the controls keep."""
    n, d_model = len(bench.tokens), len(bench.matrices["X"][0])
    _require(isinstance(bench.tokens, tuple) and 1 <= n <= MAX_N and all(_is_token(token) for token in bench.tokens))
    sizes = bench.sizes
    _require(all(1 <= sizes[d] <= MAX_D for d in ("d_model", "d_k", "d_v")))
    for name, (rows, columns) in SHAPES.items():
        _require(_shape(bench.matrices[name]) == (sizes[rows], sizes[columns]))
    _require(all(getattr(bench, name) in choices for name, choices in _PLAIN.items()))
    _require(bench.cell == () or _is_cell(bench.cell))
    _require(bench.challenge in ("", *CHALLENGES))
    _require(isinstance(bench.view, tuple) and views.fit(bench.view))
    own = bench.allowed
    _require(own == () or len(own) == n and all(re.fullmatch(f"[01]{{{n}}}", row) for row in own))
    _require(isinstance(bench.mask_causal, bool) and _whole(bench.mask_length, 0, n))
    _require(_whole(bench.mask_window, 0, n))
    _require(_whole(bench.n_heads, 1, MAX_HEADS) and d_model % bench.n_heads == 0)
    _require(_whole(bench.head_seed, 0, MAX_SEED) and _whole(bench.token, 0, n - 1))
    _require(_whole(bench.variance_seed, 0, MAX_SEED))
    _require(_whole(bench.variance_draws, 0, DRAWS[-1]) and bench.variance_draws in DRAWS)
    _require(isinstance(bench.twins, bool) and _whole(bench.typed_head, -1, bench.n_heads - 1))
    _require(all(_whole(h, 0, bench.n_heads - 1) for h in bench.heads_off))
    _require(list(bench.heads_off) == sorted(set(bench.heads_off)))
    d_k = d_model // bench.n_heads
    shapes = dict.fromkeys(HEAD[:3], (d_model, d_k)) | {HEAD[3]: (d_k, d_model)}
    present = set(HEAD) & set(bench.matrices)
    _require(present == (set(HEAD) if bench.typed_head >= 0 else set()))
    _require(all(_shape(bench.matrices[name]) == shapes[name] for name in present))


def _is_token(token: object) -> bool:
    return isinstance(token, str) and 0 < len(token) <= tokens.MAX_CHARS and not re.search(r"\s", token) and (
        tokens.split(f"{token} x")[:1] == [token]
    )


def _is_cell(cell: object) -> bool:
    """Whether this could be a cell of some workbench. One that this workbench does not have is a lesser matter."""
    return isinstance(cell, tuple) and len(cell) == 4 and cell[0] in places.NAMES and (
        all(map(_whole, cell[1:], (0, 0, -1), (999, 999, MAX_HEADS)))
    )


def _shape(matrix: Matrix) -> tuple[int, int]:
    return len(matrix), len(matrix[0])


def _whole(number: object, low: int, high: int) -> bool:
    return type(number) is int and low <= number <= high


def _tupled(item: Any) -> Any:
    return tuple(map(_tupled, item)) if isinstance(item, list) else item


def _require(condition: object) -> None:
    if not condition:
        raise BadLink("damaged")
