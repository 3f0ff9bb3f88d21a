"""The gallery: where artifacts go, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from gm.errors import GmError, UsageError
from gm.frontmatter import load_safely, split_front_matter
from gm.store.layout import GALLERY, Layout
from gm.store.text import files_below, read_data

NEAREST = 3
MOST_BYTES = 20_000_000  # of one piece; what is larger is not set in a book


@dataclass(frozen=True, slots=True)
class Piece:
    """A file of the gallery.

    Attributes:
        path: Inside the world: ``gallery/…``.
        front: Its front matter; empty when there is none that can be read.
        text: Its text without the front matter; None when it is no text.
        data: Its bytes.
    """

    path: str
    front: Mapping[str, Any]
    text: str | None
    data: bytes = field(repr=False)


def load_piece(layout: Layout, path: str) -> Piece | None:
    """Read a file of the gallery; None when there is no such file in it, or it is too large.

    Args:
        layout: The world.
        path: From the world's folder or from the gallery; of any origin.
    """
    inside = layout.gallery.resolve()
    for target in (layout.root / path, layout.gallery / path):
        try:
            real = target.resolve()
            if not real.is_relative_to(inside) or not real.is_file() or real.stat().st_size > MOST_BYTES:
                continue
            data = read_data(real)
        except (OSError, ValueError, RuntimeError):
            continue  # no name that a file can have, or a link to itself
        return Piece(f"{GALLERY}/{real.relative_to(inside).as_posix()}", *_parts(data), data)
    return None


def gallery_paths(layout: Layout) -> tuple[str, ...]:
    """Name every visible file of the gallery, in a fixed order: paths inside the world."""
    return tuple(layout.shown(path) for path in files_below(layout.gallery))


def _parts(data: bytes) -> tuple[Mapping[str, Any], str | None]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return {}, None
    front, body, _ = split_front_matter(text)
    try:
        values = load_safely(front) if front else {}
    except (yaml.YAMLError, ValueError, RecursionError):
        values = {}
    return values if isinstance(values, dict) else {}, body.strip()


def read_artifact(layout: Layout, path: str) -> str | None:
    """Read the text of an artifact without its front matter; None when there is no such text in the gallery."""
    target = layout.root / path
    if not target.is_file() or not target.resolve().is_relative_to(layout.gallery.resolve()):
        return None
    try:
        text = target.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError):
        return None  # a picture, or something else that nobody can read out
    return split_front_matter(text)[1].strip() or None


def is_taken(layout: Layout, path: str) -> bool:
    """Tell whether the name of a new artifact is in use, in any case of its letters.

    Args:
        layout: The world.
        path: ``gallery/<kind>/<name>``, made by ``gm.scene.names``.

    Raises:
        GmError: The folder leads out of the gallery, by a link that somebody put there.
    """
    target = layout.root / path
    inside = layout.gallery.resolve()
    if not target.parent.resolve().is_relative_to(inside):
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
        if _is_file(path) and path.resolve().is_relative_to(inside):
            return f"{GALLERY}/{path.resolve().relative_to(inside).as_posix()}"
    known = sorted(layout.shown(path) for path in layout.gallery.rglob("*") if _is_file(path))
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
