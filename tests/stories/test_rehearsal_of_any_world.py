"""The rehearsal speaks of any world: its premise, places, rules, brief and people."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bench.said import DONE, SPOKEN, THOUGHT, about_the_world, said_twice, texts_of
from gm.base.config import WorldSettings
from gm.files.layout import Layout
from gm.files.load import load_world
from tests.stories.made import make_world
from tests.stories.playing import play

NOT_THERE = {
    "ship": re.compile(r"\b(office|printer|pigeon|rain\w*|stairs?|park\w*|meeting|heating|paper clip|milk)\b", re.I),
    "ward": re.compile(r"\b(Büro|Drucker|Taube|Entwurfsbrett|Level|Aschen\w*|Einparken|Treppe)\b", re.I),
}
GERMAN = re.compile(r"[äöüß»«]|\b(und|nicht|ich|der|die|das)\b")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Layout]:
    """Three days of each of the made worlds."""
    worlds = {name: make_world(tmp_path_factory.mktemp(name) / name, name) for name in NOT_THERE}
    for layout in worlds.values():
        play(layout, days=3)
    return worlds


def all_texts(layout: Layout) -> list[str]:
    return [text for kind in (SPOKEN, DONE, THOUGHT) for text in texts_of(layout, kind)]


@pytest.mark.parametrize("name", NOT_THERE)
def test_most_of_what_is_said_is_about_the_world_that_was_written(played: dict[str, Layout], name: str) -> None:
    layout = played[name]
    about, of = about_the_world(texts_of(layout, SPOKEN), load_world(layout).world)
    assert of >= 30
    assert about / of >= 0.6


@pytest.mark.parametrize("name", NOT_THERE)
def test_nothing_is_there_that_such_a_world_does_not_have(played: dict[str, Layout], name: str) -> None:
    assert [text for text in all_texts(played[name]) if NOT_THERE[name].search(text)] == []


def test_a_world_in_english_hears_no_german(played: dict[str, Layout]) -> None:
    assert [text for text in all_texts(played["ship"]) if GERMAN.search(text)] == []


@pytest.mark.parametrize("name", NOT_THERE)
def test_nothing_is_said_twice_in_three_days(played: dict[str, Layout], name: str) -> None:
    assert said_twice(all_texts(played[name]))[0] == 0


@pytest.mark.parametrize("name", NOT_THERE)
def test_premise_rules_places_brief_and_people_all_give_something_to_speak_of(
    played: dict[str, Layout], name: str
) -> None:
    layout = played[name]
    world = load_world(layout).world
    usual = world.settings
    nothing = replace(usual, world=WorldSettings(), places={})
    spoken = texts_of(layout, SPOKEN)
    for part in (
        replace(nothing, world=replace(usual.world, rules=())),
        replace(nothing, world=replace(usual.world, premise="")),
        replace(nothing, places=usual.places),
    ):
        alone = replace(world, settings=part, posts=(), agents={})
        assert about_the_world(spoken, alone)[0], part
    assert about_the_world(spoken, replace(world, settings=nothing, agents={}))[0]
    assert about_the_world(spoken, replace(world, settings=nothing, posts=()))[0]
