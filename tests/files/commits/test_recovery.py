"""After a crash: what is exactly as before is finished, what a person changed stays, and what is missing is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from gm.base.errors import GmError
from gm.files.commits import journal as journals
from gm.files.commits import writer as writers
from gm.files.commits.changes import Prints, describe_commit
from gm.files.commits.journal import CommitRecord, boot_id, parse_records, read_commits, write_done, write_record
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import Append, CachedSteps, Create, SetValues, SetYaml, Step, restore_step
from gm.files.commits.writer import writing
from gm.files.formats import disk
from gm.files.formats.text import read_data
from gm.files.layout import Layout

ALEX, LEO, LOG = "state/memories/alex.jsonl", "state/memories/leo.jsonl", "state/logbook/day-001.jsonl"
AGENT, CLOCK, PIECE = "state/agents/alex.json", "state/world.json", "gallery/tech/day-001_a_v1.md"
ONE, TWO, THREE = (json.dumps({"id": f"alex-00{number}", "description": f"{number}"}) + "\n" for number in (1, 2, 3))
SCENE = '{"scene": 1, "type": "WORK"}\n'
BEFORE = {ALEX: ONE, LEO: "", LOG: "", AGENT: '{"mood": "tired"}\n', CLOCK: '{"day": 1, "scenes_total": 0}\n'}
AFTER = {**BEFORE, ALEX: ONE + TWO + THREE, LEO: TWO, LOG: SCENE, AGENT: '{"mood": "awake"}\n',
         CLOCK: '{"day": 1, "scenes_total": 1}\n', PIECE: "# A\n"}  # fmt: skip
ORDER = (PIECE, ALEX, LEO, LOG, AGENT, CLOCK)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "world")
    for path, text in BEFORE.items():
        write(layout, path, text)
    with writing(layout, "a test"):
        pass
    return layout


def write(layout: Layout, path: str, text: str) -> None:
    (layout.root / path).parent.mkdir(parents=True, exist_ok=True)
    (layout.root / path).write_text(text, encoding="utf-8")


def steps() -> list[Step]:
    return [
        Create(PIECE, "# A\n"),
        Append(ALEX, len(ONE), TWO + THREE),
        Append(LEO, 0, TWO),
        Append(LOG, 0, SCENE),
        SetValues(AGENT, {"mood": "tired"}, {"mood": "awake"}),
        SetValues(CLOCK, {"scenes_total": 0}, {"scenes_total": 1}),
    ]


def killed(layout: Layout, done: int, *, boot: str = "", finished: bool = False) -> None:
    """Leave a commit of which so many steps were carried out."""
    described = describe_commit(layout, steps(), Prints(), CachedSteps())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journals, "boot_id", lambda: boot or boot_id())
        write_record(layout.journal, 1, steps(), described.sides, described.clock)
    for path in ORDER[:done]:
        write(layout, path, AFTER[path])
    if finished:
        write_done(layout.journal, 1)


def recover(layout: Layout) -> str:
    """Recover, and hold what a reader saw before against what is there then; returns what was said."""
    with snapshot(layout):
        seen = {path: content(layout, path) for path in ORDER}
    with writing(layout, "the next") as writer:
        said = "\n".join(writer.notes)
    assert {path: content(layout, path) for path in ORDER} == seen
    with writing(layout, "once more") as writer:
        assert writer.notes == []
    return said


def content(layout: Layout, path: str) -> str | None:
    try:
        return read_data(layout.root / path).decode()
    except FileNotFoundError:
        return None


def aside(layout: Layout, path: str) -> str:
    return (layout.derived / "kept-aside" / "001" / path).read_text()


@pytest.mark.parametrize("boot", ["", "another"])
@pytest.mark.parametrize("done", range(len(ORDER) + 1))
def test_a_commit_without_later_edits_is_finished_from_each_step(layout: Layout, done: int, boot: str) -> None:
    killed(layout, done, boot=boot)
    assert "finished an interrupted write" in recover(layout)
    assert {path: content(layout, path) for path in ORDER} == {path: AFTER[path] for path in ORDER}


@pytest.mark.parametrize("boot", ["", "another"])
def test_a_line_that_was_deleted_after_the_commit_does_not_come_back(layout: Layout, boot: str) -> None:
    killed(layout, len(ORDER), boot=boot, finished=True)
    write(layout, ALEX, ONE + TWO)
    write(layout, LEO, "")
    said = recover(layout)
    assert content(layout, ALEX) == ONE + TWO
    assert content(layout, LEO) == ""
    if boot:  # it may also be gone because the power failed: it is kept, and that is said
        assert aside(layout, ALEX) == THREE
        assert "kept-aside/001/state/memories/alex.jsonl" in said


def test_an_edited_line_stays_beside_no_copy_of_the_old_one_on_another_boot_too(layout: Layout) -> None:
    killed(layout, len(ORDER), boot="another", finished=True)
    write(layout, ALEX, ONE + TWO.replace('"2"', '"by hand"') + THREE)
    assert recover(layout) == ""
    assert content(layout, ALEX) == ONE + TWO.replace('"2"', '"by hand"') + THREE


@pytest.mark.parametrize("left", [ONE, ONE + TWO[:9], ONE + "\0" * 30, ONE + TWO + THREE[:4] + "\0\0"])
def test_what_a_loss_of_power_took_from_a_finished_commit_is_brought_back(layout: Layout, left: str) -> None:
    killed(layout, len(ORDER), boot="another", finished=True)
    write(layout, ALEX, left)
    old = layout.journal.stat().st_mtime_ns - 1
    os.utime(layout.root / ALEX, ns=(old, old))
    recover(layout)
    assert content(layout, ALEX) == AFTER[ALEX]


def test_files_in_which_a_later_step_is_done_prove_that_a_deleted_line_was_there(layout: Layout) -> None:
    killed(layout, 4)
    write(layout, ALEX, ONE)
    recover(layout)
    assert content(layout, ALEX) == ONE
    assert content(layout, AGENT) == AFTER[AGENT]


def test_lines_are_added_to_an_edited_file_that_was_not_reached_yet(layout: Layout) -> None:
    killed(layout, 1)
    write(layout, LEO, "by hand")
    recover(layout)
    assert content(layout, LEO) == "by hand\n" + TWO


def test_where_nothing_says_whether_lines_were_there_they_are_kept_aside_and_the_rest_lands(layout: Layout) -> None:
    killed(layout, 2)
    write(layout, ALEX, ONE.replace('"1"', '"by hand"'))
    said = recover(layout)
    assert content(layout, ALEX) == ONE.replace('"1"', '"by hand"')
    assert aside(layout, ALEX) == TWO + THREE
    assert content(layout, CLOCK) == AFTER[CLOCK]
    assert "was changed after an interrupted write and stays as it is" in said


def test_an_append_that_broke_off_in_a_line_is_completed_although_another_line_was_edited(layout: Layout) -> None:
    killed(layout, 1)
    write(layout, ALEX, ONE.replace('"1"', '"by hand"') + TWO + THREE[:7])
    recover(layout)
    assert content(layout, ALEX) == ONE.replace('"1"', '"by hand"') + TWO + THREE


@pytest.mark.parametrize(("day", "total"), [(0, 0), (3, 9), (1, 7)])
def test_a_journal_of_another_day_is_set_aside_and_nothing_of_it_lands(layout: Layout, day: int, total: int) -> None:
    killed(layout, 2)
    write(layout, ALEX, ONE)
    write(layout, CLOCK, json.dumps({"day": day, "scenes_total": total}))
    said = recover(layout)
    assert f"the world is at day {day} with {total} scenes" in said
    assert "journal-refused-1.jsonl" in said
    assert content(layout, LOG) == ""
    assert read_commits(layout.derived / "journal-refused-1.jsonl")[0].number == 1


def test_a_commit_that_was_undone_completely_is_set_aside(layout: Layout) -> None:
    killed(layout, 4)
    (layout.root / PIECE).unlink()
    for path in (ALEX, LEO, LOG):
        write(layout, path, BEFORE[path])
    write(layout, PIECE, "# Mine\n")
    assert "its writes were reverted" in recover(layout)
    assert content(layout, AGENT) == BEFORE[AGENT]


def test_recovery_that_is_killed_says_again_what_it_left_and_keeps_it_once(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(layout, 2)
    write(layout, ALEX, ONE.replace('"1"', '"by hand"'))

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(writers, "_bring_file", dies)
        with pytest.raises(KeyboardInterrupt), writing(layout, "killed"):
            pass
    with writing(layout, "the next") as writer:
        assert any("stays as it is" in note for note in writer.notes)
    assert content(layout, ALEX) == ONE.replace('"1"', '"by hand"')
    assert content(layout, CLOCK) == AFTER[CLOCK]
    assert [path.name for path in (layout.derived / "kept-aside").iterdir()] == ["001"]


def test_recovery_that_is_killed_while_it_writes_leaves_no_half_value_that_looks_like_an_edit(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "state/working/alex.yaml"
    write(layout, page, "known: []\n")
    steps = [SetYaml(page, {}, {"current_subgoal": "a budget in three columns"})]
    described = describe_commit(layout, steps, Prints(), CachedSteps())
    write_record(layout.journal, 1, steps, described.sides, described.clock)
    real = disk._write_all

    def dies(file: FileIO, data: bytes) -> None:
        real(file, data[: len(data) // 2])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(disk, "_write_all", dies)
        with pytest.raises(KeyboardInterrupt), writing(layout, "killed"):
            pass
    recover(layout)
    assert content(layout, page) == "known: []\ncurrent_subgoal: a budget in three columns\n"


@pytest.mark.parametrize("brought", [0, 1, 2])
def test_after_a_loss_of_power_recovery_that_is_killed_brings_back_what_each_of_two_commits_added(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, brought: int
) -> None:
    before = disk.stamp_of(layout.root / ALEX)
    with monkeypatch.context() as patch:
        patch.setattr(journals, "boot_id", lambda: "another")
        for number, at, line in ((1, len(ONE), TWO), (2, len(ONE + TWO), THREE)):
            added = [Append(ALEX, at, line), Append(LEO, at - len(ONE), line)]
            described = describe_commit(layout, added, Prints(), CachedSteps())
            write_record(layout.journal, number, added, described.sides, described.clock)
            for step in added:
                disk.append(layout.root / step.path, line.encode())
            write_done(layout.journal, number)
    for path in (ALEX, LEO):
        write(layout, path, BEFORE[path])
        os.utime(layout.root / path, ns=(0, before[1] if before else 0))
    real, count = writers._bring_file, iter(range(brought))

    def dies(*values: Any, **named: Any) -> None:
        if next(count, None) is None:
            raise KeyboardInterrupt
        real(*values, **named)

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(writers, "_bring_file", dies)
        with writing(layout, "killed"):
            pass
    assert recover(layout) == ""
    assert (content(layout, ALEX), content(layout, LEO)) == (ONE + TWO + THREE, TWO + THREE)


def older(layout: Layout, *, boot: str = "") -> None:
    """Leave a journal as gm wrote it before it noted what becomes of each file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journals, "boot_id", lambda: boot or boot_id())
        write_record(layout.journal, 1, steps())


