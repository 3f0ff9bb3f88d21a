"""A world opened for reading, as in a notebook."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from gm.api.reports.relationships import Regard, describe_relationships
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout, find_world
from gm.files.load import load_world
from gm.files.story.logbook import DayLog, read_log
from gm.files.story.now import report_lost_logbooks
from gm.files.streams.archive import read_archive
from gm.model.logged import LogEntry
from gm.model.node import Node
from gm.model.thread import Thread
from gm.model.world import Agent, World, known_agent


@dataclass(frozen=True, slots=True)
class OpenWorld:
    """A world as it was when opened; other functions take ``layout`` or ``world``.

    What is played or edited later is seen by opening it again.

    Attributes:
        layout: Where its files lie; ``layout.root`` is the folder.
        world: Settings, clock, board, cast, threads, and the logbook of the last ten days.
        logs: The logbook of every day, oldest first.
        archived: Archived memories of each agent, oldest first.
        problems: What was unreadable and left out, and days without a logbook.

    Examples:
        >>> list(opened.agents)
        ['alex', 'casey', 'jordan']
        >>> opened.world.clock.day
        2
    """

    layout: Layout
    world: World = field(repr=False)
    problems: tuple[Problem, ...]
    logs: tuple[DayLog, ...] = field(repr=False)
    archived: Mapping[str, tuple[Node, ...]] = field(repr=False)

    @property
    def agents(self) -> Mapping[str, Agent]:
        """The cast by id.

        Examples:
            >>> opened.agents["casey"].call_name
            'Casey'
        """
        return MappingProxyType(self.world.agents)

    def memories(self, agent: str) -> tuple[Node, ...]:
        """Return everything an agent keeps: its archive, its summaries, then its stream, each oldest first.

        Args:
            agent: An id or a name.

        Raises:
            UsageError: No such character.

        Examples:
            >>> first = opened.memories("Casey")[0]
            >>> first.id, first.created, first.type, first.importance
            ('casey-001', 'day-001/scene-01', 'plan', 4)
        """
        kept = self.agents[known_agent(self.world.agents, agent)]
        return (*self.archived[kept.id], *kept.summaries, *kept.everything)

    @property
    def scenes(self) -> tuple[LogEntry, ...]:
        """The scenes of all days, oldest first.

        Examples:
            >>> scene = opened.scenes[0]
            >>> scene.day, scene.number, scene.type, scene.participants
            (1, 1, 'ARRIVAL', ('alex', 'casey', 'jordan'))
        """
        return tuple(entry for log in self.logs for entry in log.scenes)

    @property
    def threads(self) -> tuple[Thread, ...]:
        """Promises, questions, appointments and silences, open or closed, in the order of opening.

        Examples:
            >>> opened.threads[0].kind, opened.threads[0].by, opened.threads[0].outcome
            ('promise', 'alex', 'kept')
        """
        return self.world.threads

    @property
    def relationships(self) -> tuple[Regard, ...]:
        """What each agent thinks of each other one; empty where a world keeps no relationships.

        Examples:
            >>> opened.relationships
            ()
        """
        return describe_relationships(self.layout, self.world)[0].relationships


def open_world(folder: str | os.PathLike[str] = ".") -> OpenWorld:
    """Read the world in a folder. Nothing is written.

    Raises:
        NoWorldError: The folder is not a world.

    Examples:
        >>> gm.open_world(layout.root).problems
        ()
    """
    layout = find_world(Path(folder), named=True)
    with snapshot(layout):
        loaded = load_world(layout)
        logs = tuple(read_log(layout, day) for day in layout.logged_days())
        archived = {name: tuple(read_archive(layout, name)) for name in loaded.world.agents}
        lost = tuple(report_lost_logbooks(layout))
    older = [problem for log in logs for problem in log.problems if problem not in loaded.problems]
    return OpenWorld(layout, loaded.world, (*loaded.problems, *older, *lost), logs, MappingProxyType(archived))
