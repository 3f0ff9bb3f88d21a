"""Draws the graphs of a world or of a character."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from operator import attrgetter

from gm.api.answers.moods import moods_of_day
from gm.api.views.graphs import accumulators, base, importance, relationships, tree
from gm.api.views.graphs.moods import DIARY, FILE, LOG, MOST_DAYS, TRACES, Mood, draw_moods
from gm.files.commits.snapshot import snapshot
from gm.files.formats.text import is_there, read_data
from gm.files.layers.minds import has_layer, load_layer
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import SceneLine, SceneLines, read_log
from gm.files.story.now import load_clock, load_settings, load_whole_state, load_written_state
from gm.files.streams.archive import read_archive
from gm.files.streams.find import ARCHIVE, STREAM
from gm.files.streams.memories import Memories, OwnedRow
from gm.files.streams.rows import FileRows, MemoryRow
from gm.files.streams.unread import UnreadStream
from gm.layers.diary import DIARY as DIARIES
from gm.layers.privacy import PROMPTS
from gm.layers.relationships import RELATIONSHIPS, Relationship
from gm.memory.share import MEMORIES, PRIVATE, is_private
from gm.model.mind import is_on
from gm.model.node import SUMMARY_KIND, is_beside
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


class GraphSource:
    """Data and caches of the graphs of one world; meant to be long-lived."""

    def __init__(self, layout: Layout, memories: Memories | None = None) -> None:
        self.layout = layout
        self._memories = memories or Memories(layout)
        self._scenes = _scenes_of(layout)
        self._archives: dict[str, tuple[FileRows, list[MemoryRow]]] = {}
        self._answers: dict[int, Mapping[str, str]] = {}

    def stream(self, name: str) -> Sequence[MemoryRow]:
        """Return a character's rows in story order, with archived ones, but no copies, utterances or summaries."""
        files = self._memories.of(name).files
        lived = [row for row in files[STREAM].rows if row.home == STREAM]
        archived = self._read_archived(name, files[ARCHIVE])
        return sorted([*archived, *lived], key=attrgetter("day", "scene", "suffix")) if archived else lived

    def unread(self, names: Collection[str]) -> Mapping[str, UnreadStream]:
        """Return the streams whose last days can be read by themselves, of characters without archived memories."""
        unread = self._memories.unread(names)
        return {name: stream for name, stream in unread.items() if not is_there(self.layout.archived(name))}

    def _read_archived(self, name: str, file: FileRows) -> list[MemoryRow]:
        if not file.rows:
            return []
        known = self._archives.get(name)
        if known is None or known[0] is not file:
            lived = {
                node.id
                for node in read_archive(self.layout, name)
                if not is_beside(node.metadata) and node.kind != SUMMARY_KIND
            }
            known = file, [row for row in file.rows if row.id in lived]
            self._archives[name] = known
        return known[1]

    def texts(self, name: str, rows: Sequence[MemoryRow]) -> list[str]:
        """Return the texts of memories; "" for a line that has changed since."""
        return [node.description if node else "" for node in self._memories.nodes(OwnedRow(name, row) for row in rows)]

    def cast(self) -> base.Cast:
        settings, _ = load_settings(self.layout)
        states = {name: load_whole_state(self.layout, name)[0] for name in self.layout.agent_names()}
        return base.Cast(settings.language, {name: state.name for name, state in states.items()})

    def scenes(self, cast: base.Cast) -> tuple[base.Met, ...]:
        """Return all scenes with the ids of their participants; unknown names are left out."""
        return self._scenes.met(cast)

    def is_scene(self, day: int, scene: int) -> bool:
        """Return whether a logbook has a scene of this number."""
        return any(line.scene == scene for line in self._scenes.lines.of(day))

    def regards(self, cast: base.Cast) -> Mapping[str, Mapping[str, Relationship]] | None:
        settings, _ = load_settings(self.layout)
        found = {name: load_layer(self.layout, RELATIONSHIPS, name)[0] for name in cast.names}
        if not is_on(
            settings.relationships, any(has_layer(self.layout, RELATIONSHIPS, name) for name in cast.everybody)
        ):
            return None
        return {
            name: {other: regard for key, regard in regards.items() if (other := cast.find(key))}
            for name, regards in found.items()
        }

    def moods(self, cast: base.Cast, days: Sequence[int], hidden: Collection[str] = ()) -> tuple[Mood, ...]:
        """Return the last mood of each day, from diary, logbook or answers, in this order; today's from the state.

        Args:
            hidden: ``diary`` and ``prompts`` each exclude that source.
        """
        found: dict[tuple[str, int], Mood] = {}
        settings, _ = load_settings(self.layout)
        clock, _ = load_clock(self.layout)
        for agent in cast.names if clock.day in days else ():
            if word := load_whole_state(self.layout, agent)[0].mood:
                found[agent, clock.day] = Mood(agent, clock.day, word, FILE)
        if DIARIES.name not in hidden and settings.diary != "off":
            for mood in self._moods_in_diaries(cast):
                found.setdefault((mood.agent, mood.day), mood)
        for day in days:
            if all((agent, day) in found for agent in cast.names):
                continue
            for mood in (
                *self._moods_in_log(cast, day),
                *(() if PROMPTS in hidden else self._moods_in_answers(cast, day)),
            ):
                found.setdefault((mood.agent, mood.day), mood)
        return tuple(found.values())

    def _moods_in_diaries(self, cast: base.Cast) -> list[Mood]:
        return [
            Mood(agent, entry.day, entry.mood, DIARY)
            for agent in cast.names
            for entry in load_layer(self.layout, DIARIES, agent)[0]
            if entry.mood
        ]

    def _moods_in_log(self, cast: base.Cast, day: int) -> list[Mood]:
        path = self.layout.day_log(day)
        if not path.is_file() or b'"mood"' not in read_data(path):
            return []
        found: dict[str, str] = {}
        for entry in read_log(self.layout, day).entries:
            mood = entry.record.get("mood")
            after = mood.get("after") if isinstance(mood, dict) else None
            there = entry.record.get("participants")
            if isinstance(after, str) and isinstance(there, list) and len(there) == 1:
                after = {str(there[0]): after}
            for name, word in after.items() if isinstance(after, dict) else ():
                agent = cast.find(str(name))
                if agent and isinstance(word, str) and word.strip():
                    found[agent] = word.strip()
        return [Mood(agent, day, word, LOG) for agent, word in found.items()]

    def _moods_in_answers(self, cast: base.Cast, day: int) -> list[Mood]:
        clock, _ = load_clock(self.layout)
        answers = self._answers.get(day)
        if answers is None:
            answers = moods_of_day(TraceReader(self.layout.traces), day)
            if day < clock.day:  # past days get no more answers
                self._answers[day] = answers
        return [Mood(agent, day, answers[agent], TRACES) for agent in cast.names if agent in answers]


