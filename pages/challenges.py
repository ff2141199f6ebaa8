"""Challenges: bring something about by editing, and be told what is true so far."""

import streamlit as st

from ui import challenges, challenges_parts, editor, shell, stages, state, trace, whatif
from ui.names import escaped, with_meaning
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
    rows = with_meaning(bench, text)
    names = [escaped(row) for row in rows]
    verdict = challenges.judge(bench, names)
    challenges_parts.remember(verdict)
    edit, steps, marks = Text("edit", text.lang), bench.steps(), trace.marks(bench)
    with st.container(gap="xsmall"):  # so that goal, editors, verdict and weights fit on a screen 768 high
        challenges_parts.choose(text)
        challenges_parts.goal(verdict, names, text)
        editor.matrices(dict.fromkeys(("Q", "K", "V"), rows), edit, marks=marks)
        with whatif.of_kept("verdict"):
            challenges_parts.say(verdict, names, text)
        whatif.strip(bench, steps, rows, edit, attempt=True)
        stages.draw(steps, bench.tokens, text, shell.layout(), marks=marks, live=whatif.in_browser(bench))
    challenges_parts.why(verdict, names, text)
    with whatif.of_kept("below"):
        trace.under_stages(bench, text, shell.layout(), rows)

shell.next_pages(text, "edit", "heads")
