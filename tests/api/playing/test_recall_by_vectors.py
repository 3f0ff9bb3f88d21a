"""Recall with an embedding index: found by meaning, and by words with one notice where the index cannot help."""

from __future__ import annotations

import pytest

from gm.api.editing.gift import give_memories
from gm.api.playing.mind.mind import open_mind
from gm.api.playing.mind.searching import recall_facts
from gm.api.reports.gifted import rank_gifted
from gm.api.reports.recall import RecallOptions, open_recall
from gm.api.worlds.index import build_index
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from gm.play.vector_search import VectorSearch
from tests.api.indexed import configure
from tests.cli.running import Run
from tests.llm.vectors.embedding_api import EmbeddingApi, serving
from tests.llm.vectors.toy import ToyEmbedder, cosine
from tests.stories.playing import set_sections

QUESTION = "Gipsmodel einr Schwele"  # its words stand in no memory as they are; its letters nearly do


def ask(layout: Layout, text: str = QUESTION, *, everybody: bool = False) -> tuple[list[str], tuple[str, ...]]:
    settings, _ = load_settings(layout)
    with open_recall(layout, settings) as recall:
        document, notices = recall.find("vera", text, RecallOptions(strategy="hybrid", everybody=everybody))
    return [memory.content for memory in document.memories], notices


def test_a_memory_is_found_by_what_it_means_where_its_words_are_others(played: Layout) -> None:
    by_words, _ = ask(played)
    with serving(EmbeddingApi()) as api:
        build_index(played, configure(played, api.url), embedder=ToyEmbedder())
        found, notices = ask(played)
    assert notices == ()
    assert "Gipsmodell einer Schwelle" in found[0]
    assert found != by_words


def test_the_streams_of_all_are_looked_through_by_the_index_of_each(played: Layout) -> None:
    with serving(EmbeddingApi()) as api:
        build_index(played, configure(played, api.url), embedder=ToyEmbedder())
        found, notices = ask(played, "Wegekarte der Aschen-Einöden", everybody=True)
    assert notices == ()
    assert any("Wegekarte" in text for text in found[:3])


def test_without_a_provider_it_is_found_by_its_words_and_one_notice_says_so(played: Layout) -> None:
    text = "Gipsmodell einer Schwelle"
    by_words, _ = ask(played, text)
    build_index(played, configure(played), embedder=ToyEmbedder())
    found, notices = ask(played, text)
    assert found == by_words
    (notice,) = notices
    assert "words only: " in notice


def test_what_was_given_is_found_under_its_canonical_questions_by_meaning(played: Layout) -> None:
    give_memories(played)
    with serving(EmbeddingApi()) as api:
        document = build_index(played, configure(played, api.url), embedder=ToyEmbedder())
        assert document.gifted is not None
        assert document.gifted["vera"].rows > document.gifted["vera"].embedded
        mind = open_mind(played, "vera")
        given = next(node for node in mind.gifted() if node.metadata["category"] == "communication")
        canonical = given.metadata["canonical"]
        assert isinstance(canonical, list)
        asked = str(canonical[0]).replace("e", "ee")  # its letters nearly stand there, no word does
        meaning = mind.meaning(asked)
    assert max(meaning, key=lambda name: meaning[name]) in {
        node.id for node in mind.gifted() if node.metadata["category"] == "communication"
    }
    assert rank_gifted(mind.gifted(), asked, "de", meaning)[0][0].metadata["category"] == "communication"


def test_without_an_index_what_was_given_is_ranked_by_words(played: Layout) -> None:
    give_memories(played)
    mind = open_mind(played, "vera")
    assert mind.meaning("Turm") == {}
    configure(played)
    assert open_mind(played, "vera").meaning("Turm") == {}


def test_one_call_of_a_tool_embeds_its_question_once(played: Layout) -> None:
    give_memories(played)
    for scope in ("self", "all"):
        set_sections(played.settings, f"tools: {{scope: {scope}}}\n")
        with serving(EmbeddingApi()) as api:
            build_index(played, configure(played, api.url), embedder=ToyEmbedder())
            recall_facts(open_mind(played, "vera"), "Gipsmodell Schwelle")
            assert api.texts == ["Gipsmodell Schwelle"], scope


def test_all_streams_are_asked_with_one_embedding_of_the_question(played: Layout) -> None:
    with serving(EmbeddingApi()) as api:
        build_index(played, configure(played, api.url), embedder=ToyEmbedder())
        ask(played, "Wegekarte der Einöden", everybody=True)
        assert api.texts == ["Wegekarte der Einöden"]


def test_a_failed_question_is_not_asked_again_by_the_same_command(played: Layout) -> None:
    build_index(played, configure(played), embedder=ToyEmbedder())
    embedder = ToyEmbedder(fail_after=0)
    settings, _ = load_settings(played)
    with open_recall(played, settings, VectorSearch(played, settings.index, embedder)) as recall:
        told = [recall.find("vera", text, RecallOptions("hybrid"))[1] for text in ("Turm?", "Schwelle?")]
    assert [len(notices) for notices in told] == [1, 0]
    assert "the provider went away; start it again (until the end of this command)" in told[0][0]


def test_recall_by_vectors_alone_ranks_by_cosine(played: Layout) -> None:
    with serving(EmbeddingApi()) as api:
        world = configure(played, api.url)
        build_index(played, world, embedder=ToyEmbedder())
        with open_recall(played, world.settings) as recall:
            document, notices = recall.find("vera", QUESTION, RecallOptions("vector", 3))
    texts = [node.description for node in world.agents["vera"].everything]
    expected = sorted((cosine(QUESTION, text) for text in texts), reverse=True)[:3]
    assert [item.relevance for item in document.memories] == pytest.approx(expected, abs=1e-4)
    assert (document.strategy, notices) == ("vector", ())


def test_recall_finds_lessons_and_what_a_person_has_added_to_the_seed_memories(played: Layout, run: Run) -> None:
    set_sections(played.settings, 'seeds: {lessons: ["Wer fragt, verliert keine Zeit.", "Gips bricht."]}\n')
    give_memories(played)
    done = run("recall", "vera", "Gips bricht", "--json", "-w", played.root)
    first = next(item for item in done.document["memories"] if item.get("kept_in") == "gifted")
    assert first["content"] == "Gips bricht."
    assert first["id"].startswith("gifted/_world-")
    assert not any(item["id"].startswith("gifted/vera") for item in done.document["memories"]), "the persona is shown"
