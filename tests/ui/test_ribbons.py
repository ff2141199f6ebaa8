"""What the picture of ribbons says is used once, and only of the story that is on the page."""

from types import SimpleNamespace

import pytest

from ui import ribbons, state


@pytest.mark.parametrize(("story", "used"), [("real 4", []), ("graded 4", [20]), ("", [20])])
def test_a_place_in_the_story_before_is_no_place_in_this_one(story, used, monkeypatch):
    said = {"went": {"seq": 3, "value": 20, "story": "graded 4"}}
    lab = {"seen": {"key": 2}}
    monkeypatch.setattr(ribbons, "st", SimpleNamespace(session_state={"key": said}))
    monkeypatch.setattr(state, "lab", lambda: lab)
    taken: list[int] = []
    for _ in range(2):
        ribbons._took("key", "went", taken.append, story)
    assert taken == used
    assert lab["seen"]["key"] == 3, "taken in, whatever came of it"
