"""The same computation in NumPy and in PyTorch, side by side, with the equality checked where PyTorch is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ui import display, scratch_scripts, state
from ui.text import Text

HEIGHT = 460  #: pixels; a script of 12 tokens with 16 dimensions scrolls


def draw(text: Text) -> None:
    bench = state.bench()
    st.markdown(text("heading_torch"))
    st.markdown(text("torch_intro"))
    _beside(text("by_numpy"), scratch_scripts.numpy_call(bench), text("by_torch"), scratch_scripts.torch_call(bench))
    _verdict(scratch_scripts.checked(bench, text), scratch_scripts.tolerance(bench), text)
    with st.expander(text("scripts")):
        _beside(text("scripts_numpy"), scratch_scripts.numpy_script(bench, text),
                text("scripts_torch"), scratch_scripts.torch_script(bench, text), height=HEIGHT)
    st.markdown(text("torch_notes"))


def _beside(left: str, one: str, right: str, other: str, **how: Any) -> None:
    """Two pieces of code side by side, each under its name."""
    for column, name, code in zip(st.columns(2, gap="medium"), (left, right), (one, other), strict=True):
        with column:
            st.markdown(name)
            st.code(code, wrap_lines=True, **how)


def _verdict(it: scratch_scripts.Checked | None, tolerance: float, text: Text) -> None:
    if it is None:
        st.info(text("no_torch"), icon=":material/info:")
    elif it.error:
        st.warning(text("torch_failed", version=it.version, error=it.error), icon=":material/warning:")
    else:
        st.success(text("torch_equal", version=it.version, difference=display.residual(it.difference),
                        tolerance=display.signed(f"{tolerance:g}")), icon=":material/check_circle:")
