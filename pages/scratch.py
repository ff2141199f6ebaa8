"""Attention from scratch: run the source line by line, find out what broken ones got wrong, compare with PyTorch."""

import streamlit as st

from ui import controls, scratch, scratch_cases, scratch_torch, shell, walk

text = shell.begin("scratch")
st.markdown(text("question"))

controls.reopen(text)
scratch.stepper(text)
scratch.notes(text)

scratch_cases.draw(text)
scratch_torch.draw(text)
walk.end(text, "scratch", "edit")
