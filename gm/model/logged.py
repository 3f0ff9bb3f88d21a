"""The lines of a logbook: which keys gm writes, and what it reads of any line, also of one that was written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, Generic, TypeVar

from gm.base.config import kinds
from gm.base.texts import is_digits
from gm.base.untyped import items_of, objects_in, texts_in
from gm.model import logged_parts as parts
from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.logged_parts import LoggedMemory, as_mapping, as_text, as_whole
from gm.model.record import SKIP, Key, Record
from gm.model.scene import SUMMARY
from gm.model.turns import TURN, PlayedTurn, turns_of

T = TypeVar("T")
_Schema = Mapping[str, object]
_ALWAYS, _IN_SCENES = (True, True), (True, False)


class Privacy(Enum):
    """What is shown of a key's value while the minds of some characters are kept back."""

    OPEN = "all: it was seen or heard, or tells nothing of a mind"
    REASON = "why the Game Master chose a scene: nothing at the end of a day, or if one of them takes part"
    BY_ID = "all but what stands below their ids"
    OWNED = "all but the items that are theirs"
    TURNS = "all but the inner parts of their turns (turns.INNER)"
    TELLING = "texts that quote none of their memories, and are not of a reflection of theirs alone"


OPEN, REASON, BY_ID, OWNED, TURNS, TELLING = Privacy


class Keyed(Generic[T]):
    """A key of logbook lines: its declaration, and the attribute of ``LogEntry`` that reads it when it is first wanted.

    Args:
        privacy: What others may read of it.
        form: A function that returns what is kept of any value, None = it is absent; and the schema.
        sentence: For lines of scenes; empty = they do not have the key.
        end: For the line that ends a day.
        key: If named differently from the attribute.
        needed: Whether gm writes it to every line of a scene, and to every one that ends a day.
    """

    def __init__(
        self,
        privacy: Privacy,
        form: tuple[Callable[[object], T], _Schema],
        sentence: str = "",
        *,
        end: str = "",
        key: str = "",
        needed: tuple[bool, bool] = (False, False),
    ) -> None:
        self.privacy = Privacy(privacy)  # a key that does not say it fails here
        self.func, schema = form
        self._kind = kinds.Kind("", lambda _: True, schema, self.func)
        self._sentences = sentence, end
        said = sentence or end
        self.__doc__ = f"{said[:1].upper()}{said[1:]}." if said else ""
        self.key = key
        self._needed = needed

    def __set_name__(self, owner: object, name: str) -> None:
        self._name = name
        self.key = self.key or name.lstrip("_")

    def __get__(self, entry: LogEntry, owner: object = None) -> T:
        value = entry.__dict__[self._name] = self.func(entry.record.get(self.key))
        return value

    def declare(self, at_end: bool) -> Iterator[Key]:
        """Yield the key as lines of scenes have it, or those that end a day."""
        if sentence := self._sentences[at_end]:
            yield Key(self.key, self._kind, sentence, default=SKIP, brief=not self._needed[at_end])


def _list(record: Record[Any]) -> _Schema:
    return {"type": "array", "items": record.schema(written=True)}


def _each(record: Record[T]) -> tuple[Callable[[object], tuple[T, ...]], _Schema]:
    return lambda value: tuple(map(record.read, objects_in(value))), _list(record)


def _by_name(
    read: Callable[[object], T | None], schema: _Schema
) -> tuple[Callable[[object], Mapping[str, T]], _Schema]:
    def read_all(value: object) -> Mapping[str, T]:
        pairs = ((str(name), read(item)) for name, item in as_mapping(value).items())
        return {name: kept for name, kept in pairs if kept is not None}

    return read_all, {"type": "object", "additionalProperties": schema}


def _read_memories(value: object) -> tuple[LoggedMemory, ...]:
    # all items count
    items = items_of(value)
    return tuple(
        parts.MEMORY.read(item) if isinstance(item, dict) else LoggedMemory(id=as_text(item)) for item in items
    )


def _read_posts(value: object) -> tuple[tuple[str, str], ...]:
    return tuple(map(parts.POST.read, objects_in(value)))


def _read_paths(value: object) -> tuple[str, ...]:
    paths = (item.get("path") if isinstance(item, dict) else item for item in items_of(value))
    return tuple(path for path in paths if isinstance(path, str))


_TEXT = as_text, kinds.text.schema
_TEXTS = texts_in, kinds.texts.schema
_WHOLE = as_whole, {"type": "integer"}
_ENDS = _by_name(parts.read_ends, _list(parts.END))
_TEXTS_BY_ID = _by_name(*_TEXTS)
_SENTENCES = _by_name(lambda one: as_text(one) or None, kinds.text.schema)
_POINTS = _by_name(lambda one: float(one) if kinds.is_number(one) else None, {"type": "number"})
_MAPPING = as_mapping, {"type": "object"}
_MEMORIES = _read_memories, _list(parts.MEMORY)
_PATHS = _read_paths, _TEXTS[1]
_POSTS = _read_posts, _list(parts.POST)
_TURNS = items_of, _list(TURN)


