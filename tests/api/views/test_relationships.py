"""What is between two characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.api.views.cast import view_frame
from gm.api.views.relationships import LATEST, BondsView, view_bonds
from gm.files.layout import Layout
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.model.calendar import SceneRef
from tests.api.views.worlds import line, world
from tests.stories.playing import set_sections


def bonds(layout: Layout, agent: str = "vera") -> BondsView:
    return view_bonds(layout, view_frame(layout), agent)


def thinks(layout: Layout, who: str, **of: object) -> None:
    layout.layer_folder(RELATIONSHIPS).mkdir(exist_ok=True)
    layout.layer(RELATIONSHIPS, who).write_text(json.dumps(of), encoding="utf-8")


def changed(layout: Layout, who: str, *turns: dict[str, object]) -> None:
    layout.layer_folder(RELATIONSHIPS).mkdir(exist_ok=True)
    path = layout.layer(RELATIONSHIPS, who, HISTORY)
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")


@pytest.fixture
def three(tmp_path: Path) -> Layout:
    return world(tmp_path, {name: [line(f"{name}-001")] for name in ("emre", "leo", "vera")})


def test_both_sides_are_shown_and_the_strongest_tie_comes_first(three: Layout) -> None:
    thinks(three, "vera", Leo={"relationship_type": "ally", "trust_level": 0.2})
    thinks(three, "emre", vera={"trust_level": -0.9, "emotional_tone": "kalt"})
    first, second = bonds(three).ties
    assert (first.other, first.own, first.returned and first.returned.trust_level) == ("emre", None, -0.9)
    assert (second.other, second.own and second.own.relationship_type, second.returned) == ("leo", "ally", None)


def test_changes_of_both_sides_are_told_the_newest_first(three: Layout) -> None:
    thinks(three, "vera", leo={})
    old, new = {"trust_level": 0.1}, {"trust_level": 0.4}
    changed(
        three,
        "vera",
        {"at": "day-001/scene-02", "with": "leo", "old": {"first_met_at": ""}, "new": {"first_met_at": "x"}, "why": ""},
        {"at": "day-002/scene-01", "with": "leo", "old": old, "new": new, "why": "Er half."},
    )
    changed(three, "leo", {"at": "day-003", "with": "Vera", "old": new, "new": old, "why": ""})
    changed(three, "emre", {"at": "day-003", "with": "leo", "old": old, "new": new, "why": "Nicht hier."})
    leo = next(tie for tie in bonds(three).ties if tie.other == "leo")
    assert [(turn.by, turn.at, turn.why) for turn in leo.turns] == [
        ("leo", SceneRef(3), ""),
        ("vera", SceneRef(2, 1), "Er half."),
    ]
    assert leo.turns[1].changed == {"trust_level"}
    assert leo.turns[1].after.trust_level - leo.turns[1].before.trust_level == pytest.approx(0.3)


def test_of_many_changes_the_latest_are_shown_and_the_others_counted(three: Layout) -> None:
    turns: list[dict[str, object]] = [
        {"at": f"day-{day:03d}", "with": "leo", "old": {"trust_level": 0}, "new": {"trust_level": 0.01 * day}}
        for day in range(1, LATEST + 4)
    ]
    changed(three, "vera", *turns)
    leo = next(tie for tie in bonds(three).ties if tie.other == "leo")
    assert (len(leo.turns), leo.older) == (LATEST, 3)
    assert leo.turns[0].at == SceneRef(LATEST + 3)


def test_lines_of_a_history_that_say_nothing_readable_are_passed_over(three: Layout) -> None:
    changed(three, "vera", {"with": "leo", "old": 3, "new": {}}, {"with": "leo", "new": {"trust_level": "viel"}})
    assert all(not tie.turns for tie in bonds(three).ties)


def test_what_a_persona_says_of_others_stands_there_from_the_start(studio: Layout) -> None:
    said = {tie.other: tie.said for tie in bonds(studio).ties}
    assert said["tobi"].startswith("Er hat meinen Turm")
    assert said["darius"] == ""
    assert not bonds(studio).is_on


def test_a_broken_file_is_named_if_it_is_needed(three: Layout) -> None:
    thinks(three, "leo", vera={"trust_level": "viel"})
    (problem,) = bonds(three).problems
    assert (problem.path, problem.code) == ("state/relationships/leo.json", "relationship-value")
    three.settings.write_text("relationships: off\n", encoding="utf-8")
    assert bonds(three).problems == ()
    set_sections(three.settings, "relationships: on\n")
    assert bonds(three).is_on


def test_one_who_is_no_character_may_be_thought_of(three: Layout) -> None:
    thinks(three, "vera", **{"creative-director": {"rationale": "Zahlt."}})
    assert bonds(three).ties[0].other == "creative-director"
