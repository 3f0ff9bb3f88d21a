"""What something would write is shown, and precisely that is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.api.editing.board import put_up_brief, put_up_post
from gm.api.editing.confirm import NOTHING, ChangedMeanwhileError, CrossedError, LineChange, confirm, preview
from gm.api.editing.memory import MemoryCorrection, NewMemory, StaleError, add_memory, correct_memory, find_one
from gm.api.views.worddiff import Segment, mark_words, merge_words, show_changes
from gm.base.errors import UsageError
from gm.files.commits.steps import replace_step
from gm.files.commits.writer import writing
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.streams.find import line_print, read_memory_line
from tests.handmade import fingerprint


def rewrite(layout: Layout, path: Path, new: str) -> None:
    """Put a text into a file, as a tool does."""
    with writing(layout, "test") as writer:
        writer.commit([replace_step(layout, path, path.read_bytes().decode(), new)])


def test_a_preview_names_the_lines_and_writes_nothing(studio: Layout) -> None:
    before = fingerprint(studio.root)
    found = preview(lambda: put_up_post(studio, "Es regnet."))
    assert {change.path for change in found.changes} == {"state/bulletin.json"}
    assert any("Es regnet." in line for line in found.changes[0].after)
    assert fingerprint(studio.root) == before
    assert disk.read_or_none(studio.journal) in (None, b"")


def test_what_is_confirmed_is_what_was_previewed(studio: Layout) -> None:
    found = preview(lambda: put_up_post(studio, "Es regnet."))
    document, notes = confirm(studio, lambda: put_up_post(studio, "Es regnet."), found.seal)
    assert (document.content, notes) == ("Es regnet.", [])
    assert "Es regnet." in studio.bulletin.read_text(encoding="utf-8")


def test_nothing_is_written_under_the_seal_of_something_else(studio: Layout) -> None:
    seal = preview(lambda: put_up_post(studio, "Es regnet.")).seal
    before = fingerprint(studio.root)
    for other in (seal, "", "x", NOTHING.seal):
        with pytest.raises(ChangedMeanwhileError) as caught:
            confirm(studio, lambda: put_up_post(studio, "Es schneit."), other)
        assert any("Es schneit." in line for line in caught.value.now.changes[0].after)
    assert fingerprint(studio.root) == before


def test_what_is_added_to_another_file_by_now_is_not_written_unseen(studio: Layout) -> None:
    seal = preview(lambda: put_up_post(studio, "Es regnet.")).seal
    put_up_post(studio, "Es regnet.")
    before = fingerprint(studio.root)
    with pytest.raises(ChangedMeanwhileError):
        confirm(studio, lambda: put_up_post(studio, "Es regnet."), seal)
    assert fingerprint(studio.root) == before


def test_an_act_that_refuses_refuses_in_a_preview_too(studio: Layout) -> None:
    with pytest.raises(UsageError):
        preview(lambda: put_up_brief(studio, "  "))
    assert preview(lambda: None) == NOTHING
    assert confirm(studio, lambda: 5, NOTHING.seal) == 5


def test_after_a_preview_everything_is_written_as_always(studio: Layout) -> None:
    preview(lambda: put_up_post(studio, "Es regnet."))
    put_up_post(studio, "Es schneit.")
    text = studio.bulletin.read_text(encoding="utf-8")
    assert "Es schneit." in text
    assert "Es regnet." not in text


def test_of_a_file_only_the_lines_that_change_are_named(studio: Layout) -> None:
    path = studio.root / "notes.txt"
    path.write_bytes("\ufeffa\r\nb\r\nc\r\nd\r\n".encode())
    found = preview(lambda: rewrite(studio, path, "\ufeffa\r\nB\r\nc\r\nd\r\ne\r\n"))
    assert found.changes == (LineChange("notes.txt", 2, ("b",), ("B",)), LineChange("notes.txt", 5, (), ("e",)))
    path.write_text("".join(f"{number}\n" for number in range(9000)))
    found = preview(lambda: rewrite(studio, path, "".join(f"{number}!\n" for number in range(9000))))
    assert [(change.line, len(change.before)) for change in found.changes] == [(1, 9000)]


def test_a_file_saved_at_the_same_time_is_not_silently_overwritten(
    studio: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = studio.root / "notes.txt"
    path.write_text("a\n")
    seal = preview(lambda: rewrite(studio, path, "b\n")).seal

    def save_meanwhile(*arguments: object) -> None:
        path.write_text("by hand\n")

    monkeypatch.setattr("gm.files.commits.journal.write_record", save_meanwhile)
    with pytest.raises(CrossedError):
        confirm(studio, lambda: rewrite(studio, path, "b\n"), seal)
    assert path.read_text() == "by hand\n"


def test_a_memory_is_changed_only_while_its_line_is_the_expected_one(played: Layout) -> None:
    name = line_print(read_memory_line(played, find_one(played, "vera-001")))
    kept, _ = correct_memory(played, "vera-001", MemoryCorrection(importance=2), name[:12])
    assert kept.node.importance == 2
    before = fingerprint(played.root)
    with pytest.raises(StaleError) as caught:
        correct_memory(played, "vera-001", MemoryCorrection(importance=3), name)
    assert caught.value.line == read_memory_line(played, kept)
    with pytest.raises(StaleError) as caught:
        correct_memory(played, "vera-999", MemoryCorrection(importance=3), name)
    assert caught.value.line == ""
    assert fingerprint(played.root) == before


def test_an_added_memory_is_previewed_with_what_it_adds_to_the_sum(played: Layout) -> None:
    found = preview(lambda: add_memory(played, "vera", NewMemory("Es regnet.", 4)))
    assert [change.path for change in found.changes] == ["state/memories/vera.jsonl", "state/agents/vera.json"]


def test_words_that_change_are_marked_on_both_sides() -> None:
    assert merge_words("der alte Turm", "der neue Turm!") == (
        Segment("der "),
        Segment("alte", "del"),
        Segment("neue", "ins"),
        Segment(" "),
        Segment("Turm"),
        Segment("!", "ins"),
    )
    before, after = mark_words("a b", "a c")
    assert (before, after) == ((Segment("a "), Segment("b", "del")), (Segment("a "), Segment("c", "ins")))
    assert merge_words("", "") == ()
    assert merge_words("a " * 7000, "b" * 7000) == (Segment("a " * 7000, "del"), Segment("b" * 7000, "ins"))


def test_long_texts_are_held_against_each_other_within_reason() -> None:
    before = [f"wort{number % 50}" for number in range(5000)]
    after = [word if number % 7 else "neu" for number, word in enumerate(before)]
    segments = merge_words(" ".join(before), " ".join(after))
    assert "".join(segment.text for segment in segments if segment.mark != "ins") == " ".join(before)
    assert "".join(segment.text for segment in segments if segment.mark != "del") == " ".join(after)


def test_of_a_record_the_values_that_change_are_named_in_words() -> None:
    old, new = '{"a": 1, "tags": ["x"], "t": "ja", "gone": null}', '{"a": 1, "tags": ["x", "y"], "t": "nein", "n": {}}'
    (shown,) = show_changes([LineChange("x.jsonl", 7, (old,), (new,))])
    assert {value.key: "".join(segment.text for segment in value.segments) for value in shown.values} == {
        "tags": "x, y", "t": "janein", "n": "{}",
    }  # fmt: skip
    assert [line.number for line in shown.before] == [7]
    assert not show_changes([LineChange("x", 1, ("{",), ("}",))])[0].values
