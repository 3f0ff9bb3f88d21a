"""Set up a repository to show and merge worlds: drivers in its configuration, and two hooks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gm.api.history.git.repository import GitError, Repository

MADE_BY = "# made by: gm git-setup"
WORLDS = "gm.world"
_SECTIONS = ("diff.gm-memory", "merge.gm-stream")
_HEADERS = (
    r"^(day-[0-9]+[^ ]* [^:]+): ",
    r"^(scene [0-9]+: .*)$",
    r'^[{]"id": "([^"]+", "created": "[^"]+)"',
)
"""What stands behind ``@@`` in a difference: scene and memory, so agent and day; also without the conversion."""


def driver_settings(command: str) -> dict[str, str]:
    """Return the settings of the drivers.

    Args:
        command: How gm is called, quoted for a shell.
    """
    return {
        "diff.gm-memory.textconv": f"{command} git-textconv",
        "diff.gm-memory.xfuncname": "\n".join(_HEADERS),
        "merge.gm-stream.name": "memories, logbooks and the clock of a gm world",
        "merge.gm-stream.driver": f"{command} git-merge %O %A %B %P",
    }


def hook_texts(command: str) -> dict[str, str]:
    """Return the hooks by name: files that git merges without the driver are checked after a merge."""
    settle = f"{command} git-settle"
    begun = "git rev-parse -q --verify MERGE_HEAD >/dev/null || exit 0"
    return {
        "post-merge": f"#!/bin/sh\n{MADE_BY}\n{settle}\n",
        "pre-commit": f"#!/bin/sh\n{MADE_BY}\n{begun}\n{settle}\n",
    }


def read_settings(repository: Repository) -> dict[str, str]:
    """Return the repository's own configuration of the drivers."""
    found = {}
    for key in driver_settings(""):
        text = repository.run("config", "--local", "-z", "--get", key, fine=(0, 1)).decode("utf-8", "replace")
        if text:
            found[key] = text.rstrip("\0")
    return found


def write_settings(repository: Repository, settings: Mapping[str, str]) -> None:
    """Write settings into the repository's own configuration."""
    for key, value in settings.items():
        repository.run("config", "--local", "--replace-all", key, value)


def remove_settings(repository: Repository) -> None:
    """Remove the drivers from the repository's own configuration."""
    for section in _SECTIONS:
        repository.run("config", "--local", "--remove-section", section, fine=(0, 1, 2, 5, 128))


def worlds_of(repository: Repository) -> list[str]:
    """Return the folders of worlds that were set up, relative to the top of the work tree; ``.`` is the top."""
    output = repository.run("config", "--local", "-z", "--get-all", WORLDS, fine=(0, 1))
    return [item.decode("utf-8", "surrogateescape") for item in output.split(b"\0") if item]


def write_worlds(repository: Repository, worlds: list[str]) -> None:
    """Store which folders are worlds."""
    repository.run("config", "--local", "--unset-all", WORLDS, fine=(0, 5))
    for world in worlds:
        repository.run("config", "--local", "--add", WORLDS, world)


def path_in_git(repository: Repository, name: str) -> Path:
    """Return the path of a file of the repository's own: ``hooks/post-merge``, ``info/attributes``.

    Raises:
        GitError: It is outside of the repository, where others use it too.
    """
    path = Path(os.path.realpath(repository.top / repository.text("rev-parse", "--git-path", name)))
    common = Path(os.path.realpath(repository.top / repository.text("rev-parse", "--git-common-dir")))
    if not path.is_relative_to(common) and not path.is_relative_to(repository.top):
        raise GitError(f"{path} lies outside of this repository (core.hooksPath)", "nothing is written there")
    return path


def attribute_of(repository: Repository, name: str, path: str) -> str:
    """Return an attribute of a path inside the repository's folder."""
    row = repository.text("check-attr", "-z", name, "--", repository.prefix + path)
    return row.split("\0")[2]
