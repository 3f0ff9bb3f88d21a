"""Install git drivers and hooks: ``gm git-setup``."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gm.api.history.git import GitError, Repository, find_repository
from gm.api.history.merge.drive import settle
from gm.api.worlds.gitattributes import GITATTRIBUTES
from gm.files.formats import disk
from gm.files.layout import Layout

MADE_BY = "# made by: gm git-setup"
WORLDS = "gm.world"
_SECTIONS = ("diff.gm-memory", "merge.gm-stream")
_HEADERS = (r"^(day-[0-9]+[^ ]* [^:]+): ", r"^(scene [0-9]+: .*)$", r'^[{]"id": "([^"]+", "created": "[^"]+)"')
"""Hunk headings, with or without text conversion."""
_BEGIN, _END = f"{MADE_BY}, begin {{}}", f"{MADE_BY}, end {{}}"
_HOOK_MODE = 0o755


def gm_command() -> str:
    """Return the command that calls gm, quoted for a shell."""
    return "gm" if shutil.which("gm") else f"{shlex.quote(sys.executable)} -m gm"


@dataclass(frozen=True, slots=True)
class SetUp:
    """The drivers and hooks of a repository.

    Attributes:
        world: Relative to the repository.
        hooks: made, there, or foreign (not made by gm, left unchanged).
    """

    repository: str
    world: str
    command: str
    settings: Mapping[str, str]
    hooks: Mapping[str, str]
    attributes: str
    changed: bool


@dataclass(frozen=True, slots=True)
class GitSetupRemoved:
    """The removed hooks; the worlds in ``worlds_left`` still use the drivers."""

    repository: str
    world: str
    hooks: Mapping[str, str]
    worlds_left: tuple[str, ...]
    changed: bool


def set_up(layout: Layout) -> SetUp:
    """Install the drivers and hooks in the repository around a world; idempotent.

    Raises:
        GitError: There is no repository.
    """
    repository = find_repository(layout.root, runs_programs=True)
    command = gm_command()
    wanted = _driver_settings(command)
    changed = _read_settings(repository) != wanted
    if changed:
        for key, value in wanted.items():
            repository.run("config", "--local", "--replace-all", key, value)
    worlds = _worlds_of(repository)
    here = repository.prefix.removesuffix("/") or "."
    if here not in worlds:
        _write_worlds(repository, [*worlds, here])
        changed = True
    hooks = {name: _write_hook(repository, name, text) for name, text in _hook_texts(command).items()}
    attributes = _write_attributes(repository)
    changed = changed or "made" in hooks.values() or attributes == "made"
    return SetUp(str(repository.top), here, command, wanted, hooks, attributes, changed)


def remove_setup(layout: Layout) -> GitSetupRemoved:
    """Remove what ``set_up`` installed; the drivers stay while another world of the repository uses them."""
    repository = find_repository(layout.root, runs_programs=True)
    here = repository.prefix.removesuffix("/") or "."
    before = _worlds_of(repository)
    left = [world for world in before if world != here]
    had = bool(_read_settings(repository))
    _write_worlds(repository, left)
    _remove_attributes(repository)
    hooks = {}
    if not left:
        for section in _SECTIONS:
            repository.run("config", "--local", "--remove-section", section, fine=(0, 1, 2, 5, 128))
        hooks = {name: _remove_hook(repository, name) for name in _hook_texts("")}
    changed = left != before or had or "removed" in hooks.values()
    return GitSetupRemoved(str(repository.top), here, hooks, tuple(left), changed)


def settle_all(folder: Path) -> dict[str, list[str]]:
    """Settle every world of a repository after a merge; return changed paths by world."""
    repository = find_repository(folder, runs_programs=True)
    worlds = _worlds_of(repository) or [repository.prefix.removesuffix("/") or "."]
    return {world: settle(Layout(repository.top / world)) for world in worlds}


def _read_hook(repository: Repository, name: str) -> tuple[Path | None, bytes | None]:
    with suppress(GitError):
        path = _find_path_in_git(repository, f"hooks/{name}")
        old = disk.read_or_none(path)
        if old is None or MADE_BY.encode() in old:
            return path, old
    return None, None


def _write_hook(repository: Repository, name: str, text: str) -> str:
    path, old = _read_hook(repository, name)
    if path is None:
        return "foreign"
    if old == text.encode():
        return "there"
    disk.make_folder(path.parent)
    disk.replace(path, text.encode())
    disk.set_mode(path, _HOOK_MODE)
    return "made"


def _remove_hook(repository: Repository, name: str) -> str:
    path, old = _read_hook(repository, name)
    if path is None:
        return "foreign"
    if old is None:
        return "absent"
    disk.remove(path)
    return "removed"


def _write_attributes(repository: Repository) -> str:
    if _attribute_of(repository, "merge", "state/memories/x.jsonl") == "gm-stream":
        return "there"
    path = _find_path_in_git(repository, "info/attributes")
    text = (disk.read_or_none(path) or b"").decode("utf-8", "surrogateescape")
    # paths in a world's own file are relative to the world, here to the top of the work tree
    rows = [row for row in GITATTRIBUTES.splitlines() if "gm-" in row and not row.startswith("#")]
    place = "".join(f"\\{sign}" if sign in "*?[\\" else sign for sign in repository.prefix)
    if " " in place:
        rows = [f'"/{place}{row.split(" ")[0]}" {row.split(" ")[1]}' for row in rows]
    else:
        rows = [f"/{place}{row}" for row in rows]
    block = [_BEGIN.format(repository.prefix), *rows, _END.format(repository.prefix), ""]
    joint = "" if not text or text.endswith("\n") else "\n"
    disk.make_folder(path.parent)
    disk.replace(path, (text + joint + "\n".join(block)).encode("utf-8", "surrogateescape"))
    return "made"


def _remove_attributes(repository: Repository) -> None:
    path = _find_path_in_git(repository, "info/attributes")
    data = disk.read_or_none(path)
    if data is None:
        return
    text = data.decode("utf-8", "surrogateescape")
    begin, end = (mark.format(repository.prefix) + "\n" for mark in (_BEGIN, _END))
    first, last = text.find(begin), text.find(end)
    if 0 <= first < last:
        text = text[:first] + text[last + len(end) :]
        if text:
            disk.replace(path, text.encode("utf-8", "surrogateescape"))
        else:
            disk.remove(path)


def _driver_settings(command: str) -> dict[str, str]:
    return {
        "diff.gm-memory.textconv": f"{command} git-textconv",
        "diff.gm-memory.xfuncname": "\n".join(_HEADERS),
        "merge.gm-stream.name": "memories, logbooks and the clock of a gm world",
        "merge.gm-stream.driver": f"{command} git-merge %O %A %B %P",
    }


def _hook_texts(command: str) -> dict[str, str]:
    settle = f"{command} git-settle"
    begun = "git rev-parse -q --verify MERGE_HEAD >/dev/null || exit 0"
    return {
        "post-merge": f"#!/bin/sh\n{MADE_BY}\n{settle}\n",
        "pre-commit": f"#!/bin/sh\n{MADE_BY}\n{begun}\n{settle}\n",
    }


def _read_settings(repository: Repository) -> dict[str, str]:
    found = {}
    for key in _driver_settings(""):
        text = repository.run("config", "--local", "-z", "--get", key, fine=(0, 1)).decode("utf-8", "replace")
        if text:
            found[key] = text.rstrip("\0")
    return found


def _worlds_of(repository: Repository) -> list[str]:
    output = repository.run("config", "--local", "-z", "--get-all", WORLDS, fine=(0, 1))
    return [item.decode("utf-8", "surrogateescape") for item in output.split(b"\0") if item]


def _write_worlds(repository: Repository, worlds: list[str]) -> None:
    repository.run("config", "--local", "--unset-all", WORLDS, fine=(0, 5))
    for world in worlds:
        repository.run("config", "--local", "--add", WORLDS, world)


def _find_path_in_git(repository: Repository, name: str) -> Path:
    path = Path(os.path.realpath(repository.top / repository.text("rev-parse", "--git-path", name)))
    common = Path(os.path.realpath(repository.top / repository.text("rev-parse", "--git-common-dir")))
    if not path.is_relative_to(common) and not path.is_relative_to(repository.top):
        raise GitError(f"{path} lies outside of this repository (core.hooksPath)", "nothing is written there")
    return path


def _attribute_of(repository: Repository, name: str, path: str) -> str:
    row = repository.text("check-attr", "-z", name, "--", repository.prefix + path)
    return row.split("\0")[2]
