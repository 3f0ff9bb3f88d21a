"""What a request says, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody else; ``name`` is the call name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Said:
    """One line already spoken in the scene."""

    agent: str
    name: str
    text: str
    to: str | None


class Remembered(NamedTuple):
    """A memory node of the agent. A tuple, because every question brings dozens of them."""

    id: str
    type: str
    depth: int
    description: str
    importance: int
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A recent artifact by somebody else; ``maker`` is an agent id."""

    title: str
    maker: str


@dataclass(frozen=True, slots=True)
class Open:
    """Something that is open between the agent and others; ``mine`` when the agent opened it."""

    id: str
    kind: str
    mine: bool
    by: str
    to: tuple[str, ...]
    text: str
    since: int
    due: int | None


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work the agent could make."""

    task: str
    title: str
    kind: str = "writing"
    tags: tuple[str, ...] = ()
    style_tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Persona:
    """What people wrote about the agent; all of it may be empty.

    Attributes:
        words: Lists of sentences: lines, questions, answers, thoughts, habits …
        topics: Words of the topics by tag.
        close: What is written about friends (by id).
        far: What is written about quarrels (by id).
    """

    words: Mapping[str, Sequence[object]]
    topics: Mapping[str, str]
    works: tuple[Work, ...]
    close: Mapping[str, str]
    far: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Read:
    """A passage that lies before the agent: the title of its text, and where it stands."""

    title: str
    place: str


@dataclass(frozen=True, slots=True)
class Setting:
    """The scene: when, where, of which type, and what about.

    Attributes:
        leader: Id of the one who has the chair; empty without one.
        is_game: Whether those who take part play characters of their own.
        read: What was found in the library.
    """

    day: int
    scene: int
    weekday: str
    type: str
    play: str
    place: str
    topic: str
    premise: str
    starter: str
    leader: str
    is_game: bool
    read: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the page of working memory."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Paper:
    """The page of working memory: its lines, how many it has room for, and how a lesson begins."""

    lines: tuple[Line, ...]
    room: int
    lesson: str


@dataclass(frozen=True, slots=True)
class Cue:
    """Everything one question is about.

    Attributes:
        at: The scene.
        index: Place of the agent in the alphabetical cast of ``count``.
        turn: How many turns the agent has had in this scene, this one included.
        turns: About how many turns the whole scene has.
        last_turn: Whether this is certainly the agent's last turn; None when the request does not say.
        closing: Whether it is the closing word of the one who has the chair.
        part: Whom the agent plays in a game; empty when nobody has written it down.
        plan: What is still to be done today, without the words in front of each item.
        replan: What happened since the last plan, a few words each.
        threads: What is open, the most urgent first.
        ahead: The coming days: number and weekday.
        names: Call names of everybody else by id.
        soul: What the agent is made of; None when souls are switched off.
        page: Its working memory; None when it is switched off.
        regards: What the agent calls those present, and how much it trusts them, by id; None = nobody asks about it.
        met: For a diary: whom the agent talked with today, the last one at the end.
        exchange: What the world asks for beside a reply: ``share``, ``goals``, ``decisions``, ``kinds``; as a rule
            nothing.
    """

    kind: str
    seed: str
    language: str
    id: str
    name: str
    index: int
    count: int
    task: str
    plan: tuple[str, ...]
    persona: Persona
    at: Setting
    others: tuple[Person, ...]
    people: tuple[Person, ...]
    names: Mapping[str, str]
    turn: int
    turns: int
    dialogue: tuple[Said, ...]
    wants_plan: bool
    last_turn: bool | None
    closing: bool
    part: str
    replan: tuple[str, ...]
    threads: tuple[Open, ...]
    ahead: tuple[tuple[int, str], ...]
    brief: str
    artifacts: tuple[Made, ...]
    places: tuple[str, ...]
    memories: tuple[Remembered, ...]
    kept: tuple[str, ...]
    insights: tuple[int, int]
    exchange: Mapping[str, object]
    soul: tuple[str, ...] | None = None
    page: Paper | None = None
    regards: Mapping[str, tuple[str, float]] | None = None
    met: tuple[str, ...] = ()

    @property
    def starts(self) -> bool:
        """Whether the agent is the one who starts the scene."""
        return self.at.starter == self.id
