"""Work trees of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gm.api.history.git.repository import GitError, Repository, lines_of

HEADS = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Worktree:
    """A work tree; without a checked-out branch or a commit, these are empty."""

    top: Path
    branch: str
    commit: str


def list_worktrees(repository: Repository) -> list[Worktree]:
    """Return the work trees, the main one first."""
    found = []
    about: dict[str, str] = {}
    for row in [*repository.run("worktree", "list", "--porcelain", "-z").split(b"\0"), b""]:
        if row:
            key, _, value = lines_of(row)[0].partition(" ")
            about[key] = value
        elif about:
            top = Path(about.get("worktree", ""))
            if top.is_dir() and "bare" not in about:
                found.append(Worktree(top, about.get("branch", "").removeprefix(HEADS), about.get("HEAD", "")))
            about = {}
    return found


def check_branch(repository: Repository, name: str) -> None:
    """Check that a branch can be created.

    Raises:
        GitError: git refuses the name, or the branch exists.
    """
    try:
        repository.run("check-ref-format", "--branch", name)
    except GitError as error:
        raise GitError(f"git takes no branch called {name!r}", "letters, digits, - and / make a good name") from error
    if name.startswith("-") or name == "HEAD":
        raise GitError(f"git takes no branch called {name!r}", "letters, digits, - and / make a good name")
    if repository.commit(f"{HEADS}{name}") is not None:
        raise GitError(f"there is a branch {name!r} already", "choose another name, or delete it: git branch -d")


def add_worktree(repository: Repository, name: str, folder: Path, commit: str) -> None:
    """Create a branch at a commit, checked out in a new folder."""
    repository.run("worktree", "add", "--quiet", "-b", name, "--", str(folder), commit)


def drop_worktree(repository: Repository, name: str, folder: Path) -> None:
    """Remove a new work tree and its branch."""
    repository.run("worktree", "remove", "--force", "--", str(folder))
    repository.run("branch", "--quiet", "-D", "--", name)
