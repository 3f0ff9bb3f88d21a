"""What a page knows of the site around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.config.pages import PRIVATE_TAGS
from gm.memory.private import PRIVATE
from gm.store.layout import Layout
from gm.store.streams.memories import Memories
from gm.texts import is_digits
from gm.tools.views.frame import Face, Frame, view_frame
from gm.web.language import Words, load_words
from gm.web.paths import plain_name


class NoPageError(LookupError):
    """There is no such page: nobody of that name, no such day."""


@dataclass(frozen=True, slots=True)
class Site:
    """A world as a site. One is made for each request, and one for a whole published site.

    Attributes:
        layout: The world.
        frame: What stands around every page.
        words: The interface's words.
        memories: What everybody remembers; a server keeps it from page to page.
        live: Whether a server answers: forms, filters and updates exist.
        read_only: Whether nothing may be changed.
        hidden: What is private and left out (``publish.private``); empty for live pages.
        places: On which page of its owner's memories each one stands in a published site; found out once.
        token: What forms have to carry to be believed; empty when there are none.
        as_of: When the files were read, in nanoseconds by the clock on the wall; 0 when nobody asks.
    """

    layout: Layout
    frame: Frame
    words: Words
    memories: Memories
    live: bool = True
    read_only: bool = False
    hidden: frozenset[str] = field(default=frozenset())
    places: dict[str, Mapping[str, int]] = field(default_factory=dict)
    token: str = ""
    as_of: int = 0

    @property
    def editable(self) -> bool:
        """Whether pages have forms that change the world."""
        return self.live and not self.read_only

    def face(self, name: str) -> Face:
        """Find the character that a piece of a path names.

        Raises:
            NoPageError: Nobody is called that.
        """
        try:
            face = self.frame.face(plain_name(name))
        except ValueError:
            face = None
        if face is None:
            raise NoPageError(name)
        return face


def day_in(name: str) -> int:
    """Read the day that a piece of a path names: ``003``.

    Raises:
        NoPageError: It names none.
    """
    if not (is_digits(name, 9) and name == f"{int(name):03d}"):
        raise NoPageError(name)
    return int(name)


def open_site(
    layout: Layout,
    *,
    live: bool = True,
    read_only: bool = False,
    hidden: frozenset[str] = frozenset(),
    memories: Memories | None = None,
    token: str = "",
    as_of: int = 0,
) -> Site:
    """Look at a world as it is now."""
    frame = view_frame(layout)
    memories = memories or Memories(layout, PRIVATE_TAGS if PRIVATE in hidden else ())
    return Site(
        layout,
        frame,
        load_words(frame.language),
        memories,
        live=live,
        read_only=read_only,
        hidden=hidden,
        token=token,
        as_of=as_of,
    )
