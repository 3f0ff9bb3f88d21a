"""The sentences of a world's language that are not in templates."""

from __future__ import annotations

from typing import Protocol


class Sentences(Protocol):
    """The Game Master's sentences in the world's language, by key."""

    def __call__(self, key: str, /, **values: object) -> str: ...
