"""Makes attention_torch_2_13.npz: what PyTorch 2.13 computes, for tests that do not need PyTorch.

    pip install -r requirements-torch.txt && python tests/reference/make_reference.py

Nothing here uses `attention/`. The cases are tables; sizes differ so that a swapped axis cannot pass.
"""

import json
from pathlib import Path

import numpy as np

REFERENCE = Path(__file__).with_name("attention_torch_2_13.npz")

# name: batch of Q, batch of K, batch of V, n_q, n_k, d_k, d_v
SHAPES = {
    "square": ((), (), (), 5, 5, 3, 3),
    "wide_values": ((), (), (), 5, 5, 2, 7),
    "cross": ((), (), (), 3, 7, 2, 5),
    "batch": ((2,), (2,), (2,), 3, 5, 7, 2),
    "two_batches": ((2, 3), (2, 3), (2, 3), 2, 3, 5, 7),
    "broadcast": ((2, 1), (3,), (), 5, 3, 2, 3),
    "one_token": ((), (), (), 1, 1, 3, 2),
    "one_dimension": ((), (), (), 5, 3, 1, 1),
    "one_key": ((3,), (3,), (3,), 2, 1, 5, 2),
}
MASKS = (
    "none",
    "causal",
    "padding",
    "window",
    "arbitrary",
    "one_row",
    "one_column",
    "empty_row",
)
SCALES = ("none", "linear", "0.25", "7.5")
EMPTY_ROWS = ("nan", "uniform")

# name: batch, n, d_model, h, d_k, d_v, mask, heads that are off
HEADS = {
    "one_head": ((), 5, 3, 1, 3, 3, "none", ()),
    "two_heads": ((), 3, 10, 2, 5, 5, "none", ()),
    "three_heads": ((2,), 5, 6, 3, 2, 2, "none", ()),
    "causal": ((2,), 5, 6, 3, 2, 2, "causal", ()),
    "padding": ((2,), 5, 6, 3, 2, 2, "padding", ()),
    "window": ((), 7, 6, 2, 3, 3, "window", ()),
    "one_off": ((2,), 5, 6, 3, 2, 2, "causal", (1,)),
    "two_off": ((), 7, 10, 5, 2, 2, "none", (0, 3)),
    "all_off": ((), 3, 10, 2, 5, 5, "none", (0, 1)),
    "wide_values": ((2, 3), 3, 5, 2, 3, 7, "none", ()),
    "narrow_values": ((), 5, 7, 3, 5, 2, "causal", (0,)),
    "one_token": ((), 1, 5, 5, 1, 1, "none", ()),
}

# name: batch, n, d_model, d_k, d_v, mask, scale
PROJECTIONS = {
    "plain": ((), 5, 3, 2, 7, "none", "sqrt"),
    "wide_keys": ((), 3, 5, 7, 2, "none", "sqrt"),
    "batch": ((2,), 5, 3, 7, 2, "causal", "sqrt"),
    "two_batches": ((2, 3), 2, 5, 3, 7, "arbitrary", "sqrt"),
    "padding": ((3,), 5, 7, 2, 3, "padding", "sqrt"),
    "window": ((), 7, 5, 3, 2, "window", "sqrt"),
    "empty_row": ((2,), 5, 3, 2, 7, "empty_row", "sqrt"),
    "none": ((2,), 5, 7, 3, 2, "causal", "none"),
    "linear": ((2,), 3, 2, 5, 7, "none", "linear"),
    "half": ((), 5, 2, 3, 7, "one_column", "0.5"),
    "one_token": ((), 1, 5, 3, 2, "none", "sqrt"),
}


def mask_of(kind, rng, batch, n_q, n_k):
    """A boolean mask of that kind, True = may attend; None for none."""
    i, j = np.ogrid[:n_q, :n_k]
    if kind == "none":
        return None
    if kind == "causal":
        return j <= i
    if kind == "window":
        return abs(i - j) < 2
    if kind == "padding":
        lengths = rng.integers(1, n_k + 1, size=batch)
        return np.arange(n_k) < lengths[..., None, None]
    if kind == "one_row":
        return one_true_in_each_row(rng.random((1, n_k)) < 0.5)
    if kind == "one_column":
        return np.arange(n_q)[:, None] != 0  # query 0 may attend to nothing
    mask = one_true_in_each_row(rng.random((*batch, n_q, n_k)) < 0.5)
    if kind == "empty_row":
        mask[..., n_q - 1, :] = False
    return mask


def one_true_in_each_row(mask):
    mask[..., 0] |= ~mask.any(axis=-1)
    return mask


