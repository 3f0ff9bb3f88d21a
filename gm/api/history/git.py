"""git as a subprocess, which no other module starts; independent of what a world contains."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gm.base.errors import GmError, say

NO_REPOSITORY = "make one: git init, then git add and git commit"
SHA1_DIGITS = 40
TIMEOUT_S = 600
_KEPT = ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_SSH", "GIT_SSH_COMMAND")
_SETTINGS = (
    *("-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("-c", "safe.bareRepository=explicit"),  # a clone may hold one among its files
)
_OWN_SCOPES = ("local", "worktree")
_NAMING_PROGRAMS = (
    (re.compile(r"filter\..*\.required"), r"\g<0>", "false"),
    (re.compile(r"filter\..*"), r"\g<0>", ""),
    (re.compile(r"gpg\..*"), "commit.gpgSign", "false"),
    (re.compile(r"(hook\..*)\.command"), r"\1.enabled", "false"),
    (re.compile(r"gc\.recentobjectshook"), "maintenance.auto", "false"),
)
"""Keys of a repository's own configuration that name programs, and what stands against each."""
_PEOPLE = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository around a folder.

    Attributes:
        prefix: ``folder`` relative to ``top``, with forward slashes and a trailing one, or empty.
        closed: Variables of git's environment that keep it from running what the repository itself names.
    """

    folder: Path
    top: Path
    prefix: str
    closed: Mapping[str, str] = field(default_factory=dict)

    def run(
        self,
        *arguments: str,
        data: bytes | None = None,
        extra: Mapping[str, str] | None = None,
        fine: tuple[int, ...] = (0,),
    ) -> bytes:
        """Run a git command at the top of the work tree; arguments as of ``run_git``."""
        return run_git(self.top, arguments, data=data, extra={**self.closed, **(extra or {})}, fine=fine)

    def text(self, *arguments: str, fine: tuple[int, ...] = (0,)) -> str:
        """Run a git command, and return its output as text without surrounding space."""
        return self.run(*arguments, fine=fine).decode("utf-8", "replace").strip()

    def commit(self, name: str) -> str | None:
        """Return the id of the named commit, or None."""
        if name.startswith("-") or "\0" in name:
            return None
        try:
            return self.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}") or None
        except GitError:
            return None

    def parents(self, commit: str) -> list[str]:
        """Return the ids of the parents of a commit."""
        return self.text("rev-list", "--parents", "-n", "1", commit).split()[1:]

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the newest common ancestor of two commits; None without one."""
        return self.text("merge-base", one, other, fine=(0, 1)).split("\n")[0] or None

    def history(self, path: str) -> list[str]:
        """Return the commits before HEAD that touched a path of the folder, newest first."""
        if self.commit("HEAD") is None:
            return []
        return self.text("rev-list", "HEAD", "--", self.prefix + path).split()

    def merges(self, most: int) -> list[str]:
        """Return the last merges into this branch, the newest first; none before its first commit."""
        if self.commit("HEAD") is None:
            return []
        return self.text("rev-list", "--first-parent", "--merges", f"--max-count={most}", "HEAD").split()

    def files(self, commit: str) -> dict[str, str]:
        """Return content ids in a commit by path relative to the folder, without symbolic links."""
        where = [f"{self.prefix.removesuffix('/')}"] if self.prefix else []
        listed = {}
        for row in split_nulls(self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *where)):
            about, _, path = row.partition("\t")
            mode, kind, content = about.split()
            if kind == "blob" and mode != "120000" and path.startswith(self.prefix):
                listed[path[len(self.prefix) :]] = content
        return listed

    def contents(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Return contents by id, in one call of git."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        output = self.run("cat-file", "--batch", data="".join(f"{item}\n" for item in wanted).encode())
        found = {}
        place = 0
        for item in wanted:
            end = output.index(b"\n", place)
            head = output[place:end].split()
            place = end + 1
            if head[1:2] == [b"blob"]:
                size = int(head[2])
                found[item] = output[place : place + size]
                place += size + 1
        return found


def find_repository(folder: Path, *, runs_programs: bool = False) -> Repository:
    """Return the repository around a folder.

    Args:
        runs_programs: Whether its own hooks, filters and programs may run: the user has asked for it, or git runs them
            anyway.

    Raises:
        GitError: git is not installed, or the folder is in no work tree.
    """
    folder = Path(os.path.realpath(folder))
    try:
        output = run_git(folder, ["rev-parse", "--show-toplevel", "--show-prefix"])
    except GitError as error:
        if error.status is None:
            raise
        if "dubious ownership" in error.message:
            raise GitError(f"git refuses {folder}: another user owns it", error.hint, error.status) from error
        raise GitError(say("{folder} is not in a git repository", folder), NO_REPOSITORY, error.status) from error
    top, prefix = os.fsdecode(output).split("\n")[:2]
    if not top:
        raise GitError(f"{folder} is not in a git work tree", NO_REPOSITORY)
    return Repository(folder, Path(top), prefix, {} if runs_programs else _close(folder))


def _close(folder: Path) -> dict[str, str]:
    """Return the variables that keep git from running hooks, filters and programs that a repository itself names."""
    rows = iter(
        run_git(folder, ["config", "--list", "-z", "--show-scope"]).decode("utf-8", "surrogateescape").split("\0")
    )
    values = {"core.hooksPath": os.devnull}
    for scope, row in zip(rows, rows, strict=False):
        key, _, value = row.partition("\n")
        if scope not in _OWN_SCOPES:
            values |= {"core.hooksPath": value} if key == "core.hookspath" else {}
            continue
        found = next(((form, name, off) for form, name, off in _NAMING_PROGRAMS if form.fullmatch(key)), None)
        if found:
            values[found[0].sub(found[1], key)] = found[2]
    pairs = enumerate(values.items())
    variables = {
        f"GIT_CONFIG_{what}_{at}": text for at, pair in pairs for what, text in zip(("KEY", "VALUE"), pair, strict=True)
    }
    return {"GIT_CONFIG_COUNT": str(len(values)), **variables}


def repository_around(folder: Path) -> Repository | None:
    """Return the repository around a folder, or None."""
    with suppress(GmError):
        return find_repository(folder)
    return None


def content_id(data: bytes, like: str = "") -> str:
    """Return git's id of a content.

    Args:
        like: Any id of the repository; its length selects the hash function.
    """
    digest = hashlib.sha1 if len(like) <= SHA1_DIGITS else hashlib.sha256
    return digest(b"blob %d\0" % len(data) + data).hexdigest()


class GitError(GmError):
    """git is missing or refused. ``status`` is its exit code; None = it could not be started."""

    def __init__(self, message: str, hint: str = "", status: int | None = None) -> None:
        super().__init__(message, hint)
        self.status = status


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return git's environment, without variables of a hook or driver that point to another repository.

    No remote is asked: of a partial clone, git would fetch what is missing, by a command that its configuration names.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in (*_KEPT, *_PEOPLE)}
    own = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "GIT_ALLOW_PROTOCOL": ""}
    return {**kept, **own, **(extra or {})}


def run_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    data: bytes | None = None,
    extra: Mapping[str, str] | None = None,
    fine: Sequence[int] = (0,),
) -> bytes:
    """Run a git command and return its standard output.

    Args:
        fine: Exit codes that do not mean failure.

    Raises:
        GitError: git is not installed, or failed.
    """
    command = ["git", *_SETTINGS, *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input=data or b"",
            capture_output=True,
            env=environment(extra),
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed, or not on the PATH", "install git") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git {arguments[0]} did not end within {TIMEOUT_S} seconds") from error
    except OSError as error:
        raise GitError(f"git could not be started: {error.strerror}") from error
    if done.returncode not in fine:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise GitError(said.splitlines()[0] if said else f"git {arguments[0]} failed", said, done.returncode)
    return done.stdout


def split_nulls(output: bytes) -> list[str]:
    """Split the output of ``-z`` commands; bytes that are not UTF-8 become surrogate escapes."""
    return [os.fsdecode(item) for item in output.split(b"\0") if item]
