"""Challenges: bring something about by editing, and be told what is true so far."""

import streamlit as st

from ui import challenges, challenges_parts, controls, editor, shell, stages, state
from ui.text import Text

text = shell.begin("challenges")
bench = state.bench()

if not bench.challenge:
    st.markdown(text("question"))
    challenges_parts.overview(text)
elif reason := challenges.misfit(bench):
    challenges_parts.choose(text)
    challenges_parts.start_again(reason, text)
else:
    rows = controls.row_names(text)
    names = [stages.escaped(row) for row in rows]
    verdict = challenges.judge(bench, names)
    challenges_parts.remember(verdict)
    challenges_parts.choose(text)
    challenges_parts.goal(verdict, names, text)
    editor.matrices(dict.fromkeys(("Q", "K", "V"), rows), Text("edit", text.lang))
    challenges_parts.say(verdict, names, text)
    stages.draw(bench.steps(), bench.tokens, text, shell.layout(), key="challenge")

shell.next_pages(text, "edit", "heads")
