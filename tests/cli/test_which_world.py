"""Which world a command is about: ``-w`` before the command, after it, or at a group between."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gm.cli.reference import all_commands
from gm.files.layout import Layout
from tests.cli.running import Run

WITHOUT = {"gm new", "gm init", "gm adopt", "gm completion", "gm models", "gm judge", "gm replay"}
"""They name their folder themselves, or need none."""


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("settings", "calendar.weekdays"),
        ("goals",),
        ("goals", "list", "alex"),
        ("threads", "--all"),
        ("memory", "find", "soup"),
        ("soul", "show"),
        ("compare", "HEAD", "day-001"),
    ],
)
def test_the_world_may_be_named_before_the_command_and_after_it(
    run: Run, dinner: Layout, away: None, words: tuple[str, ...]
) -> None:
    after = run(*words, "-w", dinner.root)
    assert run("-w", dinner.root, *words) == run(f"--world={dinner.root}", *words) == after
    assert "no world" not in after.err


@pytest.mark.parametrize("named", [("-w", "{}"), ("--world", "{}"), ("--world={}",), ("-w{}",)])
def test_a_group_takes_it_before_its_commands_too(run: Run, dinner: Layout, away: None, named: tuple[str, ...]) -> None:
    option = [word.format(dinner.root) for word in named]
    added = run("goals", *option, "add", "alex", "Find the big pot.")
    assert (added.code, added.err) == (0, "")
    assert "Find the big pot." in run("goals", *option, "alex").out
    assert run("threads", *option).out == run("threads", "list", "-w", dinner.root).out
    assert run("share", *option, "alex", "casey").code == 0


def test_the_world_that_is_named_last_counts(run: Run, dinner: Layout, studio: Layout, away: None) -> None:
    assert run("-w", studio.root, "status", "-w", dinner.root) == run("status", "-w", dinner.root)
    assert run("-w", studio.root, "goals", "-w", dinner.root, "add", "alex", "Sleep.").code == 0
    assert run("-w", "nowhere", "status", "-w", dinner.root).code == 0
    outcome = run("-w", "nowhere", "status")
    assert outcome.code == 1
    assert "nowhere is not a world" in outcome.err


@pytest.mark.parametrize("path", sorted(WITHOUT))
def test_a_command_without_a_world_says_so_instead_of_passing_it_over(run: Run, dinner: Layout, path: str) -> None:
    outcome = run("-w", dinner.root, path.split()[1], "x")
    assert outcome.code == 2
    assert f"{path} takes no -w/--world" in outcome.err


def test_all_other_commands_take_it() -> None:
    found = {path for path, command in all_commands() if not any("--world" in one.opts for one in command.params)}
    assert found == WITHOUT


def test_completion_and_help_know_it(
    run: Run, dinner: Layout, away: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "-w, --world DIR" in run("--help").out
    assert run("-w", dinner.root, "status", "--help").out == run("status", "--help").out
    shutil.move(dinner.root, tmp_path / "d")
    words = f"gm -w {tmp_path / 'd'} context c"
    monkeypatch.setenv("_GM_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", "4")
    assert run().out == "plain,casey\n"
