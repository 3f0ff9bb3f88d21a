"""Open and close a day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.model.calendar import weekday
from gm.model.character import find_agent
from gm.model.node import Node
from gm.model.scene import SUMMARY, LogEntry
from gm.model.world import Change, World
from gm.scene.attendance import next_day
from gm.scene.candidates import was_put_up_in_scene
from gm.scene.ledger import Words
from gm.scene.schedule import event_record, events_on

MOST_HIGHLIGHTS = 5
MOST_THREADS = 8


def open_day(world: World) -> Change:
    """Turn the clock to the next day that is no day off, and mark it as being played.

    Raises:
        GmError: The calendar leaves no day to play.
    """
    day = next_day(world)
    return Change(
        day=day,
        clock={
            "day": day,
            "day_of_week": weekday(day, world.settings.calendar.weekdays),
            "time_of_day": "morning",
            "scenes_today": 0,
            "artifacts_today": [],
            "day_open": True,
        },
    )


def close_day(world: World, words: Words) -> Change:
    """Write the summary of the day, with its highlights and open threads, and close the day."""
    day = world.clock.day
    entries = world.scenes_of(day)
    today = {name: [node for node in agent.stream if node.when.day == day] for name, agent in world.agents.items()}
    summary = words(
        "day_summary",
        day=day,
        weekday=world.clock.day_of_week,
        scenes=len(entries),
        artifacts=[path for entry in entries for path in entry.artifacts],
        memories=sum(len(nodes) for nodes in today.values()),
        reflected=[
            world.agents[name].call_name
            for entry in entries
            if entry.type == "REFLECTION"
            for name in entry.participants
            if name in world.agents
        ],
    )
    return Change(
        day=day,
        clock={"time_of_day": "evening", "day_open": False, "studio_status": summary},
        log={
            "type": SUMMARY,
            "summary": summary,
            "highlights": _highlights(world, today),
            "open_threads": _open_threads(world, entries, words),
        },
    )


def _highlights(world: World, today: dict[str, list[Node]]) -> list[str]:
    """The most important memories of the day, one for each agent at most, best first."""
    best = [
        max(nodes, key=lambda node: (node.importance, node.type == "artifact", node.depth))
        for nodes in today.values()
        if nodes
    ]
    best.sort(key=lambda node: (-node.importance, node.id))
    names = {name: agent.call_name for name, agent in world.agents.items()}
    return [
        f"{names[node.id.rpartition('-')[0]]}: {node.description}"
        for node in best[:MOST_HIGHLIGHTS]
        if node.id.rpartition("-")[0] in names
    ]


def _open_threads(world: World, entries: Sequence[LogEntry], words: Words) -> list[str]:
    """What the day leaves open: posts and artifacts nobody took up, talks that did not come about, last questions."""
    taken = {key for entry in world.log for key in entry.answers}
    threads = [
        words("open_post", author=post.author, text=post.content)
        for post in world.posts
        if not find_agent(world.agents, post.author)
        and post.day >= world.clock.day - 1
        and post.key not in taken
        and not was_put_up_in_scene(world, post)
    ]
    for entry in entries:
        threads += [words("open_artifact", path=path) for path in entry.artifacts if path not in taken]
        question = _last_question(entry)
        if question and entry.type != "ARRIVAL":
            name = world.agents[question[0]].call_name if question[0] in world.agents else question[0]
            threads.append(words("open_question", name=name, text=question[1]))
    return threads[:MOST_THREADS]


def _last_question(entry: LogEntry) -> tuple[str, str] | None:
    dialogue = entry.record.get("dialogue")
    last = dialogue[-1] if isinstance(dialogue, list) and dialogue else None
    if isinstance(last, dict) and str(last.get("text", "")).rstrip().endswith("?"):
        return str(last.get("agent", "")), str(last["text"])
    return None


def tomorrow(world: World) -> list[dict[str, Any]]:
    """List what the calendar says about the coming day."""
    return [event_record(event) for _, event in events_on(world, next_day(world))]
