"""What measures look at: a world as it was read once, with what is costly read when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from gm.api.answers.moods import moods_of_day
from gm.base.casefold import casefold
from gm.base.errors import Problem, UsageError
from gm.files.experiments.interviews import read_interviews
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.media.pieces import PieceFile, list_pieces
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import DayLog, read_log
from gm.files.story.threads import load_thread_events
from gm.files.streams.archive import read_archive
from gm.files.streams.gifted import read_gifted
from gm.model.calendar import moment_of
from gm.model.ids import highest_number
from gm.model.interview import InterviewAnswer
from gm.model.node import Node, is_beside
from gm.model.thread import Thread, fold_events
from gm.model.world import World, known_agents


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """An item of a plan of a closed day.

    Attributes:
        status: done, moved or dropped, as the day's summary says; empty = it does not say.
    """

    agent: str
    day: int
    text: str
    status: str
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Material:
    """A world and its story days ``first`` to ``last``; the cast is that of ``world.agents``.

    Attributes:
        days: The logbooks of the span; a day without one is absent.
        problems: What was unreadable in the world and is left out.
        canaries: Planted words, and which characters alone know each.
    """

    layout: Layout = field(repr=False)
    world: World = field(repr=False)
    first: int
    last: int
    days: tuple[DayLog, ...] = field(repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    canaries: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def covers(self, moment: str) -> bool:
        """Return whether a moment (``day-003/scene-04``, ``day-003``) lies in the span."""
        return self.first <= moment_of(moment).day <= self.last

    @cached_property
    def earlier(self) -> tuple[DayLog, ...]:
        """The logbooks of the days before the span."""
        return _logs(self.layout, 0, self.first - 1)

    @cached_property
    def memories(self) -> Mapping[str, tuple[Node, ...]]:
        """What each character lived through until the end of the span, by number: stream, archive and summaries.

        Copies of others' memories and single utterances are left out.
        """
        return {name: tuple(self._lived_nodes(name)) for name in self.world.agents}

    def _lived_nodes(self, name: str) -> Iterator[Node]:
        agent = self.world.agents[name]
        archived = [node for node in read_archive(self.layout, name) if not is_beside(node.metadata)]
        by_id = {node.id: node for node in chain(archived, agent.summaries, agent.stream)}
        for node in sorted(by_id.values(), key=lambda node: highest_number(name, (node.id,))):
            if node.when.day <= self.last:
                yield node

    @cached_property
    def known(self) -> Mapping[str, Mapping[str, Node]]:
        """All that each character can cite by id: its memories, copies of others', utterances and seed memories."""
        return {name: self._known_nodes(name) for name in self.world.agents}

    def _known_nodes(self, name: str) -> dict[str, Node]:
        archived, gifted = read_archive(self.layout, name), read_gifted(self.layout, name).nodes
        return {node.id: node for node in chain(gifted, archived, self.world.agents[name].beside, self.memories[name])}

    @cached_property
    def threads(self) -> tuple[Thread, ...]:
        """Threads opened until the end of the span, as they stood then, in the order of opening.

        ``Thread.outcome`` says how one ended, ``touched`` when, ``closed_by`` and ``reason`` by whom and how.
        """
        if self.last >= self.world.clock.day:
            return self.world.threads
        events, _ = load_thread_events(self.layout)
        return fold_events((), [event for event in events if moment_of(event.at).day <= self.last])

    @cached_property
    def plan_items(self) -> Mapping[tuple[str, int], tuple[PlanItem, ...]]:
        """Items of plans by character and day, for the closed days of the span."""
        found = {}
        for log in self.days:
            for name, ends in log.closing.plans.items():
                found[name, log.day] = tuple(
                    PlanItem(agent=name, day=log.day, text=end.text, status=end.status, why=end.why) for end in ends
                )
        return MappingProxyType(found)

    @cached_property
    def moods(self) -> Mapping[int, Mapping[str, str]]:
        """The last mood of each character by day, from the traces; days without traces are absent."""
        reader = TraceReader(self.layout.traces)
        days = [day for day in reader.days() if self.first <= day <= self.last]
        return {day: found for day in days if (found := moods_of_day(reader, day))}

    @cached_property
    def interviews(self) -> tuple[InterviewAnswer, ...]:
        """The kept interviews of moments in the span."""
        return tuple(one for one in self._read_answers[0] if self.covers(one.at))

    @property
    def unreadable(self) -> tuple[Problem, ...]:
        """What was unreadable in the world and in kept interviews."""
        return (*self.problems, *self._read_answers[1])

    @cached_property
    def _read_answers(self) -> tuple[tuple[InterviewAnswer, ...], list[Problem]]:
        return read_interviews(self.layout)

    @cached_property
    def pieces(self) -> tuple[PieceFile, ...]:
        """The files of the gallery; those without a day in their name are of any."""
        return tuple(piece for piece in list_pieces(self.layout) if piece.day is None or piece.day <= self.last)


def read_material(
    layout: Layout, first: int | None = None, last: int | None = None, canaries: Iterable[str] = ()
) -> Material:
    """Read a world for measures.

    Args:
        first: First story day; None = the first that was played.
        last: Last story day, included; None = the last that was played.
        canaries: Planted words with the characters that alone know them, each ``WORD=agent,agent``.

    Raises:
        UsageError: No such days, or what is not a canary.
    """
    loaded = load_world(layout)
    played = (loaded.world.clock.day, *layout.logged_days())
    begin = min(played[1:], default=0) if first is None else first
    end = max(played) if last is None else last
    if begin > min(end, max(played)):
        raise UsageError(
            f"no days {begin} to {end}", f"this world has the days {min(played[1:], default=0)} to {max(played)}"
        )
    return Material(
        layout=layout,
        world=loaded.world,
        first=begin,
        last=end,
        days=_logs(layout, begin, end),
        problems=loaded.problems,
        canaries=read_canaries(loaded.world, canaries),
    )


def read_canaries(world: World, said: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return planted words with the characters that know them, each from ``WORD=agent,agent``.

    Raises:
        UsageError: It is no canary, or is given twice.
    """
    found: dict[str, frozenset[str]] = {}
    for word, known in (_parse_canary(world, item) for item in said):
        if word in found:
            raise UsageError(f"the canary {word!r} is given twice", "name all who know it at once: WORD=agent,agent")
        found[word] = known
    return found


def _parse_canary(world: World, said: str) -> tuple[str, frozenset[str]]:
    word, sign, names = said.partition("=")
    known = [name.strip() for name in names.split(",") if name.strip()]
    if not sign or not all(map(str.isalpha, re.split(r"[-\s]+", word.strip()))):
        raise UsageError(
            f"{said!r} is not a canary", "write WORD=agent,agent: a word of letters, and which characters alone know it"
        )
    return casefold(word.strip()), frozenset(known_agents(world.agents, known)) if known else frozenset()


def _logs(layout: Layout, first: int, last: int) -> tuple[DayLog, ...]:
    return tuple(read_log(layout, day) for day in layout.logged_days() if first <= day <= last)
