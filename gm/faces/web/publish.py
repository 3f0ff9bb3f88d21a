"""Write all pages of a world as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from gm.faces.web.pages import KINDS
from gm.faces.web.paths import name_pieces
from gm.faces.web.rendering import has_page, page_path, render_page
from gm.faces.web.site import Site, open_site
from gm.faces.web.staticfiles import static_files
from gm.files.layout import Layout
from gm.files.minds import without_minds
from gm.files.uncommitted.sitefolder import SiteWritten, refuse_inside, write_site

FIRST = "index.html"
LIVE_ONLY = ("editor.", "help.", "vendor/codemirror/")
"""Beginnings of static files that only live pages need."""


@dataclass(frozen=True, slots=True)
class Published:
    """The result of publishing."""

    folder: Path
    pages: dict[str, int] = field(default_factory=dict)
    kept_back: tuple[str, ...] = ()
    bytes: int = 0
    files: SiteWritten = field(default_factory=lambda: SiteWritten((), 0, ()))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A site that is rendered and not written yet: contents by path, the first page last."""

    published: Published
    contents: Mapping[str, bytes]

    def write(self, *, force: bool = False) -> Published:
        """Write the site into its folder.

        Raises:
            UsageError: The folder holds something else.
        """
        return replace(self.published, files=write_site(self.published.folder, self.contents, force=force))


def publish(layout: Layout, folder: Path, hidden: frozenset[str], *, force: bool = False) -> Published:
    """Write a world as a static site that works in any folder and from ``file://``.

    Raises:
        UsageError: The folder holds something else.
    """
    return prepare_site(layout, folder, hidden).write(force=force)


def prepare_site(layout: Layout, folder: Path, hidden: frozenset[str]) -> Prepared:
    """Render the site of a world; nothing is written.

    Raises:
        UsageError: The folder holds the world's own files.
    """
    refuse_inside(layout, folder)
    files = {f"static/{name}": data for name, data in static_files().items() if not name.startswith(LIVE_ONLY)}
    counts: Counter[str] = Counter()
    first: dict[str, bytes] = {}
    with without_minds(layout, hidden) as whole:  # all pages show one moment
        for name, path, data in render_site(open_site(layout, live=False, hidden=whole)):
            counts[name] += bool(name)
            (first if path == FIRST else files)[path] = data
    files |= first
    counts.pop("", None)
    done = Published(folder, dict(counts), tuple(sorted(hidden)), sum(map(len, files.values())))
    return Prepared(done, files)


def render_site(site: Site) -> Iterator[tuple[str, str, bytes]]:
    """Render all pages of a site, and the files that they need.

    Yields:
        The kind of page (empty = not a page), the path, the content.
    """
    for kind in KINDS:
        if not has_page(site, kind.name):
            continue
        for params in kind.every(site):
            path = page_path(kind.name, **params)
            shown = kind.show(site, name_pieces(params), {})
            yield kind.name, path, render_page(site, kind, path, shown).encode()
        for path, data in kind.files(site) if kind.files else ():
            yield "", path, data
