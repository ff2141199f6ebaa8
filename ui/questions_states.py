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
from ui import workbench
from ui.display import short
from ui.workbench import DRAWS, Workbench, from_floats, preset

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


def no_numbers(bench: Workbench) -> Facts:
    return {}


def _weights(bench: Workbench) -> Array:
    return bench.steps().weights


def lookup() -> Workbench:
    return preset("lookup")


def best_fits(bench: Workbench) -> Facts:
    return {"least": at_least(_weights(bench).max(axis=-1).min(), 3)}


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
    merged = W_Q @ W_K.T
    rank = int(np.linalg.matrix_rank(merged))
    return {"merged": str(merged.size), "two": str(W_Q.size + W_K.size), "rank": str(rank)}


def saturated() -> Workbench:
    return preset("saturated")


def divided_by_d_k() -> Workbench:
    return replace(preset("saturated"), scale="linear")


def _tops(bench: Workbench) -> dict[str, Array]:
    """The largest weight of every row, by what the scores are divided by."""
    return {scale: _weights(replace(bench, scale=scale)).max(axis=-1) for scale in ("none", "sqrt", "linear")}


def saturation(bench: Workbench) -> Facts:
    return {"none": at_least(_tops(bench)["none"].min()), "sqrt": at_most(_tops(bench)["sqrt"].max())}


def flattened(bench: Workbench) -> Facts:
    tops = {scale: at_most(largest.max()) for scale, largest in _tops(bench).items()}
    return {"linear": tops["linear"], "sqrt": tops["sqrt"], "even": short(1 / len(bench.tokens))}


def many_pairs() -> Workbench:
    return replace(preset("cat"), variance_draws=DRAWS[-1])


def tiny_samples(bench: Workbench) -> Facts:
    Q, K = np.random.default_rng(0).standard_normal((2, 2000, 2, 2))
    variances = (Q @ K.swapaxes(-1, -2)).reshape(2000, 4).var(axis=1, ddof=1)
    low, high = np.quantile(variances, (0.05, 0.95))
    return {"low": short(low), "high": short(high)}


def squares(bench: Workbench) -> Facts:
    return {"own": short(bench.steps().scores[0, 0])}


def columns_softmaxed(bench: Workbench) -> Facts:
    sums = attention.softmax(bench.steps().scaled, axis=-2).sum(axis=-1)
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
    """Every query scores 1, 2 and 5; the values are unit vectors, so the output repeats the weights."""
    made = _made(tuple("甲乙丙"), X=np.eye(3), W_Q=np.ones((3, 1)), W_K=np.array([[1.0], [2.0], [5.0]]), W_V=np.eye(3))
    return replace(made, mask="causal")


def after_softmax(bench: Workbench) -> Facts:
    unmasked = attention.softmax(bench.steps().scaled)
    return {"after": short((unmasked * bench.mask_array()).sum(axis=-1)[1], 3)}


def fills(bench: Workbench) -> Facts:
    left = {name: attention.softmax(np.where(bench.mask_array(), bench.steps().scaled, fill))[1, 2]
            for name, fill in (("zero", -1e-20), ("minus_e", -np.e))}  # fmt: skip
    return {name: short(weight, 3) for name, weight in left.items()}


def nothing_left() -> Workbench:
    cat = preset("cat")
    return workbench.with_allowed(cat, {(1, j): False for j in range(len(cat.tokens))})


def even(bench: Workbench) -> Facts:
    return {"even": short(1 / len(bench.tokens))}


def padded() -> Workbench:
    cat = preset("cat")
    longer = workbench.with_tokens(cat, (*cat.tokens, "[PAD]"))
    return workbench.with_allowed(longer, {(i, len(cat.tokens)): False for i in range(len(longer.tokens))})


def leak_to_padding(bench: Workbench) -> Facts:
    return {"leak": short(_weights(replace(bench, mask="none"))[1, -1])}


def appended(bench: Workbench) -> Facts:
    """How far earlier outputs move when a token of zeros is added and nothing is masked."""
    unmasked = replace(bench, mask="none")
    longer = workbench.with_tokens(unmasked, (*bench.tokens, "+"))
    moved = longer.steps().output[:-1] - unmasked.steps().output
    return {"moved": at_most(np.abs(moved).max())}


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


def article() -> Workbench:
    return preset("cat")


def shuffled(bench: Workbench) -> Facts:
    """How far attention is from treating a reversed sentence as the same rows, reversed."""
    Q, K, V = bench.qkv()
    there = attention.attention_steps(Q[::-1], K[::-1], V[::-1]).output[::-1]
    most = np.abs(there - bench.steps().output).max()
    return {"residual": f"{most:.0e}" if most else "0"}


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
