"""The glossary: every term in both languages, the one that was asked for first; and all questions, by number."""

from __future__ import annotations

from functools import cache

import streamlit as st

from ui import questions, shell, state, views
from ui.questions import QUESTIONS
from ui.text import LANGUAGES, Text, catalogue, terms

#: group → its terms
GROUPS: dict[str, tuple[str, ...]] = {
    "roles": ("token", "embedding", "query", "key", "value", "projection", "self_attention", "cross_attention",
              "dot_product"),
    "steps": ("scores", "scaled", "softmax", "weights", "output", "root", "temperature"),
    "sizes": ("n", "d_model", "d_k", "d_v", "broadcasting"),
    "scale": ("variance", "saturation", "entropy", "gradient", "jacobian", "dead_row", "interval", "optimizer"),
    "masks": ("mask", "causal_mask", "padding_mask", "sliding_window", "kv_cache"),
    "heads": ("head", "multi_head", "concat", "w_o", "ablation", "residual"),
    "order": ("positional_encoding", "sinusoidal", "rope", "alibi", "equivariance"),
    "fast": ("online_softmax", "tiling", "flash_attention"),
}  # fmt: skip
COLUMNS = (("roles", "steps", "sizes"), ("scale", "masks", "heads", "order", "fast"))

#: term → the pages it can be seen on, the best one first
SEEN: dict[str, tuple[str, ...]] = {
    "token": ("lookup", "edit"), "embedding": ("flow",), "query": ("lookup", "edit"), "key": ("lookup", "edit"),
    "value": ("lookup", "edit"), "projection": ("flow", "edit", "heads"), "self_attention": ("flow",),
    "cross_attention": ("flow",), "dot_product": ("edit", "variance"), "scores": ("edit", "flow"),
    "scaled": ("edit", "variance"), "softmax": ("edit", "scratch"), "weights": ("edit", "lookup"),
    "output": ("edit", "lookup"), "root": ("variance", "edit"), "temperature": ("edit",), "n": ("flow", "production"),
    "d_model": ("flow", "heads"), "d_k": ("flow", "variance"), "d_v": ("flow",), "broadcasting": ("scratch",),
    "variance": ("variance",), "saturation": ("variance", "edit"), "entropy": ("variance",), "gradient": ("variance",),
    "jacobian": ("variance",),
    "dead_row": ("variance",), "interval": ("variance",), "optimizer": ("variance",),
    "mask": ("masks", "edit"), "causal_mask": ("masks", "edit"), "padding_mask": ("masks",),
    "sliding_window": ("masks",), "kv_cache": ("masks",), "head": ("heads",), "multi_head": ("heads",),
    "concat": ("heads",), "w_o": ("heads",), "ablation": ("heads",), "residual": ("heads",),
    "positional_encoding": ("order", "flow"), "sinusoidal": ("order",), "rope": ("order",), "alibi": ("order",),
    "equivariance": ("order",), "online_softmax": ("production",), "tiling": ("production",),
    "flash_attention": ("production",),
}  # fmt: skip

FORMULAS: dict[str, str] = {
    "query": r"q_i = x_i\,W_Q", "key": r"k_j = x_j\,W_K", "value": r"v_j = x_j\,W_V",
    "projection": r"Q = XW_Q,\ K = XW_K,\ V = XW_V",
    "dot_product": r"q\cdot k = \sum_{i=1}^{d_k} q_i\,k_i", "scores": r"S = QK^{\mathsf T}",
    "scaled": r"S / \sqrt{d_k}", "softmax": r"\operatorname{softmax}(s)_j = \frac{e^{s_j}}{\sum_l e^{s_l}}",
    "weights": r"A = \operatorname{softmax}\!\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}}\right)", "output": r"A\,V",
    "temperature": r"\operatorname{softmax}(s / T)", "d_k": r"Q, K \in \mathbb{R}^{n \times d_k}",
    "d_v": r"V \in \mathbb{R}^{n \times d_v}", "d_model": r"X \in \mathbb{R}^{n \times d_{\text{model}}}",
    "variance": r"\mathrm{Var}(x) = \mathbb{E}\bigl[(x - \mathbb{E}[x])^2\bigr]",
    "entropy": r"H(p) = -\sum_j p_j \ln p_j", "gradient": r"\partial L / \partial x",
    "jacobian": r"\partial p_i / \partial s_j = p_i\,(\delta_{ij} - p_j)",
    "dead_row": r"\lVert\mathrm{diag}(p) - pp^{\mathsf T}\rVert < 0.01",
    "mask": r"s_{ij} \to -\infty \text{ where } M_{ij} = \text{False}", "causal_mask": r"M_{ij} = (j \le i)",
    "sliding_window": r"M_{ij} = (|i - j| < w)",
    "multi_head": r"\sum_{i=1}^{h} \text{head}_i\,W_O^{(i)}",
    "head": r"\operatorname{Attention}(XW_Q^{(i)}, XW_K^{(i)}, XW_V^{(i)})",
    "residual": r"X + \operatorname{Attention}(X)",
    "sinusoidal": r"\sin\bigl(p / 10000^{2i/d}\bigr),\allowbreak\ \cos\bigl(p / 10000^{2i/d}\bigr)",
    "rope": r"(R_m q)\cdot(R_n k) = q\cdot(R_{n-m}\,k)", "alibi": r"s_{ij} - m_h\,|i - j|",
    "equivariance": r"f(PX) = P f(X)",
    "online_softmax": r"\ell \to \ell\,e^{m - m'} + e^{s - m'},\quad m' = \max(m, s)",
}  # fmt: skip


