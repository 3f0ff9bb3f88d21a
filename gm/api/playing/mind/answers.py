"""What memory tools answer; ``as_json`` makes the documents that models read, without what is None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.api.editing.share import Requested, SharedMemories


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledItem:
    """A memory that was found.

    Attributes:
        relevance: 0–1.
        turn: Number of its scene over the whole world; empty = outside of scenes.
        kept_in: archive, summaries or gifted; None = the memory stream.
        confidence: 0–1.
    """

    id: str | None = part(omit=None)
    content: str
    relevance: float
    turn: str | None = part(omit=None)
    created: str | None = part(omit=None)
    importance: int | None = part(omit=None)
    kept_in: str | None = part(omit=None)
    confidence: float | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class RegardItem:
    """What a character thinks of another, and the last changes of it."""

    relationship: Mapping[str, object] | None
    history: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesRecalled:
    """Memories that answer a query, or are of a character."""

    query: str | None = part(omit=None)
    character: str | None = part(omit=None)
    memories: tuple[RecalledItem, ...]
    regard: RegardItem | None = part(omit=None, inline=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenItem:
    """A memory that was formed, reinforced or linked; in a scene it has no id yet."""

    id: str | None = part(omit=None)
    created: str | None = part(omit=None)
    type: str | None = part(omit=None)
    importance: int | None = part(omit=None)
    content: str
    notes: tuple[str, ...] = part(omit=())


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWritten:
    """A memory that was written.

    Attributes:
        reinforced: How often it was reinforced.
        linked: Ids of the two memories that it links; ``already`` = the link was there.
    """

    memory: WrittenItem
    reinforced: int | None = part(omit=None)
    linked: tuple[str, ...] | None = part(omit=None)
    already: bool | None = part(omit=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoulLine:
    """A sentence of a soul, and the list in which it stands."""

    kind: str | None = part(omit=None)
    text: str


@dataclass(frozen=True, slots=True)
class SoulChanged:
    """Sentences that were added to a soul, or removed."""

    agent: str
    added: tuple[SoulLine, ...]
    removed: tuple[SoulLine, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CareRequested:
    """Self-care for the evening, with the number of memories that are old enough."""

    agent: str
    memories: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoriesRequested:
    """A request for another character's memories."""

    request: Requested
    notes: tuple[str, ...] = part(omit=())


@dataclass(frozen=True, slots=True)
class RequestItem:
    """A request that waits, with the tags or words that it is about."""

    asker: str = part("from")
    about: tuple[str, ...] = part()


@dataclass(frozen=True, slots=True)
class RequestsWaiting:
    """Requests that wait for a character's answer."""

    requests: tuple[RequestItem, ...]


@dataclass(frozen=True, slots=True)
class MemoriesShared:
    """Memories that another character was given."""

    given: SharedMemories
    notes: tuple[str, ...] = part(omit=())
