"""The folder of a sweep::

OUT/runs/<name>/         a world of its own for each run; present once it is complete
OUT/table.csv            a row for each run; also table.parquet if pyarrow is installed
OUT/report.md, report.html, measures.csv   of an experiment; also measures.parquet if pyarrow is installed
OUT/times.csv            wall-clock seconds: the only file that differs between machines
OUT/.sweep/base/         the base world at the beginning of the sweep
OUT/.sweep/runs/<name>.json   the inputs of a run, and its last story day
OUT/.sweep/lock          held by the running command
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.regular import enclose, read_regular
from gm.files.commits.lock import locked
from gm.files.formats import disk
from gm.files.formats.digests import digest_of_files, sha256
from gm.files.layout import Layout, Place

RUNS = "runs"
_OWN = ".sweep"
_LOCAL = ("state/.gm/",)


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """The paths of one sweep."""

    root: Path

    base = Place(f"{_OWN}/base")
    base_note = Place(f"{_OWN}/base.json")
    experiment = Place(f"{_OWN}/experiment.json")  # names of the conditions and measures
    lock = Place(f"{_OWN}/lock")
    table = Place("table.csv")
    parquet = Place("table.parquet")
    measures = Place("measures.csv")
    times = Place("times.csv")

    def world(self, name: str) -> Layout:
        """Return the layout of the world of one run."""
        return Layout(self.root / RUNS / name)

    def making(self, name: str) -> Path:
        """Work folder from which a complete folder is moved to its place."""
        return self.root / _OWN / "making" / name

    def note(self, name: str) -> Path:
        return self.root / _OWN / RUNS / f"{name}.json"

    def seconds(self, name: str) -> Path:
        """Wall-clock seconds that a run took so far."""
        return self.root / _OWN / "seconds" / f"{name}.json"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the sweep.

        Raises:
            LockedError: Another process holds it.
        """
        with locked(self.lock, "gm sweep"):
            yield


def sweep_of(layout: Layout) -> tuple[SweepFolder, str] | None:
    """Return the sweep that a world is a run of, and the run's name; None = it is none.

    Files of the sweep that are links out of its folder are refused from now on.
    """
    root = Path(os.path.abspath(layout.root))  # links stay: the folder is the one that was named
    folder = SweepFolder(root.parent.parent)
    if root.parent.name != RUNS or not folder.base.is_dir():
        return None
    enclose(folder.root)
    return folder, root.name


def write_note(path: Path, note: Mapping[str, Any]) -> None:
    """Write a note of a sweep as JSON."""
    disk.write_file(path, (json.dumps(note, ensure_ascii=False, indent=1) + "\n").encode())


def move_folder(source: Path, target: Path) -> None:
    """Move a complete folder to its place, atomically.

    Raises:
        GmError: Moving failed.
    """
    with disk.explained(target):
        disk.make_folder(target.parent)
        disk.rename(source, target)


def clear_folder(folder: Path) -> None:
    """Remove the remains of an interrupted command.

    Raises:
        GmError: Removing failed.
    """
    with disk.explained(folder):
        disk.remove_folder(folder)


def digest_of_folder(folder: Path) -> str:
    """Return the digest of all files below a folder, by path and content; without local ones."""
    paths = ((path.relative_to(folder).as_posix(), path) for path in sorted(folder.rglob("*")) if path.is_file())
    return digest_of_files({shown: sha256(read_regular(path)) for shown, path in paths if not shown.startswith(_LOCAL)})
