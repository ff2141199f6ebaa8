"""The proof trace on the pages: any cell can be chosen and explains itself; walking back ends at what was typed."""

from dataclasses import replace

import pytest

from tests.pages.reading import assert_well, code, frames, opened, said
from ui import charts, derivation, link, places, state, trace
from ui import workbench as w
from ui.names import in_sentences
from ui.origins import derive
from ui.places import Place
from ui.text import LANGUAGES, Text, catalogue

CAT = w.preset("cat")
WIDE = w.resized(w.with_tokens(CAT, tuple(f"t{i}" for i in range(12))), d_k=16, d_v=16)


def looking(bench, *cell, head=-1):
    return replace(bench, cell=(*cell, head))


def explained(bench, lang, *, across=6, **how):
    """What the page has to say about the chosen cell."""
    return derivation.blocks(derive(bench, places.chosen(bench)), bench, Text("trace", lang),
                             across=across, **how)  # fmt: skip


def spoken(page, lang, bench):
    app = opened(page, lang, bench)
    assert_well(app)
    prose = said(app)
    for block in explained(bench, lang):
        assert block in prose, block
    return app


def invited(app):
    """Whether the page says how to choose a cell."""
    return catalogue("trace", "en")["invitation"] in [box.label for box in app.selectbox]


ONE = [*((stage, 1, 2) for stage in (*places.STAGES, "Q", "K", "V")), ("X", 3, 1), ("W_V", 0, 3)]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("cell", ONE, ids=lambda cell: cell[0])
def test_any_cell_of_the_edit_page_explains_itself(cell, lang):
    spoken("edit", lang, looking(replace(CAT, mask="causal", route="input"), *cell))


@pytest.mark.parametrize("cell", ONE[:8], ids=lambda cell: cell[0])
def test_and_with_q_k_v_typed(cell):
    if cell[0] == "masked":
        cell = ("scaled", *cell[1:])  # without a mask there is no such stage
    spoken("edit", "zh", looking(CAT, *cell))


IN_HEADS = [(stage, 1, 1, 1) for stage in places.IN_A_HEAD] + [(stage, 2, 3, -1) for stage in places.OF_ALL_HEADS]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("cell", IN_HEADS, ids=lambda cell: cell[0])
def test_any_cell_of_the_heads_page_explains_itself(cell, lang):
    bench = replace(w.with_heads(CAT, 2), mask="causal", heads_off=(0,))
    spoken("heads", lang, looking(bench, *cell[:3], head=cell[3]))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_tooltip_of_the_heads_says_what_stands_over_the_arithmetic(lang):
    bench = replace(w.with_heads(w.preset("twins"), 2), mask="causal", heads_off=(1,))
    explained = set()
    for frame in frames(opened("heads", lang, bench)):
        for cell in frame[frame["at"].fillna("") != ""].itertuples() if "at" in frame else []:
            stage, *where = cell.at.split(" ")
            explained.add(stage)
            name = derivation.tip(Place(stage, *map(int, where)), "", bench, Text("heads", lang))
            assert cell.tip.startswith(name), cell
    assert explained == {"weights", "contribution", "concat", "combined"}


def test_every_matrix_on_offer_exists_and_is_explained():
    for bench in (CAT, replace(CAT, route="input", mask="causal"), w.with_heads(w.resized(CAT, d_model=8), 4)):
        for stage, head in (*trace.of_one(bench), *trace.of_heads(bench)):
            rows, columns = places.shape(bench, stage, head)
            last = Place(stage, rows - 1, columns - 1, head)
            assert places.exists(bench, last)
            assert derive(bench, last).lines


def test_a_cell_is_chosen_from_lists():
    """By keyboard, say: which matrix, which row, which column."""
    app = opened("edit", "en")
    app.selectbox(key="trace_matrix_en").select(("weights", -1)).run()
    assert code(app).cell == ("weights", 1, 0, -1)
    app.selectbox(key="trace_row_token_en").select(3).run()
    app.selectbox(key="trace_column_to_key_en").select(2).run()
    assert code(app).cell == ("weights", 3, 2, -1)
    app.selectbox(key="trace_matrix_en").select(("V", -1)).run()
    assert code(app).cell == ("V", 3, 2, -1)
    assert app.button(key="undo").disabled, "looking is no edit"
    app.button(key="trace_close").click().run()
    assert code(app).cell == ()
    assert invited(app)


