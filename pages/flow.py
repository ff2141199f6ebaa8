"""The whole of attention as a flow of tensors: what shape each one has, and what it holds."""

import streamlit as st

from ui import flow, flow_asked, flow_controls, flow_open, flow_picture, flow_words, shell, state, walk

text = shell.begin("flow")
st.markdown(text.sentences([text("question"), *([text("keys")] if shell.layout() != "phone" else [])]))
flow_controls.draw(text)
it = flow.of(state.bench())
flow_picture.draw(it, text)
flow_controls.route(it, text)
flow_open.draw(it, flow_picture.node(state.bench(), it), text)

st.markdown(f"#### {text('steps_title')}")
st.markdown(flow_words.steps_table(it, text))
st.markdown(flow_words.steps_note(it, text))
flow_asked.draw(it, text)
walk.end(text, "flow", "heads")
