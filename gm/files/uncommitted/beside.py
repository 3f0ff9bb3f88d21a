"""Files beside a world's own: for editors, git and coding assistants. No commit writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from gm.base.errors import GmError
from gm.files import relative_paths
from gm.files.formats import disk
from gm.files.formats.text import files_below
from gm.files.layout import Layout

SCHEMAS = ".gm-schemas"
"""Folder of the schemas, for editors."""
SCHEMAS_IN_GIT = f"{SCHEMAS}/.gitattributes"
VSCODE = ".vscode/settings.json"
EXTENSIONS = ".vscode/extensions.json"


def editor_files(layout: Layout) -> Iterator[Path]:
    """Yield the files for editors that a world has."""
    yield from files_below(layout.root / SCHEMAS)
    named = (layout.root / name for name in (SCHEMAS_IN_GIT, VSCODE, EXTENSIONS))
    yield from (path for path in named if path.is_file())


def make_files(layout: Layout, files: Mapping[str, str], *, anew: bool = False) -> tuple[str, ...]:
    """Create files, and return the new paths. Existing files stay; with ``anew`` they are replaced if they differ.

    Raises:
        GmError: The disk refused, or a link leads out of the world.
    """
    made = []
    with disk.explained(layout.root):
        for path, text in files.items():
            if link := relative_paths.way_out(str(layout.root), path):
                raise GmError(f"{path} leads out of the world: {link} is a link", "put the folder itself in its place")
            place = layout.root / path
            if not place.exists() or (anew and disk.read_or_none(place) != text.encode()):
                disk.make_folder(place.parent)
                disk.replace(place, text.encode())
                made.append(path)
    return tuple(made)
