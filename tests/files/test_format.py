"""The format of a world: written by gm, refused when it is newer than gm."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.api.worlds.new import Sketch, new_world
from gm.base.config import FORMAT, Settings
from gm.base.errors import NewerWorldError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.packaged.shipped import shipped_languages, shipped_world, shipped_worlds
from gm.files.story.now import load_settings
from tests.cli.running import Run
from tests.handmade import fingerprint, make_handmade


@pytest.mark.parametrize("template", shipped_worlds())
def test_every_world_that_comes_with_gm_has_the_present_format(template: str) -> None:
    assert load_settings(Layout(shipped_world(template)))[0].format == FORMAT


@pytest.mark.parametrize("language", shipped_languages())
def test_a_new_world_says_its_format(tmp_path: Path, language: str) -> None:
    layout = new_world(tmp_path / "own", Sketch(language))
    assert load_settings(layout)[0].format == FORMAT
    assert f"\nformat: {FORMAT}" in layout.settings.read_text(encoding="utf-8")


def test_a_world_that_says_nothing_has_the_first_format_and_opens(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    assert load_settings(layout)[0].format == Settings().format == 1
    assert set(load_world(layout).world.agents) == {"mina", "ole"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"language: en\nformat: {FORMAT + 1}  # newer\n", (2, 9)),
        (f"\ufeffformat: {FORMAT + 1}\r\n", (1, 9)),
        (f"{{format: {FORMAT + 1}}}\n", (1, 10)),
    ],
)
def test_a_newer_format_is_refused_at_its_place_with_the_version_that_reads_it(
    tmp_path: Path, text: str, place: tuple[int, int]
) -> None:
    layout = Layout(tmp_path)
    layout.settings.write_bytes(text.encode())
    with pytest.raises(NewerWorldError) as refused:
        load_settings(layout)
    (problem,) = refused.value.problems
    assert (problem.path, problem.line, problem.column, problem.code) == ("gm.yaml", *place, "format-newer")
    assert f"found format {FORMAT + 1}, expected at most {FORMAT}" in problem.message
    assert f"'gm-worlds>=0.{FORMAT + 1}'" in refused.value.hint


@pytest.mark.parametrize("written", ["0", "two", "2.5", "[2]", "true"])
def test_a_format_that_is_no_number_is_an_error_at_its_place(tmp_path: Path, written: str) -> None:
    layout = Layout(tmp_path)
    layout.settings.write_text(f"format: {written}\n", encoding="utf-8")
    settings, (problem,) = load_settings(layout)
    assert (settings.format, problem.line, problem.column, problem.code) == (1, 1, 9, "setting-value")


def test_a_text_that_speaks_of_formats_is_no_format(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.settings.write_text("world:\n  premise: |\n    format: 99\n# format: 99\n", encoding="utf-8")
    assert load_settings(layout)[0].format == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("log",),
        ("check",),
        ("check", "--fix"),
        ("migrate", "--yes"),
        ("settings",),
        ("threads",),
        ("advance-day", "--model", "rehearsal"),
        ("memory", "add", "mina", "New.", "--importance", "3"),
        ("memory", "show", "mina-001"),
        ("memory", "tag", "mina-001", "+x"),
        ("post", "Sturmwarnung"),
        ("rewind", "day-001", "--yes"),
        ("publish", "site"),
    ],
)
def test_no_command_opens_a_newer_world(tmp_path: Path, run: Run, arguments: tuple[str, ...]) -> None:
    layout = make_handmade(tmp_path / "world")
    layout.settings.write_text(f"format: {FORMAT + 1}\n", encoding="utf-8")
    before = fingerprint(layout.root)
    outcome = run(*arguments, "-w", layout.root)
    assert outcome.code == 1
    assert "gm.yaml:1:9: error: " in outcome.err
    assert f"install version 0.{FORMAT + 1} or newer" in outcome.err
    assert fingerprint(layout.root) == before


@pytest.mark.parametrize(
    "text",
    [
        '"format": 99',
        "'format': 99",
        '"form\\x61t": 99',
        "{format: 99}",
        "? format\n: 99",
        "format:\n  99",
        "format: +99",
        "format: 0x63",
        "format: 99999999999",
        "<<: {format: 99}",
        'format: 2\n"format": 99',
    ],
)
def test_however_a_newer_format_is_written_nothing_is_written_to_its_world(tmp_path: Path, run: Run, text: str) -> None:
    layout = make_handmade(tmp_path / "world")
    layout.settings.write_text(f"{text}\n", encoding="utf-8")
    before = fingerprint(layout.root)
    outcome = run("memory", "tag", "mina-001", "+x", "-w", layout.root)
    assert outcome.code == 1
    assert "this world has format 99" in outcome.err
    assert fingerprint(layout.root) == before
