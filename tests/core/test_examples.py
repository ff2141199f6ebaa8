"""Each example shows what its note says, in both languages."""

import numpy as np
import pytest

from attention import InputError, attention, attention_steps, entropy, examples, normalized_entropy, softmax

ALL = [examples.get(name) for name in examples.names()]


def steps_of(example, **options):
    scale = options.get("scale", example.scale)
    return attention_steps(example.Q, example.K, example.V, example.mask, scale=scale)


@pytest.fixture(params=ALL, ids=examples.names())
def example(request):
    return request.param


def test_names():
    assert examples.names() == ("cat", "cat_en", "lookup", "uniform", "twins", "self", "saturated", "random")
    assert [example.name for example in ALL] == list(examples.names())


def test_sizes(example):
    n = len(example.tokens)
    assert 2 <= n <= 12
    assert all(example.tokens)
    assert [x.shape[0] for x in (example.X, example.Q, example.K, example.V)] == [n] * 4
    assert max(example.X.shape[1], example.Q.shape[1], example.V.shape[1]) <= 16
    assert {x.dtype.name for x in (example.X, example.W_Q, example.Q, example.K, example.V)} == {"float64"}


def test_at_most_two_decimals(example):
    for x in (example.X, example.W_Q, example.W_K, example.W_V, example.Q, example.K, example.V):
        np.testing.assert_array_equal(x, np.round(x, 2))


def test_projections_give_queries_keys_and_values(example):
    for W, projected in ((example.W_Q, example.Q), (example.W_K, example.K), (example.W_V, example.V)):
        np.testing.assert_allclose(example.X @ W, projected, rtol=0, atol=1e-12)


def test_texts_are_there_in_both_languages(example):
    for text in (example.title, example.note):
        assert set(text) == {"zh", "en"}
        assert all(part.strip() for part in text.values())
    ((other, gloss),) = example.gloss.items()
    assert len(gloss) == len(example.tokens)
    assert {word.isascii() for word in gloss} == {other == "en"}
    assert {token.isascii() for token in example.tokens} == {other == "zh"}
    assert example.note["en"].endswith(".")
    assert example.note["zh"].endswith("。")
    assert not set(example.note["zh"]) & set(",;:?!()"), "half-width punctuation in Chinese"
    for names, columns in ((example.features, example.Q), (example.input_features, example.X)):
        assert names is None or {len(names[language]) for language in ("zh", "en")} == {columns.shape[1]}


def test_notes_say_how_the_numbers_were_made(example):
    origin = {"random": ("抽自", "draw"), "saturated": ("抽取", "draws")}.get(
        example.name, ("手工", "by hand")
    )
    assert origin[0] in example.note["zh"]
    assert origin[1] in example.note["en"]


def test_every_call_makes_new_arrays():
    one, other = examples.get("cat"), examples.get("cat")
    one.Q[:] = 0
    assert (other.Q != 0).any()


def test_cat_looks_at_its_subject_and_object_as_in_the_article():
    cat = examples.get("cat")
    steps = steps_of(cat)
    assert cat.tokens == ("猫", "追", "老鼠", "的")
    assert steps.divisor == 2.0
    assert steps.weights[1].round(2).tolist() == [0.45, 0.10, 0.40, 0.05]
    assert steps.scores[1].tolist() == [4.5, 1.5, 4.25, 0.0]
    for number in ("0.45", "0.40", "0.10", "0.05"):
        assert number in cat.note["zh"]
        assert number in cat.note["en"]


def test_cat_puts_subject_and_object_into_the_verb():
    cat = examples.get("cat")
    doer, done_to = cat.features["en"].index("doer"), cat.features["en"].index("done to")
    output = steps_of(cat).output[1]
    assert cat.V[1, doer] == cat.V[1, done_to] == 0
    assert min(output[doer], output[done_to]) > 1
    assert np.delete(output, [doer, done_to]).max() < 0.25


def test_cat_has_plausible_other_rows():
    weights = steps_of(examples.get("cat")).weights
    for row in weights.round(2):
        assert row.sum() == pytest.approx(1.0)  # the numbers on screen add up, too
    assert np.argsort(-weights[0])[:2].tolist() == [0, 1]  # 猫: itself, then 追
    assert np.argsort(-weights[2])[:2].tolist() == [2, 1]  # 老鼠: itself, then 追
    assert np.argsort(-weights[3])[:2].tolist() == [2, 3]  # 的: the noun before it, then itself
    assert min(np.abs(a - b).max() for i, a in enumerate(weights) for b in weights[:i]) > 0.05


