"""What a prompt shows one character of what is open: the board, deadlines, threads, requests for memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.ask.prompt.render import View
from gm.ask.prompt.turn_context import Moment
from gm.base.casefold import shorten
from gm.base.config import TIMES_OF_DAY
from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.replies import SceneReply
from gm.model.scene import Scene
from gm.model.stream import named
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.exchange import wanted_of
from gm.scene.ledger import Words
from gm.scene.names import piece_name
from gm.scene.schedule import events_on, is_played
from gm.scene.threads import open_threads_of
from gm.scene.waiting import answered

MOST_POSTS = 6
MOST_DECISIONS = 12
DAYS_AHEAD = 3
DEADLINE_DAYS = 7
OLD_POST_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class BoardPost:
    """A post on the board; ``whole`` for those who do not remember it, ``short`` for the others."""

    key: str
    whole: Any
    short: Any


def view_board(world: World, scene: Scene) -> list[BoardPost]:
    """Return the last posts, without those that the scene answers; old ones are shortened for all."""
    taken = answered(world)
    shown = []
    for key, post in ((post.key, post) for post in world.posts[-MOST_POSTS:]):
        if key in scene.answers:
            continue
        fresh = key not in taken or post.day >= world.clock.day - 1 or post.content in world.clock.active_briefs
        about = piece_name(post.artifact) if post.artifact else ""
        short = shorten(post.content, OLD_POST_CHARACTERS)
        whole, brief = (
            View(author=post.author, day=post.day, about=about, content=content)
            for content in (post.content if fresh else short, short)
        )
        shown.append(BoardPost(key, whole, brief))
    return shown


def view_posts(posts: Sequence[BoardPost], agent: Agent, moment: Moment) -> list[Any]:
    """Return the posts, those among the character's memories shortened."""
    known = {node.metadata.get("post") for node in named(agent.stream, moment.remembered)} if posts else set()
    return [post.short if post.key in known else post.whole for post in posts]


def active_briefs(world: World) -> list[str]:
    """Return the active briefs that are not on the board anyway."""
    on_board = {post.content for post in world.posts[-MOST_POSTS:]}
    return [brief for brief in world.clock.active_briefs if brief not in on_board][-MOST_DECISIONS:]


def view_deadlines(words: Words, world: World) -> list[str]:
    """Return the events of the next days, and the deadlines of the next week."""
    today = world.clock.day
    return [
        words(
            "deadline",
            left=str(max(0, event.day - today)),
            day=event.day,
            weekday=weekday(event.day, world.settings.calendar.weekdays),
            event=event.event,
        )
        for day in range(today, today + DEADLINE_DAYS)
        for _, event in events_on(world, day)
        if day < today + DAYS_AHEAD or not is_played(event)
    ]


NO_THREADS = View(shown=[], more=0, yours=False)


def view_threads(world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply], names: Mapping[str, str]) -> Any:
    """Return the open threads of a character: the most urgent, the number left out, whether one is its own to settle.

    Threads with those present come first; those settled in ``own``, the replies so far, are left out. ``names`` are
    call names by id.
    """
    found = [thread for thread in _unsettled(world, scene, agent, own) if thread.kind not in ("appointment", "silence")]
    shown = found[: world.settings.threads.shown]
    # others' promises are theirs to keep
    yours = any(thread.by == agent.id if thread.kind == "promise" else thread.by != agent.id for thread in shown)
    more = len(found) - len(shown)
    return View(shown=[_thread(world, agent, thread, names) for thread in shown], more=more, yours=yours)


def _thread(world: World, agent: Agent, thread: Thread, names: Mapping[str, str]) -> Any:
    today = world.clock.day
    state = ""
    if thread.due is not None:
        state = "overdue" if thread.due < today else "today" if thread.due == today else "later"
    return View(
        id=thread.id,
        kind=thread.kind,
        mine=thread.by == agent.id,
        by=names.get(thread.by, thread.by),
        to=[names.get(name, name) for name in thread.to],
        text=" ".join(thread.text.split()),
        since=thread.since.day,
        due=thread.due,
        due_weekday="" if thread.due is None else weekday(thread.due, world.settings.calendar.weekdays),
        state=state,
    )


def _unsettled(world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply]) -> list[Thread]:
    settled = {closed.id for reply in own for closed in reply.closes}
    return [thread for thread in open_threads_of(world, agent.id, scene.cast) if thread.id not in settled]


def view_kept(
    words: Words, world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply], names: Mapping[str, str]
) -> dict[str, list[Any]]:
    """Return the appointments of a character, the next first, and what it or others keep to themselves.

    As ``view_threads``; of either at most as many as of threads.
    """
    found = _unsettled(world, scene, agent, own)
    most = world.settings.threads.shown
    agreed = sorted(
        (thread for thread in found if thread.kind == "appointment"),
        key=lambda thread: (thread.due or 0, [*TIMES_OF_DAY, ""].index(thread.time_of_day), thread.time),
    )
    silent = [thread for thread in found if thread.kind == "silence"]
    return {
        "agreed": [_appointment(words, world, agent, thread, names) for thread in agreed[:most]],
        "silent": [_thread(world, agent, thread, names) for thread in silent[:most]],
    }


def _appointment(words: Words, world: World, agent: Agent, thread: Thread, names: Mapping[str, str]) -> Any:
    others = [names.get(name, name) for name in thread.people if name != agent.id]
    time = words(f"time_{thread.time}") if thread.time in TIMES_OF_DAY else thread.time
    return View(**vars(_thread(world, agent, thread, names)), others=others, time=time, place=thread.place)


NO_SHARING = View(wanted=[], asked=[])


def view_sharing(world: World, agent: Agent, own: Sequence[SceneReply]) -> Any:
    """Return who wants memories of a character, and whom it has asked; empty while the layer is off.

    Requests answered in ``own``, the replies so far, are left out.
    """
    if "share" not in world.layers:
        return NO_SHARING
    cast = world.agents
    wanted = [item for item in wanted_of(world, agent.id, own) if item.asker in cast]
    asked = [item for item in world.links if item.asker == agent.id and item.giver in cast]
    return View(
        wanted=[View(id=item.asker, name=cast[item.asker].call_name, about=item.about) for item in wanted],
        asked=[View(name=cast[item.giver].call_name, about=item.about) for item in asked],
    )
