"""The memories of a character at an earlier moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.memory.care import SUMMARY_KIND, replaced_ids
from gm.memory.retrieve import until
from gm.model.calendar import SceneRef
from gm.model.character import Agent
from gm.model.node import Node


def rewind(agent: Agent, archived: Sequence[Node], moment: SceneRef) -> Agent:
    """Return a character with stream and summaries as of a moment, after a scene or a whole day.

    Nodes replaced by later summaries come back. Pruned nodes do not: no record says when they went.
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
