"""The tools that change a mind: memories, soul, self-care, memories of others.

Streams only grow; writes go through lock and journal. Reinforced memories are recalled more easily.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from pydantic import ValidationError

from gm.api.editing import layers as by_hand
from gm.api.editing.desk import editing
from gm.api.editing.layers import SoulWritten
from gm.api.editing.memory import NewMemory, append_memory, clean_new_memory
from gm.api.editing.share import answer_request, request_memories
from gm.api.playing.mind.answers import (
    CareRequested,
    MemoriesRequested,
    MemoriesShared,
    MemoryWritten,
    RequestItem,
    RequestsWaiting,
    SoulChanged,
    SoulLine,
    WrittenItem,
)
from gm.api.playing.mind.mind import OpenMind
from gm.api.reports.recall import RecalledMemory
from gm.base.casefold import casefold
from gm.base.errors import UsageError, require_choice
from gm.base.texts import CONTROLS, clip_line
from gm.files.commits.snapshot import snapshot
from gm.files.layers import load_layer
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.story.now import load_clock
from gm.files.streams.find import list_found
from gm.files.streams.strength import read_strengths, strength_step
from gm.layers.soul import SOUL, SOUL_KINDS, soul_key
from gm.memory.care import is_at_home, select_movable
from gm.memory.recall.scored import UNTOUCHED
from gm.model.consulted import Formed
from gm.model.layer_replies import SoulEdit
from gm.model.node import FINER_KINDS, NODE_TYPES, TOOL, Node, NodeType
from gm.model.world import Change, World
from gm.scene.folding.advance import advance
from gm.scene.folding.keeping import left_today
from gm.scene.planning.schedule import open_day

COMMAND = "gm mcp"
QUOTED = 160
TAGS = 6


def form_memory(mind: OpenMind, content: str, importance: int, type: str = "observation") -> MemoryWritten:
    """Form a memory at the last scene; it counts for the next reflection.

    Args:
        importance: 1 (routine) to 10 (pivotal).
    """
    wanted = require_choice(casefold(type), (*NODE_TYPES, *FINER_KINDS), "a type of memory")
    metadata = {"source": TOOL, **({"kind": wanted} if wanted in FINER_KINDS else {})}
    kind: NodeType = next((known for known in NODE_TYPES if known == wanted), "observation")
    return MemoryWritten(
        memory=_keep_memory(mind, NewMemory(_check_said(mind, content), importance, kind, metadata=metadata))
    )


def reinforce_memory(mind: OpenMind, memory_id: str) -> MemoryWritten:
    """Reinforce a memory: it is recalled more easily."""
    if mind.pending is not None:
        node = _find_own(mind, memory_id)
        mind.pending.reinforced.append(node.id)
        count = reinforcements(mind.layout, node.id) + mind.pending.reinforced.count(node.id)
    else:
        with editing(mind.layout, COMMAND) as desk:
            node = _find_own(mind, memory_id)
            day = load_clock(mind.layout)[0].day
            desk.commit([strength_step(mind.layout, day, (node.id,), ())])
            count = reinforcements(mind.layout, node.id)
    return MemoryWritten(memory=WrittenItem(id=node.id, content=node.description), reinforced=count)


def associate_memories(mind: OpenMind, id1: str, id2: str) -> MemoryWritten:
    """Link two memories by a node with both ids in ``metadata.links``, or return the existing link."""
    one, two = _find_own(mind, id1), _find_own(mind, id2)
    if one.id == two.id:
        raise UsageError(f"{one.id} cannot be linked with itself", "name two memories")
    links = sorted((one.id, two.id))
    present = next((node for node in _list_lived(mind) if node.metadata.get("links") == links), None)
    if present is not None:
        return MemoryWritten(memory=_describe_memory(present), linked=tuple(links), already=True)
    new = NewMemory(
        mind.words("association", one=clip_line(one.description, QUOTED), two=clip_line(two.description, QUOTED)),
        min(one.importance, two.importance),
        tags=tuple(dict.fromkeys((*one.tags, *two.tags)))[:TAGS],
        metadata={"source": TOOL, "kind": "association", "links": links},
    )
    return MemoryWritten(memory=_keep_memory(mind, new), linked=tuple(links), already=False)


def _keep_memory(mind: OpenMind, new: NewMemory) -> WrittenItem:
    _check_allowance(mind)
    if mind.pending is None:
        with editing(mind.layout, COMMAND) as desk:
            node = append_memory(desk, mind.agent.id, new)
        return _describe_memory(node, desk.notes)
    text, importance = clean_new_memory(new, mind.settings)
    mind.pending.formed.append(Formed(text, importance, new.type, new.tags, new.metadata))
    notes = (mind.words("formed_later"),)
    return WrittenItem(type=new.type, importance=importance, content=text, notes=notes)


def _check_said(mind: OpenMind, text: str) -> str:
    """Return a text without control characters; it has the limit of texts in replies."""
    most = mind.settings.reply.most_characters
    if len(text) > most:
        raise UsageError(f"found {len(text):,} characters, expected at most {most:,}", "say it in fewer words")
    return CONTROLS.sub("", text)


def _check_allowance(mind: OpenMind) -> None:
    limit = mind.settings.allowance.memories_per_day
    if limit is None:
        return
    world = _world_of(mind)
    left = left_today(world, world.agents[mind.agent.id])
    noted = len(mind.pending.formed) if mind.pending is not None else 0
    if left is not None and left <= noted:
        raise UsageError(
            f"{limit} memories were formed today, as many as allowance.memories_per_day allows",
            "search your memories instead, which costs nothing, or form it tomorrow",
        )


def _find_own(mind: OpenMind, identifier: str) -> Node:
    found = next((node for node in _list_lived(mind) if casefold(node.id) == casefold(identifier)), None)
    if found is None:
        what = "is given from the start and stays as it is" if "/" in identifier else "is not one of your memories"
        raise UsageError(f"{identifier!r} {what}", "ids of memories come with recall_episodes and its kind")
    return found


def _list_lived(mind: OpenMind) -> list[Node]:
    with snapshot(mind.layout):
        return [found.node for found in list_found(mind.layout, mind.agent.id)]


def _describe_memory(node: Node, notes: Sequence[str] = ()) -> WrittenItem:
    return WrittenItem(
        id=node.id,
        created=node.created,
        type=node.type,
        importance=node.importance,
        content=node.description,
        notes=tuple(notes),
    )


def reinforcements(layout: Layout, identifier: str) -> int:
    """Return how often a node was reinforced."""
    return read_strengths(layout).get(identifier, UNTOUCHED).reinforcements


def strengthen(layout: Layout, found: Sequence[RecalledMemory], weight: float) -> list[RecalledMemory]:
    """Raise the relevance of reinforced memories and sort anew, stably.

    relevance · (1 + weight · log2(1 + count)), at most 1; ``weight`` is ``tools.reinforced``.
    """
    counts = {key: count for key, item in read_strengths(layout).items() if (count := item.reinforcements)}
    if not counts or not weight:
        return list(found)
    raised = [(item.relevance * (1 + weight * math.log2(1 + counts.get(item.id, 0))), item) for item in found]
    raised.sort(key=lambda pair: -pair[0])
    return [replace(item, relevance=round(min(1.0, max(score, item.relevance)), 4)) for score, item in raised]


def add_to_soul(mind: OpenMind, text: str, kind: str = "belief") -> SoulChanged:
    """Add a sentence to the soul, which is never summarised, pruned or shortened.

    Args:
        kind: belief, value, fear or conviction.
    """
    text = _check_said(mind, text)
    if mind.pending is None:
        return _report_soul(*by_hand.add_soul_entry(mind.layout, mind.agent.id, kind, text))
    words = " ".join(text.split())
    known = require_choice(kind, tuple(SOUL_KINDS), "a kind of entry")
    try:
        edit = SoulEdit.model_validate({"add": [{"kind": known, "text": words}]})
    except ValidationError as error:
        raise UsageError("this cannot stand in a soul", "; ".join(item["msg"] for item in error.errors())) from error
    mind.pending.soul.append(edit)
    added = SoulLine(kind=SOUL_KINDS[known], text=words)
    return SoulChanged(mind.agent.id, (added,), (), (mind.words("soul_later"),))


def remove_from_soul(mind: OpenMind, text: str) -> SoulChanged:
    """Remove a sentence, given word for word, from the soul."""
    if mind.pending is None:
        return _report_soul(*by_hand.remove_soul_entry(mind.layout, mind.agent.id, text))
    with snapshot(mind.layout):
        entries = [entry.text for entry in load_layer(mind.layout, SOUL, mind.agent.id)[0].entries]
    entries += [item.text for edit in mind.pending.soul for item in edit.add]
    found = next((entry for entry in entries if soul_key(entry) == soul_key(text)), None)
    if found is None:
        raise UsageError(
            f"this does not stand in your soul: {text[:60]!r}",
            "give one of its sentences word for word: " + " · ".join(entries) if entries else "your soul is empty",
        )
    mind.pending.soul.append(SoulEdit(remove=[found]))
    return SoulChanged(mind.agent.id, (), (SoulLine(text=found),), (mind.words("soul_later"),))


def _report_soul(written: SoulWritten, notes: Sequence[str]) -> SoulChanged:
    added, removed = (
        tuple(SoulLine(kind=entry.kind, text=entry.text) for entry in entries)
        for entries in (written.added, written.removed)
    )
    return SoulChanged(written.agent, added, removed, tuple(notes))


def _world_of(mind: OpenMind) -> World:
    with snapshot(mind.layout):
        world = load_world(mind.layout).world
    # in a day's first scene, the files do not say yet that it is open
    return world if mind.here is None or world.clock.day_open else advance(world, open_day(world))


def self_care(mind: OpenMind) -> CareRequested:
    """Request self-care for the evening."""
    world = _world_of(mind)
    agent, care = world.agents[mind.agent.id], mind.settings.selfcare
    movable = len(select_movable(agent, mind.settings, world.open_day))
    if movable < care.min:
        raise UsageError(
            f"self-care needs {care.min} memories that are old enough, and there are {movable}",
            "those before your eyes do not count; ask again on a later day",
        )
    if mind.pending is not None:
        mind.pending.care = True
    else:
        with editing(mind.layout, COMMAND) as desk:
            desk.land(Change(desk.world.clock.day, agents={agent.id: {"care_wanted": True}}))
    late = care.at_home and not is_at_home(agent)
    note = mind.words("care_at_home", home=agent.home) if late else mind.words("care_later")
    return CareRequested(agent.id, movable, (note,))


def neural_link_request_memory(mind: OpenMind, name: str) -> MemoriesRequested:
    """Ask another character for all of its memories."""
    requested, notes = request_memories(mind.layout, mind.agent.id, mind.other(name).id, (), time.time)
    return MemoriesRequested(requested, tuple(notes))


def neural_link_requests(mind: OpenMind) -> RequestsWaiting:
    """Return who waits for this character's memories."""
    links = load_world(mind.layout).world.links
    return RequestsWaiting(tuple(RequestItem(link.asker, link.about) for link in links if link.giver == mind.agent.id))


def neural_link_share_memory(mind: OpenMind, name: str) -> MemoriesShared:
    """Give a character that has asked a copy of one's memories."""
    passed, notes = answer_request(mind.layout, mind.agent.id, mind.other(name).id, time.time, share=True)
    return MemoriesShared(passed, tuple(notes))
