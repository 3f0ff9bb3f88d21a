"""Memories of what was said, read and looked up, and who joins a scene that is being played."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from gm.base.casefold import casefold
from gm.base.texts import first_sentences, last_sentences
from gm.model.consulted import Consulted
from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.scene import Scene
from gm.model.scene_reply import Takeaway
from gm.model.world import Agent, Sentences, World
from gm.scene.dialogue.turns import (
    Spoken,
    Turn,
    after_last_round,
    after_last_turn,
    dialogue_of,
    heard_by,
    partners_in,
)
from gm.scene.grounding.attendance import bystanders
from gm.scene.grounding.circle import SMALL_CAST
from gm.scene.ledger import Ledger, NewNode, facets_of, make_observation

HEARD_IMPORTANCE = 4
MOST_HEARD, HEARD_CHARACTERS = 5, 600
MOST_TALKED, MOST_OWN, TALKED_CHARACTERS = 3, 2, 240
FEW_PEOPLE = 3
"""Most people of a talk whose earlier talk is shown again."""
TALK_DAYS, EARLIER_CHARACTERS = 3, 900
"""Days back to which an earlier talk is shown again, and most characters of it; ``metadata.exchange`` has all."""
READ_IMPORTANCE = 5
GIST_CHARACTERS = 220
MOST_TITLE_TAGS = 4
_LINES = re.compile(r":[0-9]+(-[0-9]+)?\Z")
_TITLE_WORD = re.compile(r"\w{4,}")


def add_conversations(
    ledger: Ledger, scene: Scene, turns: Sequence[Turn], spoken: Sequence[Spoken], words: Sentences
) -> None:
    """Add a conversation node by speaker, and observations for the silent who were addressed, and for bystanders."""
    world = ledger.world
    _add_what_the_silent_heard(ledger, scene, turns, spoken, words)
    speakers = list(dict.fromkeys(line.agent for line in spoken))
    # in parallel play two may each say something without talking to each other
    together = scene.type.is_turn_by_turn or any(line.to in speakers for line in spoken)
    if len(speakers) < 2 or not together:
        return
    takeaways = {turn.agent: turn.reply.conversation for turn in turns if turn.reply.conversation}
    for agent, others in partners_in(spoken).items():
        partners = list(others)
        takeaway = takeaways.get(agent) or _plain_takeaway(
            world, scene, agent, partners, _cut_after_last_turn(scene, agent, turns, spoken), words
        )
        felt = {} if takeaway.valence is None else {"valence": takeaway.valence}
        ledger.add(
            agent,
            NewNode(
                takeaway.description,
                takeaway.importance,
                "conversation",
                tags=partners,
                metadata={
                    "with": partners,
                    "location": scene.place,
                    "lines": len(spoken),
                    **felt,
                    **facets_of(takeaway),
                    "exchange": [
                        {"agent": line.agent, "text": line.text} for line in spoken if line.agent in (agent, *others)
                    ],
                },
            ),
        )
        _add_what_came_after(ledger, scene, turns, agent, words)
    for bystander in bystanders(world, scene):
        names = [world.agents[name].call_name for name in speakers[:SMALL_CAST]]
        text = words("talk_seen", names=names, place=scene.place, task=bystander.state.current_task)
        ledger.add(bystander.id, make_observation(text, 2, speakers[:SMALL_CAST], kind="bystander"))


def _add_what_the_silent_heard(
    ledger: Ledger, scene: Scene, turns: Sequence[Turn], spoken: Sequence[Spoken], words: Sentences
) -> None:
    if scene.type.is_at_once and not scene.type.answer_addressed:
        return  # those addressed may be elsewhere
    speakers = {line.agent for line in spoken}
    for name in scene.cast:
        said = [line for line in spoken if line.to == name]
        replies = [turn.reply for turn in turns if turn.agent == name]
        if said and name not in speakers and not any(reply.memories for reply in replies):
            lines = _quote_lines(ledger.world, name, said[-MOST_HEARD:], HEARD_CHARACTERS)
            own = [reply.conversation.description for reply in replies if reply.conversation]
            text = own[-1] if own else words("told", lines=lines, place=scene.place)
            by = tuple(dict.fromkeys(line.agent for line in said))
            ledger.add(name, make_observation(text, HEARD_IMPORTANCE, by, kind="heard"))


def _cut_after_last_turn(scene: Scene, agent: str, turns: Sequence[Turn], spoken: Sequence[Spoken]) -> Sequence[Spoken]:
    if scene.type.is_at_once:
        late = dialogue_of(after_last_round(agent, turns))
        return [line for line in spoken if line not in late]
    return dialogue_of(turns[: len(turns) - len(after_last_turn(agent, turns))])


def _add_what_came_after(ledger: Ledger, scene: Scene, turns: Sequence[Turn], agent: str, words: Sentences) -> None:
    after = after_last_round if scene.type.is_at_once else after_last_turn
    heard = heard_by(agent, dialogue_of(after(agent, turns)))
    if heard:
        addressed = any(line.to == agent for line in heard)
        importance = HEARD_IMPORTANCE if addressed else HEARD_IMPORTANCE - 1
        speakers = tuple(dict.fromkeys(line.agent for line in heard))
        lines = _quote_lines(ledger.world, agent, _choose(agent, heard, MOST_HEARD), HEARD_CHARACTERS)
        text = words("heard_after", lines=lines, place=scene.place)
        ledger.add(agent, make_observation(text, importance, speakers, kind="heard"))


def _choose(agent: str, heard: Sequence[Spoken], most: int) -> list[Spoken]:
    to_them = [place for place, line in enumerate(heard) if line.to == agent][-most:]
    to_all = [place for place, line in enumerate(heard) if line.to is None]
    return [heard[place] for place in sorted((*to_them, *to_all[len(to_all) - max(0, most - len(to_them)) :]))]


def _quote_lines(world: World, agent: str, lines: Sequence[Spoken], characters: int) -> list[dict[str, object]]:
    agents = world.agents
    return [
        {
            "name": agents[line.agent].call_name,
            "mine": line.agent == agent,
            "to_me": line.to == agent,
            "to": agents[line.to].call_name if line.to and line.to in agents else "",
            "text": first_sentences(line.text, characters),
        }
        for line in lines
    ]


@dataclass(frozen=True, slots=True)
class EarlierTalk:
    """What is shown again of a talk; ``gaps`` are places of lines after an omission, or with one at their beginning."""

    day: int
    lines: tuple[Spoken, ...]
    gaps: frozenset[int] = frozenset()


def earlier_talk(world: World, agent: Agent, scene: Scene) -> EarlierTalk | None:
    """Return the last recent talk of few with one of those present, for a talk of few.

    Its end as far as it fits, from the end of a sentence on, without lines that a memory quotes or a thread holds.
    """
    others = {name for name in scene.cast if name != agent.id}
    if not scene.type.is_turn_by_turn or len(scene.cast) > FEW_PEOPLE:
        return None
    talk = _last_talk(agent, others, scene.ref.day - TALK_DAYS)
    if talk is None:
        return None
    memories = (node.description for node in agent.stream if node.created == talk.created)
    quoted = " ".join((*memories, *(thread.text for thread in world.threads if thread.concerns(agent.id))))
    said = _exchange_of(talk)
    room, kept = EARLIER_CHARACTERS, dict[int, Spoken]()
    for place, line in reversed([*enumerate(said)]):
        text = "" if line.text in quoted else last_sentences(line.text, room)
        if text:
            kept[place] = replace(line, text=text)
            room -= len(text)
        if text not in ("", line.text):
            break
    shown = sorted(kept.items())
    gaps = (at for at, (place, line) in enumerate(shown) if line != said[place] or (place and place - 1 not in kept))
    return EarlierTalk(talk.when.day, tuple(line for _, line in shown), frozenset(gaps)) if kept else None


def _last_talk(agent: Agent, others: Set[str], since: int) -> Node | None:
    for node in reversed(agent.stream):
        if node.when.day < since:
            return None
        partners = node.metadata.get("with")
        if node.type != "conversation" or not isinstance(partners, list) or len(partners) >= FEW_PEOPLE:
            continue
        if not others.isdisjoint(partners):
            return node
    return None


def _exchange_of(talk: Node) -> list[Spoken]:
    return [Spoken(agent, " ".join(text.split())) for agent, text in talk.said]


def _plain_takeaway(
    world: World,
    scene: Scene,
    agent: str,
    partners: Sequence[str],
    spoken: Sequence[Spoken],
    words: Sentences,
) -> Takeaway:
    own = [line for line in spoken if line.agent == agent][-MOST_OWN:]
    chosen = (*_choose(agent, heard_by(agent, spoken), MOST_TALKED), *own)
    lines = [line for line in spoken if line in chosen]
    names = [world.agents[name].call_name for name in partners]
    return Takeaway(
        description=words(
            "talked", names=names, place=scene.place, lines=_quote_lines(world, agent, lines, TALKED_CHARACTERS)
        )
    )


def add_read(ledger: Ledger, scene: Scene, words: Sentences) -> Mapping[str, Mapping[str, str]]:
    """Add an observation for each text read.

    Returns:
        By reader, their ids by the text's path and each passage's place.
    """
    cited: dict[str, dict[str, str]] = {}
    for reader in scene.cast if scene.passages else ():
        known = cited.setdefault(reader, {})
        for passage in scene.passages:
            if passage.source not in known:
                known[passage.source] = _add_gist(ledger, reader, passage, words)
            known[passage.place] = known[passage.source]
    return cited


def resolve(item: str, cited: Mapping[str, str]) -> str:
    """Return the memory id for a library place; other evidence unchanged."""
    place = item.strip().strip("`")
    return cited.get(place) or cited.get(_LINES.sub("", place)) or item


def _add_gist(ledger: Ledger, reader: str, passage: Passage, words: Sentences) -> str:
    gist = first_sentences(_strip_markdown(passage.text), GIST_CHARACTERS)
    text = words("read", title=passage.title, author=passage.author, gist=gist)
    tags, lines = ("library", *_title_tags(passage.title)), [passage.first, passage.last]
    node = ledger.add(
        reader, make_observation(text, READ_IMPORTANCE, tags, kind="read", source=passage.source, lines=lines)
    )
    return node.id


def _title_tags(title: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(casefold(word) for word in _TITLE_WORD.findall(title)))[:MOST_TITLE_TAGS]


def _strip_markdown(text: str) -> str:
    return " ".join(line.strip().lstrip(">*- ") for line in text.splitlines() if not line.lstrip().startswith("#"))


def add_formed(ledger: Ledger, agent: str, consulted: Iterable[Consulted]) -> None:
    """Add the memories formed with tools; duplicates are kept once."""
    for formed in (formed for item in consulted for formed in item.formed):
        ledger.add_once(
            agent, NewNode(formed.description, formed.importance, formed.type, formed.tags, metadata=formed.metadata)
        )


def reinforced_in(consulted: Iterable[Consulted]) -> tuple[str, ...]:
    """Return the ids of memories to keep, with repetitions."""
    return tuple(identifier for item in consulted for identifier in item.reinforced)


def wants_care(consulted: Iterable[Consulted]) -> bool:
    """Return whether a tool call asks for self-care."""
    return any(item.care for item in consulted)


def recalled_in(world: World, ledger: Ledger, consulted: Iterable[Consulted]) -> tuple[str, ...]:
    """Return ids of old memories recalled, or cited by new ones; empty without decay."""
    if not world.settings.decay.enabled:
        return ()
    came_up = [identifier for item in consulted for identifier in item.recalled]
    cited = [identifier for nodes in ledger.nodes.values() for node in nodes for identifier in node.evidence]
    new = {node.id for nodes in ledger.nodes.values() for node in nodes}
    return tuple(identifier for identifier in dict.fromkeys((*came_up, *cited)) if identifier not in new)