def test_cat_in_english_is_the_article_in_another_order():
    cat, english = examples.get("cat"), examples.get("cat_en")
    assert english.tokens == ("the", "cat", "chases", "mice")
    same = [english.tokens.index(word) for word in ("cat", "chases", "mice", "the")]  # as 猫, 追, 老鼠, 的
    assert english.tokens[english.asks] == "chases" == english.tokens[same[cat.asks]]
    for name in ("X", "Q", "K", "V"):
        np.testing.assert_array_equal(getattr(english, name)[same], getattr(cat, name))
    for name in ("W_Q", "W_K", "W_V"):
        np.testing.assert_array_equal(getattr(english, name), getattr(cat, name))
    assert (english.features, english.input_features) == (cat.features, cat.input_features)
    weights = steps_of(english).weights
    np.testing.assert_allclose(weights[np.ix_(same, same)], steps_of(cat).weights, rtol=0, atol=1e-15)
    said = dict(zip(english.tokens, weights[english.asks].round(2), strict=True))
    assert said == {"the": 0.05, "cat": 0.45, "chases": 0.10, "mice": 0.40}
    for language in ("zh", "en"):
        assert all(f"{weight:.2f}" in english.note[language] for weight in said.values())
        assert english.title[language] != cat.title[language]


def test_lookup_fetches_exactly_one_value_a_row():
    lookup = examples.get("lookup")
    steps = steps_of(lookup)
    gram = lookup.K @ lookup.K.T
    assert (gram == np.diag(np.diag(gram))).all()
    assert steps.weights.argmax(axis=1).tolist() == [1, 2, 3, 0]
    assert steps.weights.max(axis=1).min() > 0.999
    np.testing.assert_allclose(steps.output, lookup.V[[1, 2, 3, 0]], atol=1e-6)


def test_uniform_averages():
    uniform = examples.get("uniform")
    steps = steps_of(uniform)
    assert (uniform.K[0] == uniform.K).all()
    assert len({tuple(row) for row in uniform.Q}) == len(uniform.Q)
    np.testing.assert_array_equal(steps.weights, np.full((4, 4), 0.25))
    np.testing.assert_array_equal(steps.output, [[15, 12]] * 4)


def test_twins_share_their_weight_and_their_output():
    twins = examples.get("twins")
    steps = steps_of(twins)
    assert twins.tokens[0] == twins.tokens[2]
    assert (twins.X[0] == twins.X[2]).all()
    np.testing.assert_array_equal(steps.weights[:, 0], steps.weights[:, 2])
    np.testing.assert_array_equal(steps.output[0], steps.output[2])
    assert np.abs(steps.output[0] - steps.output[1]).max() > 0.1
    alone = softmax(steps.scaled[:, :2])  # one dog only: the two together weigh more than that one
    assert (steps.weights[:, 0] < alone[:, 0]).all()
    assert (2 * steps.weights[:, 0] > alone[:, 0]).all()


def test_self_finds_itself():
    example = examples.get("self")
    steps = steps_of(example)
    np.testing.assert_array_equal(example.Q, example.K)
    np.testing.assert_array_equal(example.W_Q, example.W_K)
    np.testing.assert_array_equal(steps.scores, steps.scores.T)
    assert np.ptp((example.K**2).sum(axis=1)) == 0
    assert steps.weights.argmax(axis=1).tolist() == [0, 1, 2, 3, 4]


def test_saturated_is_repaired_by_the_square_root():
    example = examples.get("saturated")
    assert example.scale == "none"
    assert example.Q.shape[1] == 16
    assert np.unique([example.Q, example.K]).tolist() == [-1.0, 1.0]
    hard, soft = steps_of(example), steps_of(example, scale="sqrt")
    assert hard.scores.std() == pytest.approx(4, abs=0.1)
    assert hard.weights.max(axis=1).min() > 0.97
    assert soft.weights.max(axis=1).max() < 0.6
    assert normalized_entropy(hard.weights).max() < 0.1
    assert normalized_entropy(soft.weights).min() > 0.6
    assert (entropy(soft.weights) > entropy(hard.weights)).all()


def test_random_depends_on_its_seed_only():
    one, same, other = (examples.get("random", seed=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(one.Q, same.Q)
    assert not np.array_equal(one.Q, other.Q)
    assert not np.array_equal(one.Q, one.K)
    big = examples.random(12, 16, 5, seed=1)
    assert (big.Q.shape, big.V.shape, len(big.tokens)) == ((12, 16), (12, 5), 12)
    assert len(set(big.tokens)) == 12


def test_random_numbers_stay_what_they_are_because_links_carry_only_the_seed():
    example = examples.get("random", seed=2017)
    assert example.Q[0].tolist() == [1.38, -0.57, 1.16, -1.99]
    assert example.V[-1].tolist() == [1.65, -0.45, -3.27, 1.16]


def test_the_article_path_gives_the_same_output(example):
    if example.scale == "sqrt":
        np.testing.assert_array_equal(attention(example.Q, example.K, example.V), steps_of(example).output)


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match="'saturated'"):
        examples.get("猫")
