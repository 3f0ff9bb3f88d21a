"""All settings together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gm.base import plugins
from gm.base.config import kinds, setting_kinds
from gm.base.config.declare import SettingProblem, SettingsSection, parse_section, section, setting
from gm.base.config.index import IndexSettings
from gm.base.config.layers import CaptureSettings, PersonaSettings, SeedsSettings, ShareSettings, WorkingSettings
from gm.base.config.llm import BudgetSettings, LlmSettings, ModelsSettings, ReplySettings
from gm.base.config.memory import (
    AllowanceSettings,
    ContextSettings,
    ConversationsSettings,
    ImportanceSettings,
    MemorySettings,
    PlansSettings,
    ReflectionSettings,
    RetentionSettings,
    SelfcareSettings,
)
from gm.base.config.pages import PublishSettings
from gm.base.config.recall import DecaySettings, RagSettings, RecallSettings, RetrievalSettings, ToolsSettings
from gm.base.config.world import (
    CalendarSettings,
    DaySettings,
    StartSettings,
    ThreadsSettings,
    WeightsSettings,
    WorldSettings,
    working_week,
)

FORMAT = 2
"""The format that this version gives the files of a world: 2 for 0.2.

It is the minor version of the first gm that reads it; a version that changes no file keeps the number.
"""

DIRECTORS = ("rules", "llm", "script")
"""Who can choose scenes."""

PROMPT_SETS = ("full", "short")
"""Which of the packaged prompts can come first."""


class GitSettings(SettingsSection):
    """What `gm advance-day` commits."""

    commit: str = setting(
        "never",
        kinds.one_of("never", "day", "scene"),
        "Make a git commit of what was written: never, for each day, or for each scene; --commit means at least day.",
    )
    author: str = setting("", setting_kinds.author, "Who the commits are by: Name <mail>; empty = who git knows.")


class Settings(SettingsSection):
    """All settings of a world; ``Settings()`` is what an absent ``gm.yaml`` means."""

    format: int = setting(
        1, kinds.whole(1), "Format of the world's files; `gm migrate` raises it. A newer one than gm knows is refused."
    )
    language: str = setting(
        "de", kinds.text, "Language of the world and of its prompts: de, en, or one with own prompts."
    )
    prompts: str = setting(
        "full",
        kinds.one_of(*PROMPT_SETS),
        "Which packaged prompts are used: full, or short for models with a small window; own prompts come before both.",
    )
    seed: int = setting(1, kinds.whole(0), "Dice of the Game Master; --seed overrides it.")
    model: str = setting(
        "auto",
        kinds.text,
        "auto (what the environment offers: a key of Anthropic, a server in OPENAI_BASE_URL, another provider's key, "
        "else the rehearsal), rehearsal, mailbox, replay, a model of the Anthropic Messages API, or PROVIDER:MODEL "
        "(openai, ollama …: see gm models); --model overrides it.",
    )
    director: str = setting(
        "rules",
        kinds.one_of_or_added(plugins.DIRECTORS, *DIRECTORS),
        "Who chooses the scenes of a day: rules (by score), llm (a model, among the same candidates), script (a file in"
        " scripts/, where there is one for the day); --director overrides it.",
    )
    narrator: bool = setting(
        False,
        kinds.flag,
        "Whether a narrator retells each day in a few plain sentences when it closes; the next day's book and page "
        "begin with them.",
    )
    chapters: bool = setting(
        False,
        kinds.flag,
        "Whether the narrator writes each day as a chapter of prose when it closes: in one more long answer a day, "
        "from what was done, said and shown, quoted word for word. The day's page begins with it; in a book it stands "
        "before the scenes, with `gm export --story` in their place.",
    )
    world: WorldSettings = section(WorldSettings)
    calendar: CalendarSettings = section(CalendarSettings)
    places: Mapping[str, str] = setting({}, setting_kinds.text_map, "Rooms: id and one sentence each.")
    place_names: Mapping[str, str] = setting(
        {},
        setting_kinds.name_map,
        "Names of rooms on pages and in books, and where a character arrives, by id; without one, the id as words.",
    )
    start: StartSettings = section(StartSettings)
    day: DaySettings = section(DaySettings)
    weights: WeightsSettings = section(WeightsSettings)
    retrieval: RetrievalSettings = section(RetrievalSettings)
    recall: RecallSettings = section(RecallSettings)
    rag: RagSettings = section(RagSettings)
    glossary: Mapping[str, tuple[str, ...]] = setting(
        {},
        setting_kinds.synonyms,
        "Words of this world and others that mean the same, for looking things up: {word: [word, …]}.",
    )
    importance: ImportanceSettings = section(ImportanceSettings)
    memory: MemorySettings = section(MemorySettings)
    allowance: AllowanceSettings = section(AllowanceSettings)
    reflection: ReflectionSettings = section(ReflectionSettings)
    plans: PlansSettings = section(PlansSettings)
    threads: ThreadsSettings = section(ThreadsSettings)
    context: ContextSettings = section(ContextSettings)
    selfcare: SelfcareSettings = section(SelfcareSettings)
    conversations: ConversationsSettings = section(ConversationsSettings)
    retention: RetentionSettings = section(RetentionSettings)
    llm: LlmSettings = section(LlmSettings)
    reply: ReplySettings = section(ReplySettings)
    models: ModelsSettings = section(ModelsSettings)
    budget: BudgetSettings = section(BudgetSettings)
    index: IndexSettings = section(IndexSettings)
    relationships: str = setting(
        "auto",
        kinds.switch,
        "What characters think of each other, in state/relationships/: on, off, or auto = on if any character has "
        "such a file.",
    )
    diary: str = setting(
        "auto",
        kinds.switch,
        "A diary entry each evening, in state/diary/: on, off, or auto = on if any character has a diary.",
    )
    seeds: SeedsSettings = section(SeedsSettings)
    soul: str = setting(
        "auto",
        kinds.switch,
        "Whether characters have what stays with them for good, in state/souls/; auto = once there is such a file.",
    )
    working: WorkingSettings = section(WorkingSettings)
    now: str = setting(
        "auto",
        kinds.switch,
        "Whether characters write in the evening what occupies them and what they have come to think, in state/now/; "
        "auto = where diaries are on, or once there is such a file.",
    )
    metacognitive: bool = setting(
        False, kinds.flag, "Ask more fully what is worth remembering, with a good and a bad example."
    )
    tools: ToolsSettings = section(ToolsSettings)
    persona: PersonaSettings = section(PersonaSettings)
    decay: DecaySettings = section(DecaySettings)
    git: GitSettings = section(GitSettings)
    publish: PublishSettings = section(PublishSettings)
    share: ShareSettings = section(ShareSettings)
    memory_kinds: str = setting(
        "off",
        kinds.one_of("off", "on"),
        "Let characters say of a memory whether it is emotional, procedural or semantic, and show it.",
    )
    goals: str = setting(
        "auto",
        kinds.switch,
        "Goals of characters in state/goals/, and what they report about them: auto = where one has any.",
    )
    decisions: str = setting(
        "auto",
        kinds.switch,
        "The leader of a meeting notes what was decided, in `team_decisions` of state/bulletin.json; everyone reads it "
        "from then on. auto = where something stands there.",
    )
    capture: CaptureSettings = section(CaptureSettings)
    lenses: tuple[Mapping[str, Any], ...] = setting(
        (),
        kinds.records("{at: formation, name: envy, who: [leo], when: {tags: [vera]}, importance: -2}"),
        "How characters bend what they remember, as in a persona's `lenses`, with `who` for whom: [id, …];"
        " without names, all.",
    )
    prices: Mapping[str, Mapping[str, float]] = setting(
        {},
        setting_kinds.prices,
        "US dollars for a million tokens, by model: {model-name: {input: 3, output: 15}}. Also cache_write_5m, "
        "cache_write_1h and cache_read (1.25, 2 and 0.1 of the input where left out) and batch (0.5).",
    )

    def __init__(self, **values: Any) -> None:
        calendar = values.get("calendar", CalendarSettings())
        if calendar.weekdays is None:
            week = working_week(values.get("language", Settings.language))
            values["calendar"] = replace(calendar, weekdays=week)
        super().__init__(**values)

    @property
    def outside(self) -> str:
        """Who writes from outside the cast: the first brief's signer, else ``world.outside``."""
        return self.world.outside if self.start.brief_from is None else self.start.brief_from

    @property
    def switches(self) -> dict[str, str]:
        """Settings that are on, off or auto, by name; ``working.enabled`` by its section's."""
        return {name: getattr(self, name) if kind is None else getattr(self, name).enabled for name, kind in _SWITCHES}


_SWITCHES: tuple[tuple[str, type[SettingsSection] | None], ...] = tuple(
    (name, kind)
    for name, item in Settings.__dataclass_fields__.items()
    for kind in (item.metadata.get("section"),)
    for own in ((item if kind is None else kind.__dataclass_fields__.get("enabled")),)
    if own is not None and own.metadata.get("kind") is kinds.switch
)


def parse_settings(data: object) -> tuple[Settings, list[SettingProblem]]:
    """Turn the data of a ``gm.yaml`` into settings and problems; unusable values leave the default.

    Args:
        data: None for an absent or empty file.
    """
    problems: list[SettingProblem] = []
    parsed = parse_section(Settings, {} if data is None else data, (), problems)
    assert isinstance(parsed, Settings)
    return parsed, problems
