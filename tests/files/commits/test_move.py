"""Lines go from one file to another: none is lost or doubled by a kill or an edit meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.files.commits.snapshot import snapshot
from gm.files.commits.stepforms import parse_step, render_step
from gm.files.commits.steps import Move, Step, append_step, carry_out_all, move_step
from gm.files.commits.writer import writing
from gm.files.formats.text import read_data
from gm.files.layout import Layout
from tests.files.killing import killed_after

STREAM, ARCHIVE = "state/memories/vera.jsonl", "state/archive/vera.jsonl"
LINES = ['{"id": "vera-001", "x": "früh"}', '{"id":"vera-002"}\r', '{"id": "vera-003", "x": "a\u2028b"}', "", "four"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "world")


def make(root: Path, archive: str | None = "older\n") -> Path:
    write(root / STREAM, "\ufeff" + "\n".join(LINES))
    if archive is not None:
        write(root / ARCHIVE, archive)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def step_of(root: Path, *lines: str) -> Move:
    return move_step(Layout(root), root / STREAM, root / ARCHIVE, lines or (LINES[0], LINES[1]))


def commit(root: Path, step: Move) -> list[str]:
    with writing(Layout(root), "a test") as writer:
        return [str(item) for item in writer.commit([step])]


def contents(root: Path) -> tuple[str, str]:
    stream, archive = (path.read_bytes().decode() for path in (root / STREAM, root / ARCHIVE))
    return stream, archive


MOVED = ("\ufeff" + "\n".join(LINES[2:]), f"older\n{LINES[0]}\n{LINES[1]}\n")


def test_lines_are_moved_to_the_byte_and_every_other_byte_stays(root: Path) -> None:
    assert commit(root, step_of(root)) == []
    assert contents(root) == MOVED


def test_it_may_be_carried_out_again_and_a_new_archive_is_made(root: Path) -> None:
    (root / ARCHIVE).unlink()
    step = step_of(root)
    assert commit(root, step) == commit(root, step) == []
    assert contents(root) == (MOVED[0], MOVED[1].removeprefix("older\n"))


def test_an_archive_whose_last_line_has_no_end_gets_one(root: Path) -> None:
    write(root / ARCHIVE, "older")
    commit(root, step_of(root))
    assert contents(root) == MOVED


def test_a_line_that_was_edited_meanwhile_stays_and_is_named(root: Path) -> None:
    step = step_of(root)
    write(root / STREAM, contents(root)[0].replace("früh", "spät"))
    (overruled,) = commit(root, step)
    assert "vera-001" in overruled
    stream, archive = contents(root)
    assert "spät" in stream
    assert archive == f"older\n{LINES[1]}\n"


def test_lines_that_were_added_or_reordered_meanwhile_stay(root: Path) -> None:
    step = step_of(root)
    write(root / STREAM, "\n".join(["new", LINES[1], LINES[0], LINES[2]]) + "\n")
    assert commit(root, step) == []
    assert contents(root) == (f"new\n{LINES[2]}\n", f"older\n{LINES[1]}\n{LINES[0]}\n")


def test_wherever_it_is_killed_the_next_writer_finishes_it_and_a_reader_sees_it_done(tmp_path: Path) -> None:
    for operations in range(40):
        root = make(tmp_path / f"world-{operations}")
        step = step_of(root)
        with killed_after(root, operations) as countdown:
            commit(root, step)
        if countdown.left:
            break
        layout = Layout(root)
        before = contents(root)
        assert LINES[0] in before[0] + before[1]
        journalled = layout.journal.exists() and layout.journal.stat().st_size
        if journalled:
            with snapshot(layout):
                assert read_data(root / STREAM).decode() in (MOVED[0], before[0])
        with writing(layout, "the next"):
            pass
        assert contents(root) in (MOVED, ("\ufeff" + "\n".join(LINES), "older\n"))
        if journalled:
            assert contents(root) == MOVED
    assert operations > 5


NEW = '{"id": "vera-009", "x": "new"}'
OLD = [LINES[0], *LINES[2:]]


def kill_and_edit(root: Path, operations: int, edit: str) -> bool:
    """Kill a commit that appends a line to the stream and takes another one out; return whether it was journaled."""
    layout = Layout(make(root))
    write(root / STREAM, "".join(f"{line}\n" for line in OLD))
    steps: list[Step] = [append_step(layout, layout.root / STREAM, [NEW]), step_of(root, LINES[0])]
    with killed_after(root, operations), writing(layout, "a test") as writer:
        writer.commit(steps)
    text = contents(root)[0]
    if edit == "torn" and NEW in text:  # the append itself broke off
        write(root / STREAM, text.replace(f"{NEW}\n", NEW[:9]))
    elif edit == "mine\n":
        (root / STREAM).unlink()
        write(root / STREAM, edit + text)
    is_journaled = bool(layout.journal.exists() and layout.journal.stat().st_size)
    with writing(layout, "the next"):
        pass
    return is_journaled


@pytest.mark.parametrize("edit", ["", "torn", "mine\n"])
def test_a_file_that_gets_lines_and_loses_some_has_each_once_after_a_kill(tmp_path: Path, edit: str) -> None:
    journaled = 0
    for operations in range(30):
        root = tmp_path / f"world-{operations}"
        if not kill_and_edit(root, operations, edit):
            continue
        journaled += 1
        stream, archive = contents(root)
        assert (stream.count(LINES[0]), archive.count(LINES[0])) == (0, 1), operations
        kept = "".join(path.read_text() for path in root.rglob("kept-aside/**/vera.jsonl"))
        assert (stream + kept).count(NEW) == 1, operations
        if edit != "mine\n":
            assert (stream, kept) == ("".join(f"{line}\n" for line in (*OLD[1:], NEW)), ""), operations
        else:
            assert stream.startswith("mine\n"), operations
    assert journaled > 3


@pytest.mark.parametrize("appends", [True, False])
def test_no_line_leaves_the_stream_for_an_archive_that_was_edited_meanwhile(tmp_path: Path, appends: bool) -> None:
    journaled = 0
    for operations in range(30):
        root = make(tmp_path / f"world-{operations}")
        layout = Layout(root)
        write(root / STREAM, "".join(f"{line}\n" for line in OLD))
        steps: list[Step] = [append_step(layout, root / STREAM, [NEW])] if appends else []
        with killed_after(root, operations), writing(layout, "a test") as writer:
            writer.commit([*steps, step_of(root, LINES[0])])
        journaled += layout.journal.exists() and layout.journal.stat().st_size > 0
        text = contents(root)[1]
        (root / ARCHIVE).unlink()
        write(root / ARCHIVE, f"mine\n{text}")
        with writing(layout, "the next"):
            pass
        stream, archive = contents(root)
        assert (stream + archive).count(LINES[0]) == 1, operations
        assert archive.startswith("mine\nolder\n"), operations
    assert journaled > 3


def test_an_append_that_was_torn_is_completed() -> None:
    step = Move(STREAM, ARCHIVE, 6, "", ("one", "two"))
    files = {STREAM: b"one\ntwo\nthree\n", ARCHIVE: b"older\non"}
    new, overruled = carry_out_all(step, files.get)
    assert new == {ARCHIVE: b"older\none\ntwo\n", STREAM: b"three\n"}
    assert overruled == []


def test_the_journal_reads_what_it_wrote() -> None:
    step = Move(STREAM, ARCHIVE, 6, "\n", ("one", "zwei\r"))
    again = parse_step(json.loads(json.dumps(render_step(step))))
    assert isinstance(again, Move)
    files = {STREAM: b"one\nzwei\r\n", ARCHIVE: b"older1"}
    assert carry_out_all(again, files.get) == carry_out_all(step, files.get)


lines = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1, max_size=6))


@given(lines, st.data())
def test_every_line_is_in_one_of_the_two_files_afterwards(found: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from(found), unique=True)) if found else []
    step = Move(STREAM, ARCHIVE, 0, "", tuple(wanted))
    source = "".join(f"{line}\n" for line in found).encode()
    new, overruled = carry_out_all(step, {STREAM: source}.get)
    after = (new.get(STREAM, source) or b"").decode().split("\n")[:-1]
    moved = (new.get(ARCHIVE) or b"").decode().split("\n")[:-1]
    bare = [[line.removeprefix("\ufeff") for line in some] for some in (after + moved, found)]
    assert sorted(bare[0]) == sorted(bare[1])
    assert set(moved) <= set(wanted)
    assert all(item.path == STREAM for item in overruled)
