"""Who a character is, and how it is now: what people wrote, and the agent file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Persona:
    """Who a character is, written by people.

    Attributes:
        front: The YAML front matter: name, role, home, topics, lines … every key optional.
        prose: The text below it, addressed to whoever plays the character.
    """

    front: Mapping[str, Any] = field(default_factory=dict)
    prose: str = ""


@dataclass(frozen=True, slots=True)
class AgentState:
    """The character now, as in ``state/agents/<id>.json``."""

    name: str
    position: str = ""
    current_task: str = ""
    today_plan: tuple[str, ...] = ()
    mood: str = ""
    importance_accumulator: int = 0
    last_reflection: str | None = None
    conv_summarized_until: str | None = None
    """The newest memory that stands in a summary (S3-12); absent from the file until there is one."""
    care_wanted: bool = False
    """Whether the character has asked for self-care and has not had it yet; absent from the file until it asks."""
