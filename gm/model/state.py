"""The persona and the agent file of a character."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.base.config import kinds
from gm.base.config.kinds import Kind
from gm.model.record import Key, Record, text_key


@dataclass(frozen=True, slots=True)
class Persona:
    """A character as written by people.

    Attributes:
        front: Front matter: name, role, home, topics, lines … all keys optional.
        prose: Addressed to the model that plays the character.
    """

    front: Mapping[str, object] = field(default_factory=dict)
    prose: str = ""

    @property
    def until_now(self) -> tuple[str, ...]:
        """Sentences of the prose that hold until the character has written what occupies it (``until_now``)."""
        listed = self.front.get(UNTIL_NOW)
        return tuple(text for text in listed if isinstance(text, str)) if isinstance(listed, list) else ()

    @property
    def lasting(self) -> str:
        """The prose without the sentences of ``until_now``."""
        prose = self.prose
        for sentence in self.until_now:
            prose = _without(prose, sentence)
        return prose


UNTIL_NOW = "until_now"


def has_sentence(prose: str, sentence: str) -> bool:
    """Return whether a text holds a sentence, however its lines are broken."""
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


@dataclass(frozen=True, slots=True)
class AgentState:
    """The current state of a character; ``AGENT_STATE`` describes the attributes."""

    name: str
    position: str = ""
    current_task: str = ""
    today_plan: tuple[str, ...] = ()
    mood: str = ""
    importance_accumulator: int = 0
    last_reflection: str | None = None
    conv_summarized_until: str | None = None
    care_wanted: bool = False


_ID = Kind("a text", kinds.text.fits, kinds.text.schema, keep=lambda value: value or None)


AGENT_STATE = Record(
    AgentState,
    "state of a character",
    text_key("name", "the display name, where the persona has none"),
    text_key("position", "the place where the character is"),
    text_key("current_task", "what the character is doing"),
    Key(
        "today_plan",
        kinds.loose_texts,
        "the plan of the day, one entry each; DONE, MOVED or DROPPED before what is no longer to be done",
        default=(),
        null=True,
    ),
    text_key("mood", "how the character feels"),
    Key("importance_accumulator", kinds.counted(0), "importance of all memories since the last reflection", default=0),
    Key(
        "last_reflection",
        _ID,
        "the id of the last memory of the last reflection; null before the first",
        default=None,
        null=True,
    ),
    Key(
        "conv_summarized_until", _ID, "the newest memory that stands in a summary", default=None, null=True, brief=True
    ),
    Key(
        "care_wanted",
        kinds.flag,
        "whether the character has asked for self-care and has not had it yet",
        default=False,
        brief=True,
    ),
    code="value-type",
)
"""The file ``state/agents/<id>.json``."""
