"""Nothing in an English world is German: no prompt, no file, no page, no line of a command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gm.api.board import put_up_feedback
from gm.api.create import create_world
from gm.cli.reference import all_commands
from gm.faces.web.publish import publish
from gm.files.layout import Layout
from tests.cli.conftest import run as run
from tests.cli.running import Run
from tests.everything import everything_on
from tests.stories.playing import play, set_sections, tree

GERMAN = re.compile(
    r"[äöüÄÖÜß»«„]|\b(?:und|nicht|ist|ich|eine|einen|einem|auf|für|von|dem|das|zu|sich|auch|aber|noch|wie|der|mit|wenn|oder"
    r"|kein|keine|wird|sind|haben|Tag \d|Tage|Szene|Szenen|Erinnerung|Erinnerungen|Brief vom|Morgen|Mittag|Abend"
    r"|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)\b"
)
WAYS = (
    "status", "log -n 0", "log alex", "plan", "due", "stats", "cost", "threads --all", "brief --list", "post --list",
    "event --list", "goals", "soul show", "working show", "relationships", "diary", "accumulators", "check", "settings",
    "settings calendar", "memory show alex", "memory find dinner", "recall alex dinner --explain", "why alex-003",
    "context alex --prompt", "context casey", "diff day-001 day-002", "compare day-001 day-002",
    "export -o -", "share requests", "index status", "gift --dry-run",
    "scene nosuch", "memory show nobody", "event x --weekday Sometime", "ask nobody x", "diff day-099",
)  # fmt: skip


def german_in(texts: Iterator[tuple[str, str]]) -> list[str]:
    """List what is German: where, and with what stands around it."""
    return [
        f"{place}: {text[max(0, found.start() - 30) : found.end() + 30]!r}"
        for place, text in texts
        for found in GERMAN.finditer(text)
    ]


@pytest.fixture(scope="module", params=["as it is", pytest.param("everything on", marks=pytest.mark.slow)])
def english(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Layout:
    layout = create_world(tmp_path_factory.mktemp("english") / "dinner", "dinner")
    if request.param == "everything on":
        everything_on(layout)
    set_sections(layout.settings, "calendar: {weekly: [{weekday: Tuesday, time: evening, event: Games night}]}")
    play(layout)
    piece = sorted(layout.gallery.rglob("*.md"))[0]
    put_up_feedback(layout, layout.shown(piece), "Closer. Keep the salt.")
    play(layout)
    return layout


def test_the_words_that_are_looked_for_occur_in_a_german_world(played: Layout) -> None:
    assert len(german_in((path, data.decode()) for path, data in tree(played.root).items())) > 1000


def test_files_and_prompts_are_english(english: Layout) -> None:
    files = tree(english.root)
    assert any("state/traces/" in path for path in files)
    assert german_in((path, data.decode("utf-8")) for path, data in files.items()) == []


def test_pages_are_english(english: Layout, tmp_path: Path) -> None:
    publish(english, tmp_path / "site", frozenset())
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 20
    assert german_in((page.name, page.read_text(encoding="utf-8")) for page in pages) == []


def test_commands_speak_english(english: Layout, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(english.root)
    said = {words: run(*words.split()) for words in WAYS}
    assert {words: one.err for words, one in said.items() if one.code == 3} == {}
    assert german_in((words, one.out + one.err) for words, one in said.items()) == []
    assert "Monday" in said["status"].out + said["log -n 0"].out


def test_help_is_english(run: Run) -> None:
    pages = ((path, run(*path.split()[1:], "--help").out) for path, _ in all_commands())
    # what is said about German is no German
    kept = ((path, text.replace("ue finds ü", "")) for path, text in pages)
    assert german_in(kept) == []
