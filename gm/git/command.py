"""Run git: no shell, a clean environment, bytes in and out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from gm.errors import GmError

TIMEOUT_S = 600
_KEPT = ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_SSH", "GIT_SSH_COMMAND")
_PEOPLE = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")


class GitError(GmError):
    """git is not there, or refused. ``status`` is its exit code; None when it could not be started."""

    def __init__(self, message: str, hint: str = "", status: int | None = None) -> None:
        super().__init__(message, hint)
        self.status = status


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Make git's environment: what git itself set for a hook or a driver would lead it to another repository."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in (*_KEPT, *_PEOPLE)}
    return {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", **(extra or {})}


def run_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    data: bytes | None = None,
    extra: Mapping[str, str] | None = None,
    fine: Sequence[int] = (0,),
) -> bytes:
    """Run a git command in a folder.

    Args:
        folder: Where.
        arguments: What comes after ``git``; paths in them are literal, no patterns.
        data: Standard input.
        extra: More variables of the environment.
        fine: Exit codes that are no failure.

    Returns:
        Standard output.

    Raises:
        GitError: git is not installed, or it failed.
    """
    command = ["git", "-c", "core.quotePath=false", *arguments]
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


def lines_of(output: bytes) -> list[str]:
    """Split output of ``-z`` commands into texts; bytes that are not UTF-8 survive as git's names do in Python."""
    return [os.fsdecode(item) for item in output.split(b"\0") if item]
