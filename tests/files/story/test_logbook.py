"""Logbooks, read whole and read lightly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.files.layout import Layout
from gm.files.load import load_log
from gm.files.story.logbook import SceneLine, SceneLines, read_days, read_log, read_scene_lines
from gm.model.calendar import SceneRef
from gm.model.logged import LogEntry


def test_a_day_has_its_scenes_and_its_closing_line(played: Layout) -> None:
    log = read_log(played, 1)
    assert [entry.day for entry in log.scenes] == [1] * len(SceneLines(played).all())
    assert log.closing.is_summary
    assert len(log.scenes) == len(log.entries) - 1
    assert log.numbers == tuple(range(1, len(log.entries) + 1))
    assert log.problems == ()


def test_a_day_that_was_not_played_has_no_lines(played: Layout) -> None:
    log = read_log(played, 9)
    assert (log.entries, log.scenes, log.closing.record) == ((), (), {})


def test_the_lines_of_some_days_are_those_of_their_logbooks_and_follow_an_edit(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.logbook.mkdir(parents=True)
    for day in (1, 2, 12):
        layout.day_log(day).write_text(f'{{"scene": {day}}}\n', encoding="utf-8")
    assert [(entry.day, entry.number) for entry in read_days(layout, range(2, 12))] == [(2, 2)]
    assert read_days(layout, range(5, 2)) == ()
    layout.day_log(2).write_text('{"scene": 7}\n{"scene": 8}\n', encoding="utf-8")
    assert [entry.number for entry in read_days(layout, range(-20, 12))] == [1, 7, 8]


def test_a_line_that_cannot_be_read_is_named_and_the_others_keep_their_places(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.logbook.mkdir(parents=True)
    layout.day_log(1).write_text('{"scene": 1}\n{"scene": \n\n{"scene": "2b", "type": "WORK"}\n', encoding="utf-8")
    log = read_log(layout, 1)
    assert log.numbers == (1, 4)
    assert [problem.line for problem in log.problems] == [2]
    assert log.closing.record == {}


@pytest.mark.parametrize(
    ("scene", "expected"),
    [
        (4, SceneRef(2, 4)),
        (12, SceneRef(2, 12)),
        ("4", SceneRef(2, 4)),
        ("4b", SceneRef(2, 4, "b")),
        ("04b", SceneRef(2, 4, "b")),
        ("scene-04b", SceneRef(2, 4, "b")),
        ("day-002/scene-04", SceneRef(2, 4)),
        (0, None),
        (True, None),
        (-1, None),
        (None, None),
        ("the last one", None),
    ],
)
def test_a_line_names_its_scene_in_many_ways(scene: object, expected: SceneRef | None) -> None:
    assert LogEntry(2, {"scene": scene}).ref == expected


def test_the_light_way_reads_what_the_whole_way_reads(played: Layout) -> None:
    entries, _ = load_log(played, 1)
    assert SceneLines(played).all() == tuple(
        SceneLine(1, entry.number or 0, entry.type, entry.participants) for entry in entries if not entry.is_summary
    )


@given(
    st.integers(0, 99),
    st.text(max_size=8),
    st.text(max_size=8),
    st.lists(st.text(max_size=5), max_size=4),
    st.text(max_size=12),
)
def test_any_text_in_a_line_is_read_as_it_was_written(
    scene: int, kind: str, place: str, cast: list[str], more: str
) -> None:
    record = {"scene": scene, "type": kind, "time_of_day": "noon", "location": place, "participants": cast, "why": more}
    expected = () if kind == "SUMMARY" else (SceneLine(3, scene, LogEntry(3, record).type, tuple(cast)),)
    for ascii_only in (True, False):
        line = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        assert read_scene_lines(3, line) == expected


def test_lines_made_by_hand_are_read_in_any_order_of_keys() -> None:
    data = '\ufeff{"participants": ["ada", 7], "type": "WORK+REFLECTION"}\r\n\n{"scene": 2,\n{"type": "SUMMARY"}\n[]'
    assert read_scene_lines(4, data.encode()) == (SceneLine(4, 0, "WORK+REFLECTION", ("ada",)),)


def test_of_one_day_no_other_logbook_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(tmp_path)
    layout.logbook.mkdir(parents=True)
    for day in (1, 2, 3):
        layout.day_log(day).write_text(f'{{"scene": {day}, "type": "WORK", "participants": []}}\n', encoding="utf-8")
    read: list[Path] = []

    def watched(path: Path) -> bytes:
        read.append(path)
        return path.read_bytes()

    monkeypatch.setattr("gm.files.story.logbook.read_data", watched)
    lines = SceneLines(layout)
    assert lines.of(2) == (SceneLine(2, 2, "WORK", ()),)
    assert read == [layout.day_log(2)]
    assert [line.day for line in lines.all()] == [1, 2, 3]
    assert lines.of(4) == ()
    assert read == [*map(layout.day_log, (2, 1, 3, 4))]


def test_what_has_not_changed_is_the_very_same_value_and_what_has_is_read_anew(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.logbook.mkdir(parents=True)
    layout.day_log(1).write_text('{"scene": 1, "type": "WORK", "participants": ["ada"]}\n', encoding="utf-8")
    lines = SceneLines(layout)
    before = lines.all()
    assert lines.all() is before
    with layout.day_log(1).open("a", encoding="utf-8") as file:
        file.write('{"scene": 2, "type": "WORK", "participants": ["bo"]}\n')
    assert [line.scene for line in lines.all()] == [1, 2]
    layout.day_log(1).unlink()
    assert lines.all() == ()
