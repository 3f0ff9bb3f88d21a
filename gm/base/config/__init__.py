"""Every setting of ``gm.yaml``, declared once.

``parse_settings`` turns YAML data into ``Settings``; for what does not fit it returns a ``SettingProblem`` and uses the
default.
"""

from gm.base.config.declare import SettingProblem
from gm.base.config.index import CARRIED_MODEL, PROVIDERS, IndexSettings
from gm.base.config.kinds import ABSENCES, PRICE_KEYS
from gm.base.config.layers import (
    DISCOVER,
    INJECT,
    PERSONA_MODES,
    CaptureSettings,
    PersonaSettings,
    SeedsSettings,
    ShareSettings,
    WorkingSettings,
)
from gm.base.config.llm import BudgetSettings, LlmSettings, ModelsSettings, ReplySettings
from gm.base.config.memory import (
    PRUNINGS,
    SOURCES,
    AllowanceSettings,
    ContextSettings,
    ConversationsSettings,
    DuplicatesSettings,
    ImportanceSettings,
    MemorySettings,
    PlansSettings,
    QuestionsSettings,
    ReflectionSettings,
    RetentionSettings,
    SelfcareSettings,
)
from gm.base.config.recall import (
    STRATEGIES,
    DecaySettings,
    RagSettings,
    RecallSettings,
    RetrievalSettings,
    ToolsSettings,
    read_rag,
)
from gm.base.config.settings import DIRECTORS, FORMAT, PROMPT_SETS, GitSettings, Settings, parse_settings
from gm.base.config.world import (
    TIMES_OF_DAY,
    CalendarSettings,
    DaySettings,
    StartSettings,
    ThreadsSettings,
    WeightsSettings,
    WorldSettings,
)

__all__ = [
    "ABSENCES",
    "CARRIED_MODEL",
    "DIRECTORS",
    "DISCOVER",
    "FORMAT",
    "INJECT",
    "PERSONA_MODES",
    "PRICE_KEYS",
    "PROMPT_SETS",
    "PROVIDERS",
    "PRUNINGS",
    "SOURCES",
    "STRATEGIES",
    "TIMES_OF_DAY",
    "AllowanceSettings",
    "BudgetSettings",
    "CalendarSettings",
    "CaptureSettings",
    "ContextSettings",
    "ConversationsSettings",
    "DaySettings",
    "DecaySettings",
    "DuplicatesSettings",
    "GitSettings",
    "ImportanceSettings",
    "IndexSettings",
    "LlmSettings",
    "MemorySettings",
    "ModelsSettings",
    "PersonaSettings",
    "PlansSettings",
    "QuestionsSettings",
    "RagSettings",
    "RecallSettings",
    "ReflectionSettings",
    "ReplySettings",
    "RetentionSettings",
    "RetrievalSettings",
    "SeedsSettings",
    "SelfcareSettings",
    "SettingProblem",
    "Settings",
    "ShareSettings",
    "StartSettings",
    "ThreadsSettings",
    "ToolsSettings",
    "WeightsSettings",
    "WorkingSettings",
    "WorldSettings",
    "parse_settings",
    "read_rag",
]
