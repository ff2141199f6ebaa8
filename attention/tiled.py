"""Attention without any n × n matrix: block by block, with a running maximum and a running sum.

Softmax seems to need a whole row of scores at once, for its maximum and its sum. It does not: both can be kept as keys
come along. Whenever a larger maximum turns up, what was added up so far is multiplied by e^(old maximum − new maximum).
Two blocks of scores then never have to be in memory together, and the one that is stays in the processor's cache.

Milakov, Gimelshein, "Online normalizer calculation for softmax" (2018); Dao, Fu, Ermon, Rudra, Ré, "FlashAttention:
Fast and Memory-Efficient Exact Attention with IO-Awareness" (2022).
"""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention.checks import (
    LIMIT,
    InputError,
    Mask,
    attention_inputs,
    divisor_for,
    finite,
    same_batch,
    shape_of_scores,
    spread_mask,
    whole_number,
)

Floats = NDArray[np.floating[Any]]

BLOCK = (512, 2048)  #: queries and keys at a time: 4 MiB of scores in float32
LIMIT_FLOAT32 = 1e15  #: how large a number in float32 may be: its products are still finite


@dataclass(frozen=True, eq=False)
class Running:
    """What some queries remember of the keys they have met; nothing else of those keys is kept."""

    keys: slice  #       the block that was taken in last
    rescale: Floats  #   (n_q, 1)    e^(m before − m): 1 where the maximum stayed, 0 where there was none before
    powers: Floats  #    (n_q, keys) e^(score − m) of the block
    maximum: Floats  #   (n_q, 1)    m, the largest score so far; −∞ before the first
    total: Floats  #     (n_q, 1)    ℓ = Σ e^(score − m) over all keys so far
    gathered: Floats  #  (n_q, d_v)  o = Σ e^(score − m) · value

    @property
    def output(self) -> Floats:
        """o / ℓ, (n_q, d_v): the attention over the keys met so far; 0 for a query that has met none."""
        return self.gathered / np.where(self.total == 0, 1, self.total)


def take_in(seen: Running, keys: slice, scores: Floats, values: Floats) -> Running:
    """Go on to the next block of keys: their scores (which are overwritten) and their values."""
    maximum = np.maximum(seen.maximum, scores.max(axis=-1, keepdims=True))
    base = np.where(maximum == -np.inf, 0, maximum)  # all masked so far: −∞ − (−∞) would be nan
    powers = np.exp(np.subtract(scores, base, out=scores), out=scores)
    rescale = np.exp(seen.maximum - base)
    total = rescale * seen.total + np.einsum("qk->q", powers)[:, None]  # powers.sum(axis=-1), in a third of the time
    gathered = rescale * seen.gathered + powers @ values
    return Running(keys, rescale, powers, maximum, total, gathered)


def by_blocks(
    Q: Floats, K: Floats, V: Floats, mask: Mask | None, divisor: float, width: int, room: Floats | None = None
) -> Iterator[Running]:
    """What these queries remember after each block of so many keys. room: where to write scores, if not anew."""
    n_q, n_k = len(Q), len(K)
    start = np.full((n_q, 1), -np.inf, Q.dtype)
    seen = Running(slice(0, 0), start, start[:, :0], start, np.zeros_like(start), np.zeros((n_q, V.shape[1]), Q.dtype))
    if early := math.frexp(divisor)[0] == 0.5:  # by a power of 2, dividing Q instead of all scores gives the same bits
        Q = Q / divisor
    for first in range(0, n_k, width):
        keys = slice(first, min(first + width, n_k))
        out = None if room is None else room[:n_q, : keys.stop - first]
        scores: Floats = np.matmul(Q, K[keys].T, out=out)
        if not early:
            scores /= divisor
        if mask is not None:
            np.copyto(scores, -np.inf, where=~mask[:, keys])
        seen = take_in(seen, keys, scores, V[keys])
        yield seen


def tiled_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None, *, block: int | tuple[int, int] = BLOCK
) -> Floats:
    """Do what `attention_steps` does, in memory that grows with n, not n².

    For each block of queries, block after block of keys: m′ = max(m, max s), ℓ′ = e^(m − m′) ℓ + Σⱼ e^(sⱼ − m′),
    o′ = e^(m − m′) o + Σⱼ e^(sⱼ − m′) vⱼ; at the end o / ℓ.

    Q: (..., n_q, d_k). K: (..., n_k, d_k). V: (..., n_k, d_v). Leading axes broadcast.
    mask: boolean, broadcastable to (..., n_q, n_k); True = may attend.
    block: how many queries and how many keys at a time (one number: as many of both).
    Returns: (..., n_q, d_v): float32 if Q, K and V all are (alone in this package, which otherwise computes in
        float64), else float64. A query that may attend to nothing gets 0.
    Raises: InputError if shapes do not fit, numbers are not finite (in float32: are beyond 1e15), the mask is not
        boolean, or a block is not a positive whole number.
    Source: Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018), algorithm 3; Dao et al.,
        "FlashAttention" (2022), algorithm 1.

    >>> tiled_attention(Q=[[0.0, 0.0]], K=[[1.0, 0.0], [0.0, 1.0]], V=[[2.0], [4.0]], block=1)
    array([[3.]])
    """
    Q, K, V = _floats(Q, K, V)
    scores_shape = shape_of_scores(Q, K, V)
    sizes = block if isinstance(block, tuple) else (block, block)
    if len(sizes) != 2:
        raise InputError("shape", "block", "one number, or two: queries and keys", str(block))
    n_q, width = (whole_number("block", size) for size in sizes)
    batch = same_batch(Q=Q, K=K, V=V)
    Q, K, V = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (Q, K, V))
    if mask is not None:
        mask = np.broadcast_to(spread_mask(scores_shape, mask), (*batch, *scores_shape[-2:]))
    divisor = divisor_for("sqrt", d_k=Q.shape[-1])
    room = np.empty((min(n_q, Q.shape[-2]), min(width, K.shape[-2])), Q.dtype)
    output = np.empty((*batch, Q.shape[-2], V.shape[-1]), Q.dtype)
    for at in np.ndindex(batch):
        for first in range(0, Q.shape[-2], n_q):
            rows = slice(first, first + n_q)
            allowed = None if mask is None else mask[at][rows]
            steps = by_blocks(Q[at][rows], K[at], V[at], allowed, divisor, width, room)
            output[at][rows] = deque(steps, maxlen=1).pop().output  # only the last one is kept
    return output


