"""Memory streams that are empty although the logbook says otherwise: a stream begins empty, and never becomes so."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from gm.errors import Problem

HINT = "bring back what it held (git checkout, gm rewind); to begin anew, delete it and the logbook"


def lost_streams(
    empty: Mapping[str, str], days: Iterable[tuple[int, Mapping[str, Any]]], elsewhere: Collection[str] = ()
) -> Iterator[Problem]:
    """Name each stream that is empty and of which a line of a logbook names a memory.

    Args:
        empty: Paths, for problems, of the streams in which there is nothing, by agent.
        days: Lines of logbooks, each with its day.
        elsewhere: Agents that have memories in other files: their streams may have been pruned.
    """
    told = set(elsewhere)
    for day, record in days:
        named = record.get("memories")
        for item in named if isinstance(named, list) else ():
            agent = item.get("agent") if isinstance(item, dict) else None
            if isinstance(agent, str) and agent in empty and agent not in told:
                told.add(agent)
                message = f"the file is empty, and the logbook of day {day} names {item.get('id')!r:.40}"
                yield Problem(empty[agent], 0, 0, "error", "file-empty", message, HINT)
