"""gm: a world is a folder, a day is a command, a memory is a line.

From Python, questions about a world are functions that return frozen values, and ``as_json`` makes plain data of
them. Acts return what the commands of the same name print. Everything in ``__all__`` is imported when it is first
used::

    import gm

    opened = gm.open_world("my-world")
    status, problems = gm.describe_status(opened.layout)
    print(status.day, gm.describe_stats(opened.world).all.memories)

``README.md`` beside this file says which packages there are, and what each may import.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "gm.play.report": ("Report",),
    "gm.play.master": ("play_days",),
    "gm.base.errors": ("GmError", "WaitingError"),
    "gm.api.check": ("check_world", "describe_report"),
    "gm.api.context": ("ContextWish", "describe_context"),
    "gm.api.create": ("create_world",),
    "gm.api.history.diff.describe": ("describe_difference",),
    "gm.api.document": ("as_json",),
    "gm.api.memory.add": ("NewMemory", "add_memory"),
    "gm.api.memory.describe": ("describe_found", "describe_stream"),
    "gm.api.models": ("choose_for",),
    "gm.api.opened": ("OpenWorld", "open_world"),
    "gm.api.recall": ("RecallWish", "open_recall"),
    "gm.api.relationships": ("describe_relationships",),
    "gm.api.stats": ("describe_stats",),
    "gm.api.status": ("describe_due", "describe_status"),
    "gm.api.threads": ("describe_threads",),
    "gm.api.why": ("describe_why",),
}
"""Where each public name is declared."""

if TYPE_CHECKING:
    from gm.api.check import check_world, describe_report
    from gm.api.context import ContextWish, describe_context
    from gm.api.create import create_world
    from gm.api.document import as_json
    from gm.api.history.diff.describe import describe_difference
    from gm.api.memory.add import NewMemory, add_memory
    from gm.api.memory.describe import describe_found, describe_stream
    from gm.api.models import choose_for
    from gm.api.opened import OpenWorld, open_world
    from gm.api.recall import RecallWish, open_recall
    from gm.api.relationships import describe_relationships
    from gm.api.stats import describe_stats
    from gm.api.status import describe_due, describe_status
    from gm.api.threads import describe_threads
    from gm.api.why import describe_why
    from gm.base.errors import GmError, WaitingError
    from gm.play.master import play_days
    from gm.play.report import Report
else:

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used."""
        from importlib import import_module

        home = next((home for home, names in _HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(home), name)
        globals()[name] = found
        return found


__all__ = [
    "ContextWish",
    "GmError",
    "NewMemory",
    "OpenWorld",
    "RecallWish",
    "Report",
    "WaitingError",
    "add_memory",
    "as_json",
    "check_world",
    "choose_for",
    "create_world",
    "describe_context",
    "describe_difference",
    "describe_due",
    "describe_found",
    "describe_relationships",
    "describe_report",
    "describe_stats",
    "describe_status",
    "describe_stream",
    "describe_threads",
    "describe_why",
    "open_recall",
    "open_world",
    "play_days",
]
