"""The figures of the order page, one function a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import attention
from ui import charts, display, order, order_charts, order_pictures, order_words, stages, theme
from ui.charts import Heat
from ui.display import residual
from ui.names import numbered
from ui.order import Setting, Trial
from ui.order_pictures import Block, Clock
from ui.text import Text, in_both
from ui.workbench import Workbench

Figure = tuple[Any, dict[str, Any]]
PANELS = 8  #: so many heads of ALiBi are drawn


def draw_trial(trial: Trial, it: Setting, text: Text, layout: str) -> None:
    """Both outputs, wires from each token's row to where it went, and the difference put back."""
    _chart(_trial(it, trial.order, text, charts.ROOM[layout][0]), "trial")


@lru_cache(maxsize=256)
def _trial(it: Setting, rows: order.Order, text: Text, room: int) -> Figure:
    """Made once for an order under a setting: a class on one link costs no more."""
    trial, names, places = order.trial(it, rows), numbered(it.bench.tokens, text), tuple(range(it.n))

    def tip(id: str, rows: Sequence[int]) -> Callable[[int, int, str], str]:
        template, at = text.template(id), {token: row for row, token in enumerate(rows)}
        return lambda q, k, number: template(token=names[q], place=at[q], column=k + 1, number=number)

    before = Block(trial.before.output, text("title_before"), places, tip("tip_before", places))
    after = Block(trial.after.output, text("title_after"), trial.order, tip("tip_after", trial.order))
    moved = Block(trial.moved, text("title_moved"), places, tip("tip_moved", places))
    residuals = [residual(float(x)) for x in trial.residuals]
    return order_pictures.shuffle(names, before, after, moved, residuals, text("title_residual"), trial.limit, room)


def draw_inside(it: Setting, trial: Trial, bench: Workbench, text: Text, layout: str) -> None:
    """① scores ② scaled ③ weights ④ output of the tokens in the order that is on the page."""
    names = numbered(bench.tokens, text)
    tokens = [names[i] for i in trial.order]
    heats = stages.heats(trial.after, tokens, text)
    if it.encoding == "alibi":
        title = text("stage_biased", rows=it.n, columns=it.n)
        heats[1] = replace(heats[1], title=title, limit=charts.largest(trial.after.masked))
    _linked(tokens, heats, layout, "inside")


def draw_code(n: int, d: int, text: Text, layout: str) -> None:
    """The code as a heatmap, and how alike the codes of two positions are."""
    left, right = halves(layout)
    room = order_charts.widths("half", layout)
    with left:
        _chart(_code(n, d, text, room), "code")
        st.markdown(order_words.wave(d, text))
    with right:
        _chart(_alike(n, d, text, room), "alike")
        st.markdown(order_words.alike(n, d, text))


@lru_cache(maxsize=32)
def _code(n: int, d: int, text: Text, room: int) -> Figure:
    template = text.template("tip_code")
    return order_pictures.code_map(
        order.code(n, d), text("title_code", rows=n, columns=d), text("hint_code"),
        lambda p, c, number: template(position=p, column=c, wave=("sin", "cos")[c % 2], number=number), room,
    )  # fmt: skip


@lru_cache(maxsize=32)
def _alike(n: int, d: int, text: Text, room: int) -> Figure:
    both, tip, records = order.code(n, d), text.template("tip_alike"), []
    for side, of in (("side_both", both), ("side_sines", both[:, ::2])):
        for distance, (low, mean, high) in enumerate(order.likeness(of).tolist()):
            says = tip(distance=distance, low=display.short(low, 3), high=display.short(high, 3))
            records.append((text(side), distance, low, mean, high, says))
    frame = pd.DataFrame.from_records(records, columns=["side", "d", "low", "mean", "high", "tip"])
    return frame, order_charts.band_spec(max(room - 70, 220), text("axis_distance"), text("axis_alike"))


