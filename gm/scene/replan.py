"""What has happened since somebody made a plan that might change it (S4-31)."""

from __future__ import annotations

from gm.model.character import Agent, find_agent
from gm.model.node import Node
from gm.model.scene import Reason
from gm.model.world import Post, World
from gm.scene.mentions import touches


def reasons_to_replan(world: World, agent: Agent) -> tuple[Reason, ...]:
    """List what the agent's last scene of today brought that touches its plan; asked about once, in the next scene.

    Triggers: a brief or feedback that the scene took up; somebody else's artifact, made in the agent's presence,
    that shares words with the plan.
    """
    today = [entry for entry in world.scenes_of(world.clock.day) if agent.id in entry.participants]
    if not today or not agent.state.today_plan:
        return ()
    last = today[-1]
    found = [
        _brief(post, world.clock.day)
        for post in world.posts
        if post.key in last.answers and not find_agent(world.agents, post.author)
    ]
    for path in last.artifacts:
        seen = _observation_of(agent, path)
        # not its whole description: that names the observer's own task, which the plan names as well
        if seen and touches(f"{seen.metadata.get('title', '')} {' '.join(seen.tags)}", agent.state.today_plan):
            found.append(Reason("artifact", 1.0, "replan_artifact", _about(world, seen)))
    return tuple(found)


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
