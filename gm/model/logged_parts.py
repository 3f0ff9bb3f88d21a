"""The parts of a logbook line, with their keys; they are read of any object, and what does not fit is empty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gm.base.config import kinds
from gm.base.untyped import as_texts, objects_in
from gm.model.record import Key, Record


class LoggedMemory(NamedTuple):
    """A memory that a line lists; a bare id has no agent, and another object no id."""

    agent: str = ""
    id: str = ""
    importance: int = 0


class NotKept(NamedTuple):
    """A memory that was not kept; ``same`` is the id of the one that says the same."""

    agent: str
    text: str
    importance: int
    same: str = ""


class LoggedThread(NamedTuple):
    """An event of a thread; only lines that were made by hand have its text."""

    id: str
    event: str
    by: str = ""
    kind: str = ""
    due: int | None = None
    time: str = ""
    place: str = ""
    replaces: str = ""
    outcome: str = ""
    text: str = ""


class MemoriesAsked(NamedTuple):
    """A request for memories, or those that were given; ``number`` is None for a request."""

    asker: str
    giver: str
    about: tuple[str, ...]
    number: int | None = None


@dataclass(frozen=True, slots=True)
class PlanEnd:
    """What became of an item of a plan.

    Attributes:
        status: done, moved or dropped; empty while it is open.
    """

    text: str
    status: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class LoggedSoul:
    """Soul entries that a character added or removed, as (kind, text)."""

    agent: str
    added: tuple[tuple[str, str], ...]
    removed: tuple[tuple[str, str], ...]


def as_text(value: object) -> str:
    """Return a text, and "" for any other value."""
    return value if isinstance(value, str) else ""


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return an object, and an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def as_whole(value: object) -> int | None:
    """Return a whole number, and None for any other value."""
    return value if isinstance(value, int) else None


def _pair(**values: str) -> tuple[str, str]:
    one, other = values.values()
    return one, other


def _label(name: str, sentence: str = "", *, field: str = "", brief: bool = False) -> Key:
    return Key(name, kinds.loose_text, sentence, default="", field=field, brief=brief)


def _count(name: str, *, field: str = "", default: int | None = 0, brief: bool = False) -> Key:
    keep = as_whole if default is None else lambda value: as_whole(value) or 0
    kind = kinds.Kind("", lambda _: True, {"type": "integer"}, keep)
    return Key(name, kind, "", default=default, field=field, brief=brief)


_STRICT = replace(kinds.text, fits=lambda _: True, keep=as_text)
_ABOUT = replace(kinds.texts, fits=lambda _: True, keep=as_texts)
_ENTRY = Record(_pair, "soul entry", _label("kind"), _label("text"))
_ENTRIES = kinds.Kind(
    "a list",
    lambda _: True,
    {"type": "array", "items": _ENTRY.schema(written=True)},
    lambda value: tuple(map(_ENTRY.read, objects_in(value))),
)
TEXT = Record(_pair, "text", _label("agent"), _label("text"))
MEMORY = Record(
    LoggedMemory, "memory", *(Key(name, _STRICT, "", default="") for name in ("agent", "id")), _count("importance")
)
NOT_KEPT = Record(NotKept, "memory", _label("agent"), _count("importance"), _label("text"))
DUPLICATE = Record(NotKept, "memory", *NOT_KEPT.keys, _label("as", field="same"))
THREAD = Record(
    LoggedThread,
    "event of a thread",
    *map(_label, ("id", "event", "by")),
    _label("kind", brief=True),
    _count("due", default=None, brief=True),
    *(_label(name, brief=True) for name in ("time", "place", "replaces", "outcome")),
    _label("text", "only in lines that were made by hand", brief=True),
)
CARRIED = Record(_pair, "thread", _label("thread"), _label("reason"))
POST = Record(_pair, "post", _label("post", "its key"), _label("text", "its beginning"))
ASKED = Record(
    MemoriesAsked,
    "request for memories",
    _label("from", field="asker"),
    _label("to", field="giver"),
    Key("about", _ABOUT, "", default=()),
)
GIVEN = Record(MemoriesAsked, "gift of memories", *ASKED.keys, _count("count", field="number", default=None))
END = Record(PlanEnd, "item of a plan", _label("text"), _label("status"), _label("why", brief=True))
SOUL = Record(
    LoggedSoul, "soul", _label("agent"), *(Key(name, _ENTRIES, "", default=()) for name in ("added", "removed"))
)


def read_ends(value: object) -> tuple[PlanEnd, ...]:
    """Return what became of the items of a plan."""
    return tuple(map(END.read, objects_in(value)))