def draw_sines(n: int, text: Text, layout: str) -> None:
    """The first pair as a circle, and its shadow, which is all that sine keeps."""
    left, right = halves(layout)
    with left:
        _chart(_sines(n, text, order_charts.widths("half", layout)), "sines")
    with right:
        p, q, apart = order.nearest(order.code(n, 2)[:, :1])
        st.markdown(text("see_sines", p=p, q=q, apart=display.enough(apart, (2, 4, 6)) or residual(apart)))
        st.markdown(order_words.sines_table(n, text))
        st.markdown(text("see_sines_alike"))


@lru_cache(maxsize=32)
def _sines(n: int, text: Text, room: int) -> Figure:
    code, template = order.code(n, 2), text.template("tip_sines")

    def tip(p: int) -> str:
        return template(position=p, sine=display.short(code[p, 0], 4), cosine=display.short(code[p, 1], 4))

    return order_pictures.shadows(np.arange(n), order.nearest(code[:, :1])[:2], text("axis_sine"), tip, room)


def draw_turn(p: int, k: int, d: int, text: Text, layout: str) -> None:
    """Each pair as a clock: k positions turn it by the same angle, wherever it stands."""
    pairs = sorted({round(i * (d // 2 - 1) / 3) for i in range(4)})
    here, there, tip = order.code(1, d, p)[0], order.code(1, d, p + k)[0], text.template("tip_hand")
    dials = []
    for i in pairs:
        hands = [
            (code[2 * i + 1], code[2 * i], colour, width,
             tip(position=at, sine=display.short(code[2 * i], 4), cosine=display.short(code[2 * i + 1], 4)))
            for code, at, colour, width in ((here, p, order_charts.LINE, 2.5), (there, p + k, theme.CHOSEN, 3.5))
        ]  # fmt: skip
        angle = np.degrees(k / 10_000 ** (2 * i / d))
        dials.append(Clock(text("dial", pair=i + 1), text("dial_turned", angle=_degrees(angle)), hands))
    _chart(order_pictures.clocks(dials, charts.ROOM[layout][0]), "turn")


def draw_add(terms: order.Terms, bench: Workbench, text: Text, layout: str) -> None:
    """The four products that a score is the sum of."""
    names, rows = numbered(bench.tokens, text), order.order_of(bench)
    tokens = [names[i] for i in rows]
    limit = charts.largest(*(getattr(terms, name) for name in TERMS))
    template = text.template("tip_term")
    heats = [
        Heat(
            values=getattr(terms, name), title=text(f"term_{name}"), hint=text("hint_pairs"), columns=tokens,
            limit=limit, tip=lambda i, j, number: template(row=tokens[i], column=tokens[j], number=number),
        )
        for name in TERMS
    ]  # fmt: skip
    _linked(tokens, heats, layout, "add")


TERMS = ("content_content", "content_position", "position_content", "position_position")


def draw_shift(bench: Workbench, shift: int, text: Text, layout: str) -> None:
    """By how much the scaled scores move if everything stands `shift` places later."""
    names, rows = numbered(bench.tokens, text), order.order_of(bench)
    tokens, template = [names[i] for i in rows], text.template("tip_shift")
    moved = {encoding: order.shift_by(bench, encoding, shift)[0] for encoding in order.ENCODINGS[1:]}
    limit = max(charts.largest(*moved.values()), stages.LEAST_END)
    heats = [
        Heat(
            values=values, title=text("title_shift", encoding=text(f"encoding_{encoding}")), hint=text("hint_pairs"),
            columns=tokens, limit=limit,
            tip=lambda i, j, number: template(row=tokens[i], column=tokens[j], number=number),
        )
        for encoding, values in moved.items()
    ]  # fmt: skip
    _linked(tokens, heats, layout, "shift")


def draw_pair(bench: Workbench, pair: int, shift: int, query: int, key: int, text: Text, layout: str) -> None:
    """One pair of columns of a token's query and another's key, turned by RoPE: before and after the shift."""
    it, rows = order.setting(bench, "rope"), order.order_of(bench)
    tips, columns = text.template("tip_pair"), slice(2 * pair - 2, 2 * pair)
    dials = []
    for s in dict.fromkeys((0, shift)):
        Q, K, _ = order.projected(it, rows, s)
        q, k = Q[rows.index(query), columns], K[rows.index(key), columns]
        longest = max(float(np.hypot(*q)), float(np.hypot(*k))) or 1.0
        hands = [
            (float(v[0]) / longest, float(v[1]) / longest, theme.MATH[name], 3,
             tips(name=name, first=display.short(float(v[0]), 4), second=display.short(float(v[1]), 4)))
            for name, v in (("Q", q), ("K", k))
        ]  # fmt: skip
        note = "pair_note" if q.any() and k.any() else "pair_zero"
        between = np.degrees(np.arctan2(q[0] * k[1] - q[1] * k[0], q @ k))
        says = text(note, angle=_degrees(between), share=display.short(float(q @ k)))
        dials.append(Clock(text("pair_at", query=s + rows.index(query), key=s + rows.index(key)), says, hands))
    _chart(order_pictures.clocks(dials, order_charts.widths("half", layout)), "pair")


def draw_alibi(it: Setting, text: Text, layout: str) -> None:
    """The bias of each head."""
    tokens = [str(i) for i in range(it.n)]
    biases, slopes = attention.alibi_bias(it.n_heads, it.n), attention.alibi_slopes(it.n_heads)
    template, limit = text.template("tip_bias"), charts.largest(biases) or 1.0
    heats = [
        Heat(
            values=bias, title=text("title_bias", head=h + 1, slope=order_words.slope(float(m))),
            hint=text("hint_bias"), columns=tokens, limit=limit,
            tip=lambda i, j, number: template(row=i, column=j, distance=abs(i - j), number=number),
        )
        for h, (bias, m) in enumerate(zip(biases[:PANELS], slopes, strict=False))
    ]  # fmt: skip
    _linked(tokens, heats, layout, "alibi")


def tables(trial: Trial, bench: Workbench, text: Text) -> None:
    """The shuffle test as a table."""
    names = numbered(bench.tokens, text)
    for id, values, rows in (
        ("title_before", trial.before.output, range(len(names))), ("title_after", trial.after.output, trial.order),
        ("title_moved", trial.moved, range(len(names))),
    ):  # fmt: skip
        show = (lambda x, _: residual_signed(x)) if id == "title_moved" else display.short
        heat = Heat(values, text(id), "", [str(k + 1) for k in range(values.shape[1])], lambda *_: "", show=show)
        st.markdown(f"**{heat.title}**")
        st.markdown(stages.markdown_table(heat, [names[i] for i in rows]))


def residual_signed(x: float) -> str:
    """A difference with its sign, however small.

    >>> residual_signed(-2.2e-16), residual_signed(0.5)
    ('−2.2e−16', '0.50')
    """
    return residual(x) if x >= 0 else display.MINUS + residual(-x).removeprefix(display.MINUS)


def _linked(tokens: Sequence[str], heats: Sequence[Heat], layout: str, name: str) -> None:
    _chart(charts.linked(tokens, heats, layout), name)


def _chart(figure: Figure, name: str) -> None:
    """A picture, and what it shows in words, in both languages: a spec that changes is drawn anew."""
    frame, spec = figure
    described = spec | {"description": in_both(f"{name}_alt", "order")}
    stages.draw_choosable(frame, described, f"order_{name}", choosable=False)


def halves(layout: str) -> Any:
    """Two columns where there is room, else one below the other."""
    return st.columns(2) if layout in {"xl", "wide"} else (st.container(), st.container())


def _degrees(angle: float) -> str:
    return f"{display.signed(f'{angle:.1f}' if abs(angle) < 100 else f'{angle:.0f}')}°"
