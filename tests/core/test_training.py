"""The model that looks up values: its gradients are PyTorch's, and it learns or stalls as the page says."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention
from attention import InputError
from attention import training as t
from tests.reference import make_training_reference as reference

NAMES = reference.NAMES


@pytest.fixture(scope="module")
def expected():
    with np.load(reference.REFERENCE) as stored:
        return {name: stored[name] for name in stored.files}


def of_case(case):
    weights = t.Weights(*(case[name] for name in NAMES))
    batch = t.Batch(*(case[name] for name in ("x_q", "x_k", "x_v", "answer")))
    return weights, batch, float(case["divisor"])


@pytest.mark.parametrize("name", reference.STEPS)
def test_the_loss_and_every_gradient_are_autograds(name, expected):
    weights, batch, divisor = of_case(reference.steps()[name])
    seen = t.forward(weights, batch, divisor)
    gradients = t.backward(weights, batch, seen, divisor)
    assert seen.loss == pytest.approx(float(expected[f"{name}/loss"]), abs=1e-12)
    for each in NAMES:
        np.testing.assert_allclose(getattr(gradients, each), expected[f"{name}/d{each}"], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("i", range(len(reference.RUNS)))
def test_a_run_goes_where_pytorchs_optimizer_goes(i, expected):
    run = t.Training(reference.RUNS[i], np.float64)
    for _ in range(reference.FOLLOWED):
        run.step()
    np.testing.assert_allclose(run.loss, expected[f"run{i}/losses"], rtol=1e-8)
    np.testing.assert_allclose(run.flat, expected[f"run{i}/flat"], rtol=1e-6, atol=1e-8)


@pytest.mark.torch
def test_the_stored_reference_is_what_torch_computes(expected):
    fresh = reference.expected()
    assert fresh.keys() == expected.keys()
    for name, value in fresh.items():
        np.testing.assert_allclose(expected[name], value, rtol=1e-9, atol=1e-12, err_msg=name)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.5, 1.0, 3.0]))
def test_gradients_are_slopes(seed, divisor):
    """Every weight nudged a little, in one direction at a time chosen at random."""
    rng = np.random.default_rng(seed)
    b, n, d_model, d_k, d_v, values = 4, 3, 5, 2, 6, 7
    shapes = (d_model, d_k), (d_model, d_k), (d_model, d_v), (d_v, values)
    weights = t.Weights(*map(rng.standard_normal, shapes))
    batch = t.Batch(rng.standard_normal((b, d_model)), *rng.standard_normal((2, b, n, d_model)),
                    rng.integers(values, size=b))  # fmt: skip
    gradients = t.backward(weights, batch, t.forward(weights, batch, divisor), divisor)
    for name in NAMES:
        W, direction, h = getattr(weights, name), rng.standard_normal(getattr(weights, name).shape), 1e-6
        up, down = (t.forward(replace(weights, **{name: W + s * h * direction}), batch, divisor).loss for s in (1, -1))
        slope = (getattr(gradients, name) * direction).sum()
        assert (up - down) / (2 * h) == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_its_attention_is_the_attention_of_this_package():
    weights, batch, _ = of_case(reference.steps()["unscaled"])
    d_k = weights.W_Q.shape[1]
    seen = t.forward(weights, batch, float(np.sqrt(d_k)))
    steps = attention.attention_steps(seen.q[:, None, :], seen.k, seen.v)
    np.testing.assert_allclose(steps.weights[:, 0], seen.p, rtol=1e-12)
    np.testing.assert_allclose(steps.output[:, 0], seen.o, rtol=1e-12)


def test_its_backward_pass_is_that_of_this_package():
    weights, batch, _ = of_case(reference.steps()["scaled"])
    seen = t.forward(weights, batch, 2.0)
    one_hot = np.eye(weights.W_O.shape[1])[batch.answer]
    d_o = (seen.guess - one_hot) / len(batch.answer) @ weights.W_O.T
    Q = seen.q[:, None, :]
    steps = attention.attention_steps(Q, seen.k, seen.v, scale=2.0)
    dQ, dK, dV = attention.attention_gradients(steps, Q, seen.k, seen.v, d_o[:, None, :])
    gradients = t.backward(weights, batch, seen, 2.0)
    np.testing.assert_allclose(np.einsum("bm,bd->md", batch.x_q, dQ[:, 0]), gradients.W_Q, rtol=1e-10)
    np.testing.assert_allclose(np.einsum("bnm,bnd->md", batch.x_k, dK), gradients.W_K, rtol=1e-10)
    np.testing.assert_allclose(np.einsum("bnm,bnd->md", batch.x_v, dV), gradients.W_V, rtol=1e-10)


def test_a_batch_asks_for_one_of_its_keys():
    world = t.World(seed=3)
    batch = world.batch(50)
    for x_q, x_k, x_v, answer in zip(batch.x_q, batch.x_k, batch.x_v, batch.answer, strict=True):
        assert {tuple(x) for x in x_k} == {tuple(x) for x in world.symbols}
        (asked,) = np.flatnonzero((x_k == x_q).all(axis=1))
        np.testing.assert_array_equal(x_v[asked], world.values[answer])
    assert set(batch.answer) == set(range(t.VALUES))
    assert not np.array_equal(batch.x_k, world.batch(50).x_k)


def test_with_and_without_scaling_begin_alike():
    """The same embeddings, weights and examples; but for the divisor the first step is the same."""
    scaled, bare = (t.Training(t.Setting(16, scale, seed=5)) for scale in ("sqrt", "none"))
    np.testing.assert_array_equal(scaled.flat, bare.flat)
    np.testing.assert_array_equal(scaled.world.symbols, bare.world.symbols)
    np.testing.assert_array_equal(scaled.world.batch().x_v, bare.world.batch().x_v)
    other = t.Training(t.Setting(16, "sqrt", seed=6))
    assert not np.array_equal(other.flat, scaled.flat)


@pytest.mark.parametrize("d_k", [16, 256])
def test_at_first_scores_have_the_variance_the_article_assumes(d_k):
    products = []
    for seed in range(60):
        run = t.Training(t.Setting(d_k, seed=seed), np.float64)
        batch = run.world.batch(8)
        seen = t.forward(run.weights, batch, 1.0)
        others = ~(batch.x_k == batch.x_q[:, None]).all(axis=2)  # a key and its own symbol are not independent
        products.append((seen.k @ seen.q[:, :, None])[..., 0][others])
    assert np.concatenate(products).var() == pytest.approx(d_k, rel=0.15)


def test_a_step_may_be_given_its_batch():
    drawn, given_ = (t.Training(t.Setting(d_k=5, seed=3)) for _ in range(2))
    batches = t.World(3)
    for _ in range(3):
        drawn.step()
        given_.step(batches.batch())
    np.testing.assert_array_equal(drawn.flat, given_.flat)


def loss_after(steps, **setting):
    run = t.Training(t.Setting(**setting))
    for _ in range(steps):
        run.step()
    return float(np.mean(run.loss[-5:]))


@pytest.mark.parametrize("optimizer", t.OPTIMIZERS)
@pytest.mark.parametrize("d_k", t.D_K)
def test_divided_by_the_root_it_learns_in_about_50_steps_at_every_d_k(optimizer, d_k):
    assert loss_after(60, d_k=d_k, scale="sqrt", optimizer=optimizer) < 0.35


@pytest.mark.parametrize("optimizer", t.OPTIMIZERS)
def test_undivided_it_gets_slower_with_d_k_and_all_but_stalls_at_1024(optimizer):
    losses = [loss_after(t.STEPS, d_k=d_k, scale="none", optimizer=optimizer) for d_k in (4, 16, 1024)]
    assert losses[0] < 0.2 < losses[1] < 1.2 < 1.7 < losses[2]


def test_what_is_noted_is_what_was_seen():
    run = t.Training(t.Setting(d_k=9, scale="none", optimizer="sgd", seed=2), np.float64)
    again = t.Training(run.setting, np.float64)
    batch = again.world.batch()
    seen = t.forward(again.weights, batch, 1.0)
    gradients = t.backward(again.weights, batch, seen, 1.0)
    run.step()
    both = np.concatenate([gradients.W_Q.ravel(), gradients.W_K.ravel()])
    assert run.loss == [seen.loss]
    assert run.accuracy == [np.mean(seen.guess.argmax(axis=1) == batch.answer)]
    assert run.entropy[0] == pytest.approx(attention.normalized_entropy(seen.p).mean())
    assert run.gradient[0] == pytest.approx(np.linalg.norm(both))
    assert (run.match[0], run.other[0]) == t.matches(again.weights, again.world.symbols)
    assert run.steps == 1
    for each in fields(gradients):
        learned = getattr(again.weights, each.name) - 0.1 * getattr(gradients, each.name)
        np.testing.assert_allclose(getattr(run.weights, each.name), learned, rtol=1e-12)


def test_a_query_is_compared_with_its_own_key_and_with_the_others():
    rng = np.random.default_rng(1)
    weights = replace(fitting(d_k=3)[0], W_Q=rng.standard_normal((5, 3)), W_K=rng.standard_normal((5, 3)))
    symbols = rng.standard_normal((4, 5))
    q, k = symbols @ weights.W_Q, symbols @ weights.W_K
    own = [q[i] @ k[i] for i in range(4)]
    other = [q[i] @ k[j] for i in range(4) for j in range(4) if i != j]
    assert t.matches(weights, symbols) == pytest.approx((np.mean(own), np.mean(other)))
    for wrong in (symbols[:1], symbols[:, :4]):
        with pytest.raises(InputError, match="symbols"):
            t.matches(weights, wrong)


def test_a_rate_that_is_too_large_blows_up_without_an_error():
    run = t.Training(t.Setting(d_k=64, scale="none", optimizer="sgd", learning_rate=1e6))
    for _ in range(20):
        run.step()
    assert run.steps == 20
    assert not run.loss[-1] < 2 * t.CHANCE


@pytest.mark.parametrize(("field", "value", "argument"), [
    ("d_k", 0, "d_k"), ("d_k", 2.0, "d_k"), ("seed", -1, "seed"), ("scale", "log", "scale"),
    ("optimizer", "lion", "optimizer"), ("learning_rate", 0.0, "learning_rate"),
    ("learning_rate", float("nan"), "learning_rate"), ("learning_rate", float("inf"), "learning_rate"),
    ("learning_rate", "x", "learning_rate"), ("learning_rate", True, "learning_rate"),
])  # fmt: skip
def test_bad_settings_are_named(field, value, argument):
    with pytest.raises(InputError) as caught:
        t.Setting(**{field: value})
    assert caught.value.argument == argument


def fitting(d_k=3):
    return t.Weights.from_flat(t.initial_weights(d_k, 0), d_k), t.World(0).batch(4)


@pytest.mark.parametrize(("of", "name", "wrong", "code"), [
    ("weights", "W_K", np.zeros((32, 4)), "shape"), ("weights", "W_V", np.zeros((31, 32)), "shape"),
    ("batch", "x_q", np.zeros((3, 32)), "shape"), ("batch", "x_k", np.zeros((4, 8, 31)), "shape"),
    ("batch", "x_v", np.zeros((4, 7, 32)), "shape"), ("batch", "answer", np.zeros(5, dtype=int), "shape"),
    ("batch", "answer", np.array([0, 1, 2, 8]), "whole_number"),
    ("batch", "answer", np.array([0, 1, 2, -1]), "whole_number"),
])  # fmt: skip
def test_what_does_not_fit_is_named(of, name, wrong, code):
    weights, batch = fitting()
    seen = t.forward(weights, batch, 1.0)
    weights, batch = (replace(each, **{name: wrong}) if of == kind else each
                      for kind, each in (("weights", weights), ("batch", batch)))  # fmt: skip
    for call in (lambda: t.forward(weights, batch, 1.0), lambda: t.backward(weights, batch, seen, 1.0)):
        with pytest.raises(InputError) as caught:
            call()
        assert (caught.value.argument, caught.value.code) == (name, code)


@pytest.mark.parametrize("divisor", [0.0, -1.0, float("nan"), float("inf"), "sqrt"])
def test_a_divisor_is_positive(divisor):
    weights, batch = fitting()
    with pytest.raises(InputError, match="divisor: expected a positive number"):
        t.forward(weights, batch, divisor)


def test_what_was_seen_of_another_batch_is_refused():
    weights, batch = fitting()
    other = t.forward(weights, t.World(0).batch(5), 1.0)
    with pytest.raises(InputError, match="seen: expected"):
        t.backward(weights, batch, other, 1.0)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: t.World(-1), "seed"), (lambda: t.World(0).batch(0), "size"), (lambda: t.initial_weights(0, 1), "d_k"),
    (lambda: t.initial_weights(2, 1.5), "seed"), (lambda: t.Weights.from_flat(np.zeros(7), 2), "flat"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
