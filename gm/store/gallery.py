"""The gallery: where artifacts go, and nowhere else."""

from __future__ import annotations

from gm.errors import GmError
from gm.frontmatter import split_front_matter
from gm.store.layout import Layout


def read_artifact(layout: Layout, path: str) -> str | None:
    """Read the text of an artifact without its front matter; None when there is no such text in the gallery."""
    target = layout.root / path
    if not target.is_file() or not target.resolve().is_relative_to(layout.gallery.resolve()):
        return None
    try:
        text = target.read_text(encoding="utf-8")
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
