"""The context of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gm.api.graphs.draw import Source, source_of
from gm.api.views.cast import Face, Frame, cast_of, view_frame
from gm.api.views.scenes import SceneKind, scene_kinds
from gm.api.views.stream import pages_of
from gm.api.words.speech import Words, load_words
from gm.base.casefold import casefold
from gm.base.config.pages import PRIVATE_TAGS
from gm.faces.web.paths import plain_name
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
        hidden: Private parts that are left out (``publish.private``); empty for live pages.
        token: Must be in each submitted form; empty without forms.
        as_of: When the files were read, in nanoseconds of wall time; 0 in a published site.
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
    as_of: int = 0

    @property
    def editable(self) -> bool:
        return self.live and not self.read_only

    def face(self, name: str) -> Face:
        """Return the character that a segment of a path names.

        Raises:
            NoPageError: No such character.
        """
        try:
            face = self.frame.face(plain_name(name))
        except ValueError:
            face = None
        if face is None:
            raise NoPageError(name)
        return face

    def owner_of(self, identifier: str) -> str | None:
        parsed = parse_node_id(casefold(identifier))
        return next((face.id for face in self.frame.cast if parsed and casefold(face.id) == parsed[0]), None)

    def page_of(self, owner: str, identifier: str) -> int | None:
        """Return the page that lists a memory among its owner's."""
        if owner not in self._pages:
            self._pages[owner] = pages_of(self.memories, owner)
        return self._pages[owner].get(casefold(identifier))

    @cached_property
    def _pages(self) -> dict[str, Mapping[str, int]]:
        return {}

    @cached_property
    def source(self) -> Source:
        """The source of graphs. Sums include hidden memories, so a published site reads them separately."""
        return source_of(self.layout, None if self.hidden else self.memories)

    @cached_property
    def logged(self) -> frozenset[int]:
        """The days that have a page."""
        return frozenset(self.layout.logged_days())

    @cached_property
    def _scenes(self) -> frozenset[tuple[int, int]]:
        return frozenset((scene.day, scene.scene) for scene in source_of(self.layout).scenes(cast_of(self.frame)))

    def place(self, at: SceneRef) -> str | None:
        """Return a scene's anchor on its day's page; empty for the day as a whole, None without a page."""
        if at.day not in self.logged:
            return None
        is_known = bool(at.scene) and not at.suffix and (at.day, at.scene) in self._scenes
        return f"scene-{at.scene:02d}" if is_known else ""

    @cached_property
    def _kinds(self) -> Mapping[str, SceneKind]:
        return scene_kinds(self.layout, self.frame.language)

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
    memories = memories or Memories(layout, PRIVATE_TAGS if PRIVATE in hidden else ())
    return Site(layout, frame, load_words(frame.language, "gm.faces.web"), memories, live=live, hidden=hidden)
