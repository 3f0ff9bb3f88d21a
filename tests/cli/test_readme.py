"""What the README shows can be typed: every call is one that gm takes, every piece of gm.yaml says known settings."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import click
import pytest

from gm.api.new import Sketch, new_world
from gm.base.config import parse_settings
from gm.base.frontmatter import load_safely
from gm.cli import gm as commands
from gm.cli.reference import all_commands
from gm.files.layout import Layout

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.M | re.S)
CALL = re.compile(r"^(?:\$ )?gm ([a-z].*)$", re.M)
OWN_FORM = ("# scripts/", "# state/", "# promises")
SEPARATOR = re.compile(r" +(?:·|#|→|<<|>|\||&&) *")


def calls() -> list[str]:
    found = [
        line
        for _, kind, text in BLOCK.findall(README)
        if kind in ("", "sh")
        for line in CALL.findall(text.replace("\\\n", ""))
    ]
    return list(dict.fromkeys(part for line in found for part in SEPARATOR.split(line)[:1]))


def settings() -> list[str]:
    blocks = (text for _, kind, text in BLOCK.findall(README) if kind == "yaml")
    return [text for text in blocks if not text.lstrip().startswith(OWN_FORM)]


def test_the_readme_shows_calls_and_settings() -> None:
    assert len(calls()) > 20
    assert len(settings()) > 10


@pytest.mark.parametrize("call", calls())
def test_a_call_of_the_readme_is_one_that_gm_takes(call: str, played: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(played.root)
    (played.root / "promises.yaml").write_text("template: dinner\n", encoding="utf-8")
    (played.root / "notes.md").touch()
    new_world(played.root / "orbit", Sketch("en"))
    words = shlex.split(call.replace("/path/to/world", ".").replace("/home/me/dinner-what-if", "."))
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
def test_a_piece_of_gm_yaml_in_the_readme_holds_known_settings(text: str) -> None:
    assert parse_settings(load_safely(textwrap.dedent(text)))[1] == []


def test_a_link_of_the_pages_leads_somewhere() -> None:
    root = Path(__file__).parents[2]
    for page in (root / "README.md", *(root / "gm").rglob("*.md")):
        if {"worlds", "assistants"} & set(page.parts):
            continue
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#\s]*)(?:#[^)]*)?\)", text):
            assert "://" in target or not target or (page.parent / target).exists(), (page.name, target)


def test_a_command_that_the_readme_names_exists() -> None:
    known = {path.removeprefix("gm ") for path, _ in all_commands()}
    named = set(re.findall(r"`gm ([a-z][a-z-]*)", README))
    assert named - known == {"help"}, "gm help --all"


def test_every_picture_is_shown_by_day_and_by_night_said_in_words_and_small() -> None:
    root = Path(__file__).parents[2]
    shown = dict(re.findall(r'<img src="([^"]+)" width="\d+" alt="([^"]{40,})">', README))
    dark = re.findall(r'<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">', README)
    assert dark == [path.replace("-light", "-dark") for path in shown]
    there = {
        path.relative_to(root).as_posix(): path for path in (root / "gm" / "faces" / "web" / "pictures").glob("*.png")
    }
    assert there.keys() == {*shown, *dark}
    assert all(path.stat().st_size < 150_000 for path in there.values())
