"""The kinds of pages. ``KINDS`` lists them all; the app serves them and publishing writes them, from the same list."""

from __future__ import annotations

from gm.web.pages import gallery, today
from gm.web.pages.kind import PageKind

KINDS: tuple[PageKind, ...] = (
    today.KIND,
    gallery.GALLERY,
    gallery.PIECES,
)
BY_NAME = {kind.name: kind for kind in KINDS}
