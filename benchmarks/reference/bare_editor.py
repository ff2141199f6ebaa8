"""What typing a number is measured against: one editor on the same 4 × 4 numbers and one line of text."""

import pandas as pd
import streamlit as st

from attention import examples

numbers = pd.DataFrame(examples.get("cat").Q, columns=list("1234"))
edited = st.data_editor(numbers, key="Q")
st.markdown(f"Sum: {edited.to_numpy().sum():.4f}")
