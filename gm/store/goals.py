"""Goals of characters with the errors of their lines, the same for loading and for checking."""

from __future__ import annotations

from gm.errors import Problem
from gm.model.goal import Goal, GoalError, GoalEvent, fold_goals, goal_event_from_record
from gm.store.check.lines import column_of
from gm.store.jsonl import Line, Scan, scan_lines
from gm.store.layout import Layout
from gm.store.text import read_text

HINT = "goals are lines of their own: {id, at, event, text}; see: gm goals --help"


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
    found: list[tuple[Line, GoalEvent]] = []
    problems = []
    opened: dict[str, int] = {}
    for line in scan.lines:
        try:
            event = goal_event_from_record(line.record)
            if event.event == "open" and event.id in opened:
                raise GoalError("id", f"{event.id} is opened in line {opened[event.id]} already")
        except GoalError as error:
            column = column_of(scan.line(line.number), (error.key,) if error.key in line.record else ())
            problems.append(Problem(shown, line.number, column, "error", f"goal-{error.key}", str(error), HINT))
            continue
        if event.event == "open":
            opened[event.id] = line.number
        found.append((line, event))
    return found, problems
