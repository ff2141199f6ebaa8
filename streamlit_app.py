"""Attention Lab. `streamlit run streamlit_app.py` starts here; what a page is made of is in pages/ and ui/."""

import sys
from pathlib import Path

import streamlit as st

if "ui.shell" not in sys.modules:
    # A fresh server's first visitor waits for imports. Meanwhile Streamlit would show the bare file names of pages/,
    # home under an address that leads nowhere: so they are declared without a menu, until `shell.run` has one.
    files = sorted(Path(__file__).with_name("pages").glob("*.py"))
    st.navigation([st.Page(file, default=file.stem == "home") for file in files], position="hidden")

from ui import shell  # noqa: E402

shell.run()
