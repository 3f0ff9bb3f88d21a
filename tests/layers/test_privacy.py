"""The words of what is kept back: a layer adds its name by being declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gm.api.editing.schema import KINDS
from gm.api.worlds.create import create_world
from gm.base.config import Settings, parse_settings
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from gm.layers.privacy import book_words, card_words, check_private, inner_words, kept_back, minds_in, private_words
from tests.layers.fears import declared


def written(folder: Path, words: str) -> Layout:
    layout = create_world(folder / "dinner", "dinner")
    layout.settings.write_text(f"publish: {{private: {words}}}\n", encoding="utf-8")
    return layout


def test_the_words_are_parts_of_a_world_and_the_names_of_its_layers() -> None:
    layers = {"diary", "soul", "relationships", "working", "now", "goals"}
    parts = {"thoughts", "reasons", "memories"}
    assert set(private_words()) == {*parts, "private", "prompts", "cost"} | layers
    assert set(inner_words()) == parts | layers
    assert layers & set(book_words()) == {"diary", "soul", "relationships", "now"}
    assert set(card_words()) == {"thoughts", "memories", "private", "diary", "soul", "relationships"}


def test_a_declared_layer_is_kept_back_with_the_others() -> None:
    with declared():
        assert "fears" in private_words()
        assert "fears" in inner_words()
        assert "fears" in book_words()
        assert "fears" in card_words()
        assert "fears" in kept_back(Settings())
    assert "fears" not in kept_back(Settings())


def test_the_schema_of_the_settings_lists_the_words() -> None:
    def words() -> list[str]:
        schema: Any = KINDS["settings"].describe()
        private = schema["properties"]["publish"]["properties"]["private"]["anyOf"][0]
        found: list[str] = private["items"]["anyOf"][0]["enum"]
        return found

    assert words() == list(private_words())
    with declared():
        assert "fears" in words()


def test_settings_say_what_is_kept_back() -> None:
    settings = parse_settings({"publish": {"private": ["soul", "cost"]}})[0]
    assert kept_back(settings) == ("soul", "cost")
    assert check_private(settings) == (settings, [])
    nothing = parse_settings({"publish": {"private": []}})[0]
    assert kept_back(nothing) == ()
    assert check_private(nothing) == (nothing, [])
    assert check_private(Settings()) == (Settings(), [])
    unknown = parse_settings({"publish": {"private": ["nobody"]}})[0]
    assert [problem.code for problem in check_private(unknown)[1]] == ["setting-value"]


def test_a_mind_is_named_by_id_or_name_and_takes_private_memories_and_questions_with_it(tmp_path: Path) -> None:
    layout = written(tmp_path, "[soul, Ann Lee, BEA]")
    for name, text in {"ann": "---\nname: Ann Lee\n---\nYou are Ann.", "bea": "You are Bea."}.items():
        layout.persona(name).parent.mkdir(parents=True, exist_ok=True)
        layout.persona(name).write_text(text, encoding="utf-8")
        layout.agent(name).parent.mkdir(parents=True, exist_ok=True)
        layout.agent(name).write_text("{}", encoding="utf-8")
    settings, problems = load_settings(layout)
    assert problems == []
    assert kept_back(settings) == ("soul", "ann", "bea", "private", "prompts")
    assert minds_in(kept_back(settings)) == {"ann", "bea"}


def test_with_a_word_that_no_layer_has_all_is_kept_back(tmp_path: Path) -> None:
    layout = written(tmp_path, "[soul, fears]")
    settings, (problem,) = load_settings(layout)
    assert kept_back(settings) == private_words()
    assert str(problem).startswith('gm.yaml:1:20: error: publish.private has "fears", expected a list of some of thou')
    with declared():
        settings, problems = load_settings(layout)
        assert kept_back(settings) == ("soul", "fears")
        assert problems == []
