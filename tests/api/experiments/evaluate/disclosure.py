"""A text that a character shared, for tests."""

from __future__ import annotations

from gm.api.experiments.evaluate.leaks import Disclosure
from gm.model.calendar import SceneRef


def disclosure(text: str) -> Disclosure:
    return Disclosure((SceneRef(1, 1), 1), "vera", frozenset(("leo",)), text)
