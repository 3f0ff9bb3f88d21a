"""Older worlds take the present format when a person asks for it; nothing is lost and no other line changes."""

import json
from pathlib import Path

import pytest

from gm.api.history.rewind.apply_rewind import go_back
from gm.api.history.rewind.moments import find_moment
from gm.api.worlds.migrate.migration import (
    STEPS,
    FormatStep,
    Rewritten,
    migrate_line,
    plan_migration,
    remove_gone,
    write_format,
    write_migration,
)
from gm.base.config import FORMAT
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.calendar import SceneRef
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
    write_migration(layout, plan_migration(layout))
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


@pytest.mark.parametrize(
    "path", ["archive/mina.jsonl", "summaries/mina.jsonl", "gifted/mina.jsonl", "gifted/_world.jsonl"]
)
def test_older_lines_change_in_every_file_of_memories(tmp_path: Path, path: str) -> None:
    layout = make_handmade(tmp_path)
    layout.settings.write_text("language: de\n", encoding="utf-8")
    file = layout.state / path
    file.parent.mkdir()
    file.write_text(f"{MINA_LINES[0]}\n{MINA_LINES[1].replace('-002', '-009')}\n", encoding="utf-8")
    write_migration(layout, plan_migration(layout))
    first, second = file.read_text(encoding="utf-8").splitlines()
    assert first == MINA_LINES[0]
    assert json.loads(second)["description"] == "Die Türme am Ufer sind älter als das Dorf."
    assert load_world(layout).world.settings.format == FORMAT
    assert not plan_migration(layout).files


@pytest.mark.parametrize("folder", ["archive", "summaries", "gifted"])
def test_a_line_that_has_to_be_corrected_by_hand_keeps_the_number_in_every_file_of_memories(
    tmp_path: Path, folder: str
) -> None:
    layout = make_handmade(tmp_path)
    layout.settings.write_text("language: de\n", encoding="utf-8")
    file = layout.state / folder / "ole.jsonl"
    file.parent.mkdir()
    file.write_text('{"id": "ole-009", "content": "x"}\n', encoding="utf-8")
    migration = plan_migration(layout)
    assert migration.target == 1
    assert migration.left[0].startswith(f"state/{folder}/ole.jsonl:1: stays as it is: ")


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
        write_migration(layout, migration)
    assert layout.stream("mina").read_bytes() == b""


def test_values_outside_of_the_nine_keys_are_kept() -> None:
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
    with pytest.raises(ValueError, match="the key 'content' stands in it twice"):
        migrate_line(line, "ole")


SETTINGS = """\
\ufeff# Our house
# by hand
---
language: de   # ours
recall:
  limit: 7
  signals: {bm25: 2}
  vectors_above: 0.5   # tried
index: {ann_above: 5, enabled: false}
"""


def test_a_world_without_a_format_gets_it_above_its_settings_and_loses_what_can_no_longer_be_set(
    tmp_path: Path,
) -> None:
    layout = make_handmade(tmp_path)
    layout.settings.write_bytes(SETTINGS.replace("\n", "\r\n").encode())
    migration = plan_migration(layout)
    assert (migration.format, migration.target, migration.left) == (1, FORMAT, ())
    settings = next(item for item in migration.files if item.path == "gm.yaml")
    assert settings.steps == ("settings", "format")
    write_migration(layout, migration)
    assert layout.settings.read_bytes().decode() == (
        "\ufeff# Our house\r\n# by hand\r\n---\r\nformat: 2\r\nlanguage: de   # ours\r\n"
        "recall:\r\n  limit: 7\r\nindex: {enabled: false}\r\n"
    )
    again = plan_migration(layout)
    assert (again.format, again.target, again.files, again.lines) == (FORMAT, FORMAT, (), 0)
    assert load_world(layout).world.settings.recall.limit == 7


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "format: 2\n"),
        ("# only a comment", "# only a comment\nformat: 2\n"),
        ("language: en", "format: 2\nlanguage: en"),
        ("language: en\nformat: 1  # old\n", "language: en\nformat: 2  # old\n"),
        ("{language: en}\n", "{language: en, format: 2}\n"),
    ],
)
def test_the_format_is_written_into_any_file_of_settings(before: str, after: str) -> None:
    assert write_format("gm.yaml", before) == Rewritten(after, 1)
    assert write_format("gm.yaml", after).text == after