def attention_cases(seed=0):
    """name → Q, K, V, mask, scale, empty_rows, d_output."""
    cases = {}
    for shape in SHAPES:
        for mask in MASKS:
            cases[f"{shape}-{mask}"] = attention_case(seed, len(cases), shape, mask)
    for scale in SCALES:
        cases[f"scale-{scale}"] = attention_case(seed, len(cases), "batch", "arbitrary") | {"scale": scale}
    for policy in EMPTY_ROWS:
        for shape in ("cross", "broadcast"):
            case = attention_case(seed, len(cases), shape, "empty_row")
            cases[f"{policy}-{shape}"] = case | {"empty_rows": policy}
    for mask in ("none", "causal", "empty_row"):
        case = attention_case(seed, len(cases), "square", mask)
        large = {name: np.round(100 * np.sign(case[name]) * (1 + abs(case[name]) / 10)) for name in "QK"}
        cases[f"large-{mask}"] = case | large
    return cases


def attention_case(seed, number, shape, mask):
    batch_q, batch_k, batch_v, n_q, n_k, d_k, d_v = SHAPES[shape]
    rng = np.random.default_rng([seed, number])
    batch = np.broadcast_shapes(batch_q, batch_k)
    case = {
        "Q": rng.standard_normal((*batch_q, n_q, d_k)),
        "K": rng.standard_normal((*batch_k, n_k, d_k)),
        "V": rng.standard_normal((*batch_v, n_k, d_v)),
        "d_output": rng.standard_normal((*np.broadcast_shapes(batch, batch_v), n_q, d_v)),
        "scale": "sqrt",
        "empty_rows": "zero",
    }
    allowed = mask_of(mask, rng, batch, n_q, n_k)
    return case if allowed is None else case | {"mask": allowed}


def multihead_cases(seed=0):
    """name → X, W_Q, W_K, W_V, W_O, mask, heads_on."""
    cases = {}
    for number, (name, (batch, n, d_model, h, d_k, d_v, mask, off)) in enumerate(HEADS.items()):
        rng = np.random.default_rng([seed, 1000 + number])
        case = {"X": rng.standard_normal((*batch, n, d_model))}
        shapes = {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, d_model)}
        case |= {W: rng.standard_normal((h, *shape)) / np.sqrt(d_model) for W, shape in shapes.items()}
        case["heads_on"] = ~np.isin(np.arange(h), off)
        allowed = mask_of(mask, rng, batch, n, n)
        cases[name] = case if allowed is None else case | {"mask": allowed}
    return cases


def projections_cases(seed=0):
    """name → X, W_Q, W_K, W_V, mask, scale, d_output."""
    cases = {}
    for number, (name, (batch, n, d_model, d_k, d_v, mask, scale)) in enumerate(PROJECTIONS.items()):
        rng = np.random.default_rng([seed, 2000 + number])
        case = {"X": rng.standard_normal((*batch, n, d_model)), "scale": scale}
        shapes = {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v)}
        case |= {W: rng.standard_normal(shape) for W, shape in shapes.items()}
        case["d_output"] = rng.standard_normal((*batch, n, d_v))
        allowed = mask_of(mask, rng, batch, n, n)
        cases[name] = case if allowed is None else case | {"mask": allowed}
    return cases


