"""The linked heatmaps' spec, which is put together from parts, is one that Altair accepts."""

import altair as alt
import pandas as pd
import pytest
from altair.utils.schemapi import validate_jsonschema

from ui import charts

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
def test_columns_are_added_and_replaced_with_and_without_arrow(with_arrow, monkeypatch):
    if not with_arrow:
        monkeypatch.setattr(charts, "pyarrow", None)
    made = charts.arrow(pd.DataFrame({"at": ["a", None], "marked": [0, 0]}))
    data = charts.with_columns(made, {"marked": [1, 2], "turn": [7, 7]})
    frame = data.to_pandas() if with_arrow else data
    assert len(data) == 2
    assert frame["at"].tolist()[0] == "a"
    assert frame[["marked", "turn"]].to_numpy().tolist() == [[1, 7], [2, 7]]
