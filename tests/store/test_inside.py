"""Paths inside a world, as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.store import inside
from gm.store.layout import Layout


def test_they_are_the_paths_of_a_layout() -> None:
    layout = Layout(Path("/somewhere/else"))
    assert layout.shown(layout.world) == inside.CLOCK
    assert inside.agent("vera") == layout.shown(layout.agent("vera"))
    assert inside.stream("vera") == layout.shown(layout.stream("vera"))
    assert inside.relationships_history("vera") == layout.shown(layout.relationships_history("vera"))


def test_streams_and_archives_have_owners() -> None:
    assert inside.memories_of(inside.stream("vera")) == "vera"
    assert inside.memories_of(inside.archive("vera")) == "vera"
    assert inside.memories_of(inside.gifted("vera")) == ""
    assert inside.memories_of("state/memories/deep/vera.jsonl") == ""


@pytest.mark.parametrize("folder", inside.LOGBOOKS)
def test_logbooks_have_days_in_worlds_of_any_age(folder: str) -> None:
    assert inside.is_logbook(f"{folder}notes.md")
    assert inside.day_of_logbook(f"{folder}day-012.jsonl") == 12
    assert inside.day_of_logbook(f"{folder}notes.md") is None
    assert inside.day_of_logbook(f"{folder}other.jsonl") is None


def test_what_a_world_keeps_for_itself_is_no_memory() -> None:
    assert "state/.gm/lock".startswith(inside.LOCAL)
    assert not inside.stream("vera").startswith(inside.LOCAL)
