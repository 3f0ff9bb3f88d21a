"""The contract of every backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm.content import Content, Tool, ToolCall
from gm.llm.facts import Facts


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the system prompt. ``cache`` marks the end of a prefix that stays the same over many calls."""

    text: str
    cache: bool = False


PURPOSES = ("scene", "reflection", "director", "summary", "rating", "diary")
CAN_WAIT = frozenset({"reflection", "summary", "rating", "diary"})
"""Purposes of which nothing in the same scene waits for the answer."""


def _find_nothing(_text: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        label: Short name, unique within its scene: ``vera``, ``vera-turn-2``, ``vera-again``; names the trace.
        purpose: What the answer is for: one of ``PURPOSES``.
        system: Stable blocks, the most stable first.
        messages: Alternating user and assistant turns, ending with one of the user: ``(("user", …), …)``. A turn is a
            text, or its parts where tools were used.
        schema: JSON schema of the reply.
        max_tokens: Most tokens of the answer.
        facts: What the question is about, as values, for backends that do not read prose (rehearsal).
        model: Which model is asked; empty = the backend's own.
        place: In which scene it is asked, as in ``created``: ``day-003/scene-04``.
        who: Who is asked: the id of an agent; empty for a question to no character.
        check: Names what is wrong with the text of an answer, for backends that can say so before they hand it on.
        tools: What may be called before the answer is given.
        must_answer: Whether no tool may be called any more; they are named still, since the messages speak of them.
    """

    label: str
    purpose: str
    system: tuple[Block, ...]
    messages: tuple[tuple[str, Content], ...]
    schema: Mapping[str, Any]
    max_tokens: int
    facts: Facts | None = None
    model: str = ""
    place: str = ""
    who: str = ""
    check: Callable[[str], Sequence[str]] = field(default=_find_nothing, compare=False)
    tools: tuple[Tool, ...] = ()
    must_answer: bool = False

    @property
    def may_call(self) -> bool:
        """Whether the answer may be calls of tools."""
        return bool(self.tools) and not self.must_answer


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them.

    Attributes:
        input_tokens: Paid in full: neither read from the cache nor written to it.
        output_tokens: The answer.
        cache_read_tokens: Read from the cache.
        cache_write_tokens: Written to the cache, for any time.
        cache_write_1h_tokens: How many of ``cache_write_tokens`` were written for an hour, which costs more.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """All tokens of the question, wherever they came from."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


MOST_TOKENS = 1_000_000_000
"""A greater number of tokens is none: no call takes so many, and sums of them have to stay numbers."""


def read_tokens(value: object) -> int | None:
    """Read a number of tokens that a server or a file names; None when it is none, or no possible one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def read_usage(values: object) -> Usage:
    """Read usage from plain data, as traces keep it; what is no number of tokens counts as 0."""
    known = values if isinstance(values, Mapping) else {}
    return Usage(**{name: read_tokens(known.get(name)) or 0 for name in Usage.__slots__})


@dataclass(frozen=True, slots=True)
class Answer:
    """One raw answer.

    Attributes:
        text: Exactly what the model said.
        model: Which model said it, as the provider names it.
        stop: Why it ended: ``end_turn``, ``max_tokens``, ``refusal`` …
        backend: Kind of backend that gave it; filled in when it is recorded, unless the backend says so itself.
        asked: Which model was asked; filled in likewise.
        kept: Whether a trace holds it already, so that it is not kept once more.
        tier: ``batch`` when it came in a batch, which costs less; else empty.
        calls: Tools that the model calls before it gives its answer.
        raw: The bytes that came, where the fields above do not tell all of them; else empty.
    """

    text: str
    model: str
    stop: str = "end_turn"
    usage: Usage = Usage()
    backend: str = ""
    asked: str = ""
    kept: bool = False
    tier: str = ""
    calls: tuple[ToolCall, ...] = ()
    raw: bytes = b""

    @property
    def made_with(self) -> str:
        """Backend and model in one word, for artifacts."""
        return self.backend if self.backend == self.asked else f"{self.backend}:{self.asked}"


class Postbox(Protocol):
    """Where letters lie: a question each, and its answer, when the answer comes from outside of gm."""

    def paths(self, letter: str) -> tuple[str, str]:
        """Return where a question lies and where its answer is expected."""
        ...

    def put(self, letter: str, front: Mapping[str, str], text: str) -> None:
        """Lay a question out, unless the same one lies there already."""
        ...

    def answer(self, letter: str, identity: str) -> str | None:
        """Read the answer to a question that lies there; None when there is none yet."""
        ...

    def explain(self, letter: str, text: str) -> str:
        """Say beside an answer why it cannot be used; tells where it is said."""
        ...


class Recordings(Protocol):
    """The traces of a world."""

    def in_scene(self, place: str) -> Sequence[Mapping[str, Any]]:
        """Read all traces of a scene that hold an answer that was used."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What backends are made from.

    Attributes:
        settings: How models are asked.
        models: Models by purpose (``models:`` in ``gm.yaml``).
        environment: The process's environment: keys and addresses.
        notice: Told when a server asks to wait, from the thread that waits.
        postbox: For the mailbox.
        recordings: For the replay.
    """

    settings: LlmSettings = field(default_factory=LlmSettings)
    models: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    notice: Callable[[str], None] | None = None
    postbox: Postbox | None = None
    recordings: Recordings | None = None


class Backend(Protocol):
    """Something that answers questions. ``ask`` is called from several threads at once.

    Attributes:
        name: Which kind of backend: ``anthropic``, ``rehearsal`` …
        model: Which model it asks.
        reads_facts: Whether the answer depends on ``Request.facts``.
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def reads_facts(self) -> bool: ...

    def ask(self, request: Request) -> Answer:
        """Ask the model.

        Raises:
            BackendError: It could not be asked or did not answer; the message says what to do.
        """
        ...


class UnreadableError(BackendError):
    """An answer came, and is none.

    Args:
        message: What came instead.
        raw: Its bytes; the caller keeps them.
        hint: What to do now.
    """

    def __init__(self, message: str, raw: bytes, hint: str = "") -> None:
        super().__init__(message, hint)
        self.raw = raw


class NoBatchesError(BackendError):
    """The server has no batches."""


class Batches(Protocol):
    """Questions that can wait, sent many at a time and answered within a day, for less.

    A batch is known by its id. Its questions and answers are known by their identities.
    """

    def newest(self) -> str:
        """Name the newest batch there is; "" = there is none.

        Raises:
            NoBatchesError: The server has no batches.
        """
        ...

    def submit(self, requests: Mapping[str, Request]) -> str:
        """Send questions and return the id of their batch. Tried once: a second try might be paid for twice.

        Raises:
            BackendError: It is refused, or not known to be accepted.
        """
        ...

    def since(self, batch: str, size: int) -> Sequence[str]:
        """Name the batches that are newer than one and hold so many questions, the newest first."""
        ...

    def collect(self, batch: str) -> Mapping[str, Answer | BackendError] | None:
        """Take the answers of a batch; None while it is under way. What got no answer has the reason instead.

        Raises:
            BackendError: The answers cannot be read now, or not any more.
        """
        ...


@runtime_checkable
class BatchBackend(Protocol):
    """A backend that also takes batches."""

    def batches(self) -> Batches: ...


@runtime_checkable
class CachingBackend(Protocol):
    """A backend with a provider that may keep what questions have in common.

    Attributes:
        caches: Whether it is asked to.
    """

    @property
    def caches(self) -> bool: ...


@runtime_checkable
class TellingBackend(Protocol):
    """A backend that may end questions with the schema of the reply in words, which takes room in a prompt.

    Attributes:
        tells_schema: Whether they do.
    """

    @property
    def tells_schema(self) -> bool: ...


class BatchNotes(Protocol):
    """Where it is noted which batches are under way. A note is plain data, and known by its name."""

    def of_day(self, day: str) -> Mapping[str, Mapping[str, Any]]:
        """Read all notes of a day (``day-003``)."""
        ...

    def add(self, day: str, note: Mapping[str, Any]) -> str:
        """Write a new note and return its name when it is on the disk."""
        ...

    def change(self, name: str, note: Mapping[str, Any]) -> None:
        """Write a note anew; returns when it is on the disk."""
        ...
