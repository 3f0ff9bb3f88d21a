"""What README and docs show can be typed: calls are those that gm takes, settings are known."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import click
import pytest

from gm.base.config import parse_settings
from gm.base.frontmatter import load_safely
from gm.cli import gm as commands
from gm.cli.reference import all_commands
from gm.files.layout import Layout

ROOT = Path(__file__).parents[2]
READMES = (ROOT / "README.md", ROOT / "README.de.md")
FOLDERS = (ROOT / "docs", ROOT / "docs" / "how-to", ROOT / "docs" / "explanation")
PROSE = (*READMES, *(path for folder in FOLDERS for path in sorted(folder.glob("*.md"))))
TEXTS = {path: path.read_text(encoding="utf-8") for path in PROSE}
PICTURE = re.compile(r'<img src="([^"]+)" width="\d+" alt="([^"]{40,})">')
DARK = re.compile(r'<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">')
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.M | re.S)
CALL = re.compile(r"^(?:\$ )?gm ([a-z].*)$", re.M)
OWN_FORM = ("# scripts/", "# state/", "# promises", "# plans", "# questions", "# rumour", "# .pre-commit", "# prompts/")
WORLD = re.compile(r"(?<!\S)(-w) \S+")
SEPARATOR = re.compile(r" +(?:·|#|→|<<|>|\||&&) *")


def blocks(*kinds: str) -> list[str]:
    return [text for page in TEXTS.values() for _, kind, text in BLOCK.findall(page) if kind in kinds]


def calls() -> list[str]:
    found = [line for text in blocks("", "sh", "console") for line in CALL.findall(text.replace("\\\n", ""))]
    parts = dict.fromkeys(part for line in found for part in SEPARATOR.split(line)[:1])
    return [part for part in parts if part != "help --all"]  # no command of its own


def settings() -> list[str]:
    return [text for text in blocks("yaml") if not text.lstrip().startswith(OWN_FORM)]


def test_the_pages_show_calls_and_settings() -> None:
    assert len(calls()) > 60
    assert len(settings()) > 14


def test_the_readmes_are_short_and_lead_to_each_other() -> None:
    for path, other in zip(READMES, reversed(READMES), strict=True):
        lines = TEXTS[path].splitlines()
        assert len(lines) <= 150
        assert f"]({other.name})" in "\n".join(lines[:3])


def test_every_page_of_the_documentation_has_one_title_and_is_found_from_its_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for path, text in TEXTS.items():
        assert len(re.findall(r"^# ", BLOCK.sub("", text), re.M)) == 1, path
        if path.name != "index.md" and path not in READMES:
            assert f"]({path.relative_to(ROOT / 'docs').as_posix()})" in index, path


@pytest.mark.parametrize("call", calls())
def test_a_call_of_the_pages_is_one_that_gm_takes(call: str, played: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(played.root)
    for name in ("plans", "promises", "questions"):
        (played.root / f"{name}.yaml").write_text("template: dinner\n", encoding="utf-8")
    for name in ("base", "other"):
        (played.root / name).mkdir()
    (played.root / "notes.md").touch()
    words = shlex.split(WORLD.sub(r"\1 .", call).replace("--help", ""))
    context: click.Context = commands.make_context("gm", words, resilient_parsing=True)
    command: click.Command = commands
    while isinstance(command, click.Group) and words:
        inner = command.get_command(context, words[0])
        if inner is None:
            break
        command, words = inner, words[1:]
    assert command is not commands, f"gm has no command {words[0]!r}"
    command.make_context("gm", words, parent=context)


@pytest.mark.parametrize("text", settings(), ids=lambda text: text.strip().splitlines()[0][:40])
def test_a_piece_of_gm_yaml_in_the_pages_holds_known_settings(text: str) -> None:
    assert parse_settings(load_safely(textwrap.dedent(text)))[1] == []


def test_a_command_that_the_pages_name_exists() -> None:
    known = {path.removeprefix("gm ") for path, _ in all_commands()}
    named = {name for text in TEXTS.values() for name in re.findall(r"`gm ([a-z][a-z-]*)", text)}
    assert named - known <= {"help"}, "gm help --all"


def test_every_picture_is_shown_by_day_and_by_night_said_in_words_and_small() -> None:
    shown = set()
    for page in READMES:
        light = dict(PICTURE.findall(TEXTS[page]))
        dark = DARK.findall(TEXTS[page])
        assert dark == [path.replace("-light", "-dark") for path in light]
        shown |= {(page.parent / path).resolve() for path in (*light, *dark)}
    for page, text in TEXTS.items():
        images = {path: words for words, path in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)}
        assert all(len(words) >= 40 for words in images.values())
        shown |= {(page.parent / path).resolve() for path in images}
    there = set((ROOT / "gm" / "faces" / "web" / "pictures").glob("*.png"))
    assert there == shown
    assert all(path.stat().st_size < 150_000 for path in there)
