"""Logbooks, read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.files.logbook import read_log, ref_of
from gm.files.scenelines import SceneLines
from gm.model.calendar import SceneRef
from gm.model.scene import LogEntry


def test_a_day_has_its_scenes_and_its_closing_line(played: Layout) -> None:
    log = read_log(played, 1)
    assert [entry.day for entry in log.scenes] == [1] * len(SceneLines(played).all())
    assert log.closing["type"] == "SUMMARY"
    assert len(log.scenes) == len(log.entries) - 1
    assert log.numbers == tuple(range(1, len(log.entries) + 1))
    assert log.problems == ()


def test_a_day_that_was_not_played_has_no_lines(played: Layout) -> None:
    log = read_log(played, 9)
    assert (log.entries, log.scenes, dict(log.closing)) == ((), (), {})


def test_a_line_that_cannot_be_read_is_named_and_the_others_keep_their_places(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.logbook.mkdir(parents=True)
    layout.day_log(1).write_text('{"scene": 1}\n{"scene": \n\n{"scene": "2b", "type": "WORK"}\n', encoding="utf-8")
    log = read_log(layout, 1)
    assert log.numbers == (1, 4)
    assert [problem.line for problem in log.problems] == [2]
    assert dict(log.closing) == {}


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
    assert ref_of(LogEntry(2, {"scene": scene})) == expected
