"""The gallery: where artifacts go, and nowhere else; what lies in it is read by ``pieces``."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from gm.base.errors import GmError, UsageError
from gm.base.frontmatter import split_front_matter
from gm.base.regular import DOCUMENT_BYTES, read_regular
from gm.files.forms.text import files_below
from gm.files.layout import GALLERY, Layout, lies_in_gallery

NEAREST = 3


def read_artifact(layout: Layout, path: str) -> str | None:
    """Read the text of an artifact without its front matter; None when there is no such text in the gallery."""
    target = layout.root / path
    if not target.is_file() or not lies_in_gallery(layout, target):
        return None
    try:
        text = read_regular(target, DOCUMENT_BYTES).decode("utf-8-sig")
    except (UnicodeDecodeError, OSError):
        return None  # a picture, or something else that nobody can read out
    return split_front_matter(text)[1].strip() or None


def is_taken(layout: Layout, path: str) -> bool:
    """Return whether the name of a new artifact is in use, in any case of its letters.

    Args:
        layout: The world.
        path: ``gallery/<kind>/<name>``, made by ``gm.scene.names``.

    Raises:
        GmError: The folder leads out of the gallery, by a link that lies in it.
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
    """Find the piece of work that a person means.

    Args:
        layout: The world.
        name: Its path: from the world's folder, from the gallery, or from the current folder.

    Returns:
        Its path inside the world, with forward slashes: ``gallery/…``.

    Raises:
        UsageError: There is no such file in the gallery; names the nearest ones.
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
        return False  # no name that a file can have: too long, or with a null character
