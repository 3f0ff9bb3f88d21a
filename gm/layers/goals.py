"""A character's goals, one event a line, never changed.

A goal is opened, reported on any number of times, and reached or given up once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from gm.base.casefold import casefold
from gm.base.config import kinds
from gm.layers import declare
from gm.layers.rules import EventRule, check_events
from gm.model.calendar import MOMENT, moment_of
from gm.model.ids import IdForm
from gm.model.mind import GoalReported
from gm.model.node import BY_GAME_MASTER, GOAL_PROGRESS
from gm.model.record import Key, Record

if TYPE_CHECKING:
    from gm.model.layer_replies import GoalReport

GoalEventKind = Literal["open", GoalReported]
GOAL_EVENTS: tuple[GoalEventKind, ...] = get_args(GoalEventKind)
GOAL_IMPORTANCE = {"new": 5, "progress": 5, "reached": 8, "abandoned": 6}
MOST_OPEN = 8
"""Maximum number of open goals; further ones are rejected."""
GOAL_ID = IdForm("goal", 2, 9)


@dataclass(frozen=True, slots=True)
class GoalEvent:
    """A line of ``state/goals/<agent>.jsonl``; ``GOAL_EVENT`` describes the attributes."""

    id: str
    at: str
    event: GoalEventKind
    text: str


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal as its events leave it.

    Attributes:
        opened: Scene or day of the first event; ``touched`` of the last one.
        outcome: reached or abandoned; empty while open.
    """

    id: str
    text: str
    opened: str
    touched: str
    last: str = ""
    steps: int = 0
    outcome: str = ""

    @property
    def is_open(self) -> bool:
        return not self.outcome

    @property
    def touched_day(self) -> int:
        return moment_of(self.touched).day


def fold_goals(goals: Iterable[Goal], events: Iterable[GoalEvent]) -> tuple[Goal, ...]:
    """Apply events to goals, in order, except those of unopened or ended goals."""
    known = {goal.id: goal for goal in goals}
    for event in events:
        old = known.get(event.id)
        if event.event == "open":
            known.setdefault(event.id, Goal(event.id, event.text, event.at, event.at))
        elif old is not None and old.is_open:
            ends = event.event != "progress"
            known[event.id] = replace(
                old,
                touched=event.at,
                last=event.text,
                steps=old.steps + (not ends),
                outcome=event.event if ends else "",
            )
    return tuple(known.values())


GOAL_EVENT = Record(
    GoalEvent,
    "event of a goal",
    Key("id", GOAL_ID.kind, "goals are counted for each character: goal-01"),
    Key("at", MOMENT, "the scene or day in which it happened"),
    Key("event", kinds.word(*GOAL_EVENTS), "open begins a goal, progress reports on it, the others end it"),
    Key("text", kinds.words, "what is to be reached; what came of it"),
    code="goal-{key}",
    hint="see: gm mind goals --help",
)
"""A line of ``state/goals/<agent>.jsonl``."""


Goals = tuple[Goal, ...]


def _fold(played: declare.PlayedScene, goals: Goals) -> declare.Folded[tuple[GoalEvent, ...]]:
    reports: list[GoalReport] = [report for part in played.said for report in part]
    at = str(played.scene.ref)
    events, warnings, memories = [], [], []
    for report in reports:
        text = " ".join(report.text.split())
        event = _new(goals, text, at) if report.event == "new" else _about(goals, report.id, report.event, text, at)
        if event is None:
            what = "was not taken down" if report.event == "new" else f"{report.id!r} is not an open goal"
            warnings.append(f"goal {what}: {text:.60}")
            continue
        goals = fold_goals(goals, [event])
        goal = next(goal for goal in goals if goal.id == event.id)
        events.append(event)
        memories.append(
            declare.Remembered(
                f"goal_{report.event}",
                {"goal": goal.text, "text": text},
                GOAL_IMPORTANCE[report.event],
                ("goal",),
                {"kind": GOAL_PROGRESS, "goal": goal.id, "event": event.event, "importance_by": BY_GAME_MASTER},
            )
        )
    return declare.Folded(tuple(events) or None, warnings, tuple(memories))


def _new(goals: Sequence[Goal], text: str, at: str) -> GoalEvent | None:
    still = [goal for goal in goals if goal.is_open]
    if len(still) >= MOST_OPEN or any(casefold(goal.text) == casefold(text) for goal in still):
        return None
    return GoalEvent(GOAL_ID.after(goal.id for goal in goals), at, "open", text)


def _about(goals: Sequence[Goal], named: str, event: GoalReported, text: str, at: str) -> GoalEvent | None:
    goal = next((goal for goal in goals if goal.is_open and casefold(goal.id) == casefold(named)), None)
    return GoalEvent(goal.id, at, event, text) if goal else None


def _show(_shown: declare.ShownMoment, goals: Goals) -> list[dict[str, object]]:
    still = [goal for goal in goals if goal.is_open][:MOST_OPEN]
    return [{"id": goal.id, "text": goal.text, "last": goal.last, "day": goal.touched_day} for goal in still]


def _write(_data: Mapping[str, object], events: Sequence[GoalEvent]) -> list[declare.AppendedLines]:
    return [declare.AppendedLines([GOAL_EVENT.render(event) for event in events])]


_COURSE = EventRule(
    "goal",
    ("progress",),
    "{id} was not opened before; this line has no effect",
    "the line that opens a goal stands above all others about it",
    "{id} was settled in line {line}, which is what counts",
)


GOALS: declare.Layer[Goals, tuple[GoalEvent, ...]] = declare.Layer(
    name="goals",
    empty=(),
    file=declare.File(
        "goals",
        declare.LINES,
        lambda events: fold_goals((), events),
        _write,
        record=GOAL_EVENT,
        numbered=GOAL_ID,
        check=lambda found: check_events(found.data, _COURSE),
    ),
    advance=fold_goals,
    reply=declare.LayerReply("goal_reports", _fold),
    view=declare.PromptView("goals", _show, []),
    about="What a character wants, and how it goes on.",
    example='{"id": "goal-01", "at": "day-002/scene-03", "event": "open", "text": "Sail once around the island."}',
    sample=(Goal("goal-01", "Text.", "day-001", "day-001", "Text."),),
    facts=lambda _, goals: [{"id": goal.id, "text": goal.text, "steps": goal.steps} for goal in goals if goal.is_open],
    page="agent",
    commands=("gm mind goals list {agent}",),
    describe=lambda record: f"{record.get('id')} {record.get('event')}: {record.get('text')}",
    is_plan=True,
    without={
        "export": "books tell what came of goals: the memories of them",
        "card": "a card tells who a character is, and goals are of this world",
        "mcp": "the memory tools are those of the documents, and none of them is for goals",
    },
)
