"""Small heatmaps as PNG pictures: for where a hundred cells are to be seen at once and none is read."""

from __future__ import annotations

import base64
import struct
import zlib
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from ui import theme

STEPS = 248  #: colours of a ramp; a palette has 256
STRUCK, STROKE, LINE = STEPS, STEPS + 1, STEPS + 2  #: a masked cell, the stroke through it, the lines between cells
LINED = 7  #: the least cell, in CSS pixels, that lines are drawn around


def heatmap(
    values: NDArray[np.float64], cell: int, *, limit: float = 1.0, weights: bool = False,
    hidden: NDArray[np.bool_] | None = None,
) -> str:  # fmt: skip
    """A matrix as the address of a picture, each cell so many pixels wide; on a finer screen the browser repeats them.

    limit: the number at the ends of the signed ramp; weights: the ramp of [0, 1]. Masked cells are struck.
    """
    struck = ~np.isfinite(values) if hidden is None else hidden | ~np.isfinite(values)
    position = np.where(struck, 0.0, values)
    if not weights:
        position = (np.clip(position / limit, -1, 1) + 1) / 2 if limit else np.full(values.shape, 0.5)
    colours = np.where(struck, STRUCK, np.rint(position * (STEPS - 1))).astype(np.uint8)
    return _drawn(colours.tobytes(), values.shape, cell, theme.WEIGHTS if weights else theme.SIGNED)


@lru_cache(maxsize=2048)
def _drawn(colours: bytes, shape: tuple[int, int], cell: int, ramp: tuple[str, ...]) -> str:
    cells = np.frombuffer(colours, np.uint8).reshape(shape)
    picture = cells.repeat(cell, axis=0).repeat(cell, axis=1)
    y, x = (np.arange(length) % cell for length in picture.shape)
    picture[(picture == STRUCK) & (np.abs(x + y[:, None] - cell + 1) < max(cell // 8, 1))] = STROKE
    if cell >= LINED:
        picture[:, cell - 1 : -1 : cell] = picture[cell - 1 : -1 : cell] = LINE
    used = np.union1d(cells, (STROKE, LINE)).astype(np.uint8)  # a whole palette would be most of the picture's bytes
    palette = b"".join(_palette(ramp)[step] for step in used)
    picture = np.searchsorted(used, picture).astype(np.uint8)
    return "data:image/png;base64," + base64.b64encode(_png(picture, palette)).decode()


@cache
def _palette(ramp: tuple[str, ...]) -> tuple[bytes, ...]:
    steps = [theme.ramp(ramp, step / (STEPS - 1)) for step in range(STEPS)]
    rest = [theme.rgb(colour) for colour in (theme.MASKED, theme.MASKED_STROKE, theme.MASKED)]
    return tuple(bytes(round(255 * part) for part in colour) for colour in (*steps, *rest))


def _png(picture: NDArray[np.uint8], palette: bytes) -> bytes:
    """A picture of palette colours in PNG's own form: each row behind a filter byte, here 0 for none."""
    rows, columns = picture.shape
    data = zlib.compress(np.pad(picture, ((0, 0), (1, 0))).tobytes(), 6)
    parts = (b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)), (b"PLTE", palette), (b"IDAT", data)
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in (*parts, (b"IEND", b"")))


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
