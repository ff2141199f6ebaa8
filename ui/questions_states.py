"""The states in which the questions of `ui.questions` can be answered, and the numbers that the answers give.

Every number in an answer is computed here, from the state behind the question's button. Rows are counted from 0 here
and from 1 in the words.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import attention
from attention.assumptions import Components, predicted_mean, predicted_variance
from ui import masks, workbench
from ui.display import residual, short
from ui.workbench import Workbench, from_floats, preset

Array = NDArray[np.float64]
Facts = dict[str, str | list[str]]


def at_least(x: float, decimals: int = 2) -> str:
    """Rounded down, so that it can be said of what is at least this much.

    >>> at_least(0.976), at_most(0.971)
    ('0.97', '0.98')
    """
    return short(math.floor(x * 10**decimals) / 10**decimals, decimals)


def at_most(x: float, decimals: int = 2) -> str:
    """Rounded up."""
    return short(math.ceil(x * 10**decimals) / 10**decimals, decimals)


def _weights(bench: Workbench) -> Array:
    return bench.steps().weights


def article() -> Workbench:
    return preset("cat")


def sharpened(bench: Workbench) -> Facts:
    """What the best match of token 2 takes at T = 0.05 and at T = 1."""
    scaled = bench.steps().masked[1]
    return {name: short(attention.tempered_softmax(scaled, t).max()) for name, t in (("sharp", 0.05), ("soft", 1.0))}


def tied() -> Workbench:
    return replace(preset("self"), route="input")


def symmetric(bench: Workbench) -> Facts:
    scores = bench.steps().scores
    return {"pair": short(scores[0, 1]), "own": short(scores[0, 0])}


def thin() -> Workbench:
    """Four tokens of 8 numbers each, which two projections narrow to 2."""
    draw = np.random.default_rng(3)
    X, W_Q, W_K, W_V = (draw.standard_normal(size).round(1) for size in ((4, 8), (8, 2), (8, 2), (8, 3)))
    return replace(_made(tuple("甲乙丙丁"), X=X, W_Q=W_Q, W_K=W_K, W_V=W_V), route="input")


def merged(bench: Workbench) -> Facts:
    W_Q, W_K = bench.array("W_Q"), bench.array("W_K")
    merged = attention.merged_projection(W_Q, W_K)
    rank = int(np.linalg.matrix_rank(merged))
    return {"merged": str(merged.size), "two": str(W_Q.size + W_K.size), "rank": str(rank)}


def tiny_samples(bench: Workbench) -> Facts:
    """What the page of the very draw shows of 2 × 2 arrays."""
    variances = attention.small_experiments.by_hand(2, 2, 2, seed=bench.variance_seed).var(axis=1, ddof=1)
    low, high = np.quantile(variances, (0.05, 0.95))
    return {"tries": str(variances.size), "low": short(low), "high": short(high)}


def correlated(bench: Workbench) -> Facts:
    """What ÷√d_k leaves of mean and variance where q and k are correlated as on the page behind the button."""
    of, d_k = Components(rho=0.9), 64
    mean, variance = predicted_mean(of, d_k) / math.sqrt(d_k), predicted_variance(of, d_k) / d_k
    return {"rho": "0.9", "d_k": str(d_k), "mean": short(mean, 1), "variance": short(variance)}


def columns_softmaxed(bench: Workbench) -> Facts:
    sums = attention.softmax(bench.steps().masked, axis=-2).sum(axis=-1)
    return {"rows": [short(x) for x in sums]}


def causal() -> Workbench:
    return replace(preset("cat"), mask="causal")


def column_sums(bench: Workbench) -> Facts:
    return {"columns": [short(x) for x in _weights(bench).sum(axis=0)]}


def random() -> Workbench:
    return preset("random")


def negative(bench: Workbench) -> Facts:
    steps = bench.steps()
    return {"score": short(steps.scores.min()), "output": short(steps.output.min()),
            "weight": short(steps.weights.min(), 3)}  # fmt: skip


def one_two_five() -> Workbench:
    return masks.one_two_five(preset("cat"))


def after_softmax(bench: Workbench) -> Facts:
    Q, K, V = bench.qkv()
    late = attention.masked_after_steps(Q, K, V, masks.allowed(bench), scale=bench.scale)
    return {"after": short(late.weights[1].sum(), 3)}


def fills(bench: Workbench) -> Facts:
    scaled, mask = bench.steps().scaled, masks.allowed(bench)
    fills = {"zero": -1e-20, "minus_e": -math.e}
    return {name: short(attention.filled_weights(scaled, mask, fill)[1, 2], 3) for name, fill in fills.items()}


def nothing_left() -> Workbench:
    cat = preset("cat")
    return workbench.with_allowed(cat, {(1, j): False for j in range(len(cat.tokens))})


def even(bench: Workbench) -> Facts:
    return {"even": short(1 / len(bench.tokens))}


def padded() -> Workbench:
    cat = preset("cat")
    longer = workbench.with_tokens(cat, (*cat.tokens, "[PAD]"))
    return masks.with_part(longer, "mask_length", len(cat.tokens))


def leak_to_padding(bench: Workbench) -> Facts:
    return {"leak": short(_weights(masks.unmasked(bench))[1, -1])}


def appended(bench: Workbench) -> Facts:
    """How far earlier outputs move when the first token is added once more and nothing is masked."""
    before = bench.qkv()
    after = [np.vstack([matrix, matrix[0]]) for matrix in before]
    longer, shorter = (attention.attention_steps(*each, scale=bench.scale).output for each in (after, before))
    return {"moved": at_most(np.abs(longer[:-1] - shorter).max())}


def twins() -> Workbench:
    return workbench.with_twins(preset("cat"), True)


def two_heads() -> Workbench:
    """With head 1 open for typing, so that its projections can be read."""
    return workbench.with_typed_head(workbench.with_heads(preset("cat"), 2), 0)


def of_a_head(bench: Workbench) -> Facts:
    d_model = bench.sizes["d_model"]
    return {"d_model": str(d_model), "d_k": str(d_model // bench.n_heads)}


def four_heads() -> Workbench:
    return workbench.with_heads(preset("cat"), 4)


def parameters(bench: Workbench) -> Facts:
    heads = workbench.multi_head(bench)
    total = sum(W.size for W in (heads.W_Q, heads.W_K, heads.W_V, heads.W_O))
    return {"d_model": str(bench.sizes["d_model"]), "total": str(total)}


def silenced() -> Workbench:
    """Head 1 has its own projections, rounded, and an output projection of zeros."""
    typed = two_heads()
    zeros = tuple(tuple("0" for _ in row) for row in typed.matrices["H_O"])
    return replace(typed, matrices={**typed.matrices, "H_O": zeros})


def other_shapes() -> Workbench:
    return replace(preset("uniform"), route="input")


def shapes(bench: Workbench) -> Facts:
    return {name: str(bench.sizes[name]) for name in ("n", "d_k", "d_v")}


def reversed_(bench: Workbench) -> Facts:
    """How far attention is from treating a reversed sentence as the same rows, reversed."""
    Q, K, V = bench.qkv()
    there = attention.attention_steps(Q[::-1], K[::-1], V[::-1]).output[::-1]
    return {"residual": residual(float(np.abs(there - bench.steps().output).max()))}


def worthless() -> Workbench:
    cat = preset("cat")
    return workbench.with_cells(cat, "V", {(0, j): "0" for j in range(cat.sizes["d_v"])})


def largest_share(bench: Workbench) -> Facts:
    return {"weight": short(_weights(bench)[1, 0])}


def stuck() -> Workbench:
    cat = preset("cat")
    return replace(cat, matrices={**cat.matrices, "Q": from_floats(cat.array("Q") / 100, 4)})


def huddled(bench: Workbench) -> Facts:
    weights = _weights(bench)
    return {"low": at_least(weights.min(), 3), "high": at_most(weights.max(), 3)} | even(bench)


def _made(tokens: tuple[str, ...], X: Array, W_Q: Array, W_K: Array, W_V: Array) -> Workbench:
    """A workbench of one's own: X, its projections, and the Q, K and V they give."""
    given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "Q": X @ W_Q, "K": X @ W_K, "V": X @ W_V}
    matrices = {name: from_floats(array) for name, array in given.items()}
    return workbench.without_typed_head(replace(preset("random"), tokens=tokens, matrices=matrices))
