"""What tests of every folder need."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache

import pytest


@pytest.fixture(scope="session", autouse=True)
def components_in_every_apptest() -> Iterator[None]:
    """Let AppTest know the app's components where Streamlit does not see to it itself (it does since 1.67).

    Each AppTest begins with an empty registry, but `ui.components` is imported, and so registers, only once.
    """
    v2 = importlib.import_module("streamlit.components.v2")
    if hasattr(v2, "_ensure_component_on_active_runtime"):
        yield
        return
    app_test = importlib.import_module("streamlit.testing.v1.app_test")
    shared = app_test.BidiComponentManager()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(v2, "get_bidi_component_manager", lambda: shared)
        patch.setattr(app_test, "BidiComponentManager", lambda: shared)
        importlib.reload(importlib.import_module("ui.components"))
        yield


@pytest.fixture(scope="session", autouse=True)
def installed_components_are_looked_for_once() -> Iterator[None]:
    """Let AppTests share one look through the installed packages, which takes longer than a page does.

    Since 1.67 each AppTest reads the metadata of every distribution for components that come with packages.
    """
    try:
        scanner = importlib.import_module("streamlit.components.v2.manifest_scanner")
    except ModuleNotFoundError:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "scan_component_manifests", cache(scanner.scan_component_manifests))
        yield
