"""Paths inside a world, as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.files import relative_paths
from gm.files.layout import Layout
from gm.layers.relationships import HISTORY, RELATIONSHIPS


def test_they_are_the_paths_of_a_layout() -> None:
    layout = Layout(Path("/somewhere/else"))
    assert layout.shown(layout.world) == relative_paths.CLOCK
    assert relative_paths.agent("vera") == layout.shown(layout.agent("vera"))
    assert relative_paths.stream("vera") == layout.shown(layout.stream("vera"))
    assert relative_paths.layer(RELATIONSHIPS, "vera", HISTORY) == layout.shown(
        layout.layer(RELATIONSHIPS, "vera", HISTORY)
    )


def test_streams_and_archives_have_owners() -> None:
    assert relative_paths.owner_of_memories(relative_paths.stream("vera")) == "vera"
    assert relative_paths.owner_of_memories(relative_paths.archive("vera")) == "vera"
    assert relative_paths.owner_of_memories(relative_paths.gifted("vera")) == ""
    assert relative_paths.owner_of_memories("state/memories/deep/vera.jsonl") == ""


@pytest.mark.parametrize("folder", relative_paths.LOGBOOKS)
def test_logbooks_have_days_in_worlds_of_any_age(folder: str) -> None:
    assert relative_paths.is_logbook(f"{folder}notes.md")
    assert relative_paths.day_of_logbook(f"{folder}day-012.jsonl") == 12
    assert relative_paths.day_of_logbook(f"{folder}notes.md") is None
    assert relative_paths.day_of_logbook(f"{folder}other.jsonl") is None


def test_what_a_world_keeps_for_itself_is_no_memory() -> None:
    assert "state/.gm/lock".startswith(relative_paths.LOCAL)
    assert not relative_paths.stream("vera").startswith(relative_paths.LOCAL)


@pytest.mark.parametrize(
    "path",
    ["gm.yaml", "state/world.json", "state/.gm/changes/day-003.jsonl", "state/.gm/reinforced.jsonl", "gallery/a/ä.md"],
)
def test_places_that_commits_write_to_may_be_named(path: str) -> None:
    assert relative_paths.is_written(path)


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "state/../x", "state//x", "state/", "state", ".git/config", "state/.gm/lock",
     "notes.txt", "state/.gm/changes/x.jsonl",
     "state/.gm/changes/day-003/scene-01.jsonl", "gallery/\ud800", "gallery/a\0",
     "gallery\\..\\x", "gallery/a\\b"],
)  # fmt: skip
def test_other_places_may_not(path: str) -> None:
    assert not relative_paths.is_written(path)


def test_a_link_is_a_way_out_unless_it_leads_to_a_place_that_commits_write_to(tmp_path: Path) -> None:
    root = tmp_path / "world"
    (root / "state" / "memories").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "gallery").symlink_to(root / "state" / "memories")
    (root / "library").symlink_to(root / ".git")
    (root / "state" / "far").symlink_to(tmp_path / "nowhere")
    (root / "state" / "round").symlink_to(root / "state" / "round")
    assert relative_paths.way_out(str(root), "state/memories/vera.jsonl") == ""
    assert relative_paths.way_out(str(root), "gallery/a.md") == ""
    assert relative_paths.way_out(str(root), "library/a.md") == "library"
    assert relative_paths.way_out(str(root), "state/far/a/b.json") == "state/far"
    with pytest.raises(OSError, match=r".*"):
        relative_paths.way_out(str(root), "state/round/a.json")
