"""Ask a character something outside of every scene: it answers from what it remembers, and keeps nothing of it."""

from __future__ import annotations

from dataclasses import replace

from gm.day.interview import Interviewer, Replied
from gm.day.play import Stage
from gm.model.calendar import SceneRef, is_time_of_day
from gm.model.scene import Scene, SceneType
from gm.model.world import World
from gm.prompt.context import Moment
from gm.scene.asked import Question
from gm.scene.director import next_ref
from gm.scene.ledger import Words
from gm.store.layout import Layout
from gm.store.traces import TraceFolder

ASK = SceneType("ASK", "ask.j2", play="solo", cast=(1, 1))


def last_ref(world: World) -> SceneRef:
    """Name the last scene of the current day; the first place of the day when there was none yet."""
    ref = next_ref(world)
    return SceneRef(ref.day, max(1, ref.scene - 1))


def ask(
    layout: Layout, stage: Stage, interviewer: Interviewer, _words: Words, world: World, question: Question
) -> Replied:
    """Ask one character.

    Args:
        layout: Where question and answer are kept.
        stage: Puts the question together.
        interviewer: Asks it.
        world: The world as the character knows it.
        question: What is asked.

    Returns:
        A ``SceneReply``, and who gave it.
    """
    time = world.clock.time_of_day
    place = world.agents[question.agent].state.position
    scene = Scene(
        question.where,
        ASK,
        time if is_time_of_day(time) else "evening",
        place,
        (question.agent,),
        why="",
        premise="",
        topic=question.text,
        director="asked",
    )
    asked = stage.question(world, scene, question.agent, Moment(), label=f"{question.agent}-ask")
    (replied,) = interviewer.ask([replace(asked, traces=TraceFolder(layout.traces, str(question.where)))])
    return replied
