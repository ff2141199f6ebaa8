"""The backward pass equals PyTorch's autograd and finite differences, step by step and through the projections."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    InputError,
    attention_gradients,
    attention_steps,
    causal_mask,
    central_slope,
    distance_loss,
    gradient_steps,
    project,
    projection_gradients,
    softmax_jacobian,
)

SCRIPT = Path(__file__).parents[1] / "reference" / "make_reference.py"
CASES = runpy.run_path(str(SCRIPT))["load"]()["projections"]
SEEDS = st.integers(0, 2**32 - 1)
SCALES = ("sqrt", "none", "linear", 3.7)
few = settings(max_examples=10)


def close(actual, expected, tolerance, name=""):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=name, strict=True)


def backward(case):
    """The steps of a case of the reference, and their gradients by name, through the projections to the tokens."""
    scale = case["scale"] if case["scale"] in ("sqrt", "none", "linear") else float(case["scale"])
    ends = [case[name] for name in ("X", "W_Q", "W_K", "W_V")]
    Q, K, V = project(*ends)
    steps = attention_steps(Q, K, V, case.get("mask"), scale=scale)
    back = gradient_steps(steps, Q, K, V, case["d_output"])
    through = projection_gradients(*ends, back.Q, back.K, back.V)
    return {"output": steps.output} | {f"d{name}": x for name, x in (vars(back) | vars(through)).items()}


def equals_autograd(found, expected):
    close(found["output"], expected["output"], 1e-12)
    for name in ("scores", "scaled", "weights", "Q", "K", "V", "X", "W_Q", "W_K", "W_V"):
        close(found[f"d{name}"], expected[f"d{name}"], 1e-10, name)


@pytest.mark.parametrize("name", CASES)
def test_every_step_equals_autograd(name):
    equals_autograd(backward(CASES[name]), CASES[name])


def test_the_reference_is_wide():
    assert {case["scale"] for case in CASES.values()} >= {"sqrt", "none", "linear", "0.5"}
    assert sum("mask" in case for case in CASES.values()) >= 6
    assert any(not case["mask"].any(axis=-1).all() for case in CASES.values() if "mask" in case)
    assert all(case["W_V"].shape[1] != case["W_Q"].shape[1] for case in CASES.values())


@few
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("hidden", [0.0, 0.5, 1.0])
@given(seed=SEEDS)
def test_the_way_to_the_projections_is_the_slope(scale, hidden, seed):
    """Of a loss that a student writes down, in float64, for every number of X, W_Q, W_K and W_V."""
    rng = np.random.default_rng(seed)
    n, d_model, d_k, d_v, i = 3, 2, 5, 7, 1
    ends = [rng.standard_normal(shape) for shape in ((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))]
    mask = rng.random((n, n)) >= hidden
    target = rng.standard_normal(d_v)

    def steps_of(ends):
        return attention_steps(*project(*ends), mask, scale=scale)

    steps = steps_of(ends)
    loss, d_output = distance_loss(steps.output, i, target)
    assert loss == pytest.approx(0.5 * np.linalg.norm(steps.output[i] - target) ** 2)
    back = gradient_steps(steps, *project(*ends), d_output)
    found = projection_gradients(*ends, back.Q, back.K, back.V)
    for k, gradient in enumerate((found.X, found.W_Q, found.W_K, found.W_V)):
        for at in np.ndindex(gradient.shape):
            def loss_of(x, k=k):
                return distance_loss(steps_of([*ends[:k], x, *ends[k + 1 :]]).output, i, target)[0]

            slope = central_slope(loss_of, ends[k], at, 1e-5)
            assert gradient[at] == pytest.approx(slope, rel=1e-6, abs=1e-8)


@few
@given(seed=SEEDS)
def test_the_row_goes_through_the_jacobian_of_its_softmax(seed):
    rng = np.random.default_rng(seed)
    Q, K, V, d_output = (rng.standard_normal(shape) for shape in ((3, 2), (5, 2), (5, 7), (3, 7)))
    mask = rng.random((3, 5)) < 0.7
    steps = attention_steps(Q, K, V, mask, scale=1.7)
    back = gradient_steps(steps, Q, K, V, d_output)
    for i in range(3):
        close(back.scaled[i], softmax_jacobian(steps.weights[i]) @ back.weights[i], 1e-12)
        assert abs(back.scaled[i].sum()) < 1e-12  # the same for all scores changes nothing
    assert not back.scaled[~mask].any()
    close(back.scores * 1.7, back.scaled, 1e-12)


def test_no_step_lets_more_through_than_half():
    """‖J‖₂ ≤ ½, reached by two keys that are tied: what the page says of J."""
    rng = np.random.default_rng(0)
    for n in (2, 3, 5):
        p = rng.dirichlet(np.ones(n), 200)
        assert np.linalg.norm(softmax_jacobian(p), ord=2, axis=(1, 2)).max() <= 0.5
    assert np.linalg.norm(softmax_jacobian([0.5, 0.5, 0.0]), ord=2) == pytest.approx(0.5)
    assert np.abs(softmax_jacobian(p)).max() <= 0.25


def test_nothing_flows_where_nothing_can_change():
    """A single key, one key that has it all, or none at all: the weights do not answer, and V alone learns."""
    rng = np.random.default_rng(0)
    Q, K, V = rng.standard_normal((2, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    d_output = rng.standard_normal((2, 2))
    for q, k, v, mask in (
        (Q, K[:1], V[:1], None), (Q * 1e6, K * 1e6, V, None), (Q, K, V, np.zeros((2, 5), dtype=bool)),
    ):  # fmt: skip
        dQ, dK, dV = attention_gradients(attention_steps(q, k, v, mask), q, k, v, d_output)
        assert not dQ.any()
        assert not dK.any()
        assert dV.any() == (mask is None)


def test_the_loss_pulls_one_row():
    output = np.arange(6.0).reshape(2, 3)
    loss, d_output = distance_loss(output, 1, [3.0, 0.0, 0.0])
    assert loss == (0 + 16 + 25) / 2
    assert d_output.tolist() == [[0, 0, 0], [0, 4, 5]]


E3 = np.ones((3, 2))
BAD = {
    "row": (lambda: distance_loss(E3, 3, [1, 1]), "row", "from 0 to 2", "3"),
    "negative row": (lambda: distance_loss(E3, -1, [1, 1]), "row", "at least 0", "-1"),
    "target": (lambda: distance_loss(E3, 0, [1, 1, 1]), "target", "(2,)", "(3,)"),
    "batch": (lambda: distance_loss(np.ones((2, 3, 2)), 0, [1, 1]), "output", "two axes", "(2, 3, 2)"),
    "dQ": (lambda: projection_gradients(E3, *[np.eye(2)] * 3, E3.T, E3, E3), "dQ", "(3, 2)", "(2, 3)"),
    "dV": (lambda: projection_gradients(E3, *[np.eye(2)] * 3, E3, E3, E3[:2]), "dV", "(3, 2)", "(2, 2)"),
    "dK nan": (lambda: projection_gradients(E3, *[np.eye(2)] * 3, E3, E3 * np.nan, E3), "dK", "finite", "nan"),
    "W": (lambda: projection_gradients(E3, np.eye(3), *[np.eye(2)] * 2, E3, E3, E3), "X", "d_model = 3", "2"),
    "slope": (lambda: central_slope(np.sum, [np.nan], (0,), 1e-4), "x", "finite", "nan"),
    "no such number": (lambda: central_slope(np.sum, E3, (5, 5), 1e-4), "at", "(3, 2)", "(5, 5)"),
    "an axis short": (lambda: central_slope(np.sum, E3, (1,), 1e-4), "at", "each axis", "(1,)"),
    "no place": (lambda: central_slope(np.sum, [1.0], 0, 1e-4), "at", "each axis", "0"),
    "between places": (lambda: central_slope(np.sum, [1.0], (0.5,), 1e-4), "at", "whole number", "0.5"),
    "no nudge": (lambda: central_slope(np.sum, E3, (0, 0), 0.0), "nudge", "a number from", "0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told(name):
    call, argument, expected, got = BAD[name]
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument
    assert expected in error.value.expected
    assert got in str(error.value.got)


def test_nothing_of_the_callers_is_changed():
    rng = np.random.default_rng(0)
    X, W_Q, W_K, W_V = (rng.standard_normal(shape) for shape in ((3, 2), (2, 5), (2, 5), (2, 7)))
    before = [x.copy() for x in (X, W_Q, W_K, W_V)]
    Q, K, V = project(X, W_Q, W_K, W_V)
    steps = attention_steps(Q, K, V, causal_mask(3))
    _, d_output = distance_loss(steps.output, 2, V[0])
    back = gradient_steps(steps, Q, K, V, d_output)
    projection_gradients(X, W_Q, W_K, W_V, back.Q, back.K, back.V)
    central_slope(np.sum, W_Q, (0, 0), 1.0)
    for x, y in zip((X, W_Q, W_K, W_V), before, strict=True):
        np.testing.assert_array_equal(x, y)
