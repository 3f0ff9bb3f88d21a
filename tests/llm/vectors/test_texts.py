"""What of a memory is embedded, and how its row is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.base.config import IndexSettings
from gm.llm.vectors.texts import Recipe, recipe_of
from tests.build import node

RECIPE = Recipe("toy", 64)


def test_the_description_is_embedded_and_nothing_else() -> None:
    assert RECIPE.texts(node(1, description="Der Turm.", tags=["turm"])) == ("Der Turm.",)


def test_another_description_or_id_is_another_row_and_other_tags_are_not() -> None:
    one = node(1, description="Der Turm.")
    assert RECIPE.rows(one) == RECIPE.rows(replace(one, tags=("x",), importance=9))
    assert len({**RECIPE.rows(one), **RECIPE.rows(replace(one, description="Der Turm!")), **RECIPE.rows(node(2))}) == 3


def test_another_prefix_is_another_row() -> None:
    assert RECIPE.rows(node(1)).keys() != replace(RECIPE, text_prefix="passage: ").rows(node(1)).keys()


def test_half_a_character_is_no_obstacle() -> None:
    one, other = (RECIPE.rows(node(1, description=text)) for text in ("halb \ud83d", "halb \ud83e"))
    assert one.keys() != other.keys()


LONG = "Der Turm steht schief. Vera misst die Schwelle nach. Die Glut darunter ist alt."


def test_a_long_description_is_embedded_in_pieces_of_whole_sentences() -> None:
    recipe = replace(RECIPE, text_prefix="p: ", chunk_chars=55)
    expected = ("p: Der Turm steht schief. Vera misst die Schwelle nach.", "p: Die Glut darunter ist alt.")
    assert recipe.texts(node(1, description=LONG)) == expected
    assert replace(recipe, chunk_chars=len(LONG)).texts(node(1, description=LONG)) == (f"p: {LONG}",)
    assert replace(recipe, chunk_chars=0).texts(node(1, description=LONG)) == (f"p: {LONG}",)


def test_each_sentence_can_be_embedded_next_to_the_whole() -> None:
    recipe = replace(RECIPE, text_prefix="p: ", sentences=True)
    expected = ("Der Turm steht schief.", "Vera misst die Schwelle nach.", "Die Glut darunter ist alt.")
    assert recipe.texts(node(1, description=LONG)) == (f"p: {LONG}", *(f"p: {part}" for part in expected))
    assert recipe.texts(node(1, description="Ein einziger Satz.")) == ("p: Ein einziger Satz.",)
    assert recipe.texts(node(1, description="Nein! Die Glut ist alt.")) == (
        "p: Nein! Die Glut ist alt.",
        "p: Die Glut ist alt.",
    )


def test_canonical_questions_are_aliases_with_rows_of_their_own() -> None:
    recipe = replace(RECIPE, text_prefix="p: ", query_prefix="q: ")
    given = node(1, description="Ich bin Vera.", metadata={"canonical": ["Wer bin ich?", "Wer bin ich?", "", 3]})
    assert recipe.texts(given) == ("p: Ich bin Vera.", "q: Wer bin ich?")
    assert len(recipe.rows(given)) == 2
    for odd in ("Wer bin ich?", None, {"x": 1}):
        assert recipe.texts(node(1, metadata={"canonical": odd})) == recipe.texts(node(1))


def test_an_edit_in_a_long_description_renames_the_rows_of_its_own_pieces_only() -> None:
    recipe = replace(RECIPE, chunk_chars=55)
    before = recipe.rows(node(1, description=LONG))
    after = recipe.rows(node(1, description=LONG.replace("alt", "neu")))
    assert len(before.keys() & after.keys()) == 1


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


def test_who_said_it_is_not_embedded_unless_wanted() -> None:
    said = node(1, description="Vera said: Der Turm steht.", type="conversation")
    assert RECIPE.texts(said) == ("Der Turm steht.",)
    assert replace(RECIPE, names=True).texts(said) == ("Vera said: Der Turm steht.",)
    assert RECIPE.texts(node(1, description="Vera said: ", type="conversation")) == ("Vera said: ",)
    assert RECIPE.texts(node(1, description="Notiz: Der Turm steht.")) == ("Notiz: Der Turm steht.",)
