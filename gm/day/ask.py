"""Ask a character something out of scene: it answers from what it remembers, and keeps nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gm.day.interview import Interviewer
from gm.model.calendar import SceneRef
from gm.model.replies import SceneReply
from gm.model.scene import Scene, SceneType
from gm.model.world import World

if TYPE_CHECKING:
    from gm.day.run import GameMaster

QUESTION = SceneType("ASK", "ask.j2", "solo", cast=(1, 1))


def ask_out_of_scene(
    master: GameMaster, world: World, name: str, text: str, where: SceneRef, notice: Callable[[str], None]
) -> str:
    """Ask one character.

    Args:
        master: Knows who answers.
        world: The world as the character knows it.
        name: Id of the agent.
        text: The question.
        where: In whose traces question and answer are kept.
        notice: Told about every repair.

    Returns:
        What it says.
    """
    agent = world.agents[name]
    time = world.clock.time_of_day or "morning"
    scene = Scene(where, QUESTION, time, agent.state.position, (name,), "", "", topic=text, director="asked")
    question = master.stage.question(
        world, scene, name, master.stage.first_moment(world, scene, name), label=f"ask-{name}"
    )
    (item,) = Interviewer(master.asker, master.assembler, notice).ask([question])
    assert isinstance(item.reply, SceneReply)
    said = " ".join(line.text for line in item.reply.dialogue)
    return said or item.reply.thoughts or item.reply.action
