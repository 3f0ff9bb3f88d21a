"""A question that a character is asked outside of every scene."""

from __future__ import annotations

from dataclasses import dataclass

from gm.model.calendar import SceneRef


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        agent: Id of who is asked.
        text: The question.
        author: Who asks.
        where: After which scene it is asked.
    """

    agent: str
    text: str
    author: str
    where: SceneRef
