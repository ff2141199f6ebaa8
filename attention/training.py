"""Does attention train? A small model learns to look up a value by its key; its backward pass is written out by hand.

An example holds eight keys, each paired with a value at random, and a query that repeats one of the keys. The answer is
the value paired with it. One layer of attention and an output layer:

    q = x_q W_Q,  k = x_k W_K,  v = x_v W_V
    p = softmax(k q / divisor),  o = Σⱼ pⱼ vⱼ,  logits = o W_O,  L = −ln softmax(logits)[answer], averaged over a batch

Pairs are drawn anew for each batch, so nothing can be learned by heart: each loss is one on examples never seen before.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attention.checks import LIMIT, InputError, divisor_for, one_of, whole_number

Floats = NDArray[np.floating]
Indices = NDArray[np.intp]

SYMBOLS = 8
"""How many different keys there are; every example holds all of them, in any order."""

VALUES = 8
"""How many different values there are."""

D_MODEL = 32
"""How long the embedding of a symbol or a value is, and also d_v."""

BATCH = 64
STEPS = 100
"""How many steps of training a run has."""

D_K = (4, 16, 64, 256, 1024)
SCALES = ("sqrt", "none")
OPTIMIZERS = ("adam", "sgd")
LEARNING_RATES = {"adam": 0.003, "sgd": 0.1}
"""For each optimizer the rate of a run that names none: one at which the model learns with √d_k at every d_k."""

RATES = {"adam": (0.0003, 0.001, 0.003, 0.01, 0.03), "sgd": (0.01, 0.03, 0.1, 0.3, 1.0)}
"""For each optimizer the rates that are worth comparing: at the ends of each, √d_k does not help everywhere either."""

CHANCE = math.log(VALUES)
"""The loss of a model that knows nothing and says so: ln 8."""

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # Adam's, as its paper recommends


@dataclass(frozen=True)
class Setting:
    """What is trained: the same seed means the same embeddings, initial weights and batches, with any scale."""

    d_k: int = 64
    scale: str = "sqrt"
    optimizer: str = "adam"
    seed: int = 0
    learning_rate: float | None = None  # None: that of the optimizer in LEARNING_RATES

    def __post_init__(self) -> None:
        """Raise InputError if a field is not what `Training` can train with."""
        whole_number("d_k", self.d_k)
        whole_number("seed", self.seed, 0)
        one_of("scale", self.scale, ("sqrt", "none", "linear"))
        one_of("optimizer", self.optimizer, OPTIMIZERS)
        _positive("learning_rate", self.rate)

    @property
    def rate(self) -> float:
        """The learning rate."""
        return LEARNING_RATES[self.optimizer] if self.learning_rate is None else self.learning_rate

    @property
    def divisor(self) -> float:
        """What the scores are divided by."""
        return divisor_for(self.scale, self.d_k)


@dataclass(frozen=True, eq=False)
class Weights:
    """All that is learned, one matrix each; also the shape of the gradients."""

    W_Q: Floats  # (d_model, d_k)
    W_K: Floats  # (d_model, d_k)
    W_V: Floats  # (d_model, d_v)
    W_O: Floats  # (d_v, values)

    @classmethod
    def from_flat(cls, flat: Floats, d_k: int) -> Weights:
        """Views into one long array, so that an optimizer can treat all weights alike, at once.

        flat: (Weights.count(d_k),), W_Q, W_K, W_V and W_O one after the other, each by rows

        Raises: InputError, code "shape", if there are more or fewer numbers.
        """
        if flat.shape != (cls.count(d_k),):
            raise InputError("shape", "flat", f"({cls.count(d_k)},), for d_k = {d_k}", flat.shape)
        shapes = (D_MODEL, d_k), (D_MODEL, d_k), (D_MODEL, D_MODEL), (D_MODEL, VALUES)
        ends = np.cumsum([rows * columns for rows, columns in shapes])
        parts = np.split(flat, ends[:-1])
        return cls(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))

    @staticmethod
    def count(d_k: int) -> int:
        """How many numbers there are to learn."""
        return D_MODEL * (2 * d_k + D_MODEL + VALUES)


@dataclass(frozen=True, eq=False)
class Batch:
    """Examples, as what attention sees of them."""

    x_q: Floats  # (b, d_model)     embedding of the key that is asked for
    x_k: Floats  # (b, n, d_model)  embeddings of the keys
    x_v: Floats  # (b, n, d_model)  embeddings of the values paired with them
    answer: Indices  # (b,)         the value paired with the key that is asked for


@dataclass(frozen=True, eq=False)
class Forward:
    """What the model makes of a batch, and all that its backward pass needs."""

    q: Floats  # (b, d_k)
    k: Floats  # (b, n, d_k)
    v: Floats  # (b, n, d_v)
    p: Floats  # (b, n)       attention weights
    o: Floats  # (b, d_v)     output of attention
    guess: Floats  # (b, values)  probability of each value
    loss: float  # nats, averaged over the batch


class World:
    """What the symbols and values look like: random embeddings, and the batches that are drawn from them.

    symbols: (SYMBOLS, D_MODEL) and values: (VALUES, D_MODEL), components from N(0, 1).

    >>> batch = World(seed=0).batch(2)
    >>> batch.x_q.shape, batch.x_k.shape, batch.x_v.shape, batch.answer.shape
    ((2, 32), (2, 8, 32), (2, 8, 32), (2,))
    """

    def __init__(self, seed: int, dtype: DTypeLike = np.float32) -> None:
        """Draw the embeddings. Raises: InputError if the seed is not a whole number, at least 0."""
        whole_number("seed", seed, 0)
        looks, batches = (np.random.default_rng(each) for each in np.random.SeedSequence((seed, 1)).spawn(2))
        self.symbols, self.values = (looks.standard_normal((n, D_MODEL)).astype(dtype) for n in (SYMBOLS, VALUES))
        self.rng = batches

    def batch(self, size: int = BATCH) -> Batch:
        """Draw examples: every key once, in any order, each with a value; and which of them is asked for.

        Returns: Batch of `size` examples, n = SYMBOLS keys each; every call draws others.
        Raises: InputError if the size is not a whole number, at least 1.
        """
        whole_number("size", size)
        keys = self.rng.random((size, SYMBOLS)).argsort(axis=1)
        values = self.rng.integers(VALUES, size=(size, SYMBOLS))
        row, asked = np.arange(size), self.rng.integers(SYMBOLS, size=size)
        answer = values[row, asked]
        return Batch(self.symbols[keys[row, asked]], self.symbols[keys], self.values[values], answer)


def initial_weights(d_k: int, seed: int, dtype: DTypeLike = np.float32) -> Floats:
    """Draw the weights a run starts from, in one long array (see `Weights.from_flat`).

    N(0, 1/rows): components of q and k then have variance 1, and q·k has variance d_k, as the article assumes.

    Returns: (Weights.count(d_k),)
    Raises: InputError if d_k is not a whole number, at least 1, or the seed not one, at least 0.

    >>> initial_weights(16, seed=0).shape
    (2304,)
    """
    whole_number("d_k", d_k)
    whole_number("seed", seed, 0)
    flat = np.random.default_rng(np.random.SeedSequence((seed, 2))).standard_normal(Weights.count(d_k))
    weights = Weights.from_flat(flat, d_k)
    for each in fields(weights):
        W = getattr(weights, each.name)
        W /= math.sqrt(len(W))
    return flat.astype(dtype)


def forward(weights: Weights, batch: Batch, divisor: float) -> Forward:
    """Answer a batch of questions.

    p = softmax(k q / divisor), o = Σⱼ pⱼ vⱼ, guess = softmax(o W_O), loss = −mean ln guess[answer]

    weights: W_Q, W_K (d_model, d_k), W_V (d_model, d_v), W_O (d_v, values)
    batch: x_q (b, d_model), x_k, x_v (b, n, d_model), answer (b,), whole numbers from 0 to values − 1

    Returns: Forward, in the precision of the weights.
    Raises: InputError if a shape does not fit, an answer is none of the values, or the divisor is not positive.

    >>> world, weights = World(0), Weights.from_flat(initial_weights(16, seed=0), 16)
    >>> forward(weights, world.batch(), divisor=4.0).p.sum(axis=1).round(3)[:3].tolist()
    [1.0, 1.0, 1.0]
    """
    _check(weights, batch, divisor)
    q = batch.x_q @ weights.W_Q
    k = _rows_times(batch.x_k, weights.W_K)
    v = _rows_times(batch.x_v, weights.W_V)
    scores = (k @ q[:, :, None])[..., 0]
    p = _softmax(scores / scores.dtype.type(divisor))
    o = (p[:, None, :] @ v)[:, 0]
    logits = o @ weights.W_O
    guess = _softmax(logits)
    # ln guess[answer], in a form that a guess of 0 cannot make infinite
    peak = logits.max(axis=1)
    sure = logits[np.arange(len(logits)), batch.answer] - peak
    loss = np.log(np.exp(logits - peak[:, None]).sum(axis=1)) - sure
    return Forward(q, k, v, p, o, guess, float(loss.mean()))


def backward(weights: Weights, batch: Batch, seen: Forward, divisor: float) -> Weights:
    """Carry the loss back to every weight.

    d_logits = (guess − one-hot(answer)) / b
    dW_O = oᵀ d_logits,           d_o = d_logits W_Oᵀ
    d_v = p ⊗ d_o,                d_p = v d_o,          dW_V = x_vᵀ d_v
    d_scores = p ∘ (d_p − Σⱼ d_pⱼ pⱼ) / divisor
    d_q = Σⱼ d_scoresⱼ kⱼ,        dW_Q = x_qᵀ d_q
    d_k = d_scores ⊗ q,           dW_K = x_kᵀ d_k

    weights, batch, divisor: those that `forward` was given; seen: what it returned

    Returns: the gradient of the loss with respect to each weight, as Weights of the same shapes.
    Raises: InputError where `forward` does, and if `seen` is of another batch or other weights.
    Source: Rumelhart, Hinton, Williams (1986); for attention see `attention.attention_gradients`.

    A step against the gradient makes the loss smaller:

    >>> batch, weights = World(0).batch(), Weights.from_flat(initial_weights(16, seed=0), 16)
    >>> seen = forward(weights, batch, divisor=4.0)
    >>> gradient = backward(weights, batch, seen, divisor=4.0)
    >>> gradient.W_Q.shape
    (32, 16)
    >>> weights.W_Q[:] -= 0.1 * gradient.W_Q
    >>> forward(weights, batch, divisor=4.0).loss < seen.loss
    True
    """
    _check(weights, batch, divisor)
    expected = (*batch.x_k.shape[:2], weights.W_K.shape[1])
    if seen.k.shape != expected:
        raise InputError("shape", "seen", f"k of shape {expected}", seen.k.shape)
    size = len(batch.answer)
    d_logits = seen.guess.copy()
    d_logits[np.arange(size), batch.answer] -= 1
    d_logits /= size
    d_o = d_logits @ weights.W_O.T
    d_v = seen.p[:, :, None] * d_o[:, None, :]
    d_p = (seen.v @ d_o[:, :, None])[..., 0]
    d_scores = seen.p * (d_p - (d_p * seen.p).sum(axis=1, keepdims=True)) / d_p.dtype.type(divisor)
    d_q = (d_scores[:, None, :] @ seen.k)[:, 0]
    d_k = d_scores[:, :, None] * seen.q[:, None, :]
    return Weights(
        W_Q=batch.x_q.T @ d_q, W_K=_summed(batch.x_k, d_k), W_V=_summed(batch.x_v, d_v), W_O=seen.o.T @ d_logits
    )


class Training:
    """One run: a model, its optimizer, and what was seen at each step on a batch it had not yet learned from."""

    def __init__(self, setting: Setting, dtype: DTypeLike = np.float32) -> None:
        self.setting = setting
        self.world = World(setting.seed, dtype)
        self.flat = initial_weights(setting.d_k, setting.seed, dtype)
        self.weights = Weights.from_flat(self.flat, setting.d_k)
        self._gradient, self._m, self._v = (np.zeros_like(self.flat) for _ in range(3))
        self.loss: list[float] = []  # nats
        self.accuracy: list[float] = []  # share of the batch that was answered right
        self.entropy: list[float] = []  # mean entropy of the attention weights ÷ ln 8: 1 = uniform
        self.gradient: list[float] = []  # ‖∂L/∂(W_Q, W_K)‖: what has come through softmax
        self.match: list[float] = []  # q·k of a query with the key that it asks for, mean over the symbols; not divided
        self.other: list[float] = []  # and with the keys that it does not ask for

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.loss)

    def step(self, batch: Batch | None = None) -> None:
        """Take a batch, note how well it is answered, and learn from it.

        batch: None: the next one that `world` draws

        Raises: InputError if the batch does not fit the weights.

        >>> run = Training(Setting(d_k=16, scale="sqrt", optimizer="sgd"))
        >>> for _ in range(30):
        ...     run.step()
        >>> run.loss[-1] < CHANCE < run.loss[0]
        True
        """
        batch, divisor = self.world.batch() if batch is None else batch, self.setting.divisor
        with np.errstate(over="ignore", invalid="ignore"):  # a rate of one's own may be too large
            seen = forward(self.weights, batch, divisor)
            gradients = backward(self.weights, batch, seen, divisor)
            self._note(batch, seen, gradients)
            self._learn(gradients)

    def _learn(self, gradients: Weights) -> None:
        np.concatenate([getattr(gradients, each.name).ravel() for each in fields(gradients)], out=self._gradient)
        if self.setting.optimizer == "adam":
            self._adam()
        else:
            self.flat -= self.setting.rate * self._gradient

    def _note(self, batch: Batch, seen: Forward, gradients: Weights) -> None:
        self.loss.append(seen.loss)
        self.accuracy.append(float((seen.guess.argmax(axis=1) == batch.answer).mean()))
        nats = -(seen.p * np.log(np.maximum(seen.p, np.finfo(seen.p.dtype).tiny))).sum(axis=1).mean()
        self.entropy.append(float(nats) / math.log(SYMBOLS))
        self.gradient.append(math.hypot(float(np.linalg.norm(gradients.W_Q)), float(np.linalg.norm(gradients.W_K))))
        match, other = matches(self.weights, self.world.symbols)
        self.match.append(match)
        self.other.append(other)

    def _adam(self) -> None:
        """θ ← θ − rate · m̂ / (√v̂ + ε). Source: Kingma and Ba, "Adam" (2015), algorithm 1, in its efficient order."""
        g, m, v, t = self._gradient, self._m, self._v, self.steps
        m += (1 - BETA_1) * (g - m)
        v += (1 - BETA_2) * (g * g - v)
        root = np.sqrt(v)
        root /= math.sqrt(1 - BETA_2**t)
        root += EPSILON
        np.divide(m, root, out=root)
        root *= self.setting.rate / (1 - BETA_1**t)
        self.flat -= root


def matches(weights: Weights, symbols: Floats) -> tuple[float, float]:
    """Say how large q·k is, before it is divided: of a query with its own key, and with the other ones.

    (1/n) Σ_i q_i·k_i and 1/(n(n−1)) Σ_i Σ_j≠i q_i·k_j, for q_i = x_i W_Q, k_j = x_j W_K

    symbols: (n, d_model), n ≥ 2: the embeddings x
    Returns: the two means.
    Raises: InputError if the embeddings are fewer than two, or do not fit the weights.

    >>> weights = Weights.from_flat(initial_weights(16, seed=0), 16)
    >>> [round(each, 1) for each in matches(weights, World(0).symbols)]
    [-1.9, -0.8]
    """
    n = len(symbols)
    if symbols.shape != (n, len(weights.W_Q)) or n < 2:
        raise InputError("shape", "symbols", f"(n, {len(weights.W_Q)}), n at least 2", str(symbols.shape))
    scores = (symbols @ weights.W_Q) @ (symbols @ weights.W_K).T
    own = float(np.trace(scores))
    return own / n, (float(scores.sum()) - own) / (n * (n - 1))


def _positive(name: str, x: object) -> None:
    """Raise InputError unless x is a positive number."""
    expected = f"a positive number, at most {LIMIT:g}"
    if isinstance(x, bool | np.bool_) or not isinstance(x, numbers.Real):
        raise InputError("not_numbers", name, expected, repr(x))
    if not 0 < float(x) <= LIMIT:
        raise InputError("finite", name, expected, float(x))


def _check(weights: Weights, batch: Batch, divisor: float) -> None:
    """Raise InputError unless they fit together. This runs twice a step, so it looks at shapes and answers only."""
    _positive("divisor", divisor)
    (d_model, d_k), (d_v, values) = weights.W_Q.shape, weights.W_O.shape
    b, n = batch.x_k.shape[:2]
    for name, x, expected in (
        ("W_K", weights.W_K, (d_model, d_k)), ("W_V", weights.W_V, (d_model, d_v)), ("x_q", batch.x_q, (b, d_model)),
        ("x_k", batch.x_k, (b, n, d_model)), ("x_v", batch.x_v, (b, n, d_model)), ("answer", batch.answer, (b,)),
    ):  # fmt: skip
        if x.shape != expected:
            raise InputError("shape", name, str(expected), x.shape)
    if not 0 <= batch.answer.min() <= batch.answer.max() < values:
        raise InputError("whole_number", "answer", f"whole numbers from 0 to {values - 1}", str(batch.answer))


def _rows_times(x: Floats, W: Floats) -> Floats:
    """x W, as one product of matrices: NumPy would make one of each example."""
    return (x.reshape(-1, x.shape[-1]) @ W).reshape(*x.shape[:-1], W.shape[-1])


def _summed(x: Floats, d: Floats) -> Floats:
    """xᵀ d, summed over examples and keys."""
    summed: Floats = x.reshape(-1, x.shape[-1]).T @ d.reshape(-1, d.shape[-1])
    return summed


def _softmax(scores: Floats) -> Floats:
    """As `attention.softmax`, but in the precision of its argument and without its checks: it runs twice a step."""
    powers: Floats = np.exp(scores - scores.max(axis=-1, keepdims=True))
    powers /= powers.sum(axis=-1, keepdims=True)
    return powers
