"""The journal and the record in a world that comes from another person: nothing of them is written outside of it."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gm.base.errors import GmError
from gm.files import relative_paths
from gm.files.commits.changes import print_of, read_day_entries
from gm.files.commits.journal import LARGEST_JOURNAL, boot_id, checksum, drop_boot, journal_problems
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import restore_step
from gm.files.commits.writer import writing
from gm.files.formats import disk
from gm.files.formats.document import DEEPEST
from gm.files.formats.text import read_data, sha256
from gm.files.layout import Layout

QUICK_COUNT, SLOW_COUNT = 200, 12_000
CANARY = "stays as it is\n"
STREAM = "state/memories/vera.jsonl"
OUTSIDE = ("../canary/a.txt", "../../x", "state/../../canary/a.txt", "gallery/../../canary/new.md", "/etc/gm-was-here")
HIDDEN = (".git/hooks/post-checkout", ".git/config", ".vscode/tasks.json", ".envrc", "state/.gm/lock", "gallery/.x/a")
LINKED = ("gallery/out/a.txt", "state/memories/out.jsonl", "state/agents/hooks/pre-commit", "library/loop/a.md")
ODD = ("", ".", "state", "state/", "gallery//a.md", "gallery/./a.md", "gallery/a\0b", "gallery/..\\..\\a", "C:/a",
       "~/a", "notes.txt", "state/.gm/changes/../../../../canary/a.txt", "state/.gm/changes/day-1x.jsonl",
       "gallery/\ud800", "state/" + "x" * 300, "gallery/" + "d/" * 3000 + "a", "STATE/a", "state\n/a")  # fmt: skip
FINE = (STREAM, "state/world.json", "gallery/tech/a.md", "gm.yaml", "state/.gm/changes/day-003.jsonl")
NUMBERS: tuple[object, ...] = (0, 1, -1, 2**63, 10**400, 1.5, True, None, "7", [], {})


def make(folder: Path) -> Layout:
    """Make a small world with links out of it, a repository, and a folder beside it that nothing may touch."""
    layout = Layout(folder / "world")
    for path in (layout.memories, layout.agents, layout.gallery, layout.library, layout.root / ".git" / "hooks"):
        path.mkdir(parents=True)
    (folder / "canary").mkdir()
    for path in (folder / "canary" / "a.txt", folder / "canary" / "b.jsonl", layout.root / ".git" / "config"):
        path.write_text(CANARY)
    (layout.root / STREAM).write_text('{"id": "vera-001"}\n')
    layout.world.write_text('{"day": 1}\n')
    (layout.gallery / "out").symlink_to(folder / "canary")
    (layout.memories / "out.jsonl").symlink_to(folder / "canary" / "b.jsonl")
    (layout.agents / "hooks").symlink_to(layout.root / ".git" / "hooks")
    (layout.library / "loop").symlink_to(layout.library / "loop")
    with writing(layout, "a test"):
        pass
    return layout


def watched(layout: Layout) -> dict[str, bytes | str]:
    """Everything that no journal may touch: what lies beside the world, and its repository."""
    found: dict[str, bytes | str] = {}
    for top in (layout.root.parent / "canary", layout.root / ".git"):
        for path in sorted(top.rglob("*")):
            found[str(path)] = path.read_bytes() if path.is_file() else "folder"
    beside = {*os.listdir(layout.root.parent), *(name for name in os.listdir(layout.root) if name.startswith("."))}
    return {**found, "beside": " ".join(sorted(beside)), "etc": str(os.path.exists("/etc/gm-was-here"))}


class Stranger:
    """Writes journals and records that nobody should trust."""

    def __init__(self, layout: Layout, seed: int) -> None:
        self.layout = layout
        self.dice = random.Random(seed)

    def path(self) -> Any:
        return self.dice.choice((*OUTSIDE, *HIDDEN, *LINKED, *ODD, *FINE, *FINE, *FINE, 7, None))

    def value(self) -> Any:
        deep: Any = 1
        for _ in range(self.dice.choice((3, DEEPEST + 5))):
            deep = [deep]
        return self.dice.choice((*NUMBERS, "x", "../../x", "\ud800", deep, {"a": 1}, ["x"]))

    def step(self) -> Any:
        make: tuple[Callable[[], dict[str, Any]], ...] = (
            lambda: {"kind": "append", "path": self.path(), "at": self.dice.choice((0, 19, 15)), "text": "stranger\n"},
            lambda: {"kind": "set", "path": self.path(), "old": {}, "new": {"day": 9}},
            lambda: {"kind": "create", "path": self.path(), "text": "#!/bin/sh\n"},
            lambda: {"kind": "replace", "path": self.path(), "old_sha256": sha256(CANARY.encode()), "text": "x"},
            lambda: {"kind": "yaml", "path": self.path(), "old": {}, "new": {"a": 1}},
            lambda: {"kind": "move", "path": self.path(), "to": self.path(), "at": 15, "gap": "",
                     "lines": [CANARY[:-1]]},
            lambda: {"kind": "restore", "path": self.path(), "old_sha256": sha256(CANARY.encode()), "text": "",
                     "packed": False, "gone": self.dice.random() < 0.7},
        )  # fmt: skip
        step = self.dice.choice(make)()
        if self.dice.random() < 0.25:
            step[self.dice.choice((*step, "other"))] = self.value()
        if self.dice.random() < 0.05:
            del step[self.dice.choice((*step,))]
        return step if self.dice.random() < 0.97 else self.value()

    def record(self, number: int) -> dict[str, Any]:
        steps = [self.step() for _ in range(self.dice.randint(1, 3))]
        boot = self.dice.choice((boot_id(), boot_id(), "another"))
        record: dict[str, Any] = {"number": number, "boot": boot, "steps": steps}
        if self.dice.random() < 0.6:
            paths = [step[key] for step in steps if isinstance(step, dict) for key in ("path", "to") if key in step]
            marks = (print_of(None), print_of(CANARY.encode()), print_of((self.layout.root / STREAM).read_bytes()), "x")
            record["files"] = {
                path: [self.dice.choice(marks), self.dice.choice(marks), self.dice.choice((-1, 0, 15, 19)), 0, 0]
                for path in paths
                if isinstance(path, str)
            }
            clock = [self.dice.choice((1, 1, 1, 3)), False, 0]
            record |= {"clock": [clock, clock], "inode": (disk.stamp_of(self.layout.journal) or (0,))[0]}
        if self.dice.random() < 0.1:
            record[self.dice.choice((*record, "more"))] = self.value()
        told = checksum(drop_boot(record) if "files" in record else record["steps"])
        return {**record, "sum": told if self.dice.random() < 0.95 else "0" * 16}

    def journal(self) -> bytes:
        lines = [json.dumps(self.record(number + 1)).encode() for number in range(self.dice.randint(1, 2))]
        if self.dice.random() < 0.2:
            lines.append(json.dumps({"done": self.dice.choice((1, 2, *NUMBERS))}).encode())
        if self.dice.random() < 0.1:
            lines.insert(
                0, self.dice.choice((b"\xff\xfe", b"[" * 100_000, b'{"number": ' + b"[" * 100_000, b"nonsense"))
            )
        if self.dice.random() < 0.1:
            lines.append(lines[-1][: self.dice.randrange(len(lines[-1]))])
        return b"\n".join(lines) + b"\n"

    def change(self) -> bytes:
        files = [
            {"path": self.path(), "before": "", "after": print_of(b"x"), "at": self.dice.choice((0, 5, -1, 2**70)),
             "was": self.dice.choice(("", CANARY)), "now": "x"}
            for _ in range(self.dice.randint(1, 3))
        ]  # fmt: skip
        line: dict[str, Any] = {"moment": "day-001/scene-01", "opens": 0, "files": files}
        if self.dice.random() < 0.2:
            self.dice.choice((*files, line))[self.dice.choice(("path", "files", "at", "was", "opens"))] = self.value()
        return json.dumps(line).encode()


def try_journal(layout: Layout, data: bytes) -> None:
    """Read and recover a world with a journal; what is refused is set aside, and the next command works."""
    layout.journal.write_bytes(data)
    with snapshot(layout):
        read_data(layout.world)
    try:
        with writing(layout, "a test"):
            pass
    except GmError as error:
        if layout.journal.exists() and layout.journal.stat().st_size:
            assert "cannot" in error.message, "only a disk or a broken file keeps the journal"
            layout.journal.unlink()
        else:
            assert error.problems[0].path == "state/.gm/journal.jsonl"
            assert (layout.derived / "journal-refused-1.jsonl").read_bytes() == data
    with writing(layout, "the next"):
        pass
    for aside in layout.derived.glob("journal-refused-*"):
        aside.unlink()


def try_changes(layout: Layout, lines: bytes) -> None:
    """Do with a record what going back does: bring every file that it names to another content."""
    layout.changes.mkdir(exist_ok=True)
    (layout.changes / "day-001.jsonl").write_bytes(lines)
    for entry in read_day_entries(layout, 1):
        assert not entry.problem or entry.problem.startswith("state/.gm/changes/day-001.jsonl:1: ")
        for change in entry.files:
            assert relative_paths.is_written(change.path)
            with writing(layout, "a test") as writer:
                try:
                    old = read_data(layout.root / change.path)
                except OSError:
                    continue
                try:
                    writer.commit([restore_step(change.path, old, change.now)])
                except GmError as error:
                    assert "leads out of the world" in error.message


@pytest.mark.parametrize("count", [QUICK_COUNT, pytest.param(SLOW_COUNT, marks=pytest.mark.soak)])
def test_no_journal_or_record_touches_anything_outside_of_the_world(
    tmp_path: Path, count: int, record_property: Callable[[str, object], None]
) -> None:
    layout = make(tmp_path)
    before = watched(layout)
    stranger = Stranger(layout, seed=count)
    wrong = 0
    for number in range(count):
        if number % 3:
            try_journal(layout, stranger.journal())
        else:
            try_changes(layout, stranger.change())
        if watched(layout) != before:
            wrong += 1
    record_property("journals and records of strangers", {"tried": count, "wrote outside": wrong})
    assert not wrong


@pytest.mark.parametrize("path", [*OUTSIDE, *HIDDEN, *LINKED])
def test_a_journal_that_names_a_path_outside_is_refused_with_its_line_and_kept(tmp_path: Path, path: str) -> None:
    layout = make(tmp_path)
    before = watched(layout)
    steps = [
        {"kind": "append", "path": STREAM, "at": 19, "text": "stranger\n"},
        {"kind": "create", "path": path, "text": "x"},
    ]
    record = {"number": 1, "boot": boot_id(), "sum": checksum(steps), "steps": steps}
    layout.journal.write_text(f"\n{json.dumps(record)}\n")
    with snapshot(layout) as pending:
        assert pending == 0
    assert [(item.code, item.line) for item in journal_problems(layout)] == [("journal-refused", 2)]
    with pytest.raises(GmError) as caught, writing(layout, "a test"):
        pass
    (problem,) = caught.value.problems
    assert (problem.path, problem.line, problem.code) == ("state/.gm/journal.jsonl", 2, "journal-refused")
    assert path in problem.message
    assert "journal-refused-1.jsonl" in caught.value.hint
    assert (layout.root / STREAM).read_text() == '{"id": "vera-001"}\n'
    assert watched(layout) == before
    with writing(layout, "the next") as writer:
        assert writer.notes == []


@pytest.mark.parametrize("new", [{"x": "\ud800"}, {"\ud800": 1}, {"x": [{"y": "\udfff"}]}])
@pytest.mark.parametrize("kind", ["set", "yaml"])
def test_a_journal_with_values_that_no_file_can_hold_is_refused(
    tmp_path: Path, kind: str, new: dict[str, object]
) -> None:
    layout = make(tmp_path)
    before = watched(layout)
    path = "gm.yaml" if kind == "yaml" else "state/world.json"
    steps = [{"kind": kind, "path": path, "old": {}, "new": new}]
    record = {"number": 1, "boot": boot_id(), "sum": checksum(steps), "steps": steps}
    layout.journal.write_text(f"\n{json.dumps(record)}\n")
    with snapshot(layout) as pending:
        assert pending == 0
    with pytest.raises(GmError, match="not as gm writes it") as caught, writing(layout, "a test"):
        pass
    assert "the new of a step of kind" in caught.value.problems[0].message
    assert watched(layout) == before


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "large"])
def test_a_journal_that_is_no_file_of_gm_is_set_aside(tmp_path: Path, kind: str) -> None:
    layout = make(tmp_path)
    layout.journal.unlink(missing_ok=True)
    if kind == "folder":
        (layout.journal / "inside").mkdir(parents=True)
    elif kind == "pipe":
        os.mkfifo(layout.journal)
    elif kind == "link":
        layout.journal.symlink_to(tmp_path / "canary" / "a.txt")
    else:
        layout.journal.touch()
        os.truncate(layout.journal, LARGEST_JOURNAL + 1)
    with snapshot(layout):
        assert read_data(layout.world) == b'{"day": 1}\n'
    with pytest.raises(GmError, match="not as gm writes it"), writing(layout, "a test"):
        pass
    assert os.path.lexists(layout.derived / "journal-refused-1.jsonl")
    with writing(layout, "the next"):
        pass
    assert (tmp_path / "canary" / "a.txt").read_text() == CANARY


def test_a_lock_and_files_beside_that_are_links_to_other_places_empty_nothing(tmp_path: Path) -> None:
    layout = make(tmp_path)
    target = tmp_path / "canary" / "a.txt"
    (layout.state / ".world.json.gm-new").symlink_to(target)
    with writing(layout, "a test") as writer:
        writer.commit([restore_step("state/world.json", layout.world.read_bytes(), b'{"day": 2}\n')])
    assert layout.world.read_bytes() == b'{"day": 2}\n'
    layout.lock.unlink()
    layout.lock.symlink_to(target)
    with pytest.raises(GmError, match="cannot write"), writing(layout, "a test"):
        pass
    assert target.read_text() == CANARY


def test_a_commit_through_a_link_out_of_the_world_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    layout = make(tmp_path)
    step = restore_step("state/memories/out.jsonl", CANARY.encode(), b"x")
    with writing(layout, "a test") as writer, pytest.raises(GmError, match=r"out\.jsonl is a link"):
        writer.commit([step])
    assert (tmp_path / "canary" / "b.jsonl").read_text() == CANARY


def test_a_folder_of_the_lock_that_is_a_link_to_another_place_is_refused(tmp_path: Path) -> None:
    layout = make(tmp_path)
    layout.derived.rename(tmp_path / "moved")
    layout.derived.symlink_to(tmp_path / "canary")
    before = watched(layout)
    with pytest.raises(GmError, match=r"state/\.gm is a link"), writing(layout, "a test"):
        pass
    assert watched(layout) == before
