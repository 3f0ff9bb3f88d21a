"""What an index says about a stream, and exact search against plain Python."""

from __future__ import annotations

import math
import sys
from array import array
from dataclasses import replace
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.installed import pip_install
from gm.llm.vectors.base import EmbeddingError, normalise
from gm.llm.vectors.opened import APART, OpenedIndex, build, open_vectors, stretches
from gm.llm.vectors.similarities import Similarities, best, join, score
from gm.llm.vectors.texts import Recipe, embed_texts
from gm.model.node import Node
from tests.build import node
from tests.llm.vectors.toy import ToyEmbedder, cosine, row

RECIPE = Recipe("toy", 64)
TEXTS = (
    "Der Turm steht schief.",
    "Die Glut ist Geld.",
    "Tobi leitet die Runde.",
    "Der Turm hat eine Schwelle.",
    "Asche.",
)
STREAM = tuple(node(number, description=text) for number, text in enumerate(TEXTS, 1))
QUESTION = "Was ist mit dem Turm?"


def make(folder: Path, stream: tuple[Node, ...] = STREAM) -> OpenedIndex:
    build(folder, stream, ToyEmbedder(), RECIPE)
    return open_vectors(folder, stream, RECIPE)


def ask(opened: OpenedIndex, stream: tuple[Node, ...] = STREAM) -> Similarities:
    return join(opened, stream, ())


def expected(stream: tuple[Node, ...] = STREAM) -> dict[str, object]:
    return {one.id: pytest.approx(cosine(QUESTION, one.description), abs=1e-6) for one in stream}


def test_every_memory_has_its_cosine_in_stream_order(tmp_path: Path) -> None:
    found = ask(make(tmp_path)).to(row(QUESTION))
    assert found == expected()
    assert list(found) == [one.id for one in STREAM]


def test_the_closest_come_first(tmp_path: Path) -> None:
    found = ask(make(tmp_path)).to(row(QUESTION), 2)
    ranked = sorted(STREAM, key=lambda one: -cosine(QUESTION, one.description))
    assert list(found) == [one.id for one in ranked[:2]]


def test_only_allowed_memories_are_named(tmp_path: Path) -> None:
    similar = ask(make(tmp_path))
    assert list(similar.to(row(QUESTION), allowed=["vera-005", "vera-002", "emre-001"])) == ["vera-002", "vera-005"]
    assert set(similar.to(row(QUESTION), 1, {"vera-002", "vera-005"})) < {"vera-002", "vera-005"}
    assert similar.to(row(QUESTION), 3, []) == {}


def test_equal_ones_keep_the_order_of_the_stream(tmp_path: Path) -> None:
    same = tuple(node(number, description="Immer dasselbe.") for number in (3, 1, 2))
    assert list(ask(make(tmp_path, same), same).to(row(QUESTION), 3)) == ["vera-003", "vera-001", "vera-002"]


LONG = node(6, description="Emre backt Brot. Der Turm hat eine Tür. Nami liest.")
GIVEN = node(7, description="Leo ist Weber.", metadata={"canonical": ["Wer webt hier?", "Was ist mit dem Turm los?"]})
PIECES = ("Emre backt Brot.", "Der Turm hat eine Tür.", "Nami liest.")


def several(folder: Path, stream: tuple[Node, ...]) -> OpenedIndex:
    recipe = replace(RECIPE, chunk_chars=25)
    build(folder, stream, ToyEmbedder(), recipe)
    return open_vectors(folder, stream, recipe)


def test_the_best_piece_counts_for_a_long_memory_and_the_best_alias_for_a_given_one(tmp_path: Path) -> None:
    stream = (*STREAM, LONG, GIVEN)
    opened = several(tmp_path, stream)
    found = ask(opened, stream).to(row(QUESTION))
    best = max(cosine(QUESTION, text) for text in PIECES)
    alias = max(cosine(QUESTION, text) for text in (GIVEN.description, "Wer webt hier?", "Was ist mit dem Turm los?"))
    assert list(found) == [one.id for one in stream]
    assert found["vera-006"] == pytest.approx(best, abs=1e-6)
    assert found["vera-007"] == pytest.approx(alias, abs=1e-6)
    assert list(ask(opened, stream).to(row(QUESTION), 1)) == ["vera-007"]
    assert set(ask(opened, stream).to(row(QUESTION), 2, ["vera-005", "vera-006"])) == {"vera-005", "vera-006"}


def test_several_vectors_of_one_memory_take_one_place_of_those_asked_for(tmp_path: Path) -> None:
    stream = (LONG, STREAM[4], GIVEN)
    assert len(ask(several(tmp_path, stream), stream).to(row(QUESTION), 3)) == 3


