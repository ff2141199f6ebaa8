"""For teachers: lessons in questions, each with the exact state that answers it."""

import streamlit as st

from ui import lesson_parts, shell

text = shell.begin("teach")
st.markdown(text("question"))
plan = lesson_parts.choose(text)
st.markdown(text("how"))
lesson_parts.before(plan, text)
lesson_parts.draw(plan, text)
st.markdown(text("after"))
shell.next_pages(text, "challenges", "glossary", "home")
