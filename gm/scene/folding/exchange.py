"""Requests for memories between characters (setting ``share``), and single utterances (``capture``).

Only the addressee decides a request, in its next scene, and it ends with that scene. Utterances are records beside the
stream, of importance 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gm.memory.share import bank_of, copy_nodes, select_about
from gm.model.link import LinkRequest
from gm.model.mind import SHARE
from gm.model.node import DIALOGUE, Node
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.world import Change, Sentences, World
from gm.scene.dialogue.turns import Spoken, Turn
from gm.scene.ledger import Ledger, make_observation
from gm.scene.pieces.known_pieces import audience_in, is_for

REMAINS = {"memories_given": 4, "memories_got": 6, "memories_refused": 4, "memories_silent": 2}
"""Importance of the memories of an exchange on both sides, by sentence."""
MOST_TOPICS = 6
DIALOGUE_IMPORTANCE = 1
"""Importance of the record of one utterance."""
OWN, HEARD = "own", "heard"


@dataclass(slots=True)
class MemoryExchange:
    """What a scene does with requests for memories.

    Attributes:
        links: All that now wait; None = unchanged.
        log: Its part of the logbook line.
    """

    links: tuple[LinkRequest, ...] | None = None
    log: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def fold_exchange(
    world: World, scene: Scene, turns: Sequence[Turn], ledger: Ledger, words: Sentences
) -> MemoryExchange:
    """Apply a scene's requests and answers."""
    if SHARE not in world.layers:
        return MemoryExchange()
    result = MemoryExchange()
    waiting = list(world.links)
    done: set[tuple[str | None, str]] = set()
    for turn in turns:
        for answer in turn.reply.memory_answers:
            asker = world.find_agent(answer.to)
            request = next((item for item in waiting if (item.asker, item.giver) == (asker, turn.agent)), None)
            if request is None or asker is None:
                if (asker, turn.agent) not in done:
                    what = f"{answer.to!r} has not asked for memories; nothing was given"
                    result.warnings.append(f"{turn.agent}: {what}")
                continue
            waiting.remove(request)
            done.add((asker, turn.agent))
            _answer(request, ledger, words, result, share=answer.share)
    for request in [item for item in waiting if item.giver in scene.cast]:
        waiting.remove(request)
        if request.asker in world.agents and request.giver in world.agents:
            _remain(ledger, words, "memories_silent", request, request.asker, request.giver)
    asked: list[LinkRequest] = []
    for turn in turns:
        asked += _make_requests(world, scene, turn, [*waiting, *asked], result)
    waiting += asked
    result.log["memories_asked"] = [{"from": item.asker, "to": item.giver, "about": list(item.about)} for item in asked]
    result.links = tuple(waiting) if tuple(waiting) != world.links else None
    return result


def fold_link_answer(world: World, request: LinkRequest, at: str, words: Sentences, *, share: bool) -> Change:
    """Return the change that answers a request outside of scenes; ``at`` is its scene."""
    ledger = Ledger(world, at)
    _answer(request, ledger, words, MemoryExchange(), share=share)
    return Change(
        world.clock.day,
        nodes=ledger.added(),
        agents=ledger.accumulators(),
        links=tuple(item for item in world.links if item != request),
    )


def wanted_of(world: World, giver: str, own: Sequence[SceneReply] = ()) -> list[LinkRequest]:
    """Return a character's requests that its replies leave open."""
    answered = {world.find_agent(answer.to) for reply in own for answer in reply.memory_answers}
    return [item for item in world.links if item.giver == giver and item.asker not in answered]


def _answer(request: LinkRequest, ledger: Ledger, words: Sentences, result: MemoryExchange, *, share: bool) -> None:
    asker, giver = request.asker, request.giver
    if not share:
        _remain(ledger, words, "memories_refused", request, asker, giver)
        return
    count = give(ledger, request)
    _remain(ledger, words, "memories_got", request, asker, giver, count=count)
    _remain(ledger, words, "memories_given", request, giver, asker, count=count)
    passed = {"from": giver, "to": asker, "about": list(request.about), "count": count}
    result.log.setdefault("memories_shared", []).append(passed)


def give(ledger: Ledger, request: LinkRequest) -> int:
    """Copy the requested memories; return how many are new."""
    world = ledger.world
    receiver = world.agents[request.asker]
    bank, own = (bank_of(world.agents[name], world.archives.get(name, ())) for name in (request.giver, request.asker))
    # a piece of work stays with its readers
    given = [node for node in select_about(bank, request.about) if is_for(audience_in(node), receiver.id)]
    # what was copied earlier in the same scene is held too
    held = (*own, *ledger.nodes.get(receiver.id, ()))
    number = ledger.next_number(receiver.id)
    copies = copy_nodes(receiver.id, held, receiver.archived_sources, given, ledger.created, number)
    ledger.take_over(receiver.id, copies)
    return len(copies)


def _remain(
    ledger: Ledger, words: Sentences, key: str, request: LinkRequest, agent: str, other: str, **values: int
) -> None:
    name = ledger.world.agents[other].call_name
    text = words(key, name=name, about=list(request.about), **values)
    ledger.add(agent, make_observation(text, REMAINS[key], (other,), kind="link"))


def _make_requests(
    world: World, scene: Scene, turn: Turn, waiting: Sequence[LinkRequest], result: MemoryExchange
) -> list[LinkRequest]:
    found: list[LinkRequest] = []
    for request in turn.reply.memory_requests:
        giver = world.find_agent(request.to)
        if giver is None or giver == turn.agent:
            result.warnings.append(f"{turn.agent}: nobody else is called {request.to!r}; no memories were asked for")
            continue
        about = tuple(dict.fromkeys(" ".join(topic.split()) for topic in request.about))[:MOST_TOPICS]
        if not any((item.asker, item.giver) == (turn.agent, giver) for item in (*waiting, *found)):
            found.append(LinkRequest(turn.agent, giver, about, str(scene.ref)))
    return found


def add_utterances(ledger: Ledger, scene: Scene, spoken: Sequence[Spoken], words: Sentences) -> None:
    """Add the spoken lines for those who heard them, as ``capture.dialogue`` says."""
    world = ledger.world
    capture = world.settings.capture.dialogue
    if capture not in (OWN, HEARD):
        return
    for line in spoken:
        if not line.aloud or line.agent not in world.agents:
            continue
        text = words("dialogue_record", speaker=world.agents[line.agent].call_name, text=line.text)
        for listener in scene.cast if capture == HEARD else (line.agent,):
            ledger.take_over(listener, [_record(ledger, scene, world, line, listener, text)])


def _record(ledger: Ledger, scene: Scene, world: World, line: Spoken, listener: str, text: str) -> Node:
    people = [name for name in (line.agent, line.to) if name and name != listener and name in world.agents]
    return Node(
        id=ledger.next_id(listener),
        created=str(scene.ref),
        type="conversation",
        depth=0,
        description=" ".join(text.split()),
        importance=DIALOGUE_IMPORTANCE,
        tags=tuple(dict.fromkeys(people)),
        metadata={
            "kind": DIALOGUE,
            "turn": world.clock.scenes_total + 1,
            "speaker": line.agent,
            **({"to": line.to} if line.to else {}),
        },
    )
