"""gm: a world is a folder, a day is a command, a memory is a line.

From Python, questions about a world are functions that return frozen values, and ``as_json`` makes plain data of
them. Acts return what the commands of the same name print. Everything in ``__all__`` is imported when it is first
used::

    import gm

    layout = gm.create_world("my-world", "dinner")
    gm.play_days(layout, "rehearsal", days=2)
    opened = gm.open_world(layout.root)
    print([memory.description for memory in opened.memories("casey")])
    print(gm.recall_memories(layout, "casey", "the budget for Sunday").memories[0].content)

``docs/reference/api.md`` of the repository describes every public name, ``docs/notebook.ipynb`` is a tour.
``README.md`` beside this file says which packages there are, and what each may import.
"""

from collections.abc import Mapping

__version__ = "0.2.0"

_HOMES = {
    "gm.api.answers.document": ("as_json",),
    "gm.api.editing.check.whole": ("CheckReport", "Counts", "check_world", "describe_report"),
    "gm.api.editing.memory": ("NewMemory", "add_memory"),
    "gm.api.editing.threads": ("ThreadState", "Threads", "WaitingItem", "describe_threads"),
    "gm.api.experiments.evaluate.evaluation": ("describe_evaluation",),
    "gm.api.experiments.evaluate.measure": (
        "Canary",
        "Case",
        "Evaluation",
        "EvaluationAgainst",
        "Figure",
        "FirstFigure",
        "Measured",
    ),
    "gm.api.experiments.interview.asking": ("InterviewOptions", "InterviewResult", "LeftOut", "interview_characters"),
    "gm.api.experiments.judging.pairs": ("PairsMade", "make_pairs"),
    "gm.api.experiments.judging.verdicts": ("JudgingResult", "RankedCondition", "describe_judged"),
    "gm.api.experiments.sweep.compare": ("Experiment", "compare_conditions"),
    "gm.api.experiments.sweep.effects": ("ComparedFigure", "Effect"),
    "gm.api.experiments.sweep.play": ("RunOutcome",),
    "gm.api.experiments.sweep.results": ("RunResult",),
    "gm.api.experiments.sweep.run": ("Expectation", "SweepCallbacks", "SweepResult", "play_sweep", "read_sweep"),
    "gm.api.history.compare.comparison": (
        "AgentCurves",
        "BoardDifference",
        "ComparedPair",
        "ComparedRun",
        "Comparison",
        "EventDifference",
        "GivenDifference",
        "UnreadableFile",
        "WorkDifference",
        "describe_comparison",
    ),
    "gm.api.history.compare.lines": ("LineDifference",),
    "gm.api.history.compare.parting": (
        "ContentDifference",
        "MemoryDifference",
        "Parting",
        "SceneDifference",
        "SceneDifferences",
    ),
    "gm.api.history.diff.difference": ("AgentDifference", "Difference", "WorkChanges", "describe_difference"),
    "gm.api.history.diff.parts": ("BoardChanges", "BriefScene", "MemoryChange", "ThreadChanges"),
    "gm.api.history.past": ("parse_moment",),
    "gm.api.history.pastfiles": ("UnreadablePlace",),
    "gm.api.history.rewind.branches": ("Branch", "make_branch"),
    "gm.api.history.states": ("NamedState",),
    "gm.api.playing.ask": ("Answered", "CharacterQuestion", "ask_character"),
    "gm.api.playing.context": ("Context", "ContextOptions", "SeenThrough", "describe_context"),
    "gm.api.playing.days": ("play_days", "play_scene"),
    "gm.api.reports.cost": ("CostSum", "Tokens"),
    "gm.api.reports.memories": ("AgentMemories", "MemoriesFound", "describe_found", "describe_stream"),
    "gm.api.reports.models": ("choose_for",),
    "gm.api.reports.opened": ("OpenWorld", "open_world"),
    "gm.api.reports.recall": (
        "Recall",
        "RecallOptions",
        "Recalled",
        "RecalledMemory",
        "open_recall",
        "recall_memories",
    ),
    "gm.api.reports.relationships": ("Regard", "RegardChange", "RegardDay", "Relationships", "describe_relationships"),
    "gm.api.reports.stats": ("MemoryStatistics", "Importance", "Stats", "describe_stats"),
    "gm.api.reports.status": ("AgentStatus", "Due", "QuestionOutside", "Status", "describe_due", "describe_status"),
    "gm.api.reports.tables": (
        "calls_table",
        "lines_table",
        "memories_table",
        "relationships_table",
        "scenes_table",
        "threads_table",
        "write_csv",
        "write_parquet",
    ),
    "gm.api.reports.why.describe": ("Why", "WorkOrigin", "describe_why"),
    "gm.api.reports.why.origin": ("CitedMemory",),
    "gm.api.reports.why.questions": ("ModelCall", "SentPrompt"),
    "gm.api.worlds.create": ("create_world",),
    "gm.base.arguments": ("WrongTypeError", "WrongValueError"),
    "gm.base.config.settings": ("Settings",),
    "gm.base.errors": (
        "BackendError",
        "BrokenWorldError",
        "BudgetError",
        "GmError",
        "LockedError",
        "NoWorldError",
        "Problem",
        "Severity",
        "UsageError",
        "WaitingError",
    ),
    "gm.files.check.whole": ("Findings",),
    "gm.files.commits.lock": ("Holder",),
    "gm.files.experiments.sweeps.folder": ("Condition", "Sweep", "SweepFolder", "SweepRun"),
    "gm.files.layout": ("Layout",),
    "gm.files.story.logbook": ("DayLog",),
    "gm.files.streams.find": ("FoundMemory",),
    "gm.layers.relationships": ("Relationship",),
    "gm.llm.base": ("Backend",),
    "gm.llm.choose": ("Choice",),
    "gm.memory.recall.query": ("Filters", "Purpose"),
    "gm.model.calendar": ("SceneRef",),
    "gm.model.clock": ("Clock", "Post", "ScheduledEvent"),
    "gm.model.front": ("Front", "Topic", "Work"),
    "gm.model.interview": ("FirstAnswer", "InterviewAnswer", "QuestionKind", "Quote", "Withheld"),
    "gm.model.mind": ("Mind",),
    "gm.model.node": ("Node", "NodeType", "Tier"),
    "gm.model.persona": ("Persona",),
    "gm.model.logged": ("LogEntry",),
    "gm.model.scene": ("Scene",),
    "gm.model.state": ("AgentState",),
    "gm.model.thread": ("Thread", "ThreadKind"),
    "gm.model.turns": ("PlayedTurn", "Said"),
    "gm.model.verdict": ("Compared",),
    "gm.model.world": ("Agent", "Change", "World"),
    "gm.play.directors": ("Direction",),
    "gm.play.fitting": ("PromptSection",),
    "gm.play.master": ("DayResult", "PlayOptions"),
    "gm.play.report": ("Report",),
    "gm.play.vector_search": ("VectorSearch",),
    "gm.play.windows": ("Window",),
    "gm.scene.directing.choosing": ("SceneRequest",),
}
"""Where each public name is declared; ``make docs`` writes ``__init__.pyi`` from it, for type checkers."""

_RENAMED: Mapping[str, tuple[str, str]] = {
    "ContextWish": ("ContextOptions", "0.3.0"),
    "InterviewWish": ("InterviewOptions", "0.3.0"),
    "RecallWish": ("RecallOptions", "0.3.0"),
    "SceneWish": ("SceneRequest", "0.3.0"),
}
"""Old public names: the new one, and the version that no longer has the old one."""

__all__ = sorted(name for names in _HOMES.values() for name in names)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    from importlib import import_module

    if name in _RENAMED:
        from warnings import warn

        new, gone_in = _RENAMED[name]
        message = f"gm.{name} is now gm.{new}; the old name goes with version {gone_in}"
        warn(message, DeprecationWarning, stacklevel=2)
        return getattr(import_module(__name__), new)
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(home), name)
    if hasattr(found, "__code__"):
        from gm.base.arguments import checked

        found = checked(found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
