"""What a power failure leaves: only what was synced, contents and folder entries alike."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from gm.files.commits.journal import write_record
from gm.files.commits.lock import held
from gm.files.commits.runnote import note_end
from gm.files.commits.steps import Append, Create, OneFile, SetValues
from gm.files.commits.writer import writing
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.files.questions.traces import BatchFolder, TraceFolder
from tests.files.killing import killed_after

TEXT = b"a text\n"


class Power:
    """A disk that keeps nothing but what was synced. What lies in the folder when it begins was.

    Attributes:
        calls: What was synced (a file with its size) and moved, in order.
    """

    def __init__(self, root: Path, patched: pytest.MonkeyPatch) -> None:
        self._root = root
        self._contents: dict[int, bytes] = {}
        self._entries: dict[int, dict[str, int]] = {}
        self.calls: list[tuple[str, str, int]] = []
        for path in (root, *root.rglob("*")):
            self._keep(path)
        for name in ("fsync", "fdatasync"):
            patched.setattr(os, name, self._sync)
        replace = os.replace

        def move(path: Path, target: Path) -> None:
            replace(path, target)
            self.calls.append(("moved", self._named(Path(target)), 0))

        patched.setattr(os, "replace", move)

    def _keep(self, path: Path) -> None:
        inode = path.stat().st_ino
        if path.is_dir():
            with os.scandir(path) as entries:
                self._entries[inode] = {entry.name: entry.inode() for entry in entries}
        else:
            self._contents[inode] = path.read_bytes()

    def _sync(self, handle: int) -> None:
        status = os.fstat(handle)
        path = next(path for path in (self._root, *self._root.rglob("*")) if path.stat().st_ino == status.st_ino)
        self._keep(path)
        self.calls.append(("synced", self._named(path), 0 if stat.S_ISDIR(status.st_mode) else status.st_size))

    def _named(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def left(self, path: Path) -> bytes | None:
        """Return what a file would hold after a power failure now; None if there were none."""
        inode = self._root.stat().st_ino
        for name in path.relative_to(self._root).parts:
            found = self._entries.get(inode, {}).get(name)
            if found is None:
                return None
            inode = found
        return self._contents.get(inode, b"")


@pytest.fixture
def power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Power:
    (tmp_path / "world" / "state").mkdir(parents=True)
    return Power(tmp_path, monkeypatch)


@pytest.fixture
def layout(power: Power, tmp_path: Path) -> Layout:
    return Layout(tmp_path / "world")


@pytest.mark.parametrize("is_reserved", [False, True])
def test_a_file_is_synced_then_moved_to_its_place_and_then_the_folder_is_synced(
    power: Power, tmp_path: Path, is_reserved: bool
) -> None:
    path = tmp_path / "note.json"
    if is_reserved:
        disk.reserve(path, 100)
    disk.replace_synced(path, TEXT)
    assert power.calls == [("synced", ".note.json.new", len(TEXT)), ("moved", "note.json", 0), ("synced", ".", 0)]
    assert power.left(path) == TEXT


def test_an_appended_line_is_synced_and_the_folder_of_a_new_file_too(power: Power, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    disk.append_synced(path, TEXT)
    assert power.calls == [("synced", "lines.jsonl", len(TEXT)), ("synced", ".", 0)]
    disk.append_synced(path, TEXT)
    assert power.calls[2:] == [("synced", "lines.jsonl", 2 * len(TEXT))]
    assert power.left(path) == 2 * TEXT


def test_each_new_folder_is_synced_into_the_one_above_it(power: Power, tmp_path: Path) -> None:
    disk.make_folder_synced(tmp_path / "a" / "b")
    assert sorted(power.calls) == [("synced", ".", 0), ("synced", "a", 0)]
    disk.make_folder_synced(tmp_path / "a" / "b")
    assert len(power.calls) == 2


def _trace(layout: Layout) -> Path:
    traces = TraceFolder(layout.traces, "day-001/scene-01")
    traces.reserve("vera", "0123456789abcdef", 1000)
    traces.keep("vera", "0123456789abcdef", {"answer": "yes"})
    return layout.traces / "day-001" / "scene-01" / "vera.0123456789ab.json"


def _raw_answer(layout: Layout) -> Path:
    return Path(TraceFolder(layout.traces, "day-001/scene-01").keep_raw("vera", "0123456789abcdef", b"\xff"))


def _run_note(layout: Layout) -> Path:
    note_end(layout, 1)
    return layout.end_note


def _batch(layout: Layout) -> Path:
    return layout.root / BatchFolder(layout).add("day-001", {"batch": "b1"})


def _changed_batch(layout: Layout) -> Path:
    BatchFolder(layout).change(layout.shown(_batch(layout)), {"batch": "b2"})
    return layout.traces / "day-001" / "batch-1.json"


def _letter(layout: Layout) -> Path:
    PostFolder(layout).write_question("day-001-scene-01-vera", {"identity": "0"}, "Who comes?")
    return layout.mailbox / "day-001-scene-01-vera.md"


def _answered_letter(layout: Layout) -> Path:
    _letter(layout)
    assert PostFolder(layout).put_answer("day-001-scene-01-vera", "0", "{}")
    return layout.mailbox / "day-001-scene-01-vera.answer.json"


def _report(layout: Layout) -> Path:
    disk.write_file(layout.root / "reports" / "new" / "table.csv", TEXT)
    return layout.root / "reports" / "new" / "table.csv"


KEPT = [_trace, _raw_answer, _run_note, _batch, _changed_batch, _letter, _answered_letter, _report]


@pytest.mark.parametrize("keep", KEPT)
def test_what_was_kept_is_there_after_a_power_failure(
    power: Power, layout: Layout, keep: Callable[[Layout], Path]
) -> None:
    path = keep(layout)
    assert path.read_bytes()
    assert power.left(path) == path.read_bytes()


def test_a_private_folder_is_kept_with_what_hides_it_from_git(power: Power, layout: Layout) -> None:
    disk.make_private(layout.asks)
    assert power.left(layout.asks / ".gitignore") == disk.IGNORE.encode()


@pytest.mark.parametrize("is_locked_first", [False, True])
def test_a_commit_is_in_the_journal_and_the_journal_in_its_folder(
    power: Power, layout: Layout, is_locked_first: bool
) -> None:
    disk.make_private(layout.derived)
    if is_locked_first:
        with held(layout.journal, exclusive=True):
            pass
    write_record(layout.journal, 1, [Create("state/threads.jsonl", "")])
    assert power.left(layout.journal) == layout.journal.read_bytes()


@pytest.fixture
def steps(layout: Layout) -> list[OneFile]:
    """A commit that begins, changes and makes a file; two of them in new folders."""
    disk.write_file(layout.agents / "vera.json", b'{"day": 1}')
    return [
        Append("state/memories/vera.jsonl", 0, "{}\n"),
        SetValues("state/agents/vera.json", {"day": 1}, {"day": 2}),
        Create("gallery/vera/turm.md", "# Turm\n"),
    ]


def commit_until(layout: Layout, steps: list[OneFile], event: str, ending: str) -> None:
    """Finish what was begun, and commit, until an operation on a file."""
    with killed_after(layout.root, 0, event=event, ending=ending) as killed, writing(layout, "test") as writer:
        writer.commit(steps)
    assert killed.seen


def test_a_commit_is_synced_before_it_touches_a_file(power: Power, layout: Layout, steps: list[OneFile]) -> None:
    commit_until(layout, steps, "os.mkdir", "state/memories")
    journal = layout.journal.read_bytes()
    assert power.left(layout.journal) == journal
    assert all(step.path.encode() in journal for step in steps)


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_the_files_of_a_commit_are_synced_before_the_journal_is_emptied(
    power: Power, layout: Layout, steps: list[OneFile], is_interrupted: bool
) -> None:
    if is_interrupted:
        commit_until(layout, steps, "os.mkdir", "state/memories")
    commit_until(layout, [] if is_interrupted else steps, "os.truncate", "journal.jsonl")
    left = [power.left(layout.root / step.path) for step in steps]
    assert left == [b"{}\n", b'{"day": 2}', b"# Turm\n"]


def test_what_recovery_keeps_aside_is_synced_before_the_journal_is_emptied(
    power: Power, layout: Layout, steps: list[OneFile]
) -> None:
    commit_until(layout, steps, "os.mkdir", "state/memories")
    disk.write_file(layout.memories / "vera.jsonl", b'{"of": "a person"}\n')
    commit_until(layout, [], "os.truncate", "journal.jsonl")
    assert power.left(layout.derived / "kept-aside" / "001" / "state" / "memories" / "vera.jsonl") == b"{}\n"
