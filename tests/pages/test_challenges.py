"""The challenges page: choose, try, be told what is true, be helped, see the smallest edit."""

from dataclasses import replace

import pytest

from tests.pages.reading import assert_well, code, frames, opened, said, stage, typed
from ui import challenges as c
from ui import display
from ui import workbench as w
from ui.text import LANGUAGES, catalogue, linked

CAT = w.preset("cat")
MOST = c.begun(CAT, "most")


def options(app):
    return app.button_group(key="pick_challenge").options


def keys(app):
    return {button.key for button in app.button}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_a_challenge_all_of_them_are_offered_and_the_numbers_stay(lang):
    bench = w.with_cells(CAT, "Q", {(0, 0): "7"})
    app = opened("challenges", lang, bench)
    assert_well(app)
    assert {f"try_{id}" for id in w.CHALLENGES} <= keys(app)
    assert code(app) == bench
    assert not frames(app)
    app.button(key="try_uniform").click().run()
    assert code(app) == c.begun(bench, "uniform")
    app.button(key="undo").click().run()
    assert code(app) == bench


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("id", w.CHALLENGES)
def test_every_challenge_opens_with_its_goal_its_numbers_and_what_is_true(id, lang):
    bench = c.begun(CAT, id)
    app = opened("challenges", lang, bench)
    assert_well(app)
    assert linked(catalogue("challenges", lang)[f"goal_{id}"], lang).split("<<")[0] in said(app)
    assert len(app.info) == 1
    assert "<<" not in said(app)
    weights = stage(frames(app)[-1], 2).to_numpy().tolist()
    assert weights == [[display.short(x) for x in row] for row in bench.steps().weights]
    assert app.button(key="start_over").disabled


def test_choosing_another_one_is_one_step_that_can_be_undone():
    app = opened("challenges", "en", MOST)
    app.button_group(key="pick_challenge").set_value("only_keys").run()
    assert code(app) == c.begun(CAT, "only_keys")
    app.button(key="undo").click().run()
    assert code(app) == MOST
    app.button(key="all_challenges").click().run()
    assert code(app) == CAT
    assert "try_most" in keys(app)


def test_it_says_what_is_true_until_it_is_solved():
    app = opened("challenges", "zh", MOST)
    assert app.info[0].value == "「追」给「老鼠」0.40，给「猫」0.45：还不是最多。"
    typed(app, "V", {"0,0": "3"})
    assert app.info[0].value == "「追」给「老鼠」0.40，给「猫」0.45：还不是最多。"
    typed(app, "Q", {"1,0": "1"})
    assert "你改了 2 个数" in app.info[0].value
    typed(app, "V", {"0,0": "2"})
    assert_well(app)
    assert not app.info
    assert app.success[0].value.startswith("**做到了**！「追」给「老鼠」0.")
    assert options(app)[0] == "✓ 看向老鼠"
    assert "K[猫, 1]** 从 1.5 改成 1.37" in app.success[0].value
    app.button(key="start_over").click().run()
    assert code(app) == MOST
    assert not app.success
    assert options(app)[0] == "✓ 看向老鼠"  # solved is solved, in this session


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hints_open_one_at_a_time(lang):
    sentences = catalogue("challenges", lang)
    hints = [sentences[f"hint_most_{k}"].split("<<")[-1].split(">>")[-1] for k in (1, 2)]
    app = opened("challenges", lang, MOST)
    for shown in ([False, False], [True, False], [True, True]):
        assert [hint in said(app) for hint in hints] == shown
        if not all(shown):
            app.button(key="hint").click().run()
    assert app.button(key="hint").disabled
    assert code(app) == MOST
    app.button_group(key="pick_challenge").set_value("uniform").run()
    assert not app.button(key="hint").disabled


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("id", w.CHALLENGES)
def test_the_smallest_edit_is_shown_on_request_and_can_be_tried_and_undone(id, lang):
    start = c.begun(CAT, id)
    app = opened("challenges", lang, start)
    assert "see_smallest" not in keys(app)
    app.button(key="give_up").click().run()
    assert linked(catalogue("challenges", lang)[f"why_{id}"], lang).split("<<")[0] in said(app)
    app.button(key="see_smallest").click().run()
    assert_well(app)
    assert app.success
    assert code(app) == c.with_smallest(start, id)
    assert "✓" not in options(app)[w.CHALLENGES.index(id)]  # shown is not solved
    assert app.button(key="see_smallest").disabled
    app.button(key="undo").click().run()
    assert code(app) == start
    assert app.info


