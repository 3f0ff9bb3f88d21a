"""A world's own repository is untrusted: gm runs no hook, filter or program that it names, unless the user says so."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gm.files.layout import Layout
from tests.api.repositories import commit_all, git, make_repository
from tests.cli.history.test_commits import set_git
from tests.cli.running import Run

HOOKS = ("pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc")


@pytest.fixture
def marked(dinner: Layout, tmp_path: Path) -> Path:
    """Make the repository of a world name a program in all ways; return the file that tells of its calls."""
    mark, program = tmp_path / "mark", tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {mark}\ncat\n', encoding="utf-8")
    program.chmod(0o755)
    make_repository(dinner.root)
    (dinner.root / ".gitattributes").write_text("* filter=a.b\n", encoding="utf-8")
    commit_all(dinner.root, "new world")
    (hooks := dinner.root / ".git/hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).symlink_to(program)
    further = dinner.root / ".git/further"
    further.write_text(
        f'[filter "a.b"]\nclean = {program} clean\nsmudge = {program} smudge\nrequired\n', encoding="utf-8"
    )
    for key, value in {
        "include.path": "further",
        "core.hooksPath": str(hooks),
        "core.fsmonitor": str(program),
        "commit.gpgSign": "true",
        "gpg.program": str(program),
    }.items():
        git(dinner.root, "config", key, value)
    mark.unlink(missing_ok=True)
    return mark


def test_what_gm_yaml_asks_for_is_committed_without_the_programs_of_the_repository(
    dinner: Layout, run: Run, marked: Path
) -> None:
    set_git(dinner, commit="day")
    assert run("advance-day", "-w", dinner.root, "--model", "rehearsal").code == 0
    assert not marked.exists()
    assert git(dinner.root, "log", "--format=%s").startswith("day 1")


def test_looking_at_a_rewind_runs_no_program_of_the_repository(dinner: Layout, run: Run, marked: Path) -> None:
    set_git(dinner, commit="day")
    assert run("advance-day", "-w", dinner.root, "--model", "rehearsal").code == 0
    for path in dinner.root.glob("state/*/*.json*"):
        os.utime(path, (1, 1))  # git looks into files of another time
    assert run("rewind", "-w", dinner.root, "day-000", "--dry-run").code == 0
    assert not marked.exists()


def test_a_branch_runs_no_program_of_the_repository(dinner: Layout, run: Run, marked: Path) -> None:
    assert run("branch", "-w", dinner.root, "other").code == 0
    assert not marked.exists()


@pytest.mark.parametrize("condition", ["gitdir:**/worktrees/**", "onbranch:other"])
def test_a_branch_runs_no_program_that_is_named_on_a_condition(
    dinner: Layout, run: Run, marked: Path, condition: str
) -> None:
    git(dinner.root, "config", "--unset", "include.path")
    git(dinner.root, "config", f"includeIf.{condition}.path", str(dinner.root / ".git/further"))
    assert run("branch", "-w", dinner.root, "other", "--dir", dinner.root.parent / "other").code == 0
    assert not marked.exists()


def test_hooks_and_filters_run_when_the_user_asks_for_commits(dinner: Layout, run: Run, marked: Path) -> None:
    git(dinner.root, "config", "commit.gpgSign", "false")
    assert run("advance-day", "-w", dinner.root, "--model", "rehearsal", "--commit").code == 0
    told = marked.read_text(encoding="utf-8")
    assert "pre-commit" in told
    assert "clean" in told


def test_hooks_of_the_users_own_configuration_run(
    dinner: Layout, run: Run, marked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own := tmp_path / "own").mkdir()
    (own / "pre-commit").write_text(f"#!/bin/sh\necho own >> {marked}\n", encoding="utf-8")
    (own / "pre-commit").chmod(0o755)
    settings = tmp_path / "gitconfig"
    subprocess.run(["git", "config", "--file", settings, "core.hooksPath", own], check=True)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    set_git(dinner, commit="day")
    assert run("advance-day", "-w", dinner.root, "--model", "rehearsal").code == 0
    assert marked.read_text(encoding="utf-8") == "own\n"


def test_a_bare_repository_among_the_files_is_none(dinner: Layout, run: Run) -> None:
    git(dinner.root, "init", "--quiet", "--bare", ".")
    git(dinner.root, "--git-dir=.", "config", "core.bare", "false")
    git(dinner.root, "--git-dir=.", "config", "core.worktree", ".")
    set_git(dinner, commit="day")
    outcome = run("advance-day", "-w", dinner.root, "--model", "rehearsal")
    assert outcome.code == 1
    assert "is not in a git repository" in outcome.err
