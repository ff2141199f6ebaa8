"""attention/ imports NumPy, the standard library and itself; it is usable alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "attention"
ALLOWED = {"numpy", "attention"} | sys.stdlib_module_names


def imported_by(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_imports(path):
    foreign = {name for name in imported_by(path) if name.split(".")[0] not in ALLOWED}
    assert not foreign


def test_importing_the_package_loads_nothing_of_the_app():
    code = "import sys, attention; print({'streamlit', 'pandas', 'altair', 'torch', 'ui'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_public_names_exist_and_have_a_docstring():
    import attention

    assert sorted(attention.__all__) == attention.__all__
    for name in attention.__all__:
        assert getattr(attention, name).__doc__
