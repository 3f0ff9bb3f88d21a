"""Drivers and hooks that let git show and merge worlds."""

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
"""Hunk headings, with or without text conversion."""


def driver_settings(command: str) -> dict[str, str]:
    """Return the driver settings; ``command`` calls gm, quoted for a shell."""
    return {
        "diff.gm-memory.textconv": f"{command} git-textconv",
        "diff.gm-memory.xfuncname": "\n".join(_HEADERS),
        "merge.gm-stream.name": "memories, logbooks and the clock of a gm world",
        "merge.gm-stream.driver": f"{command} git-merge %O %A %B %P",
    }


def hook_texts(command: str) -> dict[str, str]:
    """Return the hooks by name; they settle files that git merged without the driver."""
    settle = f"{command} git-settle"
    begun = "git rev-parse -q --verify MERGE_HEAD >/dev/null || exit 0"
    return {
        "post-merge": f"#!/bin/sh\n{MADE_BY}\n{settle}\n",
        "pre-commit": f"#!/bin/sh\n{MADE_BY}\n{begun}\n{settle}\n",
    }


def read_settings(repository: Repository) -> dict[str, str]:
    """Return the repository's local driver settings."""
    found = {}
    for key in driver_settings(""):
        text = repository.run("config", "--local", "-z", "--get", key, fine=(0, 1)).decode("utf-8", "replace")
        if text:
            found[key] = text.rstrip("\0")
    return found


def write_settings(repository: Repository, settings: Mapping[str, str]) -> None:
    """Write local settings."""
    for key, value in settings.items():
        repository.run("config", "--local", "--replace-all", key, value)


def remove_settings(repository: Repository) -> None:
    """Remove the driver settings."""
    for section in _SECTIONS:
        repository.run("config", "--local", "--remove-section", section, fine=(0, 1, 2, 5, 128))


def worlds_of(repository: Repository) -> list[str]:
    """Return the folders of worlds set up, relative to the top of the work tree (``.`` = the top)."""
    output = repository.run("config", "--local", "-z", "--get-all", WORLDS, fine=(0, 1))
    return [item.decode("utf-8", "surrogateescape") for item in output.split(b"\0") if item]


def write_worlds(repository: Repository, worlds: list[str]) -> None:
    """Store the folders of worlds."""
    repository.run("config", "--local", "--unset-all", WORLDS, fine=(0, 5))
    for world in worlds:
        repository.run("config", "--local", "--add", WORLDS, world)


def path_in_git(repository: Repository, name: str) -> Path:
    """Return the path of a repository file such as ``hooks/post-merge``.

    Raises:
        GitError: It lies outside, where other repositories may use it.
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
