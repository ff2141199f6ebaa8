"""Small heatmaps: each cell has the colour that its number has in every other heatmap."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest
from numpy.typing import NDArray

from ui import pixels, theme


def decoded(address: str) -> NDArray[np.uint8]:
    """A PNG of palette colours as (rows, columns, 3), read by its specification; checksums included."""
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + body)
        chunks[name], at = body, at + 12 + length
    width, height, depth, kind, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, kind, chunks[b"IEND"]) == (8, 3, b"")
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)[rows[:, 1:]]


def middles(address: str, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """A colour from each cell: one that neither the lines nor a stroke go through."""
    picture = decoded(address)
    size = picture.shape[0] // shape[0]
    assert picture.shape[:2] == (shape[0] * size, shape[1] * size)
    return picture[size // 4 :: size, size // 4 :: size]


def assert_coloured(address: str, values: NDArray[np.float64], limit: float, *, weights: bool = False) -> None:
    """Every finite cell has its colour, to what a palette can tell apart; every other is struck."""
    colours = middles(address, values.shape)
    ramp = theme.WEIGHTS if weights else theme.SIGNED
    for at, x in np.ndenumerate(values):
        position = x if weights else (x / limit + 1) / 2 if limit else 0.5
        wanted = theme.ramp(ramp, position) if np.isfinite(x) else theme.rgb(theme.MASKED)
        assert np.abs(colours[at] / 255 - wanted).max() < 0.015, (at, x)


@pytest.mark.parametrize("cell", [4, 16])
def test_each_cell_has_its_numbers_colour(cell):
    values = np.array([[-2.0, 0.0, 1.3], [0.01, 2.0, -np.inf]])
    assert_coloured(pixels.heatmap(values, cell, limit=2.0), values, 2.0)
    weights = np.array([[0.0, 0.25], [0.5, 1.0], [0.1, 0.9]])
    assert_coloured(pixels.heatmap(weights, cell, weights=True), weights, 1.0, weights=True)
    zeros = np.zeros((1, 5))
    assert_coloured(pixels.heatmap(zeros, cell, limit=0.0), zeros, 0.0)


def test_a_masked_cell_is_struck_and_not_just_grey():
    hidden = np.array([[False, True]])
    picture = decoded(pixels.heatmap(np.array([[0.5, 0.0]]), 16, weights=True, hidden=hidden))
    stroke = np.array([round(255 * part) for part in theme.rgb(theme.MASKED_STROKE)])
    struck = (picture == stroke).all(axis=-1)
    assert not struck[:, :16].any()
    assert struck[:, 16:].sum() > 30
