"""Running a function line by line is running that function, and nothing else."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention.dot_product
from attention import attention as short_attention
from attention import attention_steps, by_line, softmax

RNG = np.random.default_rng(3)
Q, K, V = RNG.standard_normal((3, 2)), RNG.standard_normal((5, 2)), RNG.standard_normal((5, 7))
MASK = RNG.random((3, 5)) < 0.7
MASK[:, 0] = True


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=15)
def test_names_and_result_are_those_of_the_steps(seed, masked):
    rng = np.random.default_rng(seed)
    n_q, n_k, d_k, d_v = rng.integers(1, 7, 4)
    q, k, v = (rng.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    mask = rng.random((n_q, n_k)) < 0.6 if masked else None
    run = by_line.run(short_attention, q, k, v, mask)
    steps = attention_steps(q, k, v, mask, empty_rows="nan")
    known = run.ran[-1].known
    np.testing.assert_array_equal(known["scores"], steps.masked)
    np.testing.assert_array_equal(known["weights"], steps.weights)
    np.testing.assert_array_equal(run.result, steps.output)
    np.testing.assert_array_equal(run.result, short_attention(q, k, v, mask))


def test_each_statement_says_what_it_read_and_what_it_set():
    run = by_line.run(short_attention, Q, K, V, MASK)
    steps = attention_steps(Q, K, V, MASK)
    fill = next(each for each in run.ran if "np.where" in each.source)
    np.testing.assert_array_equal(fill.reads["scores"], steps.scaled)
    np.testing.assert_array_equal(fill.sets["scores"], steps.masked)
    assert list(fill.reads) == ["mask", "scores"]
    assert list(run.ran[0].sets) == ["Q", "K", "V", "mask"]
    assert run.ran[-1].value is run.result


def test_a_branch_that_is_not_taken_does_not_run():
    with_mask, without = (by_line.run(short_attention, Q, K, V, mask) for mask in (MASK, None))
    assert len(with_mask.ran) == len(without.ran) + 1
    [condition] = [each for each in without.ran if each.source.startswith("if ")]
    assert condition.value is False
    skipped = {each.line for each in with_mask.ran} - {each.line for each in without.ran}
    assert [by_line.listing(short_attention)[line].strip() for line in skipped] == [
        "scores = np.where(mask, scores, -np.inf)"
    ]


def test_a_call_can_be_entered_with_what_it_was_called_with():
    run = by_line.run(short_attention, Q, K, V, MASK)
    (args, kwargs) = next(each.calls["softmax"] for each in run.ran if "softmax" in each.calls)
    inner = by_line.run(softmax, *args, **kwargs)
    np.testing.assert_array_equal(inner.result, run.ran[-1].known["weights"])
    known = inner.ran[-1].known
    np.testing.assert_allclose(known["powers"] / known["total"], inner.result, rtol=0)


def test_it_runs_in_the_functions_own_module(monkeypatch):
    monkeypatch.setattr(attention.dot_product, "softmax", lambda x, axis: np.full(x.shape, 0.5))
    run = by_line.run(short_attention, Q, K, V)
    np.testing.assert_array_equal(run.result, short_attention(Q, K, V))
    np.testing.assert_allclose(run.result, 0.5 * np.tile(V.sum(axis=0), (3, 1)))


def test_the_lines_are_those_of_the_running_source():
    whole = inspect.getsource(short_attention).splitlines()
    listed = by_line.listing(short_attention)
    assert all(whole[i] == line for i, line in listed.items())
    folded = "\n".join(line for i, line in enumerate(whole) if i not in listed)
    assert folded.strip().strip('"').strip() == inspect.getdoc(short_attention).replace("\n", "\n    ").replace(
        "\n    \n", "\n\n"
    )
    ran = {line for each in by_line.run(short_attention, Q, K, V, MASK).ran for line in range(each.line, each.last + 1)}
    assert ran == set(listed)


def test_what_is_left_without_checks_computes_the_same():
    names = {"np": np}
    for function in (softmax, short_attention):
        exec(by_line.bare(function, without={"attention_inputs", "scores_array"}.__contains__), names)
    np.testing.assert_array_equal(names["attention"](Q, K, V, MASK), short_attention(Q, K, V, MASK))


def fails(x):
    y = x + 1
    y = y @ np.ones(3)
    return 2 * y


def loops(x):
    for _ in range(2):
        x = x + 1
    return x


def test_an_error_is_kept_with_its_line():
    run = by_line.run(fails, np.ones(2))
    assert isinstance(run.error, ValueError)
    assert by_line.listing(fails)[run.error_line].strip() == "y = y @ np.ones(3)"
    np.testing.assert_array_equal(run.ran[-1].known["y"], [2, 2])
    assert run.result is None


def test_statements_it_does_not_know_are_refused():
    with pytest.raises(NotImplementedError, match="For in loops"):
        by_line.run(loops, 1)
    with pytest.raises(TypeError):
        by_line.run(fails)
