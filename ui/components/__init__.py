"""The pieces of JavaScript the app needs, as Streamlit components (v2: no iframe, the page's own theme)."""

from __future__ import annotations

from pathlib import Path

import streamlit as st


def _read(name: str) -> str:
    """A file without indentation and comment lines: Streamlit sends it anew with every rerun of every student."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return "\n".join(line.strip() for line in lines if not line.lstrip().startswith("//"))


grid = st.components.v2.component(
    "attention_lab_grid",
    html='<div class="wrap"><table></table></div>',
    css=_read("grid.css"),
    js=_read("grid.js"),
)

address = st.components.v2.component(
    "attention_lab_address",
    html='<div><input readonly hidden><button type="button"></button></div>',
    css=_read("address.css"),
    js="\n".join(map(_read, ("address.js", "terms.js"))),
)

whatif = st.components.v2.component(
    "attention_lab_whatif",
    html=_read("whatif.html"),
    css=_read("whatif.css"),
    js=_read("whatif.js"),
)

ribbons = st.components.v2.component(
    "attention_lab_ribbons",
    html=_read("ribbons.html"),
    css=_read("ribbons.css"),
    js=_read("ribbons.js"),
)

follow = st.components.v2.component("attention_lab_follow", html="<div></div>", js=_read("follow.js"))

top = st.components.v2.component("attention_lab_top", html="<div></div>", js=_read("top.js"))

code = st.components.v2.component(
    "attention_lab_code", html="<ol></ol>", css=_read("code.css"), js=_read("code.js"),
)  # fmt: skip

flow = st.components.v2.component(
    "attention_lab_flow",
    html='<div class="room"><div class="flow" role="group"></div></div>',
    css=_read("flow.css"),
    js=_read("flow.js"),
)

#: a style and nothing else, for narrow pages: at 320 pixels too, on a small phone or on a desktop zoomed to 400 %
#: (WCAG 1.4.10), none is scrolled sideways. Charts are drawn smaller where they are wider than their place, and tables
#: scroll in a box of their own.
fit = st.components.v2.component(
    "attention_lab_fit", html="<div></div>", css=_read("fit.css"), isolate_styles=False,
)  # fmt: skip

#: for the chart beside it, so its style is the page's: see `ui.variance_dragged`
dragged = st.components.v2.component(
    "attention_lab_dragged", html="<div></div>", css=_read("dragged.css"), js=_read("dragged.js"),
    isolate_styles=False,
)  # fmt: skip