def attention_expected(case):
    """What torch.nn.functional.scaled_dot_product_attention and autograd make of a case."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    Q, K, V = (torch.tensor(case[name], requires_grad=True) for name in "QKV")
    d_k, n_k = K.shape[-1], K.shape[-2]
    mask = None if "mask" not in case else torch.tensor(case["mask"])
    divisor = {"sqrt": d_k**0.5, "none": 1.0, "linear": float(d_k)}.get(case["scale"]) or float(case["scale"])
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    everywhere = torch.broadcast_shapes(batch, V.shape[:-2])

    def by_torch(values):
        wide = [x.expand(*everywhere, *x.shape[-2:]) for x in (Q, K, values)]
        if case["empty_rows"] == "zero":
            return sdpa(*wide, attn_mask=mask, scale=1 / divisor)
        fill = {"nan": -torch.inf, "uniform": -1e9}[case["empty_rows"]]
        scores = torch.einsum("...id,...jd->...ij", wide[0], wide[1]) / divisor
        return torch.softmax(scores.masked_fill(~mask, fill), dim=-1) @ wide[2]

    output = by_torch(V)
    output.backward(torch.tensor(case["d_output"]))
    with torch.no_grad():
        weights = by_torch(torch.eye(n_k, dtype=torch.float64))  # with V = I the output is the weights
        scores = torch.einsum("...id,...jd->...ij", Q, K)
    results = {"scores": scores, "weights": weights, "output": output.detach()}
    results |= {"dQ": Q.grad, "dK": K.grad, "dV": V.grad}
    return {name: x.numpy() for name, x in results.items()}


def multihead_expected(case):
    """What torch.nn.MultiheadAttention makes of a case; where it cannot have such a d_k or d_v, its parts."""
    h, d_model, d_k = case["W_Q"].shape
    if h * d_k == d_model and case["W_V"].shape == case["W_Q"].shape:
        return by_multihead_module(case)
    return by_parts(case)


def by_multihead_module(case):
    import torch

    h, d_model, _ = case["W_Q"].shape
    module = torch.nn.MultiheadAttention(d_model, h, bias=False, batch_first=True, dtype=torch.float64)
    stacked = [np.concatenate([W.T for W in case[name]]) for name in ("W_Q", "W_K", "W_V")]
    silenced = case["W_O"] * case["heads_on"][:, None, None]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.tensor(np.concatenate(stacked)))  # used as x Wᵀ
        module.out_proj.weight.copy_(torch.tensor(np.concatenate(list(silenced)).T))
        X = torch.tensor(case["X"])
        hidden = module_masks(case, torch)
        output, weights = module(X, X, X, **hidden, need_weights=True, average_attn_weights=False)
    return {"output": output.numpy(), "weights": weights.numpy()}


def module_masks(case, torch):
    """The mask as nn.MultiheadAttention wants it: True = may NOT attend."""
    if "mask" not in case:
        return {}
    hidden = torch.tensor(~case["mask"])
    return {"attn_mask": hidden} if hidden.ndim == 2 else {"key_padding_mask": hidden[..., 0, :]}


def by_parts(case):
    import torch
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    X, W_Q, W_K, W_V, W_O = (torch.tensor(case[name]) for name in ("X", "W_Q", "W_K", "W_V", "W_O"))
    Q, K, V = (torch.einsum("...nm,hmd->...hnd", X, W) for W in (W_Q, W_K, W_V))
    mask = None if "mask" not in case else torch.tensor(case["mask"])
    heads = sdpa(Q, K, V, attn_mask=mask)
    eye = torch.eye(X.shape[-2], dtype=torch.float64).expand(*Q.shape[:-1], X.shape[-2])
    on = torch.tensor(case["heads_on"]).double()
    output = torch.einsum("...hnv,hvm,h->...nm", heads, W_O, on)
    return {"output": output.numpy(), "weights": sdpa(Q, K, eye, attn_mask=mask).numpy()}


def projections_expected(case):
    """What autograd says of a projected attention: of X, of the projections, and of every step between."""
    import torch

    ends = {name: torch.tensor(case[name], requires_grad=True) for name in ("X", "W_Q", "W_K", "W_V")}
    X, W_Q, W_K, W_V = ends.values()
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d_k = K.shape[-1]
    divisor = {"sqrt": d_k**0.5, "none": 1.0, "linear": float(d_k)}.get(case["scale"]) or float(case["scale"])
    scores = torch.einsum("...id,...jd->...ij", Q, K)
    scaled = scores / divisor
    weights = torch_softmax(scaled, None if "mask" not in case else torch.tensor(case["mask"]))
    output = weights @ V
    middle = {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled, "weights": weights}
    for step in middle.values():
        step.retain_grad()
    output.backward(torch.tensor(case["d_output"]))
    return {"output": output.detach().numpy()} | {f"d{name}": x.grad.numpy() for name, x in (ends | middle).items()}


def torch_softmax(scaled, mask):
    """Softmax of each row, 0 where all is masked."""
    import torch

    if mask is None:
        return torch.softmax(scaled, dim=-1)
    some = mask.any(dim=-1, keepdim=True)
    hidden = scaled.masked_fill(~mask & some, -torch.inf)
    return torch.where(some, torch.softmax(hidden, dim=-1), 0.0)


def save(path, tree):
    """Write {kind: {case: {name: array or string}}} as one flat array of numbers and an index to it.

    An .npz entry for each of a thousand tiny arrays would take more room than the numbers.
    """
    numbers, index, start = [], [], 0
    for kind, cases in tree.items():
        for case, values in cases.items():
            for name, value in values.items():
                if isinstance(value, str):
                    index.append([kind, case, name, "text", value])
                    continue
                flat = np.asarray(value, dtype=float).ravel()
                index.append([kind, case, name, value.dtype.name, [start, list(value.shape)]])
                numbers.append(flat)
                start += flat.size
    np.savez_compressed(path, numbers=np.concatenate(numbers), index=np.array(json.dumps(index)))


def load(path=REFERENCE):
    """What `save` wrote."""
    tree = {}
    with np.load(path, allow_pickle=False) as stored:
        numbers, index = stored["numbers"], json.loads(stored["index"].item())
    for kind, case, name, dtype, where in index:
        values = tree.setdefault(kind, {}).setdefault(case, {})
        if dtype == "text":
            values[name] = where
        else:
            start, shape = where
            flat = numbers[start : start + int(np.prod(shape))]
            values[name] = flat.reshape(shape).astype(dtype)
    return tree


def main():
    attention = {name: case | attention_expected(case) for name, case in attention_cases().items()}
    multihead = {name: case | multihead_expected(case) for name, case in multihead_cases().items()}
    projections = {name: case | projections_expected(case) for name, case in projections_cases().items()}
    save(REFERENCE, {"attention": attention, "multihead": multihead, "projections": projections})


if __name__ == "__main__":
    main()
