"""Pages of what can be edited and made; live only."""

from __future__ import annotations

from itertools import groupby

from gm.api.editing.textfiles import list_problems, open_text
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.site import Site
from gm.files.editable import editable_files
from gm.files.now import load_settings

NEW = ("character", "place", "event", "brief", "post", "thread", "scene-type")
"""The forms that make something, in the order of the page."""


def read_files(site: Site) -> Shown:
    """Show the files that can be edited; with problems where the query asks for a check, which may take its time."""
    files = editable_files(site.layout)
    return {
        "title": site.words("files.title"),
        "groups": [(kind, list(each)) for kind, each in groupby(files, lambda file: file.kind)],
        "closed": {file.path for file in files if open_text(site.layout, file).problems},
        "found": list_problems(site.layout) if "check" in site.query else None,
    }


def read_make(site: Site) -> Shown:
    """Show what can be made, and what can be switched on."""
    switches = load_settings(site.layout)[0].switches
    return {"title": site.words("make.title"), "forms": NEW, "switches": switches}


FILES = PageKind("files", "files.html", "files.html", "files", read_files, is_live=True)
MAKE = PageKind("make", "make.html", "make.html", "make", read_make, is_live=True)
