"""Paths inside a world as git, the record and problems name them: from the world's folder on, with forward slashes.

Contents that lie in a commit are found by these, where no file is on the disk. What lies where says ``layout`` alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.layers.declare import Layer
from gm.model.calendar import parse_ref

_WORLD = Layout(Path())
SETTINGS = _WORLD.settings.as_posix()
CLOCK = _WORLD.world.as_posix()
BULLETIN = _WORLD.bulletin.as_posix()
THREADS = _WORLD.threads.as_posix()


def _folder(path: Path) -> str:
    return f"{path.as_posix()}/"


STATE = _folder(_WORLD.state)
"""A folder, with the slash: the path of what lies in it begins so."""
PROMPTS = _folder(_WORLD.prompts)
GALLERY = _folder(_WORLD.gallery)
AGENTS = _folder(_WORLD.agents)
PERSONAS = _folder(_WORLD.personas)
GIFTED = _folder(_WORLD.gifted_folder)
DERIVED = _folder(_WORLD.derived)
TRACES = _folder(_WORLD.traces)
MAILBOX = _folder(_WORLD.mailbox)
LOCAL = (DERIVED, TRACES, MAILBOX)
"""What a world keeps for itself, and git does not."""
LOGBOOK_BESIDE = "logbook/"
"""Where logbooks of older worlds lie."""
LOGBOOKS = (f"{STATE}{LOGBOOK_BESIDE}", LOGBOOK_BESIDE)
LIBRARY = _folder(_WORLD.library)
CHANGES = _folder(_WORLD.changes)
REINFORCED = _WORLD.reinforced.as_posix()
WRITTEN = (STATE, GALLERY, LOGBOOK_BESIDE, LIBRARY)
"""Folders in which commits write; beside them ``gm.yaml``, and of what is derived the record and the counters."""
_MEMORIES = tuple(folder.as_posix() for folder in (_WORLD.memories, _WORLD.archive))


def agent(name: str) -> str:
    """An agent's file."""
    return _WORLD.agent(name).as_posix()


def persona(name: str) -> str:
    """An agent's persona."""
    return _WORLD.persona(name).as_posix()


def layer(layer: Layer[Any, Any], name: str, beside: str = "") -> str:
    """An agent's file of a layer, or one beside it of another ending."""
    return _WORLD.layer(layer, name, beside).as_posix()


def layer_folder(layer: Layer[Any, Any]) -> str:
    """The folder of a layer, with the slash."""
    return _folder(_WORLD.layer_folder(layer))


def layer_of(path: str) -> tuple[Layer[Any, Any], str] | None:
    """Return of which layer a path is a file, and whose; None for any other path."""
    folder, _, file = path.removeprefix(STATE).rpartition("/") if path.startswith(STATE) else ("", "", "")
    found = next((layer for layer in LAYERS if layer.file.folder == folder), None)
    return (found, file.partition(".")[0]) if found else None


def owner_of(path: str) -> str:
    """Return whose memories or whose layer a path is; empty for any other path."""
    found = layer_of(path)
    return found[1] if found else memories_of(path)


def summaries(name: str) -> str:
    """What stands for an agent's archived nodes."""
    return _WORLD.summarised(name).as_posix()


def gifted(name: str) -> str:
    """What an agent knows from the start."""
    return _WORLD.gifted(name).as_posix()


def stream(name: str) -> str:
    """An agent's memory stream."""
    return _WORLD.stream(name).as_posix()


def archive(name: str) -> str:
    """An agent's archived nodes."""
    return _WORLD.archived(name).as_posix()


def memories_of(path: str) -> str:
    """Return the character of a stream or archive; empty for another path."""
    folder, _, file = path.rpartition("/")
    return file.removesuffix(".jsonl") if folder in _MEMORIES else ""


def is_gifted(path: str) -> bool:
    """Return whether a path is a file of seed memories."""
    return path.startswith(GIFTED)


def is_logbook(path: str) -> bool:
    """Return whether a path is among the logbooks."""
    return path.startswith(LOGBOOKS)


def day_of_logbook(path: str) -> int | None:
    """Return the day of a logbook; None when the path is no logbook."""
    if not is_logbook(path) or not path.endswith(".jsonl"):
        return None
    ref = parse_ref(path.rpartition("/")[2].removesuffix(".jsonl"))
    return ref.day if ref else None


def is_written(path: str) -> bool:
    """Return whether a path is one that a commit of gm may name: a world is untrusted input.

    A path from the world's folder on, in a folder that gm writes to, without hidden parts and without ``..``. Where
    links on the disk lead says ``way_out``.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    if path in (SETTINGS, REINFORCED) or _is_record(path):
        return True
    parts = path.split("/")
    hidden = any(not part or part.startswith(".") for part in parts)
    return path.startswith(WRITTEN) and not hidden and "\\" not in path and "\0" not in path


def _is_record(path: str) -> bool:
    ref = parse_ref(path.removeprefix(CHANGES).removesuffix(".jsonl"))
    return ref is not None and not ref.scene and path == (_WORLD.changes / f"{ref}.jsonl").as_posix()


def way_out(root: str, path: str) -> str:
    """Find the link by which a path leads to a place outside the world, or to one inside that no commit may name.

    Returns:
        The part of the path that is the link; empty when the path leads to where it says.

    Raises:
        OSError: The way cannot be followed: a circle of links, a name that is too long.
    """
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        part = "/".join(parts[:count])
        place = f"{root}/{part}"
        if os.path.islink(place):
            home, real = os.path.realpath(root), _real(place)
            led = "/".join((os.path.relpath(real, home), *parts[count:]))
            if not real.startswith(f"{home}/") or not is_written(led):
                return part
    return ""


def _real(place: str) -> str:
    try:
        return os.path.realpath(place, strict=True)  # this refuses a circle of links
    except FileNotFoundError:
        return os.path.realpath(place)
