"""The threads that an agent knows to be open, and the closings that it does not know of."""

from __future__ import annotations

from collections.abc import Sequence

from gm.model.calendar import moment_of
from gm.model.derived import derived
from gm.model.scene import ARRIVAL
from gm.model.thread import Thread, select_open
from gm.model.world import World, find_agent


def open_threads_of(world: World, agent: str, present: Sequence[str] = ()) -> list[Thread]:
    """Return the threads open as far as an agent knows, the most urgent first.

    Overdue and due today; those that concern others present; then by due day, the oldest first. Threads closed without
    the agent's knowledge are among them.
    """
    others = [name for name in present if name != agent]
    also = {thread.id for thread in unaware_of(world, agent)}
    return select_open(world.threads, agent, world.clock.day, others, also)


def knows(world: World, thread: Thread, agent: str) -> bool:
    """Return whether an agent knows of its thread's closing; True also for an open one."""
    return all(other.id != thread.id for other in unaware_of(world, agent))


def was_absent(world: World, thread: Thread, agent: str) -> bool:
    """Return whether an agent took no part in the scene in which its thread was opened."""
    since = thread.since
    opened = (entry for entry in world.scenes_of(since.day) if entry.number == since.scene)
    return any(agent not in entry.participants for entry in opened)


@derived
def unaware_of(world: World, agent: str) -> tuple[Thread, ...]:
    """Return an agent's threads that are closed without its knowledge.

    It knows of a closing by itself or by the Game Master, and of one in a scene whose closer hung something up. Of any
    other it learns when the two share a scene, arrivals aside. After ``threads.days`` days it has forgotten the matter.
    """
    days = world.settings.threads.days
    since = 0 if days is None else world.clock.day - days + 1
    closed = [
        (thread, moment_of(thread.touched))
        for thread in world.threads
        if not thread.is_open
        and thread.concerns(agent)
        and thread.closed_by in world.agents
        and agent not in thread.agreed
    ]
    hung_up = {(find_agent(world.agents, post.author), post.day, post.scene) for post in world.posts if post.artifact}
    closed = [
        (thread, at)
        for thread, at in closed
        if thread.closed_by != agent and at.day >= since and (thread.closed_by, at.day, at.scene) not in hung_up
    ]
    met = _last_met(world, agent) if closed else {}
    return tuple(thread for thread, at in closed if met.get(thread.closed_by, (0, 0)) < (at.day, at.scene))


def _last_met(world: World, agent: str) -> dict[str, tuple[int, int]]:
    return {
        name: (entry.day, entry.number or 0)
        for entry in world.log
        if agent in entry.participants and entry.type != ARRIVAL
        for name in entry.participants
    }
