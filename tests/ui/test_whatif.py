"""What-ifs on the Python side: what is kept is one step, and only what fits is taken over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.pages.reading import assert_well, frames, opened
from ui import charts, live, workbench
from ui.whatif import in_browser, kept
from ui.workbench import preset


def asked(**what: Any) -> dict[str, Any]:
    return {"numbers": [], "scale": None, **what}


def test_what_is_kept_is_what_was_shown():
    new = kept(preset("cat"), asked(numbers=[["Q", 1, 2, "-0.50"], ["V", 0, 0, "1e6"]], scale="none"))
    assert new.matrices["Q"][1][2] == "-0.5"
    assert new.matrices["V"][0][0] == "1000000"
    assert new.matrices["K"] == preset("cat").matrices["K"]
    assert (new.scale, new.mask) == ("none", "none")


def test_a_mask_that_was_tried_becomes_the_readers_own():
    causal = replace(preset("cat"), mask="causal")
    new = kept(causal, asked(numbers=[["mask", 3, 0, "0"], ["mask", 3, 3, "1"]]))
    assert new.mask == "own"
    assert new.mask_array().astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1]]


@pytest.mark.parametrize("what", [
    {"numbers": [["Q", 9, 0, "1"], ["Q", 0, -1, "1"], ["nothing", 0, 0, "1"]]}, {"scale": "cubic"},
    {"numbers": [["mask", 4, 0, "0"], ["mask", 0, -1, "0"], ["mask", 2, 2, "1"]]},
], ids=str)  # fmt: skip
def test_what_does_not_fit_changes_nothing(what):
    assert kept(preset("cat"), asked(**what)) == preset("cat")


def test_the_browser_computes_what_it_keeps_up_with():
    assert in_browser(preset("cat"))
    assert not in_browser(replace(preset("cat"), route="input"))
    assert in_browser(workbench.random(tuple("abcdefgh"), 8, 8, 1))
    for n, d_k, d_v in ((9, 4, 4), (4, 9, 4), (4, 4, 9)):
        assert not in_browser(workbench.random(tuple("abcdefghi"[:n]), d_k, d_v, 1))


def test_the_data_name_their_numbers_and_the_spec_does_not_depend_on_them():
    one, other = (workbench.random(tuple("abc"), d_k, 2, seed) for d_k, seed in ((2, 1), (5, 2)))
    apps = [opened("edit", bench=each) for each in (one, other)]
    for app, bench in zip(apps, (one, other), strict=True):
        assert_well(app)
        assert set(frames(app)[-1]["stamp"]) == {live.stamp(bench.steps())}
    specs = [app.get("vega_lite_chart")[-1].proto.spec for app in apps]
    assert specs[0] == specs[1]
    assert live.FIELD in specs[0]


def test_where_it_is_too_large_the_chart_is_as_it_was():
    app = opened("edit", bench=workbench.random(tuple("abcdefghi"), 4, 4, 1))
    assert_well(app)
    assert "stamp" not in frames(app)[-1]
    assert f'"{live.FIELD}"' not in app.get("vega_lite_chart")[-1].proto.spec


def test_differences_are_told_with_their_sign():
    shapes = ((3, False, False),) * 2 + ((3, False, True), (2, False, False))
    views = charts.linked_spec(3, shapes, "wide", live=True)["concat"]
    for view in views:
        steps = {step["as"]: step["calculate"] for step in view["layer"][0]["transform"] if "as" in step}
        assert "datum.old" in steps["live"]
        assert "'+'" in steps["shown"]
