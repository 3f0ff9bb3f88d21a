"""What models are told about the keys of replies: in every language of all keys, and replaced by a world."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.prompts import check_prompts
from gm.ask.prompt.off_scene import render_draft
from gm.ask.prompt.render import Prompts
from gm.ask.reply.schema import form_of, schema_of
from gm.base.errors import PromptError
from gm.base.languages import languages
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.layers import LAYERS
from gm.model.calendar import SceneRef
from gm.model.draft import VoiceDraft
from gm.model.reply_texts import FORM, NO_TEXTS, VALUES
from gm.model.scene import Scene, SceneType
from gm.model.scene_reply import PlanningReply
from tests.layers import fears
from tests.replies import all_forms, texts_in

EVERY = frozenset(layer.name for layer in LAYERS) | {"kinds", "share", "decisions"}
EVERY_FORM = "Form"


def keys_of(name: str) -> dict[str, Any]:
    """Return the parts of a form's schema by key, with importance as a number and as facets."""
    made = [schema_of(all_forms()[name], NO_TEXTS, EVERY, source) for source in ("reply", "facets")]
    return {key: part for schema in made for key, part in schema["properties"].items()}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", all_forms())
def test_every_key_of_a_form_has_a_text_in_every_language_and_none_has_a_text_without_being_one(
    name: str, language: str
) -> None:
    texts, form = texts_in(language).by_form, all_forms()[name]
    inherited = {key for base in form.__mro__ for key in texts.get(base.__name__, ())}
    shared = {key for key, part in keys_of(name).items() if set(_descriptions(part)) & texts[VALUES].keys()}
    assert keys_of(name).keys() <= inherited | shared
    assert texts[name].keys() <= {FORM, *keys_of(name)}
    assert texts[name][FORM]
    known = {key: part.get("enum", ()) for key, part in keys_of(name).items()}
    assert all(said.keys() <= set(known[key]) for key, said in texts[name].items() if not isinstance(said, str))


def test_no_text_is_for_a_form_that_there_is_not_and_all_languages_say_the_same() -> None:
    names = [
        {form: {key: said and type(said) for key, said in keys.items()} for form, keys in texts_in(one).by_form.items()}
        for one in languages()
    ]
    assert {*names[0]} == {VALUES, EVERY_FORM, *all_forms()}
    assert all(found == names[0] for found in names), "an empty text is empty in all of them"
    shared = {value for name in all_forms() for part in keys_of(name).values() for value in _descriptions(part)}
    assert shared == {*texts_in("en").by_form[VALUES]}


def _descriptions(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (value for key, value in part.items() if key == "description")
        yield from (found for value in part.values() for found in _descriptions(value))
    elif isinstance(part, list):
        yield from (found for value in part for found in _descriptions(value))


def _told(schema: dict[str, Any]) -> set[str]:
    """Return all that a schema says about keys; a key may be called ``description`` too."""
    parts = [schema, *schema.get("$defs", {}).values()]
    said = {part["description"] for part in parts}
    return said.union(*(_descriptions(list(part["properties"].values())) for part in parts))


@pytest.mark.parametrize("name", all_forms())
def test_a_german_world_is_told_about_keys_in_german(name: str) -> None:
    german, english = (_told(schema_of(all_forms()[name], texts_in(one), EVERY)) for one in ("de", "en"))
    assert not german & english
    assert all_forms()[name].__doc__ not in german
    assert not [text for text in german if re.search(r"\b(the|of|your|what|empty|one)\b", text)]


def test_a_german_draft_lists_its_keys_in_german(tmp_path: Path) -> None:
    prompt = render_draft(Prompts(tmp_path, shipped_prompts(), "de"), "Eine Fähre.")
    assert "- `title`: zwei bis vier Wörter" in prompt
    assert texts_in("en").tell(VoiceDraft, "humour") == "what is funny to it, and how it jokes"


def own_texts(folder: Path, text: str, language: str = "de") -> Prompts:
    (folder / "prompts").mkdir(exist_ok=True)
    (folder / "prompts" / "reply.yaml").write_text(text, encoding="utf-8")
    return Prompts(folder / "prompts", shipped_prompts(), language)


def test_a_world_replaces_single_texts(tmp_path: Path) -> None:
    prompts = own_texts(tmp_path, "SceneReply: {mood: ein Wetter}\nvalues: {importance: 1 Staub … 10 Sturm}\n")
    schema = schema_of(PlanningReply, prompts.reply_texts)
    assert schema["properties"]["mood"]["description"] == "ein Wetter"
    assert schema["properties"]["thoughts"]["description"] == "was du denkst und nicht sagst"
    memory = schema["$defs"]["NewMemory"]["properties"]
    assert memory["importance"]["anyOf"][0]["description"] == "1 Staub … 10 Sturm"
    assert Prompts(tmp_path / "prompts", shipped_prompts(), "de").reply_texts is prompts.reply_texts, "made once"


def test_a_language_without_texts_is_told_in_english(tmp_path: Path) -> None:
    own = tmp_path / "prompts" / "fr"
    own.mkdir(parents=True)
    (own / "words.yaml").write_text("why_arrival: Bonjour.\n", encoding="utf-8")
    assert Prompts(own.parent, shipped_prompts(), "fr").reply_texts is texts_in("en")


def test_a_mistake_in_a_worlds_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"reply\.yaml: Line: found list, expected texts by key"):
        _ = own_texts(tmp_path, "Line: [a]\n").reply_texts
    with pytest.raises(PromptError, match=r"reply\.yaml:1:"):
        _ = own_texts(tmp_path, "Line: [a\n").reply_texts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Lines: {to: x}\n", [("words-unknown", 1, 1)]),
        ("Line:\n  too: x\n", [("words-unknown", 2, 3)]),
        ("Line:\n  to: [x]\n", [("prompt-words", 2, 7)]),
        ("Line: {to: x}\nSceneReply: {afraid_of: x}\n", [("words-unknown", 2, 14)]),
        ("Line: {to: x, to: y}\n", [("key-twice", 1, 15)]),
        ("", []),
    ],
)
def test_gm_check_names_texts_that_nothing_reads(dinner: Layout, text: str, found: list[tuple[str, int, int]]) -> None:
    own_texts(dinner.root, text, "en")
    problems = [one for one in check_prompts(dinner)[1] if one.path.endswith("reply.yaml")]
    assert [(one.code, one.line, one.column) for one in problems] == found


def test_a_layer_brings_a_description_of_its_own_which_a_world_replaces(dinner: Layout) -> None:
    with fears.declared():
        form = form_of(Scene(SceneRef(1, 1), SceneType("KIND", "kind.j2"), "noon", "", ("alex",), why="", premise=""))
        for text, said in (("", "what you are afraid of from now on"), ("SceneReply: {afraid_of: a fear}\n", "a fear")):
            schema = schema_of(form, own_texts(dinner.root, text, "en").reply_texts, frozenset({"fears"}))
            assert schema["properties"]["afraid_of"]["description"] == said
            assert check_prompts(dinner)[1] == []
        assert "afraid_of" not in json.dumps(schema_of(form, texts_in("de")))
