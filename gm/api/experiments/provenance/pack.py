"""The file ``NAME.gmrun.zip``: ``provenance.json``, ``world/``, ``by-hand/day-002/``, ``traces/day-001.jsonl``."""

from __future__ import annotations

import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from gm.api.experiments.provenance.contents import PROVENANCE, Provenance
from gm.api.imports.archive import MOST_IN_ALL, read_zip
from gm.api.imports.fields import read_json
from gm.api.imports.opening import read_source
from gm.base.errors import UsageError
from gm.base.texts import quoted
from gm.files import relative_paths
from gm.files.formats.text import files_below, read_data, sha256
from gm.files.layout import Layout
from gm.model.calendar import parse_ref, render_day
from gm.model.record import RecordError

NOTE, WORLD, BY_HAND_FOLDER, TRACES = "provenance.json", "world/", "by-hand/", "traces/"
ENDING = ".gmrun.zip"
Files = Mapping[str, bytes]
Changes = Mapping[str, bytes | None]
"""New contents of files by path; None = taken away."""
_LEFT_OUT = (relative_paths.DERIVED, relative_paths.TRACES, relative_paths.MAILBOX, relative_paths.STATE + "imported/")
_EARLY = (1980, 1, 1, 0, 0, 0)
_MADE_ANEW = "make the file again with gm provenance; nothing was written"


@dataclass(frozen=True, slots=True)
class RepeatedRun:
    """What days are repeated from.

    Attributes:
        start: The files of the world before the first day, by path.
        by_hand: What people changed before a day.
        traces: Answers below ``state/traces``, by path.
    """

    start: Files
    by_hand: Mapping[int, Changes]
    traces: Files


@dataclass(frozen=True, slots=True)
class Packed:
    """A file of provenance, read and checked."""

    note: Provenance
    run: RepeatedRun


@dataclass(frozen=True, slots=True)
class Answers:
    """Recordings in memory."""

    scenes: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def in_scene(self, place: str) -> Sequence[Mapping[str, Any]]:
        return self.scenes.get(place, ())


def answers_in(traces: Files) -> Answers:
    """Return the answers that were used, by scene.

    Raises:
        UsageError: A trace is not JSON.
    """
    scenes = defaultdict[str, list[Mapping[str, Any]]](list)
    for path, data in sorted(traces.items()):
        place, _, name = path.rpartition("/")
        if ".rejected-" not in name and isinstance(record := read_json(data, path), dict):
            scenes[place].append(record)
    return Answers(scenes)


def is_packed(path: str) -> bool:
    """Return whether a path is of the world that days are played in: no answers, letters or derived files."""
    return relative_paths.is_written(path) and not path.startswith(_LEFT_OUT)


def world_files(layout: Layout) -> dict[str, bytes]:
    """Return the files of a world that days are played in, by path.

    Raises:
        OSError: A file cannot be read.
    """
    folders = (layout.root / folder for folder in relative_paths.WRITTEN)
    paths = [layout.settings, *(path for folder in folders for path in files_below(folder))]
    return {shown: read_data(path) for path in paths if path.is_file() and is_packed(shown := layout.shown(path))}


def digests_of(files: Files) -> dict[str, str]:
    """Return the digest of each file."""
    return {path: sha256(data) for path, data in sorted(files.items())}


def members_of(run: RepeatedRun) -> dict[str, bytes]:
    """Return the files of the archive, without ``provenance.json``."""
    found = {WORLD + path: data for path, data in run.start.items()}
    for day, changes in run.by_hand.items():
        kept = {path: data for path, data in changes.items() if data is not None}
        found |= {f"{BY_HAND_FOLDER}{render_day(day)}/{path}": data for path, data in kept.items()}
    lines = defaultdict[str, list[str]](list)
    for path, data in sorted(run.traces.items()):
        text = data.decode("utf-8", "surrogatepass")
        lines[path.partition("/")[0]].append(json.dumps({"path": path, "text": text}) + "\n")
    return found | {f"{TRACES}{day}.jsonl": "".join(rows).encode() for day, rows in lines.items()}