def test_operands_lead_back_to_what_was_typed():
    app = opened("edit", "en", looking(CAT, "output", 1, 2))
    walked = []
    for _ in range(9):
        app.button_group(key="trace_operands").set_value(operands(app)[0]).run()
        assert_well(app)
        walked.append(code(app).cell[0])
        if not operands(app):
            break
    assert walked == ["weights", "scaled", "scores", "Q"]
    assert not [group for group in app.get("button_group") if group.key == "trace_operands"]
    assert catalogue("trace", "en")["origin_input"] in said(app)
    for stage in ("scores", "scaled", "weights", "output"):
        app.button(key="trace_back").click().run()
        assert code(app).cell[0] == stage
    assert app.button(key="trace_back").disabled


def operands(app):
    bench = code(app)
    return [operand.place for operand in derive(bench, places.chosen(bench)).operands]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("tokens", [("**b**", "$x$", "[a](b)", "猫"), ("**b**", "$x$", "**b**", "$x$")])
def test_tokens_are_shown_to_the_letter_where_markdown_is_read(tokens, lang):
    bench, names = w.with_tokens(CAT, tokens), in_sentences(tokens, Text("trace", lang))
    for cell in (("weights", 1, 0), ("scores", 1, 0), ("output", 1, 2)):
        app = opened("edit", lang, looking(bench, *cell))
        assert_well(app)
        title = next(each.value for each in app.markdown if "$$" in each.value).split("\n")[0]
        labels = app.button_group(key="trace_operands").options
        assert names[1] in title
        assert any(names[1] in label for label in labels)
        assert not [(raw, read) for raw in tokens[:3] for read in (title, *labels) if raw in read]


def test_the_chosen_cell_and_its_operands_are_framed():
    app = opened("edit", "en", looking(CAT, "output", 1, 2))
    frame = frames(app)[-1]
    framed = {(row.at, row.marked) for row in frame[frame["marked"] > 0].itertuples() if row.at.startswith("output")}
    assert framed == {("output 1 2 -1", charts.CHOSEN)}
    weights = frame[(frame["marked"] == charts.OPERAND)]["at"].tolist()
    assert weights == [f"weights 1 {k} -1" for k in range(4)]


def test_undo_changes_numbers_and_goes_on_looking():
    app = opened("edit", "en")
    app.button_group(key="pick_scale").set_value("none").run()
    app.selectbox(key="trace_matrix_en").select(("scaled", -1)).run()
    app.button(key="undo").click().run()
    assert code(app) == looking(CAT, "scaled", 1, 0)
    app.button(key="redo").click().run()
    assert code(app) == looking(replace(CAT, scale="none"), "scaled", 1, 0)


