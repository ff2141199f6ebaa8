"""The shape of the code: imports point one way, scripts stay short, and workarounds go when they can."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.browser.servers import running

ROOT = Path(__file__).parents[1]
STDLIB = frozenset(sys.stdlib_module_names)
#: layer → what it may import besides the standard library
MAY_IMPORT = {
    "attention": {"attention", "numpy"},
    "ui": {"ui", "attention", "numpy", "pandas", "altair", "streamlit", "pyarrow",  # pyarrow: if it is there
           "torch"},  # where it happens to be installed, the scratch page checks us against it
    "pages": {"ui", "attention", "streamlit"},
}


def modules(layer: str) -> list[Path]:
    return sorted((ROOT / layer).rglob("*.py"))


def imports(tree: ast.AST) -> Iterator[str]:
    """Every top-level package imported anywhere in a file, functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that the layers can be read off them"
            yield str(node.module).partition(".")[0]


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_imports_point_one_way(layer: str) -> None:
    assert modules(layer)
    wrong = {}
    for path in modules(layer):
        outside = set(imports(ast.parse(path.read_text(encoding="utf-8")))) - MAY_IMPORT[layer] - STDLIB
        if outside:
            wrong[path.relative_to(ROOT).as_posix()] = sorted(outside)
    assert not wrong


def test_the_core_can_be_imported_alone() -> None:
    """No Streamlit, pandas or Altair comes along: usable in a notebook, and on any backend's machine."""
    code = "import sys, attention; print(*sorted({'streamlit', 'pandas', 'altair'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_the_entry_script_only_routes() -> None:
    assert lines(ROOT / "streamlit_app.py") < 60


@pytest.mark.parametrize("path", modules("pages"), ids=lambda path: path.name)
def test_a_page_is_a_short_script(path: Path) -> None:
    assert lines(path) < 150
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert "begin" in {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("path", [ROOT / "streamlit_app.py", *modules("pages"), *modules("ui")],
                         ids=lambda path: path.relative_to(ROOT).as_posix())  # fmt: skip
def test_nothing_injects_html(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert "unsafe_allow_html" not in source
    assert "unsafe_allow_javascript" not in source
    assert "st.html(" not in source


# Workarounds. Each test fails on the day the thing it works around is gone: then remove the workaround.


@pytest.fixture
def two_pages() -> Iterator[Path]:
    """The smallest app with `st.navigation` in the entry script and a folder called `pages`."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "pages").mkdir()
        (root / "pages" / "one.py").write_text("import streamlit as st\nst.markdown('page one')\n")
        (root / "pages" / "two.py").write_text("import streamlit as st\nst.markdown('page two')\n")
        (root / "app.py").write_text(
            "import streamlit as st\n"
            "page = st.navigation([st.Page('pages/one.py', default=True), st.Page('pages/two.py')])\n"
            "st.markdown('entry script')\npage.run()\n"
        )
        yield root


def first_run(port: int, page: str) -> Iterator[ForwardMsg]:
    """What a session is sent by its first run, when it is asked for a page by name as a deep link does."""
    ask = BackMsg()
    ask.rerun_script.page_name = page
    with connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=[Subprotocol("streamlit")]) as socket:
        socket.send(ask.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(bytes(socket.recv(timeout=60)))  # type: ignore[arg-type]
            yield answer
            if answer.WhichOneof("type") == "script_finished":
                return


def first_visit(port: int, page: str) -> list[str]:
    """What the first run of a session says when it is asked for a page by name, as a deep link does."""
    elements = [each.delta.new_element for each in first_run(port, page) if each.WhichOneof("type") == "delta"]
    return [element.markdown.body for element in elements if element.WhichOneof("type") == "markdown"]


def navigations(port: int) -> list[Any]:
    """What the first run of a session declares."""
    return [each.navigation for each in first_run(port, "") if each.WhichOneof("type") == "navigation"]


def test_a_fresh_server_declares_the_pages_before_it_imports_them() -> None:
    """Or its first visitor would look at the file names of `pages/` meanwhile."""
    with running() as server:
        _bare, at_once, menu = navigations(server.port)
        assert at_once.position == at_once.HIDDEN
        assert {page.url_pathname for page in at_once.app_pages} == {page.url_pathname for page in menu.app_pages}
        assert [page.is_default for page in at_once.app_pages].count(True) == 1
        assert len(navigations(server.port)) == 1, "once is enough when all is imported"


def test_pages_must_declare_the_navigation_themselves(two_pages: Path) -> None:
    """`ui.shell.begin` declares the navigation when the entry script has not run.

    It does so because a deep link to a fresh server runs the page alone where the folder is called `pages`
    (streamlit PR #10276). When this fails, Streamlit runs the entry script first: drop that part of `begin`.
    """
    with running("app.py", cwd=two_pages) as server:
        assert first_visit(server.port, "two") == ["page two"]
        assert first_visit(server.port, "") == ["entry script", "page one"]
        assert first_visit(server.port, "two") == ["entry script", "page two"]


def test_the_collection_after_each_rerun_can_be_turned_off() -> None:
    """`.streamlit/config.toml` stops the full `gc.collect()` after every rerun, most of a short rerun.

    When this fails, Streamlit no longer knows the option (and would warn about it): measure and remove it.
    """
    assert "runner.postScriptGC" in config.get_config_options()
    source = Path(sys.modules["streamlit"].__file__ or "").parent / "runtime/scriptrunner/script_runner.py"
    assert "gc.collect(2)" in source.read_text(encoding="utf-8")
    assert "postScriptGC = false" in (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
