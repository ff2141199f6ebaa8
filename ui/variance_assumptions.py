"""What Var(q·k) = d_k assumes, broken one assumption at a time."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention.assumptions import STOPS, Components
from ui import shell, state, variance_controls, variance_measure, variance_training_growth, views, widgets
from ui import variance_assumptions_charts as charts
from ui import variance_assumptions_formulas as formulas
from ui import variance_assumptions_measure as measure
from ui import variance_assumptions_words as words
from ui.display import signed
from ui.text import Text
from ui.variance_assumptions_measure import BROKEN, SLIDERS, Shape, Study
from ui.variance_charts import is_wide, thousandths


def draw(text: Text) -> None:
    st.markdown(text("question"))
    bench = state.bench()
    broken, d_k = _choose(text), int(views.get(bench, "variance.broken_at"))
    of = measure.components(bench, broken)
    expected = measure.shape(of, d_k)
    study = _one(broken, of, expected, d_k, text)
    _found(study, expected, text)
    variance_controls.controls(text)
    if bench.variance_draws > measure.MOST:
        st.caption(text("fewer", most=f"{measure.MOST:,}"))
    _growth(broken, study, text)
    _noticed(broken, text)
    if broken == "correlated":
        _match(of.rho, text)
    st.markdown(text("trained", measured=variance_training_growth.anywhere(bench.variance_seed, text.lang)))
    _all(text)
    _how(study, expected, text)


def _one(broken: str, of: Components, expected: Shape, d_k: int, text: Text) -> Study:
    """The controls, the formula and the picture of what was drawn at one d_k; returns what was measured."""
    wide = is_wide(shell.layout())
    drawn, told = _beside(wide)
    with told:
        _controls(broken, text)
        if wide:
            _formulas(broken, of, d_k, text)
    with drawn:
        study = _study(of, d_k, text)
        spec = charts.histogram_spec(shell.layout(), text)
        st.vega_lite_chart(charts.histogram_data(study, expected, text), spec, width="content", key="broken")
    if not wide:
        _formulas(broken, of, d_k, text)
    return study


def _beside(wide: bool) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Room for a picture and, beside it, for controls; on narrow screens these come first."""
    if wide:
        left, right = st.columns([0.56, 0.44], gap="medium")
        return left, right
    above, below = st.container(), st.container()
    return below, above


def _study(of: Components, d_k: int, text: Text) -> Study:
    """What is measured, with a bar while it is."""
    bench = state.bench()
    with variance_measure.bar(text, "one", bench.variance_seed, of.law) as report:
        return measure.study(of, d_k, bench.variance_seed, measure.draws(bench), report)


def _choose(text: Text) -> str:
    """What is broken."""
    said = text("label_broken")
    return widgets.part("variance.broken", BROKEN, said, lambda name: text(f"broken_{name}"), key="variance_broken")


