"""What of a memory is embedded, and how its row is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.config import IndexSettings
from gm.index.texts import Recipe, recipe_of
from tests.build import node

RECIPE = Recipe("toy", 64)


def test_the_description_is_embedded_and_nothing_else() -> None:
    assert RECIPE.text(node(1, description="Der Turm.", tags=["turm"])) == "Der Turm."


def test_another_description_or_id_is_another_row_and_other_tags_are_not() -> None:
    one = node(1, description="Der Turm.")
    assert RECIPE.key(one) == RECIPE.key(replace(one, tags=("x",), importance=9))
    assert len({RECIPE.key(one), RECIPE.key(replace(one, description="Der Turm!")), RECIPE.key(node(2))}) == 3


def test_another_prefix_is_another_row() -> None:
    assert RECIPE.key(node(1)) != replace(RECIPE, text_prefix="passage: ").key(node(1))


def test_half_a_character_is_no_obstacle() -> None:
    assert RECIPE.key(node(1, description="halb \ud83d")) != RECIPE.key(node(1, description="halb \ud83e"))


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("nomic-embed-text", ("search_document: ", "search_query: ")),
        ("nomic-ai/nomic-embed-text-v1.5-GGUF", ("search_document: ", "search_query: ")),
        ("intfloat/multilingual-e5-small", ("passage: ", "query: ")),
        ("text-embedding-3-small", ("", "")),
    ],
)
def test_a_model_gets_the_prefixes_that_it_was_trained_with(model: str, prefixes: tuple[str, str]) -> None:
    recipe = recipe_of(IndexSettings(model=model))
    assert (recipe.text_prefix, recipe.query_prefix) == prefixes
    own = recipe_of(IndexSettings(model=model, text_prefix="", query_prefix="q: "))
    assert (own.text_prefix, own.question("wer?")) == ("", "q: wer?")
