"""Close a day: its summary, what stays open, the outcomes of plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

from gm.base.casefold import casefold
from gm.layers.working import WORKING, PageLine, clear_page, prefixes_of
from gm.memory.lens import original_text
from gm.model.calendar import SceneRef
from gm.model.clock import SCHEDULED_EVENT
from gm.model.logged import LOG_END, LogEntry
from gm.model.mind import MindChange
from gm.model.node import LESSON, Node
from gm.model.scene import ARRIVAL, REFLECTION, SUMMARY
from gm.model.scene_reply import ItemReport
from gm.model.state import AgentStateChange
from gm.model.stream import of_day
from gm.model.thread import Thread, fold_events
from gm.model.world import Change, Sentences, World
from gm.scene.evening.dusk import is_of_dusk, leave, missed_on
from gm.scene.evening.left_open import close_threads, describe_open, explain_carried
from gm.scene.folding.advance import advance
from gm.scene.grounding.attendance import next_day
from gm.scene.ledger import Ledger, NewNode, after_last_scene, memory_list
from gm.scene.pieces.waiting import find_open_question, waiting_artifacts, waiting_posts
from gm.scene.planning.events import events_on
from gm.scene.planning.plan_items import Ended, end_plan

MIGRATED_FROM = "working_memory"


def migrate_pages(world: World) -> Change:
    """Move all pages' lessons into the streams, and clear the pages.

    A lesson becomes an observation of the day's last scene, rated by rule, unless remembered word for word.
    """
    day = world.clock.day
    if WORKING.name not in world.layers:
        return Change(day=day)
    settings = world.settings
    prefixes = prefixes_of(settings.working.migrate_prefixes, settings.language)
    ledger = after_last_scene(world)
    minds = {}
    for name, agent in world.agents.items():
        lessons, change = clear_page(agent.mind[WORKING], prefixes)
        if change is not None:
            minds[name] = MindChange().with_change(WORKING, change)
        for line in lessons:
            _keep(ledger, name, line)
    return Change(
        day=day, nodes=ledger.added(), agents=ledger.accumulators(), minds=minds, warnings=tuple(ledger.warnings)
    )


def _keep(ledger: Ledger, name: str, line: PageLine) -> None:
    known = (*ledger.world.agents[name].stream, *ledger.nodes.get(name, ()))
    if any(node.kind == LESSON and casefold(original_text(node)) == casefold(line.text) for node in known):
        return
    metadata = {"kind": LESSON, "migrated_from": MIGRATED_FROM, "key": line.key}
    ledger.add(name, NewNode(line.text, None, tags=(LESSON,), metadata=metadata))


MOST_HIGHLIGHTS = 5
MOST_OPEN = 12
MOST_THREADS = 8
SOON = 0.8
"""Part of the threshold that is close to a reflection."""
NOTHING_SAID: Mapping[str, Sequence[ItemReport]] = {}


def close_day(
    world: World, words: Sentences, reports: Mapping[str, Sequence[ItemReport]] = NOTHING_SAID, made: Sequence[str] = ()
) -> Change:
    """Return the change that closes the day: summary, what stays open and why, lessons, outcomes of plans.

    Args:
        reports: What characters say in the evening of their items.
        made: Paths of what they finished alone.
    """
    day = world.clock.day
    plans = {
        name: end for name, one in world.agents.items() if (end := end_plan(world, one, words, reports.get(name, ())))
    }
    left_undone = leave(world, plans, words)
    world = advance(world, left_undone)
    moved = migrate_pages(world)
    world = advance(world, moved)
    entries, today = world.scenes_of(day), {name: of_day(one.stream, day) for name, one in world.agents.items()}
    events = close_threads(world, words)
    left = [thread for thread in fold_events(world.threads, events) if thread.is_pending]
    finished = [*_list_finished(entries), *made]
    summary = _summarize(world, entries, today, finished, words)
    record = {
        "type": SUMMARY,
        "summary": summary,
        "highlights": _highlights(world, today),
        "open_threads": _open_threads(world, left, entries, words),
        "finished": finished,
        "reflected": _list_reflected(world, entries),
        "carried": explain_carried(world, events, words),
        "tomorrow": tomorrow(world, left),
        "missed": missed_on(world, day),
        "plans": {name: [dict(end) for end in one.ends] for name, one in plans.items()},
        "memories": [*memory_list(_of_dusk(today)), *memory_list(moved.nodes)],
    }
    return replace(
        moved,
        nodes={
            name: (*left_undone.nodes.get(name, ()), *moved.nodes.get(name, ()))
            for name in {**left_undone.nodes, **moved.nodes}
        },
        agents=_with_plans(world, join_state_changes(left_undone.agents, moved.agents), plans),
        clock={"time_of_day": "evening", "day_open": False, "studio_status": summary},
        threads=events,
        log=LogEntry(day, LOG_END.compose(record)),
        warnings=(*moved.warnings, *(warning for end in plans.values() for warning in end.warnings)),
    )


def _summarize(
    world: World,
    entries: Sequence[LogEntry],
    today: Mapping[str, Sequence[Node]],
    finished: Sequence[str],
    words: Sentences,
) -> str:
    return words(
        "day_summary",
        day=world.clock.day,
        weekday=world.clock.day_of_week,
        scenes=len(entries),
        artifacts=finished,
        memories=sum(len(nodes) for nodes in today.values()),
        reflected=[world.agents[name].call_name for name in _list_reflected(world, entries)],
    )


def _list_finished(entries: Sequence[LogEntry]) -> list[str]:
    return [path for entry in entries for path in entry.artifacts]


def _with_plans(
    world: World, agents: Mapping[str, AgentStateChange], plans: Mapping[str, Ended]
) -> dict[str, AgentStateChange]:
    changed = {name: end.plan for name, end in plans.items() if end.plan != world.agents[name].state.today_plan}
    busy = [name for name, agent in world.agents.items() if agent.state.current_task]
    names = dict.fromkeys((*agents, *changed, *busy))
    return {
        name: {
            **agents.get(name, {}),
            **({"today_plan": list(changed[name])} if name in changed else {}),
            **({"current_task": ""} if name in busy else {}),
        }
        for name in names
    }


def join_state_changes(
    first: Mapping[str, AgentStateChange], second: Mapping[str, AgentStateChange]
) -> dict[str, AgentStateChange]:
    """Return changes of agent files, by agent; the values of the second ones count."""
    return {name: {**first.get(name, {}), **second.get(name, {})} for name in {**first, **second}}


def _of_dusk(today: Mapping[str, Sequence[Node]]) -> dict[str, list[Node]]:
    return {name: found for name, nodes in today.items() if (found := [node for node in nodes if is_of_dusk(node)])}


def _list_reflected(world: World, entries: Sequence[LogEntry]) -> list[str]:
    found = (name for entry in entries if entry.type == REFLECTION for name in entry.participants)
    return [name for name in found if name in world.agents]


def _highlights(world: World, today: Mapping[str, Sequence[Node]]) -> list[str]:
    lived = [[node for node in nodes if not node.post and not is_of_dusk(node)] for nodes in today.values()]
    best = [
        max(nodes, key=lambda node: (node.importance, node.type == "artifact", node.depth)) for nodes in lived if nodes
    ]
    best.sort(key=lambda node: (-node.importance, node.id))
    names = {name: agent.call_name for name, agent in world.agents.items()}
    return [f"{names[node.agent]}: {node.description}" for node in best[:MOST_HIGHLIGHTS] if node.agent in names]


def _open_threads(world: World, left: Sequence[Thread], entries: Sequence[LogEntry], words: Sentences) -> list[str]:
    due = sorted(left, key=lambda thread: (thread.due is None, thread.due or 0, thread.number))
    found = [describe_open(world, thread, words) for thread in due[:MOST_THREADS]]
    if len(due) > MOST_THREADS:
        found.append(words("threads_more", count=len(due) - MOST_THREADS))
    found += [
        words("open_post", author=post.author, text=post.content) for post in waiting_posts(world, world.clock.day - 1)
    ]
    for entry in entries:
        found += [words("open_artifact", path=path) for _, path in waiting_artifacts(world, [entry])]
        question = find_open_question(entry)
        if question and entry.type != ARRIVAL and not _is_thread(world, entry, question[0]):
            found.append(words("open_question", name=world.call_name(question[0]), text=question[1]))
    return found[:MOST_OPEN]


def _is_thread(world: World, entry: LogEntry, asker: str) -> bool:
    return any(
        thread.kind == "question" and thread.by == asker and thread.since == SceneRef(entry.day, entry.number or 0)
        for thread in world.threads
    )


class Tomorrow(TypedDict):
    """The coming day: events as in ``world.json``, ids of those close to a reflection and of due threads."""

    day: int
    events: list[dict[str, object]]
    reflecting: list[str]
    threads: list[str]


def tomorrow(world: World, left: Iterable[Thread]) -> Tomorrow:
    """Return the coming day; ``left`` are the open threads."""
    day = next_day(world)
    settings = world.settings.reflection
    near = [
        name
        for name, agent in world.agents.items()
        if settings.enabled and agent.state.importance_accumulator >= SOON * settings.threshold
    ]
    return {
        "day": day,
        "events": [SCHEDULED_EVENT.write(event) for _, event in events_on(world, day)],
        "reflecting": near,
        "threads": [thread.id for thread in left if thread.due == day],
    }
