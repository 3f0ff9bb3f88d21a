"""Who is asked, and what it may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from gm.base.config import kinds
from gm.base.config.declare import SettingsSection, setting

MOST_OF_ANSWER, LONG_ANSWER, ANSWER_PART = 4096, 8192, 4
"""The usual limit of an answer: tokens, and 1/4 of a window."""


class LlmSettings(SettingsSection):
    """How the model is asked."""

    model: str = setting(
        "claude-sonnet-5",
        kinds.text,
        "Model of the Anthropic Messages API that `model: auto` asks when there is a key of Anthropic.",
    )
    concurrency: int = setting(16, kinds.whole(1, 200), "Calls under way at the same time.")
    max_tokens: int | None = setting(
        None,
        kinds.or_none(kinds.whole(256, 21000)),
        "Most tokens of one answer; null = 4096 (a chapter: 8192), or a quarter of the model's window where that is "
        "known and less.",
    )
    timeout_s: float = setting(
        180.0,
        kinds.number(1),
        "Seconds until a call that says nothing is given up. An answer may arrive for 20 times as long.",
    )
    max_retries: int = setting(4, kinds.whole(0, 20), "Repeats after a rate limit, an overload or a lost connection.")
    retry_after_max_seconds: float = setting(
        60.0,
        kinds.number(0),
        "Longest wait that a server may ask for (`retry-after`); one that asks for more is not waited for, the command"
        " stops and says so.",
    )
    cache: str = setting(
        "auto",
        kinds.one_of("auto", "5m", "1h", "off"),
        "How long the provider keeps what prompts have in common; auto = 5m at the Anthropic API, off elsewhere.",
    )
    structured: str = setting(
        "auto",
        kinds.one_of("auto", "schema", "prompt"),
        "How the form of a reply is asked for: as a schema, in the prompt, or auto = schema at the Anthropic API, both "
        "at other servers that speak it, and at chat completions the strictest form that the server takes.",
    )
    stream: str = setting(
        "auto",
        kinds.one_of("auto", "off"),
        "Whether answers arrive in pieces, which shows that a character is writing, and lets a slow server write for"
        " longer than `timeout_s`: auto = where the server can do it together with a schema. Nothing is used before it"
        " is whole.",
    )
    thinking: str = setting(
        "auto",
        kinds.one_of("auto", "none", "low", "medium", "high"),
        "How much a model thinks before it answers, at chat completions (sent as `reasoning_effort`): auto = not sent.",
    )

    def answer_tokens(self, window: int | None, *, is_long: bool = False) -> int:
        """Return the most tokens of one answer; a chapter is a long one. A window of None is unknown."""
        if self.max_tokens is not None:
            return self.max_tokens
        most = LONG_ANSWER if is_long else MOST_OF_ANSWER
        return most if window is None else min(most, window // ANSWER_PART)


class ReplySettings(SettingsSection):
    """How much of one reply is taken. What is over it is left out with a notice, and stays in the trace."""

    most_items: int = setting(
        100, kinds.whole(1, 10_000), "Items of each list: memories, spoken lines, `opens`, tags …; the first are taken."
    )
    most_characters: int = setting(
        10_000, kinds.whole(100, 1_000_000), "Characters of each text, but not of a work's `body`."
    )
    most_body_characters: int = setting(100_000, kinds.whole(100, 1_000_000), "Characters of the `body` of a work.")


class BudgetSettings(SettingsSection):
    """What a story day may cost. A call that could exceed a limit is not begun; what was spent is in the traces."""

    day_usd: float | None = setting(
        None, kinds.or_none(kinds.number(0)), "Most US dollars of a story day; null = no limit."
    )
    day_tokens: int | None = setting(
        None,
        kinds.or_none(kinds.whole(0)),
        "Most tokens of a story day, questions and answers together; null = no limit.",
    )
    calls: int | None = setting(None, kinds.or_none(kinds.whole(0)), "Most calls of a story day; null = no limit.")


class CallPurpose(NamedTuple):
    """What is true of the answers that a model is asked for.

    Attributes:
        can_wait: Whether nothing in the same scene waits for them.
        is_playable: Whether a person who plays a character gives them.
        states_mood: Whether they state the character's mood.
    """

    can_wait: bool = False
    is_playable: bool = False
    states_mood: bool = False


def _model_for(sentence: str, **answers: bool) -> Any:
    return setting(None, kinds.or_none(kinds.text), sentence, purpose=CallPurpose(**answers))


class ModelsSettings(SettingsSection):
    """Which model is asked for what; null = the one that plays everything else. A persona's own `model` comes first."""

    scene: str | None = _model_for("Plays scenes.", is_playable=True, states_mood=True)
    reflection: str | None = _model_for("Reflects.", can_wait=True, is_playable=True, states_mood=True)
    director: str | None = _model_for("Chooses scenes, with `director: llm`.")
    summary: str | None = _model_for("Puts old memories together in summaries (`selfcare`).", can_wait=True)
    rating: str | None = _model_for("Rates importance that a reply left out.", can_wait=True)
    diary: str | None = _model_for("Writes diaries.", can_wait=True, is_playable=True)
    narrator: str | None = _model_for("Retells days, with `narrator: on`, and writes chapters, with `chapters: on`.")

    def by_purpose(self) -> dict[str, str]:
        return {item.name: model for item in fields(self) if (model := getattr(self, item.name))}


PURPOSES: Mapping[str, CallPurpose] = {item.name: item.metadata["purpose"] for item in fields(ModelsSettings)}
"""What a world asks models for, by the names of their settings."""
