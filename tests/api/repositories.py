"""Git repositories for tests: a real git, with nobody's configuration."""

from __future__ import annotations

import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")


def git(folder: Path, *arguments: str, fine: tuple[int, ...] = (0,)) -> str:
    """Run git in a folder and give back what it said."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode in fine, f"git {' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout


def make_repository(folder: Path, *, identity: bool = True) -> None:
    """Make a repository on a branch called main; commits get their author from its own configuration."""
    git(folder, "init", "-q", "-b", "main")
    if identity:
        git(folder, "config", "user.name", "Tester")
        git(folder, "config", "user.email", "tester@example.org")


def commit_all(folder: Path, message: str) -> str:
    """Commit everything and give back the commit's id."""
    git(folder, "add", "-A")
    git(folder, *IDENTITY, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()
