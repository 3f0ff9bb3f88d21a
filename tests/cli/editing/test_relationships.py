"""``gm mind relationships``: what characters think of each other, told as a table, as a history and as a graph."""

from __future__ import annotations

import json

import pytest

from gm.files.layout import Layout
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from tests.cli.running import Run
from tests.stories.playing import tree

EMRE = {"relationship_type": "Rivale", "trust_level": -0.2, "emotional_tone": "gereizt", "rationale": "Er lacht."}
LINE = {
    "at": "day-001/scene-02",
    "with": "emre",
    "old": {"trust_level": 0.1, "rationale": ""},
    "new": {"trust_level": -0.2, "rationale": "Er lacht."},
    "why": "Er lacht.",
}


@pytest.fixture
def world(studio: Layout) -> Layout:
    """Vera thinks something of two, Emre of one, and one name is not what it seems."""
    studio.layer_folder(RELATIONSHIPS).mkdir()
    vera = {"emre": {**EMRE, "interaction_count": 3, "first_met_at": "day-001/scene-02"}, "leo": {}}
    emre = {"vera": {"trust_level": 0.5, "relationship_type": 'a"]; node [shape=box\\\x1b[31m'}}
    studio.layer(RELATIONSHIPS, "vera").write_text(json.dumps(vera), encoding="utf-8")
    studio.layer(RELATIONSHIPS, "emre").write_text(json.dumps(emre), encoding="utf-8")
    studio.layer(RELATIONSHIPS, "vera", HISTORY).write_text(
        json.dumps(LINE, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return studio


def test_the_table_says_what_how_much_and_why(run: Run, world: Layout) -> None:
    assert run("relationships", "Vera", "-w", world.root).out.splitlines() == [
        "vera → emre  -0.20  Rivale, gereizt  (3 scenes, counted since day-001/scene-02)",
        "    Er lacht.",
        "vera → leo   0.00  nothing said yet  (0 scenes)",
    ]


def test_only_what_is_thought_of_one_is_told_when_one_is_named(run: Run, world: Layout) -> None:
    document = run("relationships", "--with", "Vera", "--json", "-w", world.root).document
    assert [(item["agent"], item["with"], item["trust_level"]) for item in document["relationships"]] == [
        ("emre", "vera", 0.5)
    ]
    assert document["on"] is True


def test_the_history_tells_old_and_new(run: Run, world: Layout) -> None:
    assert run("relationships", "vera", "--history", "-w", world.root).out.splitlines() == [
        "day-001/scene-02 vera → emre",
        "    trust_level: 0.1 → -0.2",
        "    rationale: – → Er lacht.",
    ]
    document = run("relationships", "--history", "--with", "leo", "--json", "-w", world.root).document
    assert document["history"] == []


def test_trust_is_told_day_by_day(run: Run, world: Layout) -> None:
    later = {**LINE, "at": "day-003/scene-01", "new": {"trust_level": 0.25}}
    strange = {**LINE, "at": "day-003/scene-02", "with": "leo", "new": "warm"}
    with world.layer(RELATIONSHIPS, "vera", HISTORY).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in (later, strange))
    world.day_log(2).parent.mkdir(exist_ok=True)
    world.day_log(2).touch()
    where = ("--by-day", "-w", world.root)
    assert run("relationships", "vera", *where).out == "vera → emre  day 1: -0.20  day 2: -0.20  day 3: +0.25\n"
    document = run("relationships", "--json", *where).document
    assert document["days"][-1] == {
        "agent": "vera",
        "with": "emre",
        "day": 3,
        "trust_level": 0.25,
    }
    assert "history" not in document
    assert run("relationships", "--graph", "dot", *where).code == 2


def test_the_graph_quotes_every_text(run: Run, world: Layout) -> None:
    dot = run("relationships", "--graph", "dot", "-w", world.root).out
    assert dot.startswith("digraph relationships {\n")
    assert '"vera" -> "emre" [label="Rivale, -0.2, gereizt", color=red3];' in dot
    (line,) = [line for line in dot.splitlines() if '"emre" -> "vera"' in line]
    assert line.startswith('  "emre" -> "vera" [label="a\\"]; node [shape=box\\\\')
    assert "\x1b" not in dot
    graph = run("relationships", "--graph", "json", "-w", world.root).document
    assert {"from": "vera", "to": "leo", "type": "", "trust": 0.0, "tone": "", "interactions": 0} in graph["edges"]
    assert {"id": "nami", "name": "Nami Wendt"} in graph["nodes"]


def test_a_world_without_any_says_so_and_how_to_have_them(run: Run, studio: Layout) -> None:
    outcome = run("relationships", "-w", studio.root)
    assert (outcome.code, outcome.out) == (0, "Nothing is noted yet.\n")
    assert "relationships: on" in outcome.err


def test_who_is_unknown_and_what_makes_no_sense_is_refused(run: Run, world: Layout) -> None:
    before = tree(world.root)
    assert run("relationships", "nobody", "-w", world.root).code != 0
    assert run("relationships", "--with", "nobody", "-w", world.root).code != 0
    assert run("relationships", "--graph", "dot", "--history", "-w", world.root).code == 2
    assert tree(world.root) == before


def test_what_cannot_be_read_is_named_and_the_rest_is_shown(run: Run, world: Layout) -> None:
    world.layer(RELATIONSHIPS, "vera").write_text('{"emre": 3, "leo": {"trust_level": 1}}', encoding="utf-8")
    outcome = run("relationships", "vera", "-w", world.root)
    assert outcome.out == "vera → leo  +1.00  nothing said yet  (0 scenes)\n"
    assert "state/relationships/vera.json:1:10: error" in outcome.err
