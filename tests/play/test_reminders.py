"""What comes to mind while one question is put together."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from gm.api.reports.recall import RecallOptions, recall_memories
from gm.api.worlds.index import build_index
from gm.ask.prompt.context import Assembler
from gm.base.config import IndexSettings, Settings
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.streams.strength import count_recalled
from gm.memory.recall.query import Filters, Query, QueryResult
from gm.memory.recall.strategies import rank_memories
from gm.model.calendar import SceneRef
from gm.model.node import Node, render_node
from gm.model.scene import Scene
from gm.model.world import World
from gm.play import memory_search
from gm.play.memory_search import MemorySearch, Search, make_query, open_search, search_memories
from gm.play.prompts import open_prompts
from gm.play.reminders import choose_window, read_seeds
from gm.play.vector_search import VectorSearch
from tests.api.indexed import configure
from tests.build import node
from tests.llm.vectors.toy import ToyEmbedder
from tests.stories.playing import set_sections


def opened(layout: Layout) -> tuple[World, MemorySearch]:
    prompts = open_prompts(layout, Settings())
    world = load_world(layout, prompts.scene_types()).world
    return world, open_search(layout, Assembler(prompts), lambda _text: None, VectorSearch(layout, IndexSettings()))


def talk(world: World, *cast: str) -> Scene:
    return Scene(SceneRef(2, 1), world.scene_types["ENCOUNTER"], "noon", "flur", cast, why="", premise="")


def searches(world: World, scene: Scene) -> list[Search]:
    query = make_query(world, world.agents["vera"], scene, "Aschen-Einöden Turm Knochen Brief")
    about = Filters(about=("emre",))
    return [Search(query, most, filters=filters) for filters in (Filters(), about) for most in (10, 7, 10, 30, 1)]


def test_a_ranking_that_was_made_once_gives_what_a_search_of_its_own_gives(played: Layout) -> None:
    world, means = opened(played)
    vera = world.agents["vera"]
    wanted = searches(world, talk(world, "vera", "emre"))
    alone = [found_alone(played, world, search) for search in wanted]
    together = [search_memories(means, world, vera, search) for search in wanted]
    means.close()
    assert together == alone
    assert [len(found) for found in alone[:2]] == [10, 7]


@pytest.fixture
def ranked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions for which memories were ranked, in order."""
    asked: list[str] = []
    ask = rank_memories

    def counted(strategy: str, query: Query, *more: Any) -> QueryResult:
        asked.append(query.text)
        return ask(strategy, query, *more)

    monkeypatch.setattr(memory_search, "rank_memories", counted)
    return asked


def test_a_question_that_returns_is_ranked_anew_only_when_memories_or_counters_changed(
    played: Layout, ranked: list[str]
) -> None:
    world, means = opened(played)
    search = searches(world, talk(world, "vera", "emre"))[0]
    fading = replace(world, settings=replace(world.settings, decay=replace(world.settings.decay, enabled=True)))

    def found(world: World = world) -> list[Node]:
        return search_memories(means, world, world.agents["vera"], search)

    before = found()
    assert found() == before
    assert len(ranked) == 1
    assert found(fading) == found(fading)
    assert len(ranked) == 2
    count_recalled(played, 1, [before[0].id])
    found(fading)
    assert len(ranked) == 3
    new = node(900, description=f"{search.query.text}.", created="day-001/scene-09")
    with played.stream("vera").open("a", encoding="utf-8") as file:
        file.write(render_node(new) + "\n")
    world, _ = opened(played)
    assert found(world)[0].id == new.id
    assert len(ranked) == 4
    means.close()


def test_a_ranking_by_vectors_is_kept_until_memories_are_embedded(played: Layout, ranked: list[str]) -> None:
    world = configure(played)
    build_index(played, world, embedder=ToyEmbedder())
    vera, prompts = world.agents["vera"], open_prompts(played, world.settings)
    vectors = VectorSearch(played, world.settings.index, ToyEmbedder())
    means = open_search(played, Assembler(prompts), lambda _text: None, vectors)
    search = searches(world, talk(opened(played)[0], "vera", "emre"))[0]
    with vectors.together():  # only collects the question
        search_memories(means, world, vera, search)
    found = search_memories(means, world, vera, search)
    assert search_memories(means, world, vera, search) == found
    assert len(ranked) == 2
    vectors.catch_up({"vera": vera.everything})
    assert search_memories(means, world, vera, search) == found
    assert len(ranked) == 3
    means.close()


def found_alone(layout: Layout, world: World, search: Search) -> list[Node]:
    """Search where nothing was ranked before."""
    _, means = opened(layout)
    found = search_memories(means, world, world.agents["vera"], search)
    means.close()
    return found


def test_seed_memories_are_read_again_when_their_file_is_another_one(played: Layout) -> None:
    path = played.gifted("vera")
    path.parent.mkdir(exist_ok=True)
    assert read_seeds(played, "vera") == ()
    line = (
        '{"id": "vera-001", "created": "day-000", "type": "observation", "depth": 0, "description": "Der Turm steht.",'
        ' "importance": 5, "tags": [], "evidence": [], "metadata": {}}\n'
    )
    path.write_text(line, encoding="utf-8")
    assert [node.description for node in read_seeds(played, "vera")] == ["Der Turm steht."]
    path.write_text(line.replace("steht", "fällt"), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert [node.description for node in read_seeds(played, "vera")] == ["Der Turm fällt."]


def remember(layout: Layout, *texts: str) -> None:
    """Let Vera have lived through a scene of day 1 for each text."""
    nodes = (
        node(number, description=text, created=f"day-001/scene-{number:02d}") for number, text in enumerate(texts, 1)
    )
    layout.memories.mkdir(parents=True, exist_ok=True)
    layout.stream("vera").write_text("".join(render_node(one) + "\n" for one in nodes), encoding="utf-8")


def test_scenes_and_questions_find_the_things_of_a_kind(studio: Layout) -> None:
    question = "Welches Instrument?"
    remember(studio, "Meine Geige ist verstimmt.", "Ich habe eine neue Lampe.", "Es regnet.", "Das Tor klemmt.")
    world, means = opened(studio)
    query = make_query(world, world.agents["vera"], talk(world, "vera", "emre"), question, "past")
    first, *_ = search_memories(means, world, world.agents["vera"], Search(query, 3))
    means.close()
    assert first.id == "vera-001"
    assert recall_memories(studio, "vera", question, RecallOptions(most=1)).memories[0].id == "vera-001"


def test_the_window_has_weights_of_its_own(studio: Layout) -> None:
    remember(studio, "Die Glocke ist gesprungen.", *["Staub liegt da."] * 18)
    shown = []
    for weights in ("{now_recency: 0, now_importance: 0}", "{window_recency: 0}"):
        set_sections(studio.settings, f"retrieval: {{strategy: hybrid, last: 6}}\nrecall: {weights}\n")
        world, means = opened(studio)
        scene = replace(talk(world, "vera", "emre"), topic="Die Glocke")
        window = choose_window(means, world, world.agents["vera"], scene)
        means.close()
        assert window is not None
        shown.append([one.id for one in window.nodes])
    newest = [f"vera-{number:03d}" for number in range(15, 20)]
    assert shown[0] == ["vera-014", *newest]
    assert shown[1] == ["vera-001", *newest]
