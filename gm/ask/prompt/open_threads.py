"""Open threads and requests for memories, as a prompt shows them to one character."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.ask.prompt.people import call_name
from gm.ask.prompt.values import View
from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.replies import SceneReply
from gm.model.scene import Scene
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.exchange import wanted_of
from gm.scene.threads import open_threads_of

NO_THREADS = View(shown=[], more=0, yours=False)


def view_threads(world: World, scene: Scene, agent: Agent, own: Sequence[SceneReply]) -> Any:
    """Return the open threads of a character: the most urgent, the number left out, whether one is its own to settle.

    Threads with those present come first; those settled in ``own``, the replies so far, are left out.
    """
    settled = {closed.id for reply in own for closed in reply.closes}
    found = [thread for thread in open_threads_of(world, agent.id, scene.cast) if thread.id not in settled]
    shown = found[: world.settings.threads.shown]
    # others' promises are theirs to keep
    yours = any(thread.by == agent.id if thread.kind == "promise" else thread.by != agent.id for thread in shown)
    more = len(found) - len(shown)
    return View(shown=[_thread(world, agent, thread) for thread in shown], more=more, yours=yours)


def _thread(world: World, agent: Agent, thread: Thread) -> Any:
    today = world.clock.day
    state = ""
    if thread.due is not None:
        state = "overdue" if thread.due < today else "today" if thread.due == today else "later"
    return View(
        id=thread.id,
        kind=thread.kind,
        mine=thread.by == agent.id,
        by=call_name(world, thread.by),
        to=[call_name(world, name) for name in thread.to],
        text=" ".join(thread.text.split()),
        since=thread.since.day,
        due=thread.due,
        due_weekday="" if thread.due is None else weekday(thread.due, world.settings.calendar.weekdays),
        state=state,
    )


NO_SHARING = View(wanted=[], asked=[])


def view_sharing(world: World, agent: Agent, own: Sequence[SceneReply]) -> Any:
    """Return who wants memories of a character, and whom it has asked; empty while the layer is off.

    Requests answered in ``own``, the replies so far, are left out.
    """
    on = "share" in world.layers
    cast = world.agents
    wanted = [item for item in wanted_of(world, agent.id, own) if on and item.asker in cast]
    asked = [item for item in world.links if on and item.asker == agent.id and item.giver in cast]
    return View(
        wanted=[View(id=item.asker, name=cast[item.asker].call_name, about=item.about) for item in wanted],
        asked=[View(name=cast[item.giver].call_name, about=item.about) for item in asked],
    )
