"""Recall with an embedding index: found by meaning, and by words with one notice where the index cannot help."""

from __future__ import annotations

from gm.store.layout import Layout
from gm.store.load import load_settings
from gm.tools.gift import give_memories
from gm.tools.index.build import build_index
from gm.tools.mind.mind import open_mind, rank_gifted
from gm.tools.recall import RecallWish, open_recall
from tests.index.embedding_api import EmbeddingApi, serving
from tests.index.toy import ToyEmbedder
from tests.tools.indexed import configure

QUESTION = "Gipsmodel einr Schwele"  # its words stand in no memory as they are; its letters nearly do


def ask(layout: Layout, text: str = QUESTION, *, everybody: bool = False) -> tuple[list[str], tuple[str, ...]]:
    settings, _ = load_settings(layout)
    with open_recall(layout, settings) as recall:
        document, notices = recall.document("vera", text, RecallWish(strategy="hybrid", everybody=everybody))
    return [memory["content"] for memory in document["memories"]], notices


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
        assert document["gifted"]["vera"]["rows"] > document["gifted"]["vera"]["embedded"]
        mind = open_mind(played, "vera")
        given = next(node for node in mind.gifted() if node.metadata["category"] == "communication")
        asked = str(given.metadata["canonical"][0]).replace("e", "ee")  # its letters nearly stand there, no word does
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
