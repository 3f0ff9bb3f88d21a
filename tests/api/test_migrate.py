"""Older memories take today's shape when somebody asks for it; nothing is lost and no other line changes."""

import json
from pathlib import Path

import pytest

from gm.api.migrate import carry_out, migrate_line, plan_migration
from gm.base.errors import GmError
from gm.files.load import load_world
from tests.handmade import MINA_LINES, OLE_LINES, fingerprint, make_handmade

MIGRATED = (
    '{"id": "mina-002", "created": "day-002", "type": "observation", "depth": 0, "description": "Die Türme am '
    'Ufer sind älter als das Dorf.", "importance": 6, "tags": [], "evidence": [], "metadata": {"laune": "froh"}}'
)


def test_planning_changes_nothing(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    before = fingerprint(tmp_path)
    migration = plan_migration(layout)
    assert [(item.path, item.lines) for item in migration.files] == [
        ("state/memories/mina.jsonl", 1),
        ("state/memories/ole.jsonl", 1),
    ]
    assert fingerprint(tmp_path) == before


def test_only_older_lines_change(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    world = load_world(layout).world
    carry_out(layout, plan_migration(layout))
    expected = [MINA_LINES[0], MIGRATED, *MINA_LINES[2:]]
    assert layout.stream("mina").read_bytes() == ("\r\n".join(expected) + "\r\n").encode()
    lines = layout.stream("ole").read_text(encoding="utf-8").split("\n")
    assert lines[0] == OLE_LINES[0]
    assert len(lines) == 2
    again = load_world(layout).world
    for name in ("mina", "ole"):
        old, new = world.agents[name].stream, again.agents[name].stream
        assert [(node.id, node.description, node.created) for node in old] == [
            (node.id, node.description, node.created) for node in new
        ]
    assert not plan_migration(layout).files


def test_the_diff_shows_the_lines(tmp_path: Path) -> None:
    difference = plan_migration(make_handmade(tmp_path)).files[0].difference
    assert f"-{MINA_LINES[1]}" in difference
    assert f"+{MIGRATED}" in difference
    assert "+++ b/state/memories/mina.jsonl" in difference


def test_a_file_that_was_edited_meanwhile_is_left_alone(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    migration = plan_migration(layout)
    layout.stream("mina").write_text("", encoding="utf-8")
    with pytest.raises(GmError, match=r"edited meanwhile.*state/memories/mina\.jsonl"):
        carry_out(layout, migration)
    assert layout.stream("mina").read_bytes() == b""


def test_whatever_the_nine_keys_do_not_say_is_kept() -> None:
    line = (
        '{"id": "a-001", "agent": "somebody-else", "day": 4, "created": "day-003", "type": "plan", "depth": 0, '
        '"importance": 5.00, "content": "x", "tags": ["t"], "metadata": {"mood": 1}, "mood": 2}'
    )
    node = json.loads(migrate_line(line, "a"))
    assert node["metadata"] == {"mood": 1, "agent": "somebody-else", "day": 4, "older_mood": 2}
    assert (node["importance"], node["tags"], node["created"]) == (5, ["t"], "day-003")


def test_an_older_line_that_is_no_memory_stays_and_is_named(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.stream("ole").write_text('{"id": "ole-001", "content": "x"}\n', encoding="utf-8")
    migration = plan_migration(layout)
    assert [item.path for item in migration.files] == ["state/memories/mina.jsonl"]
    assert migration.left[0].startswith("state/memories/ole.jsonl:1: stays as it is: ")


def test_a_line_with_a_key_twice_stays(tmp_path: Path) -> None:
    line = '{"id": "ole-001", "day": 1, "content": "x", "content": "y", "type": "plan", "importance": 1, "depth": 0}'
    layout = make_handmade(tmp_path)
    layout.stream("ole").write_text(line + "\n", encoding="utf-8")
    assert [item.path for item in plan_migration(layout).files] == ["state/memories/mina.jsonl"]
    with pytest.raises(ValueError, match="twice"):
        migrate_line(line, "ole")
