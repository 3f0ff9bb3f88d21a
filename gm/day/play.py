"""Play one scene: ask its participants in the way its type says, and collect their replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from gm.day.interview import Interviewer
from gm.day.stage import Stage, is_last
from gm.model.consulted import Consulted
from gm.model.fold import fold
from gm.model.replies import SceneReply
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.turn_context import Moment, Piece
from gm.scene.pieces import MOST_PIECES, shorten_piece
from gm.scene.turns import (
    Turn,
    asked_to_answer,
    is_closing_word,
    next_speaker,
    seen_and_heard,
    seen_and_heard_at_once,
    take_turn,
)

Progress = Callable[[int, int], None]


def play_scene(
    stage: Stage, interviewer: Interviewer, world: World, scene: Scene, progress: Progress | None
) -> list[Turn]:
    """Play a scene that wants scene replies: all at once, or turn by turn.

    Returns:
        The turns in the order in which they count.
    """
    if scene.type.play == "sequential":
        return _play_sequential(stage, interviewer, world, scene, progress)
    names = _names(world)
    moments = {name: stage.first_moment(world, scene, name) for name in scene.cast}
    turns = _ask_at_once(stage, interviewer, world, scene, moments, names, progress)
    if scene.type.answer_addressed:
        asked = {name: _answering(stage, world, turns, name) for name in asked_to_answer(scene.cast, turns)}
        turns += _ask_at_once(stage, interviewer, world, scene, asked, names, None)
    return turns


def _ask_at_once(
    stage: Stage,
    interviewer: Interviewer,
    world: World,
    scene: Scene,
    moments: Mapping[str, Moment],
    names: Mapping[str, str],
    progress: Progress | None,
) -> list[Turn]:
    """Ask several characters at the same time, each in a moment of its own."""
    questions = stage.at_once(
        lambda: [
            stage.question(world, scene, name, moment, label=_label(name, moment)) for name, moment in moments.items()
        ]
    )
    replies = interviewer.ask(questions, progress) if questions else []
    return [
        replace(take_turn(name, item.reply, names, item.made_with), consulted=item.consulted)
        for name, item in zip(moments, replies, strict=True)
        if isinstance(item.reply, SceneReply)
    ]


def _answering(stage: Stage, world: World, turns: Sequence[Turn], name: str) -> Moment:
    """Describe the further turn of somebody who was asked something while all replied at the same time."""
    own = tuple(turn.reply for turn in turns if turn.agent == name)
    made = [
        Piece(turn.reply.artifact.title, turn.agent, shorten_piece(turn.reply.artifact.body))
        for turn in turns
        if turn.reply.artifact and turn.agent != name
    ]
    return Moment(
        dialogue=seen_and_heard_at_once(turns),
        own=own,
        plan=stage.plan_of(world, own),
        pieces=tuple(made[:MOST_PIECES]),
        turn=len(own) + 1,
        consulted=_looked_up(turns, name),
    )


def _looked_up(turns: Sequence[Turn], name: str) -> tuple[Consulted, ...]:
    """Give what a character has asked its memory in a scene so far: it does not forget that from turn to turn."""
    return tuple(item for turn in turns if turn.agent == name for item in turn.consulted)


def _label(name: str, moment: Moment) -> str:
    return name if moment.turn == 1 else f"{name}-turn-{moment.turn}"


def _play_sequential(
    stage: Stage, interviewer: Interviewer, world: World, scene: Scene, progress: Progress | None
) -> list[Turn]:
    turns: list[Turn] = []
    names = _names(world)
    kind = scene.type
    most = len(scene.cast) * kind.rounds[1]
    stage.embed_ahead(
        lambda: [stage.question(world, scene, name, stage.first_moment(world, scene, name)) for name in scene.cast]
    )
    while (name := next_speaker(scene.cast, turns, kind.rounds, kind.max_turns, chair=kind.chair)) is not None:
        own = tuple(turn.reply for turn in turns if turn.agent == name)
        looked_up = _looked_up(turns, name)
        first = stage.first_moment(world, scene, name)
        moment = replace(
            first,
            dialogue=seen_and_heard(turns),
            own=own,
            plan=stage.plan_of(world, own),
            turn=len(own) + 1,
            last_turn=is_last(scene, name, turns),
            closing=is_closing_word(name, scene.cast, turns, kind),
            replan=() if own else first.replan,
            consulted=looked_up,
        )
        if progress:
            progress(len(turns), max(most, len(turns) + 1))
        put = partial(stage.question, world, scene, name, moment, label=_label(name, moment))
        (item,) = interviewer.ask([stage.at_once(put)])
        assert isinstance(item.reply, SceneReply)
        turn = take_turn(name, item.reply, names, item.made_with)
        turns.append(replace(turn, consulted=item.consulted))
    return turns


def _names(world: World) -> dict[str, str]:
    """Every name that somebody may be addressed by, folded, with the id."""
    agents = world.agents.values()
    return {fold(name): agent.id for agent in agents for name in (agent.name, agent.call_name, agent.id)}
