"""Memories as light rows: the same as when they are loaded in full, and up to date after every change of a file."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gm.files.load import load_stream
from gm.files.streams.find import ARCHIVE, STREAM
from gm.files.streams.memories import Memories, OwnedRow
from gm.files.streams.rows import COPIES, UTTERANCES, FileRows, read_rows
from gm.memory.search import terms_in
from tests.api.views.worlds import line, world
from tests.handmade import make_handmade


def ids(memories: Memories, name: str, home: str = STREAM) -> list[str]:
    return [row.id for row in memories.of(name).files[home].rows]


def test_rows_say_what_the_nodes_say(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    memories = Memories(layout)
    for name in layout.agent_names():
        rows = memories.of(name).files[STREAM].rows
        nodes = memories.nodes(OwnedRow(name, row) for row in rows)
        assert rows
        for row, node in zip(rows, nodes, strict=True):
            assert node is not None
            assert (row.id, row.type, row.depth, row.importance) == (node.id, node.type, node.depth, node.importance)
            assert (row.day, row.scene, row.suffix) == (node.when.day, node.when.scene, node.when.suffix)
            assert (row.tags, row.evidence) == (node.tags, node.evidence)


BROKEN = [
    line("vera-001"),
    '{"id": "vera-002", "created": ',
    line("vera-003", importance=11),
    line("vera-001", "zum zweiten Mal"),
    line("leo-004"),
    line("vera-005", tags=["turm", 3]),
    line("vera-006")[:-1] + ', "depth": 1}',
    line("vera-006", "Sie steht nur einmal da."),
    "",
    "[]",
    line("vera-008", type="dream"),
    line("vera-009", created="gestern"),
    line("vera-010", importance=5.0),
    line("vera-011", depth=True),
]


def test_broken_lines_are_the_same_problems_as_when_the_stream_is_loaded(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": BROKEN})
    held = Memories(layout).of("vera")
    loaded = load_stream(layout, "vera")
    assert [row.id for row in held.files[STREAM].rows] == ["vera-001", "vera-006", "vera-010"]
    assert sorted(map(str, held.problems)) == sorted(map(str, loaded[-1]))


@pytest.mark.parametrize("step", [1, 2, 5])
def test_a_file_is_read_in_steps_as_at_once(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    data = "\n".join(["\ufeff" + BROKEN[0], *BROKEN[1:], *LINES[1:], line("vera-012", tags=["Turm"])]).encode()
    whole = read_rows("vera", STREAM, "vera.jsonl", data)
    monkeypatch.setattr("gm.files.streams.rows.STEP", step)
    monkeypatch.setattr("gm.files.streams.rows.STEP", step)
    pauses: list[None] = []
    read = read_rows("vera", STREAM, "vera.jsonl", data, pause=lambda: pauses.append(None))
    assert len(pauses) >= len(data.splitlines()) / step
    assert (read.rows, read.problems, read.lines) == (whole.rows, whole.problems, whole.lines)
    assert [row.id for row in read.find(terms_in("turm", "de"))] == ["vera-002", "vera-012"]


def test_reading_ahead_holds_no_lock_while_it_waits_and_keeps_what_a_request_has_read(tmp_path: Path) -> None:
    memories = Memories(world(tmp_path, {"vera": [line("vera-001")]}))
    asked: list[FileRows] = []

    def ask() -> None:
        with ThreadPoolExecutor(1) as others:
            asked.append(others.submit(memories.of, "vera").result(10).files[STREAM])

    memories.warm(ask)
    assert len(asked) > 1
    assert all(rows is memories.of("vera").files[STREAM] for rows in asked)


def test_lines_behind_a_known_end_are_read_as_those_before(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": [line("vera-001"), "kaputt"]})
    memories = Memories(layout)
    assert ids(memories, "vera") == ["vera-001"]
    with open(layout.stream("vera"), "a", encoding="utf-8") as file:
        file.write("\n".join([line("vera-001"), line("vera-002", "Der Türmer"), "auch kaputt", ""]))
    grown, anew = memories.of("vera"), Memories(layout).of("vera")
    assert grown.files[STREAM].rows == anew.files[STREAM].rows
    assert grown.problems == anew.problems
    assert [problem.line for problem in grown.problems] == [2, 3, 5]
    assert [row.id for row in grown.files[STREAM].find(terms_in("tuermer", "de"))] == ["vera-002"]


def test_of_a_file_that_has_grown_only_the_end_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = world(tmp_path, {"vera": [line(f"vera-{number:03d}") for number in range(1, 50)]})
    memories = Memories(layout)
    memories.of("vera")
    decoded: list[int] = []

    def watched(*file: Any) -> FileRows:
        decoded.append(file[4][1])
        return read_rows(*file)

    monkeypatch.setattr("gm.files.streams.memories.read_rows", watched)
    known = layout.stream("vera").stat().st_size
    with open(layout.stream("vera"), "a", encoding="utf-8") as file:
        file.write(line("vera-050") + "\n")
    assert len(ids(memories, "vera")) == 50
    assert decoded == [known]


LINES = [
    line("vera-001"),
    line("vera-002", 'Sie sagt: "Ja"\\\n\tund \u00bbnein\u00ab', tags=["türmer", "a, b"]),
    line("vera-003", created="day-002", evidence=["vera-001", "leo-002"], depth=1, type="reflection"),
    line("vera-004", created="day-1000/scene-12b", importance=10),
    line("vera-005", metadata={"copied_from": "leo-002"}),
    line("vera-006", metadata={"kind": "dialogue", "speaker": "leo", "turn": 3}),
    line("vera-007", metadata={"copied_from": {"id": "leo-003"}}),
    line("vera-008", metadata={"note": '{["', "kind": 'a": 1'}),
    line("vera-009", "😀", tags=[], metadata={"when": None}),
    line("vera-010", tags=['ein "Wort"']),
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", " \n"])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_usual_form_of_a_line_says_the_same_as_any_other(tmp_path: Path, end: str, ascii_only: bool) -> None:
    usual = [json.dumps(json.loads(one), ensure_ascii=ascii_only) for one in LINES]
    other = [json.dumps(dict(reversed(json.loads(one).items())), ensure_ascii=ascii_only) for one in LINES]
    data, as_other = (end.join([*lines, ""]).encode() for lines in (usual, other))
    read, expected = (read_rows("vera", STREAM, "vera.jsonl", one) for one in (data, as_other))
    assert not read.problems
    assert [row._replace(start=0, size=0) for row in read.rows] == [
        row._replace(start=0, size=0) for row in expected.rows
    ]
    assert [row.id for row in read.find(terms_in("nein tuermer", "de"))] == ["vera-002"]
    for row, one in zip(read.rows, usual, strict=True):
        assert data[row.start :][: row.size].decode().strip() == one


@pytest.mark.parametrize(
    "wrong",
    [
        line("vera-001"),
        line("vera-009")[:-2] + "nonsense}}",
        line("vera-009")[:-2] + '"a": 1, "a": 2}}',
        line("vera-009", depth=10**18),
        line("leo-009"),
        line("vera-009").replace("Es regnet", "Es\tregnet"),
    ],
)
def test_a_wrong_line_among_usual_ones_is_a_problem_at_its_place(tmp_path: Path, wrong: str) -> None:
    lines = [line("vera-001"), line("vera-002"), wrong, line("vera-003")]
    read = read_rows("vera", STREAM, "vera.jsonl", "\n".join(lines).encode())
    assert [row.number for row in read.rows] == [1, 2, 4]
    assert [problem.line for problem in read.problems] == [3]


def test_a_correction_that_keeps_size_and_time_of_a_file_is_seen(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": [line("vera-001", importance=4)]})
    path = layout.stream("vera")
    memories = Memories(layout)
    before = os.stat(path)
    assert memories.of("vera").files[STREAM].rows[0].importance == 4
    path.write_text(line("vera-001", importance=9) + "\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert memories.of("vera").files[STREAM].rows[0].importance == 9


def test_a_correction_and_an_addition_between_two_looks_are_both_seen(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": [line("vera-001", importance=4), line("vera-002")]})
    memories = Memories(layout)
    memories.of("vera")
    text = layout.stream("vera").read_text(encoding="utf-8").replace('"importance": 4', '"importance": 8')
    layout.stream("vera").write_text(text + line("vera-003") + "\n", encoding="utf-8")
    assert [row.importance for row in memories.of("vera").files[STREAM].rows] == [8, 5, 5]


def test_a_file_that_is_cut_or_gone_is_read_as_it_is(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": [line("vera-001"), line("vera-002")]})
    memories = Memories(layout)
    assert ids(memories, "vera") == ["vera-001", "vera-002"]
    layout.stream("vera").write_text(line("vera-001") + "\n", encoding="utf-8")
    assert ids(memories, "vera") == ["vera-001"]
    layout.stream("vera").unlink()
    assert ids(memories, "vera") == []


def test_byte_order_mark_and_carriage_returns_are_read_to_the_byte(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": []})
    lines = [line("vera-001", "Türme"), line("vera-002", "Wind")]
    layout.stream("vera").write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*lines, ""]).encode())
    memories = Memories(layout)
    assert memories.lines(OwnedRow("vera", row) for row in memories.of("vera").files[STREAM].rows) == lines


def test_a_file_that_is_no_utf8_is_a_problem_and_the_rest_of_it_is_there(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": []})
    layout.stream("vera").write_bytes(
        line("vera-001", "T\xfcrme").encode("latin-1") + f"\n{line('vera-002')}\n".encode()
    )
    held = Memories(layout).of("vera")
    assert [problem.code for problem in held.problems] == ["not-utf8"]
    assert [row.id for row in held.files[STREAM].rows] == ["vera-001", "vera-002"]


def test_what_is_kept_beside_the_stream_is_told_apart(tmp_path: Path) -> None:
    copy = line("vera-002", metadata={"copied_from": "leo-001"})
    said = line("vera-003", metadata={"kind": "dialogue", "speaker": "vera", "turn": 1})
    layout = world(tmp_path, {"vera": [line("vera-001"), copy, said]}, archive={"vera": [line("vera-000")]})
    held = Memories(layout).of("vera")
    assert [row.home for row in held.files[STREAM].rows] == [STREAM, COPIES, UTTERANCES]
    assert [row.home for row in held.files[ARCHIVE].rows] == [ARCHIVE]


def test_who_cites_a_memory_of_another_character_is_found_without_reading_everything(tmp_path: Path) -> None:
    cites = [
        line("leo-001", "vera-001 nur im Text", tags=["vera-001"]),
        line("leo-002", evidence=["vera-001", "leo-001"]),
    ]
    layout = world(tmp_path, {"vera": [line("vera-001")], "leo": cites})
    memories = Memories(layout)
    assert memories.citing_elsewhere("vera", {"leo"}) == {"vera-001": ("leo-002",)}
    layout.stream("leo").write_text(line("leo-001") + "\n", encoding="utf-8")
    assert memories.citing_elsewhere("vera", {"leo"}) == {}


def test_several_threads_get_the_same_while_the_file_grows(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": [line("vera-001", "Türme")]})
    memories = Memories(layout)

    def look(number: int) -> bool:
        if number % 10 == 0:
            with open(layout.stream("vera"), "ab") as file:
                file.write(f"{line(f'vera-{number + 100:03d}', 'Türme')}\n".encode())
        rows = memories.of("vera").files[STREAM]
        return len(rows.find(terms_in("turm", "de"))) == len(rows.rows)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(look, range(80)))
    assert len(ids(memories, "vera")) == 9
