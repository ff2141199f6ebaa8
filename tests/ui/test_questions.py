"""What the answers claim is true of the states that their buttons open: computed here anew, by other means."""

import math
import re

import numpy as np
import pytest

from attention import experiment, matching
from ui import link, masks, questions, scratch_evidence, shell, views
from ui import workbench as w
from ui.questions import QUESTIONS
from ui.text import LANGUAGES, PLACEHOLDER, catalogue
from ui.workbench import PATH, Workbench

EN = catalogue("questions", "en")


def bench(number: int) -> Workbench:
    return QUESTIONS[number].bench()


def said(number: int) -> dict[str, float]:
    """The numbers that an answer gives, as numbers."""
    return {name: float(text.replace("−", "-")) for name, text in questions.facts(number).items()}


def weights(scores: np.ndarray) -> np.ndarray:
    """Softmax of every row, written as the formula has it."""
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def scores(bench: Workbench) -> np.ndarray:
    Q, K, _ = bench.qkv()
    return np.einsum("id,jd->ij", Q, K)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_there_are_26_questions_with_answers_sources_and_doors(lang):
    words = catalogue("questions", lang)
    assert list(QUESTIONS) == list(range(1, 27))
    for number, question in QUESTIONS.items():
        assert {f"{part}_{number}" for part in ("ask", "answer", "source", "open")} <= set(words)
        assert question.page in PATH
        assert question.door in shell.PAGES
        assert set(PLACEHOLDER.findall(words[f"answer_{number}"])) <= set(questions.facts(number))
        assert not re.search(r"[*`$\[\]]", words[f"ask_{number}"]), "a question is also an option of a list"
    assert sorted(n for page in shell.PAGES for n in questions.on(page)) == list(QUESTIONS)


def test_every_state_survives_the_link():
    for number, question in QUESTIONS.items():
        state = bench(number)
        for view, value in question.shows.items():
            state = views.shown(state, view, value)
        assert link.decode(link.encode(state)) == state
        assert not (dict(state.view).keys() - question.shows.keys())
        assert all(view.split(".")[0] == question.door for view in question.shows)


def test_1_a_low_temperature_makes_a_soft_look_up_nearly_hard():
    row = scores(bench(1))[1] / 2
    assert said(1) == {"sharp": round(weights(row / 0.05).max(), 2), "soft": 0.45}
    assert said(1)["sharp"] > 0.9


def test_2_one_matrix_for_both_makes_scores_symmetric_and_everyone_matches_itself():
    s = scores(bench(2))
    np.testing.assert_array_equal(s, s.T)
    assert (s.diagonal()[:, None] >= s).all()
    assert (s.diagonal() == said(2)["own"]).all()
    assert s[0, 1] == said(2)["pair"]
    assert bench(2).matrices["W_Q"] == bench(2).matrices["W_K"]


def test_3_the_merged_matrix_gives_the_same_scores_from_more_numbers():
    state = bench(3)
    X, W_Q, W_K = (state.array(name) for name in ("X", "W_Q", "W_K"))
    np.testing.assert_allclose(X @ (W_Q @ W_K.T) @ X.T, scores(state), atol=1e-12)
    singular = np.linalg.svd(W_Q @ W_K.T, compute_uv=False)
    assert said(3) == {"merged": 64, "two": 32, "rank": (singular > 1e-9).sum()}


def test_4_and_7_only_the_root_keeps_the_rows_as_they_are():
    for number, divisor in ((4, "log"), (7, "root_model")):
        shows = QUESTIONS[number].shows
        assert (shows["variance.part"], shows["variance.divisor"]) == ("divisors", divisor)
    draws = np.random.SeedSequence(bench(4).variance_seed).spawn(2)
    of_q, of_k = ((64, 4000), (64, 4000, 8))
    q, k = (np.random.default_rng(each).standard_normal(of) for each, of in zip(draws, (of_q, of_k), strict=True))
    dots = (q[:, :, None] * k).sum(axis=0)
    cosines = dots / np.linalg.norm(q, axis=0)[:, None] / np.linalg.norm(k, axis=0)

    def entropy(by: float, of: np.ndarray = dots) -> float:
        p = weights(of / by)
        return float(-(p * np.log(p)).sum(axis=1).mean() / math.log(8))

    said_4, said_7 = said(4), said(7)
    for name, by in (("none", 1), ("sqrt", 8), ("log", math.log(64))):
        assert said_4[f"{name}_64"] == pytest.approx(entropy(by), abs=0.005)
    assert said_4["cosine_64"] == pytest.approx(entropy(1, cosines), abs=0.0005)
    assert said_4["fifth"] == pytest.approx(weights(dots / 64**5).max(axis=1).mean(), abs=0.0005)
    assert said_4["ratio"] == round(math.e**2, 2) == 7.39
    assert said_4["log_256"] < said_4["log_64"] - 0.1
    assert said_4["sqrt_256"] == pytest.approx(said_4["sqrt_64"], abs=0.02)
    for name, by in (("root_model", math.sqrt(512)), ("model", 512)):
        assert said_7[f"entropy_{name}"] == pytest.approx(entropy(by), abs=0.00006)
        assert said_7[f"spread_{name}"] == pytest.approx(dots.std() / by, abs=0.00006)
    assert (said_7["heads"], said_7["root"], said_7["sqrt"]) == (8, 2.83, said_4["sqrt_64"])
    assert said_7["formula_model"] == 0.0156


