"""Words and questions: look up a term, or what others have asked."""

import streamlit as st

from ui import glossary, shell

text = shell.begin("glossary")
st.markdown(text("question"))
glossary.choose(text)
glossary.words(text)
glossary.asked(text)
shell.next_pages(text, "lookup", "edit", "challenges")
