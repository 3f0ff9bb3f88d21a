"""What the Tab key offers: by click's own protocol for each shell, and in bash itself."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from gm.cli import COMMANDS
from gm.cli.complete import MOST_IDS
from gm.cli.reference import all_commands
from gm.cli.worlds.check import SHELLS, VARIABLE
from gm.files.layout import Layout
from gm.files.load import load_world
from tests.cli.running import Run

HEAVY = {
    "anthropic",
    "jinja2",
    "pydantic",
    "rich",
    "numpy",
    "mcp",
    "sqlite3",
    "asyncio",
    "gm.play",
    "gm.files.commits.writer",
}
LOOK = "import sys; sys.argv[0] = 'gm'; from gm.cli import gm as commands; from gm.cli.boundary import guarded\n"
LOOK += "guarded(commands, []); print(*sorted(sys.modules), file=sys.stderr)"

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(run: Run, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """Complete the last of some words the way the zsh script asks for it."""

    def ask(*words: str, shell: str = "zsh") -> list[str]:
        monkeypatch.setenv(VARIABLE, f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(("gm", *words)))
        monkeypatch.setenv("COMP_CWORD", words[-1] if shell == "fish" else str(len(words)))
        outcome = run()
        monkeypatch.delenv(VARIABLE)
        assert (outcome.code, outcome.err) == (0, "")
        lines = outcome.out.splitlines() if outcome.out.strip() else []
        # zsh gets three lines for each: its kind, the value, a description
        return lines if shell != "zsh" else lines[1::3]

    return ask


@pytest.fixture
def here(played: Layout, monkeypatch: pytest.MonkeyPatch) -> Layout:
    monkeypatch.chdir(played.root)
    return played


def test_commands_are_offered_with_their_sentences(complete: Complete) -> None:
    assert complete("") == list(COMMANDS)
    assert complete("st") == ["status", "stats"]
    assert complete("--v") == ["--version"]
    assert complete("memory", "t") == ["tag", "tier"]
    assert complete("status", "--js") == ["--json"]
    assert complete("st", shell="bash") == ["plain,status", "plain,stats"]
    assert any("status" in line for line in complete("st", shell="fish"))


def test_characters_are_offered(complete: Complete, here: Layout) -> None:
    everybody = ["darius", "emre", "finn", "leo", "nami", "tobi", "vera"]
    assert complete("context", "") == everybody
    assert complete("soul", "show", "vera", "t") == ["tobi"]
    assert complete("mcp", "--agent", "f") == ["finn"]
    assert complete("scene", "work", "--with", "vera,t") == ["vera,tobi"]


def test_memories_and_works_are_offered_the_newest_first(complete: Complete, here: Layout) -> None:
    lines = here.stream("vera").read_text(encoding="utf-8").splitlines()
    newest = [json.loads(line)["id"] for line in reversed(lines)]
    assert complete("why", "vera-0") == newest
    assert complete("memory", "show", "ver") == ["vera", *newest]
    assert complete("memory", "add", "vera", "Text", "--evidence", "emre-001,vera-00")[0].startswith("emre-001,vera-00")
    works = sorted(here.shown(path) for path in here.gallery.rglob("*.md"))
    assert complete("feedback", "gal") == works
    assert complete("why", "gallery/") == works


def test_days_scene_types_places_and_threads_are_offered(complete: Complete, here: Layout) -> None:
    assert complete("rewind", "") == ["day-001"]
    assert complete("log", "--day", "") == ["1"]
    assert {"encounter", "work", "meeting", "dnd"} <= set(complete("scene", ""))
    assert complete("meeting", "--location", "ser") == ["serverkammer"]
    still_open = [thread.id for thread in load_world(here).world.threads if thread.is_open]
    assert sorted(complete("threads", "close", "thr")) == still_open != []


def test_models_settings_and_words_of_gm_are_offered(complete: Complete, here: Layout) -> None:
    here.settings.write_text("models: {diary: my-own}\nprices: {my-other: {input: 1, output: 2}}\n", encoding="utf-8")
    assert complete("advance-day", "--model", "my-o") == ["my-own", "my-other"]
    assert complete("advance-day", "--model", "re") == ["rehearsal", "replay"]
    assert "claude-sonnet-5" in complete("ask", "vera", "--model", "claude-s")
    assert complete("settings", "reflection.th") == ["reflection.threshold"]
    assert complete("init", "--template", "d") == ["dinner"]
    assert complete("recall", "vera", "--strategy", "h") == ["hybrid"]


def test_a_world_that_is_named_is_the_one_that_counts(
    complete: Complete, dinner: Layout, here: Layout, tmp_path: Path
) -> None:
    assert complete("context", "-w", str(dinner.root), "") == ["alex", "casey", "jordan"]


@pytest.mark.parametrize("damage", ["nothing here", "no folder", "broken settings", "broken memories"])
def test_where_nothing_can_be_read_nothing_is_offered_and_nothing_said(
    complete: Complete, here: Layout, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if damage == "nothing here":
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
    if damage == "no folder":
        here.stream("vera").unlink()
        here.stream("vera").mkdir()
    if damage == "broken settings":
        here.settings.write_bytes(b"places: [1\xff")
    if damage == "broken memories":
        here.stream("vera").write_bytes(b'{"id": "vera-\xff"\n\x00')
    assert complete("why", "vera-0") == [] or damage == "broken settings"
    assert complete("meeting", "--location", "ser") == [] or damage not in ("nothing here", "broken settings")


def test_a_long_life_is_not_listed_whole(complete: Complete, here: Layout) -> None:
    line = '{{"id": "vera-{0:03d}", "created": "day-001/scene-01", "type": "observation", "description": "x"}}\n'
    here.stream("vera").write_text("".join(line.format(number) for number in range(1, 3000)), encoding="utf-8")
    assert complete("why", "vera-") == [f"vera-{number:03d}" for number in range(2999, 2999 - MOST_IDS, -1)]
    assert complete("why", "vera-001") == ["vera-001"]


@pytest.mark.parametrize("words", ["gm st", "gm why vera-0", "gm context v", "gm settings re", "gm scene e"])
def test_completing_loads_nothing_heavy(here: Layout, words: str) -> None:
    asked = {VARIABLE: "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    environment = {**os.environ, **asked}
    done = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("plain,")
    assert not HEAVY & set(done.stderr.split())


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_asks_gm_itself(run: Run, shell: str) -> None:
    outcome = run("completion", shell)
    assert (outcome.code, outcome.err) == (0, "")
    assert f"{VARIABLE}={shell}_complete" in outcome.out
    assert run("completion", "tcsh").code == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_takes_the_script(run: Run, shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        # the script of a shell that is not there can only be read
        assert "_gm_completion" in run("completion", shell).out
        return
    (tmp_path / "script").write_text(run("completion", shell).out, encoding="utf-8")
    assert subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True).returncode == 0


def test_bash_completes(here: Layout, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "gm"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m gm "$@"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    script = """
        eval "$(gm completion bash)"
        ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _gm_completion gm; echo "${COMPREPLY[*]}"; }
        ask gm advan
        ask gm context ver
        ask gm why vera-00
        complete -p gm
    """
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", script], env=environment, capture_output=True, text=True)
    assert done.stderr == ""
    commands_, agents, nodes, installed = done.stdout.splitlines()
    assert (commands_, agents) == ("advance-day", "vera")
    assert "vera-001" in nodes.split()
    assert "_gm_completion" in installed


def test_every_argument_that_names_a_character_is_completed(here: Layout) -> None:
    for path, command in all_commands():
        for parameter in command.params:
            if parameter.name in ("agent", "agents", "giver", "receiver", "focus"):
                offered = parameter.shell_complete(click.Context(command), "v")
                assert [item.value for item in offered] == ["vera"], (path, parameter.name)
