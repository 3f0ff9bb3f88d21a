"""The data of graphs, read from the files of a world and kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter

from gm.api.answers.moods import moods_of_day
from gm.api.views.graphs import base
from gm.api.views.graphs.moods import DIARY, FILE, LOG, TRACES, Mood
from gm.files.formats.text import is_there, read_data
from gm.files.layers import has_layer, load_layer
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import SceneLine, SceneLines, read_log
from gm.files.story.now import load_cast, load_clock, load_settings, load_whole_state
from gm.files.streams.archive import read_archive
from gm.files.streams.find import ARCHIVE, STREAM
from gm.files.streams.memories import Memories, OwnedRow
from gm.files.streams.rows import FileRows, MemoryRow
from gm.files.streams.unread import UnreadStream
from gm.layers.diary import DIARY as DIARIES
from gm.layers.privacy import PROMPTS
from gm.layers.relationships import RELATIONSHIPS, Relationship
from gm.model.mind import is_on
from gm.model.node import SUMMARY_KIND, is_beside


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
        """Return the characters as a drawing names and colours them."""
        settings, _ = load_settings(self.layout)
        return base.make_cast(settings.language, load_cast(self.layout)[0].values())

    def scenes(self, cast: base.Cast) -> tuple[base.Met, ...]:
        """Return all scenes with the ids of their participants; unknown names are left out."""
        return self._scenes.met(cast)

    def is_scene(self, day: int, scene: int) -> bool:
        """Return whether a logbook has a scene of this number."""
        return any(line.scene == scene for line in self._scenes.lines.of(day))

    def regards(self, cast: base.Cast) -> Mapping[str, Mapping[str, Relationship]] | None:
        """Return relationships by character and other; None while relationships are off."""
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
