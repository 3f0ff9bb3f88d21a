"""Goals of characters with the errors of their lines, the same for loading and for checking."""

from __future__ import annotations

from gm.errors import Problem
from gm.model.goal import GOAL_EVENT, Goal, GoalEvent, fold_goals
from gm.store.forms.jsonl import Line, Scan, scan_lines
from gm.store.forms.text import read_text
from gm.store.layout import Layout
from gm.store.reading.records import read_events


def load_goals(layout: Layout, name: str) -> tuple[tuple[Goal, ...], list[Problem]]:
    """Read what a character wants to reach; a line that cannot be read is left out and reported."""
    path = layout.goals(name)
    shown = layout.shown(path)
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    events, found = read_goal_events(scan, shown)
    return fold_goals((), (event for _, event in events)), [*problems, *scan.problems, *found]


def read_goal_events(scan: Scan, shown: str) -> tuple[list[tuple[Line, GoalEvent]], list[Problem]]:
    """Read the lines of a file of goals as events.

    Args:
        scan: The lines of the file.
        shown: Its path for the problems.
    """
    return read_events(scan, shown, GOAL_EVENT)
