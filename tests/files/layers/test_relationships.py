"""Relationships in their files: values are set one by one, and everything else stays as a person left it."""

from __future__ import annotations

import json

from gm.files.commits.steps import SetValues, carry_out
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.save import plan_steps
from gm.layers.diary import DIARY
from gm.layers.relationships import HISTORY, RELATIONSHIPS, Relationship, RelationshipChange
from gm.model.mind import MindChange
from gm.model.world import Change
from tests.stories.playing import records

BY_HAND = """{
  "emre": {"trust_level": 0.50, "song": "Moll",   "relationship_type": "Freund"},

  "leo": {}
}
"""


def write(layout: Layout, *changes: RelationshipChange) -> list[str]:
    world = load_world(layout).world
    with writing(layout, "a test") as writer:
        steps = plan_steps(layout, world, Change(1, minds={"vera": MindChange({RELATIONSHIPS.name: changes})}))
        return [str(item) for item in writer.commit(steps)]


def change(other: str = "emre", why: str = "", **values: object) -> RelationshipChange:
    old = {key: "" for key in values if key != "interaction_count"}
    return RelationshipChange(other, "day-001/scene-02", values, old, why)


def test_a_first_entry_shows_every_key_that_there_is_to_write(studio: Layout) -> None:
    write(studio, change(interaction_count=1, first_met_at="day-001/scene-02"))
    data = json.loads(studio.layer(RELATIONSHIPS, "vera").read_text(encoding="utf-8"))
    assert list(data["emre"]) == [
        "relationship_type",
        "trust_level",
        "emotional_tone",
        "rationale",
        "interaction_count",
        "first_met_at",
        "relationship_notes",
    ]
    assert load_world(studio).world.agents["vera"].mind[RELATIONSHIPS] == {
        "emre": Relationship(interaction_count=1, first_met_at="day-001/scene-02")
    }


def test_own_keys_layout_and_the_spelling_of_numbers_survive(studio: Layout) -> None:
    path = studio.layer(RELATIONSHIPS, "vera")
    path.parent.mkdir()
    path.write_text(BY_HAND, encoding="utf-8")
    write(studio, change(relationship_type="Rivale", interaction_count=1))
    expected = BY_HAND.replace('"Freund"}', '"Rivale", "interaction_count": 1}')
    assert path.read_text(encoding="utf-8") == expected


def test_the_history_has_a_line_for_each_change_and_none_for_counting(studio: Layout) -> None:
    write(studio, change(trust_level=0.2, interaction_count=1, why="Er hielt Wort."))
    write(studio, change(interaction_count=2))
    assert records(studio.layer(RELATIONSHIPS, "vera", HISTORY)) == [
        {
            "at": "day-001/scene-02",
            "with": "emre",
            "old": {"trust_level": ""},
            "new": {"trust_level": 0.2},
            "why": "Er hielt Wort.",
        }
    ]


def test_a_step_that_is_carried_out_twice_changes_nothing_and_an_edit_in_between_stays() -> None:
    step = SetValues("x.json", {"trust_level": 0.1}, {"trust_level": 0.4, "emotional_tone": "warm"}, "emre")
    once, _ = carry_out(step, b'{"emre": {"trust_level": 0.1}, "leo": {"trust_level": 0.1}}')
    assert once is not None
    assert json.loads(once) == {"emre": {"trust_level": 0.4, "emotional_tone": "warm"}, "leo": {"trust_level": 0.1}}
    assert carry_out(step, once) == (once, [])
    kept, overruled = carry_out(step, b'{"emre": {"trust_level": -1}}')
    assert kept is not None
    assert json.loads(kept) == {"emre": {"trust_level": -1, "emotional_tone": "warm"}}
    assert [str(item) for item in overruled] == ["x.json: emre.trust_level was edited meanwhile and stays -1"]


def test_what_cannot_be_read_is_an_error_at_its_place_and_the_rest_is_read(studio: Layout) -> None:
    path = studio.layer(RELATIONSHIPS, "vera")
    path.parent.mkdir()
    path.write_text('{\n "emre": {"trust_level": "viel"},\n "leo": {"trust_level": 3, "rationale": null}\n}\n')
    loaded = load_world(studio)
    assert [str(problem).splitlines()[0] for problem in loaded.problems] == [
        'state/relationships/vera.json:2:26: error: emre: trust_level is "viel", expected a number  '
        "[relationship-value]"
    ]
    assert loaded.world.agents["vera"].mind[RELATIONSHIPS] == {"leo": Relationship(trust_level=1.0)}


def test_layers_are_on_with_a_file_of_any_character_unless_they_are_switched(studio: Layout) -> None:
    assert load_world(studio).world.layers == frozenset()
    for path in (studio.layer(RELATIONSHIPS, "leo"), studio.layer(DIARY, "leo")):
        path.parent.mkdir()
        path.write_text("{}\n" if path.suffix == ".json" else "")
    assert load_world(studio).world.layers == {"relationships", "diary", "now"}
    settings = studio.settings.read_text(encoding="utf-8")
    studio.settings.write_text(settings + "\nrelationships: off\ndiary: off\n", encoding="utf-8")
    assert load_world(studio).world.layers == frozenset()
