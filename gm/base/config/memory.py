"""What is remembered, reflected on, shown and put away."""

from __future__ import annotations

from collections.abc import Mapping

from gm.base.config import kinds, setting_kinds
from gm.base.config.declare import SettingsSection, section, setting

SOURCES = ("about_present", "location", "goal", "important_recent")
PRUNINGS = ("importance_weighted", "fifo", "recency")
"""What goes to the archive first."""


class ImportanceSettings(SettingsSection):
    """Where the importance of a memory comes from."""

    from_: str = setting(
        "reply",
        kinds.one_of("reply", "facets", "heuristic"),
        "reply: the character says it; facets: it says how far a memory concerns what it wants, how much it moves it,"
        " how new it is, and the Game Master weighs the three (.4/.3/.3); heuristic: a rule rates, without a model.",
    )
    missing: str = setting(
        "heuristic",
        kinds.one_of("heuristic", "llm", "batch", "error"),
        "heuristic: rated by rule; llm: a model is asked for each memory; batch: it is asked once for all of a scene;"
        " error: the reply is shown its problem. Recorded in metadata.importance_by.",
    )
    signals: Mapping[str, tuple[str, ...]] = setting(
        {},
        setting_kinds.word_lists,
        "Signal words of the rule by language, instead of the built-in ones for de and en: each that occurs in a text"
        " adds 0.5. Beginnings of words will do.",
    )

    @property
    def rater(self) -> str:
        """Who rates memories without importance: ``missing``, or the rule where no model is to be asked."""
        return "heuristic" if self.from_ == "heuristic" else self.missing


class DuplicatesSettings(SettingsSection):
    """Memories that repeat one of the last days: reported, and not kept twice."""

    days: int = setting(
        0, kinds.whole(0), "Story days that are looked through, today included, for the same words; 0 = off."
    )
    overlap: float | None = setting(
        None,
        kinds.or_none(kinds.between(0.3, 1)),
        "Share of words in common (by their stems) from which two memories say the same; null = only the same words.",
    )


class MemorySettings(SettingsSection):
    """What becomes a memory."""

    duplicates: DuplicatesSettings = section(DuplicatesSettings)


class AllowanceSettings(SettingsSection):
    """What a character may do in a story day."""

    memories_per_day: int | None = setting(
        None,
        kinds.or_none(kinds.whole(1)),
        "Most memories that a character forms by itself in a story day. The most important ones of the day are kept: a "
        "later one that weighs more than one of an earlier scene takes its place, which goes to the archive. "
        "null = no limit.",
    )


class QuestionsSettings(SettingsSection):
    """How characters reflect by questions (`reflection.method: questions`)."""

    recent: int = setting(100, kinds.whole(1), "Newest lived memories that the questions are found in.")
    questions: int = setting(3, kinds.whole(1, 10), "Questions of one reflection.")
    memories_per_question: int = setting(10, kinds.whole(1, 50), "Memories that are looked for to each question.")


class ReflectionSettings(SettingsSection):
    """When and how characters reflect."""

    enabled: bool = setting(
        True,
        kinds.flag,
        "Let characters reflect: false = no reflection scenes, and no memory of type reflection from any other scene.",
    )
    threshold: int = setting(100, kinds.whole(1), "Summed importance that must be exceeded for a reflection.")
    inclusive: bool = setting(False, kinds.flag, "Reaching the threshold is enough.")
    input: int = setting(30, kinds.whole(1), "Most nodes since the last reflection that are looked back on.")
    insights: tuple[int, int] = setting((3, 5), kinds.span(1), "Fewest and most insights of one reflection.")
    method: str = setting(
        "insights",
        kinds.one_of("insights", "questions"),
        "insights: one look back; questions: first what there is to ask, then insights from what memory says to it.",
    )
    questions: QuestionsSettings = section(QuestionsSettings)
    min_importance: int | None = setting(
        None,
        kinds.or_none(kinds.whole(1, 10)),
        "Least importance of an insight of a reflection scene; null = as it is given.",
    )
    reset: str = setting(
        "after",
        kinds.one_of("after", "before"),
        "When the sum starts over: after the insights are written, or before, so that they count for the next one.",
    )


