"""A run is killed, then a person edits, then the same command goes on: nothing doubled, nothing lost, nothing back.

Each state after a kill is made once, in this process; each run copies one, edits it, goes on, and counts lines.
"""

from __future__ import annotations

import builtins
import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.playing.mind.minds import SceneMinds
from gm.api.worlds.create import create_world
from gm.base.errors import GmError
from gm.files.commits import journal as journals
from gm.files.commits.journal import CommitRecord, boot_id, read_commits, write_done, write_record
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import Append, Step, line_key
from gm.files.commits.writer import Writer, writing
from gm.files.formats import disk
from gm.files.formats.text import list_folder, read_data
from gm.files.layout import Layout
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import run_days
from tests.api.repositories import commit_all, git, make_repository
from tests.crash.points import Points, install
from tests.stories.playing import Heard, play

STATES = 44
PARTS = 4
RUNS_WANTED = 500
OTHER_BOOT = "another"


class Killed(BaseException):
    """The process is gone."""


class Deadly(Points):
    """Kills at a point of one commit; a kill in the middle of a write leaves half of it."""

    def __init__(self) -> None:
        super().__init__()
        self.armed = False
        self.at = 0

    def reach(self, what: str) -> bool:
        if self.armed:
            self.count += 1
            if self.count == self.at:
                self.armed = False
                raise Killed
        return False


@contextmanager
def installed(points: Points) -> Iterator[None]:
    install(points)
    try:
        yield
    finally:
        namespace: Any = disk
        namespace.open, namespace.os = builtins.open, os


