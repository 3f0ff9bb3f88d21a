"""Lookups in the gallery, the only place of artifacts; ``pieces`` reads their contents."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from gm.base.errors import GmError, UsageError
from gm.base.frontmatter import split_front_matter
from gm.base.regular import DOCUMENT_BYTES, read_regular
from gm.files.formats.text import files_below
from gm.files.layout import GALLERY, Layout, lies_in_gallery

NEAREST = 3


def read_artifact(layout: Layout, path: str) -> str | None:
    """Return the text of an artifact without front matter, or None."""
    target = layout.root / path
    if not target.is_file() or not lies_in_gallery(layout, target):
        return None
    try:
        text = read_regular(target, DOCUMENT_BYTES).decode("utf-8-sig")
    except (UnicodeDecodeError, OSError):
        return None  # a picture, or another file that is not a text
    return split_front_matter(text)[1].strip() or None


def is_taken(layout: Layout, path: str) -> bool:
    """Return whether a path ``gallery/<kind>/<name>`` is in use, regardless of case.

    Raises:
        GmError: A link leads the folder out of the gallery.
    """
    target = layout.root / path
    if not lies_in_gallery(layout, target.parent):
        raise GmError(
            f"{layout.shown(target.parent)} leads out of the gallery, to {target.parent.resolve()}",
            "nothing was written; remove the link",
        )
    if not target.parent.is_dir():
        return False
    wanted = target.name.casefold()
    return any(entry.name.casefold() == wanted for entry in target.parent.iterdir())


def find_artifact(layout: Layout, name: str) -> str:
    """Return the path ``gallery/…`` of an artifact inside the world.

    Args:
        name: Its path from the world's folder, the gallery, or the current folder.

    Raises:
        UsageError: There is no such file; names the nearest ones.
    """
    inside = layout.gallery.resolve()
    for path in (layout.root / name, layout.gallery / name, Path(name).absolute()):
        if _is_file(path) and lies_in_gallery(layout, path):
            return f"{GALLERY}/{path.resolve().relative_to(inside).as_posix()}"
    known = sorted(layout.shown(path) for path in files_below(layout.gallery) if _is_file(path))
    if not known:
        raise UsageError(f"there is no {name!r}: the gallery is empty", "play a day first: gm advance-day")
    ends = {path.rpartition("/")[2]: path for path in known}
    near = get_close_matches(name, known, NEAREST, 0.5) or [
        ends[end] for end in get_close_matches(name.rpartition("/")[2], ends, NEAREST, 0.4)
    ]
    raise UsageError(f"there is no {name!r} in the gallery", "the nearest: " + ", ".join(near or known[-NEAREST:]))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # not a valid file name: too long, or with a null character
