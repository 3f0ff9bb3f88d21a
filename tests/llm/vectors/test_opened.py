"""Building an index: only what is missing is embedded, and what was embedded is kept."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from gm.llm.vectors import opened as module
from gm.llm.vectors.base import EmbeddingError
from gm.llm.vectors.opened import Built, build, open_vectors
from gm.llm.vectors.texts import Recipe
from gm.model.node import Node
from tests.build import node
from tests.llm.vectors.toy import ToyEmbedder

RECIPE = Recipe("toy", 64)
STREAM = tuple(node(number, description=f"Satz {number}") for number in range(1, 21))


def make(folder: Path, stream: tuple[Node, ...] = STREAM, **others: object) -> tuple[Built, ToyEmbedder]:
    embedder = ToyEmbedder()
    return build(folder, stream, embedder, RECIPE, **others), embedder  # type: ignore[arg-type]


def test_everything_is_embedded_once_in_batches(tmp_path: Path) -> None:
    built, embedder = make(tmp_path)
    assert built == Built(embedded=20, rows=20, dropped=0)
    assert embedder.texts == [one.description for one in STREAM]
    assert [len(call) for call in embedder.calls] == [8, 8, 4]


def test_a_second_time_there_is_nothing_to_do_and_nothing_is_embedded(tmp_path: Path) -> None:
    make(tmp_path)
    built, embedder = make(tmp_path)
    assert (built.embedded, embedder.calls) == (0, [])


def test_new_memories_are_added_behind(tmp_path: Path) -> None:
    make(tmp_path, STREAM[:15])
    built, embedder = make(tmp_path)
    assert (built.embedded, built.rows) == (5, 20)
    assert embedder.texts == [one.description for one in STREAM[15:]]


def test_an_edited_description_is_embedded_alone(tmp_path: Path) -> None:
    make(tmp_path)
    edited = (*STREAM[:3], replace(STREAM[3], description="Anders."), *STREAM[4:])
    built, embedder = make(tmp_path, edited)
    assert (built.embedded, embedder.texts) == (1, ["Anders."])
    assert open_vectors(tmp_path, edited, RECIPE).stale == 1


def test_an_edit_in_a_long_description_embeds_its_own_pieces_and_nothing_else(tmp_path: Path) -> None:
    recipe = replace(RECIPE, chunk_chars=30)
    long = replace(STREAM[4], description="Der Turm steht schief. Die Glut ist alt.")
    stream = (*STREAM[:4], long, *STREAM[5:])
    first = build(tmp_path, stream, ToyEmbedder(), recipe)
    assert (first.embedded, first.rows) == (20, 21)
    edited = (*STREAM[:4], replace(long, description="Der Turm steht schief. Die Glut ist neu."), *STREAM[5:])
    embedder = ToyEmbedder()
    built = build(tmp_path, edited, embedder, recipe)
    assert (built.embedded, embedder.texts) == (1, ["Die Glut ist neu."])
    assert open_vectors(tmp_path, edited, recipe).missing == ()


def test_other_tags_cost_nothing(tmp_path: Path) -> None:
    make(tmp_path)
    assert make(tmp_path, tuple(replace(one, tags=("neu",)) for one in STREAM))[1].calls == []


def test_rows_of_memories_that_are_gone_are_dropped_when_they_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_ROWS", 3)
    make(tmp_path)
    assert make(tmp_path, STREAM[4:])[0].dropped == 0
    built, embedder = make(tmp_path, STREAM[6:])
    assert (built.dropped, built.rows, embedder.calls) == (6, 14, [])
    opened = open_vectors(tmp_path, STREAM[6:], RECIPE)
    assert (opened.missing, opened.stale) == ((), 0)


def test_another_model_embeds_everything_again(tmp_path: Path) -> None:
    make(tmp_path)
    embedder = ToyEmbedder()
    build(tmp_path, STREAM, embedder, Recipe("other", 64))
    assert len(embedder.texts) == 20


def test_who_wants_it_anew_gets_it_anew(tmp_path: Path) -> None:
    make(tmp_path)
    assert make(tmp_path, anew=True)[0] == Built(embedded=20, rows=20, dropped=0)


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError):
        build(tmp_path, STREAM, ToyEmbedder(fail_after=2), RECIPE)
    built, embedder = make(tmp_path)
    assert (built.embedded, built.rows) == (4, 20)
    assert embedder.texts == [one.description for one in STREAM[16:]]


class KilledEmbedder(ToyEmbedder):
    """Ends its process, as a kill does, when it is asked for the third time."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if len(self.calls) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts)


def test_a_killed_build_goes_on_where_it_stopped(tmp_path: Path) -> None:
    stream = tuple(node(number, description=f"Satz Nummer {number}.") for number in range(1, 8))
    building = get_context("fork").Process(target=build, args=(tmp_path, stream, KilledEmbedder(batch=2), RECIPE))
    building.start()
    building.join()
    assert building.exitcode == -signal.SIGKILL
    embedder = ToyEmbedder(batch=2)
    assert build(tmp_path, stream, embedder, RECIPE) == Built(3, 7, 0)
    assert embedder.texts == [memory.description for memory in stream[4:]]


def test_progress_is_told_after_each_batch(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    make(tmp_path, tell=lambda *what: told.append(what))
    assert told == [(done, 20) for done in (8, 16, 20)]


def test_the_graph_of_an_earlier_version_is_taken_away_and_the_vectors_stay(tmp_path: Path) -> None:
    folder = tmp_path / "vera"
    make(folder)
    (folder / "near-1.usearch").write_bytes(b"a graph")
    built, _ = make(folder)
    assert built.embedded == 0
    assert sorted(path.name for path in folder.iterdir()) == ["index.json", "rows-1.txt", "vectors-1.f32"]
