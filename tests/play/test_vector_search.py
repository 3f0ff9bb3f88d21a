"""How close memories are to a question, by vectors: right answers, or nothing and a clear notice."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gm.api.worlds.index import build_index, remove_index
from gm.base.installed import pip_install
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.model.node import Node
from gm.model.world import World
from gm.play.vector_search import VectorSearch, index_folder
from tests.api.indexed import configure
from tests.build import node
from tests.llm.vectors.embedding_api import EmbeddingApi, Reply, serving
from tests.llm.vectors.toy import ToyEmbedder, cosine

QUESTION = "Wer hat den Turm gebaut?"


@pytest.fixture
def world(played: Layout) -> World:
    """A played studio with an index."""
    world = configure(played)
    build_index(played, world, embedder=ToyEmbedder())
    return world


def similarities_of(
    layout: Layout, world: World, stream: Sequence[Node], question: str, embedder: ToyEmbedder | None = None
) -> tuple[Mapping[str, float] | None, tuple[str, ...]]:
    """Ask one question, in a command of its own."""
    search = VectorSearch(layout, world.settings.index, embedder)
    similarity = search.over({"vera": lambda: stream})
    found = similarity(question) if similarity else None
    return found, search.take_notices()


def stream_of(world: World, *more: str) -> tuple[Node, ...]:
    stream = world.agents["vera"].stream
    last = int(stream[-1].id.rpartition("-")[2])
    return (*stream, *(node(last + number, description=text) for number, text in enumerate(more, 1)))


def expected(stream: tuple[Node, ...]) -> dict[str, object]:
    return {one.id: pytest.approx(cosine(QUESTION, one.description), abs=1e-6) for one in stream}


def test_every_memory_has_its_cosine_and_only_the_question_is_embedded(played: Layout, world: World) -> None:
    stream = stream_of(world)
    embedder = ToyEmbedder()
    found, notices = similarities_of(played, world, stream, QUESTION, embedder=embedder)
    assert found == expected(stream)
    assert (notices, embedder.calls) == ((), [[QUESTION]])


def test_a_few_new_memories_are_embedded_with_the_first_question_and_kept(played: Layout, world: World) -> None:
    stream = stream_of(world, "Der Turm ist neu.", "Noch etwas.")
    embedder = ToyEmbedder()
    search = VectorSearch(played, world.settings.index, embedder)
    similarity = search.over({"vera": lambda: stream})
    assert similarity is not None
    assert similarity(QUESTION) == expected(stream)
    similarity("Und dann?")
    assert (search.take_notices(), embedder.calls) == (
        (),
        [[QUESTION, "Der Turm ist neu.", "Noch etwas."], ["Und dann?"]],
    )
    again = ToyEmbedder()
    assert similarities_of(played, world, stream, QUESTION, embedder=again)[0] == expected(stream)
    assert again.calls == [[QUESTION]]


def test_what_is_embedded_while_another_process_writes_is_used_and_not_kept(played: Layout, world: World) -> None:
    stream = stream_of(world, "Der Turm ist neu.")
    with locked(played.vectors_lock, "gm index build"):
        found, notices = similarities_of(played, world, stream, QUESTION, embedder=ToyEmbedder())
    assert (found, notices) == (expected(stream), ())
    again = ToyEmbedder()
    similarities_of(played, world, stream, QUESTION, embedder=again)
    assert again.calls == [[QUESTION, "Der Turm ist neu."]]


def test_what_another_process_has_added_meanwhile_is_not_added_twice(played: Layout, world: World) -> None:
    stream = stream_of(world, "Der Turm ist neu.")
    similarity = VectorSearch(played, world.settings.index, ToyEmbedder()).over({"vera": lambda: stream})
    assert similarity is not None
    similarities_of(played, world, stream, QUESTION, embedder=ToyEmbedder())
    assert similarity(QUESTION) == expected(stream)
    rows = (index_folder(played, "vera") / "rows-1.txt").read_bytes().splitlines()
    assert len(rows) == len(set(rows)) == len(stream)


def test_many_new_memories_are_left_out_and_noticed(played: Layout) -> None:
    world = configure(played, catch_up=1)
    build_index(played, world, embedder=ToyEmbedder())
    stream = stream_of(world, "Der Turm ist neu.", "Noch etwas.")
    embedder = ToyEmbedder()
    found, notices = similarities_of(played, world, stream, QUESTION, embedder=embedder)
    assert found == expected(stream[:-2])
    assert embedder.calls == [[QUESTION]]
    count = len(stream)
    assert notices == (f"2 of {count} memories are not in the index and are found by their words: gm index build",)


def test_an_edited_memory_is_never_found_by_what_it_said_before(played: Layout, world: World) -> None:
    stream = stream_of(world)
    edited = (node(int(stream[0].id[-3:]), description="Ganz anders."), *stream[1:])
    found, _ = similarities_of(played, world, edited, QUESTION, embedder=ToyEmbedder())
    assert found == expected(edited)


def test_an_index_that_is_switched_off_is_no_notice(played: Layout) -> None:
    world = configure(played, enabled=False)
    build_index(played, world, embedder=ToyEmbedder())
    embedder = ToyEmbedder()
    assert similarities_of(played, world, stream_of(world), QUESTION, embedder=embedder) == (None, ())
    assert embedder.calls == []


def lexical_notice(layout: Layout, world: World, embedder: ToyEmbedder | None = None) -> str:
    """Ask; expect nothing and one notice."""
    found, notices = similarities_of(layout, world, stream_of(world), QUESTION, embedder=embedder)
    assert found is None
    (notice,) = notices
    assert notice.startswith("no index, words only: ")
    return notice


def test_a_deleted_index_is_noticed(played: Layout, world: World) -> None:
    remove_index(played)
    embedder = ToyEmbedder()
    assert "there is no index; gm index build makes one" in lexical_notice(played, world, embedder)
    assert embedder.calls == [], "nobody is paid for nothing"


@pytest.mark.parametrize(("setting", "value"), [("model", "other"), ("dimensions", 32)])
def test_an_index_of_another_model_or_length_is_noticed(
    played: Layout, world: World, setting: str, value: object
) -> None:
    others: dict[str, Any] = {setting: value}
    notice = lexical_notice(played, configure(played, **others), ToyEmbedder())
    assert "the index was made with toy (64 dimensions)" in notice
    assert "gm index build" in notice


def test_a_provider_that_gives_another_length_is_noticed(played: Layout, world: World) -> None:
    assert "32 dimensions, 64 are configured" in lexical_notice(played, world, ToyEmbedder(dimensions=32))


def test_a_provider_that_is_down_is_noticed_with_what_to_do(played: Layout, world: World) -> None:
    notice = lexical_notice(played, world)
    assert "no embedding server answers at http://127.0.0.1:9" in notice
    assert "ollama pull toy" in notice


def test_an_address_that_is_none_is_noticed(played: Layout, world: World) -> None:
    assert "index.url" in lexical_notice(played, configure(played, "nowhere"))


def test_a_missing_package_is_noticed(played: Layout, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "simsimd", None)
    assert pip_install("index") in lexical_notice(played, world, ToyEmbedder())


@pytest.mark.parametrize("name", ["index.json", "vectors-1.f32", "rows-1.txt"])
@pytest.mark.parametrize("damage", ["gone", "empty", "half", "garbage", "flipped"])
def test_a_damaged_index_gives_right_answers_or_a_notice(played: Layout, world: World, name: str, damage: str) -> None:
    path = index_folder(played, "vera") / name
    data = path.read_bytes()
    _damage(path, data, damage)
    stream = stream_of(world)
    found, notices = similarities_of(played, world, stream, QUESTION, embedder=ToyEmbedder())
    if found is None:
        assert len(notices) == 1
    else:
        assert found == expected(stream), "what is damaged was embedded again"
    build_index(played, world, embedder=ToyEmbedder())
    assert similarities_of(played, world, stream, QUESTION, embedder=ToyEmbedder()) == (
        expected(stream),
        (),
    )


def _damage(path: Path, data: bytes, how: str) -> None:
    if how == "gone":
        path.unlink()
    elif how == "flipped":
        path.write_bytes(bytes([*data[:40], data[40] ^ 4, *data[41:]]))
    else:
        path.write_bytes({"empty": b"", "half": data[: len(data) // 2], "garbage": os.urandom(len(data))}[how])


def test_a_server_is_asked_over_its_wire_and_its_form_is_remembered(played: Layout) -> None:
    with serving(EmbeddingApi("/v1/embeddings")) as api:
        world = configure(played, api.url)
        build_index(played, world)
        before = len(api.requests)
        stream = stream_of(world)
        assert similarities_of(played, world, stream, QUESTION) == (expected(stream), ())
        assert api.requests[before:] == [("/v1/embeddings", {"model": "toy", "input": [QUESTION]})]


def test_a_server_that_speaks_nonsense_is_noticed(played: Layout, world: World) -> None:
    with serving(EmbeddingApi(script=lambda *_: Reply(200, "<html>"))) as api:
        assert "speaks no form of embeddings" in lexical_notice(played, configure(played, api.url))


def test_what_has_landed_is_embedded_in_one_batch_for_all_characters(played: Layout, world: World) -> None:
    streams = {name: (*agent.stream, node(99, agent=name, description="Neu.")) for name, agent in world.agents.items()}
    embedder = ToyEmbedder(batch=64)
    search = VectorSearch(played, world.settings.index, embedder)
    assert search.catch_up(streams)
    assert embedder.calls == [["Neu."] * len(streams)]
    assert search.catch_up(streams)
    assert len(embedder.calls) == 1, "nothing is left to do"


def test_an_index_of_another_model_is_left_to_gm_index_build(played: Layout, world: World) -> None:
    before = {path: path.read_bytes() for path in index_folder(played, "vera").iterdir()}
    embedder = ToyEmbedder()
    other = configure(played, model="other").settings.index
    assert VectorSearch(played, other, embedder).catch_up({"vera": stream_of(world, "Neu.")})
    assert {path: path.read_bytes() for path in index_folder(played, "vera").iterdir()} == before
    assert embedder.calls == []


def test_what_cannot_be_kept_now_is_embedded_by_a_later_landing(played: Layout, world: World) -> None:
    streams = {"vera": stream_of(world, "Neu.")}
    search = VectorSearch(played, world.settings.index, ToyEmbedder())
    with locked(played.vectors_lock, "gm index build"):
        assert not search.catch_up(streams)
    assert search.catch_up(streams)
    assert similarities_of(played, world, streams["vera"], QUESTION, ToyEmbedder())[0] == expected(streams["vera"])


def test_questions_of_several_streams_are_one_batch_and_each_is_embedded_once(played: Layout, world: World) -> None:
    embedder = ToyEmbedder()
    search = VectorSearch(played, world.settings.index, embedder)
    asked = [search.over({name: lambda name=name: world.agents[name].stream}) for name in ("vera", "emre")]  # type: ignore[misc]
    with search.together():
        assert [similarity(text) for similarity in asked if similarity for text in (QUESTION, "Wer?")] == [None] * 4
    assert embedder.calls == [[QUESTION, "Wer?"]]
    assert all(similarity(text) for similarity in asked if similarity for text in (QUESTION, "Wer?"))
    assert len(embedder.calls) == 1


def test_after_a_failure_nothing_is_embedded_and_it_is_told_once(played: Layout, world: World) -> None:
    embedder = ToyEmbedder(fail_after=0)
    search = VectorSearch(played, world.settings.index, embedder)
    similarity = search.over({"vera": lambda: stream_of(world)})
    assert similarity is not None
    assert [similarity(QUESTION), similarity("Wer?")] == [None, None]
    assert not search.catch_up({"vera": stream_of(world, "Neu.")})
    (notice,) = search.take_notices()
    assert notice == "no index, words only: the provider went away; start it again (until the end of this command)"
    assert search.take_notices() == ()
