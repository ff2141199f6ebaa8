"""`streamlit run` on which every visitor is the first: python -m tests.browser.first_visits run streamlit_app.py …

A new session finds the process as it is before anybody came: Streamlit does not know yet that the app declares its
navigation (see `ui.shell.begin`), and no module of the app is imported. Starting a server takes longer than that.
"""

from __future__ import annotations

import sys
from typing import Any

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

OURS = {"attention", "ui"}
_begin = AppSession.__init__


def begin(self: AppSession, *args: Any, **kwargs: Any) -> None:
    PagesManager.uses_pages_directory = None
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    _begin(self, *args, **kwargs)


if __name__ == "__main__":
    AppSession.__init__ = begin  # type: ignore[method-assign]
    cli.main()
