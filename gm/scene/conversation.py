"""Memories of a conversation for speakers, late listeners, and bystanders."""

from __future__ import annotations

from collections.abc import Sequence

from gm.base.casefold import shorten
from gm.model.character import Agent
from gm.model.replies import Takeaway
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.attendance import absences_on
from gm.scene.ledger import Ledger, NewNode, Words, facets_of, noticed
from gm.scene.turns import Spoken, Turn, after_last_round, after_last_turn, dialogue_of, heard_by

HEARD_IMPORTANCE = 4
MOST_HEARD, HEARD_CHARACTERS = 5, 600
MOST_TALKED, TALKED_CHARACTERS = 3, 240
"""A few lines are enough: ``metadata.exchange`` has all of them."""


def add_conversations(
    ledger: Ledger, scene: Scene, turns: Sequence[Turn], spoken: Sequence[Spoken], words: Words
) -> None:
    """Add a conversation node for each speaker, and a bare observation for bystanders."""
    world = ledger.world
    speakers = list(dict.fromkeys(line.agent for line in spoken))
    # in parallel play two may each say something without talking to each other
    together = scene.type.play == "sequential" or any(line.to in speakers for line in spoken)
    if len(speakers) < 2 or not together:
        return
    takeaways = {turn.agent: turn.reply.conversation for turn in turns if turn.reply.conversation}
    for agent in speakers:
        partners = [name for name in speakers if name != agent]
        takeaway = takeaways.get(agent) or _plain_takeaway(
            world, scene, agent, partners, _until_last_turn(scene, agent, turns, spoken), words
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
                    "exchange": [{"agent": line.agent, "text": line.text} for line in spoken],
                },
            ),
        )
        _add_what_came_after(ledger, scene, turns, agent, words)
    for bystander in bystanders(world, scene):
        names = [world.agents[name].call_name for name in speakers]
        text = words("talk_seen", names=names, place=scene.place, task=bystander.state.current_task)
        ledger.add(bystander.id, noticed(text, 2, speakers, kind="bystander"))


def _until_last_turn(scene: Scene, agent: str, turns: Sequence[Turn], spoken: Sequence[Spoken]) -> Sequence[Spoken]:
    if scene.type.play != "sequential":
        late = dialogue_of(after_last_round(agent, turns))
        return [line for line in spoken if line not in late]
    return dialogue_of(turns[: len(turns) - len(after_last_turn(agent, turns))])


def _add_what_came_after(ledger: Ledger, scene: Scene, turns: Sequence[Turn], agent: str, words: Words) -> None:
    """What was said to a character after its last turn must not be lost."""
    after = after_last_turn if scene.type.play == "sequential" else after_last_round
    heard = heard_by(agent, dialogue_of(after(agent, turns)))
    if heard:
        addressed = any(line.to == agent for line in heard)
        importance = HEARD_IMPORTANCE if addressed else HEARD_IMPORTANCE - 1
        speakers = tuple(dict.fromkeys(line.agent for line in heard))
        text = words("heard_after", lines=_quoted(ledger.world, agent, heard), place=scene.place)
        ledger.add(agent, noticed(text, importance, speakers, kind="heard"))


def _quoted(
    world: World, agent: str, heard: Sequence[Spoken], most: int = MOST_HEARD, characters: int = HEARD_CHARACTERS
) -> list[dict[str, object]]:
    to_them = [place for place, line in enumerate(heard) if line.to == agent][-most:]
    to_all = [place for place, line in enumerate(heard) if line.to is None]
    kept = sorted((*to_them, *to_all[len(to_all) - max(0, most - len(to_them)) :]))
    return [
        {
            "name": world.agents[heard[place].agent].call_name,
            "to_me": heard[place].to == agent,
            "text": shorten(heard[place].text, characters),
        }
        for place in kept
    ]


def bystanders(world: World, scene: Scene) -> list[Agent]:
    """Return those who are in the room without taking part; empty when the place is unknown."""
    if not scene.place:
        return []
    away = absences_on(world, scene.ref.day)
    return [
        agent
        for agent in world.agents.values()
        if agent.id not in scene.cast and agent.id not in away and agent.state.position == scene.place
    ]


def _plain_takeaway(
    world: World,
    scene: Scene,
    agent: str,
    partners: Sequence[str],
    spoken: Sequence[Spoken],
    words: Words,
) -> Takeaway:
    heard = _quoted(world, agent, heard_by(agent, spoken), MOST_TALKED, TALKED_CHARACTERS)
    names = [world.agents[name].call_name for name in partners]
    return Takeaway(description=words("talked", names=names, place=scene.place, lines=heard))
