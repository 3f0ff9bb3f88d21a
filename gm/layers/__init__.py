"""The layers of a mind: what a character has beside its persona and its memory stream.

One module for each layer, with its value, its change and its declaration; ``LAYERS`` lists them in the order in which
they are written. What is done with layers (loading, checking, merging, showing …) goes over ``LAYERS``.
"""

from __future__ import annotations

from typing import Any

from gm.layers.declare import Layer
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING

LAYERS: list[Layer[Any, Any]] = [SOUL, WORKING, GOALS, RELATIONSHIPS, DIARY]
"""Every layer. A list, so that a test can declare a further one for its time."""
