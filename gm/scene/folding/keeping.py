"""Which of a character's memories are kept: no duplicates, no more in a day than allowed.

A more important one may archive an earlier one of the day. The rest stays in traces and logbook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gm.base.config import Settings
from gm.base.texts import shorten_at_word
from gm.memory.care import is_held
from gm.memory.duplicates import find_duplicate
from gm.memory.importance import rate_by_rule
from gm.model.calendar import SceneRef
from gm.model.consulted import Consulted, Formed
from gm.model.node import TOOL, Node
from gm.model.scene_reply import NewMemory, SceneReply
from gm.model.stream import of_day
from gm.model.world import Agent, World
from gm.scene.dialogue.turns import Turn

SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Keeping:
    """What is kept of a scene's memories.

    Attributes:
        turns: With only those kept.
        outweighed: By agent, ids of today's memories that go for more important ones.
    """

    turns: tuple[Turn, ...]
    log: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    outweighed: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(slots=True)
class _Sorted:
    # Keys: number of turn, number of memory.
    kept: dict[tuple[int, int], NewMemory] = field(default_factory=dict)
    duplicates: dict[tuple[int, int], str] = field(default_factory=dict)
    over: list[tuple[int, int]] = field(default_factory=list)
    over_by_tool: list[tuple[str, Formed]] = field(default_factory=list)
    outweighed: dict[str, list[Node]] = field(default_factory=dict)


def choose_kept(world: World, ref: SceneRef, turns: Sequence[Turn]) -> Keeping:
    """Choose which of the replies' memories are kept."""
    settings = world.settings
    limit = settings.allowance.memories_per_day
    if limit is None and not settings.memory.duplicates.days:
        return Keeping(tuple(turns))
    found = _Sorted()
    turns = _formed_in_turns(world, turns, found)
    for name in dict.fromkeys(turn.agent for turn in turns):
        own = {
            (place, number): memory
            for place, turn in enumerate(turns)
            if turn.agent == name
            for number, memory in enumerate(turn.reply.memories)
        }
        fresh = _without_duplicates(world, ref, world.agents[name], own, found)
        looked_up = [item for turn in turns if turn.agent == name for item in turn.consulted]
        left = left_today(world, world.agents[name], consulted=looked_up)
        _apply_allowance(world, world.agents[name], left, fresh, found)
    return Keeping(
        _kept_turns(turns, found),
        _log(turns, found, limit),
        tuple(_warnings(turns, found, limit)),
        {name: frozenset(node.id for node in nodes) for name, nodes in found.outweighed.items()},
    )


def formed_today(world: World, agent: Agent) -> int:
    """Return how many memories a character formed today, outweighed ones aside."""
    entries = world.scenes_of(world.clock.day)
    formed = _find_ids((entry.formed_ids for entry in entries), agent)
    gone = formed & _find_ids((entry.outweighed for entry in entries), agent)
    by_tool = [node for node in _today(world, agent) if node.source == TOOL]
    return len(by_tool) + sum(entry.formed.get(agent.id, 0) for entry in entries) - len(gone)


def _today(world: World, agent: Agent) -> list[Node]:
    return of_day(agent.stream, world.clock.day)


def _find_ids(lists: Iterable[Mapping[str, tuple[str, ...]]], agent: Agent) -> set[str]:
    return {name for ids in lists for name in ids.get(agent.id, ())}


def left_today(
    world: World, agent: Agent, own: Sequence[SceneReply] = (), consulted: Sequence[Consulted] = ()
) -> int | None:
    """Return how many more memories a character may form today; None = no limit.

    ``own`` and ``consulted`` are its replies and tool calls in the scene so far.
    """
    limit = world.settings.allowance.memories_per_day
    if limit is None:
        return None
    in_scene = sum(len(reply.memories) for reply in own) + sum(len(item.formed) for item in consulted)
    return max(0, limit - formed_today(world, agent) - in_scene)


def _without_duplicates(
    world: World, ref: SceneRef, agent: Agent, own: Mapping[tuple[int, int], NewMemory], found: _Sorted
) -> dict[tuple[int, int], NewMemory]:
    settings = world.settings.memory.duplicates
    names = [name for other in world.agents.values() for name in (other.id, other.call_name)]
    known = list(agent.stream)
    said: set[str] = set()
    fresh = {}
    for place, memory in own.items():
        # a memory of this scene has no id yet
        node = Node("", str(ref), memory.type, 0, memory.description, 5)
        same = find_duplicate(node, known, settings, world.settings.language, names)
        if same is not None or memory.description in said:
            found.duplicates[place] = same.id if same else ""
            continue
        fresh[place] = memory
        said.add(memory.description)
        known.append(node)
    return fresh