def test_5_variances_of_2_by_2_arrays_are_all_over_the_place_but_right_on_average():
    draw = np.random.default_rng(5).standard_normal
    variances = np.array([(draw((2, 2)) @ draw((2, 2))).var(ddof=1) for _ in range(2000)])
    assert variances.mean() == pytest.approx(2, abs=0.3)
    assert np.mean((variances > said(5)["low"]) & (variances < said(5)["high"])) == pytest.approx(0.9, abs=0.03)
    opened = experiment.measure_spread(bench(5).variance_draws, (2,), seed=bench(5).variance_seed)
    assert [round(each, 2) for each in opened.trials[0].band] == [said(5)["low"], said(5)["high"]]
    assert said(5)["tries"] == opened.trials[0].count


def test_6_correlated_components_shift_the_mean_and_widen_the_spread():
    draw, rho, d_k = np.random.default_rng(6).standard_normal, 0.9, 64
    k = draw((20_000, d_k))
    q = rho * k + math.sqrt(1 - rho**2) * draw(k.shape)
    dots = (q * k).sum(axis=1) / math.sqrt(d_k)
    assert said(6) == {"rho": rho, "d_k": d_k, "mean": 7.2, "variance": 1.81}
    assert dots.mean() == pytest.approx(7.2, abs=0.05)
    assert dots.var() == pytest.approx(1.81, abs=0.07)
    shows = QUESTIONS[6].shows
    assert (shows["variance.rho"], shows["variance.broken_at"]) == (100 * rho, d_k)


def test_6_one_vector_of_independent_components_is_enough():
    draw, d_k = np.random.default_rng(7).choice, 16
    q, k = draw([-1, 1], (50_000, d_k)), draw([-1, 1], (50_000, 1)).repeat(d_k, axis=1)  # all of k are the same
    assert (q * k).sum(axis=1).var() == pytest.approx(d_k, rel=0.04)


def test_6_softmax_ignores_what_all_keys_share_and_not_what_one_is_ahead_by():
    row = np.array([0.3, -1.2, 0.5])
    np.testing.assert_allclose(weights((row + said(6)["mean"])[None]), weights(row[None]))
    rows = matching.draw_rows(4000, (16, 256), seed=1)
    small, large = matching.match_weights(rows, said(6)["rho"])[:, 1, 0]  # ÷ √d_k
    assert 0.5 < small < large
    assert large > 0.95


def test_8_along_the_wrong_axis_the_rows_do_not_add_up_and_the_page_shows_it():
    s = np.where(np.tri(4), scores(bench(8)) / 2, -np.inf)
    wrong = (np.exp(s) / np.exp(s).sum(axis=0)).sum(axis=1)
    assert [f"{x:.2f}" for x in wrong] == questions.facts(8)["rows"]
    np.testing.assert_allclose(case(8).sum(axis=1), wrong)


def test_11_on_the_page_the_transposed_batch_runs_and_is_wrong():
    Q, K, _ = bench(11).qkv()
    right = weights(np.where(np.tri(4), Q @ K.T / 2, -np.inf))
    assert np.abs(case(11) - right).max() > 0.01
    with pytest.raises(ValueError, match="mismatch"):
        np.zeros((2, 4, 3)) @ np.zeros((2, 4, 3)).T


def case(number: int) -> np.ndarray:
    """The weights of the broken function whose case the page shows."""
    shows = QUESTIONS[number].shows
    (variant,) = shows["scratch.shown"]
    assert scratch_evidence.order(shows["scratch.seed"])[shows["scratch.case"]] == variant
    found = scratch_evidence.evidence(bench(number), variant)
    assert found.own
    assert found.own_mask
    return found.seen[variant].weights


def test_9_rows_add_up_and_columns_do_not():
    table = bench(9).steps().weights
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert [f"{x:.2f}" for x in table.sum(axis=0)] == questions.facts(9)["columns"]


def test_10_scores_and_outputs_are_negative_weights_are_not():
    s = scores(bench(10)) / 2
    _, _, V = bench(10).qkv()
    assert said(10)["score"] == round(2 * s.min(), 2) < 0
    assert said(10)["output"] == round((weights(s) @ V).min(), 2) < 0
    assert said(10)["weight"] == pytest.approx(weights(s).min(), abs=0.0006)


