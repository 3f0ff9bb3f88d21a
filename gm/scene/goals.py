"""What replies say about goals: new ones, progress, and how they end (S0-10; setting ``goals``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gm.model.fold import fold
from gm.model.goal import Goal, GoalEvent, fold_goals, next_goal, render_goal_id
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.ledger import Ledger, Words
from gm.scene.turns import Turn

LAYER = "goals"
KIND = "goal_progress"
IMPORTANCE = {"new": 5, "progress": 5, "reached": 8, "abandoned": 6}
MOST_OPEN = 8
"""So many goals at once are a list and no goals: a further one is not taken down."""


def fold_goal_reports(
    world: World, scene: Scene, turns: Sequence[Turn], ledger: Ledger, words: Words
) -> Iterator[tuple[str, tuple[GoalEvent, ...]]]:
    """Take what was reported about goals; each report becomes a memory of whoever made it.

    Args:
        world: The world before the scene.
        scene: What was played.
        turns: The replies in the order they count.
        ledger: Takes the memories.
        words: Renders them.

    Returns:
        Lines for the files of goals, by agent.
    """
    if LAYER not in world.layers:
        return
    for agent in dict.fromkeys(turn.agent for turn in turns):
        goals, events = world.agents[agent].mind.goals, []
        for report in (report for turn in turns if turn.agent == agent for report in turn.reply.goal_reports):
            text = " ".join(report.text.split())
            if report.event == "new":
                event = _new(goals, text, str(scene.ref))
            else:
                event = _about(goals, report.id, report.event, text, str(scene.ref))
            if event is None:
                what = "was not taken down" if report.event == "new" else f"{report.id!r} is no open goal"
                ledger.warnings.append(f"{agent}: goal {what}: {text:.60}")
                continue
            goals = fold_goals(goals, [event])
            goal = next(goal for goal in goals if goal.id == event.id)
            ledger.add(
                agent,
                "observation",
                words(f"goal_{report.event}", goal=goal.text, text=text),
                IMPORTANCE[report.event],
                tags=("goal",),
                metadata={"kind": KIND, "goal": goal.id, "event": event.event, "importance_by": "gm"},
            )
            events.append(event)
        if events:
            yield agent, tuple(events)


def _new(goals: Sequence[Goal], text: str, at: str) -> GoalEvent | None:
    still = [goal for goal in goals if goal.is_open]
    if len(still) >= MOST_OPEN or any(fold(goal.text) == fold(text) for goal in still):
        return None
    return GoalEvent(render_goal_id(next_goal(goals)), at, "open", text)


def _about(goals: Sequence[Goal], identifier: str, event: str, text: str, at: str) -> GoalEvent | None:
    goal = next((goal for goal in goals if goal.is_open and fold(goal.id) == fold(identifier)), None)
    return GoalEvent(goal.id, at, event, text) if goal else None
