"""The folder of a sweep::

OUT/runs/<name>/         a world of its own for each run; present once it is complete
OUT/table.csv            a row for each run; also table.parquet if pyarrow is installed
OUT/report.md, report.html, comparison.csv, measures.csv   of an experiment; also measures.parquet with pyarrow
OUT/times.csv            wall-clock seconds: the only file that differs between machines
OUT/.sweep/base/         the base world at the beginning of the sweep
OUT/.sweep/runs/<name>.json   the inputs of a run, and its last story day
OUT/.sweep/lock          held by the running command
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gm.base.regular import enclose, read_regular
from gm.files.commits.lock import locked
from gm.files.formats import disk
from gm.files.formats.text import digest_of_files, sha256
from gm.files.layout import Layout, Place

MOST_NAME = 120
CONDITION = "condition"
"""Key of a run that names its condition."""
MOST_NAME_BYTES = 255
"""Of a folder, on the usual file systems."""
_UNSAFE = re.compile(r"[^\w.+-]+")
_PATH = re.compile(r"[/\\\0-\x1f]")

Brief = tuple[int, str]


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One world that a sweep plays.

    Attributes:
        name: From ``own`` alone, so independent of the other runs: ``seed=1,model=rehearsal``.
        own: What distinguishes it, by key: ``condition``, a dotted setting, ``prompts`` or ``briefs``.
        prompts: Folder of templates that override the world's own, or None.
    """

    name: str
    own: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    prompts: Path | None = None
    briefs: tuple[Brief, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """A named set of values: what one arm of an experiment has in common."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sweep:
    """The runs of a sweep and their base world: the folder ``world``, or a ``template`` of ``gm init``.

    Attributes:
        varied: Keys that vary between runs, in file order.
        runs: In file order, ``matrix`` first, its last key changing fastest; every condition has them all.
        conditions: In file order; the others are compared with the first.
        measures: Names of measures of ``gm evaluate`` for the report; () = no report.
        canaries: Planted words for the measure leaks, each ``WORD=agent,agent``.
    """

    world: Path | None
    template: str
    days: int
    varied: tuple[str, ...]
    runs: tuple[SweepRun, ...]
    conditions: tuple[Condition, ...] = ()
    measures: tuple[str, ...] = ()
    canaries: tuple[str, ...] = ()


def name_run(own: Mapping[str, Any]) -> str:
    """Return the name of a run: its keys and values. A digest replaces what is unsafe or too long for a folder name.

    >>> name_run({"seed": 1, "retrieval.strategy": "scored"})
    'seed=1,retrieval.strategy=scored'
    """
    parts, is_exact = [], True
    for key, value in own.items():
        plain = spell_value(value)
        safe_key, safe = _UNSAFE.sub("-", key), _UNSAFE.sub("-", plain).strip("-.") or "-"
        is_exact = is_exact and (safe_key, safe) == (key, plain)
        parts.append(f"{safe_key}={safe}")
    name = ",".join(parts)
    if is_exact and len(name) <= MOST_NAME:
        return name
    whole = json.dumps(list(own.items()), ensure_ascii=False, default=str)
    return f"{name[: MOST_NAME - 9].rstrip(',.-')}~{sha256(whole.encode())[:8]}"


def is_run_name(name: str) -> bool:
    """Return whether a text can be the name of a run: a plain name of a folder, which leads nowhere else."""
    return name not in ("", ".", "..") and not _PATH.search(name) and len(name.encode()) <= MOST_NAME_BYTES


def spell_value(value: object) -> str:
    """Return a value as shown in names and tables."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def nest_value(key: str, value: Any) -> dict[str, Any]:
    """Expand a dotted key: ``weights.promise`` becomes ``{weights: {promise: …}}``."""
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


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
    comparison = Place("comparison.csv")
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
