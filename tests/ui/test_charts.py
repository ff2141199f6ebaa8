"""The linked heatmaps' spec, which is put together from parts, is one that Altair accepts."""

import re
from pathlib import Path

import altair as alt
import pandas as pd
import pytest
from altair.utils.schemapi import validate_jsonschema

from ui import charts

ROOT = Path(__file__).parents[2]
SHAPES = ((3, False, False), (3, False, False), (3, True, True), (2, False, False))


def check(spec):
    validate_jsonschema(spec, alt.load_schema())


@pytest.mark.parametrize(("layout", "live"), [("wide", True), ("phone", False)])
def test_altair_accepts_what_the_heatmaps_are_put_together_to(layout, live):
    spec = charts.linked_spec(3, SHAPES, layout, live=live)
    check(spec)
    wrong = spec["concat"][2] | {"width": "wide"}
    with pytest.raises(Exception, match="wide"):
        check(spec | {"concat": [wrong]})


def test_what_goes_to_the_browser_says_nothing_of_pandas():
    """Streamlit 1.62 draws an error where it is told of an index with no levels."""
    assert charts.arrow(pd.DataFrame({"at": ["a", None]})).schema.metadata is None


@pytest.mark.parametrize("with_arrow", [True, False])
def test_older_versions_can_tell_new_data_by_a_name(with_arrow, monkeypatch):
    if not with_arrow:
        monkeypatch.setattr(charts, "pyarrow", None)

    def names(data):
        return list(data.column_names if with_arrow else data.columns)

    monkeypatch.setattr(charts, "STALE", False)
    assert names(charts.table({"v": [1.0, 2.0]})) == ["v"]
    monkeypatch.setattr(charts, "STALE", True)
    first, again, other = (charts.table({"v": v, "text": ["a", "b"]}) for v in ([1.0, 2.0], [1.0, 2.0], [1.0, 3.0]))
    assert names(first) == names(again) != names(other)
    assert names(first)[:2] == ["v", "text"]
    marked, marked_other = (charts.with_columns(first, {"marked": marks}) for marks in ([0, 1], [1, 0]))
    assert names(marked) != names(marked_other)
    assert len(names(marked)) == 4  # one stamp, of all that is there
    frames = (charts.arrow(pd.DataFrame({"text": [text, "b"]})) for text in "ac")
    assert len({tuple(names(each)) for each in frames}) == 2


def test_the_oldest_version_still_needs_that():
    """Streamlit 1.67 compares what it is sent: once no older one is supported, `charts.fresh` can go."""
    [lowest] = re.findall(r"^streamlit==1\.(\d+)", (ROOT / "requirements-lowest.txt").read_text(encoding="utf-8"), re.M)
    assert int(lowest) < 67


@pytest.mark.parametrize("with_arrow", [True, False])
def test_columns_are_added_and_replaced_with_and_without_arrow(with_arrow, monkeypatch):
    if not with_arrow:
        monkeypatch.setattr(charts, "pyarrow", None)
    made = charts.arrow(pd.DataFrame({"at": ["a", None], "marked": [0, 0]}))
    data = charts.with_columns(made, {"marked": [1, 2], "turn": [7, 7]})
    frame = data.to_pandas() if with_arrow else data
    assert len(data) == 2
    assert frame["at"].tolist()[0] == "a"
    assert frame[["marked", "turn"]].to_numpy().tolist() == [[1, 7], [2, 7]]