def tiled_steps(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None, *, block: int = 2,
    scale: str | float = "sqrt",
) -> list[Running]:  # fmt: skip
    """Do what `tiled_attention` does, and keep what it remembers after each block of keys.

    Q: (n_q, d_k). K: (n_k, d_k). V: (n_k, d_v). mask: (n_q, n_k). In float64.
    block: how many keys at a time; all queries at once.
    scale: as in `attention_steps`.
    Returns: a Running a block; the last one's `output` is the attention.
    Raises: InputError as `attention_steps` does, or if there are leading axes, or block is no positive whole number.

    >>> for seen in tiled_steps(Q=[[1.0]], K=[[0.0], [1.0], [3.0]], V=[[2.0], [4.0], [6.0]], block=2):
    ...     print(seen.maximum, seen.rescale.round(2), seen.total.round(2), seen.output.round(2))
    [[1.]] [[0.]] [[1.37]] [[3.46]]
    [[3.]] [[0.14]] [[1.19]] [[5.6]]
    """
    Q, K, V, mask = attention_inputs(Q, K, V, mask)
    for name, x in {"Q": Q, "K": K, "V": V, "mask": Q if mask is None else mask}.items():
        if x.ndim > 2:
            raise InputError("shape", name, "two axes", f"shape {x.shape}")
    divisor = divisor_for(scale, d_k=Q.shape[-1])
    return list(by_blocks(Q, K, V, mask, divisor, whole_number("block", block)))


def textbook(Q: Floats, K: Floats, V: Floats) -> Floats:
    """The short version, without checks and in the precision of its arguments: what the tiled one is measured against.

    >>> one = np.ones((2, 3), np.float32)
    >>> textbook(one, one, one).dtype, abs(textbook(one, one, one) - tiled_attention(one, one, one)).max()
    (dtype('float32'), np.float32(0.0))
    """
    scores = Q @ K.swapaxes(-1, -2) / float(np.sqrt(Q.shape[-1]))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return np.asarray(weights @ V)


def _floats(*given: ArrayLike) -> list[Floats]:
    """Q, K and V as they are if all are float32 or all float64, else as float64. They are only read."""
    single = all(getattr(x, "dtype", None) == np.float32 for x in given)
    most, dtype = (LIMIT_FLOAT32, np.float32) if single else (LIMIT, np.float64)
    return [np.asarray(finite(name, x, 2, most), dtype) for name, x in zip("QKV", given, strict=True)]


# What each of them costs, from its shapes alone.

PASSES = 12
"""How often `textbook` goes through an n × n matrix: it writes the product, reads and writes to divide, reads for the
maximum, reads and writes to subtract and again for exp, reads for the sum, reads and writes to divide by it, and reads
for the product with V."""

HELD = 3  #: how many n × n matrices `textbook` holds at its worst moment: scores, powers, weights


def matrix_bytes(n: int, itemsize: int = 4) -> int:
    """The size of one n × n matrix.

    >>> matrix_bytes(4096) / 2**20
    64.0
    """
    return n * n * itemsize


def tiled_bytes(n: int, d: int, block: tuple[int, int] = BLOCK, itemsize: int = 4) -> int:
    """What `tiled_attention` holds besides its arguments: one block of scores, and the output.

    >>> tiled_bytes(4096, 64) / 2**20
    5.0
    """
    return (min(block[0], n) * min(block[1], n) + n * d) * itemsize


def textbook_traffic(n: int, d: int, itemsize: int = 4) -> int:
    """How many bytes `textbook` reads and writes: its passes through n × n matrices, and Q, K, V and the output once.

    All of it goes through main memory where such a matrix is larger than the processor's cache.

    >>> textbook_traffic(4096, 64) / 2**20
    772.0
    """
    return PASSES * matrix_bytes(n, itemsize) + 4 * n * d * itemsize


def tiled_traffic(n: int, d: int, block: tuple[int, int] = BLOCK, itemsize: int = 4) -> int:
    """The same for `tiled_attention`, whose block stays in the cache: K and V once for each block of queries.

    >>> tiled_traffic(4096, 64) / 2**20
    18.0
    """
    times = -(-n // block[0])
    return (2 * times + 2) * n * d * itemsize
