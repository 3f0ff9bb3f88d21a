"""A persona: front matter and prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.model.front import FRONT, Front


@dataclass(frozen=True, slots=True)
class Persona:
    """A character as written by people.

    Attributes:
        front: Front matter as it stands in the file.
        prose: Addressed to the model that plays the character.
        front_values: The readable values of the front matter.
    """

    front: Mapping[str, object] = field(default_factory=dict)
    prose: str = ""
    front_values: Front = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "front_values", FRONT.read_fitting(self.front))

    @property
    def lasting(self) -> str:
        """The prose without the sentences of ``until_now``."""
        prose = self.prose
        for sentence in self.front_values.until_now:
            prose = _without(prose, sentence)
        return prose


def has_sentence(prose: str, sentence: str) -> bool:
    """Return whether a text holds a sentence, regardless of line breaks."""
    return _pattern(sentence).search(prose) is not None


def _without(prose: str, sentence: str) -> str:
    found = _pattern(sentence).search(prose) if sentence.strip() else None
    if found is None:
        return prose
    left, right = prose[: found.start()].rstrip(" \t"), prose[found.end() :].lstrip(" \t")
    if not left or left.endswith("\n\n"):
        return left + right.lstrip()  # it began a paragraph
    return left + right if left[-1].isspace() or right[:1].isspace() else f"{left} {right}".rstrip(" ")


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, sentence.split())))