class _Scenes:
    """The scenes of a world, read once for all its sources."""

    def __init__(self, layout: Layout) -> None:
        self.lines = SceneLines(layout)
        self._met: tuple[tuple[SceneLine, ...], Mapping[str, str], tuple[base.Met, ...]] | None = None

    def met(self, cast: base.Cast) -> tuple[base.Met, ...]:
        lines, everybody, last = self.lines.all(), cast.everybody, self._met
        if last is not None and last[0] is lines and last[1] == everybody:
            return last[2]
        known: dict[tuple[str, ...], tuple[str, ...]] = {}

        def ids(names: tuple[str, ...]) -> tuple[str, ...]:
            if names not in known:
                found = (name if name in everybody else cast.find(name) for name in names)
                known[names] = tuple(dict.fromkeys(name for name in found if name is not None))
            return known[names]

        met = tuple(base.Met(line.day, line.scene, line.type, ids(line.participants)) for line in lines)
        self._met = lines, everybody, met
        return met


_scenes_of = lru_cache(maxsize=4)(_Scenes)


@lru_cache(maxsize=4)
def source_of(layout: Layout, memories: Memories | None = None) -> GraphSource:
    """Return the cached source of a world."""
    return GraphSource(layout, memories)


def recent_days(layout: Layout, people: int) -> int:
    """Return how many days a page of so many characters draws unless all are asked for; 0 = there are no more."""
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
        return {name: [row for row in rows if not is_private(row.tags)] for name, rows in streams.items()}


def _draw_regards(drawing: _Drawing) -> base.Graph:
    regards = drawing.source.regards(drawing.cast)
    return relationships.draw_relationships(drawing.cast, regards, drawing.scenes if regards is None else ())


def _draw_moods(drawing: _Drawing) -> base.Graph:
    days = sorted({scene.day for scene in drawing.all_scenes})
    moods = drawing.source.moods(drawing.cast, days[-MOST_DAYS:], drawing.hidden)
    return draw_moods(drawing.cast, moods, days, drawing.shown)


def _draw_accumulators(drawing: _Drawing) -> base.Graph:
    reflection = load_settings(drawing.source.layout)[0].reflection
    streams = drawing.streams  # which fills ``begin``
    since = accumulators.Beginning(drawing.first, drawing.begin)
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
