"""Reading the end of a file: what a day left there, and nothing more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.files.formats.jsonl import scan_lines
from gm.files.formats.text import overlaid
from gm.files.streams.nodefile import BLOCK, day_of_event, day_of_memory, read_last_memories, read_tail


def event(day: int, text: str = "") -> str:
    return json.dumps({"at": f"day-{day:03d}/scene-01", "text": text})


def memory(number: int, day: int, **metadata: object) -> str:
    record = {"id": f"vera-{number:03d}", "created": f"day-{day:03d}/scene-01", "type": "observation", "depth": 0}
    return json.dumps(record | {"description": "x", "importance": 5, "tags": [], "evidence": [], "metadata": metadata})


@given(st.lists(st.integers(0, 300), max_size=120), st.integers(1, 12), st.booleans())
def test_the_lines_of_the_last_day_are_found_at_any_length(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], days: int, ends: bool
) -> None:
    path = tmp_path_factory.mktemp("tail") / "file.jsonl"
    lines = [event(1 + number * days // len(lengths), "ü" * length) for number, length in enumerate(lengths)]
    path.write_text("\n".join(lines) + ("\n" if ends and lines else ""), encoding="utf-8")
    found = read_tail(path, days, day_of_event)
    assert found == [json.loads(line) for line in lines if json.loads(line)["at"].startswith(f"day-{days:03d}")]


def test_only_the_end_of_a_long_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text("\n".join(event(1, "x" * 200) for _ in range(5000)) + "\n" + event(2) + "\n", encoding="utf-8")
    seen = 0

    def counted(text: str, shown: str) -> object:
        nonlocal seen
        seen += len(text)
        return scan_lines(text, shown)

    monkeypatch.setattr("gm.files.formats.jsonl.scan_lines", counted)
    assert len(read_tail(path, 2, day_of_event)) == 1
    assert seen <= BLOCK < path.stat().st_size / 10


def test_a_day_that_is_longer_than_the_first_piece_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    lines = [event(1), *(event(2, "y" * 400) for _ in range(1000))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert len(read_tail(path, 2, day_of_event)) == 1000


def test_an_older_line_added_by_hand_at_the_end_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    lines = [*(event(1) for _ in range(2000)), *(event(2) for _ in range(300)), event(1), event(2)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert len(read_tail(path, 2, day_of_event)) == 301


def test_a_file_that_is_not_there_is_empty_and_a_broken_line_is_left_out(tmp_path: Path) -> None:
    assert read_tail(tmp_path / "none.jsonl", 1, day_of_event) == []
    path = tmp_path / "file.jsonl"
    path.write_text(event(1) + "\n{oops\n\n" + event(1) + "\n", encoding="utf-8")
    assert len(read_tail(path, 1, day_of_event)) == 2


def test_what_an_interrupted_write_will_make_of_a_file_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(event(1) + "\n", encoding="utf-8")
    with overlaid({path: (event(1) + "\n" + event(2) + "\n").encode()}):
        assert len(read_tail(path, 2, day_of_event)) == 1


def test_memories_beside_the_stream_and_those_of_other_days_are_not_among_the_last(tmp_path: Path) -> None:
    path = tmp_path / "vera.jsonl"
    older = '{"id": "vera-004", "day": 2, "type": "observation", "importance": 6, "depth": 0, "content": "z"}'
    lines = [memory(1, 1), memory(2, 2), memory(3, 2, copied_from="leo-001"), older, '{"id": "vera-005"}']
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert [node.id for node in read_last_memories(path, 2)] == ["vera-002", "vera-004"]


def test_a_line_that_does_not_say_its_day_has_none() -> None:
    assert day_of_memory({}) == day_of_event({}) == day_of_event({"at": 3}) == 0
    assert day_of_memory({"day": 4}) == 4
