"""Several heads side by side: switch each off and see what it really contributed."""

from dataclasses import replace
from functools import partial

import streamlit as st

from ui import controls, heads, heads_figures, heads_words, shell, stages, state, trace, walk
from ui.names import escaped, with_meaning

text = shell.begin("heads")
st.markdown(text("question"))
heads.choose(text)
heads.switch(text)

bench, layout = state.bench(), shell.layout()
it, marks = heads_words.ledger(replace(bench, cell=(), view=())), trace.marks(bench)
heads_figures.draw_maps(it, text, layout, marks)
among = trace.of_heads(bench)
explain = partial(trace.panel, bench, text, layout, with_meaning(bench, text), among, heads_figures.SPOTS)
trace.invite(bench, text, among)
explain("heads_maps")
st.markdown(heads_words.status(it, text))
stages.unseeing(it.weights[0], list(map(escaped, it.tokens)), text)
controls.reopen(text)
st.caption(heads_words.origin(it, text))
with st.expander(text("notes")):
    st.markdown(heads_words.parameters(it, text))
    st.markdown(heads_words.setting(it, text))

st.markdown(text("contributions_intro"))
controls.token(text)
heads_figures.draw_results(it, text, layout)
explain("heads_contributions")

st.markdown(f"#### {text('concat_title')}")
st.markdown(text("concat_intro"))
heads_figures.draw_concat(it, text, layout, marks)
explain("heads_concat")

st.markdown(f"#### {text('alike_title')}")
left, right = st.columns(2)
with left:
    st.markdown(text("alike_intro"))
    heads.twins(text)
    if bench.twins and bench.n_heads > 1:
        st.success(text("twins_same" if heads_words.same_maps(it) else "twins_differ"))
    st.markdown(text("formula"))
with right:
    heads_figures.draw_similarity(it, text, layout)

st.markdown(f"#### {text('typed_title')}")
st.markdown(text("typed_intro"))
heads.typed(text)

if st.toggle(text("as_tables"), key="as_tables"):
    heads_figures.tables(it, text)
walk.end(text, "heads")
