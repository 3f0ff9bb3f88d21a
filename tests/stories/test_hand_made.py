"""A world that people made by hand for another tool: no settings, no personas, old shapes, odd layouts. It opens."""

# ruff: noqa: E501
from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.playing.context import render_request
from gm.files.layout import Layout
from tests.cli.running import Run
from tests.stories.playing import Counting, Heard, play, records, tree

FILES: dict[str, bytes] = {
    "state/world.json": (
        b'{ "day": 5, "day_of_week": "Freitag",\n'
        b'  "time_of_day": "late-afternoon", "scenes_today": 4,"scenes_total": 31.00,\n'
        b'  "scheduled_events": [{"day": 6, "event": "Abgabe", "time": "all-day"}, "irgendwann: Sommerfest"],\n'
        b'  "artifacts_today": ["gallery/concepts/turm/"], "weather": {"rain":true} }'
    ),
    "state/bulletin.json": (
        '\ufeff{"posts": [{"from": "creative-director", "day": 5, "type": "feedback", "content": "Mehr Asche!"},\r\n'
        '   "ein loser Zettel"], "team_decisions": [{"decision": "Keine Drachen", "day": 2}], "votes": {}}'
    ).encode(),
    "state/agents/mina.json": (
        '{"name": "Mina", "position": "atelier", "current_task": "Turm",\n'
        '\t"today_plan": ["DONE: Skizzen", "Mit Jo über den Turm sprechen"], "mood": "müde",\n'
        '"importance_accumulator": 96.00, "last_reflection": null, "inventory": [ 1,2 ]}'
    ).encode(),
    "state/agents/jo.json": '{"name": "Jo Völuspá", "position": "atelier", "mood": "wach"}\r\n'.encode(),
    "state/memories/mina.jsonl": (
        '\ufeff{"id": "mina-001", "agent": "mina", "day": 1, "type": "observation", "importance": 6, "depth": 0, "content": "Alter Knoten über Türme."}\r\n'
        "\r\n"
        '{"id": "mina-002", "created": "day-003/scene-01b", "type": "reflection", "depth": 3, "description": "Einsicht ohne Beleg.", "importance": 8, "tags": ["r&d", "v\u006f\u0308luspa\u0301"], "evidence": [], "metadata": {}}\r\n'
        '{"id": "mina-003", "created": "day-005/scene-02", "type": "plan", "depth": 0, "description": "Plan mit Beleg.", "importance": 5, "tags": ["plan"], "evidence": ["jo-001"], "metadata": {"kind": "gifted"}}'
    ).encode(),
    "state/memories/jo.jsonl": (
        '{"id":"jo-001","created":"day-002/scene-03","type":"artifact","depth":1,"description":"Lied","importance":7,"tags":["song"],"evidence":["mina-001"],"metadata":{}}\n'
        '{"id": "jo-1000", "created": "day-005/scene-04", "type": "observation", "depth": 0, "description": "Traum \u2028 im Satz", "importance": 4.00, "tags": [], "evidence": ["mina-002"], "metadata": {"kind": "dream"}, "weather": "Regen"}\n'
    ).encode(),
    "logbook/day-005.jsonl": (
        b'{"scene": 1, "type": "WORK+REFLECTION", "time_of_day": "morning-to-evening", "location": "atelier", "participants": ["mina", "creative-director"], "artifacts": ["gallery/concepts/turm/", {"path": "gallery/song.md"}, "Lied"], "memories": [{"agent": "mina", "id": "mina-003"}]}\n'
        b"\n"
        b'{"scene": 4, "type": "FEEDBACK", "participants": "alle", "time": "abends", "dialogue": "viel"}'
    ),
}  # fmt: skip


@pytest.fixture
def old(tmp_path: Path) -> Layout:
    for path, data in FILES.items():
        (tmp_path / "old" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "old" / path).write_bytes(data)
    return Layout(tmp_path / "old")


def test_it_can_be_looked_at(run: Run, old: Layout) -> None:
    status = run("status", "-w", old.root, "--json")
    assert (status.code, status.err) == (0, "")
    assert status.document["day"] == 5
    assert status.document["agents"]["mina"]["accumulator"] == 96
    assert status.document["agents"]["jo"]["next_id"] == "jo-1001"
    for arguments in (("status",), ("stats",), ("due",), ("context", "mina", "--prompt"), ("context", "jo")):
        outcome = run(*arguments, "-w", old.root)
        assert (outcome.code, outcome.err) == (0, "")
    assert tree(old.root) == FILES


def test_old_memories_are_before_the_eyes_of_the_character(run: Run, old: Layout) -> None:
    document = run("context", "mina", "-w", old.root, "--json", "--prompt").document
    assert [node["description"] for node in document["memories"]] == [
        "Alter Knoten über Türme.",
        "Einsicht ohne Beleg.",
        "Plan mit Beleg.",
    ]
    assert document["memories"][0]["created"] == "day-001"
    assert document["reflections"] == ["mina-002"]
    assert "Alter Knoten über Türme." in document["prompt"]
    found = run("context", "mina", "-w", old.root, "--json", "--tags", "VÖLUSPÁ").document
    assert [node["id"] for node in found["memories"]] == ["mina-002"]


