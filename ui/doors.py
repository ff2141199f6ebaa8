"""Buttons that open a page on prepared numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ui import shell, state, views
from ui.workbench import Workbench


def door(
    label: str, page: str, key: str, bench: Workbench, shows: Mapping[str, Any] | None = None, *, at: str = "",
    **how: Any,
) -> None:  # fmt: skip
    """A button that opens a page on prepared numbers, and what it shows there. Undo takes the numbers back.

    at: the key of the element to bring into view; the top of the page unless given.
    """

    def open_() -> None:
        new = bench
        for name, value in (dict(state.bench().view) | dict(shows or {})).items():
            new = views.shown(new, name, value)
        state.commit(new, whole=True)
        state.notify("prepared")
        state.bring(at)

    if st.button(label, key=key, on_click=state.callback(open_), **how):
        shell.go(page)