def test_12_and_13_the_scores_are_1_2_5_and_the_5_is_hidden():
    for number in (12, 13):
        np.testing.assert_array_equal(scores(bench(number)), [[1, 2, 5]] * 3)
        np.testing.assert_array_equal(bench(number).mask_array(), [[True, True, False]] * 3)
    seen = math.e + math.e**2
    assert said(12)["after"] == round(seen / (seen + math.e**5), 3) == 0.064
    tiny, small = 1.0, math.exp(-math.e)
    assert said(13) == {"zero": round(tiny / (seen + tiny), 3), "minus_e": round(small / (seen + small), 3)}


def test_14_flipped_the_causal_mask_leaves_only_the_future():
    flipped = ~bench(14).mask_array()
    assert not flipped[-1].any()
    assert not np.tril(flipped).any()


def test_15_and_17_token_2_has_nothing_left():
    for number in (15, 17):
        allowed = bench(number).mask_array()
        assert not allowed[1].any()
        assert allowed[[0, 2, 3]].all()
        assert said(number)["even"] == 0.25


def test_16_padding_is_hidden_from_all_and_leaks_without_the_mask():
    state = bench(16)
    assert not state.mask_array()[:, -1].any()
    assert state.mask_array()[:, :-1].all()
    np.testing.assert_array_equal(state.steps().output[:-1], w.preset("cat").steps().output)
    assert said(16)["leak"] == round(weights(scores(state) / 2)[1, -1], 2) > 0


def test_17_float16_has_no_minus_a_thousand_million():
    with np.errstate(over="ignore"):
        assert np.isneginf(np.float16(-1e9))


def test_18_under_the_causal_mask_earlier_outputs_stay():
    state, cat = bench(18), w.preset("cat")
    longer = w.with_tokens(cat, (*cat.tokens, cat.tokens[0]))
    for name in "QKV":
        longer = w.with_cells(longer, name, {(4, j): text for j, text in enumerate(cat.matrices[name][0])})
    causal = masks.with_part(longer, "mask_causal", True)
    np.testing.assert_array_equal(causal.steps().output[:-1], state.steps().output)
    moved = np.abs(longer.steps().output[:-1] - cat.steps().output).max()
    assert said(18)["moved"] - 0.01 < moved <= said(18)["moved"]


def test_19_head_2_is_head_1_again():
    heads = w.head_steps(bench(19))
    np.testing.assert_array_equal(heads.heads.weights[0], heads.heads.weights[1])
    np.testing.assert_array_equal(heads.contributions[0], heads.contributions[1])


def test_20_one_wide_projection_cut_in_pieces_is_one_for_each_head():
    state = bench(20)
    X, heads = state.array("X"), w.multi_head(state)
    wide = X @ np.concatenate(list(heads.W_Q), axis=1)
    for piece, W in zip(np.split(wide, 2, axis=1), heads.W_Q, strict=True):
        np.testing.assert_allclose(piece, X @ W)
    assert said(20) == {"d_model": 4, "d_k": 2}


def test_21_the_number_of_parameters_does_not_depend_on_the_number_of_heads():
    for h in (1, 2, 4):
        heads = w.multi_head(w.with_heads(bench(21), h))
        assert sum(W.size for W in (heads.W_Q, heads.W_K, heads.W_V, heads.W_O)) == said(21)["total"] == 64
    assert bench(21).n_heads == 4


def test_22_a_head_with_output_but_without_contribution():
    heads = w.head_steps(bench(22))
    assert np.abs(heads.heads.output[0]).max() > 0.1
    assert not heads.contributions[0].any()
    assert heads.contributions[1].any()
    assert heads.concat.shape[-1] == said(22)["d_model"]


def test_23_the_shapes_are_those_it_names():
    state, facts = bench(23), said(23)
    assert facts["d_k"] != facts["d_v"]
    assert state.steps().scores.shape == (facts["n"], facts["n"])
    assert state.steps().output.shape == (facts["n"], facts["d_v"])


def test_24_backwards_only_the_places_change():
    state = bench(24)
    Q, K, V = state.qkv()
    there = weights(Q[::-1] @ K[::-1].T / 2) @ V[::-1]
    assert np.abs(there[::-1] - state.steps().output).max() < 1e-14
    assert said(24)["residual"] < 1e-14
    assert QUESTIONS[24].shows["order.tokens"] == tuple(range(len(Q)))[::-1]


def test_25_the_largest_weight_goes_to_a_value_of_zeros():
    state = bench(25)
    row = state.steps().weights[1]
    assert row.argmax() == 0
    assert round(row[0], 2) == said(25)["weight"]
    assert not state.array("V")[0].any()


def test_26_small_queries_leave_every_weight_at_an_even_share():
    table = bench(26).steps().weights
    assert said(26)["low"] <= table.min() < table.max() <= said(26)["high"]
    assert said(26)["high"] - said(26)["low"] < 0.01
    np.testing.assert_allclose(100 * bench(26).array("Q"), w.preset("cat").array("Q"))
