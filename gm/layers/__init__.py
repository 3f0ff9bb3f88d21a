"""The layers of a mind, one module for each. All that handles layers iterates over ``LAYERS``."""

from __future__ import annotations

from collections.abc import Sequence

from gm.layers.declare import AnyLayer
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.now import NOW
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING

LAYERS: Sequence[AnyLayer] = [SOUL, NOW, WORKING, GOALS, RELATIONSHIPS, DIARY]
"""All layers, in the order in which they are written. A list only for ``declared`` in the tests, which adds one."""
