"""Every refusal: which argument, what was expected, what came."""

import pickle
from typing import get_args

import numpy as np
import pytest

from attention import (
    InputError,
    MultiHead,
    attention,
    attention_gradients,
    attention_steps,
    causal_mask,
    checks,
    combine_masks,
    entropy,
    examples,
    normalized_entropy,
    padding_mask,
    sinusoidal_positions,
    sliding_window_mask,
    softmax,
    softmax_jacobian,
)
from attention.checks import Code

Q, K, V = np.ones((3, 2)), np.ones((5, 2)), np.ones((5, 7))
X = np.ones((3, 6))
YES = np.ones((3, 5), dtype=bool)
LAYER = MultiHead.random(6, 3)
W = {
    "W_Q": np.ones((2, 7, 3)),
    "W_K": np.ones((2, 7, 3)),
    "W_V": np.ones((2, 7, 5)),
    "W_O": np.ones((2, 5, 7)),
}
STEPS = attention_steps(Q, K, V)
OUT = np.ones((3, 7))
BATCH = np.ones((2, 3, 5), dtype=bool)


def gradients(Q=Q, K=K, V=V, d_output=OUT):
    return attention_gradients(STEPS, Q, K, V, d_output)


def spoiled(value):
    bad = np.ones((3, 2))
    bad[1, 1] = value
    return bad


