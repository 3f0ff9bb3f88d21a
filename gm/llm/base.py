"""The contract of every backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from gm.base.config import PURPOSES as PURPOSES
from gm.base.config import LlmSettings, ReplySettings
from gm.base.config.kinds import is_number
from gm.base.errors import BackendError
from gm.llm.content import Content, Tool, ToolCall, length_of_tools, text_of
from gm.llm.streams import Writing

REHEARSAL = "rehearsal"
REPLAY = "replay"
FORECAST = "forecast"
MAILBOX = "mailbox"
"""The model of questions that a person answers, with any backend for the others."""
CAN_WAIT = frozenset(name for name, purpose in PURPOSES.items() if purpose.can_wait)
"""Purposes with answers that nothing in the same scene waits for."""
LAST_WORD = "-last"
"""What the label of the question for a character's last word in a scene ends with."""
BATCH_TIER = "batch"
MOST_TOKENS = 1_000_000_000
"""A greater number of tokens is treated as unreadable."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the system prompt; ``cache`` ends a stable prefix."""

    text: str
    cache: bool = False


class Facts(Protocol):
    """What a question is about, as one value for a backend that reads no prose; to all others it means nothing."""

    def as_data(self) -> Mapping[str, Any]:
        """Return JSON data."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        label: Unique within its scene (``vera-turn-2``, ``vera-last``, ``vera-again``); names the trace.
        system: Most stable first.
        messages: Alternating turns, the last one the user's: ``(("user", …), …)``.
        facts: The question as values, for the rehearsal (``gm.llm.rehearsal.facts``).
        place: Scene reference: ``day-003/scene-04``.
        who: Id of the agent; empty for none.
        check: Returns problems of an answer's text, for backends that check before they return it.
        must_answer: Whether tools, though still listed, may no longer be called.
        exact: Schema with all that ``check`` requires, where another schema costs no cached prefix; None = ``schema``.
        reply: The reply form's name (``SceneReply``); empty where no character is asked.
        others: Ids of those present, for a person who answers in a form.
    """

    label: str
    purpose: str
    system: tuple[Block, ...]
    messages: tuple[tuple[str, Content], ...]
    schema: Mapping[str, Any]
    max_tokens: int
    facts: Facts | None = field(default=None, repr=False)  # it may hold a whole world
    model: str = ""
    place: str = ""
    who: str = ""
    check: Callable[[str], Sequence[str]] = field(default=lambda _text: (), compare=False)
    tools: tuple[Tool, ...] = ()
    must_answer: bool = False
    exact: Mapping[str, Any] | None = field(default=None, repr=False)
    reply: str = ""
    others: tuple[str, ...] = ()

    @property
    def may_call(self) -> bool:
        return bool(self.tools) and not self.must_answer


def length_of(request: Request) -> int:
    """Return the characters of a whole question."""
    said = sum(len(text_of(content)) for _, content in request.messages)
    return sum(len(block.text) for block in request.system) + said + length_of_tools(request.tools)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them; ``input_tokens`` excludes those read from or written to the cache.

    ``cache_write_1h_tokens``: the part of ``cache_write_tokens`` written for an hour, which costs more.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


def read_tokens(value: object) -> int | None:
    """Return a token count; None unless an integer from 0 to ``MOST_TOKENS``."""
    if type(value) is not int:
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def read_usd(value: object) -> float | None:
    """Return US dollars; None unless finite and at least 0."""
    if not is_number(value):
        return None
    return float(value) if 0 <= value < MOST_TOKENS else None


def read_usage(values: object) -> Usage:
    """Read usage from a trace; unreadable counts become 0."""
    known = values if isinstance(values, Mapping) else {}
    return Usage(**{name: read_tokens(known.get(name)) or 0 for name in Usage.__slots__})


@dataclass(frozen=True, slots=True)
class Answer:
    """One raw answer.

    Attributes:
        stop: ``end_turn``, ``max_tokens``, ``refusal`` …
        backend: Set when the answer is recorded, unless set already.
        asked: Name of the model that was asked; ``model`` is the one that answered.
        kept: Whether a trace holds it already.
        tier: ``BATCH_TIER`` for the lower price of a batch.
        usd: Its cost in US dollars as the provider says; None = it does not.
        server: What kind of address was asked, where ``backend`` does not say it: ``here, the port of ollama``.
        raw: The bytes received, where the other fields do not hold all of them.
    """

    text: str
    model: str
    stop: str = "end_turn"
    usage: Usage = Usage()
    backend: str = ""
    asked: str = ""
    kept: bool = False
    tier: str = ""
    usd: float | None = None
    calls: tuple[ToolCall, ...] = ()
    server: str = ""
    raw: bytes = b""

    @property
    def made_with(self) -> str:
        return made_with(self.backend, self.asked)


def made_with(backend: str, model: str) -> str:
    """Return the name of what answers."""
    return backend if backend == model else f"{backend}:{model}"


