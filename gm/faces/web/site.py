"""The context of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from gm.api.answers.speech import Words, load_words
from gm.api.views.arcs import ThreadArcs, arc_names, tell_threads
from gm.api.views.cast import Frame, ShownAgent, view_frame
from gm.api.views.graphs.source import GraphSource, source_of
from gm.api.views.lives import known_pairs
from gm.api.views.logbook import LoggedDay, shown_days
from gm.api.views.scenes import SceneKind, scene_kinds
from gm.api.views.stream import pages_of
from gm.base.casefold import casefold
from gm.faces.web.paths import plain_name
from gm.faces.web.stage.state import StageView
from gm.files.commits.snapshot import snapshot
from gm.files.editable import editable_files
from gm.files.layout import Layout
from gm.files.streams.memories import Memories
from gm.memory.share import PRIVATE
from gm.model.calendar import SceneRef
from gm.model.ids import parse_node_id

Query = Mapping[str, list[str]]
"""The query string of an address; empty in a published site."""


class NoPageError(LookupError):
    """No such page, character or day."""


@dataclass(frozen=True)
class Site:
    """A world as a site; made for each request, or once for a published site.

    Attributes:
        hidden: Private parts that are left out (``publish.private``), and ids of private memories; empty for live
            pages.
        token: Must be in each submitted form; empty without forms.
        commands: Name and path of each form that stands by itself; empty without forms.
        as_of: When the files were read, in nanoseconds of wall time; 0 in a published site.
        stage: What is being played right now.
        environment: Names keys and addresses of models; empty in a published site.
    """

    layout: Layout
    frame: Frame
    words: Words
    memories: Memories
    live: bool = True
    read_only: bool = False
    hidden: frozenset[str] = field(default=frozenset())
    query: Query = field(default_factory=dict)
    token: str = ""
    commands: tuple[tuple[str, str], ...] = ()
    as_of: int = 0
    stage: StageView = field(default_factory=StageView)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def editable(self) -> bool:
        return self.live and not self.read_only

    def can_edit(self, path: str) -> bool:
        """Return whether a file of the world is there to be edited in a form."""
        return any(file.path == path for file in editable_files(self.layout))

    def shown_agent(self, name: str) -> ShownAgent:
        """Return the character that a segment of a path names.

        Raises:
            NoPageError: No such character.
        """
        try:
            character = self.frame.shown_agent(plain_name(name))
        except ValueError:
            character = None
        if character is None:
            raise NoPageError(name)
        return character

    def owner_of(self, identifier: str) -> str | None:
        parsed = parse_node_id(casefold(identifier))
        return next(
            (character.id for character in self.frame.cast if parsed and casefold(character.id) == parsed[0]), None
        )

    def page_of(self, owner: str, identifier: str) -> int | None:
        """Return the page that lists a memory among its owner's."""
        if owner not in self._pages:
            self._pages[owner] = pages_of(self.memories, owner)
        return self._pages[owner].get(casefold(identifier))

    @cached_property
    def _pages(self) -> dict[str, Mapping[str, int]]:
        return {}

    @cached_property
    def source(self) -> GraphSource:
        """The source of graphs. Sums include hidden memories, so a published site reads them separately."""
        return source_of(self.layout, None if self.hidden else self.memories)

    @cached_property
    def logged(self) -> frozenset[int]:
        """The days that have a page."""
        return frozenset(self.layout.logged_days())

    @cached_property
    def days(self) -> Sequence[LoggedDay]:
        """All logbooks in brief as they may be shown, oldest first."""
        with snapshot(self.layout):
            return shown_days(self.layout, self.hidden)

    @property
    def published_days(self) -> Sequence[LoggedDay] | None:
        """All logbooks, read once for all pages of a published site; None for a live page, which reads some."""
        return None if self.live else self.days

    @cached_property
    def threads(self) -> ThreadArcs:
        return tell_threads(self.layout, self.hidden, self.published_days)

    @cached_property
    def arcs(self) -> Mapping[str, None]:
        """The threads that have a page, in the order in which they were opened."""
        return dict.fromkeys(arc_names(self.layout, self.hidden))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The pairs of characters that have a page, each in alphabetical order."""
        return known_pairs(self.layout, self.frame, self.hidden)

    def pairs_of(self, agent: str) -> Sequence[tuple[str, str]]:
        return sorted(pair for pair in self.pairs if agent in pair)

    def place(self, at: SceneRef) -> str | None:
        """Return a scene's anchor on its day's page; empty for the day as a whole, None without a page."""
        if at.day not in self.logged:
            return None
        is_known = bool(at.scene) and not at.suffix and self._is_scene(at.day, at.scene)
        return f"scene-{at.scene:02d}" if is_known else ""

    @cached_property
    def _is_scene(self) -> Callable[[int, int], bool]:
        return lru_cache(maxsize=None)(source_of(self.layout).is_scene)

    @cached_property
    def _kinds(self) -> Mapping[str, SceneKind]:
        return scene_kinds(self.layout, self.frame.language)

    @property
    def scene_types(self) -> Iterable[str]:
        """The scene types that the world describes."""
        return self._kinds

    @property
    def type_names(self) -> Iterable[str]:
        """The names of scene types that ``type_name`` knows."""
        known = (text for key, text in self.words.sentences.items() if key.startswith("scene_type."))
        return (*known, *(kind.title for kind in self._kinds.values()))

    def type_name(self, written: str) -> str:
        """Return the name of a scene type: the world's own, else the interface's, else the logbook's."""
        return " + ".join(
            kind.title if (kind := self._kinds.get(name)) and kind.title else self.words.known("scene_type", name)
            for name in written.split("+")
        )


def open_site(
    layout: Layout, *, live: bool = True, hidden: frozenset[str] = frozenset(), memories: Memories | None = None
) -> Site:
    """Return the site of a world as the files are now."""
    frame = view_frame(layout)
    memories = memories or Memories(layout, hidden if PRIVATE in hidden else (), reads_all=not live)
    return Site(layout, frame, load_words(frame.language, "gm.faces.web"), memories, live=live, hidden=hidden)
