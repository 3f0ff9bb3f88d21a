"""Today's plan as text, and reasons to change it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.base.config import TIMES_OF_DAY
from gm.base.untyped import texts_in
from gm.model.clock import Post
from gm.model.derived import derived
from gm.model.logged import LogEntry
from gm.model.node import PLAN, REPLAN, Node
from gm.model.scene import Reason, Scene
from gm.model.stream import since
from gm.model.world import Agent, Sentences, World
from gm.scene.grounding.attendance import OFF, absences_on
from gm.scene.grounding.dates import say_days
from gm.scene.grounding.mentions import content_words, mentioned_in, touches
from gm.scene.ledger import Ledger, NewNode, facets_of
from gm.scene.pieces.known_pieces import find_piece, is_for
from gm.scene.pieces.waiting import find_answered, identify_post, posts_in_play, undelivered
from gm.scene.planning.marks import bare, is_struck

if TYPE_CHECKING:
    from gm.model.scene_reply import Plan, Talk

EVERYONE = "all"
"""Whom a plan wants to talk to, when it means all."""
LEAST_RESTATED = 3
"""Content words that two wordings of one item share at least; and half of those of the older one."""
_RECENT = 50  # memories of one scene are far fewer


def add_plan(ledger: Ledger, scene: Scene, agent: str, plan: Plan, words: Sentences) -> tuple[str, ...]:
    """Add the node of a plan, and return today's list."""
    items = plan_items(ledger.world, plan, words)
    for talk in plan.talk_to:
        if _is_off(ledger.world, talk):
            ledger.warnings.append(f"{agent}: plans to talk to {talk.to!r}, who is away; left out")
    tags = [other for talk in _talks(ledger.world, plan) if (other := ledger.world.find_agent(talk.to))]
    if _find_library_wish(ledger.world, plan):
        tags.append("library")
    changed = not scene.type.plan
    gone = list_undone(ledger.world, ledger.world.agents[agent], items) if changed else ()
    ledger.add(
        agent,
        NewNode(
            words("plan_changed" if changed else "plan_made", items=items, day=scene.ref.day),
            plan.importance,
            "plan",
            tags=("plan", *tags),
            metadata={
                "kind": REPLAN if changed else PLAN,
                **({"instead": list(gone)} if gone else {}),
                **facets_of(plan),
                **_details(ledger.world, plan, items),
            },
        ),
    )
    return items


def plan_items(world: World, plan: Plan, words: Sentences) -> tuple[str, ...]:
    """Return a plan as the agent's list: work, talks with those who are not away, library."""
    prefix = words("plan_work", text="")
    # an item that is carried over may come back with its prefix
    items = [words("plan_work", text=text.removeprefix(prefix).strip()) for text in plan.work]
    for talk in _talks(world, plan):
        other = world.agents.get(_partner(world, talk))
        name = words("plan_everyone") if _partner(world, talk) == EVERYONE else talk.to
        when = ", ".join(filter(None, (_name_time(talk.time, words), talk.place)))
        about = f"{talk.about} ({when})" if when else talk.about
        items.append(words("plan_talk", name=other.call_name if other else name, about=about))
    if about := _find_library_wish(world, plan):
        items.append(words("plan_library", about=about))
    return tuple(say_days(world, item, world.clock.day) for item in items)


def _name_time(time: str, words: Sentences) -> str:
    return words(f"time_{casefold(time)}") if casefold(time) in TIMES_OF_DAY else time


def _talks(world: World, plan: Plan) -> list[Talk]:
    return [talk for talk in plan.talk_to if not _is_off(world, talk)]


def _is_off(world: World, talk: Talk) -> bool:
    return absences_on(world, world.clock.day).get(_partner(world, talk)) == OFF


def _partner(world: World, talk: Talk) -> str:
    named = world.find_agent(talk.to)
    return named or (EVERYONE if casefold(talk.to) == EVERYONE else talk.to)


def _find_library_wish(world: World, plan: Plan) -> str:
    return (plan.library or "") if world.has_library else ""


def _details(world: World, plan: Plan, items: Sequence[str]) -> dict[str, object]:
    talks = [
        {
            "with": _partner(world, talk),
            **{key: value for key in ("time", "place", "shows") if (value := getattr(talk, key))},
        }
        for talk in _talks(world, plan)
    ]
    parts: list[dict[str, object]] = [{"kind": "work"} for _ in plan.work]
    parts += [{"kind": "talk", **talk} for talk in talks]
    parts += [{"kind": "library"}] if _find_library_wish(world, plan) else []
    found: dict[str, object] = {"alone": True} if plan.alone else {}
    if any(len(talk) > 1 or talk["with"] == EVERYONE for talk in talks):
        found["items"] = [{"text": text, **part} for text, part in zip(items, parts, strict=True)]
    return found


def is_plan(node: Node) -> bool:
    """Return whether a memory holds a whole plan."""
    return node.type == "plan" and node.kind in (PLAN, REPLAN)


def plans_of_today(world: World, agent: Agent) -> tuple[Node, ...]:
    """Return the memories of today's plan and of those it replaced; none without a list."""
    return _plans_since(agent, world.clock.day)


