"""The tools that form, reinforce and link memories. Streams only grow; writes go through lock and journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.api.memory.add import NewMemory, add_memory, clean_wish
from gm.api.mind.mind import Mind
from gm.api.mind.strength import reinforcements
from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.files.commits.snapshot import snapshot
from gm.files.commits.writer import writing
from gm.files.load import load_clock, load_world
from gm.files.streams.find import list_found
from gm.files.streams.strength import strength_step
from gm.model.consulted import Formed
from gm.model.node import NODE_TYPES, Node, node_record
from gm.scene.keeping import left_today

COMMAND = "gm mcp"
FINER = ("emotional", "procedural", "semantic")
QUOTED = 160
TAGS = 6


def form_memory(mind: Mind, content: str, importance: int, type: str = "observation") -> dict[str, Any]:
    """Form a memory at the last scene; it counts for the next reflection.

    Args:
        importance: 1 (routine) to 10 (pivotal).
        type: A node type, or emotional, procedural or semantic (kinds of observation).
    """
    wanted = casefold(type)
    if wanted not in (*NODE_TYPES, *FINER):
        raise UsageError(f"no type is called {type!r}", "there are: " + ", ".join((*NODE_TYPES, *FINER)))
    metadata = {"source": "tool", **({"kind": wanted} if wanted in FINER else {})}
    kind = "observation" if wanted in FINER else wanted
    return {"memory": _keep(mind, NewMemory(content, importance, kind, metadata=metadata))}


def reinforce_memory(mind: Mind, memory_id: str) -> dict[str, Any]:
    """Reinforce a memory: it is recalled more easily."""
    if mind.wishes is not None:
        node = _own(mind, memory_id)
        mind.wishes.reinforced.append(node.id)
        count = reinforcements(mind.layout, node.id) + mind.wishes.reinforced.count(node.id)
    else:
        with writing(mind.layout, COMMAND) as writer:
            node = _own(mind, memory_id)
            day = load_clock(mind.layout)[0].day
            writer.commit([strength_step(mind.layout, day, (node.id,), ())])
            count = reinforcements(mind.layout, node.id)
    return {"memory": {"id": node.id, "content": node.description}, "reinforced": count}


def associate_memories(mind: Mind, id1: str, id2: str) -> dict[str, Any]:
    """Link two memories by a node with both ids in ``metadata.links``, or return the existing link.

    It is a node because a link must survive derived data. Its importance is the lesser of the two.
    """
    one, two = _own(mind, id1), _own(mind, id2)
    if one.id == two.id:
        raise UsageError(f"{one.id} cannot be linked with itself", "name two memories")
    links = sorted((one.id, two.id))
    present = next((node for node in _lived(mind) if node.metadata.get("links") == links), None)
    if present is not None:
        return {"memory": _shown(present), "linked": links, "already": True}
    wish = NewMemory(
        mind.words("association", one=_clip(one.description), two=_clip(two.description)),
        min(one.importance, two.importance),
        tags=tuple(dict.fromkeys((*one.tags, *two.tags)))[:TAGS],
        metadata={"source": "tool", "kind": "association", "links": links},
    )
    return {"memory": _keep(mind, wish), "linked": links, "already": False}


def _keep(mind: Mind, wish: NewMemory) -> dict[str, Any]:
    """Write a memory; in a scene, note it as a wish (the scene assigns the id)."""
    _check_allowance(mind)
    if mind.wishes is None:
        return _shown(*add_memory(mind.layout, mind.agent.id, wish, COMMAND))
    text, importance = clean_wish(wish, mind.settings)
    mind.wishes.formed.append(Formed(text, importance, wish.type, wish.tags, wish.metadata))
    return {"type": wish.type, "importance": importance, "content": text, "notes": [mind.words("formed_later")]}


def _check_allowance(mind: Mind) -> None:
    limit = mind.settings.allowance.memories_per_day
    if limit is None:
        return
    with snapshot(mind.layout):
        world = load_world(mind.layout).world
    left = left_today(world, world.agents[mind.agent.id])
    noted = len(mind.wishes.formed) if mind.wishes is not None else 0
    if left is not None and left <= noted:
        raise UsageError(
            f"{limit} memories were formed today, and no more are allowed", "searching costs nothing; tomorrow is a day"
        )


def _own(mind: Mind, identifier: str) -> Node:
    found = next((node for node in _lived(mind) if casefold(node.id) == casefold(identifier)), None)
    if found is None:
        what = "is given from the start and stays as it is" if "/" in identifier else "is none of your memories"
        raise UsageError(f"{identifier!r} {what}", "ids of memories come with recall_episodes and its kind")
    return found


def _lived(mind: Mind) -> list[Node]:
    with snapshot(mind.layout):
        return [found.node for found in list_found(mind.layout, mind.agent.id)]


def _shown(node: Node, notes: Sequence[str] = ()) -> dict[str, Any]:
    record = node_record(node)
    shown = {key: record[key] for key in ("id", "created", "type", "importance")}
    return {**shown, "content": node.description, **({"notes": list(notes)} if notes else {})}


def _clip(text: str) -> str:
    return text if len(text) <= QUOTED else text[: QUOTED - 1].rstrip() + "…"
