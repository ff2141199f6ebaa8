"""The core equals PyTorch 2.13: attention, its weights, its gradients, and multi-head attention.

The reference was computed by tests/reference/make_reference.py; PyTorch is not needed here.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest

from attention import MultiHead, attention, attention_gradients, attention_steps

SCRIPT = Path(__file__).parents[1] / "reference" / "make_reference.py"
REFERENCE = runpy.run_path(str(SCRIPT))["load"]()
ATTENTION, MULTIHEAD = REFERENCE["attention"], REFERENCE["multihead"]


def steps_of(case):
    scale = case["scale"] if case["scale"] in ("sqrt", "none", "linear") else float(case["scale"])
    return attention_steps(
        case["Q"], case["K"], case["V"], case.get("mask"), scale=scale, empty_rows=case["empty_rows"]
    )


def close(actual, expected, tolerance):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, strict=True)


def test_the_reference_is_wide():
    masks = {case["mask"].shape for case in ATTENTION.values() if "mask" in case}
    empty = [case for case in ATTENTION.values() if "mask" in case and not case["mask"].any(axis=-1).all()]
    large = [case for case in ATTENTION.values() if np.abs(case["scores"]).max() >= 1e4]
    assert len(ATTENTION) + len(MULTIHEAD) >= 60
    assert len(masks) >= 10
    assert len(empty) >= 10
    assert len(large) >= 3


@pytest.mark.parametrize("name", ATTENTION)
def test_steps_equal_torch(name):
    case = ATTENTION[name]
    steps = steps_of(case)
    close(steps.scores, case["scores"], 1e-12)
    close(steps.weights, case["weights"], 1e-12)
    close(steps.output, case["output"], 1e-12)


@pytest.mark.parametrize("name", ATTENTION)
def test_gradients_equal_autograd(name):
    case = ATTENTION[name]
    Q, K, V = case["Q"], case["K"], case["V"]
    gradients = attention_gradients(steps_of(case), Q, K, V, case["d_output"])
    for actual, expected in zip(gradients, ("dQ", "dK", "dV"), strict=True):
        close(actual, case[expected], 1e-10)


@pytest.mark.parametrize("name", [name for name, case in ATTENTION.items() if case["scale"] == "sqrt"])
def test_the_short_version_equals_the_steps_to_the_last_bit(name):
    case = ATTENTION[name]
    inputs = case["Q"], case["K"], case["V"], case.get("mask")
    expected = attention_steps(*inputs, empty_rows="nan").output
    np.testing.assert_array_equal(attention(*inputs), expected, strict=True)


@pytest.mark.parametrize("name", MULTIHEAD)
def test_multihead_equals_torch(name):
    case = MULTIHEAD[name]
    layer = MultiHead(case["W_Q"], case["W_K"], case["W_V"], case["W_O"])
    steps = layer.steps(case["X"], case.get("mask"), heads_on=case["heads_on"])
    close(steps.heads.weights, case["weights"], 1e-12)
    close(steps.output, case["output"], 1e-12)
