from hypothesis import given
from hypothesis import strategies as st

from ui import tokens


def test_splitting_follows_the_reader():
    assert tokens.split("猫追老鼠的") == list("猫追老鼠的")
    assert tokens.split("猫 追 老鼠 的") == ["猫", "追", "老鼠", "的"]
    assert tokens.split("猫　追　老鼠") == ["猫", "追", "老鼠"]  # the ideographic space
    assert tokens.split("the the 猫") == ["the", "the", "猫"]
    assert tokens.split("用GPT写诗") == ["用", "GPT", "写", "诗"]
    assert tokens.split("  ") == []
    assert tokens.split("a\u200bb\tc\nd\x00") == ["ab", "c", "d"]


def test_a_kept_token_keeps_its_row():
    old = ("猫", "追", "老鼠", "的")
    assert tokens.kept_rows(old, (*old, "吃")) == [0, 1, 2, 3, None]
    assert tokens.kept_rows(old, ("大", *old)) == [None, 0, 1, 2, 3]
    assert tokens.kept_rows(old, ("猫", "老鼠", "的")) == [0, 2, 3]
    assert tokens.kept_rows(old, ("狗", "追", "老鼠", "的")) == [0, 1, 2, 3]  # renamed in place
    assert tokens.kept_rows(("a", "a", "b"), ("a", "b")) in ([0, 2], [1, 2])


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abcd"), min_size=1, max_size=12))
def test_every_new_token_has_one_row_and_no_row_two_tokens(old, new):
    rows = tokens.kept_rows(tuple(old), tuple(new))
    kept = [row for row in rows if row is not None]
    assert len(rows) == len(new)
    assert kept == sorted(set(kept))
    assert all(0 <= row < len(old) for row in kept)
