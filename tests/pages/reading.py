"""What a visitor would see and do, by AppTest: pages opened with a workbench, numbers typed, the data behind charts."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from ui import editor, link, state
from ui.workbench import Workbench

ENTRY = str(Path(__file__).parents[2] / "streamlit_app.py")


def opened(page: str, lang: str = "en", bench: Workbench | None = None, code: str | None = None) -> AppTest:
    """A page as a first-time visitor gets it who follows a link."""
    app = AppTest.from_file(ENTRY, default_timeout=60)
    app.query_params["lang"] = lang
    if bench is not None or code is not None:
        app.query_params["s"] = code if bench is None else quote(link.encode(bench))
    if page != "home":
        app.switch_page(f"pages/{page}.py")
    return app.run()


def code(app: AppTest) -> Workbench:
    """The workbench that the page's code, and so its link, stands for."""
    return link.decode(app.session_state["lab"]["code"])


def inside(app: AppTest) -> AbstractContextManager[object]:
    """Where `ui.state` is that of the page."""
    lab = app.session_state["lab"]
    return patch.object(state, "lab", lambda: lab)


def typed(app: AppTest, name: str, cells: dict[str, str], overflow: dict[str, Any] | None = None) -> AppTest:
    """Type into cells as the grid component's callback does, then rerun."""
    with inside(app):
        editor.type_into(name, cells, overflow)
    return app.run()


def frames(app: AppTest) -> list[pd.DataFrame]:
    """The data of every chart on the page, in order."""
    return [read(chart.proto) for chart in app.get("vega_lite_chart")]


def read(proto: object) -> pd.DataFrame:
    data = proto.data.data if proto.HasField("data") else proto.datasets[0].data.data  # type: ignore[attr-defined]
    with pa.ipc.open_stream(data) as reader:
        return reader.read_pandas()


def stage(frame: pd.DataFrame, s: int) -> pd.DataFrame:
    """The printed numbers of one heatmap of a linked chart: a row a query, a column a key."""
    cells = frame[(frame["s"] == s) & frame["kind"].isin(["cell", "masked"])]
    return cells.pivot(index="q", columns="k", values="text")


def said(app: AppTest) -> str:
    """All prose on the page."""
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def assert_well(app: AppTest) -> None:
    """No exception, and not the sentence that stands for one."""
    assert not app.exception
    assert not app.error, [e.value for e in app.error]
