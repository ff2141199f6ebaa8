"""Look it up: a hard look-up, the same made soft, and where its shares come from; one token asks, all answer."""

import streamlit as st

from ui import controls, lookup, places, ribbons, shell, stages, state, trace, walk, widgets
from ui.names import with_meaning
from ui.text import Text

text = shell.begin("lookup")
st.markdown(text("question"))
with widgets.line():
    lookup.kinds(text)
    lookup.asker(text)

bench = state.bench()
steps, rows = bench.steps(), with_meaning(bench, text)
ribbons.draw(
    bench, text, key="ribbons", kind=lookup.kind(bench), view=lookup.position(bench), steps=steps,
    onward=lookup.onward(bench, text),
)  # fmt: skip
if told := lookup.seen(bench, steps, rows, text):
    st.info(told)
trace.panel(bench, text, shell.layout(), rows, trace.of_one(bench), {"ribbons": places.NAMES}, "ribbons")
lookup.tries(text)

left, right = st.columns(2, gap="large")
with left:
    st.markdown(text("change_X" if bench.route == "input" else "change_Q"))
    lookup.ask_otherwise(bench, rows, text)
with right:
    if lookup.kind(bench) == "real":  # it tells how the look-up ends
        controls.about(Text("edit", text.lang))
    controls.in_own_words(text)
    st.page_link("pages/edit.py", label=text("all_numbers"), icon=shell.ICONS["edit"])
if st.toggle(text("as_tables"), key="as_tables"):
    st.markdown(lookup.table(bench, steps, rows, text))
    st.markdown(stages.mixture(steps, rows, bench.token, text))
walk.end(text, "lookup", "edit")