def test_settings_that_cannot_be_read_stay_and_are_named() -> None:
    broken = "language: [\n"
    assert remove_gone("gm.yaml", broken) == Rewritten(broken)
    found = write_format("gm.yaml", broken)
    assert (found.text, found.lines) == (broken, 0)
    assert found.left[0].startswith("gm.yaml: format is not written: not YAML")


def test_a_section_that_an_alias_refers_to_stays() -> None:
    text = "index: &all\n  ann_above: 5\n  enabled: true\nglossary: {x: *all}\n"
    found = remove_gone("gm.yaml", text)
    assert (found.text, found.lines) == (text, 0)
    assert found.left[0].startswith("gm.yaml: index.ann_above stays as it is: ")


def test_the_number_is_not_raised_while_a_line_has_to_be_corrected_by_hand(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.settings.write_text("language: de\n", encoding="utf-8")
    layout.stream("ole").write_text('{"id": "ole-001", "content": "x"}\n', encoding="utf-8")
    migration = plan_migration(layout)
    assert (migration.format, migration.target) == (1, 1)
    assert [item.path for item in migration.files] == ["state/memories/mina.jsonl"]


def test_a_file_that_is_no_text_stays(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.stream("ole").write_bytes(b"\xff\n")
    migration = plan_migration(layout)
    assert [item.path for item in migration.files] == ["state/memories/mina.jsonl"]
    assert migration.left[0].startswith("state/memories/ole.jsonl: stays as it is: ")


def test_each_step_has_a_name_of_its_own() -> None:
    assert len({step.name for step in STEPS}) == len(STEPS)


def test_what_came_late_into_a_world_of_the_present_format_is_brought_up_too(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.settings.write_text(f"format: {FORMAT}\nindex: {{ann_above: 5, enabled: false}}\n", encoding="utf-8")
    migration = plan_migration(layout)
    assert (migration.format, migration.target, migration.left) == (FORMAT, FORMAT, ())
    assert [(item.path, item.steps) for item in migration.files] == [
        ("state/memories/mina.jsonl", ("memories",)),
        ("state/memories/ole.jsonl", ("memories",)),
        ("gm.yaml", ("settings",)),
    ]


def test_a_world_that_gm_has_played_has_nothing_to_migrate(played: Layout) -> None:
    migration = plan_migration(played)
    assert (migration.format, migration.files, migration.left) == (FORMAT, (), ())


def shout(_path: str, text: str) -> Rewritten:
    louder = text.replace("observation", "OBSERVATION")
    return Rewritten(louder, int(louder != text))


def test_steps_follow_one_another_and_a_rewind_goes_back_over_them(played: Layout) -> None:
    stream = played.stream("vera")
    before = stream.read_bytes()
    louder = FormatStep("louder", "", lambda layout: (layout.stream("vera"),), shout)
    longer = FormatStep(
        "tail", "", lambda layout: (layout.stream("vera"),), lambda _path, text: Rewritten(text + "\n", 1)
    )
    migration = plan_migration(played, (louder, longer))
    assert [(item.path, item.steps, item.lines) for item in migration.files] == [
        ("state/memories/vera.jsonl", ("louder", "tail"), 2)
    ]
    write_migration(played, migration)
    assert stream.read_bytes() == before.replace(b"observation", b"OBSERVATION") + b"\n"
    go_back(played, find_moment(played, SceneRef(1, 2)), None)
    lines = stream.read_bytes()
    assert lines
    assert before.startswith(lines)
    assert not find_moment(played, SceneRef(1, 2)).files
