"""Multi-head attention: the same procedure several times over, each head with its own projections.

"Attention Is All You Need" (2017), section 3.2.2.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import (
    Array,
    InputError,
    Mask,
    bool_array,
    divisor_for,
    finite_array,
    mask_for,
    whole_number,
)
from attention.dot_product import AttentionSteps, trace


@dataclass(frozen=True, eq=False)
class MultiHeadSteps:
    """Every intermediate result of one multi-head attention.

    `heads` and `contributions` hold every head, silenced or not.
    """

    Q: Array  # (..., h, n, d_k)
    K: Array  # (..., h, n, d_k)
    V: Array  # (..., h, n, d_v)
    heads: AttentionSteps  # with a head axis: weights (..., h, n, n), output (..., h, n, d_v)
    heads_on: Mask  # (h,)
    concat: Array  # (..., n, h·d_v), zeros where a head is silenced
    contributions: Array  # (..., h, n, d_model): what each head would add to the output
    output: Array  # (..., n, d_model): the contributions of the heads that are on, added up


@dataclass(frozen=True, eq=False)
class MultiHead:
    """Hold the projections of h heads.

    headᵢ = Attention(X W_Qᵢ, X W_Kᵢ, X W_Vᵢ)
    output = concat(head₁, …, head_h) W_O = Σᵢ headᵢ W_Oᵢ

    W_Q, W_K: (h, d_model, d_k). W_V: (h, d_model, d_v). W_O: (h, d_v, d_model), the rows of the usual W_O
        cut into heads.
    Raises: InputError if shapes do not fit or numbers are not finite. The arrays are copied, and read-only.
    Source: "Attention Is All You Need" (2017), section 3.2.2.

    >>> one = np.ones((1, 2, 1))
    >>> MultiHead(W_Q=one, W_K=one, W_V=one, W_O=np.ones((1, 1, 2))).n_parameters
    8
    """

    W_Q: Array
    W_K: Array
    W_V: Array
    W_O: Array

    def __post_init__(self) -> None:
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            W = finite_array(name, getattr(self, name))
            if W.ndim != 3:
                raise InputError("axes", name, "three axes, the first for heads", f"shape {W.shape}")
            W.flags.writeable = False
            object.__setattr__(self, name, W)
        h, d_model, d_k = self.W_Q.shape
        d_v = self.W_V.shape[-1]
        _expect("W_K", self.W_K, (h, d_model, d_k))
        _expect("W_V", self.W_V, (h, d_model, d_v))
        _expect("W_O", self.W_O, (h, d_v, d_model))

    @classmethod
    def random(
        cls, d_model: int, n_heads: int, *, d_k: int | None = None, d_v: int | None = None, seed: int = 0
    ) -> Self:
        """Draw the projections from a normal distribution with standard deviation 1/√d_model.

        d_k is d_model / n_heads if left out, which must divide; d_v is d_k if left out.
        Each matrix has its own stream of numbers: another d_v leaves W_Q and W_K as they are.
        Raises: InputError unless all are whole numbers from 1 (seed: from 0), or if n_heads does not
            divide d_model.

        >>> MultiHead.random(d_model=6, n_heads=3).W_Q.shape
        (3, 6, 2)
        """
        d_model, h = whole_number("d_model", d_model), whole_number("n_heads", n_heads)
        d_k = head_size(d_model, h) if d_k is None else whole_number("d_k", d_k)
        d_v = d_k if d_v is None else whole_number("d_v", d_v)
        seed = whole_number("seed", seed, least=0)
        shapes = ((h, d_model, d_k), (h, d_model, d_k), (h, d_model, d_v), (h, d_v, d_model))
        draws = (np.random.default_rng([seed, i]).standard_normal(s) for i, s in enumerate(shapes))
        return cls(*(x / np.sqrt(d_model) for x in draws))

    @property
    def n_heads(self) -> int:
        return int(self.W_Q.shape[0])

    @property
    def n_parameters(self) -> int:
        """How many numbers the projections hold: with d_k = d_v = d_model / h, 4 · d_model² for any h."""
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def steps(
        self,
        X: ArrayLike,
        mask: ArrayLike | None = None,
        *,
        heads_on: ArrayLike | None = None,
        scale: str | float = "sqrt",
    ) -> MultiHeadSteps:
        """Let the tokens of X attend to each other in every head, and add up what the heads contribute.

        contributionᵢ = headᵢ W_Oᵢ; output = Σ contributionᵢ over the heads that are on.

        X: (..., n, d_model).
        mask: boolean, broadcastable to (..., n, n), the same for all heads; True = may attend.
        heads_on: (h,), boolean; all are on if left out. scale: as in `attention_steps`.
        Returns: MultiHeadSteps. A query that may attend to nothing has weights 0.
        Raises: InputError if shapes do not fit, numbers are not finite, or mask or heads_on are not boolean.

        >>> steps = MultiHead.random(d_model=6, n_heads=3).steps(np.eye(6), heads_on=[True, False, True])
        >>> steps.contributions.shape
        (3, 6, 6)
        >>> bool((steps.output == steps.contributions[[0, 2]].sum(axis=0)).all())
        True
        """
        X = finite_array("X", X, 2)
        if X.shape[-1] != self.W_Q.shape[1]:
            raise InputError("d_model", "X", f"d_model = {self.W_Q.shape[1]} columns", X.shape[-1])
        on = self._on(heads_on)
        divisor = divisor_for(scale, d_k=self.W_Q.shape[-1])
        Q, K, V = (X[..., None, :, :] @ W for W in (self.W_Q, self.W_K, self.W_V))  # (..., h, n, d)
        heads = trace(Q, K, V, self._mask(mask, X), divisor, empty_rows="zero")
        contributions = heads.output @ self.W_O  # (..., h, n, d_model)
        output = contributions[..., on, :, :].sum(axis=-3)
        return MultiHeadSteps(Q, K, V, heads, on, concat(heads.output, on), contributions, output)

    def _on(self, heads_on: ArrayLike | None) -> Mask:
        if heads_on is None:
            return np.ones(self.n_heads, dtype=bool)
        on = bool_array("heads_on", heads_on)
        if on.shape != (self.n_heads,):
            raise InputError("shape", "heads_on", f"shape {(self.n_heads,)}", f"shape {on.shape}")
        return on

    def _mask(self, mask: ArrayLike | None, X: Array) -> Mask | None:
        if mask is None:
            return None
        shape = (*X.shape[:-1], X.shape[-2])  # (..., n, n)
        return np.repeat(mask_for(shape, mask)[..., None, :, :], self.n_heads, axis=-3)


def concat(head_outputs: Array, on: Mask) -> Array:
    """(..., h, n, d_v) → (..., n, h·d_v), zeros where a head is silenced."""
    kept = np.where(on[:, None, None], head_outputs, 0.0)
    h, n, d_v = kept.shape[-3:]
    return kept.swapaxes(-3, -2).reshape(*kept.shape[:-3], n, h * d_v)


def head_size(d_model: int, n_heads: int) -> int:
    """d_model / n_heads, which must be whole."""
    if d_model % n_heads:
        raise InputError("n_heads", "n_heads", f"a divisor of d_model = {d_model}", n_heads)
    return d_model // n_heads


def _expect(name: str, W: Array, shape: tuple[int, ...]) -> None:
    if W.shape != shape:
        raise InputError("shape", name, f"shape {shape}, to fit W_Q and W_V", f"shape {W.shape}")