class Postbox(Protocol):
    """Stores questions, and answers from outside of gm."""

    def paths(self, letter: str) -> tuple[str, str]:
        """Return the paths of a question and its answer."""
        ...

    def write_question(self, letter: str, front: Mapping[str, str], text: str) -> None:
        """Write a question, unless the same one is there."""
        ...

    def answer(self, letter: str, identity: str) -> str | None:
        """Read an answer; None = none yet."""
        ...

    def explain(self, letter: str, text: str) -> str:
        """Write beside an answer why it cannot be used; return the path."""
        ...


class Recordings(Protocol):
    """The traces of a world."""

    def in_scene(self, place: str) -> Sequence[Mapping[str, Any]]:
        """Read a scene's traces with an answer that was used."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What backends are made from.

    Attributes:
        reply: Most that is taken of a reply.
        models: Names of models by purpose, such as ``reflection``.
        notice: Called when a server asks to wait, in the thread that waits.
        writing: Called while answers arrive.
        postbox: Holds the letters of the mailbox.
        recordings: Holds the answers of ``replay``.
    """

    settings: LlmSettings = field(default_factory=LlmSettings)
    reply: ReplySettings = field(default_factory=ReplySettings)
    models: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    notice: Callable[[str], None] | None = None
    writing: Writing | None = None
    postbox: Postbox | None = None
    recordings: Recordings | None = None


class Backend(Protocol):
    """Answers questions. ``ask`` is called from several threads.

    Attributes:
        reads_facts: Whether answers depend on ``Request.facts``.
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
            BackendError: There is no answer; says what to do.
        """
        ...


class UnreadableAnswerError(BackendError):
    """What came is not an answer. ``raw`` are its bytes, to be kept."""

    def __init__(self, message: str, raw: bytes, hint: str = "") -> None:
        super().__init__(message, hint)
        self.raw = raw


class UnreachedError(BackendError):
    """There was no connection to the server."""


class NotRecordedError(BackendError):
    """A replay has no answer to a question."""


class NoBatchesError(BackendError):
    """The server has no batches."""


class Batches(Protocol):
    """Questions that can wait, answered within a day, at a lower price."""

    def newest(self) -> str:
        """Return the newest batch's id; "" = there is none.

        Raises:
            NoBatchesError: The server has no batches.
            BackendError: It could not be asked.
        """
        ...

    def submit(self, requests: Mapping[str, Request]) -> str:
        """Send questions and return the id of their batch. Tried once: a second try might be paid for twice.

        Raises:
            BackendError: It is refused, or not known to be accepted.
        """
        ...

    def since(self, batch: str, size: int) -> Sequence[str]:
        """Return the ids of batches newer than ``batch`` with ``size`` questions, newest first.

        Raises:
            BackendError: The server could not be asked.
        """
        ...

    def collect(self, batch: str) -> Mapping[str, Answer | BackendError] | None:
        """Return a batch's answers by identity, or why one is missing; None while it is under way.

        Raises:
            BackendError: The answers cannot be read now, or no longer exist.
        """
        ...


@runtime_checkable
class BatchBackend(Protocol):
    """Also takes batches."""

    def batches(self) -> Batches: ...


@runtime_checkable
class CachingBackend(Protocol):
    """May have common prefixes cached (``caches``)."""

    @property
    def caches(self) -> bool: ...


@runtime_checkable
class TellingBackend(Protocol):
    """May append the schema of the reply as text (``tells_schema``)."""

    @property
    def tells_schema(self) -> bool: ...


@runtime_checkable
class WindowedBackend(Protocol):
    """May know its models' windows."""

    def window(self, model: str) -> int | None:
        """Return a model's window in tokens; None = unknown. The server is asked once."""
        ...


@runtime_checkable
class QueuedBackend(Protocol):
    """May limit the number of questions at the same time (``at_once``; None = no limit)."""

    at_once: int | None


@runtime_checkable
class WidenedBackend(Protocol):
    """May know the command that starts its server with a window of ``{tokens}``."""

    widen: str


@runtime_checkable
class ListingBackend(Protocol):
    """May know which models it has."""

    def check_names(self, models: Iterable[str]) -> None:
        """Ask the server once which models it has.

        Raises:
            UnreachedError: A server of one's own cannot be reached.
            BackendError: It says that it has not one of these.
        """
        ...


def check_models(backend: Backend, models: Iterable[str]) -> None:
    """Check that a backend has some models, where it can tell.

    Raises:
        BackendError: It has not, or its server cannot be reached.
    """
    if isinstance(backend, ListingBackend):
        backend.check_names(name for name in models if name != MAILBOX)


def window_of(backend: Backend, model: str) -> int | None:
    """Return a model's window in tokens; None = unknown."""
    return backend.window(model) if isinstance(backend, WindowedBackend) and model != MAILBOX else None


def widen_of(backend: Backend) -> str:
    """Return the command that starts a backend's server with a window of ``{tokens}``; empty = unknown."""
    return backend.widen if isinstance(backend, WidenedBackend) else ""


class BatchNotes(Protocol):
    """Notes on batches under way, plain data by name."""

    def of_day(self, day: str) -> Mapping[str, Mapping[str, Any]]: ...

    def add(self, day: str, note: Mapping[str, Any]) -> str:
        """Write a new note; return its name once on disk."""
        ...

    def change(self, name: str, note: Mapping[str, Any]) -> None:
        """Replace a note; returns once on disk."""
        ...
