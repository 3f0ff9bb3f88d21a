"""Every setting of ``gm.yaml``, declared once.

``parse_settings`` turns YAML data into ``Settings``; for what does not fit it returns a ``SettingProblem`` and uses the
default.
"""

from gm.base.config.declare import SettingProblem
from gm.base.config.index import IndexSettings
from gm.base.config.layers import CaptureSettings, PersonaSettings, ShareSettings, WorkingSettings
from gm.base.config.llm import PURPOSES, BudgetSettings, LlmSettings, ReplySettings
from gm.base.config.memory import (
    AllowanceSettings,
    ContextSettings,
    ConversationsSettings,
    DuplicatesSettings,
    ImportanceSettings,
    MemorySettings,
    PlansSettings,
    ReflectionSettings,
    RetentionSettings,
    SelfcareSettings,
)
from gm.base.config.recall import DecaySettings, RagSettings, RecallSettings, RetrievalSettings, read_rag
from gm.base.config.settings import DIRECTORS, FORMAT, PROMPT_SETS, GitSettings, Settings, parse_settings
from gm.base.config.world import (
    TIMES_OF_DAY,
    CalendarSettings,
    DaySettings,
    ThreadsSettings,
    WeightsSettings,
    WorldSettings,
)
