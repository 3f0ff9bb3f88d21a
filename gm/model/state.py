"""The agent file of a character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from gm.base.config import kinds
from gm.model.record import Key, Merge, Record, text_key


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
    deleted_until: int = 0


class AgentStateChange(TypedDict, total=False):
    """New values of ``AgentState``, as its file holds them."""

    position: str
    current_task: str
    today_plan: list[str]
    mood: str
    importance_accumulator: int
    last_reflection: str | None
    conv_summarized_until: str | None
    care_wanted: bool
    deleted_until: int


_ID = kinds.Kind("a text", kinds.text.fits, kinds.text.schema, keep=lambda value: value or None)


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
        merge=Merge.PLAN,
    ),
    text_key("mood", "how the character feels"),
    Key(
        "importance_accumulator",
        kinds.loose_whole(0),
        "importance of all memories since the last reflection",
        default=0,
        merge=Merge.COUNTED,
    ),
    Key(
        "last_reflection",
        _ID,
        "the id of the last memory of the last reflection; null before the first",
        default=None,
        null=True,
        merge=Merge.THEIRS,
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
    Key(
        "deleted_until",
        kinds.loose_whole(0),
        "the number of the newest memory that was deleted, which none gets again",
        default=0,
        brief=True,
        merge=Merge.MOST,
    ),
    code="value-type",
)
"""The file ``state/agents/<id>.json``."""
