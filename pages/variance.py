"""Why √d_k: watch dot products spread as vectors grow, and what that does to softmax."""

import streamlit as st

from ui import shell, state, variance, walk

text = shell.begin("variance")
st.markdown(text("question"))

study = variance.study(text)
variance.draw_spread(study, text)
st.markdown(text("see_spread"))
variance.controls(text)
st.caption(variance.say("how_spread", study, text))
if st.toggle(text("as_tables"), key="spread_table"):
    st.dataframe(variance.counts_table(study.spread, text), hide_index=True)

st.markdown(text("heading_variance"))
st.markdown(text("why_variance"))
variance.draw_variance(study, text)
st.markdown(variance.say("see_variance", study, text))
st.markdown(variance.say("few", study, text))
st.caption(text("how_variance"))
if st.toggle(text("as_tables"), key="variance_table"):
    st.markdown(variance.variance_table(study.spread, text))

st.markdown(text("heading_saturation"))
variance.draw_saturation(study, text)
st.markdown(text("see_saturation"))
st.markdown(text("dead"))
st.markdown(variance.saturation_table(study.saturation, text, variance.IN_TABLE))
st.markdown(variance.say("mean_lies", study, text))
st.markdown(variance.say("article", study, text))
st.caption(variance.say("how_saturation", study, text))
if st.toggle(text("as_tables"), key="saturation_table"):
    st.markdown(variance.saturation_table(study.saturation, text))

bench = state.bench()
st.markdown(text("heading_own"))
st.markdown(variance.own_words(bench, text))
st.markdown(variance.own_table(bench, text))
st.page_link("pages/edit.py", label=text("own_link"), icon=shell.ICONS["edit"])

walk.end(text, "variance")
