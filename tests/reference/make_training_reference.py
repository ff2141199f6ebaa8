"""Makes training_torch_2_13.npz: a model that looks up values, differentiated and trained by PyTorch 2.13.

    pip install -r requirements-torch.txt && python -m tests.reference.make_training_reference

Only numbers to begin with come from `attention.training`: embeddings, batches and initial weights. What is made of
them is PyTorch's: its autograd, its cross-entropy, its optimizers.
"""

from pathlib import Path

import numpy as np

from attention.training import Setting, World, initial_weights

REFERENCE = Path(__file__).with_name("training_torch_2_13.npz")

# name: examples, keys, d_model, d_k, d_v, values, divisor
STEPS = {
    "scaled": (6, 3, 11, 4, 7, 5, 2.0),
    "unscaled": (5, 8, 3, 13, 2, 7, 1.0),
    "one_key": (3, 1, 5, 2, 7, 4, 1.4),
    "one_example": (1, 6, 7, 5, 3, 2, 5.0),
}
NAMES = ("W_Q", "W_K", "W_V", "W_O")

#: runs that are followed for some steps
RUNS = (
    Setting(d_k=3, scale="sqrt", optimizer="adam", seed=1),
    Setting(d_k=6, scale="none", optimizer="adam", seed=2),
    Setting(d_k=5, scale="none", optimizer="sgd", seed=3),
    Setting(d_k=7, scale="linear", optimizer="sgd", seed=4, learning_rate=0.5),
)
FOLLOWED = 12


def steps():
    """Weights and a batch of every case."""
    rng = np.random.default_rng(5)
    cases = {}
    for name, (b, n, d_model, d_k, d_v, values, divisor) in STEPS.items():
        shapes = {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, values),
                  "x_q": (b, d_model), "x_k": (b, n, d_model), "x_v": (b, n, d_model)}  # fmt: skip
        cases[name] = {key: rng.standard_normal(shape) for key, shape in shapes.items()}
        cases[name] |= {"answer": rng.integers(values, size=b), "divisor": np.array(divisor)}
    return cases


def loss_of(W, x_q, x_k, x_v, answer, divisor):
    """The loss of a batch, by PyTorch."""
    import torch

    q, k, v = x_q @ W["W_Q"], x_k @ W["W_K"], x_v @ W["W_V"]
    weights = torch.softmax(torch.einsum("bnd,bd->bn", k, q) / divisor, dim=-1)
    logits = torch.einsum("bn,bnd->bd", weights, v) @ W["W_O"]
    return torch.nn.functional.cross_entropy(logits, answer)


def differentiated(case):
    """The loss of a case and its gradient with respect to every weight."""
    import torch

    W = {name: torch.tensor(case[name], requires_grad=True) for name in NAMES}
    batch = [torch.tensor(case[name]) for name in ("x_q", "x_k", "x_v", "answer")]
    loss = loss_of(W, *batch, float(case["divisor"]))
    loss.backward()
    return {"loss": loss.item()} | {f"d{name}": W[name].grad.numpy() for name in NAMES}


def trained(setting):
    """The losses of a run and the weights it ends with, all in one long array."""
    import torch

    world = World(setting.seed, np.float64)
    W, at = {}, 0
    flat = initial_weights(setting.d_k, setting.seed, np.float64)
    d_model, values = world.symbols.shape[1], len(world.values)
    for name, shape in zip(NAMES, ((d_model, setting.d_k),) * 2 + ((d_model, d_model), (d_model, values)), strict=True):
        size = shape[0] * shape[1]
        W[name] = torch.tensor(flat[at : at + size].reshape(shape), requires_grad=True)
        at += size
    optimizers = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    optimizer = optimizers[setting.optimizer](W.values(), lr=setting.rate)
    losses = []
    for _ in range(FOLLOWED):
        batch = world.batch()
        optimizer.zero_grad()
        tensors = (torch.tensor(x) for x in (batch.x_q, batch.x_k, batch.x_v, batch.answer))
        loss = loss_of(W, *tensors, setting.divisor)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"losses": np.array(losses), "flat": np.concatenate([W[name].detach().numpy().ravel() for name in NAMES])}


def expected():
    """Everything that PyTorch says, by name."""
    found = {}
    for name, case in steps().items():
        found |= {f"{name}/{key}": value for key, value in differentiated(case).items()}
    for i, setting in enumerate(RUNS):
        found |= {f"run{i}/{key}": value for key, value in trained(setting).items()}
    return found


if __name__ == "__main__":
    np.savez_compressed(REFERENCE, **expected())
