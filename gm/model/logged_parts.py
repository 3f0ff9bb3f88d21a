"""The parts of a logbook line, and how they are read of any value: what does not fit is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from gm.base.config.kinds import is_number
from gm.base.untyped import as_texts, items_of, objects_in, text_at, texts_in

T = TypeVar("T")


class LoggedMemory(NamedTuple):
    """A memory that a line lists; a bare id has no agent, and another object no id."""

    agent: str
    id: str
    importance: int


class NotKept(NamedTuple):
    """A memory that was not kept; ``same`` is the id of the one that says the same."""

    agent: str
    text: str
    same: str = ""


class LoggedThread(NamedTuple):
    """An event of a thread, without its text."""

    id: str
    event: str
    by: str = ""
    kind: str = ""
    due: int | None = None
    outcome: str = ""
    text: str = ""


class PlanEnd(NamedTuple):
    """What came of an item of a plan."""

    text: str
    status: str
    why: str = ""


class MemoriesAsked(NamedTuple):
    """A request for memories, or those that were given; ``number`` is None for a request."""

    asker: str
    giver: str
    about: tuple[str, ...]
    number: int | None


class LoggedSoul(NamedTuple):
    """Soul entries that a character added or removed, as (kind, text)."""

    agent: str
    added: tuple[tuple[str, str], ...]
    removed: tuple[tuple[str, str], ...]


def as_text(value: object) -> str:
    """Return a text, and "" for any other value."""
    return value if isinstance(value, str) else ""


def as_whole(value: object) -> int | None:
    """Return a whole number, and None for any other value."""
    return value if isinstance(value, int) else None


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return an object, and an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def read_objects(value: object) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of a list."""
    return tuple(objects_in(value))


def read_paths(value: object) -> tuple[str, ...]:
    """Return the paths of a list; objects with a ``path`` count as their path."""
    paths = (item.get("path") if isinstance(item, dict) else item for item in items_of(value))
    return tuple(path for path in paths if isinstance(path, str))


def read_memories(value: object) -> tuple[LoggedMemory, ...]:
    """Return the memories of a list; all of its items count."""
    return tuple(
        LoggedMemory(text_at(item, "agent"), text_at(item, "id"), as_whole(item.get("importance")) or 0)
        if isinstance(item, dict)
        else LoggedMemory("", as_text(item), 0)
        for item in items_of(value)
    )


def read_not_kept(value: object) -> tuple[NotKept, ...]:
    """Return memories that were not kept."""
    return tuple(NotKept(_word(item, "agent"), _word(item, "text"), _word(item, "as")) for item in objects_in(value))


def read_threads(value: object) -> tuple[LoggedThread, ...]:
    """Return events of threads."""
    return tuple(
        LoggedThread(
            _word(item, "id"),
            _word(item, "event"),
            _word(item, "by"),
            str(item.get("kind") or ""),
            as_whole(item.get("due")),
            _word(item, "outcome"),
            _word(item, "text"),
        )
        for item in objects_in(value)
    )


def read_carried(value: object) -> tuple[tuple[str, str], ...]:
    """Return ids of threads that stay open, and why."""
    return tuple((_word(item, "thread"), _word(item, "reason")) for item in objects_in(value))


def read_asked(value: object) -> tuple[MemoriesAsked, ...]:
    """Return requests for memories, or what was given."""
    return tuple(
        MemoriesAsked(_word(item, "from"), _word(item, "to"), as_texts(item.get("about")), as_whole(item.get("count")))
        for item in objects_in(value)
    )


def read_posts(value: object) -> tuple[tuple[str, str], ...]:
    """Return key and beginning of posts."""
    return tuple((text_at(item, "post"), text_at(item, "text")) for item in objects_in(value))


def read_souls(value: object) -> tuple[LoggedSoul, ...]:
    """Return the changes of souls."""
    return tuple(
        LoggedSoul(_word(item, "agent"), _read_entries(item.get("added")), _read_entries(item.get("removed")))
        for item in objects_in(value)
    )


def _read_entries(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((_word(item, "kind"), _word(item, "text")) for item in objects_in(value))


def read_ends(value: object) -> Mapping[str, tuple[PlanEnd, ...]]:
    """Return what came of items of plans, by character."""
    return _by_name(_read_ends, value)


def _read_ends(value: object) -> tuple[PlanEnd, ...]:
    return tuple(PlanEnd(*(text_at(item, key) for key in PlanEnd._fields)) for item in objects_in(value))


def read_counts(value: object) -> Mapping[str, int]:
    """Return whole numbers by name."""
    return _by_name(as_whole, value)


def read_points(value: object) -> Mapping[str, float]:
    """Return numbers by name."""
    return _by_name(lambda item: float(item) if is_number(item) else None, value)


def texts_by_name(value: object) -> Mapping[str, str]:
    """Return texts by name, without empty ones."""
    return _by_name(lambda item: as_text(item) or None, value)


def lists_by_name(value: object) -> Mapping[str, tuple[str, ...]]:
    """Return lists of texts by name."""
    return _by_name(texts_in, value)


def _by_name(read: Callable[[object], T | None], value: object) -> Mapping[str, T]:
    pairs = ((str(name), read(item)) for name, item in as_mapping(value).items())
    return {name: kept for name, kept in pairs if kept is not None}


def _word(record: Mapping[str, object], key: str) -> str:
    return str(record.get(key, ""))
