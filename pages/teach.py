"""For teachers: a lesson in questions, each with the exact state that answers it."""

import streamlit as st

from ui import lesson_parts, shell

text = shell.begin("teach")
st.markdown(text("question"))
st.markdown(text("how"))
lesson_parts.draw(text)
st.markdown(text("after"))
shell.next_pages(text, "challenges", "glossary", "home")
