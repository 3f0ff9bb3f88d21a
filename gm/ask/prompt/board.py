"""The bulletin board: posts, briefs, and deadlines of the calendar."""

from __future__ import annotations

from typing import Any

from gm.ask.prompt.turn_context import Moment
from gm.ask.prompt.values import View
from gm.base.casefold import shorten
from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.scene import Scene
from gm.model.stream import named
from gm.model.world import World
from gm.scene.ledger import Words
from gm.scene.names import piece_name
from gm.scene.schedule import events_on, is_played

MOST_POSTS = 6
MOST_DECISIONS = 12
DAYS_AHEAD = 3
DEADLINE_DAYS = 7
OLD_POST_CHARACTERS = 240


def view_posts(world: World, scene: Scene, agent: Agent, moment: Moment) -> list[Any]:
    """Return the last posts, without those that the scene answers.

    Old ones, and those that are among the character's memories, are shortened.
    """
    taken = {key for entry in world.log for key in entry.answers}
    known = {node.metadata.get("post") for node in named(agent.stream, moment.remembered)} if world.posts else set()
    shown = []
    for post in world.posts[-MOST_POSTS:]:
        if post.key in scene.answers:
            continue
        fresh = post.key not in taken or post.day >= world.clock.day - 1 or post.content in world.clock.active_briefs
        whole = fresh and post.key not in known
        content = post.content if whole else shorten(post.content, OLD_POST_CHARACTERS)
        about = piece_name(post.artifact) if post.artifact else ""
        shown.append(View(author=post.author, day=post.day, about=about, content=content))
    return shown


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
