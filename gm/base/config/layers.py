"""What characters have beside persona and stream."""

from __future__ import annotations

from gm.base.config import kinds
from gm.base.config.declare import SettingsSection, setting

PERSONA_MODES = ("inject", "discover")
INJECT, DISCOVER = PERSONA_MODES


class SeedsSettings(SettingsSection):
    """What all characters know from the start beside personas and places; `gm gift` makes it into gifted memories."""

    lessons: tuple[str, ...] = setting((), kinds.texts, "Lessons that all characters know, one sentence or a few each.")
    shown: int = setting(
        3,
        kinds.whole(0),
        "Most seed memories that a scene calls up: lessons, and what a person has added to `state/gifted/`; 0 = none.",
    )


class WorkingSettings(SettingsSection):
    """The working memory: a page of the running day for each character, in ``state/working/``."""

    enabled: str = setting("auto", kinds.switch, "Whether characters keep a page; auto = once a page exists.")
    migrate_prefixes: tuple[str, ...] = setting(
        ("LESSON:", "STRATEGY:"),
        kinds.texts,
        "Beginnings of entries that become memories when the day is closed, in any case; in a German world LEKTION:"
        " goes with LESSON:, STRATEGIE: with STRATEGY:, EINSICHT: with INSIGHT:, NOTIZ: with NOTE:.",
    )
    lines: int = setting(12, kinds.whole(1), "Most lines of a page that are shown, and that a character may fill.")


class PersonaSettings(SettingsSection):
    """How characters get to know who they are."""

    mode: str = setting(
        "inject",
        kinds.one_of(*PERSONA_MODES),
        "inject: persona and memories stand in the prompt; discover: a character asks for them with its memory tools. "
        "`mode` in a persona's front matter says it for one character.",
    )
    max_tool_rounds: int = setting(
        6, kinds.whole(1, 50), "discover: how often a character may look something up before it has to answer."
    )
    tools: str = setting(
        "all", kinds.one_of("all", "core"), "discover: all thirteen memory tools, or the six that only ask (core)."
    )
    consult: bool = setting(
        False,
        kinds.flag,
        "discover: four steps of looking things up are demanded before every answer; costs more calls.",
    )
    reason: bool = setting(
        False,
        kinds.flag,
        "discover: think in steps from what is seen to a decision, look up what is uncertain, and name ids.",
    )


class ShareSettings(SettingsSection):
    """Memories that characters ask each other for and give away whole; document 003's neural link."""

    enabled: bool = setting(False, kinds.flag, "Let characters ask each other for their memories, and give them.")
    window_seconds: int | None = setting(
        120,
        kinds.or_none(kinds.whole(0)),
        "Seconds in which `gm share accept` answers a `gm share request`; null = as long as the story allows: until"
        " the end of the next scene of the character asked.",
    )
    shown: int = setting(6, kinds.whole(0), "Most memories taken over from others that a scene calls up; 0 = none.")


class CaptureSettings(SettingsSection):
    """What is kept of a scene beside what its people choose to remember."""

    dialogue: str = setting(
        "off",
        kinds.one_of("off", "own", "heard"),
        "Keep each utterance as a record that is found when it is looked for: one's own, or all that one heard.",
    )
