"""The linked heatmaps' spec, which is put together from parts, is one that Altair accepts."""

import altair as alt
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