def test_an_older_journal_is_finished_where_every_step_fits(layout: Layout) -> None:
    older(layout)
    write(layout, ALEX, ONE + TWO)
    recover(layout)
    assert {path: content(layout, path) for path in ORDER} == {path: AFTER[path] for path in ORDER}


@pytest.mark.parametrize(("path", "text"), [(ALEX, "by hand\n"), (AGENT, '{"mood": "mine"}'), (PIECE, "mine")])
def test_an_older_journal_is_set_aside_where_a_step_does_not_fit(layout: Layout, path: str, text: str) -> None:
    older(layout)
    write(layout, path, text)
    assert f"{path} is neither" in recover(layout)
    assert content(layout, LOG) == ""
    assert content(layout, path) == text


def by_rename(layout: Layout, path: str, text: str) -> None:
    beside = layout.root / f"{path}~"
    beside.write_text(text)
    beside.replace(layout.root / path)


@pytest.mark.parametrize("save", [write, by_rename])
def test_an_edit_that_is_saved_between_reading_and_replacing_stays(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, save: Callable[[Layout, str, str], None]
) -> None:
    real, edits = disk.mode_of, iter(['{"mood": "tired", "pet": "cat"}\n'])

    def saved_meanwhile(path: str) -> int | None:
        if path.endswith("alex.json") and (text := next(edits, "")):
            save(layout, AGENT, text)
        return real(path)

    monkeypatch.setattr(disk, "mode_of", saved_meanwhile)
    with writing(layout, "a test") as writer:
        writer.commit(steps())
    assert content(layout, AGENT) == '{"mood": "awake", "pet": "cat"}\n'


