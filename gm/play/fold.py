"""What makes a change of something played."""

from __future__ import annotations

from typing import Protocol

from gm.model.world import Change, World


class Fold(Protocol):
    """Makes a change of something played, for the world as it is given."""

    def __call__(self, world: World, /) -> Change:
        """Return the change; called again with the world read anew if its files were edited."""
        ...