class PlansSettings(SettingsSection):
    """Whether characters plan."""

    enabled: bool = setting(
        True,
        kinds.flag,
        "Let characters plan their day: false = they are asked for no plan, see none, and nothing is played because of "
        "one.",
    )


class ContextSettings(SettingsSection):
    """How long a prompt may get."""

    budget_tokens: int | None = setting(
        None,
        kinds.or_none(kinds.whole(500)),
        "Most estimated tokens of a character's memories in a prompt; null = no limit.",
    )
    budget_by_model: Mapping[str, int] = setting(
        {}, kinds.counts(500), "The same for single models, by name; they come before `budget_tokens`."
    )
    prompt_tokens: int | None = setting(
        None,
        kinds.or_none(kinds.whole(1000)),
        "Most estimated tokens of a whole prompt; what does not fit is left out by priority and said; null = what the"
        " model's window leaves, where its server tells it. A setting only lowers that.",
    )
    prompt_by_model: Mapping[str, int] = setting(
        {}, kinds.counts(1000), "The same for single models, by name; they come before `prompt_tokens`."
    )
    sources: tuple[str, ...] = setting(
        (),
        kinds.some_of(*SOURCES),
        "What is looked up for every scene: about_present (the people there), location, goal (task and plan),"
        " important_recent (what weighed most lately).",
    )
    memories_per_source: int = setting(3, kinds.whole(1, 20), "Most memories that each of `sources` adds.")

    def budget_for(self, model: str) -> int | None:
        """Tokens; None = no limit."""
        return self.budget_by_model.get(model, self.budget_tokens)

    def prompt_for(self, model: str) -> int | None:
        """Return the most tokens of a whole prompt; None = no limit."""
        return self.prompt_by_model.get(model, self.prompt_tokens)


class SelfcareSettings(SettingsSection):
    """When old memories are put together in summaries, and the originals go to the archive."""

    enabled: bool = setting(
        False, kinds.flag, "Do it at the close of a day where it is due; `gm care` does it by hand."
    )
    min: int = setting(30, kinds.whole(2), "Fewest memories that are worth a summary.")
    batch: int = setting(500, kinds.whole(2), "Most memories of one question to the model, the oldest first.")
    token_ceiling: int = setting(
        100_000, kinds.whole(1000), "Estimated tokens of a stream above which its oldest memories are summarised."
    )
    post_ceiling: int = setting(50_000, kinds.whole(500), "Estimated tokens to which a stream is brought down then.")
    summary_ceiling: int = setting(
        12_000,
        kinds.whole(4000),
        "Estimated tokens of a character's summaries above which the oldest are themselves summarised, down to half.",
    )
    prompt_tokens: int = setting(
        30_000,
        kinds.whole(2000),
        "Most estimated tokens of the memories in one question; long ones are shortened in it.",
    )
    at_home: bool = setting(False, kinds.flag, "Only when the character is where it is at home.")


class ConversationsSettings(SettingsSection):
    """How many conversations a character keeps in mind."""

    max: int = setting(
        1000,
        kinds.whole(1),
        "Conversation memories of a stream above which self-care summarises the oldest of them: "
        "at the close of a day with `selfcare.enabled`, else only by hand with `gm care`.",
    )


class RetentionSettings(SettingsSection):
    """Which memories go to the archive without a summary."""

    strategy: str = setting(
        "none",
        kinds.one_of("none", *PRUNINGS),
        "What goes first at the close of a day: importance_weighted: the least of importance · 0.7 + recency · 0.3; "
        "fifo: the first in the stream; recency: the longest ago; none = nothing does.",
    )
    max_observations: int = setting(
        1000,
        kinds.whole(1),
        "Most memories of depth 0 that a stream keeps, beside what a prompt needs: `retrieval.last`, the running day, "
        "what came since the last reflection, pinned and critical ones.",
    )
    max_reflections: int | None = setting(
        100,
        kinds.or_none(kinds.whole(1)),
        "Most memories of depth 1 and more that a stream keeps; null = all. "
        "Self-care takes only those above it, the oldest first, with any strategy.",
    )
