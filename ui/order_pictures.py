"""The order page's pictures: where everything stands on their sheets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ui import display, theme
from ui.order_charts import LINE, MOVED, Sheet, spec

HEAD = 44  #: pixels above the cells: a title and the names of columns
RESIDUAL = 74  #: pixels for a residual, right of its row
LEAST, LEGIBLE, LARGEST = 6, 24, 44  #: pixels of a cell; from LEGIBLE on a number stands in it

Show = Callable[[float], str]


def paint(values: NDArray[np.float64], limit: float) -> list[list[tuple[str, bool]]]:
    """Each number's colour on the signed ramp, and whether white ink is the one to read on it."""
    with np.errstate(invalid="ignore"):
        steps = np.rint(255 * (0.5 + 0.5 * np.clip(values / (limit or 1.0), -1, 1)))
    return [[_colour(int(step)) for step in row] for row in steps]


@lru_cache(maxsize=256)
def _colour(step: int) -> tuple[str, bool]:
    colour = "#" + "".join(f"{round(255 * c):02x}" for c in theme.ramp(theme.SIGNED, step / 255))
    return colour, theme.light_ink(theme.SIGNED, step / 255)


@dataclass(frozen=True)
class Block:
    """A matrix on the sheet: which token each of its rows is, and the words around it."""

    values: NDArray[np.float64]
    title: str
    rows: Sequence[int]  # the token in each row
    tip: Callable[[int, int, str], str]
    show: Show = display.short


@dataclass(frozen=True)
class Plan:
    """Where the shuffle test's blocks stand, for so many tokens and columns."""

    cell: int
    last: int  # a cell of the difference
    labels: int
    gap: int  # between the two outputs, where the wires run
    below: bool  # whether the difference stands below them

    def size(self, n: int, columns: int) -> tuple[int, int]:
        pair = 2 * self.labels + 2 * columns * self.cell + self.gap
        last = self.labels + columns * self.last + RESIDUAL
        high = HEAD + n * self.cell + 4
        return (max(pair, last), high + 14 + HEAD + n * self.last + 4) if self.below else (pair + 26 + last, high)


