"""Which tags a scene is focused by: what a person says, what its type says, and the topic where that is configured."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gm.base.config import RetrievalSettings, Settings
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.directing.scenes import MOST_RECALLED, check_tags, focus, focus_tags, recall_alike
from gm.scene.folding.advance import log_entry
from gm.scene.ledger import MOST_TAGS
from tests.build import SCENE_TYPES, agent, node, scene, world

BY_TOPIC = Settings(retrieval=RetrievalSettings(strategy="tags"))
STREAM = [node(1, tags=["bone-towers"]), node(2, tags=["Völuspá"]), node(3, tags=["salt road"])]


def house(settings: Settings = BY_TOPIC) -> World:
    return world(agent("emre"), agent("vera", stream=STREAM), settings=settings)


def tags_of(topic: str, *, tags: Sequence[str] = (), kind: Sequence[str] = (), settings: Settings = BY_TOPIC) -> object:
    type_ = replace(SCENE_TYPES["ENCOUNTER"], tags=tuple(kind))
    return focus_tags(house(settings), type_, tags, topic, ("emre", "vera"))


def focused(made: Scene) -> Scene:
    return focus(house(), made)


@pytest.mark.parametrize("topic", ["bone-towers", "Bone  Towers", " BONE TOWERS\n"])
def test_a_topic_that_is_a_tag_leads_there_in_any_spelling(topic: str) -> None:
    assert tags_of(topic) == ("bone-towers",)


def test_a_topic_matches_across_unicode_forms_and_where_the_tag_has_a_space() -> None:
    assert tags_of(unicodedata.normalize("NFD", "VÖLUSPÁ")) == ("völuspá",)
    assert tags_of("Salt Road") == ("salt-road",)


@pytest.mark.parametrize("topic", ["", "  ", "towers", "the bone-towers at night", "bone-towers " * 20])
def test_a_topic_that_is_no_tag_leaves_the_window(topic: str) -> None:
    assert tags_of(topic) == ()


def test_without_the_strategy_no_topic_leads_anywhere() -> None:
    assert tags_of("bone-towers", settings=Settings()) == ()


def test_tags_that_are_asked_for_hold_under_any_strategy_and_those_of_the_scene_before_those_of_its_type() -> None:
    assert tags_of("bone-towers", tags=["Salt Road", "salt-road"], kind=["ash"], settings=Settings()) == ("salt-road",)
    assert tags_of("bone-towers", kind=["ash", "unknown"], settings=Settings()) == ("ash", "unknown")


def test_a_scene_carries_its_tags_into_its_logbook_line_and_has_no_such_key_otherwise() -> None:
    lines = [log_entry(focused(scene("vera", topic=topic)), "", {}).record for topic in ("Bone Towers", "bread")]
    assert [line.get("tags") for line in lines] == [["bone-towers"], None]
    assert "tags" not in lines[1]


def test_tags_are_bounded() -> None:
    assert check_tags(["a", "b"]) == ""
    assert "expected 12 at most" in check_tags([f"t{number}" for number in range(MOST_TAGS + 1)])
    assert "empty" in check_tags(["a", " "])
    assert "81 characters" in check_tags(["x" * 81])


def test_the_newest_memories_of_such_scenes_that_are_not_shown_anyway_come_back() -> None:
    stream = [node(number, tags=("dnd",) if number % 2 else ("brot",)) for number in range(1, 41)]
    evening = scene("vera", type="EVENT")
    tagged = replace(evening, type=replace(evening.type, tag="dnd"))
    found = recall_alike(agent(stream=stream), tagged, {"vera-039"})
    assert [one.id for one in found] == [f"vera-{number:03d}" for number in range(23, 39, 2)]
    assert len(found) == MOST_RECALLED
    assert recall_alike(agent(stream=stream), evening, ()) == ()
