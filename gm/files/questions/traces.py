"""Every prompt and raw answer, one file each, on disk before the answer is used.

A trace is found by the identity of its request: the same prompt is never paid for twice, a changed one is sent again.
Traces contain no wall-clock time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.errors import GmError
from gm.base.texts import is_digits
from gm.base.untyped import texts_in
from gm.files.formats import disk
from gm.files.formats.text import list_folder
from gm.files.layout import Layout
from gm.model.calendar import SceneRef, parse_ref, render_day

ID_LENGTH = 12


class TraceFolder:
    """The traces of one scene, below ``state/traces``; ``created`` as in memories: ``day-003/scene-04``."""

    def __init__(self, traces: Path, created: str) -> None:
        self._traces = traces
        self._folder = traces / created

    def find(self, label: str, identity: str) -> Mapping[str, Any] | None:
        """Return the trace of a question; None if there is none, or it is damaged or of another question."""
        record = _read_record(self._path_of(label, identity))
        return record if record.get("identity") == identity else None  # damaged: the caller sets it aside

    def reserve(self, label: str, identity: str, size: int) -> None:
        """Reserve disk space for an answer.

        Raises:
            GmError: The disk is full or not writable.
        """
        path = self._path_of(label, identity)
        try:
            disk.make_private(self._traces)
            disk.make_folder_synced(path.parent)
            disk.reserve(path, size)
        except OSError as error:
            raise GmError(
                f"no answer could be kept in {path.parent}: {error.strerror}",
                "nothing was asked; make room or correct the permissions, then run the same command again",
            ) from error

    def release(self, label: str, identity: str) -> None:
        """Give back the reserved space for which no answer came."""
        disk.release(self._path_of(label, identity))

    def keep(self, label: str, identity: str, record: Mapping[str, Any]) -> None:
        """Write and sync a trace.

        Raises:
            GmError: Writing failed.
        """
        self._write(self._path_of(label, identity), {"identity": identity, **record})

    def keep_raw(self, label: str, identity: str, data: bytes) -> str:
        """Write and sync the bytes of an answer that no trace can hold; return the path.

        Raises:
            GmError: Writing failed.
        """
        path, _ = _free_path(self._path_of(label, identity), "raw", "bin")
        disk.write_private(self._traces, path, data)
        return str(path)

    def reject(self, label: str, identity: str) -> tuple[str, int] | None:
        """Rename a trace with a useless answer.

        Returns:
            The new path, and how many answers to this question were useless; None without a trace.

        Raises:
            GmError: Renaming failed.
        """
        path = self._path_of(label, identity)
        if not os.path.lexists(path):
            return None
        aside, times = _free_path(path, "rejected", "json")
        with disk.explained(path):
            disk.rename(path, aside)
        return str(aside), times

    def note(self, name: str, items: Sequence[Mapping[str, Any]]) -> None:
        """Write and sync items as ``name-1.json``, or the next free number.

        Raises:
            GmError: Writing failed.
        """
        number = 1
        while (path := self._folder / f"{name}-{number}.json").exists():
            number += 1
        self._write(path, list(items))

    def _write(self, path: Path, data: object) -> None:
        text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        disk.write_private(self._traces, path, text.encode("utf-8", "surrogatepass"))

    def _path_of(self, label: str, identity: str) -> Path:
        return self._folder / f"{label}.{identity[:ID_LENGTH]}.json"


def _read_record(path: Path) -> dict[str, Any]:
    """Unreadable counts as absent."""
    with suppress(OSError):
        return disk.read_note(path)
    return {}


def _free_path(path: Path, what: str, kind: str) -> tuple[Path, int]:
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.stem}.{what}-{number}.{kind}")):
        number += 1
    return aside, number


@dataclass(frozen=True, slots=True)
class KeptTrace:
    """One trace in its scene; a ``rejected`` one was useless, but paid for."""

    place: SceneRef
    record: Mapping[str, Any]
    rejected: bool


class TraceReader:
    """Reads all traces of a world.

    Args:
        homes: ``state/traces``, and the folder of questions outside of scenes.
        without: Paths of traces below ``state/traces`` to pass over.
    """

    def __init__(self, *homes: Path, without: Collection[str] = ()) -> None:
        self._homes = homes
        self._without = {homes[0] / path for path in without}

    def in_scene(self, place: str) -> list[Mapping[str, Any]]:
        """Return the traces of a scene (``day-003/scene-04``), rejected ones aside."""
        return [record for home in self._homes for record, rejected in self._read_records(home / place) if not rejected]

    def files_in(self, place: str) -> Iterator[tuple[Path, Mapping[str, Any], bool]]:
        """Yield every trace of a scene with its file, and whether its answer was rejected."""
        for home in self._homes:
            yield from self._read_files(home / place)

    def days(self) -> list[int]:
        """Return the days that have traces, in order."""
        return [ref.day for ref in self._list_folders("") if not ref.scene]

    def has_day(self, day: int) -> bool:
        return any((home / render_day(day)).is_dir() for home in self._homes)

    def look(self, day: int) -> tuple[tuple[str, int], ...]:
        """Return path and modification time (ns) of each folder of a day."""
        folders = [home / render_day(day) for home in self._homes]
        inside = [path for folder in folders for path in (folder, *list_folder(folder)) if path.is_dir()]
        return tuple((str(path), path.stat().st_mtime_ns) for path in sorted(inside))

    def scenes(self, day: int) -> list[SceneRef]:
        """Return the scenes of a day that have traces, in order."""
        return [ref for ref in self._list_folders(f"{render_day(day)}/") if ref.scene]

    def of_day(self, day: int) -> Iterator[KeptTrace]:
        """Yield every trace of a day: its scenes, its close, and rejected answers."""
        for ref in (*self.scenes(day), SceneRef(day)):
            for home in self._homes:
                for record, rejected in self._read_records(home / str(ref)):
                    yield KeptTrace(ref, record, rejected)

    def _list_folders(self, inside: str) -> list[SceneRef]:
        folders = (path for home in self._homes for path in list_folder(home / inside) if path.is_dir())
        return sorted({ref for path in folders if (ref := parse_ref(f"{inside}{path.name}"))})

    def _read_records(self, folder: Path) -> Iterator[tuple[Mapping[str, Any], bool]]:
        return ((record, rejected) for _, record, rejected in self._read_files(folder))

    def _read_files(self, folder: Path) -> Iterator[tuple[Path, Mapping[str, Any], bool]]:
        for path in sorted(list_folder(folder)):
            if path.suffix == ".json" and path not in self._without:
                record = _read_record(path)
                if "answer" in record:
                    yield path, record, ".rejected-" in path.name


def paid_traces(layout: Layout, *homes: Path) -> TraceReader:
    """Return the traces of a world, and more homes, without answers that it took along from the world it branched from.

    Those stay, so that a question that comes again is not asked again.
    """
    return TraceReader(layout.traces, *homes, without=read_carried(layout))


def read_carried(layout: Layout) -> tuple[str, ...]:
    """Return the paths, below ``state/traces``, of answers that a branch took along."""
    return texts_in(disk.read_note(layout.carried).get("paths"))


class NoTraces:
    """Keeps nothing: for prompts that are only displayed."""

    def find(self, label: str, identity: str) -> None:
        """Return None."""

    def reserve(self, label: str, identity: str, size: int) -> None:
        """Do nothing."""

    def release(self, label: str, identity: str) -> None:
        """Do nothing."""

    def keep(self, label: str, identity: str, record: Mapping[str, Any]) -> None:
        """Do nothing."""

    def keep_raw(self, label: str, identity: str, data: bytes) -> str:
        return "nothing, as nothing is kept here"

    def reject(self, label: str, identity: str) -> None:
        """Return None."""


PREFIX = "batch-"
SUFFIX = ".json"


class BatchFolder:
    """The notes of a world, named by their paths inside it. All methods raise ``GmError`` on failure."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def of_day(self, day: str) -> dict[str, Mapping[str, Any]]:
        """Return the notes of a day by name, in the order of their numbers."""
        paths = [path for path in list_folder(self._layout.traces / day) if _number_of(path)]
        return {self._layout.shown(path): self._read_note(path) for path in sorted(paths, key=_number_of)}

    def add(self, day: str, note: Mapping[str, Any]) -> str:
        """Write a new note, sync it, and return its name."""
        folder = self._layout.traces / day
        number = 1 + max((_number_of(path) for path in list_folder(folder)), default=0)
        path = folder / f"{PREFIX}{number}{SUFFIX}"
        with disk.explained(path):
            disk.make_private(self._layout.traces)
            disk.make_folder_synced(folder)
            self._write_note(path, note)
        return self._layout.shown(path)

    def change(self, name: str, note: Mapping[str, Any]) -> None:
        """Replace a note, and sync it."""
        path = self._layout.root / name
        with disk.explained(path):
            self._write_note(path, note)

    def _write_note(self, path: Path, note: Mapping[str, Any]) -> None:
        text = json.dumps(note, ensure_ascii=False, indent=1) + "\n"
        disk.replace_synced(path, text.encode("utf-8", "surrogatepass"))

    def _read_note(self, path: Path) -> Mapping[str, Any]:
        with suppress(OSError):
            note = disk.read_note(path)
            if _is_note(note):
                return note
        raise GmError(
            f"{self._layout.shown(path)} cannot be read: it says which batch of questions is under way",
            "correct it by hand; or delete it, then its questions are asked anew and paid for again",
        )


def _is_note(note: Mapping[str, Any]) -> bool:
    return (
        isinstance(note.get("questions"), dict)
        and isinstance(note.get("failed", {}), dict)
        and isinstance(note.get("after"), str)
        and isinstance(note.get("batch"), str)
    )


def _number_of(path: Path) -> int:
    number = path.name.removeprefix(PREFIX).removesuffix(SUFFIX)
    is_note = path.name == f"{PREFIX}{number}{SUFFIX}"
    return int(number) if is_note and is_digits(number) else 0