@dataclass(frozen=True)
class LogEntry:
    """One line of a logbook: a scene, or the end of a day.

    Its parts are read tolerantly, as logbooks that were made by hand may have other keys and values, and they are kept:
    ``record``, the line as it is, must not be changed.
    """

    day: int
    record: Mapping[str, Any]

    # in file order, for each kind of line
    number = Keyed(OPEN, _WHOLE, "its number in the day", key="scene", needed=_ALWAYS)
    type = Keyed(OPEN, _TEXT, "name of the scene type", end="always SUMMARY", needed=_ALWAYS)
    _time_of_day = Keyed(OPEN, _TEXT, "morning, noon, afternoon or evening", needed=_ALWAYS)
    place = Keyed(OPEN, _TEXT, "id of the place", key="location", needed=_ALWAYS)
    participants = Keyed(OPEN, _TEXTS, "ids of those who take part", needed=_ALWAYS)
    why = Keyed(REASON, _TEXT, "the reason of the Director, in the world's language", needed=_ALWAYS)
    premise = Keyed(OPEN, _TEXT, "what everybody in it knows at the beginning", needed=_ALWAYS)
    summary = Keyed(TELLING, _TEXT, "what happened, in a sentence or some", end="the day in a sentence", needed=_ALWAYS)
    highlights = Keyed(TELLING, _TEXTS, end="what was remembered with most weight", needed=_ALWAYS)
    open_threads = Keyed(TELLING, _TEXTS, end="what is open, in sentences", needed=_ALWAYS)
    finished = Keyed(OPEN, _TEXTS, end="paths of what was finished", needed=_ALWAYS)
    reflected = Keyed(OPEN, _TEXTS, end="ids of those who looked back", needed=_ALWAYS)
    carried = Keyed(OPEN, _each(parts.CARRIED), end="why threads stay open", needed=_ALWAYS)
    tomorrow = Keyed(OPEN, _MAPPING, end="the next morning: day, events, due threads, reflections", needed=_ALWAYS)
    missed = Keyed(OPEN, _TEXTS, end="ids of appointments that came to nothing")
    plans = Keyed(BY_ID, _ENDS, end="what came of each plan, by id")
    _dialogue = Keyed(OPEN, _each(parts.TEXT), "what was said in turns", needed=_ALWAYS)
    thoughts = Keyed(OWNED, _each(parts.TEXT), "what was thought in turns", needed=_ALWAYS)
    artifacts = Keyed(
        OPEN, _PATHS, "paths of what was finished", end="of these, what was finished alone", needed=_IN_SCENES
    )
    memories = Keyed(
        OWNED,
        _MEMORIES,
        "what was remembered",
        end="what was left undone or finished alone, as memories",
        needed=_IN_SCENES,
    )
    feedback = Keyed(OPEN, _TEXT, "feedback of the Creative Director", key="cd_feedback", needed=_ALWAYS)
    actions = Keyed(OPEN, _each(parts.TEXT), "what was done in turns", needed=_ALWAYS)
    _turns = Keyed(
        TURNS,
        _TURNS,
        "what each one did, said, thought and finished, in order",
        end="those of the evening",
        needed=_IN_SCENES,
    )
    answers = Keyed(OPEN, _TEXTS, "keys of what the scene takes up", needed=_ALWAYS)
    director = Keyed(
        REASON, _TEXT, "who chose it: rules, llm, script, a person or a plug-in; older lines lack it", needed=_ALWAYS
    )
    tags = Keyed(OPEN, _TEXTS, "of the planned scene, where it has some")
    clock = Keyed(OPEN, _TEXT, "the time, where an appointment has one")
    moved_to = Keyed(OPEN, _TEXTS, "where characters went")
    joined = Keyed(OPEN, _TEXTS, "participants who joined because they were spoken to")
    director_note = Keyed(REASON, _TEXT, "what the model that chose it said about its choice")
    premises = Keyed(BY_ID, _SENTENCES, "what only one of them knows, by id")
    note = Keyed(REASON, _TEXT, "what a person asked for when it was played again")
    score = Keyed(REASON, _POINTS, "points by reason, as gm plan shows them")
    angle = Keyed(REASON, _TEXT, "what a reflection is asked about")
    threads = Keyed(OPEN, _each(parts.THREAD), "events of threads")
    plan_status = Keyed(BY_ID, _ENDS, "what came of items of plans, by id")
    souls = Keyed(
        OWNED, _each(parts.SOUL), "changes of souls; other layers of a mind are told alike, under their own keys"
    )
    memories_shared = Keyed(OPEN, _each(parts.GIVEN), "memories that were given")
    memories_asked = Keyed(OPEN, _each(parts.ASKED), "requests for memories")
    delivered = Keyed(OPEN, _POSTS, "posts of the board that were read")
    decisions = Keyed(OPEN, _TEXTS, "what the team decided")
    _read = Keyed(
        OPEN, _TEXTS_BY_ID, "by id, pieces on the board that one read who had only been there at their making"
    )
    formed = Keyed(OPEN, _by_name(*_WHOLE), "how many memories each one formed by itself")
    over_allowance = Keyed(OWNED, _each(parts.NOT_KEPT), "what was not kept because it was more than a scene allows")
    outweighed = Keyed(OPEN, _TEXTS_BY_ID, "ids of what went to the archive for it")
    duplicates = Keyed(
        OWNED, _each(parts.DUPLICATE), "what was not kept twice; as: the id of the memory that says the same"
    )
    formed_ids = Keyed(OPEN, _TEXTS_BY_ID, "their ids")
    retold = Keyed(TELLING, _TEXT, end="the day as the narrator retells it, with narrator: on")
    chapter = Keyed(TELLING, _TEXT, end="the day as a chapter, empty lines between paragraphs, with chapters: on")
    # only in lines that were made by hand
    _title = Keyed(TELLING, _TEXT)
    topic = Keyed(OPEN, _TEXT)
    weekday = Keyed(OPEN, _TEXT, key="day_of_week")
    _time = Keyed(OPEN, _TEXT)

    @property
    def is_summary(self) -> bool:
        """Whether the line ends its day."""
        return self.type == SUMMARY

    @property
    def label(self) -> str:
        """The number of the scene as it is shown: ``3``, ``3b``, or empty."""
        value = self.record.get("scene")
        if isinstance(value, bool) or not isinstance(value, int | str):
            return ""
        return str(value).rpartition("scene-")[2].lstrip("0")

    @property
    def ref(self) -> SceneRef | None:
        """The scene, if it has a valid number."""
        return parse_ref(f"{render_day(self.day)}/{scene_name(self.label)}")

    @property
    def time_of_day(self) -> str:
        """Name of the time of day, as in ``gm.yaml``; may be empty."""
        return self._time_of_day if "time_of_day" in self.record else self._time

    @cached_property
    def turns(self) -> tuple[PlayedTurn, ...]:
        """The turns in the order in which they were taken."""
        return turns_of(self.record)

    @property
    def dialogue(self) -> tuple[tuple[str, str], ...]:
        """Spoken lines: speaker and text."""
        return tuple(self.spoken())

    def spoken(self) -> Iterator[tuple[str, str]]:
        """Yield the spoken lines, for a reader who may need only the first."""
        if "dialogue" not in self.record:
            yield from ((turn.agent, line.text) for turn in self.turns for line in turn.lines)
            return
        yield from self._dialogue

    @cached_property
    def texts_by_agent(self) -> Mapping[str, tuple[str, ...]]:
        """What each one said, then did, then thought, by id."""
        found: dict[str, list[str]] = {}
        for agent, text in (*self._dialogue, *self.actions, *self.thoughts):
            found.setdefault(agent, []).append(text)
        return {name: tuple(texts) for name, texts in found.items()}

    @cached_property
    def invited(self) -> tuple[str, ...]:
        """The participants without those who joined because they were spoken to."""
        return tuple(name for name in self.participants if name not in self.joined)

    def with_values(self, values: Mapping[str, object]) -> LogEntry:
        """Return the line that ends a day with other values, or more of them."""
        return replace(self, record={**self.record, **LOG_END.compose(values)})

    def read_by(self, agent: str) -> tuple[str, ...]:
        """Return the paths of pieces on the board that a character read although it had seen them finished."""
        return self._read.get(agent, ())


def scene_name(label: str) -> str:
    """Return the scene part of a reference: ``scene-03``, ``scene-01b``."""
    digits = label.rstrip("abcdefghijklmnopqrstuvwxyz")
    return f"scene-{digits.zfill(2)}{label[len(digits) :]}" if is_digits(digits) else "scene"


def _declare(at_end: bool) -> Iterator[Key]:
    return (key for part in _PARTS for key in part.declare(at_end))


_PARTS = tuple(part for part in vars(LogEntry).values() if isinstance(part, Keyed))
PRIVACY = {part.key: part.privacy for part in _PARTS}
"""What others may read of each key; layers of a mind have keys of their own (``LayerReply.record``)."""

LOG_LINE = Record(LogEntry, "scene", *_declare(at_end=False))
"""A scene in a logbook, as gm writes it; ``LogEntry`` reads any."""
LOG_END = Record(LogEntry, "end of a day", *_declare(at_end=True))
"""The last line of a day, as gm writes it."""
LOGGED = Record(
    LogEntry, "line of a logbook", *(key for part in _PARTS for key in (*part.declare(False), *part.declare(True))[:1])
)
"""Either of them."""
