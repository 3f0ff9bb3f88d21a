"""The sources of a book, read once."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from gm.api.answers.speech import Words
from gm.api.reports.diary import parse_days_or_date
from gm.api.views.day import Day
from gm.api.views.scenes import SceneView
from gm.base.config.pages import LEAST_IMPORTANCE
from gm.base.errors import UsageError
from gm.base.languages import language_of
from gm.base.markup.clean import neutral_line
from gm.files.layout import Layout
from gm.files.media.pieces import LoadedPiece, load_piece
from gm.files.streams.find import Finder
from gm.layers import LAYERS
from gm.layers.privacy import REFLECTIONS, book_words, private_words
from gm.memory.share import MEMORIES, open_nodes
from gm.model.calendar import weekday
from gm.model.ids import place_name
from gm.model.node import Node
from gm.model.world import Agent, World, find_agent

_DAYS = re.compile(r"(day-)?[0-9]")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of ``gm export``.

    Attributes:
        what: Days (``day-003``, ``3``, ``3-5``, ``day-003..day-010``) and characters; empty = the whole world.
        hidden: Words of ``book_words`` that are left out; other words are ignored. A book that is built adds
            the folded ids of private memories.
        least_importance: Of memories in the book of a mind, 1 to 10.
        despite_headings: Whether text below a heading that only looks private is meant to be read.
    """

    what: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    title: str = ""
    author: str = ""
    least_importance: int = LEAST_IMPORTANCE
    despite_headings: bool = False

    def shows(self, part: str) -> bool:
        return part not in self.hidden


def parse_hidden(texts: Sequence[str], private: Collection[str] = ()) -> frozenset[str]:
    """Return the hidden parts.

    Args:
        private: ``publish.private``; words that are not parts of a book (``cost``, ``prompts``) are ignored.

    Raises:
        UsageError: A word of ``texts`` is not a part of a book.
    """
    named = {part.strip() for text in texts for part in text.split(",") if part.strip()}
    unknown = sorted(named - set(book_words()))
    if unknown:
        raise UsageError(f"{unknown[0]!r} is not a part of a book", "the parts: " + ", ".join(book_words()))
    of_memories = {REFLECTIONS} if MEMORIES in private else set()
    hidden = {word for word in private if word in book_words() or word not in private_words()}  # also minds
    return frozenset(named | hidden | of_memories)


def choose_subjects(
    world: World, played: Sequence[int], what: Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the days, in order, and the character ids, as named, that a book is about.

    Raises:
        UsageError: No such day or character.
    """
    if not what:
        return tuple(played), ()
    days: set[int] = set()
    minds: list[str] = []
    for text in what:
        agent = find_agent(world.agents, text)
        if agent is not None:
            minds.append(agent)
        elif _DAYS.match(text.strip()):
            days |= _select_days(world, played, text)
        else:
            hint = f"days are written 3, day-003, 3-5 or day-003..day-005; the cast: {', '.join(world.agents)}"
            raise UsageError(f"{text!r} is neither a day nor a character", hint)
    return tuple(sorted(days)), tuple(dict.fromkeys(minds))


def _select_days(world: World, played: Sequence[int], text: str) -> set[int]:
    wanted = parse_days_or_date(text)
    if isinstance(wanted, str):
        number = _parse_date(world, wanted)
        wanted = (number, number)
    days = {day for day in played if wanted[0] <= day <= wanted[1]}
    if not days:
        hint = f"the days: {played[0]} to {played[-1]}" if played else "no day was played yet: gm advance-day"
        raise UsageError(f"day {text} was not played", hint)
    return days


def _parse_date(world: World, text: str) -> int:
    start = world.settings.calendar.start
    if start is None:
        raise UsageError(f"{text} is a date, and this world has none", "set calendar.start in gm.yaml, or name the day")
    try:
        return (date.fromisoformat(text) - date.fromisoformat(start)).days + 1
    except ValueError as error:
        raise UsageError(f"{text!r} is not a date", "write 2026-03-04") from error


def without_private(world: World, hidden: Collection[str]) -> World:
    """Return a world without private memories and without private values of layers."""
    return replace(world, agents={name: _open_agent(agent, hidden) for name, agent in world.agents.items()})


def _open_agent(agent: Agent, hidden: Collection[str]) -> Agent:
    mind = agent.mind
    for layer in LAYERS:
        if layer.open is not None and layer in mind:
            mind = mind.with_value(layer, layer.open(mind[layer]))
    return replace(
        agent,
        stream=open_nodes(agent.stream, hidden),
        beside=open_nodes(agent.beside, hidden),
        summaries=open_nodes(agent.summaries, hidden),
        mind=mind,
    )


@dataclass(slots=True)
class Sources:
    """The sources of a book's chapters."""

    layout: Layout
    world: World
    options: ExportOptions
    words: Words
    days: tuple[int, ...] = ()
    views: Mapping[int, Day] = field(default_factory=dict)
    secrets: tuple[Node, ...] = ()
    plates: Mapping[str, int] = field(default_factory=dict)

    @property
    def scenes(self) -> tuple[SceneView, ...]:
        return tuple(scene for day in self.views.values() for scene in day.scenes)

    def say(self, key: str, **values: object) -> str:
        return self.words(key, **values)

    def called(self, agent: str) -> str:
        known = self.world.agents.get(agent)
        return neutral_line(known.call_name if known else agent.replace("-", " ").replace("_", " ").title())

    def named(self, agent: str) -> str:
        known = self.world.agents.get(agent)
        return neutral_line(known.name) if known else self.called(agent)

    def weekday(self, day: int) -> str:
        return neutral_line(weekday(day, self.world.settings.calendar.weekdays))

    def date(self, day: int) -> str:
        """Return the real date of a story day, ``4.3.2026`` or ``2026-03-04``; empty without a calendar."""
        start = self.world.settings.calendar.start
        if not start:
            return ""
        try:
            found = date.fromisoformat(start) + timedelta(days=day - 1)
        except (ValueError, OverflowError):
            return ""
        return language_of(self.world.settings.language).date.format(found)

    def place(self, identifier: str) -> str:
        return neutral_line(place_name(identifier, self.world.settings.place_names))

    def time(self, name: str) -> str:
        """Return the name of a time of day; the world's own words stay as they are."""
        return self.words.known("time_of_day", name, neutral_line(name.replace("-", " ")))

    def piece(self, path: str) -> LoadedPiece | None:
        return load_piece(self.layout, path)


def find_nodes(layout: Layout, world: World, ids: tuple[str, ...]) -> dict[str, Node]:
    """Return memories by id, from streams and archives."""
    known = {node.id: node for agent in world.agents.values() for node in (*agent.everything, *agent.summaries)}
    missing = [identifier for identifier in ids if identifier not in known]
    if missing:
        finder = Finder(layout)
        for identifier in missing:
            found = finder.find(identifier)
            if found:
                known[identifier] = found[0].node
    return {identifier: known[identifier] for identifier in ids if identifier in known}