def render_file(note: Provenance, members: Files) -> bytes:
    """Return the bytes of the file: the same for the same content."""
    text = json.dumps(PROVENANCE.write(note), ensure_ascii=False, indent=1) + "\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in {NOTE: text.encode(), **dict(sorted(members.items()))}.items():
            member = zipfile.ZipInfo(name, _EARLY)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system, member.external_attr = 3, 0o100644 << 16  # the same on every system
            archive.writestr(member, data)
    return packed.getvalue()


def is_provenance(data: bytes) -> bool:
    """Return whether the bytes begin as a file of provenance."""
    return data[:2] == b"PK" and NOTE.encode() in data[:64]


def open_file(path: Path) -> Packed:
    """Read a file of provenance; it is untrusted.

    Raises:
        UsageError: It is damaged, too large, not as its digests say, or names a path that no world has.
    """
    return parse_file(read_source(path, str(path), MOST_IN_ALL), str(path))


def parse_file(data: bytes, shown: str) -> Packed:
    """Read the bytes of a file of provenance; errors as for ``open_file``."""
    members = {str(path): content for path, content in read_zip(data, shown).items()}
    if NOTE not in members:
        raise UsageError(f"{shown} has no {NOTE}", "name a file that gm provenance has made")
    try:
        note = PROVENANCE.read(read_json(members.pop(NOTE), f"{shown}/{NOTE}"))
    except RecordError as error:
        raise UsageError(f"{shown}/{NOTE}: {error.message}", error.hint or _MADE_ANEW) from error
    for name in sorted({*members, *note.files}):
        if name not in members or sha256(members[name]) != note.files.get(name):
            what = "is not in it" if name not in members else "is not as its digest says" if name in note.files else ""
            raise UsageError(f"{shown}/{name} {what or 'has no digest'}", _MADE_ANEW)
    if list(note.days) != sorted({*note.days}) or not note.days:
        raise UsageError(f"{shown}/{NOTE}: days: found {quoted(list(note.days))}, expected rising numbers", _MADE_ANEW)
    return Packed(note, _read_run(note, members, shown))


def _read_run(note: Provenance, members: Files, shown: str) -> RepeatedRun:
    start: dict[str, bytes] = {}
    traces: dict[str, bytes] = {}
    by_hand: dict[int, dict[str, bytes | None]] = {}
    for day, paths in note.by_hand.items():
        ref = parse_ref(day)
        if ref is None or ref.day not in note.days:
            raise UsageError(f"{shown}/{NOTE}: by_hand: {day!r:.40} is not one of its days", _MADE_ANEW)
        by_hand[ref.day] = {_check_path(path, shown): members.get(f"{BY_HAND_FOLDER}{day}/{path}") for path in paths}
    for name, data in members.items():
        kind, _, path = name.partition("/")
        if kind + "/" == WORLD:
            start[_check_path(path, shown, relative_paths.REINFORCED)] = data
        elif kind + "/" == TRACES:
            traces |= _parse_traces(data, f"{shown}/{name}")
        elif not (
            kind + "/" == BY_HAND_FOLDER and path.partition("/")[2] in note.by_hand.get(path.partition("/")[0], ())
        ):
            raise UsageError(f"{shown}: {name[:80]!r} in it is not part of such a file", _MADE_ANEW)
    return RepeatedRun(start, by_hand, traces)


def _parse_traces(data: bytes, shown: str) -> dict[str, bytes]:
    found = {}
    for number, line in enumerate(data.splitlines(), 1):
        place = f"{shown}:{number}"
        record = read_json(line, place)
        path, text = (record.get(key) for key in ("path", "text")) if isinstance(record, dict) else (None, None)
        if not isinstance(path, str) or not isinstance(text, str):
            raise UsageError(f"{place}: found {quoted(record)}, expected a path and a text", _MADE_ANEW)
        home = parse_ref(path.rpartition("/")[0])
        if (
            home is None
            or not relative_paths.is_written(relative_paths.TRACES + path)
            or PurePosixPath(path).suffix != ".json"
        ):
            raise UsageError(f"{place}: {path[:80]!r} is not the place of an answer", _MADE_ANEW)
        found[path] = text.encode("utf-8", "surrogatepass")
    return found


def _check_path(path: str, shown: str, *more: str) -> str:
    if path not in more and not is_packed(path):
        raise UsageError(f"{shown}: {path[:80]!r} in it is not a path of a world", _MADE_ANEW)
    return path
