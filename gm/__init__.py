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
    "gm.api.playing.ask": ("Answered", "Ask", "ask_character"),
    "gm.api.editing.check.whole": ("check_world", "describe_report"),
    "gm.api.playing.context": ("Context", "ContextOptions", "describe_context"),
    "gm.api.worlds.create": ("create_world",),
    "gm.api.answers.document": ("as_json",),
    "gm.api.experiments.evaluate.evaluation": ("describe_evaluation",),
    "gm.api.experiments.evaluate.measure": ("Evaluation", "Figure", "Measured"),
    "gm.api.history.compare.comparison": ("Comparison", "describe_comparison"),
    "gm.api.history.diff.difference": ("describe_difference",),
    "gm.api.history.rewind.branches": ("Branch", "make_branch"),
    "gm.api.experiments.interview.asking": ("InterviewOptions", "Interviewed", "interview_characters"),
    "gm.api.experiments.judging.verdicts": ("describe_judged",),
    "gm.api.experiments.judging.pairs": ("make_pairs",),
    "gm.api.experiments.judging.judged": ("Judged",),
    "gm.api.editing.memory": ("NewMemory", "add_memory"),
    "gm.api.reports.memories": ("describe_found", "describe_stream"),
    "gm.api.reports.models": ("choose_for",),
    "gm.api.reports.opened": ("OpenWorld", "open_world"),
    "gm.api.playing.days": ("play_days", "play_scene"),
    "gm.api.reports.recall": (
        "Recall",
        "Recalled",
        "RecalledMemory",
        "RecallOptions",
        "open_recall",
        "recall_memories",
    ),
    "gm.api.reports.relationships": ("Regard", "describe_relationships"),
    "gm.api.reports.stats": ("describe_stats",),
    "gm.api.reports.status": ("describe_due", "describe_status"),
    "gm.api.experiments.sweep.effects": ("Experiment", "compare_conditions"),
    "gm.api.experiments.sweep.run": ("Played", "play_sweep", "read_sweep"),
    "gm.api.reports.tables": (
        "calls_table",
        "lines_table",
        "memories_table",
        "relationships_table",
        "scenes_table",
        "threads_table",
        "write_parquet",
    ),
    "gm.api.editing.threads": ("describe_threads",),
    "gm.api.reports.why.describe": ("describe_why",),
    "gm.base.errors": ("GmError", "WaitingError"),
    "gm.files.layout": ("Layout",),
    "gm.layers.relationships": ("Relationship",),
    "gm.llm.choose": ("Choice",),
    "gm.model.calendar": ("SceneRef",),
    "gm.model.character": ("Agent",),
    "gm.model.interview": ("InterviewAnswer",),
    "gm.model.node": ("Node",),
    "gm.model.scene": ("LogEntry",),
    "gm.model.thread": ("Thread",),
    "gm.model.world": ("World",),
    "gm.play.master": ("DayResult",),
    "gm.play.report": ("Report",),
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
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
