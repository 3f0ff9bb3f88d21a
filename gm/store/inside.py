"""Paths inside a world as git, the record and problems name them: from the world's folder on, with forward slashes.

Contents that lie in a commit are found by these, where no file is on the disk. What lies where says ``layout`` alone.
"""

from __future__ import annotations

from pathlib import Path

from gm.model.calendar import parse_ref
from gm.store.layout import Layout

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
SOULS = _folder(_WORLD.souls)
WORKING = _folder(_WORLD.working_folder)
RELATIONSHIPS = _folder(_WORLD.relationships_folder)
GIFTED = _folder(_WORLD.gifted_folder)
DERIVED = _folder(_WORLD.derived)
TRACES = _folder(_WORLD.traces)
MAILBOX = _folder(_WORLD.mailbox)
LOCAL = (DERIVED, TRACES, MAILBOX)
"""What a world keeps for itself, and git does not."""
LOGBOOK_BESIDE = "logbook/"
"""Where logbooks of older worlds lie."""
LOGBOOKS = (f"{STATE}{LOGBOOK_BESIDE}", LOGBOOK_BESIDE)
_MEMORIES = tuple(folder.as_posix() for folder in (_WORLD.memories, _WORLD.archive))


def agent(name: str) -> str:
    """An agent's file."""
    return _WORLD.agent(name).as_posix()


def persona(name: str) -> str:
    """An agent's persona."""
    return _WORLD.persona(name).as_posix()


def soul(name: str) -> str:
    """What an agent is and stays."""
    return _WORLD.soul(name).as_posix()


def working(name: str) -> str:
    """An agent's page of working memory."""
    return _WORLD.working(name).as_posix()


def relationships(name: str) -> str:
    """What an agent thinks of others."""
    return _WORLD.relationships(name).as_posix()


def relationships_history(name: str) -> str:
    """How what an agent thinks of others has changed."""
    return _WORLD.relationships_history(name).as_posix()


def diary(name: str) -> str:
    """An agent's diary."""
    return _WORLD.diary(name).as_posix()


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
    """Tell whose stream or archive a path is; empty when it is neither."""
    folder, _, file = path.rpartition("/")
    return file.removesuffix(".jsonl") if folder in _MEMORIES else ""


def is_gifted(path: str) -> bool:
    """Tell whether somebody's memories from before the first day lie at a path."""
    return path.startswith(GIFTED)


def is_logbook(path: str) -> bool:
    """Tell whether a path lies among the logbooks."""
    return path.startswith(LOGBOOKS)


def day_of_logbook(path: str) -> int | None:
    """Tell of which day a logbook is; None when the path is no logbook."""
    if not is_logbook(path) or not path.endswith(".jsonl"):
        return None
    ref = parse_ref(path.rpartition("/")[2].removesuffix(".jsonl"))
    return ref.day if ref else None
