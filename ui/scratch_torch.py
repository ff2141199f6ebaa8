"""The same computation in NumPy and in PyTorch, side by side, with the equality checked where PyTorch is."""

from __future__ import annotations

import streamlit as st

from ui import display, scratch_scripts, state
from ui.text import Text

HEIGHT = 460  #: pixels; a script of 12 tokens with 16 dimensions scrolls


def draw(text: Text) -> None:
    bench = state.bench()
    st.markdown(text("heading_torch"))
    st.markdown(text("torch_intro"))
    numpy, torch = st.columns(2, gap="medium")
    with numpy:
        st.markdown(text("by_numpy"))
        st.code(scratch_scripts.numpy_script(bench, text), height=HEIGHT, wrap_lines=True)
    with torch:
        st.markdown(text("by_torch"))
        st.code(scratch_scripts.torch_script(bench, text), height=HEIGHT, wrap_lines=True)
    _verdict(scratch_scripts.checked(bench, text), scratch_scripts.tolerance(bench), text)
    st.markdown(text("torch_notes"))


def _verdict(it: scratch_scripts.Checked | None, tolerance: float, text: Text) -> None:
    if it is None:
        st.info(text("no_torch"), icon=":material/info:")
    elif it.error:
        st.warning(text("torch_failed", version=it.version, error=it.error), icon=":material/warning:")
    else:
        st.success(text("torch_equal", version=it.version, difference=display.signed(f"{it.difference:.1e}"),
                        tolerance=display.signed(f"{tolerance:g}")), icon=":material/check_circle:")
