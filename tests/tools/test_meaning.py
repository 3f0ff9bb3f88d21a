"""Recall with an embedding index: found by meaning, and by words with one notice where the index cannot help."""

from __future__ import annotations

from gm.store.layout import Layout
from gm.store.load import load_settings
from gm.tools.index import build_index
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
