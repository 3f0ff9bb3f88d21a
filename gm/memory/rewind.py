"""What a character had in mind at an earlier time, when some of it has gone to the archive since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.memory.retrieve import until
from gm.memory.spans import SUMMARY_KIND, replaced_ids
from gm.model.calendar import SceneRef
from gm.model.character import Agent
from gm.model.node import Node


def rewind(agent: Agent, archived: Sequence[Node], moment: SceneRef) -> Agent:
    """Turn stream and summaries back to a moment.

    A summary says when it was made and what it replaces: what was replaced later comes back. What was pruned has left
    no trace of when that was, and stays away.

    Args:
        agent: The character as it is now.
        archived: Its archive, in the order of the file.
        moment: After a scene, or after a whole day when it names none.
    """
    summaries = [node for node in (*archived, *agent.summaries) if node.metadata.get("kind") == SUMMARY_KIND]
    made = {node.id for node in until(summaries, moment)}
    later = {identifier for node in summaries if node.id not in made for identifier in replaced_ids(node)}
    back = [node for node in archived if node.id in later and node.metadata.get("kind") != SUMMARY_KIND]
    stream = sorted((*back, *agent.stream), key=lambda node: node.when) if back else agent.stream
    gone = {node.id for node in archived} - later
    return replace(
        agent,
        stream=until(stream, moment),
        summaries=tuple(node for node in summaries if node.id in made and node.id not in gone),
    )
