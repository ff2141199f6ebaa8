"""Colours that mean something, the same on every page and in both appearances.

Heatmap cells are "paper": their ramps run from white in light and dark alike, with ink chosen for contrast, so that a
colour always means the same number. Q, K and V are blue, orange and green everywhere.
"""

from __future__ import annotations

#: The colours of Q, K, V and X by Streamlit's names, as in `:blue[Q]`: readable in both appearances.
WORDS = {"Q": "blue", "K": "orange", "V": "green", "X": "yellow"}
#: The same hues in formulas, where KaTeX wants one colour for both appearances: 3 : 1 on white and on near-black.
MATH = {"Q": "#2f7fd1", "K": "#d55e00", "V": "#0b8f63", "X": "#9a7000"}

WEIGHTS = ("#ffffff", "#d9cdea", "#a98cc8", "#7a4fa3", "#4b2373")  #: 0 … 1
WEIGHT = "#8a63b8"  #: of a bar that tells a weight by its height: on that ramp, and to be seen in both appearances
SIGNED = ("#7f4a0a", "#c9924a", "#f0dcbd", "#ffffff", "#c4dfe3", "#5a9fa8", "#0b5560")  #: −max … 0 … +max
MASKED = "#d9dce3"
MASKED_STROKE = "#aeb4c0"
CHOSEN = "#d4136b"  #: the frame of the cell that explains itself; no ramp comes near it
INK = "#000000"  #: nothing lighter reaches 4.5 : 1 on every cell
PAPER = "#ffffff"


def ramp(colours: tuple[str, ...], position: float) -> tuple[float, float, float]:
    """The colour at a position in [0, 1], as the browser interpolates it (linear in RGB)."""
    at = min(max(position, 0.0), 1.0) * (len(colours) - 1)
    i = min(int(at), len(colours) - 2)
    low, high = rgb(colours[i]), rgb(colours[i + 1])
    r, g, b = (a + (z - a) * (at - i) for a, z in zip(low, high, strict=True))
    return r, g, b


def rgb(colour: str) -> tuple[float, float, float]:
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return r, g, b


def contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """The WCAG contrast ratio of two colours.

    >>> round(contrast(rgb("#ffffff"), rgb("#000000")), 1)
    21.0
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def light_ink(colours: tuple[str, ...], position: float) -> bool:
    """Whether white is the more readable ink on the ramp at this position."""
    cell = ramp(colours, position)
    return contrast(cell, rgb(PAPER)) > contrast(cell, rgb(INK))


def _luminance(colour: tuple[float, float, float]) -> float:
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
