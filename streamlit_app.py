"""Attention Lab. `streamlit run streamlit_app.py` starts here; what a page is made of is in pages/ and ui/."""

from ui import shell

shell.run()
