"""Changes of a mind's layers: folded from replies, and applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gm.base.casefold import casefold
from gm.base.texts import shorten_at_word
from gm.layers import LAYERS
from gm.layers.declare import AnyLayer, PlayedScene
from gm.layers.working import WORKING, PageLine, clear_page, prefixes_of
from gm.memory.lens import original_text
from gm.model.calendar import SceneRef, render_day
from gm.model.consulted import Consulted
from gm.model.mind import Mind, MindChange
from gm.model.node import LESSON
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import DiaryReply, ReflectionReply
from gm.model.world import Change, World
from gm.scene.dialogue.turns import Turn
from gm.scene.dialogue.weaving import dialogue_of, partners_in
from gm.scene.ledger import Ledger, NewNode, Sentences

Said = tuple[SceneReply | ReflectionReply | DiaryReply, Sequence[Consulted]]
"""A reply of a character, and its calls of memory tools before it."""
DECISIONS = "decisions"
MOST_DECISIONS = 5
DECISION_CHARACTERS = 300
MIGRATED_FROM = "working_memory"


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
    replies: Mapping[str, Sequence[Said]],
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


def _collect_said(layer: AnyLayer, replies: Iterable[Said]) -> Iterable[object]:
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
            if change is not None and layer.reply is not None and layer.reply.told is not None:
                found.setdefault(layer.reply.record, []).append({"agent": name, **layer.reply.told(change)})
    return found


def advance_mind(mind: Mind, change: MindChange) -> Mind:
    """Return a mind after a change."""
    for layer in LAYERS:
        own = change[layer]
        if own is not None:
            mind = mind.with_value(layer, layer.advance(mind[layer], own))
    return mind


def fold_decisions(world: World, scene: Scene, turns: Sequence[Turn]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the leader's first ``MOST_DECISIONS`` new decisions, and warnings for the others."""
    if DECISIONS not in world.layers:
        return (), ()
    known = {casefold(decision) for decision in world.decisions}
    noted, warnings = list[str](), list[str]()
    for turn in turns:
        for text in turn.reply.decisions:
            decision = shorten_at_word(" ".join(text.split()), DECISION_CHARACTERS)
            if not scene.type.chair or turn.agent != scene.cast[0]:
                warnings.append(f"{turn.agent}: does not lead this scene, decision not noted: {decision[:60]!r}")
            elif casefold(decision) in known:
                warnings.append(f"{turn.agent}: decided before, not noted again: {decision[:60]!r}")
            elif len(noted) == MOST_DECISIONS:
                warnings.append(
                    f"{turn.agent}: more than {MOST_DECISIONS} decisions in one scene, not noted: {decision[:60]!r}"
                )
            else:
                noted.append(decision)
                known.add(casefold(decision))
    return tuple(noted), tuple(warnings)


def migrate_pages(world: World) -> Change:
    """Move all pages' lessons into the streams, and clear the pages.

    A lesson becomes an observation of the day's last scene, rated by rule, unless remembered word for word.
    """
    day = world.clock.day
    if WORKING.name not in world.layers:
        return Change(day=day)
    settings = world.settings
    prefixes = prefixes_of(settings.working.migrate_prefixes, settings.language)
    ledger = Ledger(world, last_scene(world, day))
    minds = {}
    for name, agent in world.agents.items():
        lessons, change = clear_page(agent.mind[WORKING], prefixes)
        if change is not None:
            minds[name] = MindChange().with_change(WORKING, change)
        for line in lessons:
            _keep(ledger, name, line)
    return Change(
        day=day,
        nodes=ledger.added(),
        agents=ledger.accumulators(),
        minds=minds,
        warnings=tuple(ledger.warnings),
    )


def _keep(ledger: Ledger, name: str, line: PageLine) -> None:
    known = (*ledger.world.agents[name].stream, *ledger.nodes.get(name, ()))
    if any(node.kind == LESSON and casefold(original_text(node)) == casefold(line.text) for node in known):
        return
    metadata = {"kind": LESSON, "migrated_from": MIGRATED_FROM, "key": line.key}
    ledger.add(name, NewNode(line.text, None, tags=(LESSON,), metadata=metadata))


def last_scene(world: World, day: int) -> str:
    """Return the day's last scene; the day itself without scenes."""
    entries = world.scenes_of(day)
    number = entries[-1].record.get("scene") if entries else None
    return str(SceneRef(day, number)) if isinstance(number, int) else render_day(day)