def test_the_trace_stays_open_when_the_mask_is_taken_away():
    app = opened("edit", "en", looking(replace(CAT, mask="causal"), "masked", 1, 0))
    app.button_group(key="pick_mask").set_value("none").run()
    assert app.selectbox(key="trace_matrix_en").value == ("scaled", -1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_cell_that_a_resize_removes_is_missed_in_a_sentence(lang):
    app = opened("edit", lang, looking(CAT, "output", 1, 3))
    app.session_state["sizes"] = True
    app.run()
    app.session_state["sizes"] = True
    app.number_input(key="size_d_v").set_value(2).run()
    assert_well(app)
    assert code(app).cell == ()
    missed = Text("common", lang)("cell_gone", stage=Text("trace", lang)("name_output"), row=2, column=4)
    assert missed in [warning.value for warning in app.warning]
    app.run()
    assert not app.warning, "it is said once"


def test_back_passes_over_cells_that_are_gone():
    app = opened("edit", "en", looking(CAT, "Q", 1, 3))
    for stage in ("V", "weights"):
        app.selectbox(key="trace_matrix_en").select((stage, -1)).run()
    narrow(app)
    app.button(key="trace_back").click().run()
    assert code(app).cell == ("Q", 1, 3, -1)
    assert app.button(key="trace_back").disabled


def test_there_is_no_way_back_to_cells_that_are_gone():
    app = opened("edit", "en", looking(CAT, "V", 1, 3))
    app.selectbox(key="trace_matrix_en").select(("weights", -1)).run()
    assert not app.button(key="trace_back").disabled
    narrow(app)
    assert app.button(key="trace_back").disabled


def narrow(app):
    """Take the columns 3 and 4 of V away."""
    app.session_state["lab"]["code"] = link.encode(w.resized(code(app), d_v=2))
    app.run()


def test_a_cell_that_does_not_exist_is_not_chosen(monkeypatch):
    """A chart may be clicked that was drawn before the sizes changed."""
    monkeypatch.setattr(state.st, "session_state", {})
    state.look(Place("V", 1, 3), "stages")
    before = state.lab() | {"trail": list(state.lab()["trail"])}
    state.look(Place("V", 1, 4), "elsewhere")
    assert state.lab() == before
    state.look(Place("Q", 1, 2))
    assert (state.lab()["trail"], state.lab()["spot"]) == ([("V", 1, 3, -1)], "stages")
    state.look(None)
    assert (state.lab()["trail"], state.lab()["spot"], state.bench().cell) == ([], "", ())


@pytest.mark.parametrize("cell", [("weights", 1, 4, -1), ("contribution", 0, 0, 5), ("Q", 900, 0, -1)])
def test_a_link_that_names_a_cell_out_of_range_opens_with_a_sentence(cell):
    bench = replace(w.preset("twins"), cell=cell)
    app = opened("edit", "en", bench)
    assert_well(app)
    assert code(app) == replace(bench, cell=())
    name = trace.matrix_name((cell[0], cell[3]), Text("trace", "en"))
    missed = Text("common", "en")("cell_gone", stage=name, row=cell[1] + 1, column=cell[2] + 1)
    assert missed in [warning.value for warning in app.warning]


@pytest.mark.parametrize("cell", [("nonsense", 0, 0, -1), ("weights", 0, 0), ("weights", -1, 0, -1), ("Q", 0, 0.5, -1)])
def test_what_names_no_cell_at_all_is_a_damaged_link(cell):
    broken = link.encode(replace(CAT, cell=cell))
    with pytest.raises(link.BadLink, match="damaged"):
        link.decode(broken)


def test_long_rows_fold_and_unfold():
    bench = looking(WIDE, "output", 0, 15)
    app = opened("edit", "en", bench)
    assert_well(app)
    assert explained(bench, "en") != explained(bench, "en", full=True)
    app.toggle(key="trace_full").set_value(True).run()
    for block in explained(bench, "en", full=True):
        assert block in said(app)
    app.toggle(key="trace_exact").set_value(True).run()
    for block in explained(bench, "en", full=True, exact=True):
        assert block in said(app)


def test_a_cell_of_the_heads_is_left_alone_by_the_edit_page_and_back():
    app = opened("edit", "en", looking(CAT, "combined", 0, 0))
    assert invited(app)
    app.switch_page("pages/heads.py").run()
    assert not invited(app)
    app.switch_page("pages/home.py").run()
    assert_well(app)


@pytest.mark.parametrize("extreme", ["1000000", "-1000000"])
def test_extreme_numbers_and_empty_rows_are_explained(extreme):
    wild = w.with_cells(CAT, "Q", {(1, 0): extreme})
    wild = w.with_allowed(wild, {(2, k): False for k in range(4)})
    for cell in (("weights", 1, 0), ("weights", 2, 1), ("masked", 2, 1), ("output", 2, 0), ("output", 1, 0)):
        app = spoken("edit", "en", looking(wild, *cell))
        assert "nan" not in "".join(explained(looking(wild, *cell), "en")).lower().replace("(nan)", "")
        assert app.selectbox(key="trace_row_token_en").value == cell[1]


def test_a_heads_output_is_framed_where_it_stands_in_concat():
    app = opened("heads", "en", looking(w.with_heads(CAT, 2), "contribution", 1, 0, head=1))
    framed = [frame[frame["marked"] > 0]["at"].tolist() for frame in frames(app) if "marked" in frame]
    assert ["concat 1 2 -1", "concat 1 3 -1"] in framed
