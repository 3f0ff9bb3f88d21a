"""Let characters reflect: in one call, or by questions to their memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.ask.prompt.turn_context import SelfQuestion, TurnContext
from gm.memory.reflect import BY_QUESTIONS, select_lived
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.solo_replies import AnsweringReply, QuestionsReply, ReflectionReply
from gm.model.world import World
from gm.play.interview import Interviewer, Progress
from gm.play.question import SentQuestion
from gm.play.stage import QuestionOptions, Stage
from gm.scene.folding.conclude import Reflected

QUESTIONS, ANSWERS = "questions.j2", "answers.j2"


def play_reflections(
    stage: Stage, interviewer: Interviewer, world: World, scenes: Sequence[Scene], progress: Progress | None
) -> list[Reflected]:
    """Let characters reflect at once, each in its own scene; by questions: two rounds of calls."""
    if world.settings.reflection.method == BY_QUESTIONS:
        return _by_questions(stage, interviewer, world, scenes, progress)
    contexts = [first_question(stage, world, scene)[1] for scene in scenes]
    questions = stage.at_once(
        lambda: [
            stage.question(world, scene, scene.cast[0], context)
            for scene, context in zip(scenes, contexts, strict=True)
        ]
    )
    return [
        Reflected(item.reply, consulted=item.consulted, angle=context.angle)
        for item, context in zip(interviewer.ask(questions, progress), contexts, strict=True)
        if isinstance(item.reply, ReflectionReply)
    ]


def _by_questions(
    stage: Stage, interviewer: Interviewer, world: World, scenes: Sequence[Scene], progress: Progress | None
) -> list[Reflected]:
    wondered = interviewer.ask(stage.at_once(lambda: [_wonder(stage, world, scene) for scene in scenes]), progress)
    asked = stage.at_once(
        lambda: [
            _look_up(stage, world, scene, item.reply.questions)
            for scene, item in zip(scenes, wondered, strict=True)
            if isinstance(item.reply, QuestionsReply)
        ]
    )
    answered = interviewer.ask(
        [_answer(stage, world, scene, items) for scene, items in zip(scenes, asked, strict=True)], progress
    )
    return [
        Reflected(
            item.reply,
            tuple(_find_addressed(insight.questions, insight.evidence, items) for insight in item.reply.insights),
            (*first.consulted, *item.consulted),
            stage.contexts.angle(world, scene.cast[0]),
        )
        for scene, first, item, items in zip(scenes, wondered, answered, asked, strict=True)
        if isinstance(item.reply, AnsweringReply)
    ]


def first_question(stage: Stage, world: World, scene: Scene) -> tuple[Scene, TurnContext]:
    """Return the scene, with the template of the first call, and its context."""
    name = scene.cast[0]
    settings = world.settings.reflection
    if settings.method != BY_QUESTIONS:
        return scene, stage.contexts.first_turn(world, scene, name)
    lived = select_lived(world.agents[name].stream, settings.questions.recent)
    return _in_form(scene, QUESTIONS), TurnContext(material=lived, angle=stage.contexts.angle(world, name))


def _wonder(stage: Stage, world: World, scene: Scene) -> SentQuestion:
    name = scene.cast[0]
    wondering, context = first_question(stage, world, scene)
    return stage.question(
        world,
        wondering,
        name,
        context,
        QuestionOptions(
            label=f"{name}-questions",
            form=QuestionsReply,
            facts={"kind": "questions", "questions": world.settings.reflection.questions.questions},
        ),
    )


def _look_up(stage: Stage, world: World, scene: Scene, questions: Sequence[str]) -> tuple[SelfQuestion, ...]:
    settings = world.settings.reflection.questions
    name = scene.cast[0]
    return tuple(
        SelfQuestion(text, stage.recall(world, scene, name, text, settings.memories_per_question))
        for text in questions[: settings.questions]
    )


def _answer(stage: Stage, world: World, scene: Scene, asked: tuple[SelfQuestion, ...]) -> SentQuestion:
    name = scene.cast[0]
    found = {node.id: node for item in asked for node in item.nodes}
    context = TurnContext(material=_in_order(world, name, found), asked=asked)
    return stage.question(
        world,
        _in_form(scene, ANSWERS),
        name,
        context,
        QuestionOptions(
            form=AnsweringReply, facts={"asked": tuple(tuple(node.id for node in item.nodes) for item in asked)}
        ),
    )


def _in_form(scene: Scene, template: str) -> Scene:
    return replace(scene, type=replace(scene.type, template=template))


def _in_order(world: World, name: str, found: dict[str, Node]) -> tuple[Node, ...]:
    return tuple(node for node in world.agents[name].stream if node.id in found)


def _find_addressed(numbers: Sequence[int], evidence: Sequence[str], asked: Sequence[SelfQuestion]) -> tuple[str, ...]:
    said = [asked[number - 1].text for number in dict.fromkeys(numbers) if 1 <= number <= len(asked)]
    cited = {item.strip() for item in evidence}
    return tuple(said or (item.text for item in asked if cited & {node.id for node in item.nodes}))
