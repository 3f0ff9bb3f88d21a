"""What a day leaves undone: missed appointments, remembered before the evening, and open threads at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gm.base.config import TIMES_OF_DAY
from gm.base.texts import head_of
from gm.model.calendar import render_day
from gm.model.node import PLAN_LEFT, Node
from gm.model.thread import GAME_MASTER, MISSED, Thread, ThreadEvent
from gm.model.world import Agent, Change, Sentences, World
from gm.scene.grounding.attendance import attending
from gm.scene.grounding.dates import day_values
from gm.scene.grounding.mentions import content_words
from gm.scene.ledger import Ledger, after_last_scene, make_observation
from gm.scene.planning.plan_items import SAME_ITEM_WORDS, Ended, open_items
from gm.scene.planning.plans import is_plan, plans_of_today

UNDONE = (MISSED, PLAN_LEFT)
"""Kinds of memories of what a day left undone."""
MISSED_IMPORTANCE, LEFT_IMPORTANCE = 5, 3
"""Importance of a missed appointment, and of what else a day left undone."""
OVER = ("done", "dropped")


def dusk(world: World, words: Sentences) -> Change | None:
    """Return the change after the day's scenes; None for nothing to say.

    Open due appointments are closed as missed and remembered.
    """
    ledger = after_last_scene(world)
    events = [_miss(ledger, thread, words) for thread in world.threads if _is_missed(world, thread)]
    if not events:
        return None
    return Change(
        day=world.clock.day,
        nodes=ledger.added(),
        agents=ledger.accumulators(),
        threads=tuple(events),
        warnings=tuple(ledger.warnings),
    )


def leave(world: World, plans: Mapping[str, Ended], words: Sentences) -> Change:
    """Return the change by which all who attended remember in one sentence what the day has left undone.

    It is the first open item of the plan, else the first promise that is due, after the evening's reports; ``plans``
    are the final lists.
    """
    ledger = after_last_scene(world)
    kinds = [words("plan_talk", name=agent.call_name, about="") for agent in world.agents.values()]
    for name in attending(world):
        ends = plans[name].ends if name in plans else ()
        over = {end["text"] for end in ends if end["status"] in OVER}
        items = [item for item in open_items(world, world.agents[name]) if item not in over]
        _leave(ledger, world.agents[name], items, kinds, words)
    return Change(world.clock.day, nodes=ledger.added(), agents=ledger.accumulators())


def is_of_dusk(node: Node) -> bool:
    """Return whether a memory says what a day left undone."""
    return node.kind in UNDONE


def said_by_plan(world: World, agent: Agent, shown: Sequence[Node]) -> frozenset[str]:
    """Return the ids of memories that the shown plan and ``shown`` make superfluous.

    These are today's plans, and of earlier days all but the last memory of what was left undone.
    """
    left = {node.when.day: node for node in shown if node.kind == PLAN_LEFT}
    plans = [node for node in shown if is_plan(node) and node.when.day in left]
    listed = plans_of_today(world, agent)
    kept = {day: node for day, node in left.items() if not listed or day < world.clock.day}
    last = kept.get(max(kept, default=0))
    return frozenset(node.id for node in (*plans, *listed, *left.values()) if node is not last)


def missed_on(world: World, day: int) -> list[str]:
    """Return the ids of appointments closed as missed."""
    return [one.id for one in world.threads if one.outcome == MISSED and one.touched == render_day(day)]


def _is_missed(world: World, thread: Thread) -> bool:
    is_due = thread.due is not None and thread.due <= world.clock.day
    return thread.kind == "appointment" and thread.is_open and is_due


def _miss(ledger: Ledger, thread: Thread, words: Sentences) -> ThreadEvent:
    world = ledger.world
    people = [name for name in dict.fromkeys(thread.people) if name in world.agents]
    when = words(f"time_{thread.time}") if thread.time in TIMES_OF_DAY else ""
    for name in people:
        others = [other for other in people if other != name]
        text = words(
            "appointment_missed",
            others=[world.agents[other].call_name for other in others],
            **day_values(world, thread.due or world.clock.day),
            time=when,
            clock="" if when else thread.time,
            place=thread.place,
            text=thread.text,
        )
        ledger.add(name, make_observation(text, MISSED_IMPORTANCE, others, kind=MISSED, thread=thread.id))
    reason = words("thread_closed", outcome=MISSED)
    return ThreadEvent(thread.id, render_day(world.clock.day), "close", GAME_MASTER, reason, outcome=MISSED)


def _leave(ledger: Ledger, agent: Agent, items: Sequence[str], kinds: Sequence[str], words: Sentences) -> None:
    world, day = ledger.world, ledger.world.clock.day
    planned = [content_words(item) for item in items]
    promises = [
        head_of(thread.text)
        for thread in world.threads
        if thread.kind == "promise"
        and thread.is_open
        and thread.by == agent.id
        and thread.due == day
        # the plan may say the same
        and all(len(content_words(thread.text) & said) < SAME_ITEM_WORDS for said in planned)
    ]
    if items or promises:
        # the next morning's list and the open threads have all of them, in full
        left = [_head(item, kinds, words) for item in items[:1]]
        owed = [] if left else promises[:1]
        text = words("plan_left", **day_values(world, day), items=left, promises=owed)
        ledger.add(agent.id, make_observation(text, LEFT_IMPORTANCE, ("plan",), kind=PLAN_LEFT))


def _head(item: str, kinds: Sequence[str], words: Sentences) -> str:
    text = item.removeprefix(words("plan_work", text="")).strip()
    kind = next((kind for kind in kinds if text.startswith(kind)), "")
    rest = text.removeprefix(kind)
    return kind + " " * rest.startswith(" ") + head_of(rest)
