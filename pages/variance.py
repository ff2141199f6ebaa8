"""Why √d_k: every link of the article's chain put to the test, and where the chain holds."""

import streamlit as st

from ui import shell, variance, variance_saw, walk

text = shell.begin("variance")
st.markdown(text("question"))
part = variance.choose(text)
with variance.room(part):
    variance.draw(part, text)
variance.onward(part, text)
walk.end(text, "variance", "edit", asked=variance.asked(part), seen=variance.is_last(part),
         saw=lambda: variance_saw.said(text))  # fmt: skip
