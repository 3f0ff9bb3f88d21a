"""Draws the graphs of a world or of a character."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial

from gm.api.views.graphs import accumulators, base, importance, relationships, tree
from gm.api.views.graphs.moods import MOST_DAYS, draw_moods
from gm.api.views.graphs.source import GraphSource
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.now import load_clock, load_settings, load_written_state
from gm.files.streams.find import STREAM
from gm.files.streams.rows import MemoryRow
from gm.files.streams.unread import UnreadStream
from gm.layers.diary import DIARY
from gm.layers.privacy import PROMPTS
from gm.memory.share import MEMORIES, PRIVATE, is_secret
from gm.model.scene import REFLECTION
from gm.model.state import AgentState

OF_WORLD = ("relationships", "meetings", "moods", "accumulators", "importance", "tags")
OF_AGENT = ("tree", "accumulators", "importance", "moods", "tags")
RECENT, LEAST_RECENT, MOST_CELLS = 60, 7, 600
"""Days that a world's page of graphs draws unless all are asked for: fewer where characters times days are too many."""
MOST_PEOPLE = 24
"""Characters that a world's page of graphs draws unless all are asked for."""
OF_MEMORIES = ("tree", "accumulators", "importance", "tags")
"""Graphs that are drawn of memories."""


def recent_days(layout: Layout, people: int) -> int:
    """Return how many days a page draws for a number of characters unless all are asked for; 0 = all."""
    days = max(LEAST_RECENT, min(RECENT, MOST_CELLS // max(1, people)))
    return days if load_clock(layout)[0].day > days else 0


def draw_world(
    source: GraphSource,
    *,
    kinds: Sequence[str] = OF_WORLD,
    hidden: Collection[str] = (),
    days: int = 0,
    people: slice = slice(None),
) -> tuple[base.Graph, ...]:
    """Draw graphs of a whole world.

    Args:
        kinds: Some of ``OF_WORLD``.
        days: How many of the last story days scenes and memories are drawn of; 0 = all.
        people: Which of the characters are drawn, by their places; pairs are drawn where both are.
    """
    with snapshot(source.layout):
        drawing = _Drawing(source, source.cast().part(people), (), hidden, _first_of(source.layout, days))
        return tuple(_DRAWN[kind](drawing) for kind in _kinds_shown(kinds, hidden))


def draw_agent(
    source: GraphSource, agent: str, *, kinds: Sequence[str] = OF_AGENT, hidden: Collection[str] = (), days: int = 0
) -> tuple[base.Graph, ...]:
    """Draw graphs of one character, of the kinds in ``OF_AGENT``; of the last story days, 0 = all."""
    with snapshot(source.layout):
        drawing = _Drawing(source, source.cast(), (agent,), hidden, _first_of(source.layout, days))
        return tuple(_DRAWN[kind](drawing) for kind in _kinds_shown(kinds, hidden))


def _first_of(layout: Layout, days: int) -> int:
    return max(0, load_clock(layout)[0].day - days + 1) if days else 0


def _kinds_shown(kinds: Sequence[str], hidden: Collection[str]) -> list[str]:
    return [kind for kind in kinds if kind not in hidden and not (MEMORIES in hidden and kind in OF_MEMORIES)]


class _Drawing:
    def __init__(
        self, source: GraphSource, cast: base.Cast, shown: tuple[str, ...], hidden: Collection[str], first: int = 0
    ) -> None:
        self.source = source
        self.cast = cast
        self.shown = shown
        self.hidden = hidden
        self.first = first
        self.begin: dict[str, int] = {}

    @cached_property
    def all_scenes(self) -> tuple[base.Met, ...]:
        return self.source.scenes(self.cast)

    @cached_property
    def scenes(self) -> tuple[base.Met, ...]:
        return tuple(scene for scene in self.all_scenes if scene.day >= self.first)

    @cached_property
    def stated(self) -> Mapping[str, AgentState]:
        names = self.shown or self.cast.names
        return {name: load_written_state(self.source.layout, name)[0] for name in names}

    @cached_property
    def streams(self) -> Mapping[str, Sequence[MemoryRow]]:
        """At least the memories since the first day; ``begin`` has the sums before them."""
        unread = self.source.unread(self.stated) if self.first else {}
        late = {name: self._read_late(name, stream) for name, stream in unread.items()}
        found = {name: late.get(name) for name in self.stated}
        return {name: self.source.stream(name) if rows is None else rows for name, rows in found.items()}

    def _read_late(self, name: str, stream: UnreadStream) -> list[MemoryRow] | None:
        """Read the memories since the last reflection before the first day; without one, those since that day.

        Returns:
            None if the sum at the first day does not follow from them.
        """
        reflected = (one.day for one in self.all_scenes if one.type == REFLECTION and name in one.cast)
        day = max((day for day in reflected if day < self.first), default=0)
        begin = day or self.first
        rows = [row for row in stream.between(begin, stream.last_day).rows if row.home == STREAM and row.day >= begin]
        resets = accumulators.resets_of(name, rows, self.all_scenes, self.stated[name])
        if day and not any(row.id in resets for row in rows if row.day < self.first):
            return None  # it left no insight
        if not day and self.stated[name].last_reflection and not resets:
            return None  # the logbooks lack it
        self.begin[name] = stream.importance_before(begin)
        return rows

    @cached_property
    def drawn_streams(self) -> Mapping[str, Sequence[MemoryRow]]:
        """What may be shown of the memories since the first day."""
        streams = self.streams
        if self.first:
            streams = {name: [row for row in rows if row.day >= self.first] for name, rows in streams.items()}
        if PRIVATE not in self.hidden:
            return streams
        return {name: [row for row in rows if not is_secret(row, self.hidden)] for name, rows in streams.items()}


def _draw_regards(drawing: _Drawing) -> base.Graph:
    regards = drawing.source.regards(drawing.cast)
    return relationships.draw_relationships(drawing.cast, regards, drawing.scenes if regards is None else ())


def _draw_moods(drawing: _Drawing) -> base.Graph:
    days = sorted({scene.day for scene in drawing.all_scenes})
    moods = drawing.source.moods(drawing.cast, days[-MOST_DAYS:], drawing.hidden)
    is_withheld = not {PROMPTS, DIARY.name}.isdisjoint(drawing.hidden)
    return draw_moods(drawing.cast, moods, days, drawing.shown, is_withheld=is_withheld)


def _draw_accumulators(drawing: _Drawing) -> base.Graph:
    reflection = load_settings(drawing.source.layout)[0].reflection
    streams = drawing.streams  # which fills ``begin``
    since = accumulators.StartingSums(drawing.first, drawing.begin)
    return accumulators.draw_accumulators(drawing.cast, streams, drawing.all_scenes, drawing.stated, reflection, since)


def _draw_tree(drawing: _Drawing) -> base.Graph:
    (agent,) = drawing.shown
    return tree.draw_tree(drawing.cast, agent, drawing.drawn_streams[agent], partial(drawing.source.texts, agent))


_DRAWN: Mapping[str, Callable[[_Drawing], base.Graph]] = {
    "relationships": _draw_regards,
    "meetings": lambda drawing: relationships.draw_meetings(drawing.cast, drawing.scenes),
    "moods": _draw_moods,
    "accumulators": _draw_accumulators,
    "importance": lambda drawing: importance.draw_importance(drawing.cast, drawing.drawn_streams),
    "tags": lambda drawing: importance.draw_tags(drawing.cast, drawing.drawn_streams),
    "tree": _draw_tree,
}
