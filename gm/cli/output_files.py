"""Where commands write a file that a person names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gm.base.errors import GmError, UsageError
from gm.files.layout import Layout


def free_place(layout: Layout, target: str, force: bool | None, is_ours: Callable[[bytes], bool] | None) -> Path:
    """Return where a file goes.

    Args:
        force: Replace any file; None = the command cannot.
        is_ours: Whether gm made a file with this content, which may be replaced; None = that cannot be told.

    Raises:
        UsageError: The world keeps its own files there.
        GmError: There is a file that gm did not make, or may not have made.
    """
    try:
        place = Path(target).resolve()
        is_folder, is_there = place.is_dir(), place.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{target!r} cannot be a file", "name another one") from error
    for folder in layout.top_folders:
        if place.is_relative_to(folder.resolve()):
            raise UsageError(
                f"{target} lies in {layout.shown(folder)}/, which is the world's own", "name another place"
            )
    if is_folder:
        raise UsageError(f"{target} is a folder", "name a file in it")
    if not place.parent.is_dir():
        raise UsageError(f"there is no folder {place.parent}", "make it first")
    if is_there and not force:
        try:
            ours = is_ours is not None and is_ours(place.read_bytes())
        except OSError as error:
            raise GmError(f"cannot read {target}: {error.strerror}", "name another file") from error
        if not ours:
            raise GmError(
                f"{target} already exists" + ("" if is_ours is None else ", and gm did not make it"),
                "name another file" + ("" if force is None else ", or give --force"),
            )
    return place