def formed_within(
    world: World, agent: Agent, consulted: Sequence[Consulted]
) -> tuple[tuple[Consulted, ...], tuple[Formed, ...]]:
    """Return the calls with the allowed memories, and those above the limit.

    Each tool call sees the world before the scene.
    """
    left = left_today(world, agent)
    if left is None:
        return tuple(consulted), ()
    kept, over = list[Consulted](), list[Formed]()
    for item in consulted:
        over += item.formed[left:]
        kept.append(replace(item, formed=item.formed[:left]) if len(item.formed) > left else item)
        left -= len(item.formed[:left])
    return tuple(kept), tuple(over)


def say_over(agent: str, text: str, limit: int | None) -> str:
    """Return the warning for a memory above the limit."""
    return f"{agent}: more than {limit} memories today, not kept: {shorten_at_word(text, SHOWN_CHARACTERS)!r}"


def _formed_in_turns(world: World, turns: Sequence[Turn], found: _Sorted) -> list[Turn]:
    kept = list(turns)
    for name in dict.fromkeys(turn.agent for turn in turns):
        looked_up = [item for turn in turns if turn.agent == name for item in turn.consulted]
        allowed, over = formed_within(world, world.agents[name], looked_up)
        found.over_by_tool += [(name, formed) for formed in over]
        calls = iter(allowed)
        if over:
            kept = [replace(turn, consulted=tuple(next(calls) for _ in turn.consulted)) if turn.agent == name else turn
                    for turn in kept]  # fmt: skip
    return kept


def _apply_allowance(
    world: World, agent: Agent, left: int | None, own: Mapping[tuple[int, int], NewMemory], found: _Sorted
) -> None:
    # Of equals the earlier memory is kept.
    if left is None or len(own) <= left:
        found.kept |= own
        return
    formed = _find_ids((entry.formed_ids for entry in world.scenes_of(world.clock.day)), agent)
    earlier = [
        node for node in _today(world, agent) if (node.id in formed or node.source == TOOL) and not is_held(node)
    ]
    weights = [*(node.importance for node in earlier), *(_weight(world.settings, memory) for memory in own.values())]
    ranked = sorted(range(len(weights)), key=lambda number: (-weights[number], number))
    best = set(ranked[: left + len(earlier)])
    if gone := [node for number, node in enumerate(earlier) if number not in best]:
        found.outweighed[agent.id] = gone
    for number, (place, memory) in enumerate(own.items(), len(earlier)):
        if number in best:
            found.kept[place] = memory
        else:
            found.over.append(place)


def _weight(settings: Settings, memory: NewMemory) -> int:
    # by rule where it was left out: a later rating by a model must not change the choice
    if memory.importance is not None:
        return memory.importance
    return rate_by_rule(memory.description, settings.language, settings.importance.signals)


def _kept_turns(turns: Sequence[Turn], found: _Sorted) -> tuple[Turn, ...]:
    kept = []
    for place, turn in enumerate(turns):
        memories = [memory for number, memory in enumerate(turn.reply.memories) if (place, number) in found.kept]
        whole = len(memories) == len(turn.reply.memories)
        kept.append(turn if whole else replace(turn, reply=turn.reply.model_copy(update={"memories": memories})))
    return tuple(kept)


def _log(turns: Sequence[Turn], found: _Sorted, limit: int | None) -> dict[str, object]:
    formed: dict[str, int] = {}
    for place, _ in found.kept:
        formed[turns[place].agent] = formed.get(turns[place].agent, 0) + 1
    over = [_describe_memory(turns, place) for place in sorted(found.over)]
    over += [
        {"agent": agent, "importance": formed.importance, "text": formed.description}
        for agent, formed in found.over_by_tool
    ]
    again = [{**_describe_memory(turns, place), "as": found.duplicates[place]} for place in sorted(found.duplicates)]
    outweighed = {agent: [node.id for node in nodes] for agent, nodes in found.outweighed.items()}
    return {
        "formed": dict(sorted(formed.items())) if limit is not None else {},
        "over_allowance": over,
        "outweighed": outweighed,
        "duplicates": again,
    }


def _describe_memory(turns: Sequence[Turn], place: tuple[int, int]) -> dict[str, object]:
    memory = turns[place[0]].reply.memories[place[1]]
    return {"agent": turns[place[0]].agent, "importance": memory.importance, "text": memory.description}


def _warnings(turns: Sequence[Turn], found: _Sorted, limit: int | None) -> list[str]:
    said = []
    for place in sorted({*found.duplicates, *found.over}):
        turn = turns[place[0]]
        text = repr(shorten_at_word(turn.reply.memories[place[1]].description, SHOWN_CHARACTERS))
        if place in found.duplicates:
            same = found.duplicates[place] or "another memory of this scene"
            said.append(f"{turn.agent}: remembers it already ({same}), not kept again: {text}")
        else:
            said.append(say_over(turn.agent, turn.reply.memories[place[1]].description, limit))
    said += [say_over(agent, formed.description, limit) for agent, formed in found.over_by_tool]
    for agent, nodes in found.outweighed.items():
        for node in nodes:
            text = repr(shorten_at_word(node.description, SHOWN_CHARACTERS))
            said.append(f"{agent}: more than {limit} memories today, {node.id} goes to the archive: {text}")
    return said
