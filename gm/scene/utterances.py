"""Single utterances as records that are found when they are looked for (S0-05, S0-09, S0-21; setting ``capture``).

They are many and mean little by themselves: importance 1, in no window, no reflection and no accumulator. Everybody
keeps what they heard themselves, and nothing else (K13): who takes part in a scene hears all that is said in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.ledger import Ledger, Words
from gm.scene.turns import Spoken

KIND = "dialogue"
IMPORTANCE = 1
OWN, HEARD = "own", "heard"


def add_utterances(ledger: Ledger, scene: Scene, spoken: Sequence[Spoken], words: Words) -> None:
    """Keep what was said in a scene for those who heard it, as the settings say.

    Args:
        ledger: Takes the records.
        scene: What was played.
        spoken: What was said and done in it, in order.
        words: Renders the sentence of a record.
    """
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
        importance=IMPORTANCE,
        tags=tuple(dict.fromkeys(people)),
        metadata={
            "kind": KIND,
            "turn": world.clock.scenes_total + 1,
            "speaker": line.agent,
            **({"to": line.to} if line.to else {}),
        },
    )
