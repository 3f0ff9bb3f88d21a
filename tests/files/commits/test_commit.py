"""A commit lands whole or not at all, with any interruption and any edit meanwhile."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gm.base.errors import GmError
from gm.files.commits.journal import boot_id
from gm.files.commits.steps import Append, Create, SetValues, Step, append_step
from gm.files.commits.writer import writing
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.load import load_world
from tests.files.killing import killed_after
from tests.stories.playing import tree

STREAM = "state/memories/vera.jsonl"
AGENT = "state/agents/vera.json"
OLD_LINE = '{"id": "vera-001", "text": "gestern – vorgestern"}\n'
NEW_LINES = ['{"id": "vera-002", "text": "heute früh"}', '{"id": "vera-003", "text": "heute \u2028 Abend"}']


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "world")


def make(root: Path) -> Path:
    for path, text in ((STREAM, OLD_LINE), (AGENT, '{\n  "mood":   "müde",\n  "sum": 5.00, "plan": []\n}')):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text, encoding="utf-8", newline="")
    return root


def journal_of(root: Path) -> Path:
    return Layout(root).journal


def has_journal(root: Path) -> bool:
    return journal_of(root).exists() and journal_of(root).stat().st_size > 0


def steps_of(root: Path) -> list[Step]:
    layout = Layout(root)
    return [
        Create("gallery/design/turm.md", "# Turm\n"),
        append_step(layout, root / STREAM, NEW_LINES),
        append_step(layout, root / "state/logbook/day-001.jsonl", ['{"scene": 1}']),
        SetValues(AGENT, {"mood": "müde", "sum": 5}, {"mood": "wach", "sum": 12}),
        SetValues("state/world.json", {}, {"day": 1}),
    ]


def commit(root: Path, steps: list[Step] | None = None) -> list[str]:
    with writing(Layout(root), "a test") as writer:
        return [str(item) for item in writer.commit(steps_of(root) if steps is None else steps)]


def commit_and_fail(root: Path) -> None:
    with writing(Layout(root), "a test") as writer:
        writer.commit(steps_of(root))
        raise GmError("no answer")


def recover(root: Path) -> list[str]:
    with writing(Layout(root), "a test") as writer:
        return writer.notes


def finished(tmp_path: Path) -> dict[str, bytes]:
    """What the files are after a commit that nothing disturbed."""
    other = make(tmp_path / "undisturbed")
    commit(other)
    return dict(tree(other))


def die_before_anything(root: Path) -> None:
    """Leave a journal, and nothing of it carried out."""
    with killed_after(root, 0, event="os.mkdir", ending="gallery"):
        commit(root)
    assert has_journal(root)
    assert not (root / "gallery").exists()


def die_before_the_end(root: Path) -> None:
    """Leave a journal although everything in it was carried out."""
    with killed_after(root, 0, event="os.truncate", ending=journal_of(root).name):
        commit(root)
    assert has_journal(root)
    assert (root / "state/world.json").exists()


def test_a_commit_writes_everything_and_leaves_no_trace_of_itself(root: Path) -> None:
    assert commit(root) == []
    assert (root / STREAM).read_text(encoding="utf-8") == OLD_LINE + "\n".join(NEW_LINES) + "\n"
    assert (root / AGENT).read_text(encoding="utf-8") == '{\n  "mood":   "wach",\n  "sum": 12, "plan": []\n}'
    assert json.loads((root / "state/world.json").read_text(encoding="utf-8")) == {"day": 1}
    assert not has_journal(root)
    assert not [path for path in root.rglob("*") if path.name.endswith((".gm-new", ".new"))]


def test_an_interruption_at_any_operation_is_finished_by_recovery(tmp_path: Path) -> None:
    done = finished(tmp_path)
    kills = 0
    for operations in range(100):
        root = make(tmp_path / f"world-{operations}")
        before = dict(tree(root))
        with killed_after(root, operations) as countdown:
            commit(root)
        killed = len(countdown.seen) > operations
        if not killed:
            break
        kills += 1
        had_journal = has_journal(root)
        notes = recover(root)
        assert had_journal or not notes
        assert tree(root) == (done if had_journal else before), countdown.seen[-1]
        assert recover(root) == []
        assert tree(root) == (done if had_journal else before)
        commit(root)
        assert set(tree(root)) == set(done)
    assert kills > 12, "the commit was hardly interrupted at all"


def test_an_interrupted_recovery_is_finished_by_the_next_one(tmp_path: Path) -> None:
    done = finished(tmp_path)
    for operations in range(100):
        root = make(tmp_path / f"world-{operations}")
        die_before_anything(root)
        with killed_after(root, operations) as countdown:
            recover(root)
        if len(countdown.seen) <= operations:
            break
        recover(root)
        assert tree(root) == done, countdown.seen[-1]


def test_a_half_written_line_is_completed_wherever_it_broke_off(tmp_path: Path) -> None:
    done = finished(tmp_path)
    added = done[STREAM][len(OLD_LINE.encode()) :]
    for written in {*range(0, len(added), 3), added.index(b"\xc3") + 1, len(added) - 1, len(added)}:
        root = make(tmp_path / f"world-{written}")
        die_before_anything(root)
        with open(root / STREAM, "ab") as file:
            file.write(added[:written])
        recover(root)
        assert tree(root) == done, f"after {written} bytes"


def test_recovery_without_a_journal_does_nothing(root: Path) -> None:
    before = tree(root)
    assert recover(root) == []
    assert tree(root) == before


def test_a_value_that_a_person_changed_in_between_stays_theirs_and_is_named(root: Path) -> None:
    die_before_anything(root)
    (root / AGENT).write_text('{"mood": "verliebt", "sum": 5, "plan": [], "pet": "Igel"}', encoding="utf-8")
    notes = recover(root)
    assert any("mood was edited meanwhile" in note and "verliebt" in note and AGENT in note for note in notes)
    assert (root / AGENT).read_text(encoding="utf-8") == '{"mood": "verliebt", "sum": 12, "plan": [], "pet": "Igel"}'


def test_another_value_that_a_person_changed_in_between_stays_without_a_word(root: Path) -> None:
    die_before_the_end(root)
    text = (root / AGENT).read_text(encoding="utf-8").replace("[]", '["schlafen"]')
    (root / AGENT).write_text(text, encoding="utf-8")
    assert not [note for note in recover(root) if "edited" in note]
    assert (root / AGENT).read_text(encoding="utf-8") == text


def lines_of(root: Path) -> list[str]:
    return [line for line in (root / STREAM).read_text(encoding="utf-8").split("\n") if line]


OWN = '{"id": "vera-900", "text": "von Hand"}'


@pytest.mark.parametrize("die", [die_before_anything, die_before_the_end])
@pytest.mark.parametrize("ending", ["\n", ""], ids=["with newline", "without newline"])
def test_a_line_that_a_person_added_in_between_stays_and_none_is_doubled(
    root: Path, die: Callable[[Path], None], ending: str
) -> None:
    die(root)
    with open(root / STREAM, "a", encoding="utf-8") as file:
        file.write(OWN + ending)
    recover(root)
    assert sorted(lines_of(root)) == sorted([OLD_LINE.strip(), *NEW_LINES, OWN])


@pytest.mark.parametrize("correction", ["kurz", "eine sehr viel längere Fassung von gestern und vorgestern"])
@pytest.mark.parametrize("die", [die_before_anything, die_before_the_end])
def test_an_older_line_that_a_person_corrected_in_between_stays_and_none_is_doubled(
    root: Path, die: Callable[[Path], None], correction: str
) -> None:
    die(root)
    text = (root / STREAM).read_text(encoding="utf-8").replace("gestern – vorgestern", correction)
    (root / STREAM).write_text(text, encoding="utf-8")
    recover(root)
    assert lines_of(root) == [OLD_LINE.strip().replace("gestern – vorgestern", correction), *NEW_LINES]


def test_a_line_added_behind_a_half_finished_append_doubles_nothing(root: Path) -> None:
    die_before_anything(root)
    with open(root / STREAM, "a", encoding="utf-8") as file:
        file.write(NEW_LINES[0] + "\n" + OWN + "\n")
    recover(root)
    assert sorted(lines_of(root)) == sorted([OLD_LINE.strip(), *NEW_LINES, OWN])


def test_a_file_that_a_person_broke_in_between_stops_recovery_with_a_clear_error_and_keeps_the_journal(
    root: Path,
) -> None:
    die_before_anything(root)
    (root / AGENT).write_text('{"mood": "müde",}', encoding="utf-8")
    with pytest.raises(GmError, match=AGENT):
        recover(root)
    assert has_journal(root)
    loaded = load_world(Layout(root))
    assert [problem.path for problem in loaded.problems if problem.code == "json-syntax"] == [AGENT]
    (root / AGENT).write_text('{"mood": "müde"}', encoding="utf-8")
    recover(root)
    assert lines_of(root) == [OLD_LINE.strip(), *NEW_LINES]
    assert json.loads((root / AGENT).read_text(encoding="utf-8")) == {"mood": "wach", "sum": 12}


def test_a_disk_that_refuses_is_a_clear_error_and_the_next_command_finishes(root: Path) -> None:
    (root / "gallery").write_text("a file where a folder must be", encoding="utf-8")
    with pytest.raises(GmError, match="cannot write"):
        commit(root)
    assert has_journal(root)
    with pytest.raises(GmError, match="cannot write"):
        recover(root)
    (root / "gallery").unlink()
    recover(root)
    assert lines_of(root) == [OLD_LINE.strip(), *NEW_LINES]
    assert (root / "state/logbook/day-001.jsonl").read_text(encoding="utf-8") == '{"scene": 1}\n'


def test_a_created_file_never_replaces_one_that_is_there(root: Path) -> None:
    (root / "gallery/design").mkdir(parents=True)
    (root / "gallery/design/turm.md").write_text("von Hand", encoding="utf-8")
    commit(root)
    assert (root / "gallery/design/turm.md").read_text(encoding="utf-8") == "von Hand"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"x\ny\n"),
        (b"a\n", b"a\nx\ny\n"),
        (b"a", b"a\nx\ny\n"),
        (b"a\r\nb\r\n", b"a\r\nb\r\nx\r\ny\r\n"),
        (b"a\r\nb", b"a\r\nb\r\nx\r\ny\r\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfa\nx\ny\n"),
    ],
    ids=["new", "LF", "no final newline", "CRLF", "CRLF without the last", "byte order mark"],
)
def test_lines_are_appended_in_the_line_ends_of_the_file(root: Path, before: bytes, after: bytes) -> None:
    path = root / STREAM
    path.write_bytes(before)
    commit(root, [append_step(Layout(root), path, ["x", "y"])])
    assert path.read_bytes() == after


def test_a_step_that_was_made_for_an_absent_file_finds_one_there_now(root: Path) -> None:
    step = Append("state/memories/nami.jsonl", 0, "x\n")
    (root / "state/memories/nami.jsonl").write_text("von Hand\n", encoding="utf-8")
    commit(root, [step])
    assert (root / "state/memories/nami.jsonl").read_text(encoding="utf-8") == "von Hand\nx\n"


def test_rights_of_a_file_survive_a_change(root: Path) -> None:
    (root / AGENT).chmod(0o640)
    commit(root)
    assert (root / AGENT).stat().st_mode & 0o777 == 0o640


def test_a_commit_over_a_file_that_cannot_be_read_lands_with_a_notice(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    layout = Layout(root)
    step = append_step(layout, root / STREAM, NEW_LINES)
    with writing(layout, "a test") as writer:
        monkeypatch.setattr(disk, "read_or_none", refuse)  # only written to: an append needs no reading
        writer.commit([step])
        monkeypatch.undo()
    (note,) = writer.notes
    assert note.startswith(f"{STREAM} cannot be read (Permission denied)")
    assert (root / STREAM).read_text(encoding="utf-8").endswith(f"{NEW_LINES[-1]}\n")


def test_an_empty_commit_writes_nothing(root: Path) -> None:
    before = tree(root)
    assert commit(root, []) == []
    assert tree(root) == before
    assert not has_journal(root)


def test_a_command_that_failed_leaves_nothing_that_a_restart_of_the_machine_would_write_again(root: Path) -> None:
    with pytest.raises(GmError, match="no answer"):
        commit_and_fail(root)
    # a person takes back what gm wrote, and switches the machine off and on
    (root / STREAM).write_text(OLD_LINE + NEW_LINES[0] + "\n", encoding="utf-8")
    edited = (root / AGENT).read_text(encoding="utf-8").replace("wach", "müde")
    (root / AGENT).write_text(edited, encoding="utf-8")
    text = journal_of(root).read_text(encoding="utf-8")
    journal_of(root).write_text(text.replace(boot_id(), "another"), encoding="utf-8")
    recover(root)
    assert lines_of(root) == [OLD_LINE.strip(), NEW_LINES[0]]
    assert (root / AGENT).read_text(encoding="utf-8") == edited


@pytest.mark.parametrize(
    ("was", "edited", "new"),
    [(1, True, 2), ([0, 1], [0, True], []), ({"all": {"in": [1]}}, {"all": {"in": [True]}}, {})],
)
def test_true_in_place_of_one_is_an_edit_however_deep_it_stands(
    root: Path, was: object, edited: object, new: object
) -> None:
    text = json.dumps({"mood": "wach", "sum": edited})
    (root / AGENT).write_text(text, encoding="utf-8")
    assert len(commit(root, [SetValues(AGENT, {"sum": was}, {"sum": new})])) == 1
    assert (root / AGENT).read_text(encoding="utf-8") == text
    (root / AGENT).write_text(json.dumps({"mood": "wach", "sum": was}), encoding="utf-8")
    assert commit(root, [SetValues(AGENT, {"sum": was}, {"sum": new})]) == []
