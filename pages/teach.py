"""For teachers: a lesson in questions, each with the exact state that answers it."""

import streamlit as st

from ui import lesson, shell

text = shell.begin("teach")
st.markdown(text("question"))
st.markdown(text("how"))
lesson.draw(text)
st.markdown(text("after"))
shell.next_pages(text, "challenges", "glossary", "home")
