"""Something that was told, for tests."""

from __future__ import annotations

from gm.api.experiments.evaluate.leaks import Told
from gm.model.calendar import SceneRef


def told(text: str) -> Told:
    return Told((SceneRef(1, 1), 1), "vera", frozenset(("leo",)), text)
