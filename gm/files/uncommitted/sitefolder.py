"""The folder of a published site, renewed without touching files of other programs (``CNAME``, ``.git``).

``gm-site.json`` names every published file with its hash. It is written before the files, with old and new hashes, and
again after them, so that the next run repairs an interrupted one.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from gm.base.errors import GmError, UsageError, say
from gm.files.formats import disk
from gm.files.formats.text import sha256
from gm.files.layout import Layout

MANIFEST = "gm-site.json"
SHOWN_PATHS = 5
HASH = 16
"""Digits of the hash of a file."""


@dataclass(frozen=True, slots=True)
class SiteWritten:
    """What writing a site has done."""

    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]


def write_site(folder: Path, files: Mapping[str, bytes], *, force: bool = False) -> SiteWritten:
    """Write a site into its folder, which is created if necessary.

    Args:
        files: Contents by relative path with forward slashes, in writing order: the first page comes last.

    Raises:
        UsageError: A file of another program, or one changed by hand, would be overwritten; or a link leads out.
        GmError: Writing failed; the next run repairs the partly written site.
    """
    before = _read_manifest(folder)
    if out := next((path for path in files if not _is_inside(folder, path)), None):
        raise UsageError(f"{folder / out} leads out of the folder", "remove the link in it; nothing was written")
    now = {path: sha256(data)[:HASH] for path, data in files.items()}
    standing = {path: _hash_file(folder / path) for path in {*before, *now}}
    if not force:
        _refuse_others(folder, before, now, standing)
    with disk.explained(folder):
        disk.make_folder(folder)
        _write_manifest(folder, now, before)
        new = tuple(path for path in files if standing[path] != now[path])
        for path in new:
            disk.make_folder((folder / path).parent)
            disk.replace(folder / path, files[path])
        stale = tuple(sorted(path for path in before if path not in now and standing[path] is not None))
        for path in stale:
            disk.remove(folder / path)
            _remove_empty(folder, (folder / path).parent)
        _write_manifest(folder, now)
    return SiteWritten(new, len(files) - len(new), stale)


def refuse_inside(layout: Layout, folder: Path) -> None:
    """Refuse a folder that holds a world's own files.

    Raises:
        UsageError: It is the world itself, or in one of its folders.
    """
    wanted = folder.resolve()
    is_own = any(wanted.is_relative_to(path.resolve()) for path in layout.top_folders)
    if is_own or wanted == layout.root.resolve():
        raise UsageError(f"{folder} holds the world's own files", "take a folder of its own, such as site/")


def _refuse_others(
    folder: Path, before: Mapping[str, Collection[str]], now: Mapping[str, str], standing: Mapping[str, str | None]
) -> None:
    if folder.is_file() or folder.is_symlink():
        raise UsageError(f"{folder} is not a folder", "name one that is empty or not there yet")
    touched = [path for path, found in standing.items() if found is not None and found != now.get(path)]
    others = sorted(path for path in touched if path not in before)
    changed = sorted(path for path in touched if path in before and standing[path] not in before[path])
    for paths, what in ((others, "were not made by gm publish"), (changed, "were changed by hand")):
        if paths:
            shown = ", ".join(paths[:SHOWN_PATHS]) + (" …" if len(paths) > SHOWN_PATHS else "")
            raise UsageError(
                f"{len(paths)} files in {folder} {what}: {shown}", "nothing was written; --force writes over them"
            )


def _read_manifest(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the hashes of gm's versions of each file: several after an interrupted run."""
    path = folder / MANIFEST
    data = disk.read_or_none(path) if path.is_file() else None
    if data is None:
        return {}
    try:
        document = json.loads(data)
        files, earlier = document["files"], document.get("unfinished_after", {})
        known: dict[str, tuple[str, ...]] = {str(name): (str(value),) for name, value in files.items()}
        for name, values in earlier.items():
            known[str(name)] = (*known.get(str(name), ()), *map(str, values))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GmError(
            say("{path} cannot be read", path), "remove the site's folder, or publish into another one"
        ) from error
    if any(not _is_inside(folder, name) for name in known):
        raise GmError(f"{path} names files outside of its folder", "remove it, or publish into another folder")
    return known


def _is_inside(folder: Path, name: str) -> bool:
    return (folder / name).resolve().is_relative_to(folder.resolve())


def _write_manifest(
    folder: Path, files: Mapping[str, str], earlier: Mapping[str, Collection[str]] | None = None
) -> None:
    document: dict[str, object] = {"made_by": "gm publish", "files": dict(sorted(files.items()))}
    if earlier:
        document["unfinished_after"] = {name: list(values) for name, values in sorted(earlier.items())}
    disk.replace(folder / MANIFEST, (json.dumps(document, indent=1) + "\n").encode())


def _hash_file(path: Path) -> str | None:
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "a page has to be written there; move it away")
    data = disk.read_or_none(path)
    return None if data is None else sha256(data)[:HASH]


def _remove_empty(folder: Path, parent: Path) -> None:
    while parent != folder and parent.is_dir() and not any(parent.iterdir()):
        parent.rmdir()
        parent = parent.parent
