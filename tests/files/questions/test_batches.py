"""Notes of batches: numbered, on the disk, and never guessed at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.questions.traces import BatchFolder, TraceReader

DAY = "day-003"
NOTE: dict[str, Any] = {"after": "b0", "batch": "", "collected": False, "questions": {"ab": "x"}, "failed": {}}


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / "state").mkdir()
    return Layout(tmp_path)


def test_a_note_survives_the_way_to_the_disk_and_is_named_by_its_path(layout: Layout) -> None:
    name = BatchFolder(layout).add(DAY, NOTE)
    assert name == "state/traces/day-003/batch-1.json"
    assert BatchFolder(layout).of_day(DAY) == {name: NOTE}
    assert json.loads((layout.root / name).read_text(encoding="utf-8")) == NOTE


def test_a_note_can_be_changed(layout: Layout) -> None:
    notes = BatchFolder(layout)
    name = notes.add(DAY, NOTE)
    notes.change(name, NOTE | {"batch": "b1"})
    assert notes.of_day(DAY)[name]["batch"] == "b1"


def test_notes_are_numbered_and_come_the_oldest_first(layout: Layout) -> None:
    notes = BatchFolder(layout)
    names = [notes.add(DAY, NOTE | {"after": str(number)}) for number in range(11)]
    assert list(notes.of_day(DAY)) == names
    assert names[-1].endswith("batch-11.json")


def test_days_have_their_own_notes_and_other_files_are_none(layout: Layout) -> None:
    notes = BatchFolder(layout)
    notes.add("day-004", NOTE)
    (layout.traces / DAY / "scene-01").mkdir(parents=True)
    for name in ("batch-x.json", "batch-1.json.bak", ".batch-2.json.new", "batch-².json"):
        (layout.traces / DAY / name).write_text("{", encoding="utf-8")
    assert notes.of_day(DAY) == {}


def test_git_leaves_notes_alone_as_it_does_traces(layout: Layout) -> None:
    BatchFolder(layout).add(DAY, NOTE)
    assert (layout.traces / ".gitignore").is_file()


def test_a_note_is_no_trace(layout: Layout) -> None:
    BatchFolder(layout).add(DAY, NOTE)
    assert TraceReader(layout.traces).in_scene(DAY) == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"after": "b0", "batch": ""}', '{"after": 1, "batch": "", "questions": {}}', "\ud83d"],
    ids=range(6),
)
def test_a_note_that_cannot_be_read_is_named(layout: Layout, text: str) -> None:
    path = layout.root / BatchFolder(layout).add(DAY, NOTE)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(GmError, match=r"state/traces/day-003/batch-1\.json cannot be read"):
        BatchFolder(layout).of_day(DAY)


def test_a_disk_that_refuses_is_a_clear_error(layout: Layout) -> None:
    layout.traces.mkdir()
    (layout.traces / DAY).write_text("in the way", encoding="utf-8")
    with pytest.raises(GmError, match="cannot write"):
        BatchFolder(layout).add("day-003/x", NOTE)