def _controls(broken: str, text: Text) -> None:
    """How much is broken, and at which d_k."""
    st.markdown(text(f"says_{broken}"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        for name in SLIDERS.get(broken, ()):
            _slide(name, text)
        d_k, key = views.get(state.bench(), "variance.broken_at"), "variance_broken_at"
        st.segmented_control(
            text("label_d_k"), STOPS, default=d_k, required=True, key=state.control(key, d_k), format_func=str,
            on_change=state.on_show(key, "variance.broken_at", STOPS),
        )  # fmt: skip


def _slide(name: str, text: Text) -> None:
    """A slider in hundredths, from end to end of its view."""
    view, key = f"variance.{name}", f"variance_{name}"
    low, high = (end / 100 for end in views.VIEWS[view].ends or ())
    at = views.get(state.bench(), view) / 100
    st.slider(text(f"label_{name}"), low, high, at, 0.01, key=state.control(key, at), width=170,
              on_change=state.callback(lambda: state.show(view, round(st.session_state[key] * 100))))


def _formulas(broken: str, of: Components, d_k: int, text: Text) -> None:
    """What is predicted: by the formula of what is broken, and folded by the one that holds for all of it."""
    st.markdown(formulas.formula(broken, of, d_k, narrow=shell.layout() == "phone"))
    with st.expander(text("general"), key="broken_general", on_change="rerun") as fold:
        if fold.open:
            st.markdown(formulas.general(of, d_k))
            st.caption(text("general_holds"))


def _found(study: Study, expected: Shape, text: Text) -> None:
    """Predicted, measured, claimed; and what follows from it."""
    st.markdown(words.summary(study, text) + "\n\n" + text.sentences(words.verdict(study, text)))
    if words.missed(study):
        _offer_more(study.measured.draws, text)
    st.markdown(text.sentences(words.curves(study, expected, text)))
    if st.toggle(text("as_tables"), key="broken_table"):
        st.markdown(words.histogram_table(study, expected, text))


def _offer_more(draws: int, text: Text) -> None:
    """More pairs, where an interval missed: they tell chance from a wrong formula."""
    more = min(10 * draws, measure.MOST)
    if more > draws:
        st.button(text("more", times=more // draws), icon=":material/add:", key="broken_more",
                  on_click=state.callback(lambda: state.commit(replace(state.bench(), variance_draws=more))))


def _growth(broken: str, study: Study, text: Text) -> None:
    st.markdown(text("heading_growth"))
    spec = charts.growth_spec(shell.layout(), text, charts.span(study))
    st.vega_lite_chart(charts.growth_data(study), spec, width="content", key="broken_growth")
    st.markdown(text("see_growth") + "\n" + "\n".join(f"- {said}" for said in words.left(study, text)))
    st.markdown(text(f"so_{words.reason(broken, study)}"))
    if st.toggle(text("as_tables"), key="growth_table"):
        st.markdown(words.growth_table(study, text))


def _noticed(broken: str, text: Text) -> None:
    """Whether softmax notices, which sees what differs between the keys of a row alone."""
    found = measure.in_rows(state.bench(), *dict.fromkeys(("none", broken)))
    st.markdown(text("heading_match"))
    st.markdown(text("why_rows", rows=f"{measure.ROWS:,}", keys=measure.KEYS))
    st.markdown(words.rows_table(found, text, narrow=shell.layout() == "phone"))
    judged = {way: each for way, each in found.items() if way != "none" or broken == "none"}
    st.markdown(text.sentences(words.judged(judged, text, found["none"])))


def _match(rho: float, text: Text) -> None:
    """One key matches, and the others do not: what becomes of its weight."""
    found = measure.matches(state.bench().variance_seed, rho)
    at = {f"{scale}_{d_k}": thousandths(found[STOPS.index(d_k), which])
          for which, scale in ((1, "sqrt"), (2, "linear")) for d_k in (16, 256)}  # fmt: skip
    st.markdown(text("why_match", keys=measure.KEYS, others=measure.KEYS - 1))
    spec = charts.match_spec(shell.layout(), text)
    st.vega_lite_chart(charts.match_data(found), spec, width="content", key="broken_match")
    seen = text("see_match", even=f"{1 / measure.KEYS:.3f}", rho=signed(f"{rho:.2f}"), **at)
    st.markdown(text.sentences([seen, *words.stuck(found, text)]))
    st.caption(text("how_match", rows=f"{measure.ROWS:,}", keys=measure.KEYS))
    if st.toggle(text("as_tables"), key="match_table"):
        st.markdown(words.match_table(found, text))


def _all(text: Text) -> None:
    """Which one is dangerous; measured only when somebody asks."""
    with st.expander(text("all"), key="broken_all", on_change="rerun", icon=":material/compare:") as fold:
        if fold.open:
            found = measure.in_rows(state.bench(), *BROKEN)
            st.markdown(text("see_all", rows=f"{measure.ROWS:,}", keys=measure.KEYS))
            st.markdown(words.rows_table(found, text, narrow=shell.layout() == "phone"))
            st.markdown("\n".join(f"- {said}" for said in words.judged(found, text)))


def _how(study: Study, expected: Shape, text: Text) -> None:
    with st.expander(text("how"), key="broken_how", on_change="rerun", icon=":material/science:") as fold:
        if fold.open:
            seed = state.bench().variance_seed
            st.markdown(text("how_measured", draws=f"{study.measured.draws:,}", seed=seed))
            st.markdown(text.sentences(words.curve_numbers(study, expected, text)))
            st.markdown(text("how_exact"))