@contextmanager
def dying(points: Deadly, number: int, at: int) -> Iterator[list[int]]:
    """Kill within the commit of a number, at one of its points, or after it where it has fewer; counts the points."""
    counts: list[int] = []
    real_commit, real_settle = Writer.commit, Writer.settle

    def commit(self: Writer, steps: list[Step], *, recorded: bool = True) -> Any:
        points.count, points.at, points.armed = 0, at, len(counts) + 1 == number
        done = real_commit(self, steps, recorded=recorded)
        counts.append(points.count)
        if points.armed:
            points.armed = False
            raise Killed
        return done

    def settle(self: Writer) -> None:
        """A process that was killed settles nothing."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Writer, "commit", commit)
        if number:
            patch.setattr(Writer, "settle", settle)
        else:
            patch.setattr(Writer, "settle", real_settle)
        with suppress(Killed):
            yield counts


def go_on(layout: Layout, day: int) -> Heard:
    heard = Heard()
    run_days(layout, Choice(Rehearsal(), "test"), heard, 1, command="test", minds=SceneMinds)
    assert json.loads(layout.world.read_text())["day"] >= day
    return heard


@dataclass(frozen=True)
class State:
    """A world after a kill: its folder, and what the journal names."""

    layout: Layout
    records: tuple[CommitRecord, ...]

    @property
    def last(self) -> CommitRecord | None:
        return self.records[-1] if self.records else None


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> list[State]:
    folder = tmp_path_factory.mktemp("killed")
    template = create_world(folder / "template", "dinner")
    make_repository(template.root)
    commit_all(template.root, "day 0")
    play(template)
    commit_all(template.root, "day 1")
    points = Deadly()
    found = []
    with installed(points):
        layout = copied(template, folder / "undisturbed")
        with dying(points, 0, 0) as counts:
            points.armed = False
            go_on(layout, 2)
        sizes = points_of(points, template, folder, len(counts))
        places = [(number, at) for number, size in enumerate(sizes, 1) for at in range(1, size + 2)]
        for number, at in random.Random(4).sample(places, STATES):
            layout = copied(template, folder / f"killed-{number}-{at}")
            with dying(points, number, at):
                go_on(layout, 2)
            found.append(State(layout, tuple(read_commits(layout.journal))))
    return found


def points_of(points: Deadly, template: Layout, folder: Path, commits: int) -> list[int]:
    """Count the points of each commit, by letting each be the last."""
    sizes = []
    for number in range(1, commits + 1):
        layout = copied(template, folder / "counted")
        with dying(points, number, -1):
            go_on(layout, 2)
        sizes.append(points.count)
        shutil.rmtree(layout.root)
    return sizes


def copied(source: Layout, target: Path) -> Layout:
    """Copy a world with its times; the journal then names the copies as it named the files."""
    shutil.copytree(source.root, target, symlinks=True)
    layout = Layout(target)
    records = read_commits(source.journal)
    if records:
        rewrite(layout, [moved(record, source, layout) for record in records], source)
    return layout


def moved(record: CommitRecord, source: Layout, target: Layout) -> CommitRecord:
    sides = {}
    for path, side in (record.sides or {}).items():
        with suppress(FileNotFoundError):
            if os.stat(source.root / path).st_ino == side.stamp[0]:
                side = replace(side, stamp=(os.stat(target.root / path).st_ino, side.stamp[1]))
        sides[path] = side
    return replace(record, sides=sides)


def rewrite(layout: Layout, records: list[CommitRecord], source: Layout, boot: str = "") -> None:
    """Write the journal anew: its own inode stays, and so does its time."""
    layout.journal.write_bytes(b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journals, "boot_id", lambda: boot or boot_id())
        for record in records:
            write_record(layout.journal, record.number, record.steps, record.sides, record.clock)
            if record.done:
                write_done(layout.journal, record.number)
    times = source.journal.stat()
    os.utime(layout.journal, ns=(times.st_atime_ns, times.st_mtime_ns))


@dataclass
class Edit:
    """What a person did: lines that must be there at the end, and lines that must not."""

    layout: Layout
    state: State
    dice: random.Random
    path: str = ""
    wanted: str = ""
    gone: str = ""
    key: str = ""
    taken_back: bool = False

    def choose(self) -> list[str]:
        """Choose a stream or the logbook, and one of its lines: rather one that the last commit touched."""
        last = self.state.last
        paths = [step.path for step in last.steps if isinstance(step, Append)] if last else []
        paths = [path for path in paths if ".gm" not in path and (self.layout.root / path).is_file()]
        every = [self.layout.shown(path) for path in self.layout.memories.iterdir()]
        self.path = self.dice.choice([*paths, *paths, *paths, *every])
        lines = (self.layout.root / self.path).read_text().split("\n")
        return lines if any(line.strip().endswith("}") for line in lines) else self.choose()

    def line_of(self, lines: list[str]) -> int:
        full = [number for number, line in enumerate(lines) if line.strip().endswith("}")]
        return self.dice.choice([full[-1], full[-1], *full])

    def save(self, lines: list[str], *, by_rename: bool = False) -> None:
        place = self.layout.root / self.path
        if by_rename:
            beside = place.with_name(f"{place.name}~")
            beside.write_text("\n".join(lines))
            beside.replace(place)
        else:
            place.write_text("\n".join(lines))

    def change(self, *, by_rename: bool = False) -> None:
        lines = self.choose()
        number = self.line_of(lines)
        record = json.loads(lines[number])
        text = next(key for key in ("description", "summary", "text", "title", "recalled", "id") if key in record)
        self.gone, self.key = lines[number], line_key(lines[number].encode())
        record[text] = ["by hand"] if text == "recalled" else record[text] + " (by hand)"
        self.wanted = lines[number] = json.dumps(record, ensure_ascii=False)
        self.save(lines, by_rename=by_rename)


def edit_line(edit: Edit) -> None:
    edit.change()


def edit_by_rename(edit: Edit) -> None:
    edit.change(by_rename=True)


def delete_line(edit: Edit) -> None:
    lines = edit.choose()
    number = edit.line_of(lines)
    edit.gone, edit.key = lines[number], line_key(lines[number].encode())
    edit.save([*lines[:number], *lines[number + 1 :]])


def add_line(edit: Edit) -> None:
    edit.path = "state/memories/alex.jsonl"
    lines = (edit.layout.root / edit.path).read_text().split("\n")
    record = json.loads(lines[0])
    edit.wanted = json.dumps({**record, "id": "alex-900", "description": "By hand."}, ensure_ascii=False)
    edit.save([*lines[:1], edit.wanted, *lines[1:]])


def checkout_the_day_before(edit: Edit) -> None:
    git(edit.layout.root, "checkout", "-q", "-f", "HEAD~1")
    edit.taken_back = True


def stash(edit: Edit) -> None:
    git(edit.layout.root, "stash", "-q", "-u")
    edit.taken_back = True


EDITS: tuple[Callable[[Edit], None], ...] = (
    edit_line,
    edit_by_rename,
    delete_line,
    add_line,
    checkout_the_day_before,
    stash,
)


def lines_in(layout: Layout) -> dict[str, list[str]]:
    """Every line of streams and logbooks, by file; those that a reader sees and recovery has yet to make are there."""
    paths = [*list_folder(layout.memories), *list_folder(layout.logbook)]
    texts = {layout.shown(path): read_data(path).decode() for path in paths}
    return {path: [line for line in text.split("\n") if line.strip()] for path, text in texts.items()}


def kept_aside(layout: Layout) -> str:
    """What is kept of what was not written."""
    places = [*layout.derived.glob("journal-refused-*"), *layout.derived.glob("kept-aside/**/*.jsonl")]
    return "\n".join(json.dumps(place.read_text())[1:-1] for place in places)


def whats_wrong(edit: Edit, before: dict[str, list[str]]) -> Iterator[str]:
    """Count lines after the command went on."""
    after = lines_in(edit.layout)
    aside = kept_aside(edit.layout)
    for path, lines in after.items():
        keys = Counter(key for line in lines if (key := line_key(line.encode())))
        yield from (f"doubled: {path} {key}" for key, count in keys.items() if count > 1)
        yield from (f"doubled: {path} {line[:60]}" for line, count in Counter(lines).items() if count > 1)
    if edit.wanted and edit.wanted not in (edit.layout.root / edit.path).read_text().split("\n"):
        yield f"lost: the edit of {edit.path}"
    if edit.gone and edit.gone in (edit.layout.root / edit.path).read_text().split("\n"):
        yield f"back: {edit.path} {edit.gone[:80]}"
    if edit.taken_back:
        return
    wanted = {path: list(lines) for path, lines in before.items()}
    last = edit.state.last
    for step in last.steps if last else ():
        if isinstance(step, Append) and ".gm" not in step.path and "threads" not in step.path:
            wanted.setdefault(step.path, []).extend(line for line in step.text.split("\n") if line)
    for path, lines in wanted.items():
        there = set(after.get(path, []))
        for line in lines:
            whole = line.endswith("}")
            if whole and line not in there and line != edit.gone and json.dumps(line)[1:-1] not in aside:
                yield f"lost: {path} {line[:80]}"


def attempt(state: State, kind: Callable[[Edit], None], boot: str, target: Path, seed: int) -> list[str]:
    """Edit a copy of a world after a kill, let the same command go on, and say what is wrong then."""
    layout = copied(state.layout, target)
    if boot:
        rewrite(layout, read_commits(layout.journal), state.layout, boot)
    before = lines_in(layout)
    edit = Edit(layout, state, random.Random(seed))
    kind(edit)
    edited = lines_in(layout)
    before = {path: [line for line in lines if line in edited.get(path, [])] for path, lines in before.items()}
    try:
        if seed % 2:
            die_again(layout, seed)
        with snapshot(layout):
            shown = lines_in(layout)
        with writing(layout, "a test"):
            pass
        differ = [
            f"a reader saw another {path}" for path, lines in lines_in(layout).items() if shown.get(path) != lines
        ]
        go_on(layout, 1)
    except GmError as error:
        return [f"does not go on: {error} {error.problems}"]
    return [*differ, *whats_wrong(edit, before)]


def die_again(layout: Layout, seed: int) -> None:
    """Kill the recovery itself at one of its points."""
    points = Deadly()
    points.at, points.armed = 1 + seed % 9, True
    with installed(points), suppress(Killed), writing(layout, "killed again"):
        points.armed = False


@pytest.mark.parametrize("part", range(PARTS))
def test_what_a_person_did_after_a_kill_stands_and_nothing_is_doubled_or_lost(
    part: int, states: list[State], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    runs, wrong = 0, []
    for number, state in enumerate(states[part::PARTS]):
        for kind in EDITS:
            for boot in ("", OTHER_BOOT):
                target = tmp_path / "world"
                found = attempt(state, kind, boot, target, seed=number)
                wrong += [f"{state.layout.root.name} {kind.__name__} {boot}: {one}" for one in found]
                shutil.rmtree(target)
                runs += 1
    record_property("killed, then edited", {"runs": runs, "doubled, lost or back": len(wrong)})
    assert not wrong, "\n".join(wrong[:40])
    assert runs * PARTS >= RUNS_WANTED
