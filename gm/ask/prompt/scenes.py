"""A scene as prompts show it to a participant: time and place, topic, absences, dialogue."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from gm.ask.prompt.people import call_name
from gm.ask.prompt.turn_context import Moment, Piece
from gm.ask.prompt.values import View, inner_quotes, quoted_lines
from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.passage import Passage
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.attendance import REMOTE, absences_on
from gm.scene.ledger import Words
from gm.scene.turns import Spoken


def view_now(words: Words, world: World, scene: Scene) -> Any:
    """Return when a scene is played: day, weekday, time of day."""
    day = scene.ref.day
    return View(
        day=day, weekday=weekday(day, world.settings.calendar.weekdays), time=words(f"time_{scene.time_of_day}")
    )


def view_scene(world: World, scene: Scene, agent: Agent) -> Any:
    """Return a scene as it was chosen, with what only this participant knows of it."""
    own = scene.premises.get(agent.id, "")
    intent = scene.intent if scene.cast[0] == agent.id else ""
    return View(
        type=scene.type.name,
        place=scene.place,
        place_text=world.settings.places.get(scene.place, ""),
        premise=scene.premise,
        topic=scene.topic,
        own=own,
        intent="" if inner_quotes(intent) in own else intent,
        starter=scene.cast[0],
        leads=scene.type.chair and scene.cast[0] == agent.id,
        leader=world.agents[scene.cast[0]].call_name if scene.type.chair else "",
        tag=scene.type.tag,
        asks_plan=scene.type.plan,
        note=scene.note,
        wished=scene.director in ("asked", "script"),
        remote=False,
    )


def view_scene_from(words: Words, world: World, scene: Scene, agent: Agent) -> Any:
    """Return a scene as one participant sees it; one who is remote stays where it is."""
    seen = view_scene(world, scene, agent)
    if absences_on(world, scene.ref.day).get(agent.id) == REMOTE:
        seen.place = words("place_remote" if len(scene.cast) > 1 else "place_remote_alone")
        seen.place_text = ""
        seen.remote = True
    return seen


def view_absent(words: Words, world: World, agent: Agent) -> list[str]:
    """Return a sentence for each other character who is away today."""
    return [
        words(f"away_{how}", name=world.agents[name].call_name)
        for name, how in absences_on(world, world.clock.day).items()
        if name != agent.id
    ]


def view_passage(passage: Passage) -> Any:
    """Return a passage of the library."""
    return View(
        title=" ".join(passage.title.split()),
        author=" ".join(passage.author.split()),
        place=passage.place,
        lines=quoted_lines(passage.text),
    )


def view_piece(world: World, piece: Piece) -> Any:
    """Return a finished piece of work that is at hand."""
    maker = world.agents[piece.maker].call_name if piece.maker in world.agents else piece.maker
    # quoted line by line: the text of a character must not look like a part of the question
    return View(title=piece.title, maker=maker, lines=quoted_lines(piece.text), is_cut=piece.is_cut)


def view_dialogue(world: World, agent: Agent, moment: Moment) -> list[Any]:
    """Return what was said and done, with the character's own thoughts after each of its turns."""
    own = iter([reply for reply in moment.own if reply.action.strip() or reply.dialogue])
    shown = []
    for line, after in zip_longest(moment.dialogue, moment.dialogue[1:]):
        ends_own = line.agent == agent.id and (after is None or after.agent != agent.id)
        reply = next(own, None) if ends_own else None
        shown.append(_line(world, line, reply.thoughts if reply else ""))
    return shown[moment.lines_left_out :]


def _line(world: World, line: Spoken, thoughts: str) -> Any:
    # one line: what a character says must not look like the line of another one, or like a heading
    return View(
        name=call_name(world, line.agent),
        to=call_name(world, line.to or ""),
        text=" ".join(line.text.split()),
        aloud=line.aloud,
        thoughts=" ".join(thoughts.split()),
    )