def test_check_calls_nothing_an_error_that_can_be_read(run: Run, old: Layout) -> None:
    outcome = run("check", "-w", old.root, "--json")
    assert outcome.code == 0
    codes = {(item["severity"], item["code"], item["path"], item["line"]) for item in outcome.document["problems"]}
    assert codes >= {
        ("info", "node-older", "state/memories/mina.jsonl", 1),
        ("info", "reflection-bare", "state/memories/mina.jsonl", 3),
        ("info", "depth-rule", "state/memories/mina.jsonl", 3),
        ("info", "number-form", "state/memories/jo.jsonl", 2),
        ("info", "evidence-other", "state/memories/jo.jsonl", 1),
        ("warning", "id-gap", "state/memories/jo.jsonl", 2),
        ("info", "node-extra", "state/memories/jo.jsonl", 2),
        ("info", "scene-compound", "logbook/day-005.jsonl", 1),
        ("info", "scene-type", "logbook/day-005.jsonl", 3),
        ("info", "participant", "logbook/day-005.jsonl", 1),
        ("info", "persona-missing", "state/personas/jo.md", 0),
    }
    assert tree(old.root) == FILES


def test_days_are_played_and_every_old_byte_stays(old: Layout) -> None:
    heard = Heard()
    play(old, days=3, report=heard)
    assert heard.notices == []
    for path in (
        "state/memories/mina.jsonl",
        "state/memories/jo.jsonl",
        "logbook/day-005.jsonl",
    ):
        assert (old.root / path).read_bytes().startswith(FILES[path]), path
    posts, _, rest = FILES["state/bulletin.json"].partition(b"],")
    board = (old.root / "state/bulletin.json").read_bytes()
    assert board.startswith(posts), "what was hung up comes after it"
    assert board.endswith(rest)
    assert not (old.state / "logbook").exists()
    assert not old.settings.exists()
    assert records(old.root / "logbook/day-006.jsonl")[-1]["type"] == "SUMMARY"
    stream = (old.root / "state/memories/mina.jsonl").read_bytes()
    assert stream.endswith(b"\r\n")
    assert stream.count(b"\n") == stream.count(b"\r\n"), "its own line ends are kept"
    text = (old.root / "state/world.json").read_text(encoding="utf-8")
    assert text.startswith('{ "day": 8, "day_of_week": "')
    assert '"scheduled_events": [{"day": 6, "event": "Abgabe", "time": "all-day"}, "irgendwann: Sommerfest"],\n' in text
    assert '"weather": {"rain":true}' in text
    agent = (old.root / "state/agents/mina.json").read_text(encoding="utf-8")
    assert '"inventory": [ 1,2 ]' in agent
    assert check_world(old).problems


def test_ids_go_on_above_the_highest_and_old_evidence_is_kept(old: Layout) -> None:
    play(old)
    ids = [record["id"] for record in records(old.stream("jo"))]
    assert ids[:3] == ["jo-001", "jo-1000", "jo-1001"]
    assert len(set(ids)) == len(ids)


def test_the_first_to_be_due_reflects_on_memories_of_both_shapes(old: Layout) -> None:
    backend = Counting()
    play(old, backend=backend)
    assert "mina" in {request.label for request in backend.asked if request.purpose == "reflection"}
    (request,) = [item for item in backend.asked if item.purpose == "reflection" and item.label == "mina"]
    assert "Alter Knoten über Türme." in render_request(request)


def test_an_open_day_with_scenes_written_by_hand_is_played_to_its_end(old: Layout) -> None:
    text = (old.root / "state/world.json").read_text(encoding="utf-8")
    (old.root / "state/world.json").write_text(
        text.replace('"day": 5,', '"day": 5, "day_open": true,', 1), encoding="utf-8"
    )
    with open(old.root / "logbook/day-005.jsonl", "a", encoding="utf-8") as file:
        file.write('\n{"scene": 5, "type": "REFLECTION", "participants": ["creative-director"]}\n')
        file.write('{"scene": 6, "type": "REFLECTION", "participants": []}\n')
    play(old)
    log = records(old.root / "logbook/day-005.jsonl")
    assert log[-1]["type"] == "SUMMARY"
    assert "ARRIVAL" in {entry["type"] for entry in log}
    assert [entry["scene"] for entry in log if "scene" in entry][:5] == [1, 4, 5, 6, 7]


def test_a_memory_folder_alone_is_a_world(tmp_path: Path) -> None:
    path = tmp_path / "state/memories/mina.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(FILES["state/memories/mina.jsonl"])
    play(Layout(tmp_path))
    assert path.read_bytes().startswith(FILES["state/memories/mina.jsonl"])
    assert json.loads((tmp_path / "state/world.json").read_text(encoding="utf-8"))["day"] == 1
    assert json.loads((tmp_path / "state/agents/mina.json").read_text(encoding="utf-8"))["name"] == "mina"
