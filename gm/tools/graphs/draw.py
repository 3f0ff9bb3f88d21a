"""The graphs of a world and of a character, read and drawn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial

from gm.memory.private import PRIVATE, is_private
from gm.store.commits.snapshot import snapshot
from gm.store.now import load_settings
from gm.store.streams.rows import Row
from gm.tools.graphs.accumulators import Stated, draw_accumulators
from gm.tools.graphs.base import Cast, Graph, Met
from gm.tools.graphs.importance import draw_importance
from gm.tools.graphs.meetings import draw_meetings
from gm.tools.graphs.moods import MOST_DAYS, draw_moods
from gm.tools.graphs.reading import Source
from gm.tools.graphs.relationships import draw_relationships
from gm.tools.graphs.tags import draw_tags
from gm.tools.graphs.tree import draw_tree

OF_WORLD = ("relationships", "meetings", "moods", "accumulators", "importance", "tags")
OF_AGENT = ("tree", "accumulators", "importance", "moods", "tags")


def draw_world(source: Source, *, kinds: Sequence[str] = OF_WORLD, hidden: Collection[str] = ()) -> tuple[Graph, ...]:
    """Draw graphs of a whole world.

    Args:
        source: The world.
        kinds: Which, of ``OF_WORLD``.
        hidden: What is kept back, of ``gm.config.pages.PRIVATE``.
    """
    with snapshot(source.layout):
        drawing = _Drawing(source, source.cast(), (), hidden)
        return tuple(_DRAWN[kind](drawing) for kind in kinds if kind not in hidden)


def draw_agent(
    source: Source, agent: str, *, kinds: Sequence[str] = OF_AGENT, hidden: Collection[str] = ()
) -> tuple[Graph, ...]:
    """Draw graphs of one character.

    Args:
        source: The world.
        agent: Id of the character.
        kinds: Which, of ``OF_AGENT``.
        hidden: What is kept back, of ``gm.config.pages.PRIVATE``.
    """
    with snapshot(source.layout):
        drawing = _Drawing(source, source.cast(), (agent,), hidden)
        return tuple(_DRAWN[kind](drawing) for kind in kinds)


class _Drawing:
    """What several graphs of one page need, read once."""

    def __init__(self, source: Source, cast: Cast, shown: tuple[str, ...], hidden: Collection[str]) -> None:
        self.source = source
        self.cast = cast
        self.shown = shown
        self.hidden = hidden

    @cached_property
    def scenes(self) -> tuple[Met, ...]:
        return self.source.scenes(self.cast)

    @cached_property
    def streams(self) -> Mapping[str, Sequence[Row]]:
        """Everything that was lived; only sums may be shown of it."""
        return {name: self.source.stream(name) for name in self.shown or self.cast.names}

    @cached_property
    def open_streams(self) -> Mapping[str, Sequence[Row]]:
        """The same without what is kept back."""
        if PRIVATE not in self.hidden:
            return self.streams
        return {name: [row for row in rows if not is_private(row.tags)] for name, rows in self.streams.items()}


def _relationships(drawing: _Drawing) -> Graph:
    regards = drawing.source.regards(drawing.cast)
    return draw_relationships(drawing.cast, regards, drawing.scenes if regards is None else ())


def _meetings(drawing: _Drawing) -> Graph:
    return draw_meetings(drawing.cast, drawing.scenes)


def _moods(drawing: _Drawing) -> Graph:
    days = sorted({scene.day for scene in drawing.scenes})
    moods = drawing.source.moods(drawing.cast, days[-MOST_DAYS:], drawing.hidden)
    return draw_moods(drawing.cast, moods, days, drawing.shown)


def _accumulators(drawing: _Drawing) -> Graph:
    settings, _ = load_settings(drawing.source.layout)
    stated = {name: Stated(*drawing.source.state_of(name)) for name in drawing.streams}
    reflection = settings.reflection
    return draw_accumulators(
        drawing.cast, drawing.streams, drawing.scenes, stated, reflection.threshold, reflection.reset
    )


def _importance(drawing: _Drawing) -> Graph:
    return draw_importance(drawing.cast, drawing.open_streams)


def _tags(drawing: _Drawing) -> Graph:
    return draw_tags(drawing.cast, drawing.open_streams)


def _tree(drawing: _Drawing) -> Graph:
    (agent,) = drawing.shown
    return draw_tree(drawing.cast, agent, drawing.open_streams[agent], partial(drawing.source.texts, agent))


_DRAWN: Mapping[str, Callable[[_Drawing], Graph]] = {
    "relationships": _relationships,
    "meetings": _meetings,
    "moods": _moods,
    "accumulators": _accumulators,
    "importance": _importance,
    "tags": _tags,
    "tree": _tree,
}
