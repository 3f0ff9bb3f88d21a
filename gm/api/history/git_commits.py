"""Commits of selected paths, independent of other changed or staged files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gm.api.history.git import GitError, Repository, split_nulls

UNDER_WAY = {"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert"}


WHO = 'git config user.name "Your Name" && git config user.email you@example.org; or git.author in gm.yaml'


REWOUND = "Gm-Rewind"


RETURNED = "Gm-Rewind-Undone"


@dataclass(frozen=True, slots=True)
class Pending:
    """Uncommitted changes, relative to the top of the work tree; ``own`` are among the paths asked for."""

    own: tuple[str, ...]
    staged_elsewhere: tuple[str, ...]


def check_ready(repository: Repository, paths: Sequence[str], author: str = "") -> None:
    """Check that a commit is possible, before anything is written.

    Args:
        author: ``Name <mail>``; empty = git's configuration.

    Raises:
        GitError: A merge or rebase is under way, the paths are ignored, or git has no author.
    """
    for name, what in UNDER_WAY.items():
        if repository.commit(name) is not None:
            raise GitError(f"{what} is under way in {repository.top}", "finish it or abort it first: git status")
    for path in paths:
        shown = repository.prefix + path
        # check-ignore does not support literal pathspecs
        if repository.run("check-ignore", "--", f"./{shown}", extra={"GIT_LITERAL_PATHSPECS": "0"}, fine=(0, 1)):
            raise GitError(f"git ignores {shown}", "take it out of .gitignore, or play without --commit")
    if not author:
        _ask_identity(repository, "GIT_AUTHOR_IDENT")
    _find_committer(repository, author)


def find_pending(repository: Repository, paths: Sequence[str]) -> Pending:
    """Return which of the paths have changed, and what else is staged."""
    rows = split_nulls(
        repository.run("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules")
    )
    heads = tuple(f"{repository.prefix}{path}" for path in paths)
    own, staged = [], []
    for row in rows:
        code, path = row[:2], row[3:]
        if any(path == head or path.startswith(f"{head}/") for head in heads):
            own.append(path)
        elif code[0] not in " ?!":
            staged.append(path)
    return Pending(tuple(own), tuple(staged))


def commit_paths(repository: Repository, paths: Sequence[str], message: str, author: str = "") -> str | None:
    """Commit all changes of the paths, and return the id, if any. Other staged files stay staged.

    Raises:
        GitError: git or a hook refused.
    """
    there = [f"{repository.prefix}{path}" for path in paths if _is_there(repository, path)]
    if not there or not find_pending(repository, paths).own:
        return None
    repository.run("add", "-A", "--", *there)
    known = [path for path in there if repository.run("ls-files", "-z", "--", path) or _was_there(repository, path)]
    extra = _find_committer(repository, author)
    who = [f"--author={author}"] if author else []
    repository.run(
        "commit", "--quiet", "--only", "-F", "-", *who, "--", *known, data=message.encode("utf-8"), extra=extra
    )
    return repository.commit("HEAD")


def _is_there(repository: Repository, path: str) -> bool:
    where: Path = repository.folder / path
    return where.exists() or bool(repository.run("ls-files", "-z", "--", repository.prefix + path))


def _was_there(repository: Repository, path: str) -> bool:
    return repository.commit("HEAD") is not None and bool(repository.run("ls-tree", "-z", "HEAD", "--", path))


def _find_committer(repository: Repository, author: str) -> dict[str, str]:
    try:
        _ask_identity(repository, "GIT_COMMITTER_IDENT")
    except GitError:
        if not author:
            raise
        name, _, mail = author.partition("<")
        return {"GIT_COMMITTER_NAME": name.strip(), "GIT_COMMITTER_EMAIL": mail.rstrip("> ")}
    return {}


def _ask_identity(repository: Repository, which: str) -> None:
    try:
        repository.run("var", which)
    except GitError as error:
        raise GitError("git does not know who commits", WHO, error.status) from error


@dataclass(frozen=True, slots=True)
class RewindCommit:
    """A commit that rewound the world to a moment; ``earlier`` are all its ancestors."""

    commit: str
    moment: str
    earlier: frozenset[str]


def find_rewound(repository: Repository) -> list[RewindCommit]:
    """Return the rewinding commits before HEAD that were not undone, newest first."""
    if repository.commit("HEAD") is None:
        return []
    wanted = (f"--grep=^{REWOUND}: ", f"--grep=^{RETURNED}: ")
    form = f"--format=%H%x09%(trailers:key={REWOUND},valueonly,separator=%x2c)%x09%(trailers:key={RETURNED},valueonly)"
    returned: set[str] = set()
    found = []
    for row in repository.text("log", "HEAD", *wanted, form).splitlines():
        commit, moment, undone = ([*row.split("\t"), "", ""])[:3]
        if undone.strip():
            returned.add(undone.strip())
        elif moment.strip() and commit not in returned:
            earlier = repository.text("rev-list", f"{commit}^", fine=(0, 128)).split()
            found.append(RewindCommit(commit, moment.strip(), frozenset(earlier)))
    return found