def test_pieces_made_just_now_stand_beside_those_of_an_index(tmp_path: Path) -> None:
    stream = (STREAM[0], LONG, STREAM[1])
    several(tmp_path, (STREAM[0], STREAM[1]))
    opened = open_vectors(tmp_path, stream, replace(RECIPE, chunk_chars=25))
    found = join(opened, stream, [("vera-006", row(text)) for text in PIECES]).to(row(QUESTION))
    assert list(found) == [one.id for one in stream]
    assert found["vera-006"] == pytest.approx(max(cosine(QUESTION, text) for text in PIECES), abs=1e-6)


def test_a_memory_with_a_missing_piece_is_missing(tmp_path: Path) -> None:
    several(tmp_path, (LONG,))
    edited = replace(LONG, description=LONG.description.replace("liest", "schreibt"))
    opened = open_vectors(tmp_path, (edited,), replace(RECIPE, chunk_chars=25))
    assert (opened.missing, opened.ids) == ((edited,), ())


def test_a_memory_is_as_close_as_all_of_it_and_its_best_sentence(tmp_path: Path) -> None:
    recipe = replace(RECIPE, sentences=True)
    stream = (*STREAM[:2], LONG, *STREAM[2:])
    build(tmp_path, stream, ToyEmbedder(), recipe)
    found = ask(open_vectors(tmp_path, stream, recipe), stream).to(row(QUESTION))
    assert list(found) == [one.id for one in stream]
    whole = cosine(QUESTION, LONG.description)
    sentence = max(cosine(QUESTION, text) for text in recipe.texts(LONG))
    assert found[LONG.id] == pytest.approx((whole + max(whole, sentence)) / 2, abs=1e-6)
    assert {one: found[one] for one in expected()} == expected()
    fresh = (*stream, node(9, description="Im Turm ist es kalt. Die Schwelle ist nass geworden."))
    opened = open_vectors(tmp_path, fresh, recipe)
    made = [(one.id, row(text)) for one in opened.missing for text in recipe.texts(one)]
    now = join(opened, fresh, made, details=range(1, len(made))).to(row(QUESTION))
    build(tmp_path, fresh, ToyEmbedder(), recipe)
    assert now == pytest.approx(ask(open_vectors(tmp_path, fresh, recipe), fresh).to(row(QUESTION)), abs=1e-6)


def test_rows_that_every_question_is_held_against_lie_together_after_a_build(tmp_path: Path) -> None:
    recipe = replace(RECIPE, sentences=True)
    stream = tuple(node(number, description=f"Der Turm {number} steht. Die Glut ist Geld.") for number in range(1, 31))
    for count in (20, 25, 30):
        build(tmp_path, stream[:count], ToyEmbedder(), recipe)
    opened = open_vectors(tmp_path, stream, recipe)
    assert sorted(opened.rows) == list(range(30))
    assert ask(opened, stream).to(row("Der Turm 29 steht."), 1).keys() == {"vera-029"}


@given(st.sets(st.integers(0, 400), min_size=1))
def test_stretches_hold_every_row_and_few_others(rows: set[int]) -> None:
    found = stretches(rows)
    covered = {row for begin, end in found for row in range(begin, end)}
    assert rows <= covered
    assert all(later[0] - earlier[1] > APART for earlier, later in pairwise(found))
    assert {begin for begin, _ in found} | {end - 1 for _, end in found} <= rows


def test_an_edited_memory_has_no_vector_until_it_has_a_new_one(tmp_path: Path) -> None:
    make(tmp_path)
    edited = (STREAM[0], replace(STREAM[1], description="Die Glut ist Zeit."), *STREAM[2:])
    opened = open_vectors(tmp_path, edited, RECIPE)
    assert [one.id for one in opened.missing] == ["vera-002"]
    assert opened.stale == 1
    assert set(ask(opened, edited).to(row(QUESTION))) == {one.id for one in edited} - {"vera-002"}


def test_vectors_made_just_now_take_their_place_in_the_stream(tmp_path: Path) -> None:
    make(tmp_path, (STREAM[0], STREAM[2]))
    opened = open_vectors(tmp_path, STREAM, RECIPE)
    made = [(one.id, row(one.description)) for one in opened.missing]
    found = join(opened, STREAM, made).to(row(QUESTION))
    assert found == expected()
    assert list(found) == [one.id for one in STREAM]


@pytest.mark.parametrize("recipe", [Recipe("other", 64), Recipe("toy", 32)])
def test_an_index_of_another_model_or_length_is_not_used(tmp_path: Path, recipe: Recipe) -> None:
    make(tmp_path)
    opened = open_vectors(tmp_path, STREAM, recipe)
    assert opened.shelf is None
    assert (
        opened.reason
        == f"the index was made with toy (64 dimensions), {recipe.model} ({recipe.dimensions}) is configured"
    )
    assert opened.missing == STREAM


