"""Changes of a mind's layers: folded from replies, and applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from gm.layers import LAYERS
from gm.layers.declare import AnyLayer, PlayedScene
from gm.model.mind import Mind, MindChange
from gm.model.scene import Scene
from gm.model.world import Sentences, World
from gm.scene.dialogue.turns import Turn, dialogue_of, partners_in
from gm.scene.ledger import Ledger, NewNode

if TYPE_CHECKING:
    from gm.model.consulted import Consulted
    from gm.model.scene_reply import SceneReply
    from gm.model.solo_replies import DiaryReply, ReflectionReply

    ReplyWithCalls = tuple[SceneReply | ReflectionReply | DiaryReply, Sequence[Consulted]]
    """A reply of a character, and its calls of memory tools before it."""


def fold_minds(
    world: World, scene: Scene, turns: Sequence[Turn], ledger: Ledger, words: Sentences
) -> dict[str, MindChange]:
    """Return a scene's changes to minds by agent."""
    met = interactions(scene, turns)
    names = dict.fromkeys((*(turn.agent for turn in turns), *scene.cast))
    replies = {
        name: [(turn.reply, turn.consulted) for turn in turns if turn.agent == name]
        for name in names
        if name in world.agents
    }
    return fold_replies(world, scene, replies, ledger, words, met)


def fold_replies(
    world: World,
    scene: Scene,
    replies: Mapping[str, Sequence[ReplyWithCalls]],
    ledger: Ledger,
    words: Sentences,
    met: frozenset[frozenset[str]] = frozenset(),
) -> dict[str, MindChange]:
    """Return the changes of replies to minds; ``met`` holds the pairs of ``interactions``."""
    changes = dict.fromkeys(replies, MindChange())
    for layer in _list_layers_on(world):
        for name, own in replies.items():
            partners = tuple(other for other in scene.cast if frozenset((name, other)) in met)
            played = PlayedScene(world, scene, name, tuple(_collect_said(layer, own)), partners)
            assert layer.reply is not None
            folded = layer.reply.fold(played, world.agents[name].mind[layer])
            ledger.warnings.extend(f"{name}: {warning}" for warning in folded.warnings)
            for memory in folded.memories:
                text = words(memory.phrase, **memory.values)
                ledger.add(name, NewNode(text, memory.importance, tags=memory.tags, metadata=memory.metadata))
            changes[name] = changes[name].with_change(layer, folded.change)
    return {name: change for name, change in changes.items() if change.values}


def _list_layers_on(world: World) -> list[AnyLayer]:
    return [layer for layer in LAYERS if layer.reply and layer.name in world.layers]


def _collect_said(layer: AnyLayer, replies: Iterable[ReplyWithCalls]) -> Iterable[object]:
    assert layer.reply is not None
    for reply, consulted in replies:
        for call in consulted:
            yield from layer.reply.consulted(call)
        # only the forms in which a layer is asked for have its key, marked there with ``OfLayer``
        if hasattr(reply, layer.reply.key):
            yield getattr(reply, layer.reply.key)


def interactions(scene: Scene, turns: Sequence[Turn]) -> frozenset[frozenset[str]]:
    """Return the pairs who dealt with each other: by address or, turn by turn, by taking part."""
    found = {
        frozenset((turn.agent, line.to))
        for turn in turns
        for line in turn.reply.dialogue
        if line.to in scene.cast and line.to != turn.agent
    }
    if scene.type.is_turn_by_turn:
        talked = partners_in(dialogue_of(turns))
        found |= {frozenset((name, other)) for name, others in talked.items() for other in others}
    return frozenset(found)


def mind_record(minds: Mapping[str, MindChange]) -> dict[str, list[dict[str, object]]]:
    """Return the changes that a logbook line reports."""
    found: dict[str, list[dict[str, object]]] = {}
    for layer in LAYERS:
        for name, mind in minds.items():
            change = mind[layer]
            if change is not None and layer.reply is not None and layer.reply.log_values is not None:
                found.setdefault(layer.reply.record, []).append({"agent": name, **layer.reply.log_values(change)})
    return found


def advance_mind(mind: Mind, change: MindChange) -> Mind:
    """Return a mind after a change."""
    for layer in LAYERS:
        own = change[layer]
        if own is not None:
            mind = mind.with_value(layer, layer.advance(mind[layer], own))
    return mind
