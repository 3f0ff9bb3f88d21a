"""The gallery: where artifacts go, and nowhere else."""

from __future__ import annotations

from gm.errors import GmError
from gm.store.layout import Layout


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
