"""Order: shuffle the tokens and see whether attention notices, without and with positions."""

import streamlit as st

from ui import order, order_controls, order_figures, order_parts, order_words, shell, state, walk, widgets

text = shell.begin("order")
bench, layout = state.bench(), shell.layout()
it = order.setting(bench)
trial = order.trial(it, order.order_of(bench))

st.markdown(text("question"))
with widgets.line():
    order_controls.order(text)
    order_controls.pick("encoding", order.ENCODINGS, text, lambda name: text(f"encoding_{name}"))
order_figures.draw_trial(trial, it, text, layout)
st.markdown(order_words.verdict(trial, it, bench, text))
order_controls.guess(text)
order_controls.mask(text)
st.caption(order_words.about(it, bench, text))

st.markdown(f"#### {text('heading_parts')}")
order_parts.choose(text)
order_parts.draw(bench, it, trial, text, layout)
walk.end(text, "order", "masks", "edit")