def plan(n: int, columns: int, room: int) -> Plan:
    """Everything beside each other where the numbers can be read so, else the difference below."""
    labels, gap = (40, 34) if room < 400 else (60, 84)
    beside = min((room - 3 * labels - gap - 26 - RESIDUAL) // (3 * columns), LARGEST)
    if beside >= LEGIBLE:
        return Plan(beside, beside, labels, gap, below=False)
    pair, last = (room - 2 * labels - gap) // (2 * columns), (room - labels - RESIDUAL) // columns
    pair = min(max(pair, LEAST), LARGEST)
    return Plan(pair, min(max(last, LEAST), LARGEST, 3 * pair // 2), labels, gap, below=True)


def shuffle(
    names: Sequence[str], before: Block, after: Block, moved: Block, residuals: Sequence[str], heading: str,
    limit: float, room: int,
) -> tuple[Any, dict[str, Any]]:  # fmt: skip
    """Output before and after a shuffle, wires between the rows of the same token, and the difference put back."""
    n, columns = before.values.shape
    at = plan(n, columns, room)
    sheet, wide, cell = Sheet(*at.size(n, columns)), columns * at.cell, at.cell
    right = at.labels + wide + at.gap  # where the second block begins
    _block(sheet, before, at.labels, 0, cell, limit)
    _block(sheet, after, right, 0, cell, limit)
    _labels(sheet, names, before.rows, at.labels - 6, HEAD, cell, "right", at.labels)
    _labels(sheet, names, after.rows, right + wide + 6, HEAD, cell, "left", at.labels)
    for row, token in enumerate(after.rows):
        start = list(before.rows).index(token)
        y, y2 = (HEAD + (i + 0.5) * cell for i in (start, row))
        stays = start == row
        sheet.wire(at.labels + wide + 3, y, right - 5, y2, LINE if stays else MOVED, 1.2 if stays else 2.2, token)
    left, top = (at.labels, HEAD + n * cell + 18) if at.below else (right + wide + 2 * at.labels + 26, 0)
    _block(sheet, moved, left, top, at.last, limit)
    _labels(sheet, names, moved.rows, left - 6, top + HEAD, at.last, "right", at.labels)
    beside = left + columns * at.last + 8
    sheet.words(beside, top + HEAD - 12, heading, "left", 11)
    for row, (token, residual) in enumerate(zip(moved.rows, residuals, strict=True)):
        sheet.words(beside, top + HEAD + (row + 0.5) * at.last, residual, "left", 12, token)
    return sheet.frame(), spec(sheet.width, sheet.height, n)


def _block(sheet: Sheet, block: Block, x: float, y: float, cell: int, limit: float) -> None:
    sheet.words(x, y + 10, block.title, "bold", 13)
    for k in range(block.values.shape[1]):
        sheet.words(x + (k + 0.5) * cell, y + HEAD - 12, str(k + 1), "middle", 10)
    colours = paint(block.values, limit)
    for i, (row, token) in enumerate(zip(block.values.tolist(), block.rows, strict=True)):
        for k, value in enumerate(row):
            number = block.show(value)
            sheet.cell(x + k * cell, y + HEAD + i * cell, cell - 2, cell - 2, *colours[i][k],
                       number if cell >= LEGIBLE else "", block.tip(token, k, number), token)  # fmt: skip


def _labels(
    sheet: Sheet, names: Sequence[str], rows: Sequence[int], x: float, y: float, cell: int, kind: str, room: int
) -> None:
    for i, token in enumerate(rows):
        sheet.words(x, y + (i + 0.5) * cell, _shortened(names[token], room), kind, min(13, max(9, cell * 0.5)), token)


def _shortened(name: str, room: int) -> str:
    """A token that fits beside its row: a Chinese character is twice as wide as a letter."""
    widths = np.cumsum([12 if ord(c) > 0x2E80 else 7 for c in name])
    return name if widths[-1] <= room - 6 else name[: max(1, int((widths <= room - 14).sum()))] + "…"


def code_map(
    values: NDArray[np.float64], title: str, hint: str, tip: Callable[[int, int, str], str], room: int
) -> tuple[Any, dict[str, Any]]:  # fmt: skip
    """A code as a heatmap: a position a row, a column of the code a column."""
    n, columns = values.shape
    wide, high = min(26.0, (room - 36) / columns), min(22.0, 420 / n)
    sheet = Sheet(room, round(HEAD + n * high + 4))
    sheet.words(0, 10, title, "bold", 13)
    sheet.words(0, 27, hint, "left", 11)
    every = max(1, -(-12 // int(high))) if high < 12 else 1
    for p, (row, colours) in enumerate(zip(values.tolist(), paint(values, 1.0), strict=True)):
        y = HEAD + p * high
        if p % every == 0:
            sheet.words(28, y + high / 2, str(p), "right", 10, p)
        for c, value in enumerate(row):
            edge, says = 1 if high > 8 else 0.3, tip(p, c, display.short(value, 4))
            sheet.cell(34 + c * wide, y, wide - edge, high - edge, *colours[c], "", says, p)
    return sheet.frame(), spec(sheet.width, sheet.height)


@dataclass(frozen=True)
class Clock:
    """A circle with hands: from the middle to (x, y) of length up to 1, each with its colour, width and name."""

    title: str
    note: str
    hands: Sequence[tuple[float, float, str, float, str]]  # x, y (upwards), colour, width, tip


def clocks(dials: Sequence[Clock], room: int) -> tuple[Any, dict[str, Any]]:
    """Circles beside each other; below each what it is about."""
    across = min(len(dials), max(1, room // 150))
    step = min(room // across, 200)
    radius, high = step / 2 - 24, step + 16
    down = -(-len(dials) // across)
    sheet = Sheet(across * step, down * high)
    for i, dial in enumerate(dials):
        x, y = (i % across + 0.5) * step, (i // across) * high + 26 + radius
        sheet.words(x, y - radius - 16, dial.title, "middle", 12)
        circle(sheet, x, y, radius)
        for hx, hy, colour, size, tip in dial.hands:
            sheet.rule(x, y, x + hx * radius, y - hy * radius, colour, size)
            sheet.dot(x + hx * radius, y - hy * radius, colour, 20 + 12 * size, tip)
        sheet.words(x, y + radius + 16, dial.note, "middle", 11)
    return sheet.frame(), spec(sheet.width, sheet.height)


def circle(sheet: Sheet, x: float, y: float, radius: float) -> None:
    """The circle and its two axes."""
    sheet.dot(x, y, LINE, 4 * radius**2, hollow=True)  # (a symbol’s size is that of the square around it)
    sheet.rule(x - radius, y, x + radius, y, LINE, 0.5)
    sheet.rule(x, y - radius, x, y + radius, LINE, 0.5)


def shadows(
    angles: NDArray[np.float64], pair: tuple[int, int], axis: str, tip: Callable[[int], str], room: int
) -> tuple[Any, dict[str, Any]]:  # fmt: skip
    """Positions as points (cos, sin) on a circle, and left of it what sine alone keeps: their heights."""
    size = min(room, 380)
    radius = size / 2 - 52
    sheet = Sheet(size, round(2 * radius + 44))
    x, y, wall = size / 2 + 30, radius + 30, 26.0
    circle(sheet, x, y, radius)
    sheet.rule(wall, y - radius - 4, wall, y + radius + 4, LINE, 1)
    sheet.words(wall - 14, 12, axis, "left", 12)
    for p, angle in enumerate(angles.tolist()):
        px, py, chosen = x + radius * np.cos(angle), y - radius * np.sin(angle), p in pair
        colour = theme.CHOSEN if chosen else LINE
        sheet.rule(wall, py, px, py, colour, 1.4 if chosen else 0.3, p)
        sheet.dot(wall, py, colour, 46 if chosen else 14, tip(p), q=p)
        sheet.dot(px, py, colour, 60 if chosen else 22, tip(p), q=p)
        if chosen or len(angles) <= 16:
            out = 14 if len(angles) <= 16 or chosen else 10
            sheet.words(px + out * np.cos(angle), py - out * np.sin(angle), str(p), "middle", 13 if chosen else 10, p)
    return sheet.frame(), spec(sheet.width, sheet.height)
