"""Each cell of the table of decisions, on real files; and the table as the README shows it."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

import gm.files
from gm.base.errors import GmError
from gm.files.commits import journal as journals
from gm.files.commits.changes import Prints, describe_commit
from gm.files.commits.findings import FileState, Order, find, orders_of, see_at
from gm.files.commits.journal import boot_id, read_commits, write_done, write_record
from gm.files.commits.recovery import DECISIONS, FileRecovery, to_decide
from gm.files.commits.snapshot import snapshot
from gm.files.commits.stepeffects import effects_of
from gm.files.commits.steps import Append, CachedSteps, Create, Move, Replace, SetValues, Step
from gm.files.commits.writer import writing
from gm.files.formats import disk
from gm.files.formats.text import read_data, sha256
from gm.files.layout import Layout

README = Path(gm.files.__file__).parent / "README.md"
EARLIER, LATER, CLOCK = "gallery/a/earlier.md", "gallery/a/later.md", "state/world.json"
STREAM, ARCHIVE = "state/memories/alex.jsonl", "state/archive/alex.jsonl"
AGENT, PIECE = "state/agents/alex.json", "gallery/tech/day-001_a_v1.md"
ONE, TWO, THREE = (json.dumps({"id": f"alex-00{number}", "description": f"{number}"}) + "\n" for number in (1, 2, 3))
MINE = ONE.replace('"1"', '"by hand"')
FOLDER = "a folder"


@dataclass(frozen=True)
class Case:
    """A file, what a commit does to it, and how a user left it.

    Attributes:
        found: Its content after the kill; None = that of before.
        merged: Its content when the steps are added to what was found.
        unwritten: What has to be kept aside.
    """

    path: str
    before: str
    after: str
    found: str | None
    merged: str = ""
    unwritten: str = ""
    is_edited: bool = False


def lines(found: str | None, merged: str = "", unwritten: str = "", *, is_edited: bool = False) -> Case:
    return Case(STREAM, ONE, ONE + TWO + THREE, found, merged, unwritten, is_edited)


def values(**mine: object) -> Case:
    before, ours = {"mood": "tired", "energy": 1}, {"mood": "awake", "energy": 9}
    merged = {"mood": mine["mood"], "energy": 9}
    was, becomes, found, ends = (json.dumps(value) + "\n" for value in (before, ours, mine, merged))
    return Case(AGENT, was, becomes, found, ends, json.dumps(ours, indent=4) + "\n", is_edited=True)


CASES = {
    FileState.AFTER: lines(ONE + TWO + THREE),
    FileState.BEFORE: lines(None),
    FileState.CUT: lines(ONE + TWO + THREE[:5] + "\0\0"),
    FileState.SHORT: lines(ONE + TWO, unwritten=THREE),
    FileState.BROKEN: lines(MINE + TWO + THREE[:5], MINE + TWO + THREE, is_edited=True),
    FileState.LINES: lines(MINE, MINE + TWO + THREE, TWO + THREE, is_edited=True),
    FileState.UNSET: values(mood="mine", energy=1),
    FileState.SET: values(mood="mine", energy=9),
    FileState.SOURCE: Case(STREAM, ONE + TWO, ONE, MINE + TWO, merged=MINE, is_edited=True),
    FileState.WHOLE: Case(PIECE, "# A\n", "# B\n", "# Mine\n", "# Mine\n", "# B\n", is_edited=True),
    FileState.ODD_LINES: lines(FOLDER, unwritten=TWO + THREE, is_edited=True),
    FileState.ODD: Case(PIECE, "# A\n", "# B\n", FOLDER, unwritten="# B\n", is_edited=True),
}
IMPOSSIBLE = {(FileState.AFTER, Order.UNREACHED)}
"""A file as after the commit proves each earlier step."""


def step_of(state: FileState, case: Case) -> Step:
    if state is FileState.SOURCE:
        return Move(STREAM, ARCHIVE, 0, "", [TWO.strip()])
    if case.path == STREAM:
        return Append(STREAM, len(ONE), TWO + THREE)
    if case.path == AGENT:
        return SetValues(AGENT, json.loads(case.before), json.loads(case.after))
    return Replace(PIECE, sha256(case.before.encode()), case.after)


def write(layout: Layout, path: str, text: str) -> None:
    place = layout.root / path
    if text == FOLDER:
        place.unlink()
        place.mkdir()
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def killed(layout: Layout, state: FileState, order: Order) -> list[Step]:
    """Leave a commit of three steps whose middle one is found in a state and an order."""
    case = CASES[state]
    write(layout, case.path, case.before)
    write(layout, CLOCK, "{}\n")
    steps = [Create(EARLIER, "# 1\n"), step_of(state, case), Create(LATER, "# 3\n")]
    with writing(layout, "a test"):
        pass
    described = describe_commit(layout, steps, Prints(), CachedSteps())
    # on the same boot, a file as before or after the commit proves its own order
    is_restarted = order is Order.FINISHED or (order is Order.UNKNOWN and state in (FileState.AFTER, FileState.BEFORE))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journals, "boot_id", lambda: "another" if is_restarted else boot_id())
        write_record(layout.journal, 1, steps, described.sides, described.clock)
    if order is not Order.UNREACHED:
        write(layout, EARLIER, "# 1\n")
        if state is FileState.SOURCE:
            write(layout, ARCHIVE, TWO)
    if order in (Order.REACHED, Order.FINISHED):
        write(layout, LATER, "# 3\n")
    if order is Order.FINISHED:
        write_done(layout.journal, 1)
    if case.found is not None:
        write(layout, case.path, case.found)
        journaled = layout.journal.stat().st_mtime_ns
        changed = journaled + 10**9 if case.is_edited else journaled - 10**9
        os.utime(layout.root / case.path, ns=(changed, changed))
    return steps


def found_in(layout: Layout, path: str) -> tuple[FileState, Order]:
    """Return how a file is found, and in which order."""
    journal = to_decide(read_commits(layout.journal), boot_id(), disk.stamp_of(layout.journal) or (0, 0, 0))
    (record,) = journal.records
    effects = effects_of(record)
    see = see_at(str(layout.root))
    found = {name: find(journal, record, [effect], see(name)) for name, effect in effects.items()}
    return found[path].state, orders_of(journal, record, effects, found)[path]


def go_on(layout: Layout, found: str) -> None:
    """Recover; a folder in the place of a file has to be moved away then."""
    stopped = pytest.raises(GmError, match="found a folder, expected a file") if found == FOLDER else nullcontext()
    with stopped, writing(layout, "the next"):
        pass


def content(layout: Layout, path: str) -> str:
    return FOLDER if (layout.root / path).is_dir() else read_data(layout.root / path).decode()


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("state", FileState)
def test_each_file_ends_as_the_table_says(tmp_path: Path, state: FileState, order: Order) -> None:
    layout, case = Layout(tmp_path / "world"), CASES[state]
    killed(layout, state, order)
    if (state, order) in IMPOSSIBLE:
        assert found_in(layout, case.path) == (state, Order.REACHED)
        return
    assert found_in(layout, case.path) == (state, order)
    action = DECISIONS[state][order]
    found = case.before if case.found is None else case.found
    with snapshot(layout):
        seen = content(layout, case.path)
    go_on(layout, found)
    ended = {FileRecovery.FINISH: case.after, FileRecovery.MEND: case.merged, FileRecovery.MERGE: case.merged}.get(
        action, found
    )
    assert (content(layout, case.path), seen) == (ended, ended)
    aside = layout.derived / "kept-aside" / "001" / case.path
    is_kept = action is FileRecovery.ASIDE or (action is FileRecovery.MERGE and case.path in (AGENT, PIECE))
    assert (aside.read_text() if aside.exists() else "") == (case.unwritten if is_kept else "")
    if found == FOLDER:
        (layout.root / case.path).rmdir()
        with writing(layout, "with the folder moved away"):
            assert not (layout.root / case.path).exists()
    with writing(layout, "once more") as writer:
        assert writer.notes == []
    assert found == FOLDER or content(layout, case.path) == ended


def test_a_folder_in_the_place_of_a_file_that_lines_leave_stays(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "world")
    killed(layout, FileState.SOURCE, Order.UNKNOWN)
    write(layout, STREAM, FOLDER)
    assert found_in(layout, STREAM) == (FileState.ODD, Order.UNKNOWN)
    go_on(layout, FOLDER)
    assert content(layout, STREAM) == FOLDER
    assert content(layout, ARCHIVE) == TWO


def test_the_readme_shows_the_table() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in README.read_text(encoding="utf-8").split("\n")
        if line.startswith("|")
    ]
    shown = {row[0]: row[1:] for row in rows if len(row) == 1 + len(Order)}
    assert shown.pop("the file is") == [order.value for order in Order]
    assert set(shown.pop("---")) == {"---"}
    assert shown == {state.value: [actions[order].value for order in Order] for state, actions in DECISIONS.items()}