# what is done, the argument that is named, a word of what was expected, a word of what came
REFUSALS = {
    "d_k of K": (lambda: attention(Q, np.ones((5, 3)), V), "K", "columns as Q: 2", "3"),
    "n_k of V": (lambda: attention(Q, K, np.ones((3, 7))), "V", "rows as K: 5", "3"),
    "scalar Q": (lambda: attention(1.0, K, V), "Q", "(n, d)", "shape ()"),
    "vector K": (lambda: attention(Q, [1.0, 2.0], V), "K", "(n, d)", "shape (2,)"),
    "vector V": (lambda: attention(Q, K, np.ones(5)), "V", "(n, d)", "shape (5,)"),
    "no queries": (lambda: attention(np.ones((0, 2)), K, V), "Q", "at least one", "shape (0, 2)"),
    "no columns": (lambda: attention(np.ones((3, 0)), np.ones((5, 0)), V), "Q", "at least one", "(3, 0)"),
    "no keys": (lambda: attention(Q, np.ones((0, 2)), np.ones((0, 7))), "K", "at least one", "(0, 2)"),
    "no values": (lambda: attention(Q, K, np.ones((5, 0))), "V", "at least one", "(5, 0)"),
    "nan": (lambda: attention(spoiled(np.nan), K, V), "Q", "finite", "nan"),
    "infinity": (lambda: attention(spoiled(np.inf), K, V), "Q", "finite", "inf"),
    "beyond the limit": (lambda: attention(spoiled(-2e30), K, V), "Q", "1e+30", "-2e+30"),
    "far beyond it": (lambda: attention(Q, spoiled(1e300), V), "K", "finite", "1e+300"),
    "strings": (lambda: attention([["1", "2"]], K, V), "Q", "real numbers", "str"),
    "None": (lambda: attention(None, K, V), "Q", "real numbers", "object"),
    "complex": (lambda: attention(Q * 1j, K, V), "Q", "real numbers", "complex"),
    "booleans": (lambda: attention(Q > 0, K, V), "Q", "real numbers", "bool"),
    "ragged": (lambda: attention([[1.0, 2.0], [3.0]], K, V), "Q", "equal length", "different lengths"),
    "batches": (lambda: attention(np.ones((2, 3, 2)), np.ones((3, 5, 2)), V), "K", "(2,)", "(3,)"),
    "batch of V": (lambda: attention(np.ones((2, 3, 2)), K, np.ones((3, 5, 7))), "V", "(2,)", "(3,)"),
    "float mask": (lambda: attention(Q, K, V, YES * 0.0), "mask", "True = may attend", "float64"),
    "int mask": (lambda: attention(Q, K, V, YES * 1), "mask", "True = may attend", "int64"),
    "string mask": (lambda: attention(Q, K, V, [["yes"]]), "mask", "True = may attend", "str"),
    "scalar mask": (lambda: attention(Q, K, V, True), "mask", "(n_q, n_k)", "shape ()"),
    "vector mask": (lambda: attention(Q, K, V, YES[0]), "mask", "(n_q, n_k)", "(5,)"),
    "empty mask": (lambda: attention(Q, K, V, YES[:0]), "mask", "at least one", "(0, 5)"),
    "transposed mask": (lambda: attention(Q, K, V, YES.T), "mask", "(3, 5)", "(5, 3)"),
    "mask with a batch": (lambda: attention(Q, K, V, BATCH), "mask", "(3, 5)", "(2, 3, 5)"),
    "unknown scale": (lambda: attention_steps(Q, K, V, scale="root"), "scale", "'sqrt'", "'root'"),
    "scale 0": (lambda: attention_steps(Q, K, V, scale=0), "scale", "positive", "0"),
    "scale < 0": (lambda: attention_steps(Q, K, V, scale=-2.0), "scale", "positive", "-2"),
    "scale nan": (lambda: attention_steps(Q, K, V, scale=np.nan), "scale", "positive", "nan"),
    "scale inf": (lambda: attention_steps(Q, K, V, scale=np.inf), "scale", "positive", "inf"),
    "scale tiny": (lambda: attention_steps(Q, K, V, scale=1e-31), "scale", "1e-30", "1e-31"),
    "scale True": (lambda: attention_steps(Q, K, V, scale=True), "scale", "positive", "True"),
    "scale None": (lambda: attention_steps(Q, K, V, scale=None), "scale", "positive", "None"),
    "scale array": (lambda: attention_steps(Q, K, V, scale=np.ones(2)), "scale", "positive", "array"),
    "empty_rows": (lambda: attention_steps(Q, K, V, empty_rows="skip"), "empty_rows", "'uniform'", "'skip'"),
    "empty_rows 0": (lambda: attention_steps(Q, K, V, empty_rows=0), "empty_rows", "'zero'", "0"),
    "softmax scalar": (lambda: softmax(1.0), "x", "axis -1", "shape ()"),
    "softmax axis": (lambda: softmax(Q, axis=2), "x", "axis 2", "(3, 2)"),
    "softmax nan": (lambda: softmax([np.nan, 1.0]), "x", "finite", "nan"),
    "softmax inf": (lambda: softmax([np.inf, 1.0]), "x", "−∞", "inf"),
    "softmax strings": (lambda: softmax(["a"]), "x", "real numbers", "str"),
    "softmax empty": (lambda: softmax([]), "x", "at least one", "(0,)"),
    "jacobian scalar": (lambda: softmax_jacobian(1.0), "p", "axis -1", "shape ()"),
    "jacobian > 1": (lambda: softmax_jacobian([1.5, 0.0]), "p", "from 0 to 1", "1.5"),
    "entropy < 0": (lambda: entropy([-0.5, 1.0]), "p", "from 0 to 1", "-0.5"),
    "entropy axis": (lambda: entropy([0.5, 0.5], axis=1), "p", "axis 1", "(2,)"),
    "normalized inf": (lambda: normalized_entropy([np.inf]), "p", "from 0 to 1", "inf"),
    "causal 0": (lambda: causal_mask(0), "n_q", "at least 1", "0"),
    "causal n_k": (lambda: causal_mask(3, -1), "n_k", "at least 1", "-1"),
    "causal 2.0": (lambda: causal_mask(2.0), "n_q", "whole number", "2.0"),
    "causal True": (lambda: causal_mask(True), "n_q", "whole number", "True"),
    "padding long": (lambda: padding_mask([2, 6], 5), "lengths", "0 to 5", "6"),
    "padding < 0": (lambda: padding_mask([-1], 5), "lengths", "0 to 5", "-1"),
    "padding 1.5": (lambda: padding_mask([1.5], 5), "lengths", "whole numbers", "1.5"),
    "padding bools": (lambda: padding_mask([True], 5), "lengths", "real numbers", "bool"),
    "padding n_k": (lambda: padding_mask([1], "5"), "n_k", "whole number", "'5'"),
    "window n": (lambda: sliding_window_mask(0, 1), "n", "at least 1", "0"),
    "window 0": (lambda: sliding_window_mask(3, 0), "window", "at least 1", "0"),
    "combine ints": (lambda: combine_masks(YES, YES * 1), "masks[1]", "True = may attend", "int64"),
    "combine shapes": (lambda: combine_masks(YES, YES.T), "masks[1]", "(3, 5)", "(5, 3)"),
    "positions n": (lambda: sinusoidal_positions(0, 4), "n", "at least 1", "0"),
    "positions d": (lambda: sinusoidal_positions(3, 0), "d_model", "at least 1", "0"),
    "heads divide": (lambda: MultiHead.random(7, 2), "n_heads", "divisor of d_model = 7", "2"),
    "heads 0": (lambda: MultiHead.random(6, 0), "n_heads", "at least 1", "0"),
    "d_model 0": (lambda: MultiHead.random(0, 1), "d_model", "at least 1", "0"),
    "d_k 0": (lambda: MultiHead.random(6, 2, d_k=0), "d_k", "at least 1", "0"),
    "d_v 0": (lambda: MultiHead.random(6, 2, d_v=0), "d_v", "at least 1", "0"),
    "seed < 0": (lambda: MultiHead.random(6, 2, seed=-1), "seed", "at least 0", "-1"),
    "W_Q flat": (lambda: MultiHead(**W | {"W_Q": np.ones((7, 3))}), "W_Q", "three axes", "(7, 3)"),
    "W_K heads": (lambda: MultiHead(**W | {"W_K": np.ones((3, 7, 3))}), "W_K", "(2, 7, 3)", "(3, 7, 3)"),
    "W_K d_k": (lambda: MultiHead(**W | {"W_K": np.ones((2, 7, 5))}), "W_K", "(2, 7, 3)", "(2, 7, 5)"),
    "W_V d_model": (lambda: MultiHead(**W | {"W_V": np.ones((2, 3, 5))}), "W_V", "(2, 7, 5)", "(2, 3, 5)"),
    "W_O turned": (lambda: MultiHead(**W | {"W_O": np.ones((2, 7, 5))}), "W_O", "(2, 5, 7)", "(2, 7, 5)"),
    "W_O nan": (lambda: MultiHead(**W | {"W_O": np.full((2, 5, 7), np.nan)}), "W_O", "finite", "nan"),
    "X columns": (lambda: LAYER.steps(np.ones((3, 5))), "X", "d_model = 6", "5"),
    "X vector": (lambda: LAYER.steps(np.ones(6)), "X", "(n, d)", "(6,)"),
    "X nan": (lambda: LAYER.steps(np.full((3, 6), np.nan)), "X", "finite", "nan"),
    "heads mask": (lambda: LAYER.steps(X, YES), "mask", "(3, 3)", "(3, 5)"),
    "heads mask ints": (lambda: LAYER.steps(X, np.eye(3)), "mask", "True = may attend", "float64"),
    "heads_on short": (lambda: LAYER.steps(X, heads_on=[True]), "heads_on", "(3,)", "(1,)"),
    "heads_on ints": (lambda: LAYER.steps(X, heads_on=[0, 1, 2]), "heads_on", "booleans", "int64"),
    "heads scale": (lambda: LAYER.steps(X, scale=0), "scale", "positive", "0"),
    "d_output": (lambda: gradients(d_output=OUT.T), "d_output", "(3, 7)", "(7, 3)"),
    "d_output nan": (lambda: gradients(d_output=OUT * np.nan), "d_output", "finite", "nan"),
    "foreign steps": (lambda: gradients(Q=Q[:2], d_output=OUT[:2]), "steps", "(2, 5)", "(3, 5)"),
    "gradient d_k": (lambda: gradients(K=np.ones((5, 3))), "K", "columns as Q: 2", "3"),
    "example": (lambda: examples.get("dog"), "name", "'cat'", "'dog'"),
    "example seed": (lambda: examples.get("random", seed=-1), "seed", "at least 0", "-1"),
    "example n": (lambda: examples.random(n=13), "n", "1 to 12", "13"),
    "example d_k": (lambda: examples.random(d_k=17), "d_k", "1 to 16", "17"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_is_refused_with_its_name_and_what_was_expected_and_what_came(name):
    call, argument, expected, got = REFUSALS[name]
    with pytest.raises(InputError) as caught:
        call()
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.argument == argument
    assert expected in error.expected
    assert got in str(error.got)
    assert isinstance(error.got, int | float | str)
    assert str(error) == f"{error.argument}: expected {error.expected}, got {error.got}"


def test_every_kind_of_mistake_is_in_the_table():
    codes = set()
    for call, *_ in REFUSALS.values():
        with pytest.raises(InputError) as caught:
            call()
        codes.add(caught.value.code)
    assert codes == set(get_args(Code))


def test_an_error_survives_pickling_and_has_a_code():
    with pytest.raises(InputError) as caught:
        attention(Q, np.ones((5, 3)), V)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.code, copy.argument, copy.expected, copy.got) == ("d_k", "K", "as many columns as Q: 2", 3)


def test_inputs_are_never_changed_and_never_returned():
    mask = np.ones((3, 5), dtype=bool)
    inputs = [Q.copy(), K.copy(), V.copy(), mask]
    for x in inputs:
        x.flags.writeable = False
    steps = attention_steps(*inputs)
    attention(*inputs)
    gradients = attention_gradients(steps, *inputs[:3], np.ones((3, 7)))
    unmasked = attention_steps(*inputs[:3])
    results = [steps.mask, *gradients]
    for each in (steps, unmasked):
        results += [each.scores, each.scaled, each.masked, each.weights, each.output]
    for i, result in enumerate(results):
        assert result.flags.writeable
        assert not any(np.shares_memory(result, other) for other in inputs + results[:i])


def test_a_multi_head_layer_keeps_copies_that_cannot_be_changed():
    weights = {name: x.copy() for name, x in W.items()}
    layer = MultiHead(**weights)
    weights["W_Q"][:] = 0
    assert (layer.W_Q == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        layer.W_Q[:] = 0


@pytest.mark.parametrize("as_input", [np.ndarray.tolist, np.float32, np.int64, np.asfortranarray])
def test_anything_like_an_array_will_do(as_input):
    output = attention(as_input(Q), as_input(K), as_input(V), [[True] * 5] * 3)
    assert output.dtype == np.float64
    np.testing.assert_array_equal(output, attention(Q, K, V))


@pytest.mark.parametrize(("x", "code"), [
    ([1.0, 2.0], "not_numbers"), ("1", "not_numbers"), (True, "not_numbers"), (None, "not_numbers"),
    (np.ones(1), "not_numbers"), (float("nan"), "finite"), (float("inf"), "finite"), (10**400, "finite"),
    (0.24, "choice"), (np.float64(2.1), "choice"), (-1, "choice"),
], ids=str)  # fmt: skip
def test_one_number_within_bounds(x, code):
    with pytest.raises(InputError) as error:
        checks.number_between("x", x, 0.25, 2)
    assert (error.value.code, error.value.argument) == (code, "x")
    assert "from 0.25 to 2" in error.value.expected
    if code != "choice":
        with pytest.raises(InputError):
            checks.positive("x", x)
    assert [checks.number_between("x", end, 0.25, 2) for end in (0.25, np.float32(1.5), np.int8(2))] == [0.25, 1.5, 2]


@pytest.mark.parametrize("x", [0, -1e-9, 1e-31, 1e31])
def test_a_positive_number_has_a_finite_inverse(x):
    with pytest.raises(InputError):
        checks.positive("x", x)
    assert checks.positive("x", 1e-30) == 1e-30
