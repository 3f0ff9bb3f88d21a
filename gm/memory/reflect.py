"""When a character reflects, on what, and at which depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.base.config import ReflectionSettings

if TYPE_CHECKING:
    from gm.model.node import Node
    from gm.model.world import Agent

BY_QUESTIONS = "questions"
BEFORE = "before"


def is_reflection_due(accumulator: int, settings: ReflectionSettings) -> bool:
    """Return whether a reflection is due.

    Strict by default: the accumulator must exceed the threshold (document 004).
    """
    if not settings.enabled:
        return False
    return accumulator >= settings.threshold if settings.inclusive else accumulator > settings.threshold


def select_due(agents: Iterable[Agent], settings: ReflectionSettings) -> tuple[str, ...]:
    """Return the ids of due agents, in the order given.

    Insights that count for the next reflection (``reset: before``) call for none by themselves: an evening would never
    end.
    """
    return tuple(
        agent.id
        for agent in agents
        if is_reflection_due(agent.state.importance_accumulator, settings)
        and (settings.reset != BEFORE or _lived_since(agent))
    )


def _lived_since(agent: Agent) -> bool:
    start = find_reflected_end(agent.stream, agent.state.last_reflection)
    return not start or any(node.created != agent.stream[start - 1].created for node in agent.stream[start:])


def sum_importance(stream: Sequence[Node], last_reflection: str | None, reset: str = "after") -> int:
    """Return the summed importance of the nodes after the last reflection.

    Args:
        last_reflection: Id of the last node of a reflection scene; None or unknown = never reflected.
        reset: ``before``: that scene's insights count too.
    """
    start = find_reflected_end(stream, last_reflection)
    if reset == BEFORE and start:
        scene = stream[start - 1].created
        while start and stream[start - 1].created == scene and stream[start - 1].type == "reflection":
            start -= 1
    return sum(node.importance for node in stream[start:])


def select_input(stream: Sequence[Node], last_reflection: str | None, most: int = 30) -> tuple[Node, ...]:
    """Return the newest ``most`` nodes since the last reflection, oldest first."""
    return tuple(stream[max(find_reflected_end(stream, last_reflection), len(stream) - most) :])


def select_lived(stream: Sequence[Node], most: int = 100) -> tuple[Node, ...]:
    """Return the newest ``most`` nodes of depth 0, oldest first: the input for questions."""
    return tuple(node for node in stream if node.depth == 0)[-most:]


def find_reflected_end(stream: Sequence[Node], last_reflection: str | None) -> int:
    """Return the place behind the last reflection's nodes; 0 without one."""
    if last_reflection is None:
        return 0
    wanted = casefold(last_reflection)
    for place in range(len(stream) - 1, -1, -1):
        if stream[place].id == last_reflection or casefold(stream[place].id) == wanted:
            return place + 1
    return 0


def check_evidence(cited: Sequence[str], depth: Callable[[str], int | None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sort cited ids into existing and unknown ones; each once, in the order cited.

    ``depth`` returns None for no such node.
    """
    unique = tuple(dict.fromkeys(text.strip() for text in cited))
    found = {item: depth(item) is not None for item in unique}
    return tuple(item for item in unique if found[item]), tuple(item for item in unique if not found[item])


def depth_of(kind: str, evidence_depths: Iterable[int]) -> int:
    """Return a new node's depth: a reflection's is one above its deepest evidence, else 0."""
    return max(evidence_depths, default=0) + 1 if kind == "reflection" else 0
