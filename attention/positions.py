"""Where a token stands: attention itself has no order, so something has to carry it.

Three ways: add a code to the input (`sinusoidal_positions`), turn queries and keys (`rotary`), or take something off
the scores (`alibi_bias`).
"""

import numbers
from math import log2

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import LIMIT, Array, InputError, finite_array, whole_number
from attention.dot_product import AttentionSteps, attention_steps, fill_empty_rows
from attention.softmax import softmax


def sinusoidal_positions(n: int, d_model: int) -> Array:
    """Give each position its own pattern of sines and cosines.

    PE[pos, 2i] = sin(pos / 10000^(2i/d_model)),  PE[pos, 2i+1] = cos(pos / 10000^(2i/d_model))

    n: how many positions, from 0 on. d_model: how many columns; if it is odd, the last sine has no cosine.
    Returns: (n, d_model).
    Raises: InputError unless both are whole numbers from 1.
    Source: "Attention Is All You Need" (2017), section 3.5.

    >>> sinusoidal_positions(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    """
    position = np.arange(whole_number("n", n))[:, None]
    column = np.arange(whole_number("d_model", d_model))
    angle = position / 10000.0 ** (2 * (column // 2) / d_model)  # (n, d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def position_shift(k: int, d_model: int) -> Array:
    """Make the matrix that turns the sinusoidal code of any position into the code k positions later.

    PE[p + k] = M PE[p] for every p. M has a block [[cos kω, sin kω], [−sin kω, cos kω]] for each pair of columns
    (sine, cosine) of frequency ω = 1 / 10000^(2i/d_model), and 0 elsewhere.

    k: how many positions, from 0 on. d_model: how many columns, an even number.
    Returns: (d_model, d_model).
    Raises: InputError unless both are whole numbers, and d_model is even: the last sine must have its cosine.
    Source: "Attention Is All You Need" (2017), section 3.5, says so; this is the matrix.

    >>> position_shift(3, 2).round(2)
    array([[-0.99,  0.14],
           [-0.14, -0.99]])
    """
    k, d_model = whole_number("k", k, least=0), whole_number("d_model", d_model)
    if d_model % 2:
        raise InputError("d_model", "d_model", "an even number", d_model)
    angle = k / 10000.0 ** (np.arange(0, d_model, 2) / d_model)  # (d_model / 2,)
    sine, cosine = np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    matrix = np.zeros((d_model, d_model))
    matrix[sine, sine] = matrix[cosine, cosine] = np.cos(angle)
    matrix[sine, cosine], matrix[cosine, sine] = np.sin(angle), -np.sin(angle)
    return matrix


def rotary(x: ArrayLike, positions: ArrayLike | None = None, base: float = 10000.0) -> Array:
    """Turn each pair of columns of queries or keys by an angle that grows with the position (RoPE).

    (x₂ᵢ, x₂ᵢ₊₁) at position p is turned by p·θᵢ, θᵢ = base^(−2i/d). Then q at position m and k at position n have the
    score q·R((n − m)θ)·k: it depends on n − m alone.

    x: (..., n, d). Pairs are neighbours, as in the paper; (other code pairs column i with i + d/2, which is the same up
        to the order of columns). If d is odd, the last column has no partner and stays as it is, and d is one less
        in θ: as where only a part of the columns is rotated.
    positions: (n,), or anything that broadcasts to (..., n); 0, 1, 2 … if left out.
    base: the larger, the slower the last pairs turn.
    Returns: an array of the shape of x.
    Raises: InputError if x or positions are not finite numbers, do not fit, or base is not a positive number.
    Source: Su et al., "RoFormer" (2021), equations 14 to 16.

    >>> rotary([[1.0, 0.0], [1.0, 0.0]]).round(2)
    array([[1.  , 0.  ],
           [0.54, 0.84]])
    """
    x = finite_array("x", x, 2)
    where = _positions_for(x.shape[:-1], positions)
    if isinstance(base, bool | np.bool_) or not isinstance(base, numbers.Real) or not 1 / LIMIT <= base <= LIMIT:
        raise InputError("scale", "base", "a positive number", repr(base))
    d = x.shape[-1] // 2 * 2
    angle = where[..., None] / float(base) ** (np.arange(0, d, 2) / max(d, 1))  # (..., n, d / 2)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = x.copy()
    turned[..., 0:d:2] = cos * x[..., 0:d:2] - sin * x[..., 1:d:2]
    turned[..., 1:d:2] = sin * x[..., 0:d:2] + cos * x[..., 1:d:2]
    return turned


def _positions_for(shape: tuple[int, ...], positions: ArrayLike | None) -> Array:
    """A position for each row of an array whose shape, but for the columns, this is."""
    if positions is None:
        return np.arange(float(shape[-1]))
    given = finite_array("positions", positions)
    try:
        return np.broadcast_to(given, shape)
    except ValueError as error:
        raise InputError("shape", "positions", f"a shape that broadcasts to {shape}", given.shape) from error


def alibi_slopes(n_heads: int) -> Array:
    """Tell how steeply each head's scores fall with distance under ALiBi.

    n_heads a power of two: m_h = 2^(−8h/n_heads), h = 1 … n_heads. Otherwise: those of the power of two below, then
    every other one of twice that power, from the first on, as many as are still needed.

    n_heads: how many heads, from 1 on.
    Returns: (n_heads,).
    Raises: InputError unless n_heads is a whole number from 1.
    Source: Press, Smith, Lewis, "Train Short, Test Long" (2022), section 3; the second rule is that of its code.

    >>> alibi_slopes(4).tolist(), alibi_slopes(3).tolist()
    ([0.25, 0.0625, 0.015625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    n_heads = whole_number("n_heads", n_heads)
    power = 2 ** int(log2(n_heads))
    own = 2.0 ** (-8.0 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-4.0 * np.arange(1, 2 * power + 1, 2) / power)
    return np.concatenate([own, between[: n_heads - power]])


def alibi_bias(n_heads: int, n: int) -> Array:
    """Make what ALiBi adds to the scaled scores: the farther a key is from the query, the less it counts.

    bias[h, i, j] = −m_h · |i − j|, with the slopes m_h of `alibi_slopes`.

    The paper attends backwards only, j ≤ i, where this is its m_h · (j − i); for keys after the query this is the
    symmetric form that its author gives for encoders. It knows how far, and not to which side.

    n_heads: how many heads. n: how many tokens.
    Returns: (n_heads, n, n).
    Raises: InputError unless both are whole numbers from 1.
    Source: Press, Smith, Lewis, "Train Short, Test Long" (2022), section 3.

    >>> alibi_bias(2, 3)[0]
    array([[ 0.    , -0.0625, -0.125 ],
           [-0.0625,  0.    , -0.0625],
           [-0.125 , -0.0625,  0.    ]])
    """
    position = np.arange(whole_number("n", n))
    distance = np.abs(position[:, None] - position)  # (n, n)
    bias: Array = -alibi_slopes(n_heads)[:, None, None] * distance
    return bias + 0.0  # turns −0 into 0


def biased_steps(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    bias: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    scale: str | float = "sqrt",
) -> AttentionSteps:
    """Do what `attention_steps` does, with a bias added to the scaled scores, as ALiBi does.

    ② masked = scores / divisor + bias, then −∞ where masked; the rest follows from it. The bias is not scaled.

    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v). bias: broadcastable to the scores, (..., n_q, n_k).
    mask: boolean, broadcastable to (..., n_q, n_k); True = may attend.
    scale: as for `attention_steps`.
    Returns: AttentionSteps, whose `scaled` is still without the bias. A query without keys gets weights of 0.
    Raises: InputError where `attention_steps` does, or if the bias does not fit.
    Source: Press, Smith, Lewis, "Train Short, Test Long" (2022), section 3.

    >>> biased_steps([[0.0]], [[1.0], [1.0]], [[2.0], [4.0]], [[0.0, -np.log(3)]]).weights.round(2)
    array([[0.75, 0.25]])
    """
    plain = attention_steps(Q, K, V, mask, scale=scale)
    added = finite_array("bias", bias, 2)
    try:
        biased = plain.scaled + np.broadcast_to(added, plain.scores.shape)
    except ValueError as error:
        expected = f"a shape that broadcasts to that of the scores, {plain.scores.shape}"
        raise InputError("shape", "bias", expected, added.shape) from error
    masked = biased if plain.mask is None else np.where(plain.mask, biased, -np.inf)
    weights = fill_empty_rows(softmax(masked, axis=-1), plain.mask, "zero")
    output = weights @ finite_array("V", V, 2)
    return AttentionSteps(plain.scores, plain.divisor, plain.scaled, masked, weights, output, plain.mask)
