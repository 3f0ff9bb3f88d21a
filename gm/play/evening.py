"""Ask all diary writers of a day at the same time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from gm.ask.prompt.minds import is_discovering
from gm.ask.prompt.off_scene import render_evening
from gm.ask.prompt.turn_context import TurnContext
from gm.ask.reply.schema import schema_of
from gm.llm.rehearsal.facts import Cue
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.solo_replies import DiaryReply
from gm.model.world import World
from gm.play.interview import Interviewer, Progress
from gm.play.question import NO_LOOK_UPS, ExpectedReply, Prompt, QuestionName, SentQuestion
from gm.play.stage import Stage, blocks, reader_of
from gm.play.turn_contexts import as_remembered
from gm.scene.evening.off_scene import DIARY_PURPOSE, evening_scene, layers_asked, writers


@dataclass(frozen=True, slots=True)
class WrittenDiaries:
    """The replies of an evening, and the backend and model of each, by agent."""

    replies: Mapping[str, DiaryReply]
    made_with: Mapping[str, str]


def ask_diaries(
    stage: Stage, interviewer: Interviewer, world: World, progress: Callable[[Scene], Progress]
) -> WrittenDiaries:
    """Return the diary replies of the evening; none while the layer is off.

    Raises:
        GmError: As ``Interviewer.ask``.
    """
    questions = stage.at_once(lambda: [_question(stage, world, name) for name in writers(world)])
    if not questions:
        return WrittenDiaries({}, {})
    names = [question.request.who for question in questions]
    replied = dict(zip(names, interviewer.ask(questions, progress(questions[0].scene)), strict=True))
    return WrittenDiaries(
        {name: item.reply for name, item in replied.items() if isinstance(item.reply, DiaryReply)},
        {name: item.made_with for name, item in replied.items()},
    )


def _question(stage: Stage, world: World, name: str) -> SentQuestion:
    world = as_remembered(world)
    agent, scene, settings = world.agents[name], evening_scene(world, name), world.settings
    layers = layers_asked(world, agent)
    look_ups = NO_LOOK_UPS
    if is_discovering(world, agent):
        system, look_ups = stage.discovery(world, scene, agent)
        known: tuple[Node, ...] = ()
    else:
        selection = stage.remembered(world, agent, purpose=DIARY_PURPOSE)
        system, known = blocks(stage.assembler.system(world, agent, selection, form=False)), selection.nodes
    remembered = None if look_ups.tools else frozenset(node.id for node in known)
    return stage.make_question(
        world,
        scene,
        agent,
        QuestionName(f"{name}-{DIARY_PURPOSE}", DIARY_PURPOSE, f"{name} ({DIARY_PURPOSE})"),
        Prompt(
            system,
            render_evening(stage.assembler.prompts, world, agent, remembered),
            Cue(world, agent, scene, TurnContext(), tuple(known), stage.seed, DIARY_PURPOSE, logbook=stage.logbook),
        ),
        ExpectedReply(
            schema_of(DiaryReply, stage.texts, layers, settings.importance.from_, plans=settings.plans.enabled),
            reader_of(world, DiaryReply, layers),
            DiaryReply,
        ),
        look_ups,
    )


def date_of(world: World) -> str:
    """Return the open day's real date (``calendar.start`` + days - 1); empty without one."""
    start = world.settings.calendar.start
    try:
        return str(date.fromisoformat(start) + timedelta(days=world.clock.day - 1)) if start else ""
    except (ValueError, OverflowError):  # not a date, or beyond year 9999
        return ""
