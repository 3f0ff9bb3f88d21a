"""The question to the Director: a constant beginning, then the day so far and the list of scenes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.ask.prompt.people import shown_name, view_person, view_world
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.scenes import view_now
from gm.ask.prompt.values import View
from gm.base.casefold import shorten
from gm.model.calendar import is_time_of_day
from gm.model.scene import LogEntry, Scene
from gm.model.world import World
from gm.scene.choosing import Option

PREMISE_CHARACTERS = 200
SUMMARY_CHARACTERS = 300
TOPIC_CHARACTERS = 600
WHY_CHARACTERS = 600


class Decision:
    """Renders the question to the Director."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def system(self, world: World) -> str:
        settings = world.settings
        cast = [view_person(agent) for agent in world.agents.values()]
        return self._prompts.render("director.j2", world=view_world(settings.world), places=settings.places, cast=cast)

    def question(self, world: World, scene: Scene, options: Sequence[Option], left: int) -> str:
        """Render the question.

        Args:
            scene: What the rules would play; sets the time.
            left: Scenes that still fit into the day, the coming one included.
        """
        day = scene.ref.day
        now = view_now(self._prompts.words, world, scene)
        played = [self._played(world, entry) for entry in world.scenes_of(day)]
        shown = [_option(world, option) for option in options]
        return self._prompts.render("decision.j2", now=now, left=left, played=played, options=shown)

    def _played(self, world: World, entry: LogEntry) -> Any:
        time = entry.time_of_day
        return View(
            type=_line(entry.type),
            time=self._prompts.words(f"time_{time}") if is_time_of_day(time) else _line(time),
            place=_line(entry.place),
            names=[shown_name(world, name) for name in entry.participants],
            premise=shorten(str(entry.record.get("premise") or ""), PREMISE_CHARACTERS),
            summary=shorten(str(entry.record.get("summary") or ""), SUMMARY_CHARACTERS),
        )


def _option(world: World, option: Option) -> Any:
    candidate, scene = option.candidate, option.scene
    return View(
        type=scene.type.name,
        names=[shown_name(world, name) for name in scene.cast],
        starter=shown_name(world, scene.cast[0]),
        place=scene.place,
        score=f"{candidate.score:.1f}",
        parts=[View(part=item.part, points=f"{item.points:+.1f}") for item in candidate.reasons],
        why=shorten(scene.why, WHY_CHARACTERS),
        premise=_line(scene.premise),
        topic=shorten(scene.topic, TOPIC_CHARACTERS),
        intent=shorten(scene.intent, TOPIC_CHARACTERS),
        own=[View(name=shown_name(world, name), text=_line(text)) for name, text in scene.premises.items()],
    )


def _line(text: str) -> str:
    return " ".join(text.split())