def test_other_prefixes_are_other_texts(tmp_path: Path) -> None:
    make(tmp_path)
    assert open_vectors(tmp_path, STREAM, replace(RECIPE, text_prefix="passage: ")).missing == STREAM


def test_no_index_is_said(tmp_path: Path) -> None:
    assert open_vectors(tmp_path / "nowhere", STREAM, RECIPE).reason == "there is no index"


def test_an_index_that_may_not_be_read_is_none(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "rows-1.txt").unlink()
    (tmp_path / "rows-1.txt").mkdir()
    assert open_vectors(tmp_path, STREAM, RECIPE).reason == "the index cannot be read: found a folder, expected a file"


def test_an_empty_stream_has_an_answer(tmp_path: Path) -> None:
    assert ask(make(tmp_path, ()), ()).to(row(QUESTION)) == {}
    assert ask(make(tmp_path, ()), ()).to(row(QUESTION), 5) == {}


def test_a_question_and_late_memories_are_one_call() -> None:
    embedder = ToyEmbedder()
    recipe = Recipe("toy", 64, "text: ", "question: ")
    vectors = embed_texts(
        embedder, recipe, [recipe.question("wer?"), *(text for one in STREAM[:2] for text in recipe.texts(one))]
    )
    assert embedder.calls == [["question: wer?", f"text: {TEXTS[0]}", f"text: {TEXTS[1]}"]]
    assert vectors[0] == row("question: wer?")


def test_many_texts_are_several_calls() -> None:
    embedder = ToyEmbedder(batch=2)
    assert embed_texts(embedder, RECIPE, TEXTS) == [row(text) for text in TEXTS]
    assert [len(call) for call in embedder.calls] == [2, 2, 1]


def test_vectors_of_another_length_are_refused() -> None:
    with pytest.raises(EmbeddingError, match=r"toy \(the test\) gives vectors of 32 dimensions, 64 are configured"):
        embed_texts(ToyEmbedder(dimensions=32), RECIPE, TEXTS)


@given(
    texts=st.lists(st.text(max_size=12), max_size=15),
    edits=st.lists(st.tuples(st.integers(0, 14), st.text(max_size=12)), max_size=6),
)
def test_after_any_edit_of_a_stream_its_index_answers_as_a_new_one_would(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], edits: list[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    stream = tuple(node(number, description=text) for number, text in enumerate(texts, 1))
    make(folder, stream)
    for place, text in edits:
        if place < len(stream):
            stream = (*stream[:place], replace(stream[place], description=text), *stream[place + 1 :])
        else:
            stream = stream[1:]
        opened = make(folder, stream)
        assert opened.missing == ()
        assert ask(opened, stream).to(row(QUESTION)) == expected(stream)


whole_numbers = st.integers(-9, 9).map(float)


def plain(rows: list[list[float]], query: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(normalise(row), normalise(query), strict=True)) for row in rows]


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[list[float]], list[float]]:
    width = draw(st.integers(1, 20))
    vector = st.lists(whole_numbers, min_size=width, max_size=width)
    return draw(st.lists(vector, max_size=30)), draw(vector)


def joined(rows: list[list[float]]) -> memoryview:
    return memoryview(b"".join(normalise(row).tobytes() for row in rows))


@given(questions())
def test_each_row_gets_its_cosine(question: tuple[list[list[float]], list[float]]) -> None:
    rows, query = question
    assert score(joined(rows), normalise(query)) == pytest.approx(plain(rows, query), abs=1e-5)


@pytest.mark.parametrize("piece", [8, 4096, 10_000])
def test_pieces_make_no_difference(piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[math.sin(row * column + row) for column in range(7)] for row in range(3000)]
    path = tmp_path / "rows"
    path.write_bytes(joined(rows))
    monkeypatch.setattr("gm.llm.vectors.similarities.PIECE_BYTES", piece)
    with open(path, "rb") as file:
        mapped = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    assert score(mapped, normalise(rows[5])) == pytest.approx(plain(rows, rows[5]), abs=1e-5)


@given(st.lists(whole_numbers, max_size=40), st.integers(0, 50))
def test_the_best_come_first_and_equal_ones_in_their_order(values: list[float], count: int) -> None:
    assert best(values, count) == sorted(range(len(values)), key=lambda place: (-values[place], place))[:count]


def test_a_missing_package_is_said_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simsimd", None)
    with pytest.raises(EmbeddingError, match="simsimd is not installed") as caught:
        score(memoryview(b""), array("f", [1.0]))
    assert pip_install("index") in caught.value.hint
