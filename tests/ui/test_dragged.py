"""Places of sliders, as a browser sends them: what is none changes nothing."""

from __future__ import annotations

import pytest

from tests.pages.reading import inside, opened
from ui import state, variance_dragged, views

VIEW = "variance.bell_d_k"


@pytest.mark.parametrize(("place", "kept"), [
    (0, 0), (24, 24), (25, 3), (-1, 3), (1.5, 3), (True, 3), ("4", 3), (None, 3),
])  # fmt: skip
def test_only_a_place_on_the_slider_is_kept(place, kept, monkeypatch):
    with inside(opened("variance")):
        state.show(VIEW, 3)
        told = {"moved": {"seq": 1, "places": {"log2_dk": place, "other": 5}}}
        monkeypatch.setattr(variance_dragged.st, "session_state", {"sliders_spread": told})
        variance_dragged._take("spread", {"log2_dk": VIEW})
        assert views.get(state.bench(), VIEW) == kept
