"""The order page: the reader's sentence in any order, under any encoding, and what attention makes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import attention
from ui import views
from ui.workbench import Workbench, typed_apart

ENCODINGS = ("none", "sinusoidal", "rope", "alibi")
PARTS = ("inside", "code", "sines", "turn", "add", "shift", "alibi")
MOST_POSITIONS, MOST_SHIFT, MOST_HEADS = 64, 64, 16

Array = NDArray[np.float64]
Order = tuple[int, ...]


@dataclass(frozen=True)
class Setting:
    """What decides every number of the shuffle test but the order: the numbers, and what is switched on."""

    bench: Workbench
    encoding: str
    masked: bool  # whether the reader's mask is on; it belongs to positions, not to tokens
    n_heads: int  # ALiBi takes the slope of one head of so many,
    head: int  # this one, counted from 0

    @property
    def n(self) -> int:
        return len(self.bench.tokens)

    @property
    def slope(self) -> float:
        return float(attention.alibi_slopes(self.n_heads)[self.head])

    @property
    def mask(self) -> NDArray[np.bool_] | None:
        return self.bench.mask_array() if self.masked else None


def setting(bench: Workbench, encoding: str | None = None) -> Setting:
    """What the page is set to."""
    n_heads = int(views.get(bench, "order.heads"))
    return Setting(
        replace(bench, cell=(), view=()), encoding or views.get(bench, "order.encoding"),
        masked=bench.mask != "none" and views.get(bench, "order.mask"),
        n_heads=n_heads, head=min(int(views.get(bench, "order.head")), n_heads) - 1,
    )  # fmt: skip


def order_of(bench: Workbench) -> Order:
    """The token at each place. An order of more or fewer tokens is fitted: who is gone leaves, who is new comes last.

    >>> from ui.workbench import preset
    >>> order_of(views.shown(preset("cat"), "order.tokens", (3, 0, 1, 2)))
    (3, 0, 1, 2)
    """
    n, chosen = len(bench.tokens), views.get(bench, "order.tokens")
    kept = tuple(i for i in chosen if i < n)
    return (*kept, *(i for i in range(n) if i not in kept))


def from_input(bench: Workbench) -> bool:
    """Whether Q, K and V are what the projections make of X. If they were typed into, no X stands before them."""
    return bench.route == "input" or not typed_apart(bench)


def code(n: int, columns: int, shift: int = 0) -> Array:
    """The sinusoidal code of n positions, from `shift` on."""
    return attention.sinusoidal_positions(shift + n, columns)[shift:]


def projected(it: Setting, order: Order, shift: int = 0) -> tuple[Array, Array, Array]:
    """Q, K and V of the tokens in this order, with what the encoding does to them; the first stands at `shift`."""
    rows, added = list(order), it.encoding == "sinusoidal"
    if from_input(it.bench):
        X = it.bench.array("X")[rows]
        X = X + code(*X.shape, shift) if added else X
        Q, K, V = attention.project(X, *(it.bench.array(name) for name in ("W_Q", "W_K", "W_V")))
    else:
        Q, K, V = (M[rows] for M in it.bench.qkv())
        if added:
            Q, K = Q + code(*Q.shape, shift), K + code(*K.shape, shift)
    if it.encoding == "rope":
        at = np.arange(shift, shift + it.n)
        Q, K = attention.rotary(Q, at), attention.rotary(K, at)
    return Q, K, V


def bias(it: Setting, shift: int = 0) -> Array:
    """What ALiBi adds to the scaled scores of tokens from position `shift` on."""
    return attention.alibi_bias(it.n_heads, shift + it.n)[it.head, shift:, shift:]


@lru_cache(maxsize=512)
def read(it: Setting, order: Order, shift: int = 0) -> attention.AttentionSteps:
    """Every step of attention on the tokens in this order."""
    Q, K, V = projected(it, order, shift)
    if it.encoding == "alibi":
        return attention.biased_steps(Q, K, V, bias(it, shift), it.mask, scale=it.bench.scale)
    return attention.attention_steps(Q, K, V, it.mask, scale=it.bench.scale)


@dataclass(frozen=True, eq=False)
class Trial:
    """The shuffle test: the outputs in both orders, and how far each token's own has moved."""

    order: Order
    before: attention.AttentionSteps
    after: attention.AttentionSteps

    @property
    def put_back(self) -> Array:
        """The outputs after the shuffle, each token's in the row it has without."""
        return self.after.output[np.argsort(self.order)]

    @property
    def moved(self) -> Array:
        return self.put_back - self.before.output

    @property
    def residuals(self) -> Array:
        """For each token, the largest difference between its two outputs."""
        return np.abs(self.moved).max(axis=1)

    @property
    def residual(self) -> float:
        return float(self.residuals.max())

    @property
    def limit(self) -> float:
        """The largest number of both outputs, at the ends of the ramp."""
        return float(max(np.abs(self.before.output).max(), np.abs(self.after.output).max()))

    @property
    def same(self) -> bool:
        """Whether all outputs are the same, but for what adding in another order rounds differently."""
        return self.residual <= 1e-9 * max(1.0, self.limit)

    @property
    def shuffled(self) -> bool:
        return self.order != tuple(range(len(self.order)))


