"""Number the scenes of a world: the turn of a memory is the ordinal of its scene."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from gm.files.forms.jsonl import scan_lines
from gm.files.forms.look import look_at
from gm.files.layout import Layout
from gm.files.lexical.files import (
    SCENES,
    KnownFile,
    is_same,
    is_text,
    known_file,
    note_file,
    read_whole,
    seen_file,
)
from gm.files.lexical.sync import ARCHIVE, STREAM, kept_files
from gm.memory.recall.query import Turn
from gm.model.calendar import SceneRef, parse_ref, render_day

_CREATED = re.compile(rb'"created"\s*:\s*"(day-[0-9]{3,18}/scene-[0-9]{2,18}[a-z]?)"')


def count_scenes(file: sqlite3.Connection, layout: Layout) -> Turn:
    """Return a function from a scene to its ordinal in playing order, from 1; 0 = unknown.

    Scenes are those of the logbook and of memories, cached by file.
    """
    found: set[SceneRef] = set()
    read: dict[str, KnownFile] = {}
    for path in _files(layout):
        shown = layout.shown(path)
        known = known_file(file, shown, SCENES)
        if known is None or not is_same(path, known):
            look, data = look_at(path), read_whole(path)
            read[shown] = known = seen_file(path, look, data, scenes=_scenes_in(layout, path, data))
        found.update(ref for text in known.scenes.split() if (ref := parse_ref(text)) is not None)
    _note(file, read)
    ordinals = {ref: number for number, ref in enumerate(sorted(found), 1)}
    return lambda moment: ordinals.get(moment, 0)


def _note(file: sqlite3.Connection, read: Mapping[str, KnownFile]) -> None:
    """Skipped while another process writes; the files are read again then."""
    if not any(known.settled for known in read.values()):
        return
    with suppress(sqlite3.OperationalError):
        file.execute("BEGIN IMMEDIATE")
        for shown, known in read.items():
            note_file(file, shown, known, SCENES)
        file.execute("COMMIT")


def _files(layout: Layout) -> Iterator[Path]:
    yield from (layout.day_log(day) for day in layout.logged_days())
    for name in layout.agent_names():
        yield from (path for kept, path in kept_files(layout, name) if kept in (ARCHIVE, STREAM))


def _scenes_in(layout: Layout, path: Path, data: bytes) -> str:
    if path.parent != layout.logbook:
        return " ".join(sorted({ref.decode() for ref in _CREATED.findall(data)}))
    if not is_text(data):
        return ""
    day = render_day(int(path.stem.removeprefix("day-")))
    found = {_scene_of(day, line.record.get("scene")) for line in scan_lines(data.decode(), "").lines}
    return " ".join(sorted(found - {""}))


def _scene_of(day: str, scene: object) -> str:
    match = re.fullmatch(r"0*([1-9][0-9]{0,17})([a-z]?)", str(scene)) if not isinstance(scene, bool) else None
    return f"{day}/scene-{int(match[1]):02d}{match[2]}" if match else ""