@pytest.mark.parametrize("save", [write, by_rename])
def test_an_edit_that_is_saved_between_reading_and_removing_stays(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, save: Callable[[Layout, str, str], None]
) -> None:
    real, edits = disk.remove, iter(["mine, too\n"])

    def saved_meanwhile(path: Path | str, *, seen: Any = ...) -> bool:
        if str(path).endswith("alex.jsonl") and (text := next(edits, "")):
            save(layout, ALEX, text)
        return real(path, seen=seen)

    monkeypatch.setattr(disk, "remove", saved_meanwhile)
    with writing(layout, "a test") as writer:
        (overruled,) = writer.commit([restore_step(ALEX, ONE.encode(), None)])
    assert str(overruled) == f"{ALEX} was edited meanwhile and stays as it is"
    assert content(layout, ALEX) == "mine, too\n"


def test_a_file_that_is_saved_again_and_again_is_given_up_with_a_message_and_finished_later(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = iter(range(10_000))
    with monkeypatch.context() as patch:
        patch.setattr(disk, "stamp_of", lambda _: (next(count), 0, 0))
        with pytest.raises(Exception, match="keeps changing"), writing(layout, "a test") as writer:
            writer.commit(steps())
    recover(layout)
    assert content(layout, CLOCK) == AFTER[CLOCK]


def test_a_gallery_that_leads_out_of_the_world_gets_no_piece(layout: Layout, tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    killed(layout, 0)
    layout.gallery.symlink_to(tmp_path / "pictures")
    with pytest.raises(GmError, match="not as gm writes it"), writing(layout, "the next"):
        pass
    with writing(layout, "the one after") as writer:
        assert writer.notes == []
    assert not any((tmp_path / "pictures").rglob("*"))


def test_a_line_of_a_journal_that_was_cut_off_never_happened(layout: Layout) -> None:
    killed(layout, 0)
    line = layout.journal.read_bytes().strip()
    for size in range(1, len(line)):
        assert parse_records(line[:size] + b"\0\0") == []
    assert len(parse_records(line[:100] + b"\n" + line)) == 1


def test_a_journal_is_parsed_again_only_when_its_content_changed(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[bytes] = []

    def counted(data: bytes) -> list[CommitRecord]:
        parsed.append(data)
        return parse_records(data)

    monkeypatch.setattr(journals, "parse_records", counted)
    killed(layout, 6)
    first = read_commits(layout.journal)
    first.clear()  # the caller's own list
    (record,) = read_commits(layout.journal)
    assert (record.done, len(parsed)) == (False, 1)
    write_done(layout.journal, 1)
    (record,) = read_commits(layout.journal)
    assert (record.done, len(parsed)) == (True, 2)


@pytest.mark.parametrize("left", ['{"done"', '{"done": 1', '{"stays": 1, "pa', '{"number": 2, "bo'])
def test_a_note_behind_one_that_was_cut_off_is_read(layout: Layout, left: str) -> None:
    killed(layout, 6)
    disk.append(layout.journal, left.encode())
    write_done(layout.journal, 1)
    (record,) = read_commits(layout.journal)
    assert record.done
