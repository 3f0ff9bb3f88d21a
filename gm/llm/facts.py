"""The content of a question as values, for backends that do not read prose (the rehearsal).

``plain_facts`` omits fields at their default, so that identities do not depend on layers that are switched off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

from gm.model.node import Node
from gm.model.weighing import REPLY

_LEAD = re.compile(r"\A\w+(?: \w+)?: ")
_REMEMBERED = ("id", "type", "depth", "description", "importance", "tags")


@dataclass(frozen=True, slots=True)
class Person:
    """Another character, as all others know it."""

    id: str
    name: str
    call_name: str
    role: str


@dataclass(frozen=True, slots=True)
class Self:
    """The character who is asked.

    Attributes:
        index: Place in the alphabetical cast of ``count``, from 0.
        persona: Front matter as YAML gives it: any key may be missing or hold anything.
        part: Character it plays in a game; may be empty.
    """

    id: str
    name: str
    call_name: str
    index: int
    count: int
    persona: Mapping[str, Any]
    part: str
    mood: str
    position: str
    current_task: str
    today_plan: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work that a character could make."""

    task: str
    title: str
    kind: str = "writing"
    tags: tuple[str, ...] = ()
    style_tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Persona:
    """What the author wrote about a character; all of it may be empty.

    Attributes:
        words: Lists of sentences: lines, questions, answers, thoughts, habits …
        topics: By tag.
        close: Texts about friends, by id.
        far: Texts about quarrels, by id.
    """

    words: Mapping[str, Sequence[object]]
    topics: Mapping[str, str]
    works: tuple[Work, ...]
    close: Mapping[str, str]
    far: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of the library; ``title`` is that of its text."""

    place: str
    title: str


@dataclass(frozen=True, slots=True)
class Setting:
    """The scene.

    Attributes:
        topic_kind: brief, event, artifact; empty = any other.
        intent: Of the character who starts the scene; empty for all others.
        starter: Id.
        leader: Id of the character in the chair; may be empty.
        is_game: Whether the participants play characters of their own.
        note: The user's note with which the scene is played again.
    """

    ref: str
    day: int
    scene: int
    weekday: str
    type: str
    play: str
    time_of_day: str
    place: str
    place_text: str
    topic: str
    topic_kind: str
    intent: str
    premise: str
    starter: str
    leader: str
    is_game: bool
    passages: tuple[Passage, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A line spoken earlier in the scene; ``name`` is the speaker's call name."""

    agent: str
    name: str
    text: str
    to: str | None


@dataclass(frozen=True, slots=True)
class Open:
    """An open thread between the character and others; ``mine`` when the character opened it."""

    id: str
    kind: str
    mine: bool
    by: str
    to: tuple[str, ...]
    text: str
    since: int
    due: int | None


@dataclass(frozen=True, slots=True)
class ComingDay:
    """A day after this one."""

    day: int
    weekday: str


@dataclass(frozen=True, slots=True)
class Made:
    """Recent work of another character; ``maker`` is its id."""

    title: str
    maker: str
    path: str


