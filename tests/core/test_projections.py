"""Projections by independent formulas; sizes all different, so that a swapped axis cannot pass."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import InputError, asymmetry, attention_steps, examples, merged_projection, project

N, M, D_MODEL, D_K, D_V = 3, 5, 7, 2, 4
RNG = np.random.default_rng(1)
X, S = RNG.standard_normal((N, D_MODEL)), RNG.standard_normal((M, D_MODEL))
W_Q, W_K, W_V = (RNG.standard_normal((D_MODEL, d)) for d in (D_K, D_K, D_V))


def test_every_number_is_a_sum_over_d_model():
    Q, K, V = project(X, W_Q, W_K, W_V, S)
    for made, rows, W in ((Q, X, W_Q), (K, S, W_K), (V, S, W_V)):
        expected = [[sum(r * w for r, w in zip(row, column, strict=True)) for column in W.T] for row in rows]
        np.testing.assert_allclose(made, expected, rtol=1e-12)


def test_without_a_source_the_tokens_look_at_themselves():
    for one, other in zip(project(X, W_Q, W_K, W_V), project(X, W_Q, W_K, W_V, X), strict=True):
        np.testing.assert_array_equal(one, other)


def test_cross_attention_has_a_row_a_query_and_a_column_a_key():
    steps = attention_steps(*project(X, W_Q, W_K, W_V, S))
    assert steps.scores.shape == steps.weights.shape == (N, M)
    assert steps.output.shape == (N, D_V)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), d_model=st.integers(1, 6), d_k=st.integers(1, 6))
def test_the_merged_projection_gives_the_same_scores_and_has_no_more_rank(seed, d_model, d_k):
    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((N, d_model)), rng.standard_normal((M, d_model))
    P, R = (rng.standard_normal((d_model, d_k)) for _ in range(2))
    W = merged_projection(P, R)
    assert W.shape == (d_model, d_model)
    np.testing.assert_allclose(A @ W @ B.T, attention_steps(A @ P, B @ R, B).scores, rtol=1e-9, atol=1e-9)
    assert np.linalg.matrix_rank(W) <= min(d_model, d_k)


def test_one_matrix_for_queries_and_keys_makes_scores_symmetric():
    Q, K, V = project(X, W_Q, W_Q, W_V)
    assert asymmetry(attention_steps(Q, K, V).scores) < 1e-12
    Q, K, V = project(X, W_Q, W_K, W_V)
    scores = attention_steps(Q, K, V).scores
    assert asymmetry(scores) == max(abs(scores[i, j] - scores[j, i]) for i in range(N) for j in range(N)) > 0.1


@pytest.mark.parametrize(("call", "code", "argument"), [
    (lambda: project(X, W_Q[:-1], W_K, W_V), "d_model", "X"),
    (lambda: project(X, W_Q, W_K, W_V, S[:, :-1]), "d_model", "source"),
    (lambda: project(X, W_Q, W_K[:, :1], W_V), "shape", "W_K"),
    (lambda: project(X, W_Q, W_K, W_V[:-1]), "shape", "W_V"),
    (lambda: project(X[None], W_Q[None], W_K, W_V), "axes", "W_Q"),
    (lambda: project(np.stack([X, X]), W_Q, W_K, W_V, np.stack([S] * 3)), "batch", "source"),
    (lambda: project([[np.nan] * D_MODEL], W_Q, W_K, W_V), "finite", "X"),
    (lambda: merged_projection(W_Q, W_V), "shape", "W_K"),
    (lambda: asymmetry(W_Q), "shape", "scores"),
    (lambda: examples.embedded((), 3), "empty", "tokens"),
    (lambda: examples.embedded(("a",), 17), "whole_number", "d_model"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, code, argument):
    with pytest.raises(InputError) as refused:
        call()
    assert (refused.value.code, refused.value.argument) == (code, argument)


def test_a_token_has_the_same_row_wherever_it_stands_and_keeps_it_when_rows_grow():
    small, large = examples.embedded(("b", "a"), 3), examples.embedded(("a", "c", "b", "a"), 5)
    np.testing.assert_array_equal(small, large[[2, 3], :3])
    np.testing.assert_array_equal(large[0], large[3])
    assert len({*map(tuple, large)}) == 3
    np.testing.assert_array_equal(large, large.round(2))


def test_known_rows_are_cut_or_filled_up():
    rows = examples.embedded(("cat", "mouse"), 6, examples.TRANSLATION)
    np.testing.assert_array_equal(rows, [[1, 0, 1, 0, 0, 0], [1, 0, -1, 0, 0, 0]])
    np.testing.assert_array_equal(examples.embedded(("mouse",), 2, examples.TRANSLATION), [[1, 0]])


def test_the_translation_stands_in_the_features_of_the_cat():
    """Each English word has the row of the Chinese token it translates."""
    cat = examples.get("cat")
    own = dict(zip(cat.tokens, cat.X.tolist(), strict=True))
    for word, token in {"cat": "猫", "chases": "追", "mouse": "老鼠", "the": "的", "a": "的"}.items():
        assert list(examples.TRANSLATION[word]) == own[token]