def choose(text: Text) -> None:
    """Find a word or a question, each shown under its list; typing narrows the lists down."""
    bench, asked = state.bench(), Text("questions", text.lang)
    left, right = st.columns(2)
    with left:
        term = views.get(bench, "glossary.term")
        _list("word", "glossary.term", ("", *terms()), term, text, _names(text.lang))
        if term:
            _word(term, text)
    with right:
        number = views.get(bench, "glossary.question")
        _list("asked", "glossary.question", (0, *QUESTIONS), number, text,
              {each: text("option_asked", number=each, ask=asked(f"ask_{each}")) for each in QUESTIONS})
        if number:
            with st.container(border=True, key="glossary_question"):
                questions.entry(number, "asked", text)


def _list(
    name: str, view: str, options: tuple[str | int, ...], value: str | int, text: Text, names: dict[str | int, str]
) -> None:
    # Its own key a language: after a switch Streamlit 1.67 goes on showing the label it had.
    key = state.control(f"pick_{name}_{text.lang}", value)
    st.selectbox(
        text(f"label_{name}"), options, options.index(value), key=key, on_change=state.on_show(key, view, options),
        format_func=lambda option: names.get(option, text(f"none_{name}")),
    )  # fmt: skip


@cache
def _names(lang: str) -> dict[str | int, str]:
    """What the terms are called in the list: in both languages, so that either can be typed."""
    text = Text("glossary", lang)
    names: dict[str | int, str] = {}
    for id in terms():
        mine, other = _in_both(id, "name", lang)
        names[id] = mine if mine == other else text("option_word", name=mine, other=other)
    return names


def _word(id: str, text: Text) -> None:
    """One term, with its formula and the pages to see it on."""
    formula = [f"$$\n{FORMULAS[id]}\n$$"] if id in FORMULAS else []
    with st.container(border=True, key="glossary_word"):
        st.markdown("\n\n".join([f"#### {_heading(id, text)}", *_said(id, text.lang, formula)]))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(text("seen"), width="content")
            for page in SEEN[id]:
                st.page_link(f"pages/{page}.py", label=text(f"nav_{page}"), icon=shell.ICONS[page])


def words(text: Text) -> None:
    """All terms, by what they have to do with."""
    st.markdown(f"#### {text('heading_words', count=len(terms()))}\n\n{text('about_words')}")
    for column, groups in zip(st.columns(len(COLUMNS), gap="large"), COLUMNS, strict=True):
        with column:
            st.markdown(_listed(groups, text))


@cache
def _listed(groups: tuple[str, ...], text: Text) -> str:
    """Groups of terms as one text: each costs a message less."""
    lines = []
    for group in groups:
        lines += ["", f"##### {text(f'group_{group}')}", ""]
        for id in GROUPS[group]:
            formula = [f"${FORMULAS[id]}$"] if id in FORMULAS else []
            lines.append("\\\n  ".join([f"- {_heading(id, text)}", *_said(id, text.lang, formula)]))
    return "\n".join(lines)


def _heading(id: str, text: Text) -> str:
    mine, other = _in_both(id, "name", text.lang)
    return text("entry_same", name=mine) if mine == other else text("entry", name=mine, other=other)


def _said(id: str, lang: str, formula: list[str]) -> list[str]:
    """What a term means: in the reader's language, as a formula, and in the other language."""
    mine, other = _in_both(id, "says", lang)
    return [mine, *formula, f":small[{other}]"]


def _in_both(id: str, what: str, lang: str) -> tuple[str, str]:
    other = next(each for each in LANGUAGES if each != lang)
    return catalogue("glossary", lang)[f"{what}_{id}"], catalogue("glossary", other)[f"{what}_{id}"]


def asked(text: Text) -> None:
    """All questions, by the page they are met on; what is folded is not even sent."""
    st.markdown(f"#### {text('heading_asked', count=len(QUESTIONS))}")
    for page in shell.PAGES:
        if numbers := questions.on(page):
            label = text("asked_on", page=text(f"nav_{page}"), numbers=text.list(list(map(str, numbers))))
            questions.fold(numbers, label, f"all_{page}", text)
