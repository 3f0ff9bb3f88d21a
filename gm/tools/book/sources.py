"""What a book is made from: the world, its logbooks and its gallery, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from gm.markup.clean import one_line
from gm.model.calendar import weekday
from gm.model.node import Node
from gm.model.world import World
from gm.store.layout import Layout
from gm.store.logbook import DayLog
from gm.store.pieces import Contents, load_piece
from gm.store.streams.find import Finder
from gm.tools.book.wish import Wish
from gm.tools.words.speech import Words


@dataclass(slots=True)
class Sources:
    """What the parts of a book are told from.

    Attributes:
        layout: The world's files.
        world: The world now.
        wish: What the book is to hold.
        words: What a book says of its own accord.
        days: The days it is about, in order.
        log: Their logbooks, by day.
        secrets: Memories that are left out as private; they are not in ``world``.
        plates: Numbers of plates by path inside the world; empty when plates are left out.
    """

    layout: Layout
    world: World
    wish: Wish
    words: Words
    days: tuple[int, ...] = ()
    log: Mapping[int, DayLog] = field(default_factory=dict)
    secrets: tuple[Node, ...] = ()
    plates: Mapping[str, int] = field(default_factory=dict)

    def say(self, key: str, **values: object) -> str:
        """Give a word or a sentence of the book's own, with values; they are plain text, never a pattern."""
        return self.words(key, **values)

    def called(self, agent: str) -> str:
        """Name somebody the way others do; who is no agent is named as in the files."""
        known = self.world.agents.get(agent)
        return one_line(known.call_name if known else agent.replace("-", " ").replace("_", " ").title())

    def named(self, agent: str) -> str:
        """Give somebody's full name."""
        known = self.world.agents.get(agent)
        return one_line(known.name) if known else self.called(agent)

    def weekday(self, day: int) -> str:
        """Name the weekday of a story day; may be empty."""
        return one_line(weekday(day, self.world.settings.calendar.weekdays))

    def date(self, day: int) -> str:
        """Give the date of a story day in the real calendar, ``4.3.2026`` or ``2026-03-04``; empty without one."""
        start = self.world.settings.calendar.start
        if not start:
            return ""
        try:
            found = date.fromisoformat(start) + timedelta(days=day - 1)
        except (ValueError, OverflowError):
            return ""
        return f"{found.day}.{found.month}.{found.year}" if self.world.settings.language == "de" else str(found)

    def place(self, identifier: str) -> str:
        """Name a place: files have an id, a book has a word."""
        words = one_line(identifier.replace("-", " ").replace("_", " "))
        return words[:1].upper() + words[1:]

    def time(self, name: str) -> str:
        """Name a time of day; a word of the world's own stays as it is."""
        return self.words.known("time_of_day", name, one_line(name.replace("-", " ")))

    def piece(self, path: str) -> Contents | None:
        """Read a file of the gallery."""
        return load_piece(self.layout, path)


def find_nodes(layout: Layout, world: World, ids: tuple[str, ...]) -> dict[str, Node]:
    """Find memories by their ids, in streams and in the archive."""
    known = {node.id: node for agent in world.agents.values() for node in (*agent.everything, *agent.summaries)}
    missing = [identifier for identifier in ids if identifier not in known]
    if missing:
        finder = Finder(layout)
        for identifier in missing:
            found = finder.find(identifier)
            if found:
                known[identifier] = found[0].node
    return {identifier: known[identifier] for identifier in ids if identifier in known}