def trial(it: Setting, order: Order) -> Trial:
    """The shuffle test of one order."""
    return Trial(order, read(it, tuple(range(it.n))), read(it, order))


@dataclass(frozen=True, eq=False)
class Terms:
    """What a score is the sum of where a code was added: content and position of the query, of the key."""

    content_content: Array
    content_position: Array
    position_content: Array
    position_position: Array
    scores: Array  # of the sum of both, computed as attention does
    apart: float  # the largest |(X + PE)·W_Q − (X·W_Q + PE·W_Q)|; of Q + PE where no X stands before it

    @property
    def sum(self) -> Array:
        return self.content_content + self.content_position + self.position_content + self.position_position


def terms(bench: Workbench) -> Terms:
    """The scores under added sinusoids, taken apart, in the order on the page."""
    it, order = setting(bench, "sinusoidal"), order_of(bench)
    plain = projected(setting(bench, "none"), order)
    n, sizes = it.n, bench.sizes
    if from_input(bench):
        q, k = (code(n, sizes["d_model"]) @ bench.array(name) for name in ("W_Q", "W_K"))
    else:
        q = k = code(n, sizes["d_k"])
    together = projected(it, order)
    Q, K = plain[:2]
    return Terms(
        Q @ K.T, Q @ k.T, q @ K.T, q @ k.T, read(it, order).scores,
        apart=float(np.abs(together[0] - (Q + q)).max()),
    )  # fmt: skip


def shift_by(bench: Workbench, encoding: str, shift: int) -> tuple[Array, Array]:
    """How far the scaled scores (with ALiBi's bias) and the weights move if all tokens stand `shift` places later."""
    it, order = setting(bench, encoding), order_of(bench)
    here, there = read(replace(it, masked=False), order), read(replace(it, masked=False), order, shift)
    return there.masked - here.masked, there.weights - here.weights


def favourite(bench: Workbench) -> int:
    """Whom the reader's token attends to most, without any position."""
    it = replace(setting(bench, "none"), masked=False)
    return int(read(it, tuple(range(it.n))).scores[bench.token].argmax())


def likeness(of: Array) -> Array:
    """The dot products of codes by distance: a row a distance, (least, mean, largest) over all pairs so far apart."""
    products = of @ of.T
    return np.array([[f(np.diagonal(products, d)) for f in (np.min, np.mean, np.max)] for d in range(len(of))])


def nearest(of: Array) -> tuple[int, int, float]:
    """The two positions whose codes are closest, and how far apart these are."""
    apart = np.linalg.norm(of[:, None] - of, axis=-1)
    apart[np.tril_indices(len(of))] = np.inf
    p, q = np.unravel_index(apart.argmin(), apart.shape)
    return int(p), int(q), float(apart[p, q])