@pytest.mark.parametrize(("id", "lang", "told"), [
    ("most", "en", "A smallest edit of one number (others are just as small): **K[猫 cat, 1]**"),
    ("most", "zh", "最小的改动之一：**K[猫, 1]**"),
    ("one_hot", "en", "The smallest edit of one number: **K[猫 cat, 1]** from 1.5 to 5.44. "
                      "It makes the row of 猫 cat sharp."),
    ("one_hot", "zh", "从 1.5 改成 5.44。变集中的是「猫」那一行。"),
    ("uniform", "zh", "变均匀的是「的」那一行。"),
])  # fmt: skip
def test_the_answer_says_whether_it_is_the_only_one_and_which_row_it_is_about(id, lang, told):
    app = opened("challenges", lang, c.begun(CAT, id))
    app.button(key="give_up").click().run()
    assert told in said(app)


def test_another_way_than_the_one_shown_still_counts():
    app = opened("challenges", "en", MOST)
    app.button(key="give_up").click().run()
    assert said(app).count("1.37") == 1
    typed(app, "K", {"2,1": "5"})
    assert (said(app) + app.success[0].value).count("1.37") == 1  # where it was asked for, not once more
    assert options(app)[0].startswith("✓")


def test_reset_returns_to_the_challenges_start():
    app = opened("challenges", "en", MOST)
    typed(app, "Q", {"1,0": "-3"})
    app.button(key="reset").click().run()
    assert code(app) == MOST


ODD = {
    "route": replace(MOST, route="input"),
    "tokens": w.with_tokens(MOST, ("猫",)),
    "sizes": w.resized(MOST, d_k=1, d_v=16),
    "scale": replace(MOST, scale="linear"),
    "mask": w.with_allowed(MOST, {(i, j): False for i in range(4) for j in range(4)}),
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("reason", ODD)
def test_an_attempt_that_cannot_be_judged_is_explained_and_can_begin_again(reason, lang):
    app = opened("challenges", lang, ODD[reason])
    assert_well(app)
    assert catalogue("challenges", lang)[f"misfit_{reason}"] in app.warning[0].value
    app.button(key="start_over").click().run()
    assert code(app) == MOST
    app.button(key="undo").click().run()
    assert code(app) == ODD[reason]


@pytest.mark.parametrize("id", w.CHALLENGES)
def test_extreme_numbers_are_judged_too(id):
    bench = c.begun(CAT, id)
    for name in w.DIRECT:
        bench = w.with_cells(bench, name, {(0, 0): "1000000", (1, 2): "-1000000", (3, 3): "1/3"})
    app = opened("challenges", "en", bench)
    assert_well(app)
    assert "nan" not in said(app).lower()


def test_what_cannot_be_read_leaves_the_verdict_to_the_numbers_in_use():
    app = opened("challenges", "en", MOST)
    typed(app, "Q", {"1,0": "abc"})
    assert len(app.warning) == 1
    assert "0.40" in app.info[0].value


def test_the_language_changes_in_the_middle_of_an_attempt():
    app = opened("challenges", "en", MOST)
    app.button(key="hint").click().run()
    typed(app, "Q", {"1,0": "1"})
    app.button_group(key="language_picker").set_value("zh").run()
    assert_well(app)
    assert app.success[0].value.startswith("**做到了**！")
    assert catalogue("challenges", "zh")["hint_most_1"].split(">>")[-1] in said(app)