@derived
def _plans_since(agent: Agent, day: int) -> tuple[Node, ...]:
    return tuple(node for node in since(agent.stream, day) if is_plan(node)) if agent.state.today_plan else ()


def list_undone(world: World, agent: Agent, items: Collection[str]) -> tuple[str, ...]:
    """Return today's planned items that are not in a list, the earliest first."""
    made = plans_of_today(world, agent)
    if not made:
        return ()
    kept = {bare(item) for item in items}
    planned = dict.fromkeys((*texts_in(made[-1].metadata.get("instead")), *agent.state.today_plan))
    return tuple(item for item in planned if bare(item) not in kept)


def restated_in(items: Collection[str], item: str) -> str:
    """Return the item that says the same in other words, or ""."""
    words = content_words(bare(item))
    shared = {one: len(words & content_words(bare(one))) for one in items}
    best = max(shared, key=lambda one: shared[one], default="")
    return best if shared.get(best, 0) >= max(LEAST_RESTATED, len(words) / 2) else ""


def item_of(items: Sequence[str], text: str) -> int:
    """Return the number of an item, from 1; 0 = none."""
    return next((number for number, item in enumerate(items, 1) if text and bare(item) == bare(text)), 0)


def reasons_to_replan(world: World, agent: Agent, scene: Scene) -> tuple[Reason, ...]:
    """Return what touches today's plan; each is asked about once.

    Triggers: a brief or feedback put up after the agent's last scene; one that its last scene took up, if it is of
    today or named the agent; a colleague's artifact, made in the agent's presence, that shares words with the open
    plan. A new plan in the last scene answers everything before it; what ``scene`` takes up is asked about afterwards.
    """
    today = [
        (place, entry)
        for place, entry in enumerate(world.log)
        if entry.day == world.clock.day and agent.id in entry.participants and _asks(world, entry)
    ]
    plan = [item for item in agent.state.today_plan if not is_struck(item)]
    if not today or not plan:
        return ()
    last = today[-1][1]
    has_planned = _planned_in(last, agent)
    waiting = {post.key for post in undelivered(world)} - find_answered(world)
    found = []
    for post in posts_in_play(world):
        if world.find_agent(post.author) or post.key in scene.answers:
            continue
        if post.artifact and not is_for(find_piece(world, post.artifact).audience, agent.id):
            continue
        taken_up = not has_planned and _was_taken_up(world, post, today)
        if _is_news(world, post, today, waiting) or (taken_up and post.day >= world.clock.day):
            found.append(Reason("brief", 1.0, "replan_brief", {"author": post.author, "text": post.content}))
        elif taken_up and _was_named(world, last, agent):
            # the post was known when the plan was made; that it was discussed is new
            found.append(Reason("brief", 1.0, "replan_talked", {"author": post.author}))
    for path in last.artifacts if not has_planned else ():
        seen = _observation_of(agent, path)
        # without its description and its maker: the plan names the agent's own task and people too
        if seen and touches(_about_what(world, seen), plan):
            found.append(Reason("artifact", 1.0, "replan_artifact", _about(world, seen)))
    return tuple(found)


def _asks(world: World, entry: LogEntry) -> bool:
    kind = world.scene_types.get(entry.type)
    return not entry.is_summary and not (kind and kind.is_reflection)


def _is_news(world: World, post: Post, own: Sequence[tuple[int, LogEntry]], waiting: Collection[str]) -> bool:
    reached = _delivered_at(world, post)
    return post.key in waiting if reached is None else reached > own[-1][0]


def _was_taken_up(world: World, post: Post, own: Sequence[tuple[int, LogEntry]]) -> bool:
    if post.key not in own[-1][1].answers:
        return False
    reached = _delivered_at(world, post)
    if reached is None or reached <= own[0][0]:
        return True  # it was known before the day's plan
    first = next(entry for place, entry in own if place >= reached)
    return post.key in first.answers


@derived
def _delivered_at(world: World, post: Post) -> int | None:
    said = identify_post(post)
    places = (place for place, entry in enumerate(world.log) if any(text == said for _, text in entry.delivered))
    return next(places, None)


def _planned_in(entry: LogEntry, agent: Agent) -> bool:
    made = {node.id for node in agent.stream[-_RECENT:] if node.kind == REPLAN}
    return bool(made) and any(memory.id in made for memory in entry.memories)


def _was_named(world: World, entry: LogEntry, agent: Agent) -> bool:
    return any(speaker != agent.id and agent.id in mentioned_in(world, text) for speaker, text in entry.dialogue)


def _about_what(world: World, seen: Node) -> str:
    return " ".join((seen.title, *(tag for tag in seen.tags if tag not in world.agents)))


def _about(world: World, seen: Node) -> dict[str, str]:
    maker = next((world.agents[tag].call_name for tag in seen.tags if tag in world.agents), "")
    return {"title": seen.title, "maker": maker}


def _observation_of(agent: Agent, path: str) -> Node | None:
    for node in reversed(agent.stream):
        if node.piece == path:
            return node if node.type == "observation" else None
    return None
