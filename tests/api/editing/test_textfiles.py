"""A text of a world is saved as an editor would save it: checked first, and only over what was read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.editing.check.whole import check_world
from gm.api.editing.textfiles import (
    BrokenTextError,
    StaleTextError,
    change_settings,
    check_text,
    needs_history,
    open_text,
    save_text,
    schema_for,
    with_line_ends_of,
)
from gm.api.worlds.parts import add_scene_type
from gm.base.errors import UsageError, errors_in
from gm.files import editable
from gm.files.check.whole import Findings
from gm.files.editable import EditableFile, body_of, editable_files
from gm.files.layout import Layout
from tests.handmade import fingerprint

PERSONA = "state/personas/vera.md"
BROKEN_FRONT = "---\nname: [Vera\n---\nDu bist Vera.\n"


def named(layout: Layout, path: str) -> EditableFile:
    return next(file for file in editable_files(layout) if file.path == path)


def opened(layout: Layout, path: str) -> tuple[EditableFile, str, str]:
    file = named(layout, path)
    text = open_text(layout, file)
    assert text.problems == ()
    return file, text.text, text.digest


def test_what_people_write_can_be_edited_and_nothing_else(played: Layout) -> None:
    layout = played
    for path in ("scripts/montag.yaml", "prompts/de/scenes/tanz.j2", "prompts/plan.j2", "prompts/notes.txt"):
        (layout.root / path).parent.mkdir(parents=True, exist_ok=True)
        (layout.root / path).write_text("scenes: []\n", encoding="utf-8")
    found = {file.path: file.kind for file in editable_files(layout)}
    assert found["gm.yaml"] == editable.SETTINGS
    assert found[PERSONA] == editable.PERSONA
    assert found["scripts/montag.yaml"] == editable.SCRIPT
    assert found["prompts/de/scenes/tanz.j2"] == editable.SCENE_TYPE
    assert found["prompts/plan.j2"] == editable.PROMPT
    assert found["state/bulletin.json"] == editable.BOARD
    assert found["state/world.json"] == editable.CALENDAR
    assert set(found.values()) <= set(editable.KINDS)
    assert not [path for path in found if path.startswith(("state/memories", "state/.gm", "state/traces", "gallery"))]
    assert "prompts/notes.txt" not in found


def test_links_are_not_edited(played: Layout, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("geheim\n", encoding="utf-8")
    (played.personas / "eve.md").symlink_to(outside)
    (played.personas / "adam.md").symlink_to(played.persona("vera"))
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "plan.j2").write_text("x\n", encoding="utf-8")
    played.prompts.symlink_to(tmp_path / "prompts")
    found = {file.path for file in editable_files(played)}
    assert PERSONA in found
    assert not found & {"state/personas/eve.md", "state/personas/adam.md", "prompts/plan.j2"}


def test_a_file_that_becomes_a_link_is_not_written(played: Layout, tmp_path: Path) -> None:
    file, text, digest = opened(played, PERSONA)
    outside = tmp_path / "outside.md"
    played.persona("vera").rename(outside)
    played.persona("vera").symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(StaleTextError) as error:
        save_text(played, file, text + "Mehr.\n", digest)
    assert error.value.now is None
    assert outside.read_bytes() == before


@pytest.mark.slow
def test_each_text_is_checked_as_the_whole_world_is(five_days: Layout) -> None:
    whole = check_world(five_days).problems
    files = editable_files(five_days)
    assert {file.kind for file in files} >= {editable.SETTINGS, editable.PERSONA, editable.BOARD, editable.LIBRARY}
    for file in {file.kind: file for file in files}.values():
        text = open_text(five_days, file).text
        own = tuple(item for item in whole if item.path == file.path)
        known = tuple(errors_in(own)) if needs_history(file) else own
        assert check_text(five_days, file, text) == known
        assert file.kind in (editable.LIBRARY, editable.PROMPT) or schema_for(file) or file.path.endswith(".jsonl")


def test_what_is_typed_is_checked_without_reading_what_was_played(
    played: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = named(played, "state/bulletin.json")
    assert board is not None
    asked: list[bool] = []

    def watched(layout: Layout, *, history: bool) -> Findings:
        asked.append(history)
        return check_world(layout, history=history)

    monkeypatch.setattr("gm.api.editing.textfiles.check_world", watched)
    assert [problem.code for problem in check_text(played, board, "{")] == ["json-syntax"]
    assert asked == [False]


@pytest.mark.parametrize("add", ["", "Mehr über Türme: „ja“ & <b>nein</b>.\n", "ohne Zeilenende", "\n\n", "  \t \n"])
def test_the_bytes_are_those_of_an_editor(played: Layout, add: str) -> None:
    file, text, digest = opened(played, PERSONA)
    before = fingerprint(played.root)
    path = played.persona("vera")
    wanted = path.read_bytes() + add.encode()
    save_text(played, file, text + add, digest)
    assert path.read_bytes() == wanted
    after = fingerprint(played.root)
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert {name for name in changed if "/.gm/" not in name} <= {PERSONA}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_carriage_returns_and_byte_order_mark_stay(played: Layout, mark: str) -> None:
    path = played.persona("vera")
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_bytes((mark + "\r\n".join(lines)).encode())
    file, text, digest = opened(played, PERSONA)
    assert "\r" not in text
    assert not text.startswith("\ufeff")
    save_text(played, file, text.replace("Vera", "Wera", 1) + "Noch eine Zeile.\n", digest)
    lines = "\n".join(lines).replace("Vera", "Wera", 1).split("\n")
    assert path.read_bytes() == (mark + "\r\n".join([*lines[:-1], "Noch eine Zeile.", ""])).encode()


def test_lines_that_stay_keep_their_own_line_end() -> None:
    old = "a\r\nb\nc\rd\n"
    assert with_line_ends_of(old, "a\nb\nc\nd\n") == old
    assert with_line_ends_of(old, "a\nnew\nb\nc\nd\n").startswith("a\r\nnew")
    assert with_line_ends_of(old, "a\nc\nd\n") == "a\r\nc\rd\n"
    assert with_line_ends_of(old, "a\nb\nc\nd\nend") == "a\r\nb\nc\rd\nend"


@given(st.text("ab\r\n", max_size=30), st.text("ab\n", max_size=30))
def test_only_line_ends_are_added_to_what_was_sent(old: str, new: str) -> None:
    assert body_of(with_line_ends_of(old, new)) == new
    assert with_line_ends_of(old, body_of(old)) == old


@pytest.mark.parametrize(
    ("path", "text", "line", "column"),
    [
        (PERSONA, BROKEN_FRONT, 2, 7),
        ("gm.yaml", "language: de\nplaces: [kitchen\n", 2, 9),
        ("state/bulletin.json", '{\n  "posts": [\n', 3, 1),
    ],
)
def test_what_could_not_be_played_is_refused_with_its_place(
    played: Layout, path: str, text: str, line: int, column: int
) -> None:
    file, _, digest = opened(played, path)
    before = fingerprint(played.root)
    with pytest.raises(BrokenTextError) as error:
        save_text(played, file, text, digest)
    assert (error.value.problems[0].path, error.value.problems[0].line) == (path, line)
    assert error.value.problems[0].column == column
    after = fingerprint(played.root)
    assert {name: mark for name, mark in after.items() if "/.gm/" not in name} == {
        name: mark for name, mark in before.items() if "/.gm/" not in name
    }
    save_text(played, file, text, digest, despite=True)
    assert (played.root / path).read_text(encoding="utf-8") == text


def test_what_a_setting_breaks_elsewhere_is_named(played: Layout) -> None:
    add_scene_type(played, "Tanz", "work")
    played.scripts.mkdir()
    script = "scenes:\n  - {type: TANZ, location: kontor, with: [vera]}\n"
    (played.scripts / "day-002.yaml").write_text(script, encoding="utf-8")
    assert not [item for item in check_world(played).problems if item.severity == "error"]
    file, text, digest = opened(played, "gm.yaml")
    with pytest.raises(BrokenTextError) as error:
        save_text(played, file, text.replace("language: de", "language: en"), digest)
    assert {item.path for item in error.value.problems} == {"scripts/day-002.yaml"}


def test_a_warning_does_not_keep_a_text_from_being_saved(played: Layout) -> None:
    file, text, digest = opened(played, PERSONA)
    found = save_text(played, file, text.replace("home:", "hom:", 1), digest)
    assert [(item.severity, item.code) for item in found] == [("warning", "persona-key")]


def test_what_was_changed_meanwhile_is_not_overwritten(played: Layout) -> None:
    file, text, digest = opened(played, PERSONA)
    path = played.persona("vera")
    path.write_text(text + "Von anderer Hand.\n", encoding="utf-8")
    with pytest.raises(StaleTextError) as error:
        save_text(played, file, text + "Von mir.\n", digest)
    assert error.value.now == text + "Von anderer Hand.\n"
    assert path.read_text(encoding="utf-8") == text + "Von anderer Hand.\n"
    path.unlink()
    with pytest.raises(StaleTextError):
        save_text(played, file, text, digest)
    assert not path.exists()


def test_who_saves_what_stands_there_already_writes_nothing(played: Layout) -> None:
    file, text, _ = opened(played, PERSONA)
    looked = os.stat(played.persona("vera"))
    assert save_text(played, file, text, "of an older text") == ()
    assert os.stat(played.persona("vera")) == looked


def test_bytes_that_are_no_utf8_are_not_opened(played: Layout) -> None:
    path = played.persona("vera")
    data = path.read_bytes() + b"caf\xe9\n"
    path.write_bytes(data)
    file = named(played, PERSONA)
    assert file is not None
    found = open_text(played, file)
    assert found.text == ""
    assert [(item.code, item.line > 0) for item in found.problems] == [("not-utf8", True)]
    with pytest.raises(StaleTextError):
        save_text(played, file, "leer\n", found.digest)
    assert path.read_bytes() == data


@pytest.mark.parametrize("text", ["a\0b", "x" * 250_001])
def test_what_is_no_text_or_too_long_is_refused(played: Layout, text: str) -> None:
    file, _, digest = opened(played, PERSONA)
    with pytest.raises(UsageError):
        save_text(played, file, text, digest)


def test_a_setting_is_changed_and_every_other_byte_stays(played: Layout) -> None:
    path = played.settings
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"working: # note\r\n")
    before = path.read_bytes()
    change_settings(played, "test", ("diary",), "on")
    assert path.read_bytes() == before + b'diary: "on"\r\n'
    change_settings(played, "test", ("diary",), "off")
    assert path.read_bytes() == before + b'diary: "off"\r\n'


def test_a_section_that_cannot_be_changed_in_place_is_not_replaced(played: Layout) -> None:
    path = played.settings
    path.write_text("places: &all {a: x}\nworld: *all\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(UsageError):
        change_settings(played, "test", ("world", "title"), "T")
    assert path.read_bytes() == before