@dataclass(frozen=True, slots=True)
class Regard:
    """The type of a relationship, and the trust in it, from -1 to 1."""

    type: str
    trust: float


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the page of working memory."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Paper:
    """The page of working memory; ``room`` is its capacity in lines, ``lesson`` the prefix of a lesson."""

    lines: tuple[Line, ...]
    room: int
    lesson: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request for the character's memories: who asks, and about which tags."""

    id: str
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """Requests for memories that wait for an answer, and the characters asked already."""

    wanted: tuple[Wanted, ...]
    asked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aim:
    """An open goal of the character, and the number of steps reported."""

    id: str
    text: str
    steps: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the world asks for besides a reply; fields at their default are not asked for."""

    share: Share | None = None
    goals: tuple[Aim, ...] | None = None
    decisions: bool = False
    kinds: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation of the day; ``others`` are the partners."""

    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A memory tool called in an earlier turn of the scene, and its result."""

    tool: str
    arguments: Mapping[str, Any]
    text: str


@dataclass(frozen=True)
class Cue:
    """The content of a question to one character.

    Attributes:
        kind: scene, reflection, questions, summary or diary.
        others: Those present.
        people: All others in the world.
        turn: The character's, from 1.
        turns: Approximate number of turns of the whole scene.
        last_turn: Whether this is certainly the character's last turn; None = not known.
        closing: Whether it is the closing word of the character in the chair.
        replan: Events since the last plan: kind and text.
        threads: The most urgent first.
        memories: Those that the prompt shows, or that the question is about.
        kept: Descriptions of the memories of the character's earlier replies in the scene.
        insights: Fewest and most insights of a reflection.
        soul: None = switched off.
        page: Working memory; None = switched off.
        regards: Relationships to those present, by id; None = switched off.
        looked_up: For a character that discovers itself.
        met: For a diary.
        questions: The number wanted.
        asked: Ids of the memories of each question.
    """

    kind: str
    seed: int
    language: str
    agent: Self
    others: tuple[Person, ...]
    people: tuple[Person, ...]
    places: tuple[str, ...]
    scene: Setting
    turn: int
    turns: int
    last_turn: bool | None
    closing: bool
    dialogue: tuple[Said, ...]
    wants_plan: bool
    replan: tuple[Mapping[str, str], ...]
    threads: tuple[Open, ...]
    ahead: tuple[ComingDay, ...]
    brief: str
    artifacts: tuple[Made, ...]
    memories: tuple[Node, ...]
    kept: tuple[str, ...]
    insights: tuple[int, int]
    soul: tuple[str, ...] | None = None
    page: Paper | None = None
    regards: Mapping[str, Regard] | None = None
    importance_from: str = REPLY
    exchange: Exchange | None = None
    looked_up: tuple[LookedUp, ...] | None = None
    met: tuple[Talk, ...] | None = None
    questions: int | None = None
    asked: tuple[tuple[str, ...], ...] | None = None

    @property
    def id(self) -> str:
        return self.agent.id

    @property
    def name(self) -> str:
        return self.agent.call_name

    @property
    def task(self) -> str:
        return self.agent.current_task.strip()

    @cached_property
    def plan(self) -> tuple[str, ...]:
        """What is still to be done today, without prefixes (``OFFEN: …``)."""
        return tuple(_LEAD.sub("", item) for item in self.agent.today_plan if item and not item.startswith("DONE"))

    @cached_property
    def persona(self) -> Persona:
        return read_persona(self.agent.persona)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Call names of all others by id."""
        return {person.id: person.call_name for person in (*self.people, *self.others)}

    @property
    def dice(self) -> str:
        """Seed of the dice; another take of a scene adds its note."""
        return f"{self.seed}{self.scene.note.strip()}"

    @property
    def starts(self) -> bool:
        return self.scene.starter == self.id


@dataclass(frozen=True, slots=True)
class RatingFacts:
    """The content of a question for the importance of memories.

    Attributes:
        signals: By language (``importance.signals``).
        together: Whether one answer rates all of them.
    """

    kind: str
    language: str
    signals: Mapping[str, tuple[str, ...]]
    texts: tuple[str, ...]
    together: bool


@dataclass(frozen=True, slots=True)
class OptionFacts:
    """A scene that the Director may choose."""

    type: str
    cast: tuple[str, ...]
    why: str
    premise: str


@dataclass(frozen=True, slots=True)
class DirectorFacts:
    """The content of a question to the Director; ``place`` is the scene to come."""

    kind: str
    seed: int
    language: str
    place: str
    options: tuple[OptionFacts, ...]


Facts = Cue | RatingFacts | DirectorFacts


def plain_facts(value: object) -> dict[str, Any]:
    """Return a value of this module as data for JSON: the ``default`` of ``json``, called again for inner values.

    Raises:
        TypeError: It is of another type.
    """
    if isinstance(value, Node):
        return {key: getattr(value, key) for key in _REMEMBERED}
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")
    named = ((item, getattr(value, item.name)) for item in fields(value))
    return {item.name: found for item, found in named if found != item.default}


def read_persona(front: Mapping[str, Any]) -> Persona:
    """Read the front matter of a persona; parts of an unexpected form are left out."""
    return Persona(
        words={key: value for key, value in front.items() if isinstance(value, list)},
        topics={_text(item, "tag"): words for item in _items(front, "topics") if (words := _text(item, "words"))},
        works=tuple(_work(item, task) for item in _items(front, "works") if (task := _text(item, "task"))),
        close=_texts_by_id(front.get("friends")),
        far=_texts_by_id(front.get("quarrels")),
    )


def _work(item: Mapping[str, Any], task: str) -> Work:
    tags, style_tags, notes = (_texts(item.get(key)) for key in ("tags", "style_tags", "notes"))
    return Work(task, _text(item, "title") or task, _text(item, "kind") or "writing", tags, style_tags, notes)


def _items(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = data.get(key)
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list | tuple) else []


def _text(data: Mapping[str, Any], key: str) -> str:
    found = data.get(key)
    return found.strip() if isinstance(found, str) else ""


def _texts(found: object) -> tuple[str, ...]:
    return tuple(item for item in found if isinstance(item, str) and item) if isinstance(found, list | tuple) else ()


def _texts_by_id(found: object) -> dict[str, str]:
    if not isinstance(found, Mapping):
        return {}
    return {str(key): text.strip() if isinstance(text, str) else "" for key, text in found.items()}
