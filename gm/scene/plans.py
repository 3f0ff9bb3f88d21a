"""Today's plan: how it is written when somebody makes one, and which of its items are struck off.

Struck off is only what is certainly done, never by guessing.
"""

from __future__ import annotations

from collections.abc import Sequence

from gm.model.character import Agent, find_agent
from gm.model.fold import fold
from gm.model.replies import Plan
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.ledger import Ledger, Words, facets_of
from gm.scene.turns import Turn

DONE = "DONE"
_ENDS_A_NAME = ":,;.–("


def add_plan(ledger: Ledger, scene: Scene, agent: str, plan: Plan, words: Words) -> tuple[str, ...]:
    """Turn a plan into today's list and one plan node (S4-29, S4-30)."""
    items = plan_items(ledger.world, plan, words)
    tags = [person for talk in plan.talk_to if (person := find_agent(ledger.world.agents, talk.to))]
    if plan.library:
        tags.append("library")
    changed = not scene.type.plan
    ledger.add(
        agent,
        "plan",
        words("plan_changed" if changed else "plan_made", items=items, day=scene.ref.day),
        plan.importance,
        tags=("plan", *tags),
        metadata={**({"kind": "replan"} if changed else {}), **facets_of(plan)},
    )
    return items


def plan_items(world: World, plan: Plan, words: Words) -> tuple[str, ...]:
    """Write a plan as the list that stands in the agent's file: what to work on, whom to talk to, what to look up."""
    prefix = words("plan_work", text="")
    # a plan that is carried over may come back with the words that were put in front of it
    items = [words("plan_work", text=text.removeprefix(prefix).strip()) for text in plan.work]
    for talk in plan.talk_to:
        person = world.agents.get(find_agent(world.agents, talk.to) or "")
        items.append(words("plan_talk", name=person.call_name if person else talk.to, about=talk.about))
    if plan.library:
        items.append(words("plan_library", about=plan.library))
    return tuple(items)


def is_done(item: str) -> bool:
    """Tell whether an item of a plan has been struck off (``DONE: …``)."""
    return item.startswith(DONE)


def strike_done(world: World, scene: Scene, agent: Agent, turns: Sequence[Turn], words: Words) -> tuple[str, ...]:
    """Strike off what somebody has done in a scene: the piece that an item names, a talk with the person it names.

    A piece counts when an item to work on is its title, or begins with it. A talk counts when the two were alone and
    both said something; of several items about one person the one that the scene was played for, else the first.
    """
    plan = agent.state.today_plan
    if agent.id not in scene.cast or not plan:
        return plan
    done = {item for item in plan if not is_done(item) and _is_made(item, agent.id, turns, words)}
    talk = _held_talk(world, scene, agent, turns, words)
    if talk:
        done.add(talk)
    return tuple(f"{DONE}: {item}" if item in done else item for item in plan)


def _is_made(item: str, agent: str, turns: Sequence[Turn], words: Words) -> bool:
    prefix = words("plan_work", text="")
    if not item.startswith(prefix):
        return False
    planned = fold(item.removeprefix(prefix)).strip(" .")
    titles = (turn.reply.artifact.title for turn in turns if turn.agent == agent and turn.reply.artifact)
    return any(_names(planned, fold(title).strip(" .")) for title in titles)


def _names(planned: str, title: str) -> bool:
    rest = planned.removeprefix(title).lstrip()
    return bool(title) and planned.startswith(title) and (not rest or rest[0] in _ENDS_A_NAME)


def _held_talk(world: World, scene: Scene, agent: Agent, turns: Sequence[Turn], words: Words) -> str:
    """Find the item of the plan that a talk between two has settled; empty when there is none."""
    if len(scene.cast) != 2 or not all(_spoke(name, turns) for name in scene.cast):
        return ""
    (other,) = (name for name in scene.cast if name != agent.id)
    start = words("plan_talk", name=world.agents[other].call_name, about="").rstrip()
    found = [item for item in agent.state.today_plan if item.startswith(start)]
    return scene.intent if scene.intent in found else next(iter(found), "")


def _spoke(name: str, turns: Sequence[Turn]) -> bool:
    return any(turn.agent == name and turn.reply.dialogue for turn in turns)
