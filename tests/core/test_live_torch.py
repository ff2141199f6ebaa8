"""The comparison with PyTorch, live and with other random numbers: pytest -m torch."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from attention import MultiHead, attention_gradients, attention_steps
from tests.core.test_gradients import backward, equals_autograd

SCRIPT = Path(__file__).parents[1] / "reference" / "make_reference.py"


def close(actual, expected, tolerance, name):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=name, strict=True)


@pytest.mark.torch
def test_fresh_cases_equal_torch():
    import torch  # noqa: F401  # missing PyTorch is a failure here, not a skip

    script = runpy.run_path(str(SCRIPT))
    for name, case in script["attention_cases"](seed=1).items():
        expected = script["attention_expected"](case)
        scale = case["scale"] if case["scale"] in ("sqrt", "none", "linear") else float(case["scale"])
        Q, K, V = case["Q"], case["K"], case["V"]
        steps = attention_steps(Q, K, V, case.get("mask"), scale=scale, empty_rows=case["empty_rows"])
        gradients = attention_gradients(steps, Q, K, V, case["d_output"])
        for key in ("scores", "weights", "output"):
            close(getattr(steps, key), expected[key], 1e-12, name)
        for key, gradient in zip(("dQ", "dK", "dV"), gradients, strict=True):
            close(gradient, expected[key], 1e-10, name)


@pytest.mark.torch
def test_fresh_heads_equal_torch():
    script = runpy.run_path(str(SCRIPT))
    for name, case in script["multihead_cases"](seed=1).items():
        expected = script["multihead_expected"](case)
        layer = MultiHead(case["W_Q"], case["W_K"], case["W_V"], case["W_O"])
        steps = layer.steps(case["X"], case.get("mask"), heads_on=case["heads_on"])
        close(steps.output, expected["output"], 1e-12, name)
        close(steps.heads.weights, expected["weights"], 1e-12, name)


@pytest.mark.torch
def test_fresh_projections_equal_torch():
    script = runpy.run_path(str(SCRIPT))
    for case in script["projections_cases"](seed=1).values():
        equals_autograd(backward(case), case | script["projections_expected"](case))


@pytest.mark.torch
def test_the_stored_reference_is_what_torch_computes():
    script = runpy.run_path(str(SCRIPT))
    stored = script["load"]()
    for kind in ("attention", "multihead", "projections"):
        cases = script[f"{kind}_cases"]()
        assert stored[kind].keys() == cases.keys()
        for name, case in cases.items():
            for key, expected in (case | script[f"{kind}_expected"](case)).items():
                if isinstance(expected, str):
                    assert stored[kind][name][key] == expected
                else:
                    close(stored[kind][name][key], expected, 1e-12, name)
