"""Does it train? A small model learns to look up a value by its key, with and without √d_k, while the reader watches.

What grows is drawn by a fragment that asks for itself again: only the chart and its sentences travel. A second one,
which draws nothing, asks for moments of training; it is there on the page whose turn it is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import streamlit as st

from attention import training
from ui import predict, shell, state, training_runs, variance_controls, views, widgets
from ui import variance_training_charts as charts
from ui import variance_training_facts as facts
from ui import variance_training_growth as growth
from ui import variance_training_words as words
from ui.text import Text
from ui.training_runs import MEASURES, Series
from ui.variance_charts import number

Pace = tuple[float | None, float | None]

_WANTED = "training_wanted"  #: the series that this visitor wants to see grow
_FAILED = "training_failed"  #: training has stopped for a failure, which is still to be said
REDRAW = 0.35  #: seconds between two drawings on the page that trains
LOOK_ON = 2.0  #: and on a page that looks on: a class may be many
OLD = 1.0  #: seconds for which those who look on are shown the same
GUESS = "variance.guess_trains"


def draw(text: Text) -> None:
    st.markdown(text("question"))
    if predict.given(GUESS) is None:  # the question comes first; the answer stands over its chart
        guess, measure = _ask(_chosen(), text)
        series = _controls(text)
    else:
        series = _controls(text)
        guess, measure = _ask(series, text)
    _while_training(series, measure, guess, text)
    variance_controls.controls(text, draws=False)
    _details(text)


def _chosen() -> Series:
    optimizer, rate = (views.get(state.bench(), f"variance.{view}") for view in ("optimizer", "rate"))
    return _series(optimizer, rate)


def _controls(text: Text) -> Series:
    """How it is trained."""
    series = _chosen()
    optimizer, rates = series.optimizer, training.RATES[series.optimizer]
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        widgets.look("variance.optimizer", training.OPTIMIZERS, optimizer, text, key="training_optimizer",
                     show=lambda name: text(f"optimizer_{name}"))  # fmt: skip
        widgets.look("variance.rate", range(len(rates)), series.which_rate, text, key="training_rate",
                     show=lambda which: words.said_rate(rates[which]))  # fmt: skip
        _button(series, text)
    return series


def _series(optimizer: str, rate: int) -> Series:
    return training_runs.shared().of(optimizer, state.bench().variance_seed, rate)


def _ask(series: Series, text: Text) -> tuple[str | None, str]:
    """The question, before anything is shown at the largest d_k; and beside it what the chart shows.

    It is about the rate that the page begins with, and says so where another one is chosen.
    """
    answers = predict.answers(list(facts.BANDS), "guess", text)
    asked = text("ask_trains" if series.at_first else "ask_given", d_k=training.D_K[-1],
                 steps=training.STEPS, rate=words.given(series.optimizer))  # fmt: skip
    measure, key = str(views.get(state.bench(), "variance.measure")), "training_measure"
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        guess = predict.choice(GUESS, answers, asked, key="guess_trains", committed=True)
        if guess is not None:
            predict.again(GUESS, text, key="guess_trains")
        with widgets.wrapping():
            st.segmented_control(
                text("label_measure"), MEASURES, default=measure, required=True, key=state.control(key, measure),
                format_func=lambda name: text(f"measure_{name}"), help=text("help_measure"),
                on_change=state.on_show(key, "variance.measure", MEASURES),
            )  # fmt: skip
    return guess, measure


# Who trains, who looks on.


def _session() -> str:
    return str(state.lab()["session"])


def _name(series: Series) -> tuple[str, int, int]:
    return series.optimizer, series.which_rate, series.seeds.start


def _wants(series: Series) -> bool:
    return _name(series) in st.session_state.get(_WANTED, ())


def _want(series: Series, on: bool) -> None:
    wanted = set(st.session_state.get(_WANTED, ()))
    st.session_state[_WANTED] = tuple(wanted | {_name(series)} if on else wanted - {_name(series)})
    if not on:
        series.turn.release(_session())


def _button(series: Series, text: Text) -> None:
    """Start, cancel, or go on: whatever there is to do; its place stays."""
    on, done, of = _wants(series), series.next is None, (series.optimizer, series.which_rate)
    with st.container(width="content"):
        label = "all_done" if done else "cancel" if on else "go_on" if series.share else "start"
        st.button(
            text(label), icon=":material/stop:" if on and not done else ":material/play_arrow:", key="training_start",
            type="secondary" if on or done or predict.given(GUESS) is None else "primary", disabled=done,
            on_click=state.callback(lambda: _want(_series(*of), not on)),  # it must not keep the runs alive
        )  # fmt: skip


def _pace(series: Series) -> Pace:
    """Seconds between moments of training and between drawings, as things are now; None: none."""
    if not _wants(series) or series.next is None:
        return None, None
    if series.turn.taken(_session()):
        return None, LOOK_ON
    tick = training_runs.shared().turns.tick()
    return tick, max(tick, REDRAW)


def _while_training(series: Series, measure: str, guess: str | None, text: Text) -> None:
    """The chart and what it shows, again and again while it grows; and the moments in which it does."""
    moments, drawings = pace = _pace(series)
    of = series.optimizer, series.which_rate  # a fragment must not keep the runs alive
    _fragment(_board, drawings, text)(of, measure, guess, pace, text)
    if moments:
        _fragment(_moment, moments, text)(of, pace)


def _fragment(draws: Callable[..., None], every: float | None, text: Text) -> Callable[..., None]:
    """A part of the page that asks for itself again. What `shell.run` does for pages does not reach its reruns.

    So nothing that fails leaves it, in whichever run: training ends, and one sentence says so.
    """

    @wraps(draws)
    def safe(*args: Any) -> None:
        stopped = bool(st.session_state.pop(_FAILED, False))
        if stopped:
            st.error(text("training_failed"))
        try:
            draws(*args)
        except Exception:
            logging.getLogger(__name__).exception("training failed")
            if st.session_state.get(_WANTED):
                _stop()
                st.session_state[_FAILED] = True
                _draw_anew()
            elif not stopped:
                st.error(text("drawing_failed"))

    return st.fragment(safe, run_every=every)


def _stop() -> None:
    """Want nothing any more, and leave it to others at once."""
    wanted = st.session_state.get(_WANTED, ())
    st.session_state[_WANTED] = ()
    for each in list(training_runs.shared().series.values()):
        if _name(each) in wanted:
            each.turn.release(_session())


def _draw_anew() -> NoReturn:
    """From a fragment, the only way to change how often it asks."""
    state.run_ends()
    st.rerun()


def _moment(of: tuple[str, int], pace: Pace) -> None:
    series = _series(*of)
    training_runs.shared().moment(series, _session())
    if _pace(series) != pace:
        _draw_anew()


def _board(of: tuple[str, int], measure: str, guess: str | None, pace: Pace, text: Text) -> None:
    """What has been measured so far."""
    series, hidden = _series(*of), guess is None
    if _pace(series) != pace:
        _draw_anew()
    runs = len(series.done)  # sentences and table speak of finished runs
    with st.container(gap="small"):  # always there, or the chart would move to another place and be drawn anew
        if series.next is not None:
            st.progress(series.share, _progress(series, text))
        if guess is not None:
            st.markdown(series.kept(("verdict", guess, text.lang), runs, lambda: words.verdict(series, guess, text)))
    framed = guess if guess and series.at_first else ""
    spec = charts.spec(shell.layout(), measure, framed, hidden, text)
    frame = series.kept(("frame", measure, hidden), series.grown, lambda: charts.frame(series, measure, hidden),
                        old=OLD if pace == (None, LOOK_ON) else 0.0)  # fmt: skip
    st.vega_lite_chart(frame, spec, key="training_chart", width="content")
    others = training_runs.shared().begun(series.optimizer, state.bench().variance_seed)
    made_of = tuple((each.which_rate, len(each.done)) for each in (series, *others))  # others may be forgotten
    st.markdown(series.kept(("said", measure, guess, text.lang), made_of,
                            lambda: _said(series, others, measure, guess, text)))  # fmt: skip
    if st.toggle(text("as_tables"), key="training_table"):
        st.markdown(series.kept(("table", measure, hidden, text.lang), runs,
                                lambda: words.results(series, measure, hidden, text)))  # fmt: skip
        st.caption(text("how_table", last=facts.LAST))


def _progress(series: Series, text: Text) -> str:
    """How far the runs are."""
    following = series.next
    if following is None or not series.share:
        return text("progress_done" if following is None else "progress_none", **_counts(series))
    seed, step = series.seeds.index(following.seed) + 1, series.steps(following)
    return text("progress", seed=seed, step=step, **_counts(series))


def _counts(series: Series) -> dict[str, int]:
    return {"runs": len(series.settings), "steps": training.STEPS, "seeds": len(series.seeds),
            "sizes": len(training.D_K)}  # fmt: skip


def _said(series: Series, others: list[Series], measure: str, guess: str | None, text: Text) -> str:
    """What to see in the chart, and what else the runs show."""
    done, runs = series.next is None, len(series.done)
    lines = [text.sentences([text(f"see_{measure}"), text("only_scaled" if guess is None else "compare")])]
    lines += [text.sentences(list(growth.sentences(series, text)))] if measure == "match" else []
    found = list(words.findings(series, guess is None, text))
    if found:
        found += () if guess is None else words.rates(others, text)
        lines += ["" if done else text("so_far", runs=runs, all=len(series.settings))]
        lines += ["\n".join(f"- {sentence}" for sentence in found), text("limits", steps=training.STEPS)]
    lines += [f":small[{_progress(series, text)}]"] if done else []
    return "\n\n".join(filter(None, lines))


def _details(text: Text) -> None:
    """How it is trained, and what that cannot show; folded, and not sent until it is unfolded."""
    with st.expander(text("details"), key="training_details", on_change="rerun") as folded:
        if folded.open:
            st.markdown(text(
                "how", symbols=training.SYMBOLS, values=training.VALUES, d_model=training.D_MODEL,
                batch=training.BATCH, steps=training.STEPS, chance=number(training.CHANCE), seeds=training_runs.SEEDS,
                adam=words.given("adam"), sgd=words.given("sgd"), last=facts.LAST,
                fast=number(facts.BANDS["fast"][1] * training.CHANCE),
                stalls=number(facts.BANDS["stalls"][0] * training.CHANCE),
            ))  # fmt: skip
