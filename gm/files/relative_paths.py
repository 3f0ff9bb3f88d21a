"""Paths inside a world as git, the change record and problems name them: relative, with forward slashes."""

from __future__ import annotations

import os
from pathlib import Path

from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.layers.declare import AnyLayer
from gm.model.calendar import parse_ref

_WORLD = Layout(Path())
SETTINGS = _WORLD.settings.as_posix()
CLOCK = _WORLD.world.as_posix()
BULLETIN = _WORLD.bulletin.as_posix()
THREADS = _WORLD.threads.as_posix()


def _folder(path: Path) -> str:
    return f"{path.as_posix()}/"


STATE = _folder(_WORLD.state)
"""A folder, with a slash: the prefix of the paths in it."""
PROMPTS = _folder(_WORLD.prompts)
GALLERY = _folder(_WORLD.gallery)
AGENTS = _folder(_WORLD.agents)
PERSONAS = _folder(_WORLD.personas)
GIFTED = _folder(_WORLD.gifted_folder)
DERIVED = _folder(_WORLD.derived)
TRACES = _folder(_WORLD.traces)
MAILBOX = _folder(_WORLD.mailbox)
LOCAL = (DERIVED, TRACES, MAILBOX)
"""Folders that git ignores."""
LOGBOOK_BESIDE = "logbook/"
"""Folder of the logbooks in older worlds."""
LOGBOOKS = (f"{STATE}{LOGBOOK_BESIDE}", LOGBOOK_BESIDE)
LIBRARY = _folder(_WORLD.library)
SCRIPTS = _folder(_WORLD.scripts)
CHANGES = _folder(_WORLD.changes)
REINFORCED = _WORLD.reinforced.as_posix()
WRITTEN = (STATE, GALLERY, LOGBOOK_BESIDE, LIBRARY, PROMPTS, SCRIPTS)
"""Folders in which commits write; besides, ``gm.yaml``, the change record and the counters."""
_MEMORIES = tuple(folder.as_posix() for folder in (_WORLD.memories, _WORLD.archive))


def agent(name: str) -> str:
    """Path of an agent file."""
    return _WORLD.agent(name).as_posix()


def persona(name: str) -> str:
    """Path of a persona."""
    return _WORLD.persona(name).as_posix()


def layer(layer: AnyLayer, name: str, beside: str = "") -> str:
    """Path of an agent's file of a layer, or of a further one with the ending ``beside``."""
    return _WORLD.layer(layer, name, beside).as_posix()


def layer_folder(layer: AnyLayer) -> str:
    """Return the folder of a layer, with a slash."""
    return _folder(_WORLD.layer_folder(layer))


def layer_of(path: str) -> tuple[AnyLayer, str] | None:
    """Return the layer and the owner of a layer's file."""
    folder, _, file = path.removeprefix(STATE).rpartition("/") if path.startswith(STATE) else ("", "", "")
    found = next((layer for layer in LAYERS if layer.file.folder == folder), None)
    return (found, file.partition(".")[0]) if found else None


def owner_of(path: str) -> str:
    """Return the owner of a file of memories or of a layer."""
    found = layer_of(path)
    return found[1] if found else owner_of_memories(path)


def summaries(name: str) -> str:
    """Path of an agent's summaries of archived nodes."""
    return _WORLD.summarised(name).as_posix()


def gifted(name: str) -> str:
    """Path of an agent's seed memories."""
    return _WORLD.gifted(name).as_posix()


def stream(name: str) -> str:
    """Path of an agent's memory stream."""
    return _WORLD.stream(name).as_posix()


def archive(name: str) -> str:
    """Path of an agent's archived nodes."""
    return _WORLD.archived(name).as_posix()


def owner_of_memories(path: str) -> str:
    """Return the owner of a stream or archive."""
    folder, _, file = path.rpartition("/")
    return file.removesuffix(".jsonl") if folder in _MEMORIES else ""


def is_gifted(path: str) -> bool:
    """Return whether a path is a file of seed memories."""
    return path.startswith(GIFTED)


def is_logbook(path: str) -> bool:
    """Return whether a path is among the logbooks."""
    return path.startswith(LOGBOOKS)


def day_of_logbook(path: str) -> int | None:
    """Return the day of a logbook."""
    if not is_logbook(path) or not path.endswith(".jsonl"):
        return None
    ref = parse_ref(path.rpartition("/")[2].removesuffix(".jsonl"))
    return ref.day if ref else None


def is_written(path: str) -> bool:
    """Return whether gm's commits may name a path; a world is untrusted input.

    It must be relative, in a folder that gm writes to, without hidden parts and ``..``. ``way_out`` checks links.
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
    """Return the part of a path up to the link that leads out of the world, or to a path that no commit may name.

    Empty when there is no such link.

    Raises:
        OSError: The path cannot be resolved: circular links, or a name that is too long.
    """
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        part = "/".join(parts[:count])
        place = f"{root}/{part}"
        if os.path.islink(place):
            home, real = os.path.realpath(root), _resolve_place(place)
            led = "/".join((os.path.relpath(real, home), *parts[count:]))
            if not real.startswith(f"{home}/") or not is_written(led):
                return part
    return ""


def _resolve_place(place: str) -> str:
    try:
        return os.path.realpath(place, strict=True)  # raises on circular links
    except FileNotFoundError:
        return os.path.realpath(place)
