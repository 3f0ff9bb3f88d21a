"""The layers of a mind, one module for each. All that handles layers iterates over ``LAYERS``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gm.layers.declare import AnyLayer
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.now import NOW
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING

_layers: list[AnyLayer] = [SOUL, NOW, WORKING, GOALS, RELATIONSHIPS, DIARY]
LAYERS: Sequence[AnyLayer] = _layers
"""All layers, in the order in which they are written. Only ``declared`` adds to them."""


@contextmanager
def declared(layer: AnyLayer) -> Iterator[None]:
    """Declare a further layer within a block, as tests do."""
    _layers.append(layer)
    try:
        yield
    finally:
        _layers.remove(layer)
