"""What has happened since somebody made a plan that might change it (S4-31)."""

from __future__ import annotations

from gm.model.character import Agent, find_agent
from gm.model.node import Node
from gm.model.scene import LogEntry, Reason
from gm.model.world import Post, World
from gm.scene.mentions import mentioned, touches
from gm.scene.plans import is_done

_RECENT = 50  # memories of one scene are far fewer


def reasons_to_replan(world: World, agent: Agent) -> tuple[Reason, ...]:
    """List what the agent's last scene of today brought that touches its plan; asked about once, in the next scene.

    Triggers: a brief or feedback that the scene took up, and that came after the plan or in whose discussion the agent
    was named; somebody else's artifact, made in the agent's presence, that shares words with what is left of the plan.
    Who made a new plan in that very scene has answered already.
    """
    today = [entry for entry in world.scenes_of(world.clock.day) if agent.id in entry.participants]
    plan = [item for item in agent.state.today_plan if not is_done(item)]
    if not today or not plan or _planned_in(today[-1], agent):
        return ()
    last = today[-1]
    found = [
        _brief(post, world.clock.day)
        for post in world.posts
        if post.key in last.answers
        and not find_agent(world.agents, post.author)
        and (post.day >= world.clock.day or _was_named(last, agent))
    ]
    for path in last.artifacts:
        seen = _observation_of(agent, path)
        # not its whole description, nor its maker: the plan names one's own task and people as well
        if seen and touches(_about_what(world, seen), plan):
            found.append(Reason("artifact", 1.0, "replan_artifact", _about(world, seen)))
    return tuple(found)


def _planned_in(entry: LogEntry, agent: Agent) -> bool:
    """Tell whether somebody made a plan in a scene: a memory of it that the scene lists is one."""
    listed = entry.record.get("memories")
    ids = {item.get("id") for item in listed if isinstance(item, dict)} if isinstance(listed, list) else set()
    return any(node.id in ids and node.metadata.get("kind") == "replan" for node in agent.stream[-_RECENT:])


def _was_named(entry: LogEntry, agent: Agent) -> bool:
    """Tell whether others called somebody by name in a scene."""
    dialogue = entry.record.get("dialogue")
    return any(
        isinstance(line, dict) and line.get("agent") != agent.id and mentioned(str(line.get("text", "")), [agent])
        for line in (dialogue if isinstance(dialogue, list) else ())
    )


def _about_what(world: World, seen: Node) -> str:
    return " ".join((str(seen.metadata.get("title", "")), *(tag for tag in seen.tags if tag not in world.agents)))


def _brief(post: Post, today: int) -> Reason:
    """A message that hung there before the plan was made is news no more; that it was talked about may be."""
    if post.day < today:
        return Reason("brief", 1.0, "replan_talked", {"author": post.author})
    return Reason("brief", 1.0, "replan_brief", {"author": post.author, "text": post.content})


def _about(world: World, seen: Node) -> dict[str, str]:
    maker = next((world.agents[tag].call_name for tag in seen.tags if tag in world.agents), "")
    return {"title": str(seen.metadata.get("title", "")), "maker": maker}


def _observation_of(agent: Agent, path: str) -> Node | None:
    for node in reversed(agent.stream):
        if node.metadata.get("artifact_path") == path:
            return node if node.type == "observation" else None
    return None
